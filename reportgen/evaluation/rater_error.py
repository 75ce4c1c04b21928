"""Rater error variance by level and group, its part due to severity, and slopes on human and true scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from reportgen.evaluation.intervals import MAYBE_NO_TRUE_VARIANCE, METHOD_FIELLER
from reportgen.evaluation.measure import joint_estimates
from reportgen.evaluation.rater_effects import NamedRatings, compared
from reportgen.evaluation.reliability import MOST_RATERS, crossed_columns, crossed_features, crossed_of
from reportgen.evaluation.statistics import estimate_of, undefined
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.metrics import true_score
from reportgen.metrics.given_true_score import true_score_slope
from reportgen.metrics.many_groups import Homogeneity, homogeneity, largest_ratio
from reportgen.metrics.pair import ratio, root, without_rounding
from reportgen.metrics.reliability import components
from reportgen.metrics.true_score import rating_features, rating_sums
from reportgen.results import Estimate
from reportgen.tally import CellScores, Floats, JointNumbers, Polynomial, fieller, pilot_centre, quantiles
from reportgen.tally.cells import Form, Tally, formed_scores, totals
from reportgen.tally.sums import Integers, RatingSums

MOST_BANDS = 12  # bands of the engine's score; a longer scale has bands of multiple points

LEAST_SHARE = 0.05
"""Share of the double-scored responses that a band needs to be compared with others. It is a share, because a fixed
number would include more bands, and change the ratio, as the data grow."""

METHOD_RATIO = "infinitesimal jackknife of each band, all pairs of bands at once (Bonferroni)"


class ScoreBand(NamedTuple):
    """Rater error variance of the responses whose rounded engine score is between two points, inclusive."""

    low: float
    high: float
    variance: Estimate


class ByScore(NamedTuple):
    """Rater error variance by the engine's score.

    `judged`: bands with enough responses to be compared. `trend`: change per SD of the engine's score, as a share of
    the total. `ratio`: of the largest band to the smallest. `differ`: test for differences of the bands, None if test
    takers occur in multiple bands.
    """

    bands: tuple[ScoreBand, ...]
    judged: tuple[ScoreBand, ...]
    trend: Estimate
    ratio: Estimate
    differ: Homogeneity | None


class SeverityEffect(NamedTuple):
    """Error variance and PRMSE with and without constant differences in severity, and the change of PRMSE."""

    variance: Estimate
    variance_without: Estimate
    prmse: Estimate
    prmse_without: Estimate
    rise: Estimate


def error_by_score(tallied: TalliedScores) -> ByScore:
    """Return rater error variance by band of the engine's score, whose errors are independent of the raters'."""
    bands = tuple(_band(tallied, low, high) for low, high in _edges(tallied))
    least = LEAST_SHARE * sum(band.variance.n for band in bands)
    judged = tuple(band for band in bands if band.variance.n >= least)
    large = [band.variance for band in judged if band.variance.n >= tallied.min_n]
    differ = None if tallied.by_candidate else of_one_variance(large)
    return ByScore(bands, judged, _trend(tallied), _largest_ratio(tallied, judged), differ)


def of_one_variance(found: Iterable[Estimate]) -> Homogeneity:
    """Test whether error variances of different responses are equal."""
    known = [(each.value, each.standard_error) for each in found if each.value and each.standard_error]
    values, errors = np.reshape(np.array(known, np.float64), (-1, 2)).T
    return homogeneity(np.log(values), errors / values)


def _largest_ratio(tallied: TalliedScores, bands: tuple[ScoreBand, ...]) -> Estimate:
    numbers = [(band.variance.value, band.variance.standard_error, band.variance.n) for band in bands]
    value, error, n = np.reshape(np.array(numbers, np.float64), (-1, 3)).T
    found = largest_ratio(value, error, n, tallied.level, independent=not tallied.by_candidate)
    reason = "fewer than two bands of the scale have an error variance above 0"
    if (n < tallied.min_n).any():
        found, reason = None, f"a band of the scale has fewer than {tallied.min_n} responses scored twice"
    largest, low, high = found or (np.nan, np.nan, np.nan)
    return estimate_of(
        "error_variance_ratio", largest, n.sum(), low, high, np.nan, tallied.level, METHOD_RATIO, "number", reason,
        "a band has too few responses for an interval of the ratio",
    )  # fmt: skip


def _edges(tallied: TalliedScores) -> list[tuple[float, float]]:
    form = tallied.primary_rounded
    scores = CellScores.of(tallied.tallies[form.family], form.form)
    rounded = scores.score.c[0] + scores.centre
    several = scores.present.sum(axis=0) > 1
    if not several.any():
        return []
    step, points = tallied.preparation.rounding.step, tallied.points
    if points.width > 1 and not points.continuous:  # a long scale has the same bands in the whole report
        given, lowest = points.categories, points.categories[0]
        held = set(points.level(np.rint((rounded[several] - lowest) / step).astype(np.int64)).tolist())
        return [(float(given[low]), float(given[high])) for k, (low, high) in enumerate(points.edges) if k in held]
    steps = np.rint((rounded[several] - rounded[several].min()) / step)
    width = np.ceil((steps.max() + 1) / MOST_BANDS)
    starts = np.unique(width * np.floor(steps / width))
    lowest = tallied.preparation.rounding.nearest(rounded[several]).min()
    ends = np.minimum(starts + width - 1, steps.max())
    return [(float(lowest + step * low), float(lowest + step * high)) for low, high in zip(starts, ends, strict=True)]


def _band(tallied: TalliedScores, low: float, high: float) -> ScoreBand:
    near = tallied.preparation.rounding.step / 4

    def features(scores: CellScores) -> dict[str, Floats]:
        rounded = scores.score.c[0] + scores.centre
        here = (rounded >= low - near) & (rounded <= high + near)
        found = rating_features(scores.given, scores.present, rounded)
        return {key: here * found[key] for key in ("within", "freedom", "multiple")}

    found = tallied.joint(
        tallied.primary_rounded, features, lambda sums, _: {"variance": ratio(sums["within"], sums["freedom"])},
        rests_on="multiple",
    )["variance"]  # fmt: skip
    reason = "no response here was scored twice"
    [error] = joint_estimates(tallied, "error_variance", found, kind="number", transform="variance", reason=reason)
    return ScoreBand(low, high, error)


def _trend(tallied: TalliedScores) -> Estimate:
    """Return the change of error variance per SD of the engine's score, as a share of the total."""

    def features(scores: CellScores) -> dict[str, Polynomial | Floats]:
        found, m = rating_features(scores.given, scores.present, scores.score.c[0]), scores.score
        within, freedom = found["within"], found["freedom"]
        return {
            "n": freedom, "m": m * freedom, "mm": (m * m) * freedom, "v": within, "vm": m * within,
            "multiple": found["multiple"],
        }  # fmt: skip

    def statistics(sums: Mapping[str, Floats], _: float) -> Mapping[str, Floats]:
        n, m, v = sums["n"], sums["m"], sums["v"]
        spread = sums["mm"] - ratio(m**2, n)
        slope = ratio(sums["vm"] - ratio(v * m, n), spread)
        return {"trend": ratio(slope * root(ratio(spread, n)), ratio(v, n))}

    found = tallied.joint(tallied.primary, features, statistics, rests_on="multiple")["trend"]
    reason = "no response was scored twice, or scores do not vary"
    return joint_estimates(tallied, "error_variance_trend", found, kind="difference", reason=reason)[0]


