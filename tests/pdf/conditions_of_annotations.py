"""Checkpoint 28: links, and every other annotation."""

from collections.abc import Iterator
from typing import Any

import pikepdf
from matterhorn import both, condition, dictionaries, note
from pikepdf import Dictionary, Name, String
from tagged_pdf import TaggedPdf

KNOWN = {
    "Text", "Link", "FreeText", "Line", "Square", "Circle", "Polygon", "PolyLine", "Highlight", "Underline", "Squiggly",
    "StrikeOut", "Stamp", "Caret", "Ink", "Popup", "FileAttachment", "Sound", "Movie", "Widget", "Screen",
    "PrinterMark", "TrapNet", "Watermark", "3D", "RichMedia", "Redact", "Projection",
}  # fmt: skip


def _kind(each: Any) -> str:
    return str(each.get("/Subtype", ""))[1:]


def _around(pdf: TaggedPdf, each: Any) -> str:
    holder = pdf.holders.get(each.objgen)
    return holder.kind if holder else ""


def _described(pdf: TaggedPdf, each: Any) -> bool:
    holder = pdf.holders.get(each.objgen)
    return bool(str(each.get("/Contents", "")).strip() or (holder and holder.says("Alt")))


@condition("28-002", note("Text", Contents=String("a note")))
def notes_outside_their_element(pdf: TaggedPdf) -> Iterator[str]:
    for number, each in pdf.annotations:
        if _kind(each) not in ("Widget", "Link", "PrinterMark", "Popup") and _around(pdf, each) != "Annot":
            yield f"page {number + 1}: {_kind(each)}"


@condition("28-003", note("Highlight"))
def annotations_that_are_no_links(pdf: TaggedPdf) -> Iterator[str]:
    yield from (f"page {number + 1}: {_kind(each)}" for number, each in pdf.annotations if _kind(each) != "Link")


@condition("28-004", note("Text"))
def annotations_without_words(pdf: TaggedPdf) -> Iterator[str]:
    for number, each in pdf.annotations:
        if _kind(each) != "Widget" and not _described(pdf, each):
            yield f"page {number + 1}: {_kind(each)}"


@condition("28-005", note("Widget"))
def fields_without_words(pdf: TaggedPdf) -> Iterator[str]:
    for number, each in pdf.annotations:
        if _kind(each) == "Widget" and "/TU" not in each and not _described(pdf, each):
            yield f"page {number + 1}"


@condition("28-006", note("Invented"))
def annotations_of_unknown_kinds(pdf: TaggedPdf) -> Iterator[str]:
    for number, each in pdf.annotations:
        if _kind(each) not in KNOWN and (_around(pdf, each) != "Annot" or not _described(pdf, each)):
            yield f"page {number + 1}: {_kind(each)}"


@condition("28-007", note("TrapNet"))
def trap_networks(pdf: TaggedPdf) -> Iterator[str]:
    yield from (f"page {number + 1}" for number, each in pdf.annotations if _kind(each) == "TrapNet")


def _tabs(value: Any) -> Any:
    def change(pdf: pikepdf.Pdf) -> None:
        for page in pdf.pages:
            del page.obj["/Tabs"]
            if value is not None:
                page.obj["/Tabs"] = value

    return change


@condition("28-008", _tabs(None))
def pages_that_do_not_say_the_order_of_links(pdf: TaggedPdf) -> Iterator[str]:
    yield from (f"page {number + 1}" for number, _ in pdf.annotations if "/Tabs" not in pdf.pdf.pages[number].obj)


@condition("28-009", _tabs(Name.R))
def pages_with_another_order_of_links(pdf: TaggedPdf) -> Iterator[str]:
    for number, _ in pdf.annotations:
        if pdf.pdf.pages[number].obj.get("/Tabs", Name.S) != Name.S:
            yield f"page {number + 1}"


@condition("28-010", note("Widget", TU=String("name")))
def fields_outside_their_element(pdf: TaggedPdf) -> Iterator[str]:
    for number, each in pdf.annotations:
        if _kind(each) == "Widget" and _around(pdf, each) != "Form":
            yield f"page {number + 1}"


@condition("28-011", note("Link", Contents=String("a link")))
def links_outside_their_element(pdf: TaggedPdf) -> Iterator[str]:
    for number, each in pdf.annotations:
        if _kind(each) == "Link" and _around(pdf, each) != "Link":
            yield f"page {number + 1}: {each.get('/Contents')}"


def _no_contents(pdf: pikepdf.Pdf) -> None:
    _, link = next(each for each in TaggedPdf(pdf).annotations if _kind(each[1]) == "Link")
    del link["/Contents"]


@condition("28-012", _no_contents)
def links_without_words(pdf: TaggedPdf) -> Iterator[str]:
    for number, each in pdf.annotations:
        if _kind(each) == "Link" and not str(each.get("/Contents", "")).strip():
            yield f"page {number + 1}"


@condition("28-013", note("Link", A=Dictionary(S=Name.URI, IsMap=True)))
def links_by_place_alone(pdf: TaggedPdf) -> Iterator[str]:
    yield from ("IsMap is true" for each in dictionaries(pdf.pdf) if each.get("/IsMap", False))


def _clip(**entries: Any) -> Any:
    return note("Screen", A=Dictionary(S=Name.Rendition, R=Dictionary(C=Dictionary(S=Name.MCD, **entries))))


def _clips(pdf: TaggedPdf) -> list[Any]:
    return [each for each in dictionaries(pdf.pdf) if each.get("/S") == Name.MCD]


@condition("28-014", _clip(Alt=String("a film")))
def media_without_a_type(pdf: TaggedPdf) -> Iterator[str]:
    yield from ("a clip" for each in _clips(pdf) if "/CT" not in each)


@condition("28-015", _clip(CT=String("video/mp4")))
def media_without_words(pdf: TaggedPdf) -> Iterator[str]:
    yield from ("a clip" for each in _clips(pdf) if "/Alt" not in each)


@condition("28-016", note("FileAttachment", FS=Dictionary(F=String("a"))))
def attached_files_without_a_name(pdf: TaggedPdf) -> Iterator[str]:
    for number, each in pdf.annotations:
        if _kind(each) == "FileAttachment" and not {"/F", "/UF"} <= set(each.get("/FS", Dictionary()).keys()):
            yield f"page {number + 1}"


def _marked_in_structure(pdf: pikepdf.Pdf) -> None:
    note("PrinterMark")(pdf)
    mark = pdf.pages[0].obj["/Annots"][-1]
    pdf.Root.StructTreeRoot.K[0].K.append(pdf.make_indirect(Dictionary(Type=Name.OBJR, Obj=mark)))


@condition("28-017", _marked_in_structure)
def marks_of_printers_in_the_structure(pdf: TaggedPdf) -> Iterator[str]:
    for number, each in pdf.annotations:
        if _kind(each) == "PrinterMark" and each.objgen in pdf.holders:
            yield f"page {number + 1}"


def _unmarked_appearance(pdf: pikepdf.Pdf) -> None:
    note("PrinterMark", AP=Dictionary(N=pdf.make_stream(b"0 0 1 1 re f", Subtype=Name.Form)))(pdf)


@condition("28-018", both(_unmarked_appearance))
def marks_of_printers_that_are_no_artifacts(pdf: TaggedPdf) -> Iterator[str]:
    for number, each in pdf.annotations:
        if _kind(each) == "PrinterMark" and "/AP" in each and b"/Artifact" not in each["/AP"]["/N"].read_bytes():
            yield f"page {number + 1}"
