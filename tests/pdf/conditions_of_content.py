"""Checkpoints 01, 02, 10, 12, 17, 18 and 30: what is painted, under which marks, and the kinds of elements."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pikepdf
from matterhorn import both, catalog, condition, dictionaries, paint, renamed
from pdf_text import operators
from pikepdf import Dictionary, Name
from tagged_pdf import Painted, TaggedPdf

GROUPING = {
    "Document", "Part", "Art", "Sect", "Div", "BlockQuote", "Caption", "TOC", "TOCI", "Index", "NonStruct", "Private",
}  # fmt: skip
BLOCKS = {"TOC", "TOCI", "P", "H", "H1", "H2", "H3", "H4", "H5", "H6", "L", "LI", "Lbl", "LBody"}
TABLES = {"Table", "TR", "TH", "TD", "THead", "TBody", "TFoot"}
INLINE = {"Span", "Quote", "Note", "Reference", "BibEntry", "Code", "Link", "Annot", "Ruby", "RB", "RT", "RP"}
OTHERS = {"Warichu", "WT", "WP", "Figure", "Formula", "Form"}
STANDARD = GROUPING | BLOCKS | TABLES | INLINE | OTHERS


@condition("01-003", paint(b"/Span <</MCID 0>> BDC /Artifact BMC 0 0 1 1 re f EMC EMC"))
def artifacts_in_tagged_content(pdf: TaggedPdf) -> Iterator[str]:
    yield from (_where(each) for each in pdf.painted if _nested(each, "tagged", "artifact"))


@condition("01-004", paint(b"/Artifact BMC /Span <</MCID 0>> BDC 0 0 1 1 re f EMC EMC"))
def tagged_content_in_artifacts(pdf: TaggedPdf) -> Iterator[str]:
    yield from (_where(each) for each in pdf.painted if _nested(each, "artifact", "tagged"))


@condition("01-005", paint(b"0 0 1 1 re f"))
def content_neither_tagged_nor_artifact(pdf: TaggedPdf) -> Iterator[str]:
    for each in pdf.painted:
        if not each.artifact and pdf.tagged.isdisjoint(each.contents):
            yield _where(each)


@condition("01-007", catalog(MarkInfo=Dictionary(Marked=True, Suspects=True)))
def suspects(pdf: TaggedPdf) -> Iterator[str]:
    if pdf.catalog["/MarkInfo"].get("/Suspects", False):
        yield "Suspects is true"


@condition("02-001", renamed("H2", "Chapter"))
def kinds_without_a_standard_one(pdf: TaggedPdf) -> Iterator[str]:
    yield from (element.raw for element in pdf.elements if element.kind not in STANDARD)


def _roles(roles: Dictionary) -> Any:
    def add(pdf: pikepdf.Pdf) -> None:
        pdf.Root.StructTreeRoot.RoleMap = roles

    return add


@condition("02-002", _roles(Dictionary(Chapter=Name.Sect)))
def kinds_that_are_mapped(pdf: TaggedPdf) -> Iterator[str]:
    yield from (str(raw) for raw in pdf.top_roles)


@condition("02-003", _roles(Dictionary(A=Name.B, B=Name.A)))
def circles_of_kinds(pdf: TaggedPdf) -> Iterator[str]:
    roles = pdf.top_roles
    for raw in roles:
        at, seen = str(roles[raw]), {raw}
        while at in roles and at not in seen:
            seen.add(at)
            at = str(roles[at])
        if at in seen:
            yield raw


@condition("02-004", _roles(Dictionary(P=Name.Span)))
def standard_kinds_mapped_anew(pdf: TaggedPdf) -> Iterator[str]:
    yield from (raw for raw in pdf.top_roles if raw[1:] in STANDARD)


def _no_characters(pdf: pikepdf.Pdf) -> None:
    for font in dictionaries(pdf):
        if "/ToUnicode" in font:
            del font["/ToUnicode"]


@condition("10-001", _no_characters)
def codes_without_a_character(pdf: TaggedPdf) -> Iterator[str]:
    for each in pdf.painted:
        if each.codes and (not each.text or "\ufffd" in each.text):
            yield _where(each)


@condition("17-003", both(_no_characters, renamed("H1", "Formula")))
def formulas_without_characters(pdf: TaggedPdf) -> Iterator[str]:
    yield from ("a formula" for formula in pdf.of("Formula") if not pdf.text(formula))


@condition("18-001", paint(b"/Artifact BMC BT /F 1 Tf () Tj ET EMC"))
def running_heads_and_feet_of_no_page(pdf: TaggedPdf) -> Iterator[str]:
    yield from (_where(each) for each in _running(pdf) if _of_artifact(each).get("/Type") != "/Pagination")


@condition("18-002", paint(b"/Artifact <</Type /Pagination>> BDC BT /F 1 Tf () Tj ET EMC"))
def running_heads_and_feet_of_no_kind(pdf: TaggedPdf) -> Iterator[str]:
    yield from (
        _where(each) for each in _running(pdf) if _of_artifact(each).get("/Subtype") not in ("/Header", "/Footer")
    )


def _running(pdf: TaggedPdf) -> Iterator[Painted]:
    yield from (each for each in pdf.painted if each.font is not None and each.artifact)


def _of_artifact(each: Painted) -> Any:
    return next(mark.properties for mark in each.marks if mark.tag == "/Artifact") or Dictionary()


def _reference(pdf: pikepdf.Pdf) -> None:
    pdf.pages[0].obj.Resources.XObject.Other = pdf.make_stream(b"", Subtype=Name.Form, Ref=Dictionary())


@condition("30-001", _reference)
def references_to_pages_of_other_files(pdf: TaggedPdf) -> Iterator[str]:
    yield from ("a reference XObject" for each in _forms(pdf) if "/Ref" in each)


def _twice(pdf: pikepdf.Pdf) -> None:
    form = pdf.make_stream(b"/Span <</MCID 0>> BDC EMC", Subtype=Name.Form, BBox=[0, 0, 9, 9])
    pdf.pages[0].obj.Resources.XObject.Other = form
    pdf.pages[0].contents_add(b"/Artifact BMC /Other Do /Other Do EMC")


@condition("30-002", _twice)
def marked_forms_painted_twice(pdf: TaggedPdf) -> Iterator[str]:
    painted: Counter[tuple[int, int]] = Counter()
    for stream in [*pdf.pdf.pages, *_forms(pdf)]:
        held = getattr(stream, "obj", stream).get("/Resources", Dictionary()).get("/XObject", Dictionary())
        for operands, operator in operators(stream):
            if operator == "Do":
                painted[held[str(operands[0])].objgen] += 1
    for form in _forms(pdf):
        if painted[form.objgen] > 1 and any("MCID" in str(each) for each in pikepdf.parse_content_stream(form)):
            yield f"form {form.objgen}"


def _forms(pdf: TaggedPdf) -> list[Any]:
    return [
        each for each in dictionaries(pdf.pdf) if each.get("/Subtype") == "/Form" and isinstance(each, pikepdf.Stream)
    ]


def _nested(each: Painted, outer: str, inner: str) -> bool:
    kinds = [
        "artifact" if mark.tag == "/Artifact" else "tagged" if mark.mcid is not None else "" for mark in each.marks
    ]
    return outer in kinds and inner in kinds[kinds.index(outer) :]


def _where(each: Painted) -> str:
    return f"page {each.page + 1}: {each.operator} {each.text[:40]!r}"
