"""Agreement by group: system-human for every level, human-human where a second rater scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from reportgen.evaluation.differences import dsm_of_a_fair_engine, units
from reportgen.evaluation.many_groups import design_of, shrunken
from reportgen.evaluation.tables.build import DISCRETE_METRICS, estimate_cells, metric_column, table
from reportgen.evaluation.tables.raters import DISATTENUATED, disattenuated_row
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.metrics.catalogue import in_table
from reportgen.metrics.group_differences import minimum_detectable_difference
from reportgen.results import Cell, Column, Mark, Row, Table
from reportgen.results.term import Term
from reportgen.tally import OVERALL


def group_tables(tallied: TalliedScores, grouping: str) -> list[Table]:
    """Return the tables of one group: engine-human, and human-human when there is a second rater."""
    tables = [_by_group(tallied, grouping)]
    if len(tallied.raters) > 1:
        tables += [_human_by_group(tallied, grouping), _disattenuated_by_group(tallied, grouping)]
    return tables


LEADING = ("h_mean", "system_mean", "dsm", "qwk", "rmse")
"""Statistics that every page shows of a group; the others stand in results.json and the CSV file."""

FURTHER = tuple(metric for metric in in_table("by_group") if metric not in LEADING)
LEADING_OF_RATERS = ("h_mean", "system_mean", "dsm", "qwk", "r")
FURTHER_OF_RATERS = tuple(metric for metric in in_table("human_human.by") if metric not in LEADING_OF_RATERS)
NAMED = {"h_mean": "human_mean", "h_sd": "human_sd"}
"""Columns with names of their own."""

ALL_DATA = "All data"


def all_data(tallied: TalliedScores, grouping: str) -> str:
    """Return what the row of all responses is called beside the levels of a grouping: as none of them is called."""
    levels = {label.casefold() for label in tallied.tally.slices[grouping].labels}
    name = ALL_DATA
    while name.casefold() in levels:
        name = f"{name} (all groups)"
    return name


def compared(tallied: TalliedScores) -> tuple[str, ...]:
    """Return the groupings whose levels can be compared: a single level is the whole set over again."""
    return tuple(grouping for grouping in tallied.groups if len(tallied.tally.slices[grouping].labels) > 1)


def _by_group(tallied: TalliedScores, grouping: str) -> Table:
    """Return engine-human statistics of every level, largest first; the whole set comes first."""
    largest, *_ = order = tallied.level_order(grouping)
    labels = tallied.tally.slices[grouping].labels
    detectable, (further, beside) = _detectable(tallied, grouping), _beside_dsm(tallied, grouping, order)
    blank = (None,) * len(further)
    rows = [Row((all_data(tallied, grouping), *_group_cells(tallied, OVERALL, 0, None), *blank), "overall")]
    for level in order:
        cells = (*_group_cells(tallied, grouping, level, detectable[level]), *beside[level])
        rows.append(Row((labels[level], *cells), _group_mark(tallied, grouping, level, is_largest=level == largest)))
    columns = (
        Column("level", grouping),
        Column("n", kind="count"),
        _named("h_mean", "human_mean"),
        _named("system_mean"),
        _named("dsm"),
        Column("detectable", kind="coefficient"),
        _named("qwk"),
        _named("rmse"),
        *(_named(metric, NAMED.get(metric, metric), shown=False) for metric in FURTHER),
        *further,
    )  # fmt: skip
    return table(f"by_group.{grouping}", "", columns, rows, _size_note(tallied.min_n_of(grouping), rows))


def _beside_dsm(
    tallied: TalliedScores, grouping: str, order: Sequence[int]
) -> tuple[list[Column], dict[int, tuple[Cell, ...]]]:
    """Return what stands beside DSM: what a fair engine would have, and in intersections DSM drawn to main effects."""
    levels = tallied.tally.slices[grouping].labels
    found: dict[str, Mapping[int, Cell]] = {}
    if grouping in compared(tallied):
        found["dsm_fair"] = dict(enumerate(dsm_of_a_fair_engine(tallied, grouping)))
        found["dsm_shrunken"] = _shrunken(tallied, grouping, order)
    known = {key: cells for key, cells in found.items() if any(cell is not None for cell in cells.values())}
    columns = [Column(key, kind="difference") for key in known]
    return columns, {place: tuple(cells.get(place) for cells in known.values()) for place in range(len(levels))}


def _shrunken(tallied: TalliedScores, grouping: str, order: Sequence[int]) -> dict[int, Cell]:
    """Return the DSM of the judged groups of an intersection, drawn to the sum of main effects; nothing of others."""
    slices = tallied.estimates(tallied.primary, grouping)
    judged = [level for level in order if slices.sums.system.n[level] >= tallied.min_n_of(grouping)]
    design = design_of(grouping, [slices.labels[level] for level in judged], tallied.groups) if judged else None
    if design is None:
        return {}
    return dict(zip(judged, shrunken([slices.estimate("system.dsm", level) for level in judged], design), strict=True))


def _named(metric: str, key: str = "", *, shown: bool = True) -> Column:
    """Return a column for a metric, its heading left to the vocabulary."""
    return replace(metric_column(metric, key, shown=shown), label="")


def _detectable(tallied: TalliedScores, grouping: str) -> list[Cell]:
    """Return for every level the smallest DSM that would probably be seen; None where nothing can be said."""
    slices = tallied.estimates(tallied.primary, grouping)
    errors = [slices.estimate("system.dsm", level).standard_error for level in range(len(slices.labels))]
    alone = len(slices.labels) == 1
    found = minimum_detectable_difference(
        np.array([np.nan if error is None or alone else error for error in errors]), units(tallied, grouping)[0] - 1
    )
    return [float(value) if np.isfinite(value) and value > 0 else None for value in found]


def _size_note(least: int, rows: list[Row]) -> tuple[str, ...]:
    """Return the note on small groups when there are any."""
    small = sum(row.mark == "insufficient" for row in rows)
    return (Term("small_groups", least=least),) if small else ()


def _group_cells(tallied: TalliedScores, grouping: str, level: int, detectable: Cell) -> tuple[Cell, ...]:
    """Return one level's cells, in the order of the columns of `_by_group`."""
    trimmed = tallied.estimates(tallied.primary, grouping)
    rounded = tallied.estimates(tallied.primary_rounded, grouping)
    # the whole set differs from itself by nothing: a difference of standardized means has no meaning there
    dsm: Cell = None if len(trimmed.labels) == 1 else trimmed.estimate("system.dsm", level)
    before = estimate_cells(trimmed, ("system.h_mean", "system.system_mean"), level)
    n = round(trimmed.sums.system.n[level])
    after = [
        (rounded if metric in DISCRETE_METRICS else trimmed).estimate(f"system.{metric}", level)
        for metric in ("qwk", "rmse", *FURTHER)
    ]
    return (n, *before, dsm, detectable, *after)


