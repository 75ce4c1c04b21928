"""Tables: caption, headings that repeat on every page, rows that stay whole, columns as wide as their words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from reportgen.charts.svg import clean
from reportgen.rendering.pictures import POINTS
from reportgen.rendering.word import captions, inline
from reportgen.rendering.word.fields import made
from reportgen.rendering.word.inline import LINE, Piece
from reportgen.rendering.word.sheet import Sheet, classes
from reportgen.rendering.word.styles import TABLE

LINES = frozenset(("measure", "limits", "group", "reason"))
"""Classes of what begins a line in a cell of requirements."""

LETTER = 4.75
"""Points that a letter of a table is wide, about."""

BESIDE = 8.0
"""Points between the words of two columns."""

WIDEST = {1: 1.0, 2: 0.65, 3: 0.5}
MANY = 0.5
"""Share of the room for a column of words that may stand in more lines than one, by the number of columns."""

SMALL = 16.0
"""Points of a picture that stands in a line of words."""

TWIPS = 20
EMU_OF_POINT = 12700


@dataclass(frozen=True)
class Cell:
    """A cell of a table: its text, its place, how many columns and rows it takes."""

    text: tuple[Piece, ...]
    column: int
    wide: int = 1
    high: int = 1
    figures: bool = False
    heading: bool = False
    continued: bool = False


@dataclass(frozen=True)
class Row:
    """A row of a table; headings repeat on every page."""

    cells: tuple[Cell, ...]
    heading: bool = False
    strong: bool = False


def write(node: Any, sheet: Sheet) -> None:
    """Write a table of the page with its caption and its notes."""
    kinds = classes(node)
    table = node if node.tag == "table" else next(node.iter("table"), None)
    counted = node.tag == "div" and not kinds & {"checks", "questions"}
    number = sheet.next_number("table") if counted else 0
    if table is None:
        return
    lines = LINES if kinds & {"checks", "questions"} else frozenset[str]()
    rows = list(_rows(table, lines))
    caption, place = table.find("caption"), node.get("id", "")
    region = next((each.get("aria-label", "") for each in node.iter("div") if each.get("role") == "region"), "")
    if caption is not None:
        captions.write(sheet, "table", _parts_of(caption), place, number)
    elif place:
        sheet.waiting.append(place)
    if rows:
        place_table(rows, sheet, region, TABLE, whole=bool(lines))
    notes = [each for each in node.iter("div") if "table-notes" in classes(each)]
    for note in (each for part in notes for each in part):
        paragraph = captions.begin(sheet, "Report Table Note")
        inline.write(paragraph, inline.pieces(note), sheet)
        captions.mark(paragraph, sheet, "")
    if not notes:
        sheet.document.add_paragraph(style="Report Table Note")


def _parts_of(caption: Any) -> tuple[list[Piece], list[Piece]]:
    below = [part for part in caption if "conditions" in classes(part)]
    title = [Piece(caption.text or "")]
    for part in caption:
        title += [*([] if part in below else inline.element(part)), Piece(part.tail or "")]
    return inline.set_tight(title), [piece for part in below for piece in inline.pieces(part)]


def _rows(table: Any, lines: frozenset[str]) -> Iterator[Row]:
    """Yield the rows that paper shows, each cell in its column."""
    taken: dict[int, Cell] = {}
    for tag in ("thead", "tbody", "tfoot", "tr"):
        for part in table.findall(tag):
            for line in [part] if tag == "tr" else part.findall("tr"):
                cells = tuple(sorted(_cells(line, taken, lines, head=tag == "thead"), key=lambda cell: cell.column))
                if cells:
                    yield Row(cells, tag == "thead", bool(classes(line) & {"overall", "stub"}))


def _cells(line: Any, taken: dict[int, Cell], lines: frozenset[str], *, head: bool) -> Iterator[Cell]:
    """Yield the cells of a row, and those of rows above that reach into it."""
    held = dict(taken)
    taken.clear()
    for cell in held.values():
        yield _below(cell, taken)
    column = 0
    for node in line:
        kinds = classes(node)
        if node.tag not in ("th", "td") or kinds & inline.HIDDEN:
            continue
        while any(cell.column <= column < cell.column + cell.wide for cell in held.values()):
            column += 1
        split = lines - {"measure"} if head and "figures" not in kinds else lines
        cell = Cell(
            tuple(inline.set_tight(inline.pieces(node, lines=split))), column, _span(node, "colspan"),
            _span(node, "rowspan"), "figures" in kinds, node.tag == "th",
        )  # fmt: skip
        yield cell
        if cell.high > 1:
            taken[column] = cell
        column += cell.wide


def _below(cell: Cell, taken: dict[int, Cell]) -> Cell:
    """Return what a cell of rows above is in this one, and remember it for the next."""
    rest = Cell((), cell.column, cell.wide, cell.high - 1, continued=True)
    if rest.high > 1:
        taken[cell.column] = rest
    return rest


def _span(node: Any, name: str) -> int:
    text = node.get(name, "1").strip()
    return min(max(int(text), 1), 100) if text.isascii() and text.isdigit() else 1


def place_table(rows: Sequence[Row], sheet: Sheet, title: str, style: str, *, whole: bool = False) -> None:
    """Write a table at the end of the document, in a style, and over the `whole` width if asked."""
    from docx.oxml import OxmlElement

    count = max(cell.column + cell.wide for row in rows for cell in row.cells)
    room = sheet.room / EMU_OF_POINT
    widths = _widths(rows, count, room, sheet, whole=whole)
    table = OxmlElement("w:tbl")
    table.append(_about(widths, sheet, title, style))
    grid = made("w:tblGrid")
    for width in widths:
        grid.append(made("w:gridCol", w=round(width * TWIPS)))
    table.append(grid)
    sheet.document.element.body.insert_element_before(table, "w:sectPr")
    for place, row in enumerate(rows):
        table.append(_row(row, widths, sheet, with_next=place < len(rows) - 1 and (row.heading or len(rows) <= 8)))


def _about(widths: Sequence[float], sheet: Sheet, title: str, style: str) -> Any:
    about = made("w:tblPr")
    about.append(made("w:tblStyle", val=sheet.document.styles[style].style_id))
    about.append(made("w:tblW", w=round(sum(widths) * TWIPS), type="dxa"))
    about.append(made("w:tblLayout", type="fixed"))
    about.append(
        made("w:tblLook", val="0020", firstRow=1, lastRow=0, firstColumn=0, lastColumn=0, noHBand=1, noVBand=1)
    )
    if title:
        about.append(made("w:tblCaption", val=clean(title)[:250]))
    return about


def _row(row: Row, widths: Sequence[float], sheet: Sheet, *, with_next: bool) -> Any:
    """Return a row as Word has it; rows stay whole, and headings stay with the first one."""
    line, about = made("w:tr"), made("w:trPr")
    about.append(made("w:cantSplit"))
    if row.heading:
        about.append(made("w:tblHeader"))
    line.append(about)
    at = 0
    for cell in row.cells:
        if cell.column > at:
            line.append(_cell(Cell((), at, cell.column - at), row, widths, sheet, with_next=with_next))
        line.append(_cell(cell, row, widths, sheet, with_next=with_next))
        at = cell.column + cell.wide
    if at < len(widths):
        line.append(_cell(Cell((), at, len(widths) - at), row, widths, sheet, with_next=with_next))
    return line


def _cell(cell: Cell, row: Row, widths: Sequence[float], sheet: Sheet, *, with_next: bool) -> Any:
    from docx.enum.text import WD_ALIGN_PARAGRAPH
    from docx.text.paragraph import Paragraph

    made_cell, about = made("w:tc"), made("w:tcPr")
    width = sum(widths[cell.column : cell.column + cell.wide])
    about.append(made("w:tcW", w=round(width * TWIPS), type="dxa"))
    if cell.wide > 1:
        about.append(made("w:gridSpan", val=cell.wide))
    if cell.high > 1 or cell.continued:
        about.append(made("w:vMerge", **({} if cell.continued else {"val": "restart"})))
    if row.heading:
        about.append(made("w:vAlign", val="bottom"))
    made_cell.append(about)
    content = made("w:p")
    made_cell.append(content)
    paragraph = Paragraph(content, sheet.document._body)
    paragraph.style = "Report Cell Heading" if row.heading else "Report Cell"
    if cell.figures:
        paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
    if with_next:
        paragraph.paragraph_format.keep_with_next = True
    inline.write(paragraph, cell.text, sheet, widest=round((width - BESIDE) * EMU_OF_POINT))
    for run in paragraph.runs if row.strong else []:
        run.bold = True
    return made_cell


def _widths(rows: Sequence[Row], count: int, room: float, sheet: Sheet, *, whole: bool) -> list[float]:
    """Return the widths of the columns in points: what words need, within the room there is."""
    least, wished = [24.0] * count, [24.0] * count
    for row in rows:
        for cell in row.cells:
            if cell.wide == 1:
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
    """Return the width that a cell must have, and the one that it would like."""
    found = [sheet.pictures[piece.picture].width * POINTS for piece in cell.text if piece.picture in sheet.pictures]
    drawn = max((width for width in found if width > SMALL), default=0.0)
    signs = sum(width for width in found if width <= SMALL)
    text = "".join(piece.text for piece in cell.text)
    longest = max(map(len, text.split(LINE))) * LETTER + signs
    word = (max(map(len, text.replace(LINE, " ").split(" "))) + 1) * LETTER + signs
    wished = max(longest if cell.figures else min(longest, widest), word)
    if row.heading:
        wished = max(word, min(wished, longest / 2 + LETTER * 4))
    return max(min(word, widest), drawn) + BESIDE, max(wished, drawn) + BESIDE
