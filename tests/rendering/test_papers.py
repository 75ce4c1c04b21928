"""Tables and figures for papers match the page, have APA style, and escape their cells."""

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import sample_report as sample

from reportgen.errors import OutputError
from reportgen.rendering import Look, papers, render
from reportgen.rendering.papers import ForPapers
from reportgen.rendering.templates import Templates
from reportgen.results import Column, Estimate, Row, Table

HOSTILE = (
    *sample.HOSTILE,
    r"\input{/etc/passwd}",
    r"\write18{touch x}",
    "a & b \\\\ \\hline % hidden",
    "$\\catcode`\\%=12$",
    "[1em] * -- ,, '' ``",
    "^^5cinput{x}",
    "[text](javascript:alert(1)) ![x](http://x/y.png) <http://x> www.example.org a@b.org",
    "| pipe | `code` ~~gone~~ ^up^ $x$ {attr}",
    "</td></tr></table><img src=x onerror=alert(1)>",
)


def hostile() -> Table:
    columns = (Column("level", "Group <b>|&%"), Column("n", "n", "count"), Column("qwk", "QWK", "coefficient"))
    rows = tuple(Row((text, 3, Estimate("qwk", 0.7, 30, 0.6, 0.8, method=text))) for text in HOSTILE)
    return Table("by_group.}\\input{x}", "Groups of \\input{x} <script>|", columns, rows, notes=("\\end{table} | <b>",))


@pytest.fixture(scope="module")
def found() -> ForPapers:
    return papers.for_papers(Templates(sample.report(), Look()))


def test_for_papers_has_tables_and_charts_of_page(found: ForPapers) -> None:
    report = sample.report()
    keys = {table.key for table in found.tables}
    assert set(report.evaluation.tables) <= keys
    assert {table.key for each in report.sections for table in each.findings.tables} <= keys
    assert {chart.key for each in report.sections for chart in each.findings.charts} == {
        figure.chart.key for figure in found.figures
    }
    assert [table.number for table in found.tables] == [f"Table {place + 1}" for place in range(len(found.tables))]


def test_numbers_and_titles_match_word_document(found: ForPapers, tmp_path: Path) -> None:
    docx = pytest.importorskip("docx")
    render(sample.report(), tmp_path, formats=("docx",))
    captions = [each.text.splitlines()[0] for each in docx.Document(str(tmp_path / "report.docx")).paragraphs
                if each.style.name == "Caption" and re.match(r"(Table|Figure) \d", each.text)]  # fmt: skip
    expected = {f"{table.number}. {table.title}" for table in found.tables}
    expected |= {f"{figure.number}. {figure.chart.title}" for figure in found.figures}
    assert captions
    assert {" ".join(caption.split()) for caption in captions} <= {" ".join(each.split()) for each in expected}


def test_tables_for_papers_have_all_rows() -> None:
    rows = tuple(Row((f"g{place}", place)) for place in range(60))
    table = Table("t", "Sizes", (Column("level", "Group"), Column("n", "n", "count")), rows, max_rows=5)
    assert table.to_markdown().count("\n| g") == 60
    assert table.to_latex().count("\ng") == 60


def test_notes_have_n_and_interval_method() -> None:
    estimates = [Estimate("qwk", 0.7, n, 0.6, 0.8, method="Wilson score interval") for n in (30, 1200)]
    rows = (*(Row((str(each.n), each)) for each in estimates), Row(("x", Estimate("qwk", None, 0, reason="too few"))))
    text = Table("t", "QWK", (Column("level", "Group"), Column("qwk", "QWK", "coefficient")), rows).to_markdown()
    assert "*Note.* n = 30 to 1,200. Brackets contain 95% intervals (Wilson score interval)." in text
    assert "<sup>a</sup> too few." in text


def test_latex_has_horizontal_rules_and_caption(found: ForPapers) -> None:
    for table in found.tables:
        text = papers.latex(table)
        assert [text.count(rule) for rule in (r"\toprule", r"\midrule", r"\bottomrule")] == [1, 1, 1]
        assert "|" not in text
        assert "\\caption{" in text


