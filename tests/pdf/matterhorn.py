"""Check the machine-testable failure conditions of the Matterhorn Protocol 1.1, each with a way to cause it.

An independent validator checks most of them. The others are checked here, often more strictly than the protocol
requires: the file contains nothing of the kind.
"""

import io
import re
from collections.abc import Callable, Iterator
from typing import Any
from xml.etree import ElementTree as ET

import pikepdf
from fontTools.ttLib import TTFont
from pikepdf import Array, Dictionary, Name, String
from spoiling import (
    Spoil,
    both,
    catalog,
    characters,
    clip,
    dictionaries,
    dynamic_form,
    encrypted,
    fonts,
    form,
    link_without_words,
    mapped,
    metadata,
    no_way_to_headers,
    note,
    numbered_list,
    one_cell_alone,
    paint,
    renamed,
    roles,
    tabs,
    two_headings_in_a_node,
)  # fmt: skip
from tagged_pdf import Element, TaggedPdf

VALIDATED: dict[str, tuple[str, Spoil]] = {
    "01-003": ("ARTIFACT-NESTED", paint(b"/Span <</MCID 0>> BDC /Artifact BMC 0 0 1 1 re f EMC EMC")),
    "01-004": ("TAGGED-CONTENT-INSIDE-ARTIFACT", paint(b"/Artifact BMC /Span <</MCID 0>> BDC 0 0 1 1 re f EMC EMC")),
    "01-005": ("CONTENT-TAGGING", paint(b"0 0 1 1 re f")),
    "01-007": ("SUSPECTS", catalog(MarkInfo=Dictionary(Marked=True, Suspects=True))),
    "02-001": ("STRUCT-TREE-ROLE-MAP", renamed("H2", "Chapter")),
    "02-003": ("STRUCT-TREE-ROLE-MAP-CYCLE", roles(A=Name.B, B=Name.A)),
    "02-004": ("STRUCT-TREE-ROLE-MAP-STANDARD", roles(P=Name.Span)),
    "06-001": ("METADATA-STRUCTURE", catalog(Metadata=None)),
    "06-002": ("ID-PART", metadata(b"pdfuaid:part", b"pdfuaid:other")),
    "06-003": ("METADATA-TITLE", metadata(b"dc:title", b"dc:other")),
    "07-001": ("VIEWER-PREFERENCES", catalog(ViewerPreferences=None)),
    "07-002": ("VIEWER-PREFERENCES", catalog(ViewerPreferences=Dictionary(DisplayDocTitle=False))),
    "09-004": ("TR-KIDS", renamed("TH", "P")),
    "09-005": ("L-KIDS", renamed("LI", "P")),
    "09-006": ("TOCI-PARENT", renamed("P", "TOCI")),
    "10-001": ("FONT-UNICODE-MAPPING", fonts(tToUnicode=None)),
    "11-001": ("TEXT-LANGUAGE", catalog(Lang=None)),
    "11-002": ("ALT-TEXT-LANGUAGE", catalog(Lang=None)),
    "11-003": ("OUTLINE-LANGUAGE", catalog(Lang=None)),
    "11-004": ("ANNOTATION-CONTENTS-LANGUAGE", catalog(Lang=None)),
    "13-004": ("FIGURE-ALTERNATIVE-TEXT", renamed("Figure", "Figure", Alt=None, ActualText=None)),
    "14-002": ("HEADING-NESTING", renamed("H1", "H2")),
    "14-003": ("HEADING-NESTING", renamed("H2", "H4")),
    "14-004": ("STRUCT-TREE-ROLE-MAP", renamed("H2", "H7")),
    "14-006": ("HEADING-CHILD-COUNT", two_headings_in_a_node),
    "14-007": ("HEADING-STRUCTURE", renamed("H1", "H")),
    "15-003": ("TABLE-HEADERS-SCOPE", no_way_to_headers),
    "17-002": ("FORMULA-ALTERNATIVE-TEXT", renamed("Figure", "Formula", Alt=None)),
    "17-003": ("FONT-UNICODE-MAPPING", both(fonts(tToUnicode=None), renamed("H1", "Formula"))),
    "19-003": ("NOTE-ID", renamed("P", "Note")),
    "19-004": ("NOTE-ID-UNIQUE", both(*[renamed("P", "Note", ID=String("a"))] * 2)),
    "20-001": ("OPTIONAL-CONTENT-NAME", catalog(OCProperties=Dictionary(Configs=[Dictionary()]))),
    "20-002": ("OPTIONAL-CONTENT-NAME", catalog(OCProperties=Dictionary(D=Dictionary(Name=String(""))))),
    "20-003": ("OPTIONAL-CONTENT-AS", catalog(OCProperties=Dictionary(D=Dictionary(Name=String("all"), AS=[])))),
    "25-001": ("DYNAMIC-XFA", dynamic_form),
    "28-002": ("ANNOTATION-ANNOT-TAG", note("Text", Contents=String("a note"))),
    "28-004": ("ANNOTATION-CONTENTS-ALT", note("Text")),
    "28-005": ("FORM-FIELD-TU-ALT", note("Widget")),
    "28-007": ("TRAPNET-ANNOTATION", note("TrapNet")),
    "28-008": ("PAGE-TABS", tabs(None)),
    "28-009": ("PAGE-TABS", tabs(Name.R)),
    "28-010": ("WIDGET-FORM-TAG", note("Widget", TU=String("name"))),
    "28-011": ("LINK-LINK-TAG", note("Link", Contents=String("a link"))),
    "28-012": ("LINK-CONTENTS", link_without_words),
    "30-002": ("FORM-STRUCTURE", form(b"/Span <</MCID 0>> BDC EMC", b"/Artifact BMC /Other Do /Other Do EMC")),
    "31-001": ("TYPE0-CID-SYSTEM-INFO", mapped(registry="Other")),
    "31-002": ("TYPE0-CID-SYSTEM-INFO", mapped(ordering="Other")),
    "31-004": ("CIDTOGIDMAP", fonts(iSubtype=Name.CIDFontType2, iCIDToGIDMap=Name.Other)),
    "31-005": ("CIDTOGIDMAP", fonts(iSubtype=Name.CIDFontType2, iCIDToGIDMap=None)),
    "31-006": ("CMAP-EMBEDDING", fonts(tEncoding=Name.Other)),
    "31-007": ("CMAP-WMODE", mapped(WMode=1, content=b"/WMode 0 def")),
    "31-008": ("CMAP-REFERENCE", mapped(UseCMap=Name.Other)),
    "31-009": ("FONT-EMBEDDING", fonts(dFontFile2=None, dFontFile3=None)),
    "31-011": ("FONT-GLYPH-PRESENCE", paint(b"/Artifact BMC BT /F 1 Tf <fffe> Tj ET EMC")),
    "31-014": ("CID-SUBSET-CIDSET", fonts(dCIDSet=b"\x80")),
    "31-016": ("FONT-GLYPH-WIDTH", fonts(iW=Array([0, 9999, 5000]))),
    "31-027": ("FONT-UNICODE-MAPPING", fonts(tToUnicode=None)),
    "31-028": ("FONT-UNICODE-VALUE", characters(b"0000")),
    "31-029": ("FONT-UNICODE-VALUE", characters(b"FEFF")),
    "31-030": ("NOTDEF-GLYPH", paint(b"/Artifact BMC BT /F 1 Tf <0000> Tj ET EMC")),
}
"""Number -> the rule of the validator, and a function that breaks it."""

