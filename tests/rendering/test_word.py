"""The Word document has the words, numbers, and tables of the page, also if LibreOffice opens it."""

import re
import shutil
import subprocess
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import docx
import pypdfium2
import pytest
import sample_report as sample

from reportgen.errors import SettingsError
from reportgen.rendering import Look, pdf, render

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
HIDDEN = {"unseen", "screen-only", "grouped-by"}
SHORT = replace(sample.report(), sections=sample.report().sections[2:3])  # with a table and pictures


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("word")
    render(sample.report(), folder, formats=("docx",))
    return folder / "report.docx"


@pytest.fixture(scope="module")
def document(written: Path) -> Any:
    return docx.Document(str(written))


@pytest.fixture(scope="module")
def body() -> Any:
    """Return the page of the document."""
    return sample.word_page()


def seen(node: Any) -> str:
    """Return the words of an element on paper."""
    if not isinstance(node.tag, str) or "svg" in node.tag or set((node.get("class") or "").split()) & HIDDEN:
        return ""
    return (node.text or "") + "".join(seen(child) + (child.tail or "") for child in node)


def tight(text: str) -> str:
    return re.sub(r"[\s\u200b\u2060]+", "", text)


def cells_of_page(body: Any) -> list[list[str]]:
    tables = (table for table in body.iter("table") if next(table.iter("tr"), None) is not None)
    return [[words for cell in table.iter() if cell.tag in ("td", "th") and (words := tight(seen(cell)))]
            for table in tables]  # fmt: skip


def cells_of_document(document: Any) -> list[list[str]]:
    return [[words for cell in table._tbl.iter(f"{W}tc")
             if (words := tight("".join(cell.itertext(f"{W}t"))))] for table in document.tables]  # fmt: skip


def test_word_tables_match_page(document: Any, body: Any) -> None:
    found, expected = cells_of_document(document), cells_of_page(body)
    assert len(found) > 3
    assert found == expected


def test_word_text_matches_page(document: Any, body: Any) -> None:
    whole = "".join(tight("".join(each.itertext(f"{W}t"))) for each in document.element.body.iter(f"{W}p"))
    at = 0
    for paragraph in (each for each in body.iter("p") if not set(each.get("class", "").split()) & HIDDEN):
        words = tight(seen(paragraph))
        at = whole.find(words, at)
        assert at >= 0, words


def test_word_tables_repeat_headings(document: Any) -> None:
    for table in document.tables:
        rows = table._tbl.findall(f"{W}tr")
        assert rows[0].find(f"{W}trPr/{W}tblHeader") is not None
        assert all(row.find(f"{W}trPr/{W}cantSplit") is not None for row in rows)
        spans = [cell.find(f"{W}tcPr/{W}gridSpan") for cell in rows[-1].findall(f"{W}tc")]
        wide = sum(1 if span is None else int(span.get(f"{W}val")) for span in spans)
        assert wide == len(table._tbl.findall(f"{W}tblGrid/{W}gridCol"))


def captions(document: Any) -> Iterator[tuple[str, str]]:
    for paragraph in document.paragraphs:
        field = "".join(each.text or "" for each in paragraph._p.iter(f"{W}instrText"))
        if "SEQ" in field:
            yield field.split()[1], paragraph.text


def test_word_captions_are_numbered_by_fields(document: Any) -> None:
    found = list(captions(document))
    for kind in ("Table", "Figure"):
        numbers = [int(text.split()[1].rstrip(".")) for name, text in found if name == kind]
        assert numbers
        assert numbers == sorted(numbers)
        assert all(text.startswith(f"{kind} ") for name, text in found if name == kind)


def test_word_links_have_unique_targets(document: Any) -> None:
    body = document.element.body
    names = [each.get(f"{W}name") for each in body.iter(f"{W}bookmarkStart")]
    leads = {each.get(f"{W}anchor") for each in body.iter(f"{W}hyperlink")} - {None}
    assert leads
    assert leads <= set(names)
    assert len(names) == len(set(names))
    assert all(re.fullmatch(r"[A-Za-z]\w{0,39}", name) for name in names)


def test_word_images_have_alternative_text(document: Any, body: Any) -> None:
    about = [each for each in document.element.body.iter() if each.tag.endswith("}docPr")]
    alts = [each.get("descr") for each in about if each.get("descr")]
    drawn = [node for node in body.iter() if str(node.tag).endswith("}svg")]
    assert len(alts) == len(drawn) > 3
    assert all(any(each.tag.endswith("}decorative") for each in picture.iter())
               for picture in about if not picture.get("descr"))  # fmt: skip
    assert len({each.get("id") for each in about}) == len(about)


