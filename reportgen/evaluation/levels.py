"""Engine and human scores by level of the scale, for all responses or every slice of a grouping, and their tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.intervals import NEARLY_ALL_THE_SAME, Numbers, copies, interval_numbers
from reportgen.evaluation.points import Points
from reportgen.evaluation.tables.build import Results, columns_of, count_column, metric_column, table
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.metrics import pair, true_score
from reportgen.results import Column, Estimate, Row, Table, Term
from reportgen.tally import ClusteredRows, derivatives, standard_errors
from reportgen.tally.cells import OVERALL, TRIMMED, Slices, Tally, formed_scores, products, totals
from reportgen.tally.contingency_tables import ErrorSums
from reportgen.tally.features import Moments, Polynomial, Sums
from reportgen.tally.joint import CellScores
from reportgen.tally.sums import Floats, Integers

LEAST_AT_A_LEVEL = 10
"""Responses or test takers that every score level needs for an interval of the mean of RMSEs. With two responses, the
spread is too uncertain (benchmarks/coverage_small.py), and a mean without an empty level is over other levels than
the next sample's."""

FEW_AT_A_LEVEL = f"fewer than {LEAST_AT_A_LEVEL} responses at a score are too few to estimate uncertainty"


@dataclass(frozen=True)
class Placed:
    """Responses by place: a level of the scale within a slice, or all levels of it.

    rows: the responses with their test takers, if these are the units.
    place (entries,): place of each entry of the grouping; -1 for none.
    level: of the intervals.
    """

    tally: Tally
    rows: ClusteredRows | None
    grouping: str
    place: Integers
    size: int
    level: float

    @property
    def entries(self) -> Slices:
        """The entries of the grouping."""
        return self.tally.slices[self.grouping]

    def added(self, each: Floats) -> Floats:
        """Return (places,): the sum of a number of each entry."""
        return totals(self.place + 1, each, self.size + 1)[1:]

    def total(self, each: Floats | NDArray[np.bool_] | float = 1.0) -> Floats:
        """Return the sum over responses of a number of each cell."""
        each = each[self.entries.cell] if isinstance(each, np.ndarray) else each
        return self.added(self.entries.sums[0] * each)

    @cached_property
    def n(self) -> Floats:
        """(places,): number of responses."""
        return self.total()

    @cached_property
    def units(self) -> Floats:
        """(places,): number of test takers or responses, whichever are the units."""
        return self.n if self.rows is None else self.rows.units_at(self.grouping, self.place, self.size)

    def squared(self, moved: Floats) -> Floats:
        """Return the sum over units of squared influences, (3, entries)."""
        if self.rows is None:
            square = self.added(products(moved, moved, self.entries.sums))
        else:
            square = self.rows.squared(self.grouping, moved[None], self.place, self.size)[0]
        return np.maximum(square, 0.0)  # negative by rounding

    def error(self, moved: Floats) -> Floats:
        """Return the standard error from influences, (3, entries)."""
        with np.errstate(all="ignore"):
            square = self.squared(moved) * self.units / (self.units - 1)
            return np.where(self.units > 1, np.sqrt(square), np.nan)

    def means(self, polynomial: Polynomial) -> tuple[Floats, Floats]:
        """Return the mean of a polynomial in u, and its standard error."""
        moved = polynomial.c[:, self.entries.cell]
        with np.errstate(all="ignore"):
            mean = self.added((moved * self.entries.sums[:3]).sum(axis=0)) / self.n
            moved[0] -= mean[self.place]
            return mean, self.error(moved / self.n[self.place])

    def mean(self, metric: str, polynomial: Polynomial, scale: float = 1.0, shift: float = 0.0) -> Numbers:
        """Return the mean of a polynomial, times `scale` plus `shift`."""
        mean, error = self.means(polynomial)
        return self.numbers(metric, shift + scale * mean, abs(scale) * error, self.n)

    def numbers(self, metric: str, value: Floats, error: Floats, n: Floats) -> Numbers:
        """Return a statistic with its interval."""
        return interval_numbers(metric, metric, value, error, n, self.units, self.level)

    def share(self, metric: str, counted: NDArray[np.bool_]) -> Numbers:
        """Return the percentage of responses in the `counted` cells."""
        return self.mean(metric, Polynomial.of(100.0 * counted.astype(np.float64)))