def error_by_group(tallied: TalliedScores, grouping: str) -> list[tuple[str, Estimate]]:
    """Return rater error variance of every level of a grouping, largest first."""
    slices = tallied.estimates(tallied.primary, grouping)
    none = Estimate("error_variance", None, 0, kind="number", reason="no response here was scored twice")
    found = []
    for level in tallied.level_order(grouping, "multiple"):
        known = round(slices.sums.ratings.multiple[level]) > 0
        found.append((slices.labels[level], slices.estimate("true_score.error_variance", level) if known else none))
    return found


def severity_effect(tallied: TalliedScores, rows: NamedRatings | None = None) -> SeverityEffect | None:
    """Return the effect of severity of the raters in `rows`, or else of columns; None if unknown."""
    if tallied.rater_error_variance is not None:
        return None
    found, why = _by_name(tallied, rows) if rows is not None else _by_column(tallied)
    if not found:
        return None
    variance, without = (
        joint_estimates(tallied, "error_variance", found[key], kind="number", transform="variance")[0]
        for key in ("variance", "variance_without")
    )
    less = joint_estimates(tallied, "prmse", found["prmse_without"], kind="coefficient")[0]
    # the change is a square: near 0, its interval is not symmetric, and its standard error would be too small
    rise = joint_estimates(tallied, "prmse_rise", found["rise"], kind="difference")[0]
    if why:
        rise = replace(rise, low=None, high=None, method="", interval_reason=why)
    else:
        low, high = (float(found[end].value[0]) for end in ("low", "high"))
        low, high = min(low, rise.value or 0.0), max(high, rise.value or 0.0)
        rise = replace(rise, low=low, high=high, method=f"{rise.method}, of the difference of means")
    prmse = tallied.estimates(tallied.primary).estimate("true_score.prmse")
    if not prmse.defined or prmse.interval_reason == MAYBE_NO_TRUE_VARIANCE:
        rise = undefined(rise, prmse.reason or prmse.interval_reason)
    return SeverityEffect(variance, without, prmse, _with_fieller(tallied, less, found), rise)