def _group_mark(tallied: TalliedScores, grouping: str, level: int, *, is_largest: bool) -> Mark:
    """Return how a level's row is marked: too small to be judged, or the largest; the verdict adds its flags."""
    if grouping not in compared(tallied):
        return ""
    estimate = tallied.estimates(tallied.primary, grouping).estimate("system.dsm", level)
    if estimate.value is None or estimate.n < tallied.min_n_of(grouping):
        return "insufficient"
    return "reference" if is_largest else ""


def _human_by_group(tallied: TalliedScores, grouping: str) -> Table:
    """Return human-human agreement of every level."""
    labels = tallied.tally.slices[grouping].labels
    rows = [Row((all_data(tallied, grouping), *_human_group_cells(tallied, OVERALL, 0)), "overall")]
    rows += [Row((labels[level], *_human_group_cells(tallied, grouping, level)))
             for level in tallied.level_order(grouping, "human")]  # fmt: skip
    columns = (
        Column("level", grouping),
        Column("n", kind="count"),
        _named("h_mean", "h1_mean"),
        _named("system_mean", "h2_mean"),
        _named("dsm"),
        _named("qwk"),
        _named("r"),
        *(_named(metric, shown=False) for metric in FURTHER_OF_RATERS),
    )
    return table(f"human_human.by.{grouping}", "", columns, rows)


def _human_group_cells(tallied: TalliedScores, grouping: str, level: int) -> tuple[Cell, ...]:
    """Return one level's cells, in the order of the columns of `_human_by_group`."""
    slices = tallied.estimates(tallied.primary_rounded, grouping)
    metrics = (*LEADING_OF_RATERS, *FURTHER_OF_RATERS)
    cells = list(estimate_cells(slices, [f"human.{m}" for m in metrics], level))
    if len(slices.labels) == 1:
        cells[metrics.index("dsm")] = None  # as in `_group_cells`
    return (round(slices.sums.human.n[level]), *cells)


def _disattenuated_by_group(tallied: TalliedScores, grouping: str) -> Table:
    """Return disattenuated correlations of every level."""
    labels = tallied.tally.slices[grouping].labels
    rows = [
        disattenuated_row(tallied, tallied.primary, labels[level], grouping, level)
        for level in tallied.level_order(grouping, "human")
    ]
    columns = (Column("level", grouping), *DISATTENUATED)
    return table(f"human_human.disattenuated.by.{grouping}", "", columns, rows)