@dataclass(frozen=True)
class Levels:
    """Level of the scale of every cell's scores, in every slice of a grouping.

    human, engine (cells,): level of the first human score, and of the engine score rounded to a point.
    """

    points: Points
    human: Integers
    engine: Integers
    level: float
    grouping: str = OVERALL

    @classmethod
    def of(cls, points: Points, level: float, grouping: str = OVERALL) -> Levels:
        """Return the levels of counted scores, for intervals with a confidence level."""
        return cls(points, points.level(points.rated(0)), points.level(points.scored()), level, grouping)

    @property
    def slices(self) -> Slices:
        """The slices of the grouping."""
        return self.points.tally.slices[self.grouping]

    @property
    def size(self) -> int:
        """Number of levels."""
        return len(self.points.labels)

    def by(self, level: Integers | None = None, among: NDArray[np.bool_] | None = None) -> Placed:
        """Return the responses by slice and, if given, by level, in some or all cells."""
        entries, size = self.slices, 1 if level is None else self.size
        place = entries.level if level is None else entries.level * size + level[entries.cell]
        place = place if among is None else np.where(among[entries.cell], place, -1)
        places, points = len(entries.labels) * size, self.points
        return Placed(points.tally, points.rows, self.grouping, place, places, self.level)

    @cached_property
    def scores(self) -> CellScores:
        """The scores of every cell in steps."""
        return CellScores.of(self.points.tally, TRIMMED)

    @cached_property
    def error(self) -> Polynomial:
        """Engine minus first human score, in steps."""
        return self.scores.score - self.scores.ratings[0]

    @property
    def kept(self) -> NDArray[np.bool_]:
        """Which cells have both scores on the same level."""
        return np.asarray(self.human == self.engine)

    @property
    def far(self) -> NDArray[np.bool_]:
        """Which cells have scores two or more levels apart."""
        return np.asarray(np.abs(self.human - self.engine) >= 2)

    def by_engine(self) -> dict[str, Numbers]:
        """Compute the columns of calibration: statistics of each engine score."""
        placed, step = self.by(self.engine), self.points.step
        shift = self.points.start + step * self.scores.centre
        return {
            "mean_system": placed.mean("system_mean", self.scores.score, step, shift),
            "mean_human": placed.mean("h_mean", self.scores.ratings[0], step, shift),
            "calibration_gap": placed.mean("calibration_gap", self.error, -step),
            "precision": placed.share("precision", self.kept),
        }

    def by_human(self) -> dict[str, Numbers]:
        """Compute the engine's statistics at each human score."""
        placed, step = self.by(self.human), self.points.step
        shift = self.points.start + step * self.scores.centre
        square, error = placed.means(self.error * self.error)
        rmse = np.sqrt(np.maximum(square, 0.0))
        with np.errstate(all="ignore"):
            spread = np.where(rmse > 0, error / (2 * rmse), 0.0)
        return {
            "mean_human": placed.mean("h_mean", self.scores.ratings[0], step, shift),
            "recall": placed.share("recall", self.kept),
            "off_by_two": placed.share("off_by_two", self.far),
            "mean_error": placed.mean("mean_error", self.error, step),
            "level_rmse": placed.numbers("level_rmse", step * rmse, step * spread, placed.n),
        }

    def overall(self) -> dict[str, Numbers]:
        """Compute the statistics over all levels, by their name in policies."""
        low, high = self.human == 0, self.human == self.size - 1
        ends = {"lowest": low, "highest": high, "extremes": low | high}
        kept = {f"levels.{name}_kept": self.by(None, here).share("recall", self.kept) for name, here in ends.items()}
        far = self.by().share("off_by_two", self.far)
        return {"levels.macro_rmse": self._macro_rmse(), "levels.off_by_two": far, **kept}

    def share_differences(self) -> list[Numbers]:
        """Return for each level the share of engine scores minus that of human scores, in percentage points."""
        placed = self.by()
        moved = (100.0 * ((self.engine == at) * 1.0 - (self.human == at)) for at in range(self.size))
        return [placed.mean("share_difference", Polynomial.of(each)) for each in moved]

    def _macro_rmse(self) -> Numbers:
        """Return the mean over human levels of the RMSE within the level; without interval if one has few units."""
        by_level, placed = self.by(self.human), self.by()
        n, units, square = by_level.n, by_level.units, self.error * self.error
        there = (n > 0).reshape(-1, self.size)
        used = there.sum(axis=1)
        root = np.sqrt(np.maximum(by_level.means(square)[0], 0.0))
        known = (root > 0) & (units > 1)
        with np.errstate(all="ignore"):
            slope = np.sqrt(units / (units - 1)) / (2 * root * n * np.repeat(used, self.size))
        moved = square.c[:, self.slices.cell]
        moved[0] -= np.where(known, root**2, 0.0)[by_level.place]
        error = np.sqrt(placed.squared(moved * np.where(known, slope, 0.0)[by_level.place]))
        few = (units < LEAST_AT_A_LEVEL).reshape(there.shape).any(axis=1)
        copied = copies(placed.total(formed_scores(self.points.tally, TRIMMED).exact), placed.n)
        value = np.where(there, root.reshape(there.shape), 0.0).sum(axis=1) / used
        error, step = np.where(few | copied, np.nan, error), self.points.step
        why = np.where(few, FEW_AT_A_LEVEL, np.where(copied, NEARLY_ALL_THE_SAME, ""))
        return replace(placed.numbers("macro_rmse", step * value, step * error, placed.n), no_interval=why)

    def expected_errors(self) -> Numbers:
        """Compute the expected mean error at each human score of an engine that gives true scores.

        It is the mean of the other ratings of the same responses minus the first rating, without the difference of the
        raters' means. Undefined for few responses.
        """
        ratings, weights = self.points.tally.cells.ratings, self.points.tally.weights
        given = np.isfinite(ratings)
        others = np.maximum(given[:, 1:].sum(axis=1), 1)
        count, gap = np.zeros((2, len(weights)))
        for other in range(1, ratings.shape[1]):
            both = np.flatnonzero(given[:, 0] & given[:, other])
            if not len(both):
                continue
            apart = ratings[both, other] - ratings[both, 0]
            apart -= (weights[both] @ apart) / weights[both].sum()
            count[both] += 1 / others[both]
            gap[both] += apart / others[both]
        placed, step = self.by(self.human, count > 0), self.points.step
        n, cell = placed.total(count), placed.entries.cell
        moved = np.zeros((3, len(cell)))
        with np.errstate(all="ignore"):
            mean = placed.total(gap) / n
            moved[0] = (gap[cell] - mean[placed.place] * count[cell]) / n[placed.place]
        value = np.where(placed.units < LEAST_AT_A_LEVEL, np.nan, step * mean)
        return placed.numbers("mean_error", value, step * placed.error(moved), n)