MANY = "a sum of squares over the severities of raters has no interval here"


def _by_name(tallied: TalliedScores, rows: NamedRatings) -> tuple[dict[str, JointNumbers], str]:
    """Return the statistics for named raters, and why the change has no interval."""
    if rows.components.found.reason or tallied.scores is None:
        return {}, ""
    system = np.clip(tallied.scores.system, *tallied.preparation.bounds)
    present = np.isfinite(rows.ratings)
    centre = float(rows.ratings[present].mean())
    features = rating_features(np.where(present, rows.ratings - centre, 0.0).T, present.T, system - centre)
    each, residual = np.stack(list(features.values()), axis=1), rows.components.found.residual

    def statistics(values: Floats) -> Mapping[str, Floats]:
        return _effect(rating_sums(dict(zip(features, values[:-1], strict=True)), centre), values[-1])

    influence = np.column_stack([each, rows.components.influence[:, 2]])
    at = np.append(each.sum(axis=0), residual)
    return rows.numbers(statistics, at, influence, features["multiple"] > 0), MANY


def _by_column(tallied: TalliedScores) -> tuple[dict[str, JointNumbers], str]:
    """Return the statistics with columns as raters, and why the change has no interval."""
    used, crossed = crossed_columns(tallied)
    if crossed is None or len(used) > MOST_RATERS:
        return {}, ""
    ends = _squared_ends(compared(tallied, *used)["mean_difference"]) if len(used) == 2 else None

    def features(scores: CellScores) -> dict[str, Polynomial | Floats]:
        return {**crossed_features(scores, used), **rating_features(scores.given, scores.present, scores.score)}

    def statistics(sums: Mapping[str, Floats], centre: float) -> Mapping[str, Floats]:
        return _effect(rating_sums(sums, centre), components(crossed_of(sums, len(used))).residual, ends)

    return tallied.joint(tallied.primary, features, statistics, rests_on="multiple"), "" if ends is not None else MANY


