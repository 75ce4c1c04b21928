"""Engine and human scores level by level: what the engine does at each human score, and what its scores mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.estimating import corrected, interval_estimate
from reportgen.evaluation.points import Points
from reportgen.evaluation.study import Study
from reportgen.metrics import METRICS, pair, true_score
from reportgen.results import Estimate
from reportgen.tally import OVERALL, TRIMMED, PairSums, RatingSums, Sums, derivatives, joint, standard_errors
from reportgen.tally.cells import Floats, Integers
from reportgen.tally.joint import CellScores, Features, JointNumbers, JointStatistics, Polynomial

Cells = NDArray[np.bool_]


@dataclass(frozen=True)
class Levels:
    """Which level of the scale every cell's scores fall on, and the estimates made of it.

    Parameters
    ----------
    human, engine
        (cells,): level of the first human score, and of the engine score rounded to a point.
    """

    points: Points
    level: float
    human: Integers
    engine: Integers

    @classmethod
    def of(cls, study: Study) -> Levels:
        """Return the levels of a study's scores."""
        points = study.points
        return cls(points, study.level, points.level(points.rated(0)), points.level(points.scored()))

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
        error = corrected(self.points.squared(influence), units)
        return self._estimate(metric, value, error, n, units)

    def share_difference(self, at: int) -> Estimate:
        """Return the share of engine scores at a level less that of human scores, in percentage points."""
        weights = self.points.weights()
        n, units = float(weights.sum()), self.points.units(np.ones(len(weights), bool))
        moved = 100.0 * ((self.engine == at) * 1.0 - (self.human == at))
        value = float(weights @ moved) / n
        error = corrected(self.points.squared((moved - value) / n), units)
        return self._estimate("share_difference", value, error, n, units)

    def means(self, among: Cells) -> Mapping[str, Estimate]:
        """Return mean human and engine score, their difference and the RMSE over some responses.

        Keys are those of the catalogue: h_mean, system_mean, calibration_gap, mean_error, level_rmse.
        """

        def features(scores: CellScores) -> Mapping[str, Polynomial]:
            here: Floats = among.astype(np.float64)
            error = scores.score - scores.ratings[0]
            return {
                "n": scores.one * here,
                "human": scores.ratings[0] * here,
                "engine": scores.score * here,
                "square": error * error * here,
            }

        def statistics(sums: Mapping[str, Floats], centre: float) -> Mapping[str, Floats]:
            human, engine = (pair.ratio(sums[who], sums["n"]) for who in ("human", "engine"))
            return {
                "h_mean": self.points.start + self.points.step * (human + centre),
                "system_mean": self.points.start + self.points.step * (engine + centre),
                "calibration_gap": self.points.step * (human - engine),
                "mean_error": self.points.step * (engine - human),
                "level_rmse": self.points.step * pair.root(pair.ratio(sums["square"], sums["n"])),
            }

        found = self._joint(features, statistics)
        return {
            key: self._estimate(key, float(each.value[0]), float(each.error[0]), float(each.n[0]), float(each.units[0]))
            for key, each in found.items()
        }

    def macro_rmse(self) -> Estimate:
        """Return the mean over human levels of the RMSE within the level; no interval when one has a single unit."""
        used = np.unique(self.human)
        each = [self.means(self.human == at)["level_rmse"] for at in used]
        value = sum(estimate.value or 0.0 for estimate in each) / len(used)
        alone = any(self.points.units(self.human == at) < 2 for at in used)
        everyone = np.ones(len(self.human), bool)
        n, units = self.points.weights().sum(), self.points.units(everyone)
        if alone:
            error = float("nan")
        elif self.points.rows is None:  # levels share no response
            error = float(np.sqrt(sum((estimate.standard_error or 0.0) ** 2 for estimate in each))) / len(used)
        else:
            error = self._macro_error(used)
        return interval_estimate(
            "macro_rmse", value, error, n, units, self.level, clustered=self.points.rows is not None,
            interval_reason="a score level with a single response says nothing about uncertainty" if alone else "",
        )  # fmt: skip

    def _macro_error(self, used: Integers) -> float:
        """Return the standard error of the macro-averaged RMSE when candidates may have responses in several levels."""

        def features(scores: CellScores) -> Mapping[str, Polynomial]:
            error = scores.score - scores.ratings[0]
            square, one = error * error, scores.one
            here = {at: (self.human == at).astype(np.float64) for at in used}
            made = {f"n{at}": one * where for at, where in here.items()}
            return {"n": one, **made, **{f"square{at}": square * where for at, where in here.items()}}

        def statistics(sums: Mapping[str, Floats], _centre: float) -> Mapping[str, Floats]:
            roots = [pair.root(pair.ratio(sums[f"square{at}"], sums[f"n{at}"])) for at in used]
            return {"macro_rmse": self.points.step * sum(roots[1:], roots[0]) / len(roots)}

        return float(self._joint(features, statistics)["macro_rmse"].error[0])

    def _joint(self, features: Features, statistics: JointStatistics) -> dict[str, JointNumbers]:
        points = self.points
        return joint(points.tally, OVERALL, TRIMMED, features, statistics, rests_on="n", rows=points.rows)

    def _estimate(self, metric: str, value: float, error: float, n: float, units: float) -> Estimate:
        return interval_estimate(metric, value, error, n, units, self.level, clustered=self.points.rows is not None)


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


def _why_no_slope(key: str) -> str:
    return "the estimated variance of true scores is negative" if key == "true_sd" else "a score is constant"


def slopes(study: Study) -> dict[str, Estimate]:
    """Return the slopes of calibration and of the error, and what a perfect engine would have: its slope and its SD.

    The last two need rater error variance: given, or estimated from responses scored more than once.
    """
    known = study.rater_error_variance

    def statistics(own: Sums, _whole: Sums) -> Mapping[str, Floats]:
        system, ratings = own.system, own.ratings
        return {
            "calibration_slope": pair.ratio(pair.products(system), pair.squares_y(system)),
            "error_slope": pair.ratio(pair.products(system), pair.squares_x(system)) - 1,
            "expected_error_slope": _expected_slope(system, ratings, known),
            "true_sd": pair.root(true_score.true_score_variance(ratings, known)),
        }

    slices = study.moments(study.primary)
    own = slices.named()
    with np.errstate(all="ignore"):
        values = statistics(own, own)
    influences = derivatives(statistics, slices, slices)
    resting = dict.fromkeys(values, (own.system.n, slices.units.system))
    if known is None:
        resting |= dict.fromkeys(OF_TRUE_SCORES, (own.ratings.multiple, slices.units.multiple))
    found = {}
    for key, value in values.items():
        n, units = resting[key]
        error = standard_errors(influences[key], slices, slices, units)
        reason = "no response was scored twice" if key in OF_TRUE_SCORES and not n[0] else _why_no_slope(key)
        found[f"levels.{key}"] = interval_estimate(
            key, float(np.broadcast_to(value, n.shape)[0]), float(error[0]), float(n[0]), float(units[0]), study.level,
            clustered=bool(study.rows), reason=reason,
        )  # fmt: skip
    return found


def _expected_slope(system: PairSums, ratings: RatingSums, known: float | None) -> Floats:
    """Return the slope of error on the human score of an engine that gives the true score: reliability - 1."""
    error = true_score.rater_error_variance(ratings) if known is None else np.full(np.shape(system.n), known)
    return -pair.ratio(error, pair.variance_x(system))