OF_TRUE_SCORES = ("expected_error_slope", "true_sd")  # statistics that require the rater error variance

OF_ERRORS = ("calibration_slope", "error_slope")  # statistics of the responses on which engine and human differ


def slopes(tallied: TalliedScores) -> dict[str, Estimate]:
    """Return the slopes of calibration and of the error, and a perfect engine's if rater error is known."""
    found = {}
    for key, slope in slopes_of(tallied.moments(tallied.primary), tallied.rater_error_variance, tallied.level).items():
        reason = "the estimated variance of true scores is negative" if key == "true_sd" else "a score is constant"
        if key in OF_TRUE_SCORES and not slope.n[0]:
            reason = "no response was scored twice"
        found[f"levels.{key}"] = slope.estimate(0, tallied.level, tallied.method, reason=reason)
    return found


def slopes_of(slices: Moments, known: float | None, level: float) -> dict[str, Numbers]:
    """Compute the slopes of every slice; `known` is the rater error variance, or None."""

    def statistics(sums: Sums, _whole: Sums) -> Mapping[str, Floats]:
        system, ratings = sums.system, sums.ratings
        error = true_score.rater_error_variance(ratings) if known is None else np.full(np.shape(system.n), known)
        return {
            "calibration_slope": pair.ratio(pair.products(system), pair.squares_y(system)),
            "error_slope": pair.ratio(pair.products(system), pair.squares_x(system)) - 1,
            # for an engine that gives the true score: reliability - 1
            "expected_error_slope": -pair.ratio(error, pair.variance_x(system)),
            "true_sd": pair.root(true_score.true_score_variance(ratings, known)),
        }

    own = slices.named()
    with np.errstate(all="ignore"):
        values = statistics(own, own)
    influences = derivatives(statistics, slices, slices, lambda _own, _whole: {})
    found = {}
    for key, value in values.items():
        n, units = own.system.n, slices.units.system
        if known is None and key in OF_TRUE_SCORES:
            n, units = own.ratings.multiple, slices.units.multiple
        error = standard_errors(influences[key], slices, slices, units)
        if key in OF_ERRORS:
            error = np.where(copies(own.system.exact, own.system.n), np.nan, error)
        why = np.where(np.isnan(error) & (units > 1), NEARLY_ALL_THE_SAME, "")
        made = interval_numbers(key, key, np.broadcast_to(value, n.shape), error, n, units, level)
        found[key] = replace(made, no_interval=why)
    return found


