"""Damage a valid PDF so that a check must fail."""

from collections.abc import Callable, Iterator
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name, String
from tagged_pdf import TaggedPdf

Spoil = Callable[[pikepdf.Pdf], object]


def both(*spoils: Spoil) -> Spoil:
    return lambda pdf: [spoil(pdf) for spoil in spoils]


def paint(content: bytes) -> Spoil:
    """Return a function that adds operators to the first page; F is the page's first font."""

    def add(pdf: pikepdf.Pdf) -> None:
        font = next(iter(pdf.pages[0].obj.Resources.Font.keys()))
        pdf.pages[0].contents_add(content.replace(b"/F ", font.encode() + b" "))

    return add


def put(place: Any, entries: dict[str, Any]) -> None:
    """Change entries of a dictionary; None removes one."""
    for key, value in entries.items():
        if value is not None:
            place[f"/{key}"] = value
        elif f"/{key}" in place:
            del place[f"/{key}"]


def note(subtype: str, **entries: Any) -> Spoil:
    """Return a function that adds an annotation to the first page."""

    def add(pdf: pikepdf.Pdf) -> None:
        made = Dictionary(Type=Name.Annot, Subtype=Name(f"/{subtype}"), Rect=[0, 0, 9, 9], **entries)
        page = pdf.pages[0].obj
        page["/Annots"] = Array([*page.get("/Annots", []), pdf.make_indirect(made)])

    return add


def catalog(**entries: Any) -> Spoil:
    return lambda pdf: put(pdf.Root, entries)


def roles(**entries: Any) -> Spoil:
    return lambda pdf: put(pdf.Root.StructTreeRoot, {"RoleMap": Dictionary(**entries)})


def encrypted(**entries: Any) -> Spoil:
    return lambda pdf: put(pdf.trailer, {"Encrypt": Dictionary(Filter=Name.Standard, **entries)})


def tabs(value: Any) -> Spoil:
    def change(pdf: pikepdf.Pdf) -> None:
        for page in pdf.pages:
            put(page.obj, {"Tabs": value})

    return change


def renamed(kind: str, new: str, **entries: Any) -> Spoil:
    """Return a function that changes the kind of the first such element and adds entries."""
    return lambda pdf: put(TaggedPdf(pdf).of(kind)[0].node, {"S": Name(f"/{new}"), **entries})


def metadata(old: bytes, new: bytes) -> Spoil:
    def replace(pdf: pikepdf.Pdf) -> None:
        held = pdf.Root.Metadata.read_bytes()
        assert old in held
        pdf.Root.Metadata.write(held.replace(old, new))

    return replace


def fonts(**entries: Any) -> Spoil:
    """Return a function that changes entries of all used fonts; the first letter selects the dictionary."""

    def change(pdf: pikepdf.Pdf) -> None:
        for font in TaggedPdf(pdf).fonts:
            inner = font["/DescendantFonts"][0]
            places = {"t": font, "i": inner, "d": inner["/FontDescriptor"]}
            for key, value in entries.items():
                made = pdf.make_stream(value) if isinstance(value, bytes) else value
                put(places[key[0]], {key[1:]: made})

    return change


def mapped(registry: str = "Adobe", ordering: str = "Identity", supplement: int = 0, **entries: Any) -> Spoil:
    """Return a function that adds a map from codes to glyphs to all fonts."""

    def change(pdf: pikepdf.Pdf) -> None:
        system = Dictionary(Registry=String(registry), Ordering=String(ordering), Supplement=supplement)
        fonts(tEncoding=pdf.make_stream(entries.pop("content", b""), CIDSystemInfo=system, **entries))(pdf)

    return change


def characters(text: bytes) -> Spoil:
    return fonts(tToUnicode=b"1 beginbfchar <0001> <" + text + b"> endbfchar")


def clip(**entries: Any) -> Spoil:
    return note("Screen", A=Dictionary(S=Name.Rendition, R=Dictionary(C=Dictionary(S=Name.MCD, **entries))))


def link_without_words(pdf: pikepdf.Pdf) -> None:
    del next(each for _, each in TaggedPdf(pdf).annotations if each.Subtype == Name.Link)["/Contents"]


def two_headings_in_a_node(pdf: pikepdf.Pdf) -> None:
    node = TaggedPdf(pdf).of("H1")[0].node
    one, other = (pdf.make_indirect(Dictionary(S=Name.H, P=node["/P"], K=[])) for _ in range(2))
    node["/P"]["/K"] = Array([*node["/P"]["/K"], one, other])


def no_way_to_headers(pdf: pikepdf.Pdf) -> None:
    for cell in TaggedPdf(pdf).of("TH", "TD"):
        cell.node["/A"] = Dictionary(O=Name.Table)


def one_cell_alone(pdf: pikepdf.Pdf) -> None:
    TaggedPdf(pdf).of("TD")[0].node["/A"]["/Headers"] = Array([String("nowhere")])


def numbered_list(numbering: Any = None) -> Spoil:
    """Return a function that adds a list with the labels 1 and 2."""

    def add(pdf: pikepdf.Pdf) -> None:
        around = pdf.Root.StructTreeRoot.K[0]
        labels = [Dictionary(S=Name.Lbl, ActualText=String(text)) for text in "12"]
        items = [pdf.make_indirect(Dictionary(S=Name.LI, K=[pdf.make_indirect(label)])) for label in labels]
        made = pdf.make_indirect(Dictionary(S=Name.L, P=around, K=items))
        if numbering is not None:
            made["/A"] = Dictionary(O=Name.List, ListNumbering=numbering)
        around.K.append(made)

    return add


def form(content: bytes, painting: bytes, **entries: Any) -> Spoil:
    """Return a function that adds a form to the first page and paints it."""

    def add(pdf: pikepdf.Pdf) -> None:
        made = pdf.make_stream(content, Subtype=Name.Form, BBox=[0, 0, 9, 9], **entries)
        pdf.pages[0].obj.Resources.XObject.Other = made
        pdf.pages[0].contents_add(painting)

    return add


def dynamic_form(pdf: pikepdf.Pdf) -> None:
    rendered = pdf.make_stream(b"<config><dynamicRender>required</dynamicRender></config>")
    pdf.Root.AcroForm = Dictionary(XFA=Array([String("config"), rendered]))


def dictionaries(pdf: pikepdf.Pdf) -> Iterator[Any]:
    """Yield every dictionary of a PDF, including nested dictionaries and those of streams."""
    seen: set[tuple[int, int]] = set()
    waiting: list[Any] = [pdf.trailer]
    while waiting:
        each = waiting.pop()
        if not isinstance(each, Dictionary | Array | pikepdf.Stream):
            continue
        if each.is_indirect:
            if each.objgen in seen:
                continue
            seen.add(each.objgen)
        if isinstance(each, Array):
            waiting += list(each)
            continue
        yield each
        waiting += [value for _, value in each.items()]
