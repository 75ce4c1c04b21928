"""Checkpoints 03, 05 to 08, 11, 20 to 22, 24 to 26 and 29: the document as a whole."""

import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree as ET

import pikepdf
from matterhorn import both, catalog, condition, dictionaries, note, paint, renamed
from pikepdf import Array, Dictionary, Name, String
from tagged_pdf import Element, TaggedPdf

UA = "{http://www.aiim.org/pdfua/ns/id/}part"
RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
TITLE = "{http://purl.org/dc/elements/1.1/}title"
LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
MEDIA = ("/Screen", "/Movie", "/Sound", "/RichMedia", "/3D")
HARMLESS = ("/GoTo", "/URI")


def _actions(pdf: TaggedPdf) -> Iterator[str]:
    for each in dictionaries(pdf.pdf):
        if each.get("/Type") == "/Action" and each.get("/S") not in HARMLESS:
            yield f"an action: {each.get('/S')}"
        if "/AA" in each or "/OpenAction" in each or "/JS" in each:
            yield "an action that starts by itself"


def _media(pdf: TaggedPdf) -> Iterator[str]:
    yield from (str(each.get("/Subtype")) for _, each in pdf.annotations if each.get("/Subtype") in MEDIA)


def _scripts(pdf: TaggedPdf) -> Iterator[str]:
    for each in dictionaries(pdf.pdf):
        if "/JS" in each or "/JavaScript" in each or each.get("/S") == "/JavaScript":
            yield "a script"


SCRIPT = catalog(OpenAction=Dictionary(Type=Name.Action, S=Name.JavaScript, JS=String("app.beep(0)")))
condition("03-001", catalog(OpenAction=Dictionary(Type=Name.Action, S=Name.Rendition)))(_actions)
condition("03-002", note("RichMedia"))(_media)
condition("03-003", SCRIPT)(_scripts)
condition("05-001", note("Movie"))(_media)
condition("05-002", note("Sound"))(_media)
condition("05-003", SCRIPT)(_scripts)
condition("29-001", SCRIPT)(_scripts)


def metadata(pdf: TaggedPdf) -> Any:
    """Return the metadata, as an element of XML."""
    return ET.fromstring(pdf.catalog["/Metadata"].read_bytes().decode())


def _replaced(old: bytes, new: bytes) -> Any:
    def replace(pdf: pikepdf.Pdf) -> None:
        held = pdf.Root.Metadata.read_bytes()
        assert old in held
        pdf.Root.Metadata.write(held.replace(old, new))

    return replace


@condition("06-001", catalog(Metadata=None))
def no_metadata(pdf: TaggedPdf) -> Iterator[str]:
    if "/Metadata" not in pdf.catalog:
        yield "no metadata"


@condition("06-002", _replaced(b"pdfuaid:part", b"pdfuaid:other"))
def no_claim(pdf: TaggedPdf) -> Iterator[str]:
    told = metadata(pdf)
    if [*(each.text for each in told.iter(UA)), *(each.get(UA) for each in told.iter() if UA in each.attrib)] != ["1"]:
        yield "PDF/UA-1 is not claimed"


@condition("06-003", _replaced(b"dc:title", b"dc:other"))
def no_title(pdf: TaggedPdf) -> Iterator[str]:
    if not titles(pdf):
        yield "no title"


def titles(pdf: TaggedPdf) -> list[str]:
    """Return the titles in the metadata."""
    return [text for each in metadata(pdf).iter(TITLE) if (text := "".join(each.itertext()).strip())]


@condition("07-001", catalog(ViewerPreferences=None))
def title_not_named_for_display(pdf: TaggedPdf) -> Iterator[str]:
    if "/DisplayDocTitle" not in pdf.catalog.get("/ViewerPreferences", Dictionary()):
        yield "DisplayDocTitle is missing"


@condition("07-002", catalog(ViewerPreferences=Dictionary(DisplayDocTitle=False)))
def title_not_displayed(pdf: TaggedPdf) -> Iterator[str]:
    if not pdf.catalog.get("/ViewerPreferences", Dictionary()).get("/DisplayDocTitle", True):
        yield "DisplayDocTitle is false"


def _unseen_text(pdf: TaggedPdf) -> Iterator[str]:
    yield from (f"page {each.page + 1}: {each.text!r}" for each in pdf.painted if each.mode == 3)


condition("08-001", paint(b"/Artifact BMC BT /F 1 Tf 3 Tr () Tj ET EMC"))(_unseen_text)
condition("08-002", paint(b"/Artifact BMC BT /F 1 Tf 3 Tr () Tj ET EMC"))(_unseen_text)


def language(pdf: TaggedPdf, element: Element | None = None) -> str:
    """Return the language of an element, or of the document; empty where none is declared as it should be."""
    around = [] if element is None else [element, *element.above()]
    declared = [*(each.says("Lang") for each in around), str(pdf.catalog.get("/Lang", ""))]
    return next((each for each in declared if LANGUAGE.fullmatch(each)), "")


@condition("11-001", catalog(Lang=None))
def text_of_no_language(pdf: TaggedPdf) -> Iterator[str]:
    for element in pdf.elements:
        if len(element.elements) < len(element.kids) and not language(pdf, element):
            yield f"{element.kind} {pdf.text(element)[:40]!r}"


