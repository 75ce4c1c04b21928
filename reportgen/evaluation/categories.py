"""Statistics of two categories in every level of a grouping: sensitivity, specificity and their relatives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.estimates import interval_numbers
from reportgen.evaluation.intervals import Numbers
from reportgen.evaluation.points import Points
from reportgen.metrics.two_categories import CATEGORY_STATISTICS, CategoryStatistic
from reportgen.results import Scale
from reportgen.tally import OVERALL, ClusteredRows, Form, Slices, Tally, human_contingency, system_contingency
from reportgen.tally.cells import Integers
from reportgen.tally.contingency_tables import Contingency
from reportgen.tally.sums import Floats

CATEGORY_KEYS: Mapping[str, CategoryStatistic] = {
    f"{family}.{metric}": statistic
    for family in ("system", "human")
    for metric, statistic in CATEGORY_STATISTICS.items()
    if family == "system" or statistic.of_raters
}
"""Every statistic of two categories by its key in results.json."""


def middle_of(scale: Scale) -> float | None:
    """Return what lies between the two points of a scale; None on a scale of more points, of none, or without an order.

    Examples
    --------
    >>> middle_of(Scale(0, 1, 1, False)), middle_of(Scale(1, 6, 1, False)), middle_of(Scale(0, 1, 1, False, (), False))
    (0.5, None, None)
    """
    two = scale.ordered and scale.step > 0 and round((scale.high - scale.low) / scale.step) == 1
    return (scale.low + scale.high) / 2 if two else None


@dataclass(frozen=True)
class Crossing:
    """Scores against each other in every level: which of the labels are the positive category, and where cells lie.

    table: Counts by label, rows the reference.
    positive (labels,): whether a label belongs to the positive category.
    rows: The responses with their candidates, when those are the units.
    """

    table: Contingency
    positive: NDArray[np.bool_]
    slices: Slices
    grouping: str
    rows: ClusteredRows | None

    @property
    def counts(self) -> Floats:
        """(levels, 2, 2): responses by category, the positive one second."""
        sides = np.stack([~self.positive, self.positive]).astype(np.float64)
        return np.asarray(np.einsum("ri,lij,cj->lrc", sides, self.table.counts, sides))

    def numbers(self, statistics: Mapping[str, CategoryStatistic], level: float) -> dict[str, Numbers]:
        """Return statistics in every level, with intervals by response or by candidate."""
        counts = self.counts
        with np.errstate(all="ignore"):
            gradients = {key: np.nan_to_num(each.gradient(counts)) for key, each in statistics.items()}
        units, squares = self._spread(statistics, gradients, counts)
        made = {}
        for key, statistic in statistics.items():
            n, of = (counts * statistic.counted).sum(axis=(1, 2)), units[key]
            with np.errstate(all="ignore"):
                error = np.where(of > 1, np.sqrt(squares[key] * of / (of - 1)), np.nan)
            made[key] = interval_numbers(key, statistic.key, statistic.of(counts), error, n, of, level)
        return made

    def _spread(
        self, statistics: Mapping[str, CategoryStatistic], gradients: Mapping[str, Floats], counts: Floats
    ) -> tuple[dict[str, Floats], dict[str, Floats]]:
        """Return of every statistic the units that it rests on, and the sum over them of their squared influence."""
        if self.rows is None:
            return (
                {key: (counts * each.counted).sum(axis=(1, 2)) for key, each in statistics.items()},
                {key: (counts * gradient**2).sum(axis=(1, 2)) for key, gradient in gradients.items()},
            )
        both, row, column = self._places()
        cell, at = self.slices.cell, self.slices.level
        moved = [np.where(both[cell], each[at, row[cell], column[cell]], 0.0) for each in gradients.values()]
        squares = self.rows.squared_influence(self.grouping, np.stack(moved))
        return (
            {key: self.rows.units(self.grouping, both & each.counted[row, column]) for key, each in statistics.items()},
            dict(zip(statistics, squares, strict=True)),
        )

    def _places(self) -> tuple[NDArray[np.bool_], Integers, Integers]:
        """Return (cells,): whether both scores are there, and the category of each; 0 where they are not."""
        first, second = self.table.row_of_cell, self.table.column_of_cell
        both = (first >= 0) & (second >= 0)
        row, column = (np.where(both, self.positive[np.where(both, at, 0)], False) for at in (first, second))
        return both, row.astype(np.intp), column.astype(np.intp)


def crossings(
    tally: Tally, grouping: str, form: Form, middle: float, rows: ClusteredRows | None
) -> Iterator[tuple[str, Crossing]]:
    """Yield the engine beside the first human score, and the first two raters, on a scale of two whole points."""
    tables = {"system": system_contingency(tally, grouping, form, (np.floor(middle), np.ceil(middle)))}
    if tally.raters > 1:
        tables["human"] = human_contingency(tally, grouping, points=(np.floor(middle), np.ceil(middle)))
    for family, table in tables.items():
        if len(table.points):
            yield family, Crossing(table, table.points > middle, tally.slices[grouping], grouping, rows)


def crossings_in_steps(points: Points, middle: float) -> Iterator[tuple[str, Crossing]]:
    """Yield the same of all responses, scores measured in steps of their scale."""
    others = {"system": points.scored()} | ({"human": points.rated(1)} if points.tally.raters > 1 else {})
    for family, other in others.items():
        yield family, crossing_of_points(points, points.rated(0), other, points.categories > middle)


def crossing_of_points(points: Points, first: Integers, second: Integers, positive: NDArray[np.bool_]) -> Crossing:
    """Return two scores of all responses against each other, by which of the points are the positive category."""
    slices = points.tally.slices[OVERALL]
    table = Contingency(slices.labels, points.categories, points.crossed(OVERALL, first, second), first, second)
    return Crossing(table, positive, slices, OVERALL, points.rows)


def category_numbers(found: Iterable[tuple[str, Crossing]], level: float) -> dict[str, Numbers]:
    """Return every statistic of two categories in every level, by key."""
    made: dict[str, Numbers] = {}
    for family, crossing in found:
        of_family = {key: each for key, each in CATEGORY_KEYS.items() if key.startswith(f"{family}.")}
        made |= crossing.numbers(of_family, level)
    return made
