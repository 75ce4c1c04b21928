"""Evaluation tables as CSV files that no spreadsheet will run."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from pathlib import Path

from reportgen.results import Table
from reportgen.results.term import Term

_FORMULA = re.compile(
    r"(?:^|[;\t\r\n])(?=[\s\x00-\x1f\u200b\ufeff]*([=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b][^;\t\r\n]*))|^(?=[\t\r\n])"
)
"""Where a spreadsheet could begin a formula: at the start, and behind what some settings read as the end of a cell."""


def write_tables(tables: Iterable[Table], folder: Path) -> None:
    """Write every table to ``folder/<key>.csv``, unrounded, UTF-8, one row per row.

    An estimate takes four columns: value, low, high and n.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for table in tables:
        (folder / table.file_name).write_text(csv_text(table), encoding="utf-8", newline="")


def csv_text(table: Table) -> str:
    """Return a table as the text of its CSV file."""
    header, body = table.flat()
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([harmless(name) for name in header])
    writer.writerows([["" if cell is None else harmless(cell) for cell in line] for line in body])
    return file.getvalue()


def says(text: str, table: Table) -> bool:
    """Return whether the text of a CSV file is what a table says; which words stand for its terms does not matter."""
    _, body = table.flat()
    try:
        lines = list(csv.reader(io.StringIO(text, newline="")))
    except (ValueError, csv.Error):
        return False
    expected = list(csv.reader(io.StringIO(csv_text(table), newline="")))
    free = [[False] * len(line) for line in expected[:1]] + [[isinstance(cell, Term) for cell in line] for line in body]
    return [len(line) for line in lines] == [len(line) for line in expected] and all(
        found == written or said
        for line in zip(lines, expected, free, strict=True)
        for found, written, said in zip(*line, strict=True)
    )


def harmless(cell: str | int | float) -> str | int | float:
    """Return a cell that a spreadsheet shows as text: what looks like a formula gets an apostrophe in front.

    Examples
    --------
    >>> harmless("=cmd()"), harmless("a;\uff1d1+1"), harmless("-1.5"), harmless(-1.5), harmless("female")
    ("'=cmd()", "a;'\uff1d1+1", '-1.5', -1.5, 'female')
    """
    return _FORMULA.sub(_with_apostrophe, cell) if isinstance(cell, str) else cell


def _with_apostrophe(found: re.Match[str]) -> str:
    """Return what is before a formula with an apostrophe behind it; only that before a number."""
    try:
        float(found[1] or "")
    except ValueError:
        return found[0] + "'"
    return found[0]
