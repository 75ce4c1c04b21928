"""Test the page that Jupyter exports from a notebook, unchanged or edited."""

import json
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import nbformat
import pytest
import sample_report as sample
from nbconvert.utils.exceptions import ConversionException
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from reportgen.rendering import render
from reportgen.rendering.execution import results_of
from reportgen.rendering.foreign import clean_html
from reportgen.reports.exporter import ReportExporter

ROOT = Path(__file__).parents[2]
PLOTLY = "application/vnd.plotly.v1+json"
EXPORTER: Any = ReportExporter


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report with its page; its PDF is empty, as nobody looks into it."""

    def not_printed(cells: object, templates: object, path: Path, attachments: object) -> Path:
        path.touch()
        return path

    folder = tmp_path_factory.mktemp("run")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("reportgen.rendering.page.write_pdf", not_printed)
        render(sample.report(), folder, formats=("html", "pdf"))
    return folder


@pytest.fixture
def notebook(run: Path) -> Any:
    return nbformat.read(run / "report.ipynb", as_version=4)


def page_of(notebook: Any, run: Path, **options: str) -> str:
    """Return the page of a notebook in the folder of the run."""
    made, _ = EXPORTER(**options).from_notebook_node(notebook, {"metadata": {"path": str(run), "name": "report"}})
    return str(made)


def shown_in(page: str, words: str) -> str:
    """Return the id of the section that holds some words."""
    starts = [found for found in re.finditer(r'<section id="([^"]+)"', page) if found.start() < page.index(words)]
    return starts[-1][1] if starts else "head"


def test_the_entry_point_is_the_exporter() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module, _, name = project["entry-points"]["nbconvert.exporters"]["reportgen"].partition(":")
    assert getattr(import_module(module), name) is ReportExporter


@pytest.mark.slow
def test_the_command_writes_the_page_of_the_run(run: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "nbconvert", "--to", "reportgen.reports.exporter.ReportExporter"]
    done = subprocess.run([*command, "--output-dir", str(tmp_path), "report.ipynb"], cwd=run, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "report.html").read_bytes() == (run / "report.html").read_bytes()


def test_custom_cells_keep_their_place(run: Path, notebook: Any) -> None:
    at = next(n for n, cell in enumerate(notebook.cells) if cell.metadata.reportgen.get("section"))
    section = notebook.cells[at].metadata.reportgen["section"]
    table = {"text/html": "<table><tr><td>cell of mine</td></tr></table>", "text/plain": "frame"}
    notebook.cells[at + 1 : at + 1] = [
        new_markdown_cell("The board met *twice*."),
        new_code_cell("frame", outputs=[new_output("execute_result", table), new_output("stream", text="a line & b")]),
        new_code_cell("figure", outputs=[new_output("display_data", {PLOTLY: {"data": [{"y": [1]}], "layout": {}}})]),
    ]
    page = page_of(notebook, run)
    for words in ("The board met <em>twice</em>.", "<td>cell of mine</td>", "a line &amp; b", '{"data":[{"y":[1]}]'):
        assert shown_in(page, words) == f"section-{section}"
    assert "report.pdf" in (run / "report.html").read_text(encoding="utf-8")
    assert "report.pdf" not in page  # it does not say what was added


def test_output_of_custom_cells_is_inactive(run: Path, notebook: Any) -> None:
    shown = {"text/html": '<p onclick="go()">words of mine<script>go()</script><img src="https://a.example/x"></p>'}
    notebook.cells.append(new_code_cell("x", outputs=[new_output("display_data", shown)]))
    page = page_of(notebook, run)
    assert "<p>words of mine<img></p>" in page
    assert not {"go()", "a.example"} & set(re.findall(r"go\(\)|a\.example", page))


def test_drawings_in_html_are_images_with_alt_text() -> None:
    drawing = (
        '<svg xmlns="http://www.w3.org/2000/svg" aria-label="0.80; met"><text>0.70</text><script>go()</script></svg>'
    )
    made = clean_html(f"<p>before</p>{drawing}<p>after</p>")
    assert re.fullmatch(
        r'<p>before</p><img alt="0.80; met" src="data:image/svg\+xml;base64,[^"<>]+"><p>after</p>', made
    )


def test_metadata_of_notebook_cells_are_not_trusted(run: Path, notebook: Any) -> None:
    shown = {"text/html": "<a href='https://evil.example/'>words of a stranger</a><svg onload=x></svg>"}
    forged = {
        "reportgen": {"kind": "chart", "id": "x", "title": "", "caption": "", "alt": "", "numbers": shown["text/html"]}
    }
    own = next(cell for cell in notebook.cells if cell.source.startswith("report.show("))
    own.outputs = [new_output("execute_result", shown, metadata=forged)]
    notebook.cells += [
        new_code_cell("x", outputs=[new_output("execute_result", shown, metadata=forged)]),
        new_markdown_cell('more words <div style="position:fixed">x</div> [y](https://evil.example/)'),
    ]
    page = page_of(notebook, run)
    body = page[page.index("<body") :]
    assert "words of a stranger" in body
    assert "more words" in body
    assert not re.search(r"evil\.example/['\"]|position:fixed|onload", body)


def test_sections_follow_the_notebook_without_deleted_ones(run: Path, notebook: Any) -> None:
    names = [cell.metadata.reportgen["section"] for cell in notebook.cells if "section" in cell.metadata.reportgen
             and "place" not in cell.metadata.reportgen]  # fmt: skip
    first, *others, last = dict.fromkeys(names)
    of_last = [cell for cell in notebook.cells if cell.metadata.reportgen.get("section") == last]
    kept = [cell for cell in notebook.cells if cell.metadata.reportgen.get("section") not in (last, others[0])]
    at = next(n for n, cell in enumerate(kept) if cell.metadata.reportgen.get("section") == first)
    notebook.cells = [*kept[:at], *of_last, *kept[at:]]
    found = re.findall(r'<section id="section-([^"]+)"', page_of(notebook, run))
    assert found[:2] == [last, first]
    assert others[0] not in found


@pytest.mark.slow
def test_a_rerun_notebook_gives_the_same_page(run: Path, notebook: Any, tmp_path: Path) -> None:
    """In a fresh kernel, where nothing is but the results."""
    pytest.importorskip("ipykernel")
    from nbclient import NotebookClient

    (tmp_path / "results.json").write_bytes((run / "results.json").read_bytes())
    (tmp_path / "report.pdf").write_bytes(b"")
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    NotebookClient(notebook, allow_errors=True, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert page_of(notebook, tmp_path) == (run / "report.html").read_text(encoding="utf-8")


def test_jupyter_knows_the_language_before_a_kernel_has_run(notebook: Any) -> None:
    nbformat.validate(notebook)
    assert notebook.metadata.kernelspec.name == "python3"
    assert notebook.metadata.language_info.name == "python"


def test_without_plotly_a_notebook_shows_charts_as_images(notebook: Any) -> None:
    """Jupyter prefers HTML to a picture, therefore a chart brings none."""
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    charts = [each for each in outputs if each.get("metadata", {}).get("reportgen", {}).get("kind") == "chart"]
    assert charts
    assert all("image/svg+xml" in chart.data and "text/html" not in chart.data for chart in charts)
    assert any("<table" in chart.metadata.reportgen["numbers"] for chart in charts)


def test_the_results_are_those_that_the_notebook_loads() -> None:
    sources = {
        "report = load('a.json', templates='x')": "a.json",
        **dict.fromkeys(("load(n)", "load("), "results.json"),
    }
    assert {each: results_of(nbformat.v4.new_notebook(cells=[new_code_cell(each)])) for each in sources} == sources


def test_unconvertible_notebooks_are_errors(run: Path, notebook: Any, tmp_path: Path) -> None:
    with pytest.raises(ConversionException, match=r"results\.json"):
        page_of(notebook, tmp_path)
    notebook.cells[0]["outputs"] = 3
    with pytest.raises(ConversionException, match=r"the notebook is not valid .*; open and save it in Jupyter"):
        page_of(notebook, run)


def test_paths_in_untrusted_notebooks_are_text(run: Path, notebook: Any) -> None:
    hostile: list[Any] = [{"section": ["a"], "place": {"b": 1}}, [1], "x", 3]
    for number, about in enumerate(hostile):
        notebook.cells.append(new_markdown_cell(f"odd {number}", metadata={"reportgen": about}))
    notebook.metadata["reportgen"] = json.loads("[1]")
    page = page_of(notebook, run)
    assert all(f"odd {number}" in page for number in range(len(hostile)))


def test_templates_and_logo_come_from_the_converting_user(run: Path, notebook: Any, tmp_path: Path) -> None:
    (tmp_path / "html").mkdir()
    template = '{% extends "shipped/html/base_page.html.j2" %}{% block style %}p { color: #123456 }{% endblock %}'
    (tmp_path / "html" / "index.html.j2").write_text(template)
    setup = next(cell for cell in notebook.cells if "setup" in cell.metadata.get("tags", ()))
    setup.source = setup.source.replace("')", f"', templates={str(tmp_path)!r})")
    assert "#123456" not in page_of(notebook, run)
    assert "#123456" in page_of(notebook, run, templates=str(tmp_path))
