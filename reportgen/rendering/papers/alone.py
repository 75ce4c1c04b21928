"""A table by itself, as somebody who holds it in Python asks for it."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup, escape

from reportgen.rendering.papers import great
from reportgen.rendering.papers import latex as in_latex
from reportgen.rendering.papers import markdown as in_markdown
from reportgen.rendering.papers.model import PaperCell, PaperRow, PaperTable, paper_table
from reportgen.results import Table
from reportgen.wording.vocabulary import english

MOST_ROWS = 60
"""Rows that a notebook shows; files have all."""

_RIGHT = Markup(' style="text-align:right"')
_LEFT = Markup(' style="text-align:left"')


def latex(table: Table) -> str:
    """Return a table as LaTeX."""
    return in_latex.latex(_worded(table))


def markdown(table: Table) -> str:
    """Return a table as Markdown."""
    return in_markdown.markdown(_worded(table))


def great_table(table: Table) -> Any:
    """Return a table as one of great_tables."""
    return great.great_table(_worded(table))


def html(held: Table) -> str:
    """Return a table as HTML without scripts, for a notebook."""
    found = _worded(held)
    head = Markup("").join(_cell("th", column.heading, "", figures=column.figures) for column in found.columns)
    rows = Markup("").join(_row(row, found) for row in found.rows[:MOST_ROWS])
    left = len(found.rows) - MOST_ROWS
    notes = [Markup("<i>{}</i> {}").format(found.note, " ".join(found.general))] if found.general else []
    notes += [Markup("<sup>{}</sup> {}").format(letter, reason) for letter, reason in found.specific]
    below = Markup("").join(Markup("<p>{}</p>").format(note) for note in [*notes, *(["…"] if left > 0 else [])])
    page = Markup(
        "<div><table><caption{}><i>{}</i></caption><thead><tr>{}</tr></thead><tbody>{}</tbody></table>{}</div>"
    )
    return str(page.format(_LEFT, found.title, head, rows, below))


def _worded(table: Table) -> PaperTable:
    words = english()
    return paper_table(words.table(table), words)


def _row(row: PaperRow, table: PaperTable) -> Markup:
    if row.heading:
        return Markup("<tr><th colspan='{}'{}>{}</th></tr>").format(len(table.columns), _LEFT, row.cells[0].text)
    cells = (
        _plain(cell, column.figures, strong=row.strong) for cell, column in zip(row.cells, table.columns, strict=True)
    )
    return Markup("<tr>{}</tr>").format(Markup("").join(cells))


def _plain(cell: PaperCell, figures: bool, *, strong: bool) -> Markup:
    text = Markup("<b>{}</b>").format(cell.text) if strong else escape(cell.text)
    return _cell("td", text, cell.letter, figures=figures)


def _cell(name: str, text: str, letter: str, *, figures: bool) -> Markup:
    note = Markup("<sup>{}</sup>").format(letter) if letter else Markup("")
    return Markup("<{0}{1}>{2}{3}</{0}>").format(name, _RIGHT if figures else _LEFT, text, note)