def _effect(ratings: RatingSums, without: Floats, ends: tuple[float, float] | None = None) -> Mapping[str, Floats]:
    """Return error variance and PRMSE with and without severity; with `ends`, the change at those squares."""
    variance = true_score.rater_error_variance(ratings)
    prmse, less = true_score.prmse(ratings), true_score.prmse(ratings, without)
    top, bottom = true_score.mean_squared_error_true(ratings, without), true_score.true_score_variance(ratings, without)
    made = {
        "variance": variance, "variance_without": without, "prmse_without": less, "rise": prmse - less,
        "top": top, "bottom": bottom, "both": top + bottom,
    }  # fmt: skip
    if ends is not None:
        share = ratio(ratings.multiple, ratings.freedom)
        low, high = (prmse - true_score.prmse(ratings, variance - share * gap / 2) for gap in ends)
        made |= {"low": low, "high": high}
    return made


def _with_fieller(tallied: TalliedScores, prmse: Estimate, found: Mapping[str, JointNumbers]) -> Estimate:
    if prmse.defined and not found["bottom"].value[0] > 0:
        return undefined(prmse, true_score.NO_TRUE_VARIANCE)
    if prmse.value is None or prmse.low is None:
        return prmse
    top, bottom, both = (found[key] for key in ("top", "bottom", "both"))
    together = (both.error**2 - top.error**2 - bottom.error**2) / 2
    units = np.broadcast_to(top.units.sum(), top.value.shape)
    low, high = fieller(top.value, bottom.value, (top.error**2, bottom.error**2, together), units - 1, tallied.level)
    if not np.isfinite(low[0]):
        return replace(prmse, low=None, high=None, method="", interval_reason=MAYBE_NO_TRUE_VARIANCE)
    method = METHOD_FIELLER.format(units="clusters" if tallied.by_candidate else "responses")
    return replace(prmse, low=float(1 - high[0]), high=float(1 - low[0]), method=method)


def _squared_ends(difference: Estimate) -> tuple[float, float] | None:
    if difference.low is None or difference.high is None:
        return None
    squares = difference.low**2, difference.high**2
    return (0.0 if difference.low <= 0 <= difference.high else min(squares)), max(squares)


MOST_FREEDOM = 1e6  # degrees of freedom of a known error variance


@dataclass(frozen=True)
class Within:
    """Scores of the entries of a grouping, measured from one center, and the means of its levels.

    level, powers: (entries,) and (5, entries): the level, and the sums n, u1..u4.
    cell (entries,): the cell of the tally.
    h, m: first human score (entries,), and engine score (3, entries) as a polynomial in u.
    n, mean_h (levels,): responses, and means of human scores.
    """

    level: Integers
    cell: Integers
    powers: Floats
    h: Floats
    m: Floats
    n: Floats
    mean_h: Floats

    @classmethod
    def of(cls, tally: Tally, grouping: str, form: Form) -> Within:
        """Return the scores of a tally's slices, in one form of the engine score."""
        slices, scores, centre = tally.slices[grouping], formed_scores(tally, form), pilot_centre(tally)
        levels, powers = len(slices.labels), slices.sums
        h = tally.cells.ratings[slices.cell, 0] - centre
        m = _without_rounding(
            np.stack([scores.alpha[slices.cell] - centre, scores.beta[slices.cell], np.zeros(len(h))]), powers
        )
        n = totals(slices.level, powers[0], levels)
        return cls(slices.level, slices.cell, powers, h, m, n, totals(slices.level, h * powers[0], levels) / n)

    @property
    def h_own(self) -> Floats:
        """Human scores minus their level's mean."""
        return self.h - self.mean_h[self.level]

    def means(self, polynomial: Floats) -> Floats:
        """Return the mean of a polynomial (3, entries) in every level."""
        return totals(self.level, _sum(polynomial, self.powers), len(self.n)) / self.n

    def own(self, polynomial: Floats) -> Floats:
        """Return a polynomial minus its level's mean."""
        return polynomial - constant(self.means(polynomial)[self.level])


