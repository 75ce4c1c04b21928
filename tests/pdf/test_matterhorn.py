"""No failure condition of the Matterhorn Protocol that a program can decide holds for a PDF of the examples."""

import io

import conditions_of_annotations
import conditions_of_content
import conditions_of_documents
import conditions_of_fonts
import conditions_of_structure
import pikepdf
import pytest
from matterhorn import CONDITIONS
from sample_pdfs import EACH_SAMPLE, made, small
from tagged_pdf import TaggedPdf

MODULES = (
    conditions_of_annotations, conditions_of_content, conditions_of_documents, conditions_of_fonts,
    conditions_of_structure,
)  # fmt: skip


@pytest.mark.parametrize("sample", EACH_SAMPLE)
def test_no_condition_is_met(sample: str) -> None:
    with pikepdf.open(io.BytesIO(made(sample).pdf)) as opened:
        pdf = TaggedPdf(opened)
        faults = {number: list(each.check(pdf)) for number, each in sorted(CONDITIONS.items())}
    assert {number: (len(found), found[:3]) for number, found in faults.items() if found} == {}


@pytest.mark.parametrize("number", sorted(CONDITIONS))
def test_each_condition_finds_what_it_is_about(number: str) -> None:
    condition = CONDITIONS[number]
    with pikepdf.open(io.BytesIO(small())) as opened:
        assert list(condition.check(TaggedPdf(opened))) == []
        condition.spoil(opened)
        assert list(condition.check(TaggedPdf(opened)))
