"""Engine and human scores level by level, and their tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.intervals import NEARLY_ALL_THE_SAME, copies
from reportgen.evaluation.points import Points
from reportgen.evaluation.statistics import corrected, interval_estimate
from reportgen.evaluation.tables.build import columns_of, count_column, metric_column, table
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.metrics import METRICS, pair, true_score
from reportgen.results import Cell, Column, Estimate, Row, Table
from reportgen.results.term import Term
from reportgen.tally import TRIMMED, Moments, PairSums, RatingSums, Statistics, Sums, derivatives, standard_errors
from reportgen.tally.cells import Integers, formed_scores, totals
from reportgen.tally.contingency_tables import ErrorSums
from reportgen.tally.joint import CellScores, Polynomial
from reportgen.tally.sums import Floats

Cells = NDArray[np.bool_]


LEAST_AT_A_LEVEL = 10
"""Responses, or candidates, that every score level needs before the mean of their RMSEs has an interval: one of two
responses differs from the next sample's by more than its own spread can tell (benchmarks/coverage_small.py)."""

FEW_TWICE_AT_A_LEVEL = f"fewer than {LEAST_AT_A_LEVEL} responses with this human score were scored twice"

FEW_AT_A_LEVEL = f"a score level with fewer than {LEAST_AT_A_LEVEL} responses says too little about uncertainty"


