"""Tables for papers in a Word document, each on a page of its own, with the rules of the APA."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from reportgen.rendering.look import Look
from reportgen.rendering.paper_tables import PaperCell, PaperRow, PaperTable
from reportgen.rendering.word import Cell, Row, place_table
from reportgen.rendering.word_document import RULED, opened, prepare_styles, save, set_page
from reportgen.rendering.word_text import Form, Piece, Sheet, begin_paragraph, write_paper_caption, write_runs
from reportgen.results import Report


def write_document(tables: Sequence[PaperTable], report: Report, look: Look, path: Path) -> None:
    """Write tables into a Word document, in the styles of the look's document."""
    document = opened(look.docx_template)
    prepare_styles(document, report.language, ours=look.docx_template is None)
    sheet = Sheet(document, {}, {}, {})
    if look.docx_template is None:
        set_page(document, look.page)
    for number, table in enumerate(tables):
        sheet.new_page = number > 0
        write_paper_caption(sheet, table.number, table.title)
        place_table(_rows(table), sheet, table.title, RULED)
        notes = [[Piece(f"{table.note} ", Form(italic=True)), Piece(" ".join(table.general))]] if table.general else []
        if table.specific:
            notes.append([piece for letter, reason in table.specific
                          for piece in (Piece(letter, Form(raised=True)), Piece(f" {reason}. "))])  # fmt: skip
        for note in notes:
            write_runs(begin_paragraph(sheet, "Report Table Note"), note, sheet)
    save(document, path, report)


def _rows(table: PaperTable) -> list[Row]:
    head = tuple(Cell((Piece(column.heading),), place, figures=column.figures, heading=True)
                 for place, column in enumerate(table.columns))  # fmt: skip
    rows = [Row(head, heading=True)]
    for row in table.rows:
        wide = len(table.columns) if row.heading else 1
        cells = tuple(Cell(_pieces(cell, row), place, wide, figures=table.columns[place].figures)
                      for place, cell in enumerate(row.cells))  # fmt: skip
        rows.append(Row(cells, strong=row.strong))
    return rows


def _pieces(cell: PaperCell, row: PaperRow) -> tuple[Piece, ...]:
    letter = (Piece(cell.letter, Form(raised=True)),) if cell.letter else ()
    return (Piece(cell.text, Form(bold=row.strong)), *letter)
