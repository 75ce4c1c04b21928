"""Results of others are data: rendering follows no path in them and runs no code."""

import base64
import json
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pypdf
import pytest
from command import page_text
from command import reportgen as run

import reportgen
from reportgen.errors import ReportgenError, SettingsError
from reportgen.settings.models import Format

DATA = "id,human,human2,system\n" + "".join(
    f"r{i},{i % 5 + 1},{(i + 1) % 5 + 1},{i % 5 + 1.2:.2f}\n" for i in range(40)
)

CODE = "```{code-cell}\nfrom pathlib import Path\nPath('PWNED').touch()\n```\n"

SECTION = """
from dataclasses import dataclass
from reportgen.sections import Evaluation, Findings, Section


@dataclass(frozen=True)
class Workload(Section):
    name, title = "workload", "Work that is saved"

    def findings(self, evaluation: Evaluation) -> Findings:
        return Findings(headline="Much work is saved.", values={"hours": 7})
"""

Content = dict[str, Any]


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Content:
    home = tmp_path_factory.mktemp("stored")
    (home / "s.csv").write_text(DATA)
    reportgen.evaluate(home / "s.csv", home / "out", formats=[], sections=["summary", "data"])
    content: Content = json.loads((home / "out" / "results.json").read_text())
    return content


@pytest.fixture
def render(tmp_path: Path, stored: Content, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Return a function that changes stored results, renders them in an empty folder, and returns the page."""
    monkeypatch.chdir(tmp_path)

    def rendered(change: Callable[[Content], None], formats: tuple[Format, ...] = ("html",), **settings: Any) -> str:
        content = json.loads(json.dumps(stored))
        change(content["report"])
        Path("results.json").write_text(json.dumps(content))
        reportgen.render("results.json", "pages", formats=formats, force=True, **settings)
        assert not list(tmp_path.rglob("PWNED"))
        return Path("pages/report.html").read_text() if "html" in formats else ""

    return rendered


def notebook_that_shows(*outputs: Content) -> Callable[[Content], None]:
    """Return a change that adds a section of a notebook to a report."""

    def change(report: Content) -> None:
        section = report["sections"][-1]
        section |= {"name": "custom_x", "title": "Custom", "provider": "x.ipynb"}
        section["findings"] = {"values": {"outputs": list(outputs)}}

    return change


def test_templates_of_results_are_ignored(render: Callable[..., str], tmp_path: Path) -> None:
    place = tmp_path / "theirs" / "sections" / "data"
    place.mkdir(parents=True)
    (place / "section.md.j2").write_text(CODE + "\nTHEIRS")

    def change(report: Content) -> None:
        report["evaluation"]["settings"]["report"]["templates"] = "theirs"

    assert "THEIRS" not in render(change)


@pytest.mark.parametrize("provider", ["./theirs.py", "theirs.py", "../theirs.py", "/theirs.py"])
def test_provider_of_results_is_not_imported(render: Callable[..., str], tmp_path: Path, provider: str) -> None:
    (tmp_path / "theirs.py").write_text("open('PWNED', 'w')")
    (tmp_path / "section.md.j2").write_text(CODE + "\nTHEIRS")

    def change(report: Content) -> None:
        report["sections"][-1] |= {"name": "theirs", "provider": provider.replace("/theirs", f"{tmp_path}/theirs")}

    assert "THEIRS" not in render(change)


@pytest.mark.parametrize("logo", ["secret.png", "/etc/hostname.png", "../secret.png"])
def test_logo_of_results_is_not_embedded(render: Callable[..., str], tmp_path: Path, logo: str) -> None:
    (tmp_path / "secret.png").write_bytes(b"SECRETSECRET")

    def change(report: Content) -> None:
        report["evaluation"]["settings"]["report"]["logo"] = logo

    assert base64.b64encode(b"SECRETSECRET").decode() not in render(change)


def test_section_that_is_not_installed_is_shown(render: Callable[..., str]) -> None:
    def change(report: Content) -> None:
        report["sections"][-1] |= {"name": "elsewhere", "title": "Elsewhere", "provider": "elsewhere 1.0"}

    assert ">Elsewhere</h2>" in render(change)


HOSTILE = (
    '<meta http-equiv="refresh" content="0;url=https://example.org">',
    "<base href='https://example.org'>",
    "<script>fetch('https://example.org')</script>",
    '<form action="https://example.org"><input name="a"></form>',
    '<iframe src="https://example.org"></iframe>',
    '<img src="https://example.org/x.png">',
    '<img src="file:///etc/hostname">',
    '<a href="javascript:alert(1)">x</a>',
    '<a href="https://example.org">x</a>',
    '<a rel="attachment" href="file:///etc/hostname">x</a>',
    '<link rel="attachment" href="file:///etc/hostname">',
    '<p style="position:fixed;inset:0">deploy</p>',
    '<style>body{background:url("https://example.org")}</style>',
    '<svg><image href="file:///etc/hostname"/><script>1</script></svg>',
    '<object data="file:///etc/hostname"></object>',
    '<p onclick="go()" id="main" class="verdict">x</p>',
)
ACTS = re.compile(
    r"example\.org|/etc/hostname|javascript:alert|position:fixed|onclick|http-equiv=.?refresh|<iframe|<form|<base|<object"
)


@pytest.mark.parametrize("form", ["text/html", "text/markdown"])
def test_markup_of_results_is_inactive(render: Callable[..., str], form: str) -> None:
    outputs = [{form: f"before\n\n{each}\n\nafter"} for each in HOSTILE]
    page = render(notebook_that_shows(*outputs, {"image/svg+xml": "<svg xmlns='http://www.w3.org/2000/svg'/>"}))
    body = page[page.index("<body") :]
    assert not ACTS.search(body), ACTS.findall(body)
    assert body.count("after") >= len(HOSTILE)


def test_cleaned_markdown_is_not_parsed_again(render: Callable[..., str]) -> None:
    hidden = "<div><x>\n\n[x](javascript:alert(1)) ![p](https://example.org/y)\n\n</x></div>\n<x>[y](javascript:a)</x>"
    page = render(notebook_that_shows({"text/markdown": hidden}))
    assert not re.search(r'(href|src)="(javascript|https)', page[page.index("<body") :])


def test_pdf_of_results_has_no_attachment_and_action(render: Callable[..., str]) -> None:
    outputs = [{"text/html": f"<p>before</p>{each}<p>after</p>"} for each in HOSTILE]
    drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/hostname"/></svg>'
    render(notebook_that_shows(*outputs, {"image/svg+xml": drawing}), formats=("pdf",))
    reader = pypdf.PdfReader("pages/report.pdf")
    assert not reader.attachments
    root: Any = reader.trailer["/Root"]
    assert "/OpenAction" not in root
    links: list[Any] = [each.get_object() for page in reader.pages for each in page.get("/Annots", ())]
    assert not [each for each in links if "/A" in each or each["/Subtype"] != "/Link"]
    assert "example.org" not in "".join(page.extract_text() for page in reader.pages)


def test_tables_and_images_of_notebook_are_kept(render: Callable[..., str]) -> None:
    letters = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()
    body = '<tbody><tr><td colspan="2">1.5</td></tr></tbody>'
    table = f'<table><thead><tr><th scope="col">a</th></tr></thead>{body}</table>'
    page = render(notebook_that_shows({"text/html": table}, {"image/png": letters, "text/plain": "A figure."}))
    assert '<th scope="col">a</th>' in page
    assert '<td colspan="2">1.5</td>' in page
    assert f"data:image/png;base64,{letters}" in page


@pytest.mark.parametrize("outputs", ["x", [1], [{"text/html": 5}], [{"image/png": '"><script>'}], [{"error": []}], 3])
def test_outputs_of_any_shape_are_shown_or_raise(render: Callable[..., str], outputs: Any) -> None:
    def change(report: Content) -> None:
        notebook_that_shows()(report)
        report["sections"][-1]["findings"]["values"]["outputs"] = outputs

    with suppress(ReportgenError):
        assert '"><script>' not in render(change)


def test_custom_section_uses_template_if_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.csv").write_text(DATA)
    Path("workload.py").write_text(SECTION)
    Path("workload").mkdir()
    Path("workload/section.md.j2").write_text("## Mine\n\n{{ findings.values.hours }} hours in MY words\n")
    reportgen.evaluate("s.csv", "out", formats=["html"], sections=["data", "./workload.py"])
    assert "in MY words" in Path("out/report.html").read_text()
    assert str(tmp_path) not in Path("out/results.json").read_text()
    reportgen.render("out/results.json", "plain", formats=["html"])
    assert "in MY words" not in Path("plain/report.html").read_text()
    assert "Much work is saved." in Path("plain/report.html").read_text()
    reportgen.render("out/results.json", "named", formats=["html"], sections=["./workload.py"])
    assert "in MY words" in Path("named/report.html").read_text()
    with pytest.raises(SettingsError, match="is not a file"):
        reportgen.render("out/results.json", "other", sections=["data"])


def test_section_that_cannot_be_imported_is_reported(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text(DATA)
    (tmp_path / "broken.py").write_text("import a_package_that_nobody_has")
    arguments = ["evaluate", "s.csv", "out", "--formats", "html", "--sections", "data,./broken.py"]
    done = run(*arguments, cwd=tmp_path, code=3)
    assert "these sections failed: broken" in done.stderr
    assert "a_package_that_nobody_has" in page_text(tmp_path / "out" / "report.html")


@pytest.mark.slow
def test_pdf_leaves_no_temporary_files(tmp_path: Path, stored: Content) -> None:
    (tmp_path / "temporary").mkdir()
    (tmp_path / "results.json").write_text(json.dumps(stored))
    environment = {"TMPDIR": str(tmp_path / "temporary")}
    run("render", "results.json", "pages", "--formats", "pdf", cwd=tmp_path, environment=environment)
    assert not list((tmp_path / "temporary").iterdir())
