"""Tables as Markdown: number and title above, a table of pipes, notes below; every text shows letter for letter."""

from __future__ import annotations

import re

from reportgen.charts.svg import clean
from reportgen.rendering.papers.model import PaperCell, PaperRow, PaperTable

_SPECIAL = re.compile(r"[\\`*_{}#|~$^]|\[(?![−+\d., \N{NO-BREAK SPACE}]+\](?![(\[:]))")
"""What Markdown reads as markup; an interval in brackets is none."""

_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;"}
_ADDRESS = re.compile(r":(?=/)|(?<=www)\.", re.IGNORECASE)
"""Where a text would become a link."""


def escaped(text: str) -> str:
    r"""Return a text as Markdown that shows it letter for letter, on one line, and reads well as it is.

    Examples
    --------
    >>> escaped("**a** | <b> & 0.71 [0.66, 0.75]"), escaped("[x](http://y)")
    ('\\*\\*a\\*\\* \\| &lt;b&gt; &amp; 0.71 [0.66, 0.75]', '\\[x](http&#58;//y)')
    """
    plain = " ".join(clean(text).split())
    plain = "".join(_HTML.get(letter, letter) for letter in _SPECIAL.sub(lambda found: f"\\{found[0]}", plain))
    return _ADDRESS.sub(lambda found: f"&#{ord(found[0])};", plain)


def markdown(table: PaperTable) -> str:
    """Return a table as Markdown with the tables that GitHub, Quarto and Pandoc read."""
    blocks = [f"**{escaped(table.number)}**"] if table.number else []
    blocks += [f"*{escaped(table.title)}*"] if table.title else []
    lines = [
        _line([escaped(column.heading) for column in table.columns]),
        _line(["--:" if column.figures else ":--" for column in table.columns]),
        *(_row(row, len(table.columns)) for row in table.rows),
    ]
    blocks.append("\n".join(lines))
    if table.general:
        blocks.append(f"*{escaped(table.note)}* {' '.join(map(escaped, table.general))}")
    if table.specific:
        blocks.append(" ".join(f"<sup>{letter}</sup> {escaped(reason)}." for letter, reason in table.specific))
    return "\n\n".join(blocks) + "\n"


def _row(row: PaperRow, columns: int) -> str:
    cells = [_cell(cell, strong=row.strong) for cell in row.cells]
    return _line([*cells, *[""] * (columns - len(cells))])


def _cell(cell: PaperCell, *, strong: bool) -> str:
    text = escaped(cell.text)
    text = f"**{text}**" if strong and text else text
    return f"{text}<sup>{escaped(cell.letter)}</sup>" if cell.letter else text


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
