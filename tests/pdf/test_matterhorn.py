"""Test that every machine-testable condition of the Matterhorn Protocol is detected, and that examples pass."""

import io

import page
import pikepdf
import pytest
from matterhorn import DECIDED_HERE, VALIDATED
from sample_pdfs import made, small
from spoiling import Spoil
from tagged_pdf import TaggedPdf

UA, ARCHIVE = page.ValidationProfile.PDF_UA_1, page.ValidationProfile.PDF_A_3A


def rules_broken(content: bytes, profile: page.ValidationProfile = UA) -> set[str]:
    found = page.validate_pdf_bytes(content, profile=profile)
    assert found.rules.total > 90
    return {each.rule_id for each in found.failures}


def spoiled(spoil: Spoil) -> bytes:
    with pikepdf.open(io.BytesIO(small())) as opened:
        spoil(opened)
        opened.save(written := io.BytesIO())
    return written.getvalue()


def faults(opened: pikepdf.Pdf) -> dict[str, list[str]]:
    pdf = TaggedPdf(opened)
    found = {check.__name__: list(check(pdf))[:3] for check in {check for check, _ in DECIDED_HERE.values()}}
    return {name: each for name, each in found.items() if each}


@pytest.mark.slow
def test_a_packet_is_pdf_a_3a() -> None:
    assert rules_broken(made("packet").pdf, ARCHIVE) == set()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:This document has 1 form widget")
def test_the_validator_finds_what_each_condition_is_about() -> None:
    assert rules_broken(small()) == set()
    found = {number: rules_broken(spoiled(spoil)) for number, (_, spoil) in VALIDATED.items()}
    missed = {number: rules for number, rules in found.items() if f"PDFUA1-{VALIDATED[number][0]}-001" not in rules}
    assert missed == {}


@pytest.mark.slow
def test_what_is_decided_here_is_found_too() -> None:
    missed = []
    with pikepdf.open(io.BytesIO(small())) as opened:
        assert faults(opened) == {}
    for number, (check, spoil) in DECIDED_HERE.items():
        with pikepdf.open(io.BytesIO(small())) as opened:
            spoil(opened)
            if not list(check(TaggedPdf(opened))):
                missed.append(number)
    assert missed == []
