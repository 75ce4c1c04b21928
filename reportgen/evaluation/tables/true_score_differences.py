"""Group differences given the true score as a table: every level beside the largest, and beside all others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from reportgen.evaluation.differences import Differences, LevelNumbers, differences
from reportgen.evaluation.many_groups import beyond_together
from reportgen.evaluation.tables.build import table
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.results import Cell, Column, Estimate, Kind, Mark, Row, Table
from reportgen.results.group_statistics import REFERENCE
from reportgen.results.term import Term
from reportgen.tally import limits
from reportgen.verdicts import judge

METRIC = "difference_given_true_score"

LIMIT = 0.10
"""A difference given the true score beyond this many SDs of human scores is flagged."""


def true_score_differences(tallied: TalliedScores, grouping: str) -> tuple[Table | None, str]:
    """Return the table of one grouping; None with the reason when there is no difference given the true score."""
    if len(tallied.tally.slices[grouping].labels) < 2:
        return None, "there is only one group"
    found = differences(tallied, grouping)
    if found.reason:
        return None, found.reason
    return _table(tallied, grouping, found), ""


def kept_differences(tallied: TalliedScores, grouping: str, found: Table | None, reason: str) -> list[Estimate]:
    """Return the standardized difference of every level from the reference level, as the table has it.

    Parameters
    ----------
    found, reason
        What `true_score_differences` returned.
    """
    sizes = tallied.estimates(tallied.primary, grouping).sums.system.n[tallied.level_order(grouping)]
    cells = found.column("standardized") if found else ()
    made = []
    for place, n in enumerate(sizes):
        cell = cells[place] if found else None
        why = REFERENCE if found and not place else reason
        none = Estimate(METRIC, None, round(n), kind="difference", level=tallied.level, reason=why)
        made.append(cell if isinstance(cell, Estimate) else none)
    return made


def _table(tallied: TalliedScores, grouping: str, found: Differences) -> Table:
    """Return one row per level, the reference first, then by size."""
    order = tallied.level_order(grouping)
    labels = tallied.tally.slices[grouping].labels
    numbers = {
        "standardized": _estimates(tallied, found, found.standardized, "difference"),
        "points": _estimates(tallied, found, found.points, "difference"),
        "from_others": _estimates(tallied, found, found.from_others, "difference"),
        "rater_error": _estimates(tallied, found, found.rater_error, "difference"),
    }
    detectable = found.standardized.detectable
    rows = []
    for place, level in enumerate(order):
        mark = _mark(tallied, numbers["standardized"][level], is_reference=place == 0)
        against: tuple[Cell, ...] = (None,) * 5
        if place:
            least = float(detectable[level]) if np.isfinite(detectable[level]) else None
            against = (
                float(found.gap[level]), numbers["standardized"][level], least, numbers["points"][level],
                numbers["rater_error"][level],
            )  # fmt: skip
        rows.append(Row((labels[level], round(found.n[level]), *against, numbers["from_others"][level]), mark))
    columns = (
        Column("level", grouping),
        Column("n", kind="count"),
        Column("gap", kind="difference"),
        Column("standardized", kind="difference"),
        Column("detectable", kind="coefficient"),
        Column("points", kind="difference", shown=False),
        Column("rater_error", kind="difference"),
        Column("from_others", kind="difference", shown=False),
    )
    notes = (Term("slope_on_true_score", slope=found.slope, reliability=found.reliability, error=found.error_variance),)
    return table(f"fairness.given_true_score.{grouping}", "", columns, rows, notes)


def _estimates(tallied: TalliedScores, found: Differences, numbers: LevelNumbers, kind: Kind) -> list[Estimate]:
    """Return one estimate per level."""
    low, high = limits(numbers.value, numbers.error, numbers.freedom, "none", tallied.level)
    method = tallied.method
    return [
        _estimate(*map(float, row), n=round(n), level=tallied.level, method=method, kind=kind)
        for *row, n in zip(numbers.value, numbers.error, low, high, found.n, strict=True)
    ]


def _estimate(
    value: float, error: float, low: float, high: float, *, n: int, level: float, method: str, kind: Kind
) -> Estimate:
    """Return plain numbers as an estimate."""
    if not np.isfinite(value):
        return Estimate(METRIC, None, n, kind=kind, level=level, reason="the human scores do not vary")
    if not (np.isfinite(low) and np.isfinite(high)):
        why = "too few responses, or scores that do not vary"
        return Estimate(METRIC, value, n, level=level, method=method, kind=kind, interval_reason=why)
    return Estimate(METRIC, value, n, low, high, error, level, method, kind)


def _mark(tallied: TalliedScores, estimate: Estimate, *, is_reference: bool) -> Mark:
    """Return how a level's row is marked."""
    if is_reference:
        return "reference"
    return "insufficient" if judge(estimate, -LIMIT, LIMIT, tallied.min_n) == "insufficient" else ""


def flagged_together(found: Mapping[str, tuple[Table | None, str]]) -> dict[str, tuple[Table | None, str]]:
    """Return the tables of all groupings with the groups flagged that lie beyond the limit, judged together.

    Parameters
    ----------
    found
        Grouping -> what `true_score_differences` returned.
    """
    places = [
        (grouping, place, cell)
        for grouping, (each, _) in found.items()
        if each is not None
        for place, (row, cell) in enumerate(zip(each.rows, each.column("standardized"), strict=True))
        if not row.mark and isinstance(cell, Estimate)
    ]
    flags = beyond_together([cell for *_, cell in places], LIMIT)
    marked = {(grouping, place) for (grouping, place, _), flag in zip(places, flags, strict=True) if flag}
    return {grouping: (each and _flagged(each, grouping, marked), why) for grouping, (each, why) in found.items()}


def _flagged(found: Table, grouping: str, marked: set[tuple[str, int]]) -> Table:
    """Return a table with some of its rows flagged."""
    rows = tuple(
        replace(row, mark="flagged") if (grouping, place) in marked else row for place, row in enumerate(found.rows)
    )
    return replace(found, rows=rows)
