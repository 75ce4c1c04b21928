"""Tables whose sums are of another kind, when asked for: made item by item, as an item's own report has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.many_items.counted import EVERY, Chunk, between
from reportgen.evaluation.many_items.items import BY_ITEM
from reportgen.evaluation.many_items.long import Columns
from reportgen.evaluation.points import in_whole_points
from reportgen.evaluation.rater_effects import withheld_columns
from reportgen.evaluation.suppression import Suppression
from reportgen.evaluation.tables.panel import panel_of_points
from reportgen.evaluation.tables.true_score_differences import true_score_differences
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.results import Table
from reportgen.tally import OVERALL, Slices, Tally
from reportgen.tally.cells import Cells

PANEL, DIFFERENCES = "panel", "differences"

ALSO = (PANEL, DIFFERENCES)
"""What may be asked for beside the other tables."""

DIFFERENCES_KEY = "fairness.given_true_score"

NOT_MADE = "not_made"

NO_POINTS = "the points of the scale are not whole numbers; reportgen batch --tables-only makes it from the rows"
"""Why an item has no tables on the points of its scale."""

Flat = dict[str, Any]
"""Column -> cell, of one row."""


def single_tables(chunk: Chunk, also: Sequence[str]) -> Iterator[tuple[str, Columns]]:
    """Yield (key, rows) of the tables asked for, and why some were not made.

    Parameters
    ----------
    also
        Some of `ALSO`.
    """
    rows: dict[str, list[Flat]] = {}
    for item, tallied in enumerate(_studies(chunk)):
        for key, start, found in _tables(tallied, also):
            if isinstance(found, str):
                rows.setdefault(NOT_MADE, []).append({"_item": item, "table": key, "group": "", "why": found, **start})
            else:
                rows.setdefault(key, []).extend({"_item": item, **start, **row} for row in _flat(found))
    yield from ((key, _columns(found)) for key, found in rows.items())


def _tables(tallied: TalliedScores, also: Sequence[str]) -> Iterator[tuple[str, Flat, Table | str]]:
    """Yield key, columns that rows begin with, and an item's table, or why there is none."""
    if PANEL in also and in_whole_points(tallied.scale):
        yield from ((table.key, {}, table) for table in panel_of_points(tallied))
    elif PANEL in also:
        yield PANEL, {}, NO_POINTS
    if DIFFERENCES in also:
        for grouping in tallied.groups:
            table, why = true_score_differences(tallied, grouping)
            yield DIFFERENCES_KEY, {"group": grouping}, table or why


def _studies(chunk: Chunk) -> Iterator[TalliedScores]:
    """Yield the counted scores of every item, of the groups that are shown."""
    many, tally, family = chunk.tallied, chunk.tally, chunk.tallied.forms[0].family
    for item in range(len(chunk.items)):
        slices = {OVERALL: replace(between(tally.slices[BY_ITEM], item, item + 1), labels=("",))}
        for grouping, levels in chunk.groups.items():
            first, last = np.searchsorted(levels.item, [item, item + 1]).tolist()
            if last > first:
                part = between(tally.slices[EVERY], levels.begin + first, levels.begin + last)
                slices[grouping] = replace(part, labels=levels.labels[first:last])
        own = _alone(tally, slices, chunk.items[item])
        few = np.flatnonzero(withheld_columns(own, many.least)).tolist()
        yield TalliedScores(
            {family: own}, many.forms,
            tuple(name for name in slices if name != OVERALL), many.raters, many.scale, many.preparation, many.level,
            many.min_n, many.rater_error_variance,
            min_n_by_group=many.min_n_by_group, withheld=Suppression(many.least, raters=frozenset(few)),
        )  # fmt: skip


def _alone(tally: Tally, slices: Mapping[str, Slices], item: str) -> Tally:
    """Return a tally of some slices, with the cells of all its responses and no others."""
    used = np.unique(slices[OVERALL].cell)
    cells = Cells(tally.cells.ratings[used], tally.cells.system[used], tally.cells.state[used])
    own = {name: replace(part, cell=np.searchsorted(used, part.cell)) for name, part in slices.items()}
    known = tally.ratings_alone.get(BY_ITEM)
    ratings = known.of_level(item) if known else None
    return Tally(cells, own, tally.bounds, {OVERALL: ratings} if ratings else {})


def _flat(table: Table) -> Iterator[Flat]:
    header, body = table.flat()
    return (dict(zip(header, line, strict=True)) for line in body)


def _columns(rows: Sequence[Flat]) -> Columns:
    """Return rows as columns; one that a row does not have is blank there."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: _column([row.get(name) for row in rows]) for name in names}


def _column(cells: Sequence[Any]) -> NDArray[Any]:
    """Return cells as texts, as whole numbers, or as numbers with nan where there is none."""
    if any(isinstance(cell, str) for cell in cells):
        return np.array(["" if cell is None else str(cell) for cell in cells], object)
    if all(isinstance(cell, int) for cell in cells):
        return np.array(cells, np.int64)
    return np.array([np.nan if cell is None else float(cell) for cell in cells])
