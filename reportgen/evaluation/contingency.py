"""Statistics of the table of two scores in every level of a grouping, such as kappa and sensitivity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from reportgen.evaluation.intervals import Numbers, interval_numbers, kappa_of_few_agreements
from reportgen.evaluation.points import Points
from reportgen.evaluation.statistics import PARTS, RestsOn, corrected, rests_on
from reportgen.metrics.catalogue import table_statistics
from reportgen.metrics.tables import TableStatistic
from reportgen.results import Scale
from reportgen.tally import OVERALL, ClusteredRows, Form, Slices, Tally, human_contingency, system_contingency, widened
from reportgen.tally.cells import totals
from reportgen.tally.contingency_tables import Contingency
from reportgen.tally.raters import SampledRaters
from reportgen.tally.sums import Floats, Integers


def _keys(*, two_categories: bool) -> dict[str, TableStatistic]:
    return {
        f"{family}.{metric}": statistic
        for family in ("system", "human", "degradation")
        for metric, statistic in table_statistics().items()
        if statistic.two_categories == two_categories and family in statistic.families
    }


POINT_KEYS, CATEGORY_KEYS = _keys(two_categories=False), _keys(two_categories=True)
TABLE_KEYS = POINT_KEYS | CATEGORY_KEYS  # statistics of tables by their key in results.json

NO_TABLE = "the scores have too many points for a table"  # reason if a long scale has no statistics of tables


class Linear(NamedTuple):
    """A statistic in every level, and its change by one more response of each entry of the slices."""

    value: Floats
    influence: Floats
    of_raters: Floats | float = 0.0  # the part of the change from two human scores


@dataclass(frozen=True)
class Crossing:
    """Tables of scores in every level of a grouping."""

    tables: Mapping[str, Contingency]  # first human score against the engine's ("system") or another rater's ("human")
    slices: Slices
    grouping: str
    rows: ClusteredRows | None = None  # the responses with their test takers, if these are the units
    raters: SampledRaters | None = None  # the raters, if they are a sample

    @classmethod
    def of(
        cls, tally: Tally, grouping: str, form: Form, rows: ClusteredRows | None = None,
        raters: SampledRaters | None = None,
    ) -> Crossing:  # fmt: skip
        """Return the tables of engine, first human score, and second rater, on points."""
        tables = {"system": system_contingency(tally, grouping, form), "human": human_contingency(tally, grouping)}
        return cls(tables, tally.slices[grouping], grouping, rows, raters)

    @classmethod
    def in_two(
        cls, tally: Tally, grouping: str, form: Form, middle: float, rows: ClusteredRows | None = None
    ) -> Crossing:
        """Return the same for a scale of two integer points, on either side of the middle."""
        points = np.floor(middle), np.ceil(middle)
        tables = {"system": system_contingency(tally, grouping, form, points)}
        if tally.raters > 1:
            tables["human"] = human_contingency(tally, grouping, points=points)
        two = {family: each.grouped(each.points > middle) for family, each in tables.items() if len(each.points)}
        return cls(two, tally.slices[grouping], grouping, rows)

    @classmethod
    def in_steps(cls, points: Points, middle: float) -> Crossing:
        """Return the same for all responses, with scores in steps of their scale."""
        others = {"system": points.scored()} | ({"human": points.rated(1)} if points.tally.raters > 1 else {})
        higher = points.categories > middle
        two = {family: crossing_of_points(points, points.rated(0), other).grouped(higher)
               for family, other in others.items()}  # fmt: skip
        return cls(two, points.tally.slices[OVERALL], OVERALL, points.rows)

    def linear(self, statistics: Mapping[str, TableStatistic]) -> dict[str, Linear]:
        """Return statistics by key, including engine minus raters, for the tables that exist."""
        found: dict[str, Linear] = {}
        for key, statistic in statistics.items():
            family = key.partition(".")[0]
            if family in self.tables:
                one = self._linear(statistic, self.tables[family])
                found[key] = one if family == "system" else one._replace(of_raters=one.influence)
            elif family == "degradation" and "human" in self.tables:
                one, other = (self._linear(statistic, self.tables[each]) for each in ("system", "human"))
                found[key] = Linear(one.value - other.value, one.influence - other.influence, -other.influence)
        return found

    def _linear(self, statistic: TableStatistic, table: Contingency) -> Linear:
        if not len(table.points):
            return Linear(np.full(len(table.labels), np.nan), np.zeros(len(self.slices.level)))
        row, column = table.row_of_cell[self.slices.cell], table.column_of_cell[self.slices.cell]
        with np.errstate(all="ignore"):
            gradient = np.nan_to_num(statistic.gradient(table.counts))
            moved = np.where((row >= 0) & (column >= 0), gradient[self.slices.level, row, column], 0.0)
            return Linear(statistic.of(table.counts), moved)

    def numbers(
        self, statistics: Mapping[str, TableStatistic], level: float,
        known: Mapping[RestsOn, tuple[Floats, Floats]] | None = None, severity: Floats | None = None,
    ) -> dict[str, Numbers]:  # fmt: skip
        """Return statistics in every level, with intervals by response or by test taker.

        known: responses and independent units of statistics, if the tables do not count them.
        severity: additional variance of ratings, if raters are a sample.
        """
        found = self.linear(statistics)
        squares = self.squares(np.stack([each.influence for each in found.values()]))
        added = self._between(list(found.values()))
        spread: dict[str, Linear] = {}
        if severity is not None:
            tables = {name: each.diffused(severity, both=name == "human") for name, each in self.tables.items()}
            spread = replace(self, tables=tables).linear(statistics)
        made = {}
        for (key, each), square, more in zip(found.items(), squares, added, strict=True):
            statistic = statistics[key]
            n, units = known[rests_on(key)] if known else self._resting(statistic, self.tables[key.partition(".")[0]])
            error = corrected(square, units)
            if self.raters is not None:
                freedom = self.raters.freedom(self.grouping, PARTS.index(rests_on(key)))
                error, freedom = widened(error, units - 1, more, freedom)
                units = np.minimum(units, freedom + 1)
            made[key] = interval_numbers(key, statistic.key, each.value, error, n, units, level)
            if statistic.key == "kappa" and (table := self.tables.get(key.partition(".")[0])):
                made[key] = made[key].with_ends(kappa_of_few_agreements(made[key], table.counts, level))
            if key in spread:
                other = np.nan_to_num(spread[key].value - each.value) + each.value
                made[key] = made[key].reaching(key, np.minimum(each.value, other), np.maximum(each.value, other))
        return made

    def squares(self, moved: Floats) -> Floats:
        """Return (outputs, levels): sums over units of squared influences, (outputs, entries)."""
        slices, levels = self.slices, len(self.slices.labels)
        if self.rows is None:
            return np.stack([totals(slices.level, slices.sums[0] * each**2, levels) for each in moved])
        return self.rows.squared(self.grouping, moved, slices.level, levels)  # one pass over the test takers for all

    def units(self) -> Floats:
        """Return (levels,): number of test takers or responses."""
        if self.rows is None:
            return self.slices.sizes
        return self.rows.units_at(self.grouping, self.slices.level, len(self.slices.labels))

    def _between(self, found: list[Linear]) -> Floats:
        if self.raters is None:
            return np.zeros((len(found), 1))
        human = np.stack([np.broadcast_to(each.of_raters, each.influence.shape) for each in found])
        system = np.stack([each.influence for each in found]) - human
        return self.raters.squared(self.grouping, system, human, self.slices.level, len(self.slices.labels))

    def _resting(self, statistic: TableStatistic, table: Contingency) -> tuple[Floats, Floats]:
        row, column, among = table.row_of_cell, table.column_of_cell, statistic.counted(len(table.points))
        n = (table.counts * among).sum(axis=(1, 2))
        if self.rows is None or not len(table.points):
            return n, n
        return n, self.rows.units(self.grouping, (row >= 0) & (column >= 0) & among[row, column])


def crossing_of_points(points: Points, first: Integers, second: Integers) -> Contingency:
    """Return the table of two scores of all responses by point."""
    counts = points.crossed(OVERALL, first, second)
    return Contingency(points.tally.slices[OVERALL].labels, points.categories, counts, first, second)


def middle_of(scale: Scale) -> float | None:
    """Return the middle of an ordered scale with two points; None for other scales.

    >>> middle_of(Scale(0, 1, 1, False)), middle_of(Scale(1, 6, 1, False)), middle_of(Scale(0, 1, 1, False, (), False))
    (0.5, None, None)
    """
    two = scale.ordered and scale.step > 0 and round((scale.high - scale.low) / scale.step) == 1
    return (scale.low + scale.high) / 2 if two else None