Check = Callable[[TaggedPdf], Iterator[str]]
DECIDED_HERE: dict[str, tuple[Check, Spoil]] = {}
"""Number -> a function that yields faults of a PDF, and one that causes them."""


def condition(**spoils: Spoil) -> Callable[[Check], Check]:
    """Register a check for these conditions, each with a way to cause it."""

    def register(check: Check) -> Check:
        DECIDED_HERE.update({name[1:].replace("_", "-"): (check, spoil) for name, spoil in spoils.items()})
        return check

    return register


@condition(_02_002=roles(Chapter=Name.Sect))
def mapped_kinds(pdf: TaggedPdf) -> Iterator[str]:
    yield from map(str, pdf.catalog.StructTreeRoot.get("/RoleMap", Dictionary()))


HARMLESS = ("/GoTo", "/URI")
SCRIPT = catalog(OpenAction=Dictionary(Type=Name.Action, S=Name.JavaScript, JS=String("app.beep(0)")))


@condition(
    _03_001=catalog(OpenAction=Dictionary(Type=Name.Action, S=Name.Rendition)), _03_003=SCRIPT, _05_003=SCRIPT,
    _29_001=SCRIPT,
)  # fmt: skip
def actions(pdf: TaggedPdf) -> Iterator[str]:
    for each in dictionaries(pdf.pdf):
        if {"/AA", "/OpenAction", "/JS", "/JavaScript"} & set(each.keys()):
            yield "an action that starts by itself, or a script"
        elif (each.get("/Type") == "/Action" and each.get("/S") not in HARMLESS) or each.get("/S") == "/JavaScript":
            yield f"an action: {each.get('/S')}"


