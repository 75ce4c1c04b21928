"""Captions with a number that a word processor keeps, and places that links lead to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from reportgen.charts.svg import clean
from reportgen.rendering.word import fields, inline
from reportgen.rendering.word.inline import LINE, Piece
from reportgen.rendering.word.sheet import Sheet

SEQUENCES = {"table": "Table", "figure": "Figure"}
"""The names under which Word counts captions, in documents of every language."""


def begin(sheet: Sheet, style: str) -> Any:
    """Return a new paragraph at the end of the document, on a new page where one is due."""
    begun = sheet.document.add_paragraph(style=style)
    if sheet.new_page:
        begun.paragraph_format.page_break_before = True
        sheet.new_page = False
    if sheet.new_column:
        from docx.enum.text import WD_BREAK

        begun.add_run().add_break(WD_BREAK.COLUMN)
        sheet.new_column = False
    if sheet.first_of_column:
        begun.paragraph_format.space_before = 0
        sheet.first_of_column = False
    return begun


def mark(paragraph: Any, sheet: Sheet, place: str) -> None:
    """Let links lead to a paragraph: those to `place`, and those to what began before it."""
    for target in (*sheet.waiting, place):
        name = sheet.places.get(target)
        if name:
            fields.mark(paragraph, name, sheet.next_number("place"))
    sheet.waiting.clear()


def write_plain(sheet: Sheet, number: str, title: str) -> None:
    """Write the number of a table and below it its title in italics, as papers have it."""
    for text, italic in ((number, False), (title, True)):
        if text:
            run = begin(sheet, "Caption").add_run(clean(text))
            run.bold, run.italic = not italic, italic


def write(
    sheet: Sheet, kind: str, parts: tuple[Sequence[Piece], Sequence[Piece]], place: str, number: int | None = None
) -> None:
    """Write a caption, and below it what it says besides; without a `kind` it has no number."""
    title, note = parts
    caption = begin(sheet, "Caption")
    if kind:
        caption.add_run(f"{sheet.words[kind]} ")
        fields.field(caption, rf"SEQ {SEQUENCES[kind]} \* ARABIC", str(number or sheet.next_number(kind)))
        caption.add_run(". ")
        for run in caption.runs:
            run.style = "Report Quiet"
    below = [replace(piece, form=replace(piece.form, quiet=True)) for piece in note]
    inline.write(caption, [*title, *([Piece(LINE)] if below else []), *below], sheet)
    mark(caption, sheet, place)
