"""The text of a Word document: paragraphs, runs, links, captions, columns, and the places and pictures in it."""

from __future__ import annotations

import copy
import re
import urllib.parse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO
from typing import Any

from docx.enum.section import WD_SECTION
from docx.enum.text import WD_BREAK
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import qn
from docx.shared import Pt

from reportgen.charts.svg import clean
from reportgen.rendering.filters import pictures
from reportgen.rendering.pdf import Drawing, as_png, drawing_of
from reportgen.rendering.templates import Templates

SVG_ELEMENT = "{http://www.w3.org/2000/svg}svg"

LONGEST_PLACE = 40
"""Letters that the name of a place may have in Word."""

BETWEEN = 36 * 9525
"""The gap between two columns of text."""

SIGN_PIXELS = 11.0


@dataclass(frozen=True)
class Picture:
    """A picture ready to be placed: its file, its width in pixels of the page, and its alternative text."""

    content: bytes
    width: float
    alt: str


@dataclass
class Sheet:
    """A document that is being written, as python-docx holds it.

    `pictures` are those of elements of the page, `places` the names of the ids that its links lead to, and `words`
    what style sheets write, such as "Table".  `numbers` are the last ones given to a table, a figure, a picture, a
    place; `waiting` are places that the next paragraph has.  The last three say what the next paragraph begins.
    """

    document: Any
    pictures: Mapping[Any, Picture]
    places: Mapping[str, str]
    words: Mapping[str, str]
    numbers: dict[str, int] = field(default_factory=dict)
    waiting: list[str] = field(default_factory=list)
    annex: bool = False
    within_brief: bool = False
    columns: int = 1
    new_page: bool = False
    new_column: bool = False
    first_of_column: bool = False

    @property
    def room(self) -> int:
        """The width of the text, or of one of its columns, in the units of python-docx."""
        section = self.document.sections[-1]
        width = int(section.page_width - section.left_margin - section.right_margin)
        return width if self.columns == 1 else (width - BETWEEN) // 2

    def next_number(self, kind: str) -> int:
        """Return the number of the next table or figure."""
        self.numbers[kind] = self.numbers.get(kind, 0) + 1
        return self.numbers[kind]


def classes(node: Any) -> frozenset[str]:
    """Return the classes of an element."""
    return frozenset((node.get("class") or "").split())


def pictures_of(body: Any, templates: Templates) -> dict[Any, Picture]:
    """Return pictures of all drawings below an element: charts, strips, and the signs of outcomes."""
    size = f'<svg width="{SIGN_PIXELS}" height="{SIGN_PIXELS}" '
    signs = {  # they say nothing, since a word stands beside each
        f"sign-{name}": Drawing(
            urllib.parse.unquote(str(address).partition(",")[2]).replace("<svg ", size, 1),
            SIGN_PIXELS,
            SIGN_PIXELS,
            clear=True,
        )
        for name, address in pictures().items()
    }
    drawings: dict[Any, Drawing] = {}
    for node in body.iter():
        named = classes(node) & signs.keys()
        if node.tag == SVG_ELEMENT:
            drawings[node] = drawing_of(node)
        elif node.tag == "span" and named:
            drawings[node] = signs[min(named)]
    drawn = list(dict.fromkeys(drawings.values()))
    made = dict(zip(drawn, as_png(drawn, templates), strict=True))
    return {node: Picture(made[drawing], drawing.width, drawing.alt) for node, drawing in drawings.items()}


def places_of(body: Any) -> dict[str, str]:
    """Return a name for every place that a link of the page leads to, as Word allows them."""
    found = [node.get("href", "")[1:] for node in body.iter("a") if node.get("href", "").startswith("#")]
    return {
        target: f"{re.sub(r'[^A-Za-z0-9]+', '_', target)[: LONGEST_PLACE - 8]}_{number}"
        for number, target in enumerate(dict.fromkeys(filter(None, found)), start=1)
    }


_MAY_LEAD = re.compile(r"https?://|mailto:|(?![a-z][a-z0-9+.-]*:)[^/\\\\#]", re.IGNORECASE)
"""Addresses outside the document that a link may have: the web, and files beside it."""

_LINK = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink"

_DECORATIVE = (
    '<a:extLst xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">'
    '<a:ext uri="{C183D7F6-B498-43B3-948B-1728B52AA6E4}">'
    '<adec:decorative xmlns:adec="http://schemas.microsoft.com/office/drawing/2017/decorative" val="1"/>'
    "</a:ext></a:extLst>"
)