@dataclass(frozen=True)
class Levels:
    """Which level of the scale every cell's scores fall on, and the estimates made of it.

    human, engine (cells,): level of the first human score, and of the engine score rounded to a point.
    """

    points: Points
    level: float
    human: Integers
    engine: Integers

    @classmethod
    def of(cls, tallied: TalliedScores) -> Levels:
        """Return the levels of counted scores."""
        points = tallied.points
        return cls(points, tallied.level, points.level(points.rated(0)), points.level(points.scored()))

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the levels."""
        return self.points.labels

    def share(self, metric: str, counted: Cells, among: Cells, reason: str = "") -> Estimate:
        """Return the percentage of the responses `among` that are `counted`, with Wilson's interval."""
        weights = self.points.weights()
        n, units = float(weights[among].sum()), self.points.units(among)
        if not n:
            return Estimate(
                metric, None, 0, kind=METRICS[metric].kind, level=self.level, reason=reason or "no responses"
            )
        value = 100 * float(weights[counted & among].sum()) / n
        influence = np.where(among, 100.0 * counted - value, 0.0) / n
        error = corrected(self.points.squared_influence(influence), units)
        return self._estimate(metric, value, error, n, units)

    def share_difference(self, at: int) -> Estimate:
        """Return the share of engine scores at a level less that of human scores, in percentage points."""
        weights = self.points.weights()
        n, units = float(weights.sum()), self.points.units(np.ones(len(weights), bool))
        moved = 100.0 * ((self.engine == at) * 1.0 - (self.human == at))
        value = float(weights @ moved) / n
        error = corrected(self.points.squared_influence((moved - value) / n), units)
        return self._estimate("share_difference", value, error, n, units)

    def means(self, among: Cells) -> Mapping[str, Estimate]:
        """Return mean human and engine score, their difference and the RMSE over some responses.

        Keys are those of the catalogue: h_mean, system_mean, calibration_gap, mean_error, level_rmse.
        """
        scores, step = self.scores, self.points.step
        error = scores.score - scores.ratings[0]
        n, units = float(self.points.weights()[among].sum()), self.points.units(among)
        found = {
            "h_mean": (scores.ratings[0], step, self.points.start + step * scores.centre),
            "system_mean": (scores.score, step, self.points.start + step * scores.centre),
            "calibration_gap": (error, -step, 0.0),
            "mean_error": (error, step, 0.0),
        }
        made = {}
        for key, (polynomial, scale, shift) in found.items():
            mean, square = self._mean(polynomial, among, n)
            made[key] = self._estimate(key, shift + scale * mean, abs(scale) * corrected(square, units), n, units)
        mean_square, square = self._mean(error * error, among, n)
        rmse = np.sqrt(max(mean_square, 0.0))
        spread = corrected(square, units) / (2 * rmse) if rmse else 0.0
        made["level_rmse"] = self._estimate("level_rmse", step * rmse, step * spread, n, units)
        return made

    def expected_errors(self) -> list[Estimate]:
        """Return, for each level, the mean error there of an engine that gives true scores: what rater error makes.

        It is the mean of the other ratings of the same responses less the rating that the engine is compared with,
        without the difference of the raters' means.  Undefined where few responses tell.
        """
        ratings, weights = self.points.tally.cells.ratings, self.points.weights()
        given = np.isfinite(ratings)
        others = np.maximum(given[:, 1:].sum(axis=1), 1)
        count, gap = np.zeros((2, len(weights), len(self.labels)))
        for other in range(1, ratings.shape[1]):
            both = np.flatnonzero(given[:, 0] & given[:, other])
            if not len(both):
                continue
            apart = ratings[both, other] - ratings[both, 0]
            apart -= (weights[both] @ apart) / weights[both].sum()
            count[both, self.human[both]] += 1 / others[both]
            gap[both, self.human[both]] += apart / others[both]
        return [self._expected_error(weights, *each) for each in zip(count.T, gap.T, strict=True)]

    def _expected_error(self, weights: Floats, count: Floats, gap: Floats) -> Estimate:
        units = self.points.units(count > 0)
        if units < LEAST_AT_A_LEVEL:
            return Estimate("mean_error", None, round(units), kind="difference", reason=FEW_TWICE_AT_A_LEVEL)
        n = float(weights @ count)
        mean = float(weights @ gap) / n
        error = corrected(self.points.squared_influence((gap - mean * count) / n), units)
        return self._estimate("mean_error", self.points.step * mean, self.points.step * error, n, units)

    @cached_property
    def scores(self) -> CellScores:
        """The scores of every cell in steps."""
        return CellScores.of(self.points.tally, TRIMMED)

    def _mean(self, polynomial: Polynomial, among: Cells, n: float) -> tuple[float, float]:
        """Return a mean over some responses, and the sum over units of its squared influence."""
        mean = self.points.total(polynomial, among) / n
        return mean, self.points.squared((polynomial - mean) * (1 / n), among)

    def macro_rmse(self) -> Estimate:
        """Return the mean over human levels of the RMSE within the level; no interval when one has few units."""
        used = np.unique(self.human)
        error = self.scores.score - self.scores.ratings[0]
        square = error * error
        slope, mean, value, few = np.zeros(len(self.human)), np.zeros(len(self.human)), 0.0, False
        for at in used:
            here = self.human == at
            size, units = float(self.points.weights()[here].sum()), self.points.units(here)
            mean_square = max(self.points.total(square, here) / size, 0.0)
            value += np.sqrt(mean_square) / len(used)
            few |= units < LEAST_AT_A_LEVEL
            if mean_square and units > 1:
                mean[here] = mean_square
                slope[here] = np.sqrt(units / (units - 1)) / (2 * np.sqrt(mean_square) * size * len(used))
        everyone = np.ones(len(self.human), bool)
        weights = self.points.weights()
        same, n = weights[formed_scores(self.points.tally, TRIMMED).exact].sum(), weights.sum()
        copied = bool(copies(same, n))
        moved = self.points.squared((square - mean) * slope, everyone)
        return interval_estimate(
            "macro_rmse", self.points.step * float(value),
            float("nan") if few or copied else self.points.step * float(np.sqrt(max(float(moved), 0.0))),  # rounding
            n, self.points.units(everyone), self.level,
            clustered=self.points.by_candidate,
            interval_reason=FEW_AT_A_LEVEL if few else NEARLY_ALL_THE_SAME if copied else "",
        )  # fmt: skip

    def _estimate(self, metric: str, value: float, error: float, n: float, units: float) -> Estimate:
        return interval_estimate(metric, value, error, n, units, self.level, clustered=self.points.by_candidate)