def _mark_in_structure(pdf: pikepdf.Pdf) -> None:
    note("PrinterMark")(pdf)
    mark = pdf.pages[0].obj["/Annots"][-1]
    pdf.Root.StructTreeRoot.K[0].K.append(pdf.make_indirect(Dictionary(Type=Name.OBJR, Obj=mark)))


@condition(
    _03_002=note("RichMedia"), _05_001=note("Movie"), _05_002=note("Sound"), _28_003=note("Highlight"),
    _11_005=both(note("Widget", TU=String("name")), catalog(Lang=None)), _28_006=note("Invented"),
    _28_014=clip(Alt=String("a film")), _28_015=clip(CT=String("video/mp4")),
    _28_016=note("FileAttachment", FS=Dictionary(F=String("a"))), _28_017=_mark_in_structure,
    _28_018=note("PrinterMark", AP=Dictionary()),
)  # fmt: skip
def annotations_that_are_no_links(pdf: TaggedPdf) -> Iterator[str]:
    yield from (str(each.Subtype) for _, each in pdf.annotations if each.Subtype != Name.Link)


@condition(_28_013=note("Link", A=Dictionary(S=Name.URI, IsMap=True)))
def links_by_place_alone(pdf: TaggedPdf) -> Iterator[str]:
    yield from ("IsMap is true" for each in dictionaries(pdf.pdf) if each.get("/IsMap", False))


UNSEEN_TEXT = paint(b"/Artifact BMC BT /F 1 Tf 3 Tr () Tj ET EMC")


@condition(_08_001=UNSEEN_TEXT, _08_002=UNSEEN_TEXT)
def unseen_text(pdf: TaggedPdf) -> Iterator[str]:
    yield from (f"page {each.page + 1}: {each.text!r}" for each in pdf.painted if each.mode == 3)


@condition(_09_007=renamed("P", "RB"), _09_008=renamed("P", "WT"))
def ruby_and_warichu(pdf: TaggedPdf) -> Iterator[str]:
    yield from (each.kind for each in pdf.of("Ruby", "RB", "RT", "RP", "Warichu", "WT", "WP"))


def described(pdf: TaggedPdf) -> Any:
    """Return the metadata as an XML element."""
    return ET.fromstring(pdf.catalog["/Metadata"].read_bytes().decode())


TITLE = "{http://purl.org/dc/elements/1.1/}title"
ITEM = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}li"


def titles(pdf: TaggedPdf) -> list[str]:
    """Return the titles in the metadata."""
    return [text for each in described(pdf).iter(TITLE) if (text := "".join(each.itertext()).strip())]


@condition(_11_006=catalog(Lang=None))
def metadata_of_no_language(pdf: TaggedPdf) -> Iterator[str]:
    named = "{http://www.w3.org/XML/1998/namespace}lang"
    items = [each.get(named) for title in described(pdf).iter(TITLE) for each in title.iter(ITEM)]
    if not language(pdf) and all(each in (None, "x-default") for each in items):
        yield "the metadata"


