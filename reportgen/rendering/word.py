"""Convert a filled page to a Word document: headings, tables, images, and links, in styles that a template can change.

The text is the paper page's; this module adds no words.
"""

from __future__ import annotations

import copy
import json
import re
import tomllib
import urllib.parse
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from itertools import chain, groupby
from pathlib import Path
from typing import Any, NamedTuple

from docx.enum.section import WD_SECTION
from docx.enum.text import WD_ALIGN_PARAGRAPH, WD_BREAK
from docx.oxml import parse_xml
from docx.oxml.ns import qn
from docx.shared import Pt
from docx.text.paragraph import Paragraph

from reportgen.charts.svg import clean
from reportgen.rendering import word_document
from reportgen.rendering.filters import pictures
from reportgen.rendering.page_filling import classes
from reportgen.rendering.papers import PaperTable
from reportgen.rendering.pdf import SVG, Drawing, as_png, drawing_of, parsed
from reportgen.rendering.tagging import POINTS
from reportgen.rendering.templates import Templates
from reportgen.rendering.word_document import made

WORDS = "html/words.json.j2"  # the template of the words that style sheets write on paper

EMU, EMU_OF_POINT, TWIPS, TWIP = 9525, 12700, 20, 635
"""Units of python-docx in a pixel of the page and in a point; twips in a point; units in a twip."""

BETWEEN, ABOVE = 36 * EMU, 10  # the gap between two columns of text, and points above them

LONGEST_PLACE = 40  # most letters of a bookmark name in Word

SIGN_PIXELS = 11.0


@dataclass
class Sheet:
    """A python-docx document that is being written.

    `pictures` contains the images of page elements, `places` the names of link targets by ID, and `words` what style
    sheets write, such as "Table". `numbers` are the last ones given to a table, a figure, an image, a bookmark;
    `waiting` are bookmarks of the next paragraph. The last three describe what the next paragraph starts.
    """

    document: Any
    pictures: Mapping[Any, tuple[bytes, Drawing]] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)
    numbers: Counter[str] = field(default_factory=Counter)
    waiting: list[str] = field(default_factory=list)
    annex: bool = False
    within_brief: bool = False
    columns: int = 1
    new_page: bool = False
    new_column: bool = False
    first_of_column: bool = False

    @property
    def room(self) -> int:
        """The width of the text, or of one of its columns, in units of python-docx."""
        section = self.document.sections[-1]
        width = int(section.page_width - section.left_margin - section.right_margin)
        return width if self.columns == 1 else (width - BETWEEN) // 2

    def next_number(self, kind: str) -> int:
        """Return the number of the next table or figure."""
        self.numbers[kind] += 1
        return self.numbers[kind]


def write_word(source: str, templates: Templates, path: Path) -> None:
    """Write a page for word processors as a Word document; the same page gives the same bytes."""
    report, look = templates.report, templates.look
    body = parsed(source).etree_element.find("body")
    words = {name: str(word) for name, word in json.loads(templates.page(WORDS)).items()}
    sheet = _sheet(templates, pictures=_pictures_of(body, templates), places=_places_of(body), words=words)
    if look.docx_template is None:
        word_document.write_margins(sheet.document, sheet.room, words, report)
    write_blocks(body, sheet)
    word_document.save(sheet.document, path, report)


def write_document(tables: Sequence[PaperTable], templates: Templates, path: Path) -> None:
    """Write tables for papers, each on a separate page, with the rules of APA style."""
    sheet = _sheet(templates)
    for number, table in enumerate(tables):
        sheet.new_page = number > 0
        for text, italic in ((table.number, False), (table.title, True)):
            if text:
                run = begin_paragraph(sheet, "Caption").add_run(clean(text))
                run.bold, run.italic = not italic, italic
        place_table(list(_rows_of_paper(table)), sheet, table.title, word_document.RULED)
        general = [Piece(f"{table.note} ", frozenset(("italic",))), Piece(" ".join(table.general))]
        specific = [(Piece(letter, RAISED), Piece(f" {reason}. ")) for letter, reason in table.specific]
        for note in (general if table.general else [], list(chain(*specific))):
            if note:
                write_runs(begin_paragraph(sheet, "Report Table Note"), note, sheet)
    word_document.save(sheet.document, path, templates.report)


