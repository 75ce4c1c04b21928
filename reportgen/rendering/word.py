"""From a filled page to a Word document: its headings, tables, pictures, and links, in styles that a template changes.

The page is the one that is filled for paper, so the words are its words.  Nothing here writes a word of its own.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.text.paragraph import Paragraph

from reportgen.charts.svg import clean
from reportgen.rendering import word_text
from reportgen.rendering.papers import PaperCell, PaperRow, PaperTable
from reportgen.rendering.pdf import POINTS, parsed
from reportgen.rendering.templates import Templates
from reportgen.rendering.word_document import RULED, TABLE, opened, prepare_styles, save, set_page, write_margins
from reportgen.rendering.word_text import LINE, TOGETHER, Form, Piece, Sheet, classes, made, pictures_of, places_of

WORDS = "html/words.json.j2"
"""The template of the words that style sheets write on paper."""


def write_word(source: str, templates: Templates, path: Path) -> Path:
    """Write a page, filled for word processors, as a Word document; the same page gives the same bytes."""
    report, look = templates.report, templates.look
    body = parsed(source).find("body")
    document = opened(look.docx_template)
    prepare_styles(document, report.language, ours=look.docx_template is None)
    words = {name: str(word) for name, word in json.loads(templates.page(WORDS)).items()}
    sheet = Sheet(document, pictures_of(body, templates), places_of(body), words)
    if look.docx_template is None:
        set_page(document, look.page)
        write_margins(sheet, report.title, report.evaluation.source.sha256[:8])
    write_blocks(body, sheet)
    save(document, path, report)
    return path


HEADINGS = {"h1": "Title", "h2": "Heading 1", "h3": "Heading 2", **dict.fromkeys(("h4", "h5", "h6"), "Heading 3")}
LOWER = {"Heading 1": "Heading 2", "Heading 2": "Heading 3"}
"""The styles of headings, and the one below each, which sections of the annex have."""

PARAGRAPHS = {
    "kicker": "Report Kicker", "headline": "Report Headline", "about": "Subtitle", "particulars": "Report Facts",
    "question": "Report Question", "why": "Report Answer", "caveat": "Report Note", "aside": "Report Note",
    "term-note": "Report Note", "rests": "Report Note", "beside-raters": "Report Note",
    "contents-title": "TOC Heading", "contents-part": "toc 1",
}  # fmt: skip
"""Styles of paragraphs, by their class on the page."""

AROUND = frozenset((
    "body", "main", "section", "header", "div", "article", "details", "footer", "blockquote", "dl", "summary",
))  # fmt: skip
ALONE = frozenset(("p", "ul", "ol", "nav", "figure", "table", "pre", "dt", "dd", "hr", *HEADINGS))
LISTS = {"ul": "List Bullet", "ol": "List Number"}

BESIDE = frozenset(("two-columns", "pages-two"))
"""Classes of what stands in two columns."""

GAP = 4
"""Between counts of outcomes that stand in one line."""

CONTENTS = 'TOC \\o "1-2" \\h \\z \\u'
"""The field that a word processor makes the contents anew with, then with numbers of pages."""


def write_blocks(node: Any, sheet: Sheet) -> None:
    """Write what stands in an element, block by block; text between blocks is a paragraph of its own."""
    loose: list[Piece] = [Piece(node.text)] if node.text else []
    for child in node:
        if isinstance(child.tag, str) and (child.tag in AROUND or child.tag in ALONE):
            write_paragraph(loose, "Normal", sheet)
            loose = []
            _block(child, sheet)
        else:
            loose += word_text.element_pieces(child)
        if child.tail:
            loose.append(Piece(child.tail))
    write_paragraph(loose, "Normal", sheet)


def write_paragraph(found: Iterable[Piece], style: str, sheet: Sheet, place: str = "") -> Any:
    """Write a paragraph that links may lead to, or nothing where there is no text."""
    text = word_text.set_tight(found)
    if not text:
        return None
    begun = word_text.begin_paragraph(sheet, style)
    word_text.write_runs(begun, text, sheet)
    word_text.mark_place(begun, sheet, place)
    return begun


def _block(node: Any, sheet: Sheet) -> None:
    kinds = classes(node)
    if kinds & word_text.HIDDEN or node.tag == "hr":
        return
    if node.tag in HEADINGS:
        _heading(node, kinds, sheet)
    elif node.tag in LISTS:
        _tally(node, sheet) if "tally" in kinds else _write_list(node, sheet)
    elif node.tag == "nav":
        _contents(node, sheet)
    elif node.tag == "figure":
        _figure(node, sheet)
    elif node.tag == "table" or (node.tag == "div" and "table" in kinds):
        write_table(node, sheet)
    elif node.tag == "pre":
        _preformatted(node, sheet)
    elif node.tag in AROUND:
        _around(node, kinds, sheet)
    else:
        _write_text(node, kinds, sheet)


def _around(node: Any, kinds: frozenset[str], sheet: Sheet) -> None:
    """Write an element that holds others; what comes after a summary begins a page."""
    sheet.waiting.append(node.get("id", ""))
    sheet.annex = sheet.annex or "annex" in kinds
    outside, sheet.within_brief = sheet.within_brief, sheet.within_brief or "brief" in kinds
    beside = bool(kinds & BESIDE) and sheet.columns == 1
    if beside:
        word_text.begin_columns(sheet)
    for part in [node] if not beside or "two-columns" not in kinds else node:
        sheet.new_column = part is not node and part is not node[0]
        sheet.first_of_column = beside
        write_blocks(part, sheet)
    if beside:
        word_text.end_columns(sheet)
    sheet.within_brief = outside
    if node.tag == "section" and "summary" in kinds:
        sheet.new_page = True


def _write_text(node: Any, kinds: frozenset[str], sheet: Sheet) -> None:
    """Write a paragraph of the page; what stands in spans of the particulars begins a line each."""
    style = next((style for kind, style in PARAGRAPHS.items() if kind in kinds), "Normal")
    found = word_text.pieces(node)
    if "particulars" in kinds:
        found = (piece for part in node for piece in (Piece(LINE), *word_text.element_pieces(part)))
    write_paragraph(found, style, sheet, node.get("id", ""))


def _heading(node: Any, kinds: frozenset[str], sheet: Sheet) -> None:
    """Write a heading; the name of the annex begins a page, and its sections stand below it."""
    style = "Report Decision" if "decision" in kinds else HEADINGS[node.tag]
    if "part" in kinds:
        sheet.new_page = True
    elif sheet.annex:
        style = LOWER.get(style, style)
    write_paragraph(word_text.pieces(node), style, sheet, node.get("id", ""))


def _write_list(node: Any, sheet: Sheet, depth: int = 1) -> None:
    """Write a list, and those in it; each numbered list begins with 1."""
    style = LISTS[node.tag] + (f" {min(depth, 3)}" if depth > 1 else "")
    number = word_text.new_numbering(sheet.document, style) if node.tag == "ol" else None
    for item in node.findall("li"):
        inner = [child for child in item if child.tag in LISTS]
        flat = copy.copy(item)
        for child in inner:
            flat.remove(child)
        lines = frozenset(("",)) if len(flat.findall("p")) > 1 else frozenset[str]()
        written = write_paragraph(word_text.pieces(flat, lines=lines), style, sheet)
        if written is not None and number is not None:
            word_text.set_number(written, number)
        for child in inner:
            _write_list(child, sheet, depth + 1)


def _tally(node: Any, sheet: Sheet) -> None:
    found: list[Piece] = []
    for item in node.findall("li"):
        own = [replace(piece, text=piece.text.replace(" ", TOGETHER)) for piece in word_text.pieces(item)]
        found += [*([Piece(f"{TOGETHER * GAP} ")] if found else []), *own]
    write_paragraph(found, "Report Answer", sheet)


def _contents(node: Any, sheet: Sheet) -> None:
    lines = []
    for child in node:
        for item in child.findall("li") if child.tag in LISTS else [child]:
            style = "toc 2" if item.tag == "li" else PARAGRAPHS.get(child.get("class", ""), "toc 1")
            lines.append(write_paragraph(word_text.pieces(item), style, sheet))
    written = [line for line in lines if line is not None]
    entries = [line for line in written if line.style.name != "TOC Heading"]
    if entries:
        word_text.wrap_in_field(entries[0], entries[-1], CONTENTS)


def _figure(node: Any, sheet: Sheet) -> None:
    """Write a chart below its caption; one of the brief has a title without a number."""
    caption = node.find("figcaption")
    place = node.get("id", "")
    if caption is not None:
        word_text.write_caption(sheet, "" if sheet.within_brief else "figure", _caption(caption), place)
    drawn = [each for each in node.iter() if each in sheet.pictures]
    for part in [] if drawn else node:
        if part.tag != "figcaption":
            write_blocks(part, sheet)
    for each in drawn:
        begun = word_text.begin_paragraph(sheet, "Report Picture")
        word_text.place_picture(begun, each, sheet)
        word_text.mark_place(begun, sheet, "" if caption is not None else place)


def _caption(caption: Any) -> tuple[list[Piece], list[Piece]]:
    """Return the title in a caption, and what stands below it in grey."""
    below = [part for part in caption if classes(part) & {"chart-note", "conditions"}]
    title = [Piece(caption.text or "")]
    for part in caption:
        title += [*([] if part in below else word_text.element_pieces(part)), Piece(part.tail or "")]
    return word_text.set_tight(title), [piece for part in below for piece in word_text.pieces(part)]


def _preformatted(node: Any, sheet: Sheet) -> None:
    begun = word_text.begin_paragraph(sheet, "Report Preformatted")
    begun.add_run(clean("".join(node.itertext()).strip("\n")))
    word_text.mark_place(begun, sheet, "")


LINES = frozenset(("measure", "limits", "group", "reason"))
"""Classes of what begins a line in a cell of requirements."""

LETTER = 4.75
"""Points that a letter of a table is wide, about."""

MARGINS = 8.0
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
    continued: bool = False


@dataclass(frozen=True)
class Row:
    """A row of a table; headings repeat on every page."""

    cells: tuple[Cell, ...]
    heading: bool = False
    strong: bool = False


def write_table(node: Any, sheet: Sheet) -> None:
    """Write a table of the page with its caption and its notes."""
    kinds = classes(node)
    table = node if node.tag == "table" else next(node.iter("table"), None)
    counted = node.tag == "div" and not kinds & {"checks", "questions"}
    number = sheet.next_number("table") if counted else 0
    if table is None:
        return
    lines = LINES if kinds & {"checks", "questions"} else frozenset[str]()
    rows = list(_rows_of(table, lines))
    caption, place = table.find("caption"), node.get("id", "")
    region = next((each.get("aria-label", "") for each in node.iter("div") if each.get("role") == "region"), "")
    if caption is not None:
        word_text.write_caption(sheet, "table", _caption(caption), place, number)
    elif place:
        sheet.waiting.append(place)
    if rows:
        place_table(rows, sheet, region, TABLE, whole=bool(lines))
    notes = [each for each in node.iter("div") if "table-notes" in classes(each)]
    for note in (each for part in notes for each in part):
        paragraph = word_text.begin_paragraph(sheet, "Report Table Note")
        word_text.write_runs(paragraph, word_text.pieces(note), sheet)
        word_text.mark_place(paragraph, sheet, "")
    if not notes:
        sheet.document.add_paragraph(style="Report Table Note")


def _rows_of(table: Any, lines: frozenset[str]) -> Iterator[Row]:
    taken: dict[int, Cell] = {}
    for tag in ("thead", "tbody", "tfoot", "tr"):
        for part in table.findall(tag):
            for line in [part] if tag == "tr" else part.findall("tr"):
                cells = tuple(_cells_of(line, taken, lines, head=tag == "thead"))
                if cells:
                    yield Row(cells, tag == "thead", bool(classes(line) & {"overall", "stub"}))


def _cells_of(line: Any, taken: dict[int, Cell], lines: frozenset[str], *, head: bool) -> list[Cell]:
    """Return the cells of a row, with the lower parts of those that reach down into it; note those that go on."""
    found = [Cell((), each.column, each.wide, each.high - 1, continued=True) for each in taken.values()]
    covered = {place for each in found for place in range(each.column, each.column + each.wide)}
    column = 0
    for node in line:
        kinds = classes(node)
        if node.tag not in ("th", "td") or kinds & word_text.HIDDEN:
            continue
        while column in covered:
            column += 1
        split = lines - {"measure"} if head and "figures" not in kinds else lines
        text = tuple(word_text.set_tight(word_text.pieces(node, lines=split)))
        wide, high = (_span(node, name) for name in ("colspan", "rowspan"))
        found.append(Cell(text, column, wide, high, "figures" in kinds))
        column += wide
    taken.clear()
    taken.update((cell.column, cell) for cell in found if cell.high > 1)
    return sorted(found, key=lambda cell: cell.column)


def _span(node: Any, name: str) -> int:
    text = node.get(name, "1").strip()
    return min(max(int(text), 1), 100) if text.isascii() and text.isdigit() else 1


def place_table(rows: Sequence[Row], sheet: Sheet, title: str, style: str, *, whole: bool = False) -> None:
    """Write a table at the end of the document, in a style, and over the `whole` width if asked."""
    count = max(cell.column + cell.wide for row in rows for cell in row.cells)
    widths = _widths(rows, count, sheet.room / EMU_OF_POINT, sheet, whole=whole)
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
    """Return a row as Word has it; rows stay whole, and headings stay with the first one."""
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
    word_text.write_runs(paragraph, cell.text, sheet, widest=round((width - MARGINS) * EMU_OF_POINT))
    for run in paragraph.runs if row.strong else []:
        run.bold = True
    return made("w:tc", about, content)


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
    found = [sheet.pictures[piece.picture].width * POINTS for piece in cell.text if piece.picture in sheet.pictures]
    drawn = max((width for width in found if width > SMALL), default=0.0)
    signs = sum(width for width in found if width <= SMALL)
    text = "".join(piece.text for piece in cell.text)
    longest = max(map(len, text.split(LINE))) * LETTER + signs
    word = (max(map(len, text.replace(LINE, " ").split(" "))) + 1) * LETTER + signs
    wished = max(longest if cell.figures else min(longest, widest), word)
    if row.heading:
        wished = max(word, min(wished, longest / 2 + LETTER * 4))
    return max(min(word, widest), drawn) + MARGINS, max(wished, drawn) + MARGINS


def write_document(tables: Sequence[PaperTable], templates: Templates, path: Path) -> None:
    """Write tables for papers, each on a page of its own, with the rules of the APA."""
    report, look = templates.report, templates.look
    document = opened(look.docx_template)
    prepare_styles(document, report.language, ours=look.docx_template is None)
    sheet = Sheet(document, {}, {}, {})
    if look.docx_template is None:
        set_page(document, look.page)
    for number, table in enumerate(tables):
        sheet.new_page = number > 0
        word_text.write_paper_caption(sheet, table.number, table.title)
        place_table(_rows_of_paper(table), sheet, table.title, RULED)
        notes = [[Piece(f"{table.note} ", Form(italic=True)), Piece(" ".join(table.general))]] if table.general else []
        if table.specific:
            notes.append([piece for letter, reason in table.specific
                          for piece in (Piece(letter, Form(raised=True)), Piece(f" {reason}. "))])  # fmt: skip
        for note in notes:
            word_text.write_runs(word_text.begin_paragraph(sheet, "Report Table Note"), note, sheet)
    save(document, path, report)


def _rows_of_paper(table: PaperTable) -> list[Row]:
    head = tuple(Cell((Piece(column.heading),), place, figures=column.figures)
                 for place, column in enumerate(table.columns))  # fmt: skip
    rows = [Row(head, heading=True)]
    for row in table.rows:
        wide = len(table.columns) if row.heading else 1
        cells = tuple(Cell(_pieces_of_paper(cell, row), place, wide, figures=table.columns[place].figures)
                      for place, cell in enumerate(row.cells))  # fmt: skip
        rows.append(Row(cells, strong=row.strong))
    return rows


def _pieces_of_paper(cell: PaperCell, row: PaperRow) -> tuple[Piece, ...]:
    letter = (Piece(cell.letter, Form(raised=True)),) if cell.letter else ()
    return (Piece(cell.text, Form(bold=row.strong)), *letter)