def language(pdf: TaggedPdf) -> str:
    """Return the language of the document; empty if it is not declared properly."""
    declared = str(pdf.catalog.get("/Lang", ""))
    return declared if re.fullmatch(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*", declared) else ""


@condition(_13_005=renamed("Figure", "Figure", ActualText=String("words")))
def figures_with_actual_text(pdf: TaggedPdf) -> Iterator[str]:
    yield from (f"page {each.page}" for each in pdf.of("Figure") if each.says("ActualText"))


@condition(_15_005=one_cell_alone)
def cells_whose_headers_are_not_told(pdf: TaggedPdf) -> Iterator[str]:
    held = pdf.catalog["/StructTreeRoot"].get("/IDTree", Dictionary()).get("/Names", [])
    names = {bytes(held[place]) for place in range(0, len(held), 2)}
    heads = {bytes(cell.node["/ID"]): cell for cell in pdf.of("TH") if "/ID" in cell.node}
    for cell in pdf.of("TD"):
        told = {bytes(each) for each in cell.attribute("Headers") or []}
        kinds = {str(heads[each].attribute("Scope")) for each in told & set(heads)}
        if not told or not told <= names & set(heads) or "/Column" not in kinds:
            yield f"page {cell.page}: {pdf.text(cell)[:40]!r} has {told}"


@condition(_16_001=numbered_list(), _16_002=numbered_list(Name.Disc))
def numbered_lists_that_do_not_say_so(pdf: TaggedPdf) -> Iterator[str]:
    for each in pdf.of("L"):
        labels = [kid for item in each.elements for kid in item.elements if kid.kind == "Lbl"]
        numbering = str(each.attribute("ListNumbering") or "")
        if len({_words(pdf, label) for label in labels}) > 1 and not re.search("Decimal|Roman|Alpha", numbering):
            yield f"page {each.page}: {numbering}"


def _words(pdf: TaggedPdf, element: Element) -> str:
    return pdf.text(element) or element.says("ActualText")


@condition(
    _18_001=paint(b"/Artifact BMC BT /F 1 Tf () Tj ET EMC"),
    _18_002=paint(b"/Artifact <</Type /Pagination>> BDC BT /F 1 Tf () Tj ET EMC"),
)
def running_heads_and_feet_of_no_kind(pdf: TaggedPdf) -> Iterator[str]:
    for each in pdf.painted:
        for mark in (mark for mark in each.marks if each.font is not None and mark.tag == "/Artifact"):
            about = mark.properties or Dictionary()
            if about.get("/Type") != "/Pagination" or about.get("/Subtype") not in ("/Header", "/Footer"):
                yield f"page {each.page + 1}: {each.text[:40]!r}"


@condition(_21_001=note("FileAttachment", FS=Dictionary(Type=Name.Filespec, F=String("a"), EF=Dictionary())))
def files_without_a_name(pdf: TaggedPdf) -> Iterator[str]:
    for each in dictionaries(pdf.pdf):
        if "/EF" in each and not {"/F", "/UF"} <= set(each.keys()):
            yield "an embedded file"


@condition(_22_001=catalog(Threads=Array([])))
def article_threads(pdf: TaggedPdf) -> Iterator[str]:
    if "/Threads" in pdf.catalog or any("/B" in page.obj for page in pdf.pdf.pages):
        yield "article threads"


@condition(_24_001=renamed("Figure", "Form"))
def forms(pdf: TaggedPdf) -> Iterator[str]:
    yield from ("a form" for _ in pdf.of("Form"))
    yield from ("fields" for key in pdf.catalog if key == "/AcroForm")


@condition(_26_001=encrypted(), _26_002=encrypted(P=0))
def encryption(pdf: TaggedPdf) -> Iterator[str]:
    yield from ("encrypted" for key in pdf.pdf.trailer if key == "/Encrypt")


@condition(_30_001=form(b"", b"", Ref=Dictionary()))
def references_to_pages_of_other_files(pdf: TaggedPdf) -> Iterator[str]:
    for each in dictionaries(pdf.pdf):
        if each.get("/Subtype") == "/Form" and isinstance(each, pikepdf.Stream) and "/Ref" in each:
            yield "a reference XObject"


@condition(_31_003=mapped(supplement=9))
def maps_from_codes_to_glyphs(pdf: TaggedPdf) -> Iterator[str]:
    yield from (str(each.BaseFont) for each in pdf.fonts if each.get("/Encoding") not in ("/Identity-H", "/Identity-V"))


@condition(**{f"_31_0{place}": fonts(tSubtype=Name.Type1) for place in (12, 13)},
           **{f"_31_0{place}": fonts(tSubtype=Name.TrueType) for place in range(17, 27)})  # fmt: skip
def fonts_that_are_not_composite(pdf: TaggedPdf) -> Iterator[str]:
    yield from (str(each.BaseFont) for each in pdf.fonts if each.Subtype != Name.Type0)


@condition(_31_015=fonts(dCIDSet=b"\xff" * 9000))
def listed_glyphs_that_are_not_there(pdf: TaggedPdf) -> Iterator[str]:
    for each in pdf.fonts:
        about = each.DescendantFonts[0].FontDescriptor
        if "/CIDSet" in about:
            bits = about.CIDSet.read_bytes()
            many = TTFont(io.BytesIO(next(about[key] for key in about if "FontFile" in key).read_bytes()))[
                "maxp"
            ].numGlyphs
            yield from (
                str(each.BaseFont) for place in range(many, 8 * len(bits)) if bits[place // 8] << place % 8 & 128
            )


CONDITIONS = {*DECIDED_HERE, *VALIDATED}
