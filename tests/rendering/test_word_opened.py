"""LibreOffice opens the Word document, and its pages contain the tables and numbers of the page."""

import re
import shutil
import subprocess
from collections import Counter

import pypdfium2
import pytest
import sample_report as sample
from test_word import cells_of_page, tight

from reportgen.rendering import render

pytestmark = pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")


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


@pytest.fixture(scope="module")
def body() -> object:
    return sample.word_page()


def readable(cell: str) -> str:
    """Return the letters that are in the same order in every program."""
    return "".join(letter for letter in cell if letter.isascii() and letter.isprintable())


def test_libreoffice_prints_every_cell(printed: str, body: object) -> None:
    whole = readable(tight(printed))
    cells = [cell for table in cells_of_page(body) for cell in table if cell.isascii()]
    assert len(cells) > 150
    assert [cell for cell in cells if readable(cell) not in whole] == []


def test_libreoffice_prints_numbers_of_page(printed: str, body: object) -> None:
    """Each number of a table is printed as often as the tables of the page have it, at least."""
    numbers = re.compile(r"\d+(?:\.\d+)?")
    expected = Counter(number for table in cells_of_page(body) for cell in table for number in numbers.findall(cell))
    assert expected.total() > 250
    assert expected - Counter(numbers.findall(printed)) == Counter()


def test_libreoffice_prints_captions_and_contents(printed: str) -> None:
    for words in ("Table 1. ", "Figure 1. ", "Contents"):
        assert words in printed
    assert "Reference source not found" not in printed