def overall_levels(levels: Levels) -> dict[str, Estimate]:
    """Return the statistics of all levels together, by the name they have in policies."""
    everyone = np.ones(len(levels.human), bool)
    last = len(levels.labels) - 1
    kept = levels.human == levels.engine
    low, high = levels.human == 0, levels.human == last
    no_low, no_high = (f"no response has the human score {levels.labels[at]}" for at in (0, last))
    return {
        "levels.macro_rmse": levels.macro_rmse(),
        "levels.off_by_two": levels.share("off_by_two", np.abs(levels.human - levels.engine) >= 2, everyone),
        "levels.lowest_kept": levels.share("recall", kept, low, no_low),
        "levels.highest_kept": levels.share("recall", kept, high, no_high),
        "levels.extremes_kept": levels.share("recall", kept, low | high, "no response has an extreme human score"),
    }


OF_TRUE_SCORES = ("expected_error_slope", "true_sd")
"""What needs the rater error variance."""

OF_ERRORS = ("calibration_slope", "error_slope")
"""What rests on the responses on which engine and human differ."""


class Slope(NamedTuple):
    """A slope of every slice with its standard error, and the responses and units that it rests on: (slices,) each."""

    value: Floats
    error: Floats
    n: Floats
    units: Floats


def slopes(tallied: TalliedScores) -> dict[str, Estimate]:
    """Return the slopes of calibration and of the error, and what a perfect engine would have: its slope and its SD.

    The last two need rater error variance: given, or estimated from responses scored more than once.
    """
    found = {}
    for key, slope in slopes_of(tallied.moments(tallied.primary), tallied.rater_error_variance).items():
        value, error, n, units = (float(each[0]) for each in slope)
        reason = "the estimated variance of true scores is negative" if key == "true_sd" else "a score is constant"
        if key in OF_TRUE_SCORES and not n:
            reason = "no response was scored twice"
        found[f"levels.{key}"] = interval_estimate(
            key, value, error, n, units, tallied.level, clustered=tallied.by_candidate, reason=reason,
            interval_reason=NEARLY_ALL_THE_SAME if np.isnan(error) and units > 1 else "",
        )  # fmt: skip
    return found


def slopes_of(slices: Moments, known: float | None) -> dict[str, Slope]:
    """Return the slopes of every slice; `known` is the rater error variance, or None."""
    own, statistics = slices.named(), _slope_statistics(known)
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
        found[key] = Slope(np.broadcast_to(value, n.shape), error, n, units)
    return found


def _slope_statistics(known: float | None) -> Statistics:
    def statistics(own: Sums, _whole: Sums) -> Mapping[str, Floats]:
        system, ratings = own.system, own.ratings
        return {
            "calibration_slope": pair.ratio(pair.products(system), pair.squares_y(system)),
            "error_slope": pair.ratio(pair.products(system), pair.squares_x(system)) - 1,
            "expected_error_slope": _expected_slope(system, ratings, known),
            "true_sd": pair.root(true_score.true_score_variance(ratings, known)),
        }

    return statistics


def _expected_slope(system: PairSums, ratings: RatingSums, known: float | None) -> Floats:
    """Return the slope of error on the human score of an engine that gives the true score: reliability - 1."""
    error = true_score.rater_error_variance(ratings) if known is None else np.full(np.shape(system.n), known)
    return -pair.ratio(error, pair.variance_x(system))


def conditional_means(tallied: TalliedScores, grouping: str, sums: ErrorSums) -> tuple[Floats, Floats, Floats]:
    """Return mean, standard error and independent units, each (levels, scores); nan where there are too few.

    Units are responses, or candidates where those are: their responses' deviations are summed first.
    """
    n, e1, e2 = sums.sums[:3]
    rows = tallied.rows.get(tallied.primary.family)
    with np.errstate(all="ignore"):
        mean: Floats = sums.human + e1 / n
        if rows is None:
            return mean, np.sqrt(np.maximum(e2 - e1**2 / n, 0.0) / (n - 1) / n), n
        scores, human = (formed_scores(tallied.tally, tallied.primary.form), tallied.tally.cells.ratings[:, 0])
        human_of_cell = np.searchsorted(sums.human, human)
        square, units = np.zeros((2, n.size))
        for block in rows.inside(grouping):
            place = block.level.astype(np.intp) * len(sums.human) + human_of_cell[block.cell]
            deviation = block.weighed(
                scores.alpha[block.cell] + scores.beta[block.cell] * block.u - mean.ravel()[place]
            )
            parts = block.parts(place, n.size)
            total = np.add.reduceat(deviation[parts.order], parts.starts[:-1])
            square += totals(parts.place, total**2, n.size)
            units += np.bincount(parts.place, minlength=n.size)
        square, units = square.reshape(n.shape), units.reshape(n.shape)
        return mean, np.where(units > 1, np.sqrt(square * units / (units - 1)) / n, np.nan), units