def conditional_means(tallied: TalliedScores, grouping: str, sums: ErrorSums) -> tuple[Floats, Floats, Floats]:
    """Return mean, standard error, and independent units, each (levels, scores); nan for too few."""
    tally, slices, shape = tallied.tally, tallied.tally.slices[grouping], sums.sums[0].shape
    place = slices.level * shape[1] + np.searchsorted(sums.human, tally.cells.ratings[slices.cell, 0])
    placed = Placed(tally, tallied.rows.get(tallied.primary.family), grouping, place, sums.sums[0].size, tallied.level)
    scores = CellScores.of(tally, tallied.primary.form)
    mean, error = placed.means(scores.score)
    return (scores.centre + mean).reshape(shape), error.reshape(shape), placed.units.reshape(shape)


OVERALL_ROWS = (
    "levels.off_by_two", "levels.macro_rmse", "system.rmse", "levels.lowest_kept", "levels.highest_kept",
    "levels.extremes_kept", "levels.calibration_slope", "levels.error_slope", "levels.expected_error_slope",
    "levels.true_sd",
)  # fmt: skip
"""Statistics over all levels, in the order of the table, with RMSE to compare with the macro RMSE."""


def level_results(tallied: TalliedScores) -> Results:
    """Return the tables by level, and the statistics over all levels."""
    levels = Levels.of(tallied.points, tallied.level)
    labels = levels.points.labels
    reasons = {
        "levels.lowest_kept": f"no response has the human score {labels[0]}",
        "levels.highest_kept": f"no response has the human score {labels[-1]}",
        "levels.extremes_kept": "no response has an extreme human score",
    }
    estimates = {
        key: found.estimate(0, tallied.level, tallied.method, reason=reasons.get(key, ""))
        for key, found in levels.overall().items()
    } | slopes(tallied)
    return [_calibration(tallied, levels), _by_human(tallied, levels), _overall(tallied, estimates)], estimates


def level_unit(points: Points) -> str:
    """Return the unit between two levels: "point", "step" (if it is not a point), or "band"."""
    return "band" if points.width != 1 or points.continuous else "point" if points.step == 1 else "step"


def _estimates(tallied: TalliedScores, found: Iterable[Numbers], at: int) -> list[Estimate]:
    return [each.estimate(at, tallied.level, tallied.method) for each in found]


def _calibration(tallied: TalliedScores, levels: Levels) -> Table:
    found, rows = levels.by_engine(), []
    for at in np.flatnonzero(found["precision"].n).tolist():
        system, human, gap, precision = _estimates(tallied, found.values(), at)
        rows.append(Row((levels.points.labels[at], precision.n, system.value, human, gap, precision)))
    both = columns_of(mean_system="score", mean_human="score")
    columns = (Column("band"), count_column(), *both, *map(metric_column, ("calibration_gap", "precision")))
    return table("calibration", columns, rows, _notes(tallied, levels))


def _by_human(tallied: TalliedScores, levels: Levels) -> Table:
    found, rows = [*levels.by_human().values(), levels.expected_errors()], []
    for at, label in enumerate(levels.points.labels):
        human, recall, far, error, rmse, least = _estimates(tallied, found, at)
        cells = (human.value, recall, far, error, least if least.defined else None, rmse) if recall.n else [None] * 6
        rows.append(Row((label, recall.n, *cells)))
    columns = (
        *(Column("human"), count_column(), Column("mean_human", "", "score", shown=False)),
        *map(metric_column, ("recall", "off_by_two", "mean_error")),
        Column("expected_error", "", "difference", shown=any(row.cells[6] is not None for row in rows)),
        metric_column("level_rmse"),
    )
    return table("levels.by_human", columns, rows, _notes(tallied, levels))


def _overall(tallied: TalliedScores, estimates: Mapping[str, Estimate]) -> Table:
    known = {**estimates, "system.rmse": tallied.headline("system.rmse")}
    rows = [Row((Term(key), known[key].n, known[key])) for key in OVERALL_ROWS]
    return table("levels.overall", (Column("statistic"), count_column(), Column("value", "", "coefficient")), rows)


def _notes(tallied: TalliedScores, levels: Levels) -> tuple[str, ...]:
    points = levels.points
    if points.continuous:
        size = len(tallied.scale.points()) if tallied.scale.step else 0
        return (Term("in_bands_of", points=size, width=points.step),)
    return (Term("in_bands", points=points.size, width=points.width),) if points.width > 1 else ()
