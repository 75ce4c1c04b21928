"""What the validator does not look into."""

import io

import pikepdf
import pytest
from matterhorn import HARMLESS
from sample_pdfs import EACH_SAMPLE, made
from spoiling import dictionaries
from tagged_pdf import TaggedPdf


@pytest.mark.parametrize("sample", EACH_SAMPLE)
def test_no_pdf_acts_or_is_locked(sample: str) -> None:
    with pikepdf.open(io.BytesIO(made(sample).pdf)) as opened:
        assert not opened.is_encrypted
        for each in dictionaries(opened):
            assert not {"/AA", "/OpenAction", "/JS", "/JavaScript"} & set(each.keys())
            assert each.get("/Type") != "/Action" or each.get("/S") in HARMLESS
        if sample != "packet":
            assert not opened.attachments


def test_figures_stand_where_they_are_said_to_stand() -> None:
    """The box of a figure is in points from the foot of the page: the first picture of a brief is in its upper half."""
    with pikepdf.open(io.BytesIO(made("evaluation").pdf)) as opened:
        pdf = TaggedPdf(opened)
        for figure in pdf.of("Figure"):
            left, low, right, high = (float(each) for each in figure.attribute("BBox"))
            width, height = (float(each) for each in opened.pages[figure.page or 0].mediabox[2:])
            assert 0 <= left < right <= width
            assert 0 <= low < high <= height
        assert float(pdf.of("Figure")[0].attribute("BBox")[1]) > 842 / 2