def test_word_has_headings_title_and_language(document: Any) -> None:
    styles = [paragraph.style.name for paragraph in document.paragraphs]
    assert styles.count("Title") == 1
    assert styles.count("Heading 1") > 2
    assert document.core_properties.title == sample.report().title
    assert document.styles.element.xpath("w:docDefaults/w:rPrDefault/w:rPr/w:lang/@w:val") == ["en"]


def test_word_document_is_reproducible(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        render(SHORT, tmp_path / name, formats=("docx",))
    assert (tmp_path / "one/report.docx").read_bytes() == (tmp_path / "other/report.docx").read_bytes()


def test_word_loads_nothing_external(written: Path) -> None:
    with zipfile.ZipFile(written) as parts:
        for name in parts.namelist():
            if name.endswith((".xml", ".rels")):
                for node in ET.fromstring(parts.read(name)).iter():
                    if node.get("TargetMode") == "External":
                        assert node.get("Type", "").endswith("/hyperlink")


def test_word_template_provides_styles(tmp_path: Path) -> None:
    template: Any = docx.Document()
    template.styles["Heading 1"].font.name = "Impact"
    template.styles["Caption"].font.size = 152400
    template.sections[0].page_width = 7000000
    template.sections[0].header.paragraphs[0].add_run("House of Tests")
    template.add_paragraph("Text of the template")
    template.save(str(tmp_path / "house.docx"))
    render(SHORT, tmp_path, formats=("docx",), look=Look(docx_template=tmp_path / "house.docx"))
    made: Any = docx.Document(str(tmp_path / "report.docx"))
    assert made.styles["Heading 1"].font.name == "Impact"
    assert made.styles["Caption"].font.size == 152400
    assert all(abs(section.page_width - 7000000) < 635 for section in made.sections)
    assert made.sections[0].header.paragraphs[0].text == "House of Tests"
    assert "Text of the template" not in "".join(paragraph.text for paragraph in made.paragraphs)
    assert any(paragraph.style.name == "Heading 1" for paragraph in made.paragraphs)


@pytest.mark.parametrize("content", [b"", b"no document", b"PK\x03\x04 torn"])
def test_invalid_word_template_raises(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "house.docx").write_bytes(content)
    with pytest.raises(SettingsError, match="not a Word document"):
        render(sample.report(), tmp_path, formats=("docx",), look=Look(docx_template=tmp_path / "house.docx"))
    assert [path.name for path in tmp_path.iterdir()] == ["house.docx"]
    with pytest.raises(SettingsError, match="cannot be read"):
        render(sample.report(), tmp_path, formats=("docx",), look=Look(docx_template=tmp_path / "none.docx"))


def test_missing_docx_package_names_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "find_spec", lambda name: None)
    with pytest.raises(SettingsError, match=r"-m pip install .*'python-docx>="):
        render(sample.report(), tmp_path, formats=("docx",))
    assert not list(tmp_path.iterdir())


office = pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the text of the PDF that LibreOffice makes of a document."""
    folder = tmp_path_factory.mktemp("opened")
    render(sample.report(), folder, formats=("docx",))
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    command = ["soffice", profile, "--headless", "--convert-to", "pdf", "--outdir", str(folder / "made")]
    subprocess.run([*command, str(folder / "report.docx")], check=True, capture_output=True, timeout=120)
    document = pypdfium2.PdfDocument((folder / "made" / "report.pdf").read_bytes())
    text = "".join(sheet.get_textpage().get_text_range() for sheet in document)
    document.close()
    return text


def readable(cell: str) -> str:
    """Return the letters that are in the same order in every program."""
    return "".join(letter for letter in cell if letter.isascii() and letter.isprintable())


@office
def test_libreoffice_prints_every_cell(printed: str, body: Any) -> None:
    whole = readable(tight(printed))
    cells = [cell for table in cells_of_page(body) for cell in table if cell.isascii()]
    assert len(cells) > 150
    assert [cell for cell in cells if readable(cell) not in whole] == []


@office
def test_libreoffice_prints_numbers_of_page(printed: str, body: Any) -> None:
    """Each number of a table is printed as often as the tables of the page have it, at least."""
    numbers = re.compile(r"\d+(?:\.\d+)?")
    expected = Counter(number for table in cells_of_page(body) for cell in table for number in numbers.findall(cell))
    assert expected.total() > 250
    assert expected - Counter(numbers.findall(printed)) == Counter()


@office
def test_libreoffice_prints_captions_and_contents(printed: str) -> None:
    for words in ("Table 1. ", "Figure 1. ", "Contents"):
        assert words in printed
    assert "Reference source not found" not in printed
