"""All tables of all items: one for each kind, a row for each item and whatever it is divided into."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.differences import true_score_differences
from reportgen.evaluation.estimates import estimate_slices, rounded_agreement, without_points
from reportgen.evaluation.many_items.counted import BY_ITEM, EVERY, Chunk, ItemsStudy, between
from reportgen.evaluation.many_items.overall import (
    BY_GROUP,
    SYSTEM_BY_GROUP,
    Columns,
    LongTable,
    filled,
    group_tables,
    overall_tables,
    stacked,
)
from reportgen.evaluation.many_items.score_levels import level_tables, point_tables
from reportgen.evaluation.panel import panel_of_points
from reportgen.evaluation.points import in_whole_points
from reportgen.evaluation.rater_effects import withheld_columns
from reportgen.evaluation.suppression import Suppression
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.machine.worker_processes import ahead
from reportgen.results import Table
from reportgen.tally import OVERALL, TRIMMED, Slices, Tally, error_sums
from reportgen.tally.cells import Cells

CAPTIONS = {
    "data.groups": "Evaluated responses by group",
    "confusion.system": "First human score by engine score, trimmed and rounded: pairs that occur",
    "confusion.human": "First human score by second: pairs that occur, of responses that both scored",
    "distribution": "Score distribution of the first human score and the engine score, trimmed and rounded",
    "human_human.agreement": "Agreement of the first two human raters, on the responses that both scored",
    "human_human.degradation": "Engine-human agreement minus human-human agreement",
    "human_human.disattenuated": "Correlation of engine and human scores, corrected for the unreliability of one "
    "human score",
    "system_human.descriptives": "Means and standard deviations of the first human score and of each form of the "
    "engine score",
    "system_human.association": "Association of the engine score with the first human score",
    "system_human.agreement": "Agreement of the engine score with the first human score on score points",
    "true_score.prmse": "Engine score as a predictor of the true score (the mean over all possible raters)",
    "calibration": "Mean first human score by engine score: a calibrated engine has equal means in every row",
    "levels.by_human": "What the engine gives at each first human score, engine score trimmed",
    "levels.overall": "Large errors, ends of the scale that are kept, and slopes",
    "by_group": "Engine and first human score by group, engine score trimmed; agreement of rounded scores",
    "human_human.by": "Agreement of the first two human raters by group, on the responses that both scored",
    "human_human.disattenuated.by": "Correlation of engine and human scores by group, corrected for the unreliability "
    "of one human score",
    "fairness.explained": "How much of the engine's error a group column explains",
    "fairness.contrasts": "Squared error (osa), error (osd) and error at equal first human score (csd): the reference "
    "group's own value, and differences from it",
    "fairness.given_true_score": "Engine score given the true score: difference from the largest group, and from all "
    "others (SD: of human scores)",
    "panel.agreement": "Agreement of engine and first human score, and of raters, on the points of the scale",
    "panel.pairs": "Agreement of every pair of raters, on the responses that both scored",
    "panel.divergence": "Where kappa and Gwet's AC part: the difference, what each takes for agreement by chance, and "
    "prevalence",
    "not_made": "Tables that were asked for and cannot be made of an item",
}
"""Table -> what it says, in the order of the report; keys are those of one item's tables."""


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
    return [LongTable(key, caption, stacked(filled(parts[key]))) for key, caption in CAPTIONS.items() if key in parts]


def _tables_of(chunk: Chunk) -> tuple[int, list[tuple[str, Columns]]]:
    return len(chunk.items), list(_of_chunk(chunk))


def _of_chunk(chunk: Chunk) -> Iterator[tuple[str, Columns]]:
    """Yield (key, rows) of every table of some items."""
    tallied = chunk.tallied
    yield from point_tables(chunk)
    if in_whole_points(tallied.scale):
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
    if not tallied.preparation.rounding.points:
        trimmed, rounded = trimmed.on_continuous_scale(), without_points(rounded)
    errors = error_sums(chunk.tally, EVERY, TRIMMED)
    for grouping in chunk.groups:
        yield from group_tables(chunk, grouping, trimmed, rounded, errors)


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
            raters=many.raters, scale=many.scale, preparation=many.preparation, level=many.level, min_n=many.min_n,
            rater_error_variance=many.rater_error_variance, min_n_by_group=many.min_n_by_group,
            tallies={family: own}, forms=many.forms, groups=tuple(name for name in slices if name != OVERALL),
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
