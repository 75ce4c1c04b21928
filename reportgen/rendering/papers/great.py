"""Tables of great_tables, where that package is installed."""

from __future__ import annotations

from html import escape
from importlib.util import find_spec
from typing import Any

from reportgen.errors import OutputError, install_command
from reportgen.rendering.papers.model import PaperCell, PaperTable


def great_table(table: PaperTable) -> Any:
    """Return a table as a ``great_tables.GT``, with its title, headings, groups of rows and notes.

    Raises
    ------
    OutputError
        If the package is not installed.
    """
    if find_spec("great_tables") is None:
        raise OutputError(f"great_table() needs one more package; type: {install_command('great-tables')}")
    import pyarrow as pa
    from great_tables import GT, html

    names = [f"column {place}" for place in range(len(table.columns))]
    group, lines, groups = "", [], []
    for row in table.rows:
        if row.heading:
            group = row.cells[0].text
        else:
            lines.append([_html(cell) for cell in row.cells])
            groups.append(group)
    parted = any(groups)
    held = {name: [line[place] for line in lines] for place, name in enumerate(names)}
    frame = pa.table(held | ({"group": groups} if parted else {})).to_pandas()
    headings: dict[str, Any] = {
        name: html(escape(column.heading)) for name, column in zip(names, table.columns, strict=True)
    }
    figures = [name for name, column in zip(names, table.columns, strict=True) if column.figures]
    found = GT(frame, groupname_col="group") if parted else GT(frame)
    found = found.fmt(str, columns=names).cols_label(headings)  # cells are HTML already
    found = found.cols_align("right", columns=figures) if figures else found
    found = found.tab_header(title=html(f"<i>{escape(table.title)}</i>"))
    for note in _notes(table):
        found = found.tab_source_note(html(note))
    return found


def _notes(table: PaperTable) -> list[str]:
    """Return the notes as HTML, the general ones in one."""
    general = [f"<i>{escape(table.note)}</i> {escape(' '.join(table.general))}"] if table.general else []
    return [*general, *(f"<sup>{escape(letter)}</sup> {escape(reason)}." for letter, reason in table.specific)]


def _html(cell: PaperCell) -> str:
    """Return a cell as HTML, which a format of great_tables prints as it is."""
    return f"{escape(cell.text)}<sup>{escape(cell.letter)}</sup>" if cell.letter else escape(cell.text)