@dataclass(frozen=True)
class Slopes:
    """Slopes within levels, their parts, and their influences (3, entries).

    true, observed: slope of the engine score on the true score, and on one human score.
    spread: SD of all human scores.
    reliability, error_variance: of one human score within levels; of one rater.
    freedom: degrees of freedom of the error variance; infinite if it is given.
    true_squares, true_squares_error: sum of squares of true scores within levels, the denominator of `true`, and its
        standard error over responses.
    of_true, of_observed, of_spread: influences; `of_true` includes the uncertainty of the error variance.
    """

    true: float
    observed: float
    spread: float
    reliability: float
    error_variance: float
    freedom: float
    true_squares: float
    true_squares_error: float
    of_true: Floats
    of_observed: Floats
    of_spread: Floats

    @classmethod
    def of(cls, tally: Tally, scores: Within, given: float | None) -> Slopes:
        """Compute the slopes of a grouping, with the error variance given or estimated."""
        n, size = scores.powers[0], float(scores.n.sum())
        present = np.isfinite(tally.cells.ratings.T)
        ratings_of = np.where(present, tally.cells.ratings.T - pilot_centre(tally), 0.0)
        found = rating_features(ratings_of, present, np.zeros(len(tally.cells.ratings)))
        within, again = (found[key][scores.cell] for key in ("within", "freedom"))
        ratings = float((n * again).sum())
        variance = float(ratio((n * within).sum(), ratings)) if given is None else given
        of_variance = ratio(within - variance * again, ratings) if given is None else np.zeros_like(within)
        freedom, both = size - len(scores.n), scores.h_own * scores.own(scores.m)
        squares, products = float((n * scores.h_own**2).sum()), float(_sum(both, scores.powers).sum())
        true, observed = float(true_score_slope(products, squares, freedom, variance)), float(ratio(products, squares))
        with np.errstate(all="ignore"):
            square = scores.h_own**2
            from_mean = (scores.h - (scores.n @ scores.mean_h) / size) ** 2
            spread = float(np.sqrt((n * from_mean).sum() / (size - 1)))
            of_square, bottom = square - variance - freedom * of_variance, squares - freedom * variance
            uncertain = (n * (of_square - bottom / size) ** 2).sum() * size / (size - 1)
            return cls(
                true, observed, spread, float(ratio(squares - freedom * variance, squares)), variance,
                ratings if given is None else np.inf, bottom, float(np.sqrt(uncertain)),
                (both - constant(true * of_square)) / bottom,
                (both - constant(observed * square)) / squares,
                constant((from_mean - spread**2) / (2 * spread * (size - 1))),
            )  # fmt: skip

    def told(self, level: float) -> bool:
        """Return whether the variance of true scores differs from 0; if not, slopes on them are arbitrary."""
        t = float(quantiles(np.array([min(self.freedom, MOST_FREEDOM)]), level)[0])
        return self.true_squares > t * self.true_squares_error

    def residual(self, scores: Within) -> Floats:
        """Return the engine score minus its slope times the human score."""
        return scores.m - constant(self.true * scores.h)


def constant(value: Floats) -> Floats:
    """Return a number per entry as a constant polynomial in u."""
    return np.stack([value, np.zeros_like(value), np.zeros_like(value)])


def _sum(polynomial: Floats, powers: Floats) -> Floats:
    return np.asarray((polynomial * powers[:3]).sum(axis=0))


def _without_rounding(score: Floats, powers: Floats) -> Floats:
    a, b, _ = score
    n, total = powers[0].sum(), _sum(score, powers).sum()
    squares = (a**2 * powers[0] + 2 * a * b * powers[1] + b**2 * powers[2]).sum()
    constant_score = without_rounding(squares - ratio(total**2, n), squares, n) == 0
    return np.zeros_like(score) if constant_score else score
