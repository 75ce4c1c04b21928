"""All tables of all items: one for each kind, a row for each item and whatever it is divided into."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.differences import true_score_differences
from reportgen.evaluation.estimates import estimate_slices, rounded_agreement
from reportgen.evaluation.many_items.counted import BY_ITEM, EVERY, Chunk, ItemsStudy, between
from reportgen.evaluation.many_items.overall import (
    BY_GROUP,
    CAPTIONS,
    SYSTEM_BY_GROUP,
    Columns,
    LongTable,
    filled,
    group_tables,
    overall_tables,
    stacked,
)
from reportgen.evaluation.many_items.score_levels import level_tables
from reportgen.evaluation.panel import panel_of_points
from reportgen.evaluation.points import in_whole_points
from reportgen.evaluation.rater_effects import withheld_columns
from reportgen.evaluation.suppression import Suppression
from reportgen.evaluation.tallied_scores import Plan, TalliedScores
from reportgen.machine.worker_processes import ahead
from reportgen.results import Table
from reportgen.tally import OVERALL, TRIMMED, Slices, Tally, error_sums
from reportgen.tally.cells import Cells


def item_tables(studies: Iterable[ItemsStudy], threads: ThreadPoolExecutor | None = None) -> list[LongTable]:
    """Return every table of all items; its column `_item` has the item's place among those of all studies together.

    threads: Who makes them, some items at a time; None for the thread that asks.
    """
    parts: dict[str, list[Columns]] = {}
    first = 0
    chunks = (chunk for tallied in studies for chunk in tallied.chunks())
    for items, made in ahead(threads, _tables_of, chunks):
        for key, columns in made:
            columns["_item"] = columns["_item"] + first
            parts.setdefault(key, []).append(columns)
        first += items
    return [LongTable(key, stacked(filled(parts[key]))) for key in CAPTIONS if key in parts]


def _tables_of(chunk: Chunk) -> tuple[int, list[tuple[str, Columns]]]:
    return len(chunk.items), list(_of_chunk(chunk))


def _of_chunk(chunk: Chunk) -> Iterator[tuple[str, Columns]]:
    """Yield (key, rows) of every table of some items."""
    tallied = chunk.tallied
    yield from level_tables(chunk)
    yield from overall_tables(chunk)
    if tallied.also:
        yield from single_tables(chunk, tallied.also)
    if not chunk.groups:
        return
    trimmed = estimate_slices(
        chunk.tally, EVERY, TRIMMED, tallied.level, tallied.rater_error_variance, None, tallied.worst_errors(TRIMMED),
        chunk.inside(), BY_GROUP if len(tallied.raters) > 1 else SYSTEM_BY_GROUP,
    )  # fmt: skip
    rounded = rounded_agreement(chunk.tally, EVERY, trimmed, tallied.level)
    found = replace(trimmed, numbers=trimmed.numbers | rounded)
    if not tallied.preparation.rounding.points:
        found = found.on_continuous_scale()
    errors = error_sums(chunk.tally, EVERY, TRIMMED)
    for grouping in chunk.groups:
        yield from group_tables(chunk, grouping, found, errors)


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

    also: Some of `ALSO`.
    """
    rows: dict[str, list[Flat]] = {}
    for item, tallied in enumerate(_studies(chunk)):
        for key, start, found in _tables(tallied, also):
            if isinstance(found, str):
                rows.setdefault(NOT_MADE, []).append({"_item": item, "table": key, "group": "", "why": found, **start})
            else:
                header, body = found.flat()
                lines = (dict(zip(header, line, strict=True)) for line in body)
                rows.setdefault(key, []).extend({"_item": item, **start, **line} for line in lines)
    for key, made in rows.items():
        names = dict.fromkeys(name for row in made for name in row)  # one that a row does not have is blank there
        yield key, {name: _column([row.get(name) for row in made]) for name in names}


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
    plan = {each.name: getattr(many, each.name) for each in fields(Plan)}
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
            **plan, tallies={family: own}, forms=many.forms, groups=tuple(name for name in slices if name != OVERALL),
            withheld=Suppression(many.least, raters=frozenset(few)),
        )  # fmt: skip


def _alone(tally: Tally, slices: Mapping[str, Slices], item: str) -> Tally:
    """Return a tally of some slices, with the cells of all its responses and no others."""
    used = np.unique(slices[OVERALL].cell)
    cells = Cells(tally.cells.ratings[used], tally.cells.system[used], tally.cells.state[used])
    own = {name: replace(part, cell=np.searchsorted(used, part.cell)) for name, part in slices.items()}
    known = tally.ratings_alone.get(BY_ITEM)
    ratings = known.of_level(item) if known else None
    return Tally(cells, own, tally.bounds, {OVERALL: ratings} if ratings else {})


def _column(cells: Sequence[Any]) -> NDArray[Any]:
    if any(isinstance(cell, str) for cell in cells):
        return np.array(["" if cell is None else str(cell) for cell in cells], object)
    if all(isinstance(cell, int) for cell in cells):
        return np.array(cells, np.int64)
    return np.array([np.nan if cell is None else float(cell) for cell in cells])