def made(name: str, /, *children: Any, **attributes: str | int) -> Any:
    """Return an element of Word with these children, but for None; its attributes are of its own namespace.

    Examples
    --------
    >>> made("w:jc", val="right").tag.rpartition("}")[2]
    'jc'
    """
    element = OxmlElement(name)
    for key, value in attributes.items():
        element.set(qn(f"w:{key}"), str(value))
    element.extend(child for child in children if child is not None)
    return element


def _field(instruction: str) -> list[Any]:
    """Return what stands before the text of a field, which a word processor brings up to date, and behind it."""
    asked = made("w:instrText")
    asked.text = f" {instruction} "
    asked.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    begin, separate, end = (made("w:fldChar", fldCharType=kind) for kind in ("begin", "separate", "end"))
    return [made("w:r", each) for each in (begin, asked, separate, end)]


def add_field(paragraph: Any, instruction: str, shown: str) -> None:
    """Add a field to a paragraph, with what it shows until a word processor brings it up to date."""
    *before, end = _field(instruction)
    paragraph._p.extend(before)
    paragraph.add_run(shown)
    paragraph._p.append(end)


def bookmark(paragraph: Any, name: str, number: int, *, start: int = 0) -> None:
    """Give what a paragraph holds from one of its elements on a name that links and references lead to."""
    content = paragraph._p
    first = start + (1 if content.pPr is not None and not start else 0)
    content.insert(first, made("w:bookmarkStart", id=number, name=name))
    content.append(made("w:bookmarkEnd", id=number))


def add_link(paragraph: Any, address: str, place: str) -> Any:
    """Return a link in a paragraph that runs are moved into, or None where it may not lead there."""
    if place:
        found = made("w:hyperlink", anchor=place, history=1)
    elif _MAY_LEAD.match(address):
        found = made("w:hyperlink", history=1)
        found.set(qn("r:id"), paragraph.part.relate_to(address, _LINK, is_external=True))
    else:
        return None
    paragraph._p.append(found)
    return found


def describe(inline: Any, alt: str, number: int) -> None:
    """Say what a picture shows to those who cannot see it; without words it is decoration."""
    for side in ("distT", "distB", "distL", "distR"):
        inline._inline.set(side, "0")
    about = inline._inline.docPr
    about.set("id", str(number))
    about.set("name", f"Picture {number}")
    about.set("descr", clean(alt))
    if not alt:
        about.append(parse_xml(_DECORATIVE))


def wrap_in_field(first: Any, last: Any, instruction: str) -> None:
    """Put whole paragraphs into a field: what they say is what it shows."""
    *before, end = _field(instruction)
    place = int(first._p.pPr is not None)
    first._p[place:place] = before
    last._p.append(end)


def new_numbering(document: Any, style: str) -> int | None:
    """Return the key of a numbering as that of a style of lists, which begins anew; none where the style has none."""
    about = document.styles[style].element.pPr
    held = about.numPr if about is not None else None
    if held is None or held.numId is None:
        return None
    numbering = document.part.numbering_part.element
    kind = next(each for each in numbering.num_lst if each.numId == held.numId.val)
    fresh = numbering.add_num(kind.abstractNumId.val)
    fresh.add_lvlOverride(ilvl=0).add_startOverride(1)
    return int(fresh.get(qn("w:numId")))


def set_number(paragraph: Any, key: int) -> None:
    """Number a paragraph with a numbering."""
    about = paragraph._p.get_or_add_pPr().get_or_add_numPr()
    about.get_or_add_ilvl().val = 0
    about.get_or_add_numId().val = key


HIDDEN = frozenset(("unseen", "screen-only", "grouped-by"))
"""Classes of what paper does not show."""

QUIET = frozenset((
    "limits", "measure", "unit", "chart-note", "conditions", "mark", "group", "reason", "page-of", "note-mark",
))  # fmt: skip
"""Classes of what stands back in grey."""

STRONG = frozenset(("value", "label"))

EMU = 9525
"""Units of python-docx in a pixel of the page."""

_SPACES = re.compile(r"[ \t\r\n\f]+")


@dataclass(frozen=True)
class Form:
    """How a piece of text looks, and where it leads."""

    bold: bool = False
    italic: bool = False
    raised: bool = False
    lowered: bool = False
    code: bool = False
    quiet: bool = False
    address: str = ""


@dataclass(frozen=True)
class Piece:
    """A piece of text in one form, or a picture in the line."""

    text: str
    form: Form = Form()
    picture: Any = None


