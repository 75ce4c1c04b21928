"""Pages of a report are complete, self-contained, reproducible, and show failures."""

import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import pytest
import sample_report as sample

from reportgen.charts.theme import Colours
from reportgen.errors import SettingsError, TemplateError
from reportgen.rendering import Look, render
from reportgen.results import Report
from reportgen.storing import results_file


class Page(HTMLParser):
    """Collect the elements and visible text of a page."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._silent = 0
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._silent += tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.text += data

    def all(self, tag: str) -> Iterator[dict[str, str | None]]:
        return (attributes for name, attributes in self.elements if name == tag)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tuple[str, ...]]:
    folder = tmp_path_factory.mktemp("report")
    return folder, render(sample.report(), folder, formats=("html",))


@pytest.fixture(scope="module")
def page(made: tuple[Path, tuple[str, ...]]) -> Page:
    return Page((made[0] / "report.html").read_text(encoding="utf-8"))


def html_of(report: Report, folder: Path, look: Look | None = None) -> str:
    render(report, folder, formats=("html",), look=look)
    return (folder / "report.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_render_writes_files_and_returns_failures(made: tuple[Path, tuple[str, ...]]) -> None:
    assert {path.name for path in made[0].iterdir()} == {"results.json", "report.ipynb", "report.html"}
    assert made[1] == ("broken",)
    assert results_file.read(made[0] / "results.json") == sample.report()


def test_sections_are_in_order_and_in_contents(page: Page) -> None:
    titles = [section.title for section in sample.report().sections]
    assert [attributes["aria-label"] for attributes in page.all("section")] == titles
    targets = {attributes["id"] for _, attributes in page.elements if "id" in attributes}
    links = [str(attributes["href"]) for attributes in page.all("a")]
    assert all(link.startswith("#") and link[1:] in targets for link in links)
    assert sum(link.startswith("#section-") for link in links) == len(titles)


def test_ids_are_unique(page: Page) -> None:
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_numbers_are_formatted(page: Page) -> None:
    assert "0.71" in page.text
    assert "[0.69, 0.73]" in page.text
    assert "−0.19" in page.text
    assert "< .001" in page.text
    assert "4,812" in page.text
    assert not re.search(r"\bnan\b|NaN|-0\.00|None", page.text)


def test_undefined_values_have_reasons(page: Page) -> None:
    assert "the scores are continuous" in page.text
    assert "no response was scored twice" in page.text
    assert "no interval for fewer than 10 responses" in page.text


def test_hostile_text_is_escaped(page: Page) -> None:
    for text in ("<script>alert(1)</script>", "{{ 7 * 7 }} {% raw %}", "=cmd|' /C calc'!A0", "**bold** _em_"):
        assert text in page.text
    assert "alert(1)" not in [attributes.get("src") for attributes in page.all("script")]
    kinds = [attributes.get("type") for attributes in page.all("script")]
    assert kinds.count(None) == 2
    assert not any(name.startswith("on") for _, attributes in page.elements for name in attributes)
    assert "\u202e" not in page.text


def test_page_loads_nothing_external(page: Page) -> None:
    for tag, attributes in page.elements:
        for name in ("src", "href", "action", "data", "poster"):
            address = attributes.get(name)
            assert address is None or address.startswith(("#", "data:")), (tag, address)
    policy = next(item["content"] for item in page.all("meta") if "http-equiv" in item)
    assert policy is not None
    assert policy.startswith("default-src 'none'")
    assert "unsafe-inline" not in policy.split("script-src")[1].split(";")[0]


def test_charts_have_image_alt_text_and_data(page: Page) -> None:
    charts = [chart for section in sample.report().sections for chart in section.findings.charts]
    assert sum(1 for _ in page.all("figure")) == len(charts)
    labels = [attributes.get("aria-label") for attributes in page.all("svg")]
    assert all(chart.alt in labels for chart in charts)
    assert sum(1 for _ in page.all("details")) == len(charts)


def test_tables_have_captions_and_scopes(page: Page) -> None:
    heads = list(page.all("th"))
    assert heads
    assert all(head.get("scope") in ("row", "col") for head in heads)
    assert "Agreement of engine and rater, all 4,812 responses" in page.text


def test_a_long_table_is_cut_and_says_where_the_rest_is(page: Page) -> None:
    assert "36 more rows in results.json." in page.text


def test_a_column_that_is_not_shown_stays_off_the_page(page: Page) -> None:
    assert "Not shown" not in page.text.replace("Not shown here, but in", "")


def test_a_section_that_failed_is_a_box_in_its_place(page: Page) -> None:
    assert "This section failed." in page.text
    assert "ZeroDivisionError: division by <zero>" in page.text


def test_highlights_lead_to_what_they_speak_of(page: Page) -> None:
    assert "#chart-groups.dsm" in [link["href"] for link in page.all("a") if link.get("class") == "page-of"]


def test_the_notebook_is_valid_executed_and_runs_again(made: tuple[Path, tuple[str, ...]]) -> None:
    notebook = nbformat.read(made[0] / "report.ipynb", as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert "setup" in code[0].metadata.tags
    assert all(cell.outputs for cell in code[1:])
    names: dict[str, object] = {}
    exec(code[0].source.replace("results.json", str(made[0] / "results.json")), names)
    assert eval(code[1].source, names).data["text/html"] == code[1].outputs[0].data["text/html"]


def test_the_same_report_gives_the_same_bytes(made: tuple[Path, tuple[str, ...]], tmp_path: Path) -> None:
    whole, short = sample.report(), replace(sample.report(), sections=sample.report().sections[2:3])
    for name, report, kind in (("whole", whole, "html"), ("one", short, "pdf"), ("two", short, "pdf")):
        (tmp_path / name).mkdir()
        render(report, tmp_path / name, formats=[kind])
    for file in ("report.html", "report.ipynb"):
        assert (tmp_path / "whole" / file).read_bytes() == (made[0] / file).read_bytes()
    assert (tmp_path / "one" / "report.pdf").read_bytes() == (tmp_path / "two" / "report.pdf").read_bytes()


def test_without_interaction_there_is_no_library(tmp_path: Path) -> None:
    source = html_of(sample.report(), tmp_path, Look(plotly="none"))
    assert len(source) < 300_000
    assert 'id="plotly"' not in source
    assert source.count('class="picture"') == 5


def test_without_charts_there_is_no_library(tmp_path: Path) -> None:
    report = replace(sample.report(), sections=sample.report().sections[:1])
    assert 'id="plotly"' not in html_of(report, tmp_path)


@pytest.mark.slow
def test_a_cell_that_fails_is_shown_and_named(tmp_path: Path) -> None:
    own = tmp_path / "templates" / "sections" / "sample_summary" / "section.md.j2"
    own.parent.mkdir(parents=True)
    own.write_text('```{code-cell}\nprint("half")\nreport.show("sample_summary.check")\n```\n\nStill here.\n')
    failed = render(sample.report(), tmp_path, formats=("html",), look=Look(templates=tmp_path / "templates"))
    page = Page((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert failed == ("broken", "sample_summary")
    assert "A part of this section could not be shown." in page.text
    assert "did you mean 'sample_summary.checks'?" in page.text
    assert "Still here." in page.text
    assert "Traceback" not in page.text


@pytest.mark.slow
def test_cells_may_print_display_and_draw(tmp_path: Path) -> None:
    own = tmp_path / "templates" / "sections" / "sample_summary" / "section.md.j2"
    own.parent.mkdir(parents=True)
    own.write_text(
        "```{code-cell}\n"
        "from IPython.display import HTML, display\n"
        "from matplotlib.figure import Figure\n"
        "print('printed <b>')\n"
        "display(HTML('<p id=shown>displayed</p>'))\n"
        "figure = Figure()\n"
        "figure.add_subplot().plot([1, 2])\n"
        "report.show(figure, title='Ours', alt='It rises.')\n"
        "```\n"
    )
    failed = render(sample.report(), tmp_path, formats=("html",), look=Look(templates=tmp_path / "templates"))
    page = Page((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert failed == ("broken",)
    assert "printed <b>" in page.text
    assert {"id": "shown"} in list(page.all("p"))
    assert "chart-Ours" in [attributes.get("id") for attributes in page.all("figure")]


UNUSED = ": no report uses this path; did you mean 'sections/summary/section.md.j2'?"


@pytest.mark.parametrize(
    ("place", "text", "message"),
    [
        *((f"html/{name}", b"\n{{ no }}\n", ", line 2: 'no' is undefined") for name in ("table.html.j2", "page.css")),
        ("html/index.html.j2", b"\n{{ no }}\n", ", line 2: 'no' is undefined"),
        ("html/index.html.j2", b"\n{% for a in range(10 ** 12) %}{% endfor %}\n", ", line 2: its loops use more than"),
        ("html/page.css", b"caf\xe9", ": not UTF-8 text; save it as UTF-8."),
        ("sections/sumary/section.md.j2", b"", UNUSED),
        ("sections/summary/section.md", b"", UNUSED),
    ],
)
def test_wrong_template_error_names_file(place: str, text: bytes, message: str, tmp_path: Path) -> None:
    own = tmp_path / "templates" / place
    own.parent.mkdir(parents=True)
    own.write_bytes(text)
    with pytest.raises(TemplateError) as caught:
        render(sample.report(), tmp_path, formats=("html",), look=Look(templates=tmp_path / "templates"))
    assert f"{own}{message}" in str(caught.value)


def test_template_that_another_includes_is_used(tmp_path: Path) -> None:
    own = tmp_path / "templates" / "html" / "page.css"
    own.parent.mkdir(parents=True)
    own.write_text('{% include "shipped/html/page.css" %}{% include "ours.j2" %}')
    (tmp_path / "templates" / "ours.j2").write_text("/* ours */")
    assert "/* ours */" in html_of(sample.report(), tmp_path, Look(templates=tmp_path / "templates"))


def test_template_replaces_one_block(tmp_path: Path) -> None:
    own = tmp_path / "templates" / "html" / "index.html.j2"
    own.parent.mkdir(parents=True)
    own.write_text('{% extends "shipped/html/base_page.html.j2" %}{% block footer %}<p>House rules.</p>{% endblock %}')
    source = html_of(sample.report(), tmp_path, Look(templates=tmp_path / "templates"))
    assert "<p>House rules.</p>" in source
    assert "This section failed." in source


def test_logo_and_colors_of_settings_are_used(tmp_path: Path) -> None:
    logo = tmp_path / "logo.svg"
    logo.write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    source = html_of(sample.report(), tmp_path, Look(logo=logo, colours=Colours(engine="#0a7b83")))
    assert 'src="data:image/svg+xml;base64,' in source
    assert "--engine: #0a7b83;" in source
    assert "#143d66" not in source.split('id="dark"')[0].split("<style>")[1]


@pytest.mark.parametrize(("name", "sentence"), [("logo.gif", "is not an image"), ("logo.png", "cannot be read")])
def test_invalid_logo_raises(tmp_path: Path, name: str, sentence: str) -> None:
    with pytest.raises(SettingsError, match=sentence):
        render(sample.report(), tmp_path, formats=("html",), look=Look(logo=tmp_path / name))


@pytest.mark.slow
def test_kernel_gives_same_pages(tmp_path: Path, made: tuple[Path, tuple[str, ...]]) -> None:
    assert render(sample.report(), tmp_path, formats=("html",), kernel="python3") == ("broken",)
    assert (tmp_path / "report.html").read_bytes() == (made[0] / "report.html").read_bytes()


def test_unknown_kernel_raises(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"kernel 'pyton3' is not installed"):
        render(sample.report(), tmp_path, formats=(), kernel="pyton3")