OVERALL = (
    "levels.off_by_two", "levels.macro_rmse", "levels.lowest_kept", "levels.highest_kept", "levels.extremes_kept",
    "levels.calibration_slope", "levels.error_slope", "levels.expected_error_slope", "levels.true_sd",
)  # fmt: skip
"""Statistics of all levels together, in the order of the table."""

RMSE_ROW = "system.rmse"
"""The third row, to compare the second with."""


def level_results(tallied: TalliedScores) -> tuple[list[Table], dict[str, Estimate]]:
    """Return the tables by level, and the statistics of all levels together."""
    levels = Levels.of(tallied)
    estimates = overall_levels(levels) | slopes(tallied)
    tables = [_calibration(tallied, levels), _by_human(tallied, levels), _overall(tallied, estimates)]
    return tables, estimates


def level_unit(points: Points) -> str:
    """Return what lies between two levels: a "point", a "step" of the scale that is no point, or a "band"."""
    if points.width != 1 or points.continuous:
        return "band"
    return "point" if points.step == 1 else "step"


def _calibration(tallied: TalliedScores, levels: Levels) -> Table:
    kept = levels.human == levels.engine
    rows = []
    for at in np.unique(levels.engine):
        here = levels.engine == at
        means = levels.means(here)
        precision = levels.share("precision", kept, here)
        rows.append(
            Row((
                levels.labels[at], precision.n, means["system_mean"].value, means["h_mean"],
                means["calibration_gap"], precision,
            ))
        )  # fmt: skip
    both = columns_of(mean_system="score", mean_human="score")
    columns = (Column("band"), count_column(), *both, *map(metric_column, ("calibration_gap", "precision")))
    return table("calibration", "", columns, rows, _notes(tallied, levels))


def _by_human(tallied: TalliedScores, levels: Levels) -> Table:
    expected = levels.expected_errors()
    kept, far = levels.human == levels.engine, np.abs(levels.human - levels.engine) >= 2
    rows = []
    for at, label in enumerate(levels.labels):
        here = levels.human == at
        recall = levels.share("recall", kept, here)
        if not recall.n:
            rows.append(Row((label, 0, *[None] * 6)))
            continue
        means = levels.means(here)
        rows.append(
            Row((
                label, recall.n, means["h_mean"].value, recall, levels.share("off_by_two", far, here),
                means["mean_error"], expected[at] if expected[at].defined else None, means["level_rmse"],
            ))
        )  # fmt: skip
    columns = (
        Column("human"),
        count_column(),
        Column("mean_human", "", "score", shown=False),
        metric_column("recall"),
        metric_column("off_by_two"),
        metric_column("mean_error"),
        Column("expected_error", "", "difference", shown=any(each.defined for each in expected)),
        metric_column("level_rmse"),
    )
    return table("levels.by_human", "", columns, rows, _notes(tallied, levels))


def _overall(tallied: TalliedScores, estimates: Mapping[str, Estimate]) -> Table:
    rows = [Row((Term(key), estimates[key].n, estimates[key])) for key in OVERALL]
    rmse: Cell = tallied.estimates(tallied.primary).estimate("system.rmse")
    rows.insert(2, Row((Term(RMSE_ROW), tallied.tally.n, rmse)))
    columns = (Column("statistic"), count_column(), Column("value", "", "coefficient"))
    return table("levels.overall", "", columns, rows)


def _notes(tallied: TalliedScores, levels: Levels) -> tuple[str, ...]:
    """Say how levels were made where they are not points in steps of 1."""
    points = levels.points
    if points.continuous:
        size = len(tallied.scale.points()) if tallied.scale.step else 0
        return (Term("in_bands_of", points=size, width=points.step),)
    return (Term("in_bands", points=points.size, width=points.width),) if points.width > 1 else ()
