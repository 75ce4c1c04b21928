"""Rows of a table under headings of their own, where their first column would repeat its words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import TypeVar

Row = TypeVar("Row")


def row_groups(rows: Sequence[Row], cell: Callable[[Row, int], str]) -> tuple[tuple[str, tuple[Row, ...]], ...]:
    """Return the rows in groups of the same first cell, each with its heading; one group without where they differ.

    Rows are grouped where a word of the first column stands for two of them on average, and none comes back later;
    each row of a group then needs a name in its second cell.  A row that stands alone and has none keeps its first
    cell as its name, and no heading.

    Examples
    --------
    >>> row_groups([("QWK", "A"), ("QWK", "B"), ("r", "A"), ("r", "B")], lambda row, place: row[place])
    (('QWK', (('QWK', 'A'), ('QWK', 'B'))), ('r', (('r', 'A'), ('r', 'B'))))
    >>> row_groups([("QWK", "A"), ("r", "A"), ("QWK", "B")], lambda row, place: row[place])
    (('', (('QWK', 'A'), ('r', 'A'), ('QWK', 'B'))),)
    """
    alone = (("", tuple(rows)),)
    runs = [(name, tuple(run)) for name, run in groupby(rows, lambda row: cell(row, 0))]
    named = [len(run) for _, run in runs if len(run) > 1 or cell(run[0], 1)]
    if not named or 2 * len(named) > sum(named) or len({name for name, _ in runs}) < len(runs):
        return alone
    if any(not cell(row, 1) for _, run in runs if len(run) > 1 for row in run):
        return alone
    return tuple((name if len(run) > 1 or cell(run[0], 1) else "", run) for name, run in runs)
