"""Parts of PDF/A-3 and of PDF/UA-1 that the validator does not look into."""

import io
import json
from typing import Any

import pikepdf
import pytest
from matterhorn import HARMLESS
from sample_pdfs import EACH_SAMPLE, made
from spoiling import dictionaries
from tagged_pdf import TaggedPdf


@pytest.fixture(scope="module")
def packet() -> pikepdf.Pdf:
    return pikepdf.open(io.BytesIO(made("packet").pdf))


def test_a_packet_carries_its_numbers_as_data(packet: pikepdf.Pdf) -> None:
    catalog: Any = packet.Root
    (held,) = catalog.AF
    assert held.AFRelationship == pikepdf.Name.Data
    assert str(held.UF) == str(held.F) == "results.json"
    assert str(held.Desc)
    stored = held.EF.F
    assert stored.Subtype == pikepdf.Name("/application/json")
    assert stored.Params.Size == len(stored.read_bytes())
    assert json.loads(stored.read_bytes())["report"]


def test_a_packet_claims_both_standards_in_plain_bytes(packet: pikepdf.Pdf) -> None:
    told = packet.Root.Metadata.read_raw_bytes()
    for name, value in ((b"pdfaid:part", b"3"), (b"pdfaid:conformance", b"A"), (b"pdfuaid:part", b"1")):
        assert name in told
        assert value in told.partition(name)[2][:4]


def test_a_packet_says_what_its_colours_mean(packet: pikepdf.Pdf) -> None:
    (intent,) = packet.Root.OutputIntents
    assert intent.S == pikepdf.Name.GTS_PDFA1
    assert intent.DestOutputProfile.N == 3


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