def _sheet(templates: Templates, **about: Any) -> Sheet:
    look = templates.look
    document = word_document.opened(look.docx_template)
    word_document.prepare_styles(document, templates.report.language, ours=look.docx_template is None)
    if look.docx_template is None:
        word_document.set_page(document, look.page)
    return Sheet(document, **about)


def _pictures_of(body: Any, templates: Templates) -> dict[Any, tuple[bytes, Drawing]]:
    """Return images of all drawings below an element: charts, strips, and outcome signs."""
    size = f'<svg width="{SIGN_PIXELS}" height="{SIGN_PIXELS}" '
    signs = {}  # these have no alt text, because a word follows each
    for name, address in pictures().items():
        picture = urllib.parse.unquote(str(address).partition(",")[2]).replace("<svg ", size, 1)
        signs[f"sign-{name}"] = Drawing(picture, SIGN_PIXELS, SIGN_PIXELS, clear=True)
    drawings: dict[Any, Drawing] = {}
    for node in body.iter():
        named = classes(node) & signs.keys()
        if node.tag == f"{SVG}svg":
            drawings[node] = drawing_of(node)
        elif node.tag == "span" and named:
            drawings[node] = signs[min(named)]
    drawn = list(dict.fromkeys(drawings.values()))
    files = dict(zip(drawn, as_png(drawn, templates), strict=True))
    return {node: (files[drawing], drawing) for node, drawing in drawings.items()}


def _places_of(body: Any) -> dict[str, str]:
    found = [node.get("href", "")[1:] for node in body.iter("a") if node.get("href", "").startswith("#")]
    return {
        target: f"{re.sub(r'[^A-Za-z0-9]+', '_', target)[: LONGEST_PLACE - 8]}_{number}"
        for number, target in enumerate(dict.fromkeys(filter(None, found)), start=1)
    }


_TOLD = tomllib.loads(Path(__file__).with_name("word.toml").read_text(encoding="utf-8"))
HEADINGS, LOWER, PARAGRAPHS, LISTS = (_TOLD[name] for name in ("headings", "lower", "paragraphs", "lists"))
FORMS = {each: form for form, every in _TOLD["forms"].items() for each in every}

CONTENTS = 'TOC \\o "1-2" \\h \\z \\u'
"""The field from which a word processor rebuilds the table of contents with page numbers."""


def write_blocks(node: Any, sheet: Sheet) -> None:
    """Write the content of an element block by block; text between blocks becomes a paragraph."""
    loose: list[Piece] = [Piece(node.text)] if node.text else []
    for child in node:
        if child.tag in BLOCKS:
            write_paragraph(loose, "Normal", sheet)
            loose = []
            if not classes(child) & HIDDEN:
                table = child.tag == "div" and "table" in classes(child)
                (write_table if table else BLOCKS[child.tag])(child, sheet)
        else:
            loose += element_pieces(child)
        if child.tail:
            loose.append(Piece(child.tail))
    write_paragraph(loose, "Normal", sheet)


def write_paragraph(found: Iterable[Piece], style: str, sheet: Sheet, place: str = "") -> Any:
    """Write a paragraph that links can target; nothing without text."""
    text = set_tight(found)
    if not text:
        return None
    begun = begin_paragraph(sheet, style)
    write_runs(begun, text, sheet)
    mark_place(begun, sheet, place)
    return begun


def begin_paragraph(sheet: Sheet, style: str) -> Any:
    """Return a new paragraph at the end of the document, on a new page if one is due."""
    begun = sheet.document.add_paragraph(style=style)
    if sheet.new_page:
        begun.paragraph_format.page_break_before = True
    if sheet.new_column:
        begun.add_run().add_break(WD_BREAK.COLUMN)
    if sheet.first_of_column:
        begun.paragraph_format.space_before = 0
    sheet.new_page = sheet.new_column = sheet.first_of_column = False
    return begun


def mark_place(paragraph: Any, sheet: Sheet, place: str) -> None:
    """Add link targets to a paragraph: `place`, and those waiting."""
    content = paragraph._p
    for name in filter(None, map(sheet.places.get, (*sheet.waiting, place))):
        number = sheet.next_number("place")
        content.insert(int(content.pPr is not None), made("w:bookmarkStart", id=number, name=name))
        content.append(made("w:bookmarkEnd", id=number))
    sheet.waiting.clear()