PLAIN = Form()
TOGETHER = "\N{NO-BREAK SPACE}"
LINE = "\v"
"""Stands for the beginning of a new line within a paragraph."""


def pieces(node: Any, form: Form = PLAIN, lines: frozenset[str] = frozenset()) -> Iterator[Piece]:
    """Yield the text below an element, in its forms; elements of the classes `lines` begin a line of their own."""
    if node.text:
        whole = "limits" in classes(node) and node.text.startswith("[")
        yield Piece(node.text.replace(" ", TOGETHER) if whole else node.text, form)
    for child in node:
        yield from element_pieces(child, form, lines)
        if child.tail:
            yield Piece(child.tail, form)


def element_pieces(node: Any, form: Form = PLAIN, lines: frozenset[str] = frozenset()) -> Iterator[Piece]:
    """Yield an element of running text with its form."""
    kinds = classes(node)
    if not isinstance(node.tag, str) or kinds & HIDDEN or node.tag in ("script", "style"):
        return
    if node.tag.endswith("}svg") or node.tag == "img":
        yield Piece("", form, node)
    elif "drawn-sign" in kinds:
        yield from (Piece("", form, node), Piece(TOGETHER, form))
    elif node.tag == "br":
        yield Piece(LINE, form)
    else:
        if kinds & lines:
            yield Piece(LINE, form)
        yield from pieces(node, _formed(node, kinds, form), lines)
        if "mark" in kinds and "".join(node.itertext()):
            yield Piece(TOGETHER, form)


def _formed(node: Any, kinds: frozenset[str], form: Form) -> Form:
    tag = node.tag
    return replace(
        form,
        bold=form.bold or tag in ("b", "strong", "dt") or bool(kinds & STRONG),
        italic=form.italic or tag in ("em", "i", "cite", "var"),
        raised=form.raised or tag == "sup",
        lowered=form.lowered or tag == "sub",
        code=form.code or tag in ("code", "kbd", "samp"),
        quiet=form.quiet or bool(kinds & QUIET),
        address=node.get("href", "") if tag == "a" else form.address,
    )


def set_tight(found: Iterable[Piece]) -> list[Piece]:
    r"""Return pieces without the spaces that a page does not show, and without empty ones.

    Examples
    --------
    >>> [piece.text for piece in set_tight([Piece(" a  b "), Piece(" c "), Piece(LINE), Piece(" d ")])]
    ['a b ', 'c', '\x0b', 'd']
    """
    kept: list[Piece] = []
    for piece in found:
        text = piece.text if piece.text == LINE else _SPACES.sub(" ", piece.text)
        before = kept[-1].text if kept else LINE
        begins = before == LINE or (before.endswith((" ", TOGETHER)) and kept[-1].picture is None)
        if text == LINE:
            _trim(kept)
        text = text.lstrip(" ") if begins else text
        if text or piece.picture is not None:
            kept.append(replace(piece, text=text))
    _trim(kept)
    while kept and kept[0].text == LINE:
        kept.pop(0)
    while kept and kept[-1].text == LINE:
        kept.pop()
    return kept


def _trim(kept: list[Piece]) -> None:
    if kept and kept[-1].picture is None and kept[-1].text != LINE:
        kept[-1] = replace(kept[-1], text=kept[-1].text.rstrip(" "))
        if not kept[-1].text:
            kept.pop()


def write_runs(paragraph: Any, found: Iterable[Piece], sheet: Sheet, *, widest: int | None = None) -> None:
    """Write pieces into a paragraph; pictures are no wider than `widest`."""
    link, leads = None, ""
    for piece in set_tight(found):
        if piece.picture is not None:
            place_picture(paragraph, piece.picture, sheet, widest)
            continue
        run = paragraph.add_run()
        if piece.text == LINE:
            run.add_break()
        else:
            run.add_text(clean(piece.text))
        _shape(run, piece.form)
        if not piece.form.address:
            leads = ""
            continue
        if piece.form.address != leads:
            leads = piece.form.address
            link = add_link(paragraph, leads, sheet.places.get(leads.removeprefix("#"), ""))
        if link is not None:
            link.append(run._r)


def place_picture(paragraph: Any, node: Any, sheet: Sheet, widest: int | None = None) -> None:
    """Place the picture of an element in a line, with its alternative text."""
    picture = sheet.pictures.get(node)
    if picture is None:
        return
    width = min(round(picture.width * EMU), widest or sheet.room)
    inline = paragraph.add_run().add_picture(BytesIO(picture.content), width=width)
    describe(inline, picture.alt, sheet.next_number("picture"))