@condition("11-002", catalog(Lang=String("?")))
def alternatives_of_no_language(pdf: TaggedPdf) -> Iterator[str]:
    for element in pdf.elements:
        if any(element.says(name) for name in ("Alt", "ActualText", "E")) and not language(pdf, element):
            yield f"{element.kind} {element.says('Alt')[:40]!r}"


@condition("11-003", catalog(Lang=None))
def outline_of_no_language(pdf: TaggedPdf) -> Iterator[str]:
    if "/Outlines" in pdf.catalog and not language(pdf):
        yield "the outline"


@condition("11-004", catalog(Lang=None))
def annotations_of_no_language(pdf: TaggedPdf) -> Iterator[str]:
    for number, each in pdf.annotations:
        if "/Contents" in each and not language(pdf, pdf.holders.get(each.objgen)):
            yield f"page {number + 1}"


@condition("11-005", both(note("Widget", TU=String("name")), catalog(Lang=None)))
def fields_of_no_language(pdf: TaggedPdf) -> Iterator[str]:
    yield from ("a field" for each in dictionaries(pdf.pdf) if "/TU" in each and not language(pdf))


@condition("11-006", catalog(Lang=None))
def metadata_of_no_language(pdf: TaggedPdf) -> Iterator[str]:
    named = "{http://www.w3.org/XML/1998/namespace}lang"
    told = [each.get(named) for title in metadata(pdf).iter(TITLE) for each in title.iter(f"{RDF}li")]
    if not language(pdf) and all(each in (None, "x-default") for each in told):
        yield "the metadata"


def _configurations(pdf: TaggedPdf) -> list[tuple[str, Any]]:
    held = pdf.catalog.get("/OCProperties", Dictionary())
    usual = [("D", held["/D"])] if "/D" in held else []
    return [*usual, *(("Configs", each) for each in held.get("/Configs", []))]


@condition("20-001", catalog(OCProperties=Dictionary(Configs=[Dictionary()])))
def layers_without_a_name(pdf: TaggedPdf) -> Iterator[str]:
    yield from (place for place, each in _configurations(pdf) if place == "Configs" and not str(each.get("/Name", "")))


@condition("20-002", catalog(OCProperties=Dictionary(D=Dictionary(Name=String("")))))
def usual_layers_without_a_name(pdf: TaggedPdf) -> Iterator[str]:
    yield from (place for place, each in _configurations(pdf) if place == "D" and not str(each.get("/Name", "")))


@condition("20-003", catalog(OCProperties=Dictionary(D=Dictionary(Name=String("all"), AS=[]))))
def layers_that_switch_by_themselves(pdf: TaggedPdf) -> Iterator[str]:
    yield from (place for place, each in _configurations(pdf) if "/AS" in each)


@condition("21-001", note("FileAttachment", FS=Dictionary(Type=Name.Filespec, F=String("a"), EF=Dictionary())))
def files_without_a_name(pdf: TaggedPdf) -> Iterator[str]:
    for each in dictionaries(pdf.pdf):
        if "/EF" in each and not {"/F", "/UF"} <= set(each.keys()):
            yield "an embedded file"


@condition("22-001", catalog(Threads=Array([])))
def article_threads(pdf: TaggedPdf) -> Iterator[str]:
    if "/Threads" in pdf.catalog or any("/B" in page.obj for page in pdf.pdf.pages):
        yield "article threads"


@condition("24-001", renamed("Figure", "Form"))
def forms(pdf: TaggedPdf) -> Iterator[str]:
    yield from ("a form" for _ in pdf.of("Form"))
    if "/AcroForm" in pdf.catalog:
        yield "fields"


def _dynamic(pdf: pikepdf.Pdf) -> None:
    rendered = pdf.make_stream(b"<config><dynamicRender>required</dynamicRender></config>")
    pdf.Root.AcroForm = Dictionary(XFA=Array([String("config"), rendered]))


@condition("25-001", _dynamic)
def dynamic_forms(pdf: TaggedPdf) -> Iterator[str]:
    held = pdf.catalog.get("/AcroForm", Dictionary()).get("/XFA", [])
    for each in held if isinstance(held, Array) else [held]:
        if isinstance(each, pikepdf.Stream) and re.search(rb"<dynamicRender>\s*required", each.read_bytes()):
            yield "dynamicRender is required"


def _encrypted(**entries: Any) -> Any:
    def encrypt(pdf: pikepdf.Pdf) -> None:
        pdf.trailer["/Encrypt"] = Dictionary(Filter=Name.Standard, **entries)

    return encrypt


@condition("26-001", _encrypted())
def encrypted_without_permissions(pdf: TaggedPdf) -> Iterator[str]:
    if "/Encrypt" in pdf.pdf.trailer and "/P" not in pdf.pdf.trailer["/Encrypt"]:
        yield "encrypted, without P"


@condition("26-002", _encrypted(P=0))
def encrypted_against_readers_of_screens(pdf: TaggedPdf) -> Iterator[str]:
    held = pdf.pdf.trailer.get("/Encrypt", Dictionary())
    if "/P" in held and not int(held["/P"]) >> 9 & 1:
        yield "encrypted, bit 10 is off"