def _around(node: Any, sheet: Sheet) -> None:
    """Write an element that contains others; a summary ends with a page break."""
    kinds = classes(node)
    sheet.waiting.append(node.get("id", ""))
    sheet.annex = sheet.annex or "annex" in kinds
    outside, sheet.within_brief = sheet.within_brief, sheet.within_brief or "brief" in kinds
    beside = "two-columns" in kinds and sheet.columns == 1
    if beside:
        _end_section(sheet, 2)
        sheet.document.paragraphs[-1].paragraph_format.space_after = Pt(ABOVE)
    for part in node if beside else [node]:
        sheet.new_column = part is not node and part is not node[0]
        sheet.first_of_column = beside
        write_blocks(part, sheet)
    if beside:
        _end_section(sheet, 1)
    sheet.within_brief = outside
    if node.tag == "section" and "summary" in kinds:
        sheet.new_page = True


def _end_section(sheet: Sheet, columns: int) -> None:
    """End a section with the last paragraph; the following text continues on the same page, in this many columns."""
    body = sheet.document.element.body
    rest = body[-1]
    last = body[-2] if len(body) > 1 else None
    if last is None or last.tag != qn("w:p") or (last.pPr is not None and last.pPr.find(qn("w:sectPr")) is not None):
        last = sheet.document.add_paragraph()._p
    ended = copy.deepcopy(rest)
    for old in ended.findall(qn("w:cols")):
        ended.remove(old)
    many = {"num": sheet.columns} if sheet.columns > 1 else {}
    ended.insert_element_before(made("w:cols", space=BETWEEN // TWIP, **many), *_TOLD["after_columns"])
    last.get_or_add_pPr().append(ended)
    for name in ("w:headerReference", "w:footerReference", "w:titlePg"):
        for each in rest.findall(qn(name)):
            rest.remove(each)
    rest.start_type = WD_SECTION.CONTINUOUS  # on the same page
    sheet.columns = columns


def _text(node: Any, sheet: Sheet) -> None:
    """Write a paragraph of the page; spans of the particulars start new lines."""
    kinds = classes(node)
    style = next((style for kind, style in PARAGRAPHS.items() if kind in kinds), "Normal")
    found = pieces(node)
    if "particulars" in kinds:
        found = (piece for part in node for piece in (Piece(LINE), *element_pieces(part)))
    write_paragraph(found, style, sheet, node.get("id", ""))


def _heading(node: Any, sheet: Sheet) -> None:
    """Write a heading; the annex starts a page, and its section headings are one level lower."""
    kinds = classes(node)
    style = "Report Decision" if "decision" in kinds else HEADINGS[node.tag]
    if "part" in kinds:
        sheet.new_page = True
    elif sheet.annex:
        style = LOWER.get(style, style)
    write_paragraph(pieces(node), style, sheet, node.get("id", ""))


def _list(node: Any, sheet: Sheet, depth: int = 1) -> None:
    if "tally" in classes(node):
        gap, found = Piece(f"{TOGETHER * 4} "), list[Piece]()
        for item in node.findall("li"):
            own = (piece._replace(text=piece.text.replace(" ", TOGETHER)) for piece in pieces(item))
            found += [*([gap] if found else []), *own]
        write_paragraph(found, "Report Answer", sheet)
        return
    style = LISTS[node.tag] + (f" {min(depth, 3)}" if depth > 1 else "")
    number = _new_numbering(sheet.document, style) if node.tag == "ol" else None
    for item in node.findall("li"):
        inner = [child for child in item if child.tag in LISTS]
        flat = copy.copy(item)
        for child in inner:
            flat.remove(child)
        lines = frozenset(("",)) if len(flat.findall("p")) > 1 else frozenset[str]()
        written = write_paragraph(pieces(flat, lines), style, sheet)
        if written is not None and number is not None:
            about = written._p.get_or_add_pPr().get_or_add_numPr()
            about.get_or_add_ilvl().val = 0
            about.get_or_add_numId().val = number
        for child in inner:
            _list(child, sheet, depth + 1)


def _new_numbering(document: Any, style: str) -> int | None:
    about = document.styles[style].element.pPr
    held = about.numPr if about is not None else None
    if held is None or held.numId is None:
        return None
    numbering = document.part.numbering_part.element
    kind = next(each for each in numbering.num_lst if each.numId == held.numId.val)
    fresh = numbering.add_num(kind.abstractNumId.val)
    fresh.add_lvlOverride(ilvl=0).add_startOverride(1)
    return int(fresh.get(qn("w:numId")))


def _contents(node: Any, sheet: Sheet) -> None:
    """Write the contents as a field, which shows the page's contents until it is updated."""
    lines = []
    for child in node:
        for item in child.findall("li") if child.tag in LISTS else [child]:
            style = "toc 2" if item.tag == "li" else PARAGRAPHS.get(child.get("class", ""), "toc 1")
            lines.append(write_paragraph(pieces(item), style, sheet))
    entries = [line for line in lines if line is not None and line.style.name != "TOC Heading"]
    if entries:
        *before, end = word_document.field_around(CONTENTS)
        place = int(entries[0]._p.pPr is not None)
        entries[0]._p[place:place] = before
        entries[-1]._p.append(end)


def _figure(node: Any, sheet: Sheet) -> None:
    """Write a chart below its caption; a chart of the brief has a title without a number."""
    caption, place = node.find("figcaption"), node.get("id", "")
    if caption is not None:
        write_caption(sheet, "" if sheet.within_brief else "figure", caption, place)
    drawn = [each for each in node.iter() if each in sheet.pictures]
    for part in [] if drawn else node:
        if part.tag != "figcaption":
            write_blocks(part, sheet)
    for each in drawn:
        begun = begin_paragraph(sheet, "Report Picture")
        place_picture(begun, each, sheet)
        mark_place(begun, sheet, "" if caption is not None else place)


def write_caption(sheet: Sheet, kind: str, node: Any, place: str, number: int | None = None) -> None:
    """Write a caption, and its details in gray below; without a `kind`, it has no number."""
    below = [part for part in node if classes(part) & {"chart-note", "conditions"}]
    title = [Piece(node.text or "")]
    for part in node:
        title += [*([] if part in below else element_pieces(part)), Piece(part.tail or "")]
    note = [piece._replace(forms=piece.forms | {"quiet"}) for part in below for piece in pieces(part)]
    caption = begin_paragraph(sheet, "Caption")
    if kind:  # Word counts captions under English names in documents of every language
        caption.add_run(f"{sheet.words[kind]} ")
        word_document.add_field(caption, rf"SEQ {kind.capitalize()} \* ARABIC", str(number or sheet.next_number(kind)))
        caption.add_run(". ")
        for run in caption.runs:
            run.style = "Report Quiet"
    write_runs(caption, [*set_tight(title), *([Piece(LINE)] if note else []), *note], sheet)
    mark_place(caption, sheet, place)


def _preformatted(node: Any, sheet: Sheet) -> None:
    begun = begin_paragraph(sheet, "Report Preformatted")
    begun.add_run(clean("".join(node.itertext()).strip("\n")))
    mark_place(begun, sheet, "")


LINES = frozenset(("measure", "limits", "group", "reason"))  # classes that start a line in a cell of requirements

LETTER, MARGINS = 4.75, 8.0  # approximate width of a table letter in points, and points between two columns

WIDEST, MANY = {1: 1.0, 2: 0.65, 3: 0.5}, 0.5
"""Share of the width for a word column that can have several lines, by number of columns."""

SMALL = 16.0  # largest height in points of an image in a line of text


class Cell(NamedTuple):
    """A table cell: its text, its position, and its column and row span."""

    text: tuple[Piece, ...]
    column: int
    wide: int = 1
    high: int = 1
    figures: bool = False
    continued: bool = False


class Row(NamedTuple):
    """A table row; headings repeat on every page."""

    cells: Sequence[Cell]
    heading: bool = False
    strong: bool = False


def write_table(node: Any, sheet: Sheet) -> None:
    """Write a table of the page with its caption and its notes."""
    kinds = classes(node)
    table = node if node.tag == "table" else next(node.iter("table"), None)
    lines = LINES if kinds & {"checks", "questions"} else frozenset[str]()
    number = sheet.next_number("table") if node.tag == "div" and not lines else 0
    if table is None:
        return
    caption, place, rows = table.find("caption"), node.get("id", ""), list(_rows_of(table, lines))
    if caption is not None:
        write_caption(sheet, "table", caption, place, number)
    elif place:
        sheet.waiting.append(place)
    if rows:
        title = next((each.get("aria-label", "") for each in node.iter("div") if each.get("role") == "region"), "")
        place_table(rows, sheet, title, word_document.TABLE, whole=bool(lines))
    notes = [each for each in node.iter("div") if "table-notes" in classes(each)]
    for note in (each for part in notes for each in part):
        paragraph = begin_paragraph(sheet, "Report Table Note")
        write_runs(paragraph, pieces(note), sheet)
        mark_place(paragraph, sheet, "")
    if not notes:
        sheet.document.add_paragraph(style="Report Table Note")


def _rows_of(table: Any, lines: frozenset[str]) -> Iterator[Row]:
    cells: list[Cell] = []
    for part in table:
        for line in [part] if part.tag == "tr" else part.findall("tr"):
            cells = _cells_of(line, cells, lines, head=part.tag == "thead")
            if cells:
                yield Row(cells, part.tag == "thead", bool(classes(line) & {"overall", "stub"}))


def _cells_of(line: Any, above: Sequence[Cell], lines: frozenset[str], *, head: bool) -> list[Cell]:
    """Return the cells of a row, including those that span into it from above."""
    found = [Cell((), each.column, each.wide, each.high - 1, continued=True) for each in above if each.high > 1]
    covered = {place for each in found for place in range(each.column, each.column + each.wide)}
    column = 0
    for node in line:
        kinds = classes(node)
        if node.tag not in ("th", "td") or kinds & HIDDEN:
            continue
        while column in covered:
            column += 1
        split = lines - {"measure"} if head and "figures" not in kinds else lines
        spans = (node.get(name, "1").strip() for name in ("colspan", "rowspan"))
        wide, high = (min(max(int(span), 1), 100) if span.isascii() and span.isdigit() else 1 for span in spans)
        found.append(Cell(tuple(set_tight(pieces(node, split))), column, wide, high, "figures" in kinds))
        column += wide
    return sorted(found, key=lambda cell: cell.column)


def _rows_of_paper(table: PaperTable) -> Iterator[Row]:
    heads = enumerate(table.columns)
    yield Row([Cell((Piece(each.heading),), place, figures=each.figures) for place, each in heads], heading=True)
    for row in table.rows:
        wide, cells = len(table.columns) if row.heading else 1, []
        for place, (cell, column) in enumerate(zip(row.cells, table.columns, strict=False)):
            letter = [Piece(cell.letter, RAISED)] if cell.letter else []
            cells.append(Cell((Piece(cell.text), *letter), place, wide, figures=column.figures))
        yield Row(cells, strong=row.strong)


def place_table(rows: Sequence[Row], sheet: Sheet, title: str, style: str, *, whole: bool = False) -> None:
    """Write a table at the end of the document, in a style, and at `whole` width if requested."""
    count = max(cell.column + cell.wide for row in rows for cell in row.cells)
    widths = _widths(rows, count, sheet, whole=whole)
    about = made(
        "w:tblPr",
        made("w:tblStyle", val=sheet.document.styles[style].style_id),
        made("w:tblW", w=round(sum(widths) * TWIPS), type="dxa"),
        made("w:tblLayout", type="fixed"),
        made("w:tblLook", val="0020", firstRow=1, lastRow=0, firstColumn=0, lastColumn=0, noHBand=1, noVBand=1),
        made("w:tblCaption", val=clean(title)[:250]) if title else None,
    )
    grid = made("w:tblGrid", *(made("w:gridCol", w=round(width * TWIPS)) for width in widths))
    table = made("w:tbl", about, grid)
    sheet.document.element.body.insert_element_before(table, "w:sectPr")
    for place, row in enumerate(rows):
        table.append(_row_of(row, widths, sheet, with_next=place < len(rows) - 1 and (row.heading or len(rows) <= 8)))


def _row_of(row: Row, widths: Sequence[float], sheet: Sheet, *, with_next: bool) -> Any:
    line = made("w:tr", made("w:trPr", made("w:cantSplit"), made("w:tblHeader") if row.heading else None))
    at = 0
    for cell in (*row.cells, Cell((), len(widths), 0)):
        empty = [Cell((), at, cell.column - at)] if cell.column > at else []
        line.extend(_cell_of(each, row, widths, sheet, with_next=with_next) for each in (*empty, cell) if each.wide)
        at = cell.column + cell.wide
    return line


def _cell_of(cell: Cell, row: Row, widths: Sequence[float], sheet: Sheet, *, with_next: bool) -> Any:
    width = sum(widths[cell.column : cell.column + cell.wide])
    merged = made("w:vMerge", **({} if cell.continued else {"val": "restart"}))
    about = made(
        "w:tcPr",
        made("w:tcW", w=round(width * TWIPS), type="dxa"),
        made("w:gridSpan", val=cell.wide) if cell.wide > 1 else None,
        merged if cell.high > 1 or cell.continued else None,
        made("w:vAlign", val="bottom") if row.heading else None,
    )
    content = made("w:p")
    paragraph = Paragraph(content, sheet.document._body)
    paragraph.style = "Report Cell Heading" if row.heading else "Report Cell"
    if cell.figures:
        paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
    if with_next:
        paragraph.paragraph_format.keep_with_next = True
    write_runs(paragraph, cell.text, sheet, widest=round((width - MARGINS) * EMU_OF_POINT))
    for run in paragraph.runs if row.strong else []:
        run.bold = True
    return made("w:tc", about, content)


def _widths(rows: Sequence[Row], count: int, sheet: Sheet, *, whole: bool) -> list[float]:
    """Return the column widths in points: what words need, within the available width."""
    room, least, wished = sheet.room / EMU_OF_POINT, [24.0] * count, [24.0] * count
    for row, cell in ((each, cell) for each in rows for cell in each.cells if cell.wide == 1):
        low, high = _needs(cell, row, sheet, WIDEST.get(count, MANY) * room)
        least[cell.column] = max(least[cell.column], low)
        wished[cell.column] = max(wished[cell.column], high)
    if sum(least) >= room:
        return [width * room / sum(least) for width in least]
    spare, asked = room - sum(least), sum(wished) - sum(least)
    share = min(1.0, spare / asked) if asked else 0.0
    widths = [low + (high - low) * share for low, high in zip(least, wished, strict=True)]
    if whole and sum(widths) < room:
        widths[0] += room - sum(widths)
    return widths


def _needs(cell: Cell, row: Row, sheet: Sheet, widest: float) -> tuple[float, float]:
    """Return the smallest and the preferred width of a cell."""
    found = [sheet.pictures[piece.picture][1].width * POINTS for piece in cell.text if piece.picture in sheet.pictures]
    drawn = max((width for width in found if width > SMALL), default=0.0)
    signs = sum(width for width in found if width <= SMALL)
    text = "".join(piece.text for piece in cell.text)
    longest = max(map(len, text.split(LINE))) * LETTER + signs
    word = (max(map(len, text.replace(LINE, " ").split(" "))) + 1) * LETTER + signs
    wished = max(longest if cell.figures else min(longest, widest), word)
    if row.heading:
        wished = max(word, min(wished, longest / 2 + LETTER * 4))
    return max(min(word, widest), drawn) + MARGINS, max(wished, drawn) + MARGINS


BLOCKS: dict[Any, Callable[[Any, Sheet], None]] = {
    **dict.fromkeys(("body", "main", "section", "header", "div", "article", "details", "footer"), _around),
    **dict.fromkeys(("blockquote", "dl", "summary"), _around),
    **dict.fromkeys(("p", "dt", "dd"), _text),
    **dict.fromkeys(HEADINGS, _heading),
    **dict.fromkeys(LISTS, _list),
    "nav": _contents,
    "figure": _figure,
    "table": write_table,
    "pre": _preformatted,
    "hr": lambda *_: None,
}
"""The writer of each kind of block; everything else is running text."""

HIDDEN = frozenset(("unseen", "screen-only", "grouped-by"))  # classes that paper does not show

RAISED = frozenset(("superscript",))

TOGETHER = "\N{NO-BREAK SPACE}"

LINE = "\v"  # a line break within a paragraph

_SPACES = re.compile(r"[ \t\r\n\f]+")


class Piece(NamedTuple):
    """A piece of text with its formats and its link, or an inline image."""

    text: str
    forms: frozenset[str] = frozenset()
    address: str = ""
    picture: Any = None


PLAIN = Piece("")


def pieces(node: Any, lines: frozenset[str] = frozenset(), outer: Piece = PLAIN) -> Iterator[Piece]:
    """Yield the text below an element in the formats of the piece around it; `lines` classes start new lines."""
    if node.text:
        whole = "limits" in classes(node) and node.text.startswith("[")
        yield outer._replace(text=node.text.replace(" ", TOGETHER) if whole else node.text)
    for child in node:
        yield from element_pieces(child, lines, outer)
        if child.tail:
            yield outer._replace(text=child.tail)


def element_pieces(node: Any, lines: frozenset[str] = frozenset(), outer: Piece = PLAIN) -> Iterator[Piece]:
    """Yield an element of running text with its formats."""
    kinds = classes(node)
    if not isinstance(node.tag, str) or kinds & HIDDEN or node.tag in ("script", "style"):
        return
    if node.tag.endswith("}svg") or node.tag == "img":
        yield outer._replace(text="", picture=node)
    elif "drawn-sign" in kinds:
        yield from (outer._replace(text="", picture=node), outer._replace(text=TOGETHER))
    elif node.tag == "br":
        yield outer._replace(text=LINE)
    else:
        if kinds & lines:
            yield outer._replace(text=LINE)
        forms = {FORMS[each] for each in (node.tag, *(f".{kind}" for kind in kinds)) if each in FORMS}
        address = node.get("href", "") if node.tag == "a" else outer.address
        yield from pieces(node, lines, Piece("", outer.forms | forms, address))
        if "mark" in kinds and "".join(node.itertext()):
            yield outer._replace(text=TOGETHER)


def set_tight(found: Iterable[Piece]) -> list[Piece]:
    r"""Remove spaces that a page does not show, and empty pieces.

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
            kept.append(piece._replace(text=text))
    _trim(kept)
    while kept and kept[0].text == LINE:
        kept.pop(0)
    while kept and kept[-1].text == LINE:
        kept.pop()
    return kept


def _trim(kept: list[Piece]) -> None:
    if kept and kept[-1].picture is None and kept[-1].text != LINE:
        last = kept.pop()
        kept += [last._replace(text=text)] if (text := last.text.rstrip(" ")) else []


def write_runs(paragraph: Any, found: Iterable[Piece], sheet: Sheet, *, widest: int | None = None) -> None:
    """Write pieces into a paragraph; images are at most `widest` wide, and styles define the formats."""
    for address, same in groupby(set_tight(found), key=lambda piece: piece.address):
        link = _add_link(paragraph, address, sheet) if address else None
        for piece in same:
            if piece.picture is not None:
                place_picture(paragraph, piece.picture, sheet, widest)
                continue
            run, forms = paragraph.add_run(), piece.forms
            if piece.text == LINE:
                run.add_break()
            else:
                run.add_text(clean(piece.text))
            run.bold, run.italic = ("bold" in forms or None), ("italic" in forms or None)
            if shift := forms & {"superscript", "subscript"}:
                setattr(run.font, max(shift), True)
            if "quiet" in forms and "bold" not in forms:
                run.style = "Report Quiet"
            if "code" in forms:
                run.style = "Report Code"
            if link is not None:
                link.append(run._r)


_MAY_LEAD = re.compile(r"https?://|mailto:|(?![a-z][a-z0-9+.-]*:)[^/\\\\#]", re.IGNORECASE)
"""External addresses that a link can have: the web, and files next to the document."""

_LINK = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink"


def _add_link(paragraph: Any, address: str, sheet: Sheet) -> Any:
    if place := sheet.places.get(address.removeprefix("#")):
        found = made("w:hyperlink", anchor=place, history=1)
    elif _MAY_LEAD.match(address):
        found = made("w:hyperlink", history=1)
        found.set(qn("r:id"), paragraph.part.relate_to(address, _LINK, is_external=True))
    else:
        return None
    paragraph._p.append(found)
    return found


def place_picture(paragraph: Any, node: Any, sheet: Sheet, widest: int | None = None) -> None:
    """Place the image of an element in a line, with its alt text; without words it is decorative."""
    if node not in sheet.pictures:
        return
    content, drawing = sheet.pictures[node]
    width, number = min(round(drawing.width * EMU), widest or sheet.room), sheet.next_number("picture")
    inline = paragraph.add_run().add_picture(BytesIO(content), width=width)._inline
    for side in ("distT", "distB", "distL", "distR"):
        inline.set(side, "0")
    for name, value in (("id", str(number)), ("name", f"Picture {number}"), ("descr", clean(drawing.alt))):
        inline.docPr.set(name, value)
    if not drawing.alt:
        inline.docPr.append(parse_xml(_TOLD["decorative"]))
