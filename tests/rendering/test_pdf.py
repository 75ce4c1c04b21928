"""The printed report is tagged and numbered, has an outline, and begins with the answer."""

import re
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

import pypdf
import pytest
import sample_report as sample
import weasyprint
from command import pdf_pages as text_of_pages
from command import pdf_text

import reportgen
from reportgen.errors import InputError
from reportgen.rendering import Look, render
from reportgen.rendering import pdf as pdf_pages
from reportgen.results import Findings, Highlight


@pytest.fixture(scope="module")
def pdf(tmp_path_factory: pytest.TempPathFactory) -> pypdf.PdfReader:
    folder = tmp_path_factory.mktemp("pdf")
    render(sample.report(), folder, formats=("pdf",))
    return pypdf.PdfReader(folder / "report.pdf")


def text(pdf: pypdf.PdfReader, page: int) -> str:
    return " ".join(pdf.pages[page].extract_text().split())


def structure(node: Any, found: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Collect kind and alternative text of every element of the structure tree."""
    node = node.get_object()
    if isinstance(node, pypdf.generic.DictionaryObject) and "/S" in node:
        found.append((str(node["/S"]), str(node.get("/Alt", ""))))
    children = node.get("/K", []) if isinstance(node, pypdf.generic.DictionaryObject) else []
    for child in children if isinstance(children, list) else [children]:
        if isinstance(child.get_object(), pypdf.generic.DictionaryObject):
            structure(child, found)
    return found


@pytest.mark.slow
def test_first_page_is_summary(pdf: pypdf.PdfReader) -> None:
    first = text(pdf, 0)
    assert "two of 14 groups need a look" in first
    assert "Next steps" in first
    assert "Contents" not in first
    assert "Contents" in text(pdf, 1)


@pytest.mark.slow
def test_contents_and_footer_have_page_numbers(pdf: pypdf.PdfReader) -> None:
    last = len(pdf.pages)
    for number in range(last):
        assert f"{number + 1} of {last}" in text(pdf, number)
        assert "Data 9f86d081" in text(pdf, number)
    heads = [number for number in range(1, last) if "Group differences" in text(pdf, number)]
    contents = text(pdf, 1).split("Group differences")[1].split("A section")[0]
    assert contents.strip(" .") == str(heads[1] + 1)


def test_outline_has_sections(pdf: pypdf.PdfReader) -> None:
    titles = [item.title for item in pdf.outline if not isinstance(item, list)]
    assert titles == [section.title for section in sample.report().sections]


def test_pdf_is_tagged_with_alternative_texts(pdf: pypdf.PdfReader) -> None:
    root: Any = pdf.trailer["/Root"]
    assert root["/MarkInfo"]["/Marked"]
    assert root["/Lang"] == "en"
    assert b"pdfuaid:part" in root["/Metadata"].get_data()
    elements = structure(root["/StructTreeRoot"], [])
    alts = {alt for kind, alt in elements if kind == "/Figure"}
    assert "" not in alts
    assert {chart.alt for section in sample.report().sections for chart in section.findings.charts} <= alts
    kinds = {kind for kind, _ in elements}
    assert {"/H1", "/H2", "/H3", "/Table", "/TH", "/TD", "/Caption", "/L"} <= kinds


def test_report_has_no_attachment(pdf: pypdf.PdfReader) -> None:
    root: Any = pdf.trailer["/Root"]
    assert not list(pdf.attachments)
    assert "pdfaid" not in root["/Metadata"].get_data().decode()


def test_metadata_has_title_and_date(pdf: pypdf.PdfReader) -> None:
    assert pdf.metadata is not None
    assert pdf.metadata.title == sample.report().title
    assert "20260301" in str(pdf.metadata.get("/CreationDate"))


def test_paper_names_hidden_columns(pdf: pypdf.PdfReader) -> None:
    whole = " ".join(text(pdf, number) for number in range(len(pdf.pages)))
    assert "Not shown here, but in results.json: r, RMSE, Kappa." in whole


def test_fonts_are_embedded(pdf: pypdf.PdfReader) -> None:
    resources: list[Any] = [page["/Resources"] for page in pdf.pages]
    fonts = {str(font.get_object()["/BaseFont"]) for resource in resources for font in resource["/Font"].values()}
    assert all(fonts)
    assert all("+" in name for name in fonts)  # a subset of every font is in the file
    assert {name.split("+")[1] for name in fonts} >= {"Report-Serif-Semi-Bold", "Report-Sans", "Report-Sans-Semi-Bold"}


def test_pages_are_filled_and_do_not_end_with_heading(pdf: pypdf.PdfReader) -> None:
    titles = [section.title for section in sample.report().sections]
    for number in range(len(pdf.pages)):
        words = text(pdf, number)
        assert len(words) > 300
        # The running head and the footer are last in the file.
        body = words.rpartition(sample.report().title)[0].strip() if number else words.split("Data 9f86d081")[0].strip()
        assert body
        assert not any(body.endswith(title) for title in titles)


def test_numbers_are_not_broken(tmp_path: Path) -> None:
    texts = [" ".join(["x" * letters + " below .70 (p = .283) 0.71 [0.66, 0.75]"] * 6) for letters in range(1, 14)]
    section = replace(sample.report().sections[0], findings=Findings(paragraphs=tuple(texts)))
    render(replace(sample.report(), sections=(section,)), tmp_path, formats=("pdf",))
    lines = "\n".join(text_of_pages(tmp_path / "report.pdf")).replace("\xa0", " ")
    for number in (".70", "p = .283", "[0.66, 0.75]"):
        assert lines.count(number) == 13 * 6


def test_slightly_long_summary_is_set_tighter(tmp_path: Path) -> None:
    summary = sample.report().sections[0]
    long = replace(
        summary.findings, unknowns=(Highlight("Not judged: " + "more responses would settle it. " * 3),) * 12
    )
    sections = (replace(summary, findings=long), sample.report().sections[1])
    render(replace(sample.report(), sections=sections), tmp_path, formats=("pdf",))
    assert "Contents" in text(pypdf.PdfReader(tmp_path / "report.pdf"), 1)


def words_of_evaluated(folder: Path, groups: list[str], column: str = "group") -> str:
    """Return the words of the PDF of scores in these groups."""
    rows = [f"r{i},{i % 4 + 1},{i % 4 + 1 + i // 7 % 2},{groups[i % len(groups)]}" for i in range(40 * len(groups))]
    (folder / "s.csv").write_text("\n".join([f"id,human,system,{column}", *rows]), encoding="utf-8")
    reportgen.evaluate(folder / "s.csv", folder / "out", formats=["pdf"], groups=[column], force=True)
    return pdf_text(folder / "out" / "report.pdf")


@pytest.mark.slow
def test_names_without_glyphs_are_spelled_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    groups = ["\U000f1234", "\U00012000\U00012001", "\U00012001\U00012000"]  # no font has these
    words = words_of_evaluated(tmp_path, groups)
    for name in ("[U+F1234]", "[Cuneiform sign a-sign a times a]", "[Cuneiform sign a times a-sign a]"):
        assert name in words
    (told,) = [record.getMessage() for record in caplog.records if "no font" in record.getMessage()]
    assert "U+F1234" in told
    assert "apt-get install" in told


@pytest.mark.slow
def test_long_names_are_fast_and_stay_different(tmp_path: Path) -> None:
    middle = "abcdefghij" * 49  # a label of 981 characters
    costs = []
    for groups, column in ((["a", "b"], "group"), ([f"{middle}{name}{middle}" for name in "12"], middle * 2)):
        start = process_time()
        words = words_of_evaluated(tmp_path, groups, column)
        costs.append(process_time() - start)
    assert costs[1] < 2 * costs[0] + 2
    assert len(set(re.findall(r"\S*abcde\S* \([12]\)", words.replace("- ", "")))) >= 2
    csv = "".join(file.read_text() for file in (tmp_path / "out" / "tables").glob("*.csv"))
    assert f"{middle}1{middle}" in csv


def test_very_long_column_name_raises(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"the name of column 'x+\.\.\.x+' has 1,001 characters; rename"):
        words_of_evaluated(tmp_path, ["a", "b"], "x" * 1001)


def test_letter_paper(tmp_path: Path) -> None:
    report = replace(sample.report(), sections=sample.report().sections[:1])
    render(report, tmp_path, formats=("pdf",), look=Look(page="Letter"))
    box = pypdf.PdfReader(tmp_path / "report.pdf").pages[0].mediabox
    assert (round(box.width), round(box.height)) == (612, 792)


def test_short_last_word_is_not_alone(tmp_path: Path) -> None:
    texts = [" ".join(["word"] * 15) + " " + "x" * letters + " so is it" for letters in range(1, 31)]
    section = replace(sample.report().sections[0], findings=Findings(paragraphs=tuple(texts)))
    render(replace(sample.report(), sections=(section,)), tmp_path, formats=("pdf",))
    pages = text_of_pages(tmp_path / "report.pdf")
    lines = [line.strip() for page in pages for line in page.replace("\xa0", " ").splitlines()]
    assert "it" not in lines
    assert "is it" in lines  # some paragraphs end at this place


@pytest.fixture
def laid_out(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The pages that were laid out so far."""
    found: list[str] = []
    real = weasyprint.HTML

    def counted(**given: Any) -> Any:
        found.append(given["string"])
        return real(**given)

    monkeypatch.setattr(weasyprint, "HTML", counted)
    return found


def test_tight_style_overrides_page(tmp_path: Path, laid_out: list[str]) -> None:
    page = "<html lang='en'><head><title>t</title><style>p { font-size: 40pt }</style></head><body>{}</body></html>"
    body = "<p>" + "word " * 700 + "</p><nav id='contents' style='break-before: page'>c</nav>"
    pdf_pages.write(page.replace("{}", body), tmp_path / "a.pdf", b"0" * 16, "p { font-size: 8pt }")
    assert len(laid_out) == 2
    assert laid_out[1].index("40pt") < laid_out[1].index("8pt") < laid_out[1].index("</head>")


def test_brief_that_fits_its_page_is_not_set_tighter(tmp_path: Path, laid_out: list[str]) -> None:
    page = '<html lang="en"><head><title>t</title><style>{}</style></head><body>{}</body></html>'
    own = "#contents { break-before: page } p { margin: 0; font: 10pt/20pt serif } @page { size: A4 }"
    parts = '<div class="brief"><p>{}</p></div><div id="contents">c</div>'
    for lines, times in ((5, 1), (40, 2)):
        laid_out.clear()
        words = "<br>".join(["line"] * lines)
        pdf_pages.write(page.format(own, parts.format(words)), tmp_path / "a.pdf", b"1" * 16, "p { line-height: 5pt }")
        assert len(laid_out) == times