def commands(text: str) -> set[str]:
    return set(re.findall(r"\\([A-Za-z]+|.)", text))


def test_latex_cells_have_no_commands() -> None:
    allowed = commands(Table("t", "T", (Column("a", "A"),), (Row(("x",)),), notes=("x",)).to_latex())
    allowed |= {name for each in papers._LETTERS.values() for name in commands(each)} | {
        "raggedright", "arraybackslash", "linewidth", "footnotesize", "scriptsize", "setlength", "tabcolsep", "small",
    }  # fmt: skip
    text = hostile().to_latex()
    assert commands(text) <= allowed
    assert text.count("\\begin{") == text.count("\\end{") == 2
    assert re.search(r"(?<!\\)%", text) is None
    assert "^" not in text
    for line in text.splitlines():
        if line.endswith(r"\\"):
            assert len(re.findall(r"(?<!\\)&", line)) == 2
            assert not line.startswith(("[", "*"))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="LaTeX is not installed")
def test_latex_compiles(found: ForPapers, tmp_path: Path) -> None:
    plain = Table("t", "T", (Column("a", "A"), Column("b", "B")), tuple(
        Row((text.encode("ascii", "ignore").decode(), "x")) for text in HOSTILE))  # fmt: skip
    (tmp_path / "hostile.tex").write_text(plain.to_latex(), encoding="utf-8")
    (tmp_path / "all.tex").write_text(papers.filled("papers/document.tex.j2", names=["hostile.tex"]), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "all.tex"]
    made = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=120)
    assert made.returncode == 0, made.stdout[-2000:]
    assert (tmp_path / "all.pdf").stat().st_size > 5000


def test_markdown_cells_have_no_markup() -> None:
    text = hostile().to_markdown()
    body = [line for line in text.splitlines() if line.startswith("| ")]
    for line in body:
        assert len(re.findall(r"(?<!\\)\|", line)) == 4
    assert "<script" not in text
    assert "<img" not in text
    assert "<b>" not in text
    assert re.search(r"(?<!\\)\[[^\]]*\]\(", text) is None
    assert "http://" not in text


def test_markdown_shows_text_of_cells() -> None:
    mistune = pytest.importorskip("mistune")
    page = mistune.create_markdown(escape=False, plugins=["table", "strikethrough", "url"])(hostile().to_markdown())
    found = Words(page)
    assert found.tags <= {"p", "em", "table", "thead", "tbody", "tr", "th", "td"}
    for cell in ("**bold** _em_ [link](http://example.org) `code` $x^2$ # | table |", "<script>alert(1)</script>"):
        assert cell in [each.strip() for each in found.cells]


class Words(HTMLParser):
    """Collect the elements of a page and the text of its cells."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.cells: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        if self.cells:
            self.cells[-1] += data


def test_notebook_table_escapes_cells() -> None:
    found = Words(hostile()._repr_html_())
    assert found.tags <= {"div", "table", "caption", "i", "thead", "tbody", "tr", "th", "td", "p", "sup", "b"}
    assert "<script>alert(1)</script>" in found.cells


def test_great_table_escapes_cells() -> None:
    pytest.importorskip("great_tables")
    page = hostile().great_table().as_raw_html()
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    grouped = Table("t", "T", (Column("a", "A"), Column("b", "B"), Column("n", "n", "count")), tuple(
        Row((group, name, 3)) for group in ("<i>one</i>", "two") for name in ("x", "y", "z")))  # fmt: skip
    assert "<i>one</i>" not in grouped.great_table().as_raw_html()


def test_missing_great_tables_names_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(papers, "find_spec", lambda name: None)
    with pytest.raises(OutputError, match="pip install great-tables"):
        hostile().great_table()


def test_markdown_has_numbers_of_page(found: ForPapers) -> None:
    shown = papers.markdown(next(table for table in found.tables if len(table.columns) > 3))
    estimate = sample.QWK
    assert f"{estimate.value:.3f}" in shown or f"{estimate.value:.2f}" in shown