def _shape(run: Any, form: Form) -> None:
    """Give a run its form; styles say how it looks."""
    run.bold = form.bold or None
    run.italic = form.italic or None
    if form.raised:
        run.font.superscript = True
    elif form.lowered:
        run.font.subscript = True
    if form.quiet and not form.bold:
        run.style = "Report Quiet"
    if form.code:
        run.style = "Report Code"


SEQUENCES = {"table": "Table", "figure": "Figure"}
"""The names under which Word counts captions, in documents of every language."""


def begin_paragraph(sheet: Sheet, style: str) -> Any:
    """Return a new paragraph at the end of the document, on a new page where one is due."""
    begun = sheet.document.add_paragraph(style=style)
    if sheet.new_page:
        begun.paragraph_format.page_break_before = True
        sheet.new_page = False
    if sheet.new_column:
        begun.add_run().add_break(WD_BREAK.COLUMN)
        sheet.new_column = False
    if sheet.first_of_column:
        begun.paragraph_format.space_before = 0
        sheet.first_of_column = False
    return begun


def mark_place(paragraph: Any, sheet: Sheet, place: str) -> None:
    """Let links lead to a paragraph: those to `place`, and those to what began before it."""
    for target in (*sheet.waiting, place):
        name = sheet.places.get(target)
        if name:
            bookmark(paragraph, name, sheet.next_number("place"))
    sheet.waiting.clear()


def write_paper_caption(sheet: Sheet, number: str, title: str) -> None:
    """Write the number of a table and below it its title in italics, as papers have it."""
    for text, italic in ((number, False), (title, True)):
        if text:
            run = begin_paragraph(sheet, "Caption").add_run(clean(text))
            run.bold, run.italic = not italic, italic


def write_caption(
    sheet: Sheet, kind: str, parts: tuple[Sequence[Piece], Sequence[Piece]], place: str, number: int | None = None
) -> None:
    """Write a caption, and below it what it says besides; without a `kind` it has no number."""
    title, note = parts
    caption = begin_paragraph(sheet, "Caption")
    if kind:
        caption.add_run(f"{sheet.words[kind]} ")
        add_field(caption, rf"SEQ {SEQUENCES[kind]} \* ARABIC", str(number or sheet.next_number(kind)))
        caption.add_run(". ")
        for run in caption.runs:
            run.style = "Report Quiet"
    below = [replace(piece, form=replace(piece.form, quiet=True)) for piece in note]
    write_runs(caption, [*title, *([Piece(LINE)] if below else []), *below], sheet)
    mark_place(caption, sheet, place)


TWIP = 635

AFTER_COLUMNS = (
    "w:formProt", "w:vAlign", "w:noEndnote", "w:titlePg", "w:textDirection", "w:bidi", "w:rtlGutter", "w:docGrid",
    "w:printerSettings", "w:sectPrChange",
)  # fmt: skip
"""What stands after the columns in the description of a section."""

ABOVE = 10
"""Points above text in two columns."""


def begin_columns(sheet: Sheet) -> None:
    """End what stands in one column; what follows stands in two."""
    _end_section(sheet, 1)
    sheet.document.paragraphs[-1].paragraph_format.space_after = Pt(ABOVE)
    sheet.columns = 2


def end_columns(sheet: Sheet) -> None:
    """End what stands in two columns."""
    _end_section(sheet, 2)
    sheet.columns = 1


def _end_section(sheet: Sheet, columns: int) -> None:
    """Let a section end with the last paragraph; what comes after continues on the same page."""
    body = sheet.document.element.body
    rest = body[-1]
    last = body[-2] if len(body) > 1 else None
    if last is None or last.tag != qn("w:p") or (last.pPr is not None and last.pPr.find(qn("w:sectPr")) is not None):
        last = sheet.document.add_paragraph()._p
    ended = copy.deepcopy(rest)
    for old in ended.findall(qn("w:cols")):
        ended.remove(old)
    many = {"num": columns} if columns > 1 else {}
    ended.insert_element_before(made("w:cols", space=BETWEEN // TWIP, **many), *AFTER_COLUMNS)
    last.get_or_add_pPr().append(ended)
    for name in ("w:headerReference", "w:footerReference", "w:titlePg"):
        for each in rest.findall(qn(name)):
            rest.remove(each)
    rest.start_type = WD_SECTION.CONTINUOUS  # on the same page
