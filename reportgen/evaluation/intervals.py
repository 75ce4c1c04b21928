"""Intervals without a standard error: bounded parts, ratios (Fieller), scores without errors, and the bootstrap."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation import statistics
from reportgen.evaluation.statistics import METHOD_WILSON, PARTS, bounded, independent_trials, no_interval, no_value
from reportgen.metrics import METRICS, pair, true_score
from reportgen.metrics.pair import ratio
from reportgen.results import Estimate, Kind
from reportgen.tally import Form, Influence, Moments, Sums, Tally, covariances, derivatives, fieller, limits, quantiles
from reportgen.tally.cells import formed_scores
from reportgen.tally.clusters import ClusteredRows
from reportgen.tally.features import PAIR_FEATURES, pilot_centre
from reportgen.tally.intervals import SCALES, Statistics, score_interval, widened
from reportgen.tally.left_out import FEW_UNITS
from reportgen.tally.sums import Floats

METHOD_FIELLER = "Fieller's interval, variances by the infinitesimal jackknife on whole {units}"
METHOD_ERRORLESS = "bound from seeing no error (rule of three)"
MAYBE_NO_TRUE_VARIANCE = "the variance of true scores may be 0 in the double-scored responses"


class Ends(NamedTuple):
    """Replaced ends of an interval in some slices, their method, or why there are none."""

    where: NDArray[np.bool_]
    low: Floats
    high: Floats
    method: str
    reason: str = ""


@dataclass(frozen=True)
class Part:
    """A number in every slice with the ends of its interval and its standard error."""

    value: Floats
    low: Floats
    high: Floats
    error: Floats


@dataclass(frozen=True)
class Numbers(Part):
    """One statistic in every slice, with `method` and `no_interval` if they differ from the usual ones."""

    metric: str
    n: Floats
    method: NDArray[np.str_]
    no_interval: NDArray[np.str_]

    def estimate(self, index: int, level: float, method: str, kind: Kind | None = None, reason: str = "") -> Estimate:
        """Return the estimate of one slice, with `method` as default and `reason` if it has no value."""
        kind, n = kind or METRICS[self.metric].kind, round(self.n[index])
        return bounded(
            self.metric, self.value[index], n, self.low[index], self.high[index], self.error[index], level,
            str(self.method[index]) or method, kind, reason or no_value(n),
            str(self.no_interval[index]) or no_interval(n),
        )  # fmt: skip

    def with_ends(self, ends: Ends) -> Numbers:
        """Return the numbers with other ends in some slices; a value at an end keeps it."""
        low, high = np.where(ends.where, ends.low, self.low), np.where(ends.where, ends.high, self.high)
        defined = np.isfinite(low) & np.isfinite(high)
        low, high = (np.where(defined, end, np.nan) for end in (low, high))
        method = np.where(ends.where, ends.method, self.method)
        no_interval = np.where(ends.where, ends.reason, self.no_interval)
        return replace(self, low=low, high=high, method=method, no_interval=no_interval)

    def reaching(self, key: str, lowest: Floats, highest: Floats) -> Numbers:
        """Return the numbers with ends that include other possible values, with errors added as if independent."""
        scale, ends = SCALES[transform_of(key, self.metric)], []
        with np.errstate(all="ignore"):
            at = scale.forward(self.value)
            for place, (end, other) in enumerate(((self.low, lowest), (self.high, highest))):
                half = np.hypot(scale.forward(end) - at, np.nan_to_num(scale.forward(other) - at))
                ends.append(np.where(half > np.abs(scale.forward(end) - at), scale.ends(self.value, half)[place], end))
        low, high = (np.clip(each, *range_of(key, self.metric)) for each in ends)
        return replace(self, low=low, high=high)

    def without(self, where: NDArray[np.bool_] | bool = True) -> Numbers:
        """Return the numbers without a value in some slices."""
        parts = {name: np.where(where, np.nan, getattr(self, name)) for name in ("value", "low", "high", "error")}
        return Numbers(**parts, metric=self.metric, n=self.n, method=self.method, no_interval=self.no_interval)


def transform_of(key: str, metric: str) -> str:
    """Return the scale of a statistic's interval; differences are not transformed."""
    return "none" if key.startswith("degradation.") else METRICS[metric].transform


def range_of(key: str, metric: str) -> tuple[float, float]:
    """Return the least and the greatest value of a statistic, or of a difference of two."""
    low, high = METRICS[metric].range
    return (low - high, high - low) if key.startswith("degradation.") else (low, high)


def interval_numbers(
    key: str, metric: str, value: Floats, error: Floats, n: Floats, units: Floats, level: float,
    freedom: Floats | None = None,
) -> Numbers:  # fmt: skip
    """Return a statistic with its interval on the scale where it is symmetric; `freedom` is `units` - 1 by default."""
    transform = transform_of(key, metric)
    trials = independent_trials(value, error, n, units) if transform == "wilson" else None
    low, high = limits(value, error, units - 1 if freedom is None else freedom, transform, level, trials)
    # a value at the end of its range (perfect agreement) has no symmetric scale
    defined = np.isfinite(low) & np.isfinite(high)
    low, high = (np.where(defined, np.clip(end, *range_of(key, metric)), np.nan) for end in (low, high))
    method = METHOD_WILSON if transform == "wilson" else ""
    return Numbers(value, low, high, error, metric, n, np.full(n.shape, method), np.full(n.shape, ""))


def ratio_to_true_variance(
    numbers: Mapping[str, Numbers], influences: Mapping[str, Influence], slices: Moments, whole: Moments,
    units: Floats, level: float, clustered: bool, added: Mapping[str, Floats],
) -> Ends:  # fmt: skip
    """Compute Fieller's interval of PRMSE, 1 minus the ratio of mean squared error to true-score variance.

    It is always used, because a choice by the precision of the true-score variance would depend on the estimate that is
    in doubt (benchmarks/coverage.md).

    added: variance between sampled raters of each statistic; it widens both by its effect on PRMSE.
    """
    top, bottom = numbers["true_score.mse_true"], numbers["true_score.true_variance"]
    of_top, of_bottom = influences["true_score.mse_true"], influences["true_score.true_variance"]
    varies = (numbers["true_score.prmse"].error > 0) & (bottom.error > 1e-7 * np.abs(bottom.value))
    together = covariances(of_top, of_bottom, slices, whole, units)
    variances, freedom = (top.error**2, bottom.error**2, together), units - 1
    if slices.between is not None:
        own, more = np.where(varies, numbers["true_score.prmse"].error, 1.0), added["true_score.prmse"]
        error, freedom = widened(own, freedom, more, slices.between.freedom[:, PARTS.index("multiple")])
        variances = tuple(each * (error / own) ** 2 for each in variances)  # type: ignore[assignment]
    low, high = fieller(top.value, bottom.value, variances, freedom, level)
    method = METHOD_FIELLER.format(units="clusters" if clustered else "responses")
    return Ends(varies, 1 - high, 1 - low, method, MAYBE_NO_TRUE_VARIANCE)


_N, _X, _Y, _XX, _YY, _XY, _ABSOLUTE = range(7)
_SHIFT = {(_N, _X): 1, (_X, _XX): 2, (_Y, _XY): 1, (9, 10): 1, (9, 11): 1, (10, 12): 2, (11, 13): 2, (10, 14): 1,
          (11, 14): 1, (20, 22): 1, (22, 23): 2, (25, 24): 1}  # fmt: skip
_SHARED = {(_N, _XX): 1, (9, 12): 1, (9, 13): 1, (9, 14): 1, (20, 23): 1}
_OWN = {(_N, _XX): 1, (9, 12): 1, (9, 13): 1, (18, 23): 1, (28, 27): 1}
"""(feature, changed feature): factor, for a shift of ratings by 1, for 1 more shared variance of a response's ratings,
and for 1 more variance of each rating."""


def _moved(sums: Floats, shift: Floats, shared: Floats, own: Floats) -> Floats:
    """Return sums of shifted ratings with more variance; small distances become rarer as for a normal variable."""
    from scipy.special import ndtr, ndtri

    made = sums.copy()
    for amount, changes in ((shift, _SHIFT), (shared, _SHARED), (own, _OWN)):
        for (source, place), times in changes.items():
            made[:, place] += times * amount * sums[:, source]
    for at in (0, PAIR_FEATURES):
        before, after = (each[:, at + _XX] + each[:, at + _YY] - 2 * each[:, at + _XY] for each in (sums, made))
        farther, near = np.sqrt(after / before), slice(at + _ABSOLUTE + 1, at + PAIR_FEATURES)
        made[:, at + _ABSOLUTE] *= farther
        n = sums[:, at, None]
        made[:, near] = n * (2 * ndtr(ndtri((1 + sums[:, near] / n) / 2) / farther[:, None]) - 1)
    return made


Reach = Mapping[str, tuple[Floats, Floats]]  # lowest and highest additional value by statistic


def severity_of_raters(
    slices: Moments, whole: Sums, compute: Statistics, values: Mapping[str, Floats], added: Mapping[str, Floats],
    level: float,
) -> tuple[Mapping[str, Floats], Reach, Floats | None]:  # fmt: skip
    """Compute variances between sampled raters, additional values of statistics, and the variance of severity.

    First-order influences are not sufficient, because the variance of severity of few raters is uncertain and skewed,
    and the effect of a shift of all ratings can be second-order. So statistics are computed again for shifted ratings
    with more or less variance. The variance of severity has a chi-square interval, and is added to other errors as a
    variance component (Graybill and Wang 1980).

    added: variance between raters by their influences.
    """
    if slices.between is None:
        return added, {}, None
    from scipy.special import chdtri

    sums, freedom = slices.sums, slices.between.freedom[:, 0]
    with np.errstate(all="ignore"):
        n, x, y = sums[:, :3].T
        towards = np.stack([(x - y) / n, 0 * n - 1, 0 * n + 1], axis=1) / n[:, None]
        mean = np.maximum(np.einsum("lf,lfg,lg->l", towards, slices.between.products[:, :3, :3], towards), 0.0)
        none, shift, variance = 0 * mean, quantiles(freedom, level) * np.sqrt(mean), mean * (freedom + 1)
        least, most = (variance * (freedom / chdtri(freedom, (1 + side * level) / 2) - 1) for side in (-1, 1))
        ways = ((shift, shift**2, none), (-shift, shift**2, none), (none, mean, none), (none, none, -variance),
                (none, none, least), (none, none, most))  # fmt: skip
        moved = [compute(Sums.of(_moved(sums, *way), slices.centre), whole) for way in ways]
        total, reach = dict(added), {}
        for key, value in values.items():
            if "dsm" in key:
                continue
            up, down, few, less, *ends = (np.nan_to_num(each[key] - value) for each in moved)
            linear = (up - down) / 2 / quantiles(freedom, level)
            total[key] = np.maximum(added[key] - 2 * less**2 / freedom, linear**2) + few**2
            others = np.stack([(up + down) / 2, *ends])
            below, above = (np.sqrt((np.maximum(side * others, 0) ** 2).sum(axis=0)) for side in (-1, 1))
            reach[key] = value - below, value + above
    return total, reach, most


def without_error(
    sums: Sums, numbers: Mapping[str, Numbers], worst: float, worst_human: float, level: float
) -> Iterator[tuple[str, Ends]]:
    """Yield bounds of the statistics of scores that never differ, by key.

    Half of 1 - level is used for the share of errors, half for the variance of the human scores.
    """
    perfect = {}
    for family, own, furthest in (("system", sums.system, worst), ("human", sums.human, worst_human)):
        perfect[family] = (own.n > 1) & (pair.squared_errors(own) == 0) & (pair.squares_x(own) > 0)
        if not perfect[family].any():
            continue
        ends = _bounds(own.n, numbers[f"{family}.h_sd"].low ** 2, furthest, level)
        for metric, (low, high) in ends.items():
            if f"{family}.{metric}" in numbers:
                yield f"{family}.{metric}", Ends(perfect[family], low, high, METHOD_ERRORLESS)
    ratings = sums.ratings
    agreed = perfect["system"] & (ratings.within == 0) & (ratings.multiple > 1)
    agreed &= pair.without_rounding(ratings.cmm - 2 * ratings.cms + ratings.css, ratings.cmm, ratings.n) == 0
    if agreed.any():
        quarter = 1 - (1 - level) / 4
        mse = true_score.largest_error_share(sums.system.n, quarter) * worst**2
        error = true_score.largest_error_share(np.maximum(ratings.multiple, 1), quarter) * worst_human**2 / 2
        low = true_score.least_prmse(mse, numbers["system.h_sd"].low ** 2, error)
        yield "true_score.prmse", Ends(agreed, low, np.ones_like(low), METHOD_ERRORLESS)


def _bounds(n: Floats, variance: Floats, worst: float, level: float) -> dict[str, tuple[Floats, Floats]]:
    """Return the ends of every metric of a pair of scores that agree in all n responses."""
    one, share = np.ones_like(n), true_score.largest_error_share(np.maximum(n, 1), level)
    half = true_score.largest_error_share(np.maximum(n, 1), (1 + level) / 2)
    mse, shift = half * worst**2, half * worst / np.sqrt(variance)
    return {
        "qwk": (true_score.least_qwk(mse, variance), one),
        "r": (true_score.least_correlation(mse, variance), one),
        "r_squared": (1 - mse / variance, one),
        "smd": (-shift, shift),
        "rmse": (0 * one, np.sqrt(share) * worst),
        "mae": (0 * one, share * worst),
    }


def widened_degradation(numbers: Mapping[str, Numbers], perfect: Mapping[str, Ends]) -> Iterator[tuple[str, Ends]]:
    """Yield the ends of degradations with one part that is only bounded."""
    for metric in ("qwk", "r"):
        key, parts = f"degradation.{metric}", [perfect.get(f"{family}.{metric}") for family in ("system", "human")]
        if not any(parts):
            continue
        own, none = numbers[key], np.zeros(len(numbers[key].value), bool)
        system, human = (none if ends is None else ends.where for ends in parts)
        below, above = (0.0 if ends is None else np.where(ends.where, 1 - ends.low, 0.0) for ends in parts)
        low, high = (np.where(system & human, own.value, end) for end in (own.low, own.high))
        yield key, Ends(system | human, low - below, high + above, METHOD_ERRORLESS)


METHOD_OF_PARTS = "recovered from the intervals of its parts"
METHOD_TWO_POINTS = "from the Wilson score interval of the share at the higher score"
MAY_BE_UNRELATED = "a correlation in its formula may be 0"
FEW_CANDIDATES = "fewer than 50 candidates are too few to estimate the variance of true scores"
NEARLY_ALL_THE_SAME = "nearly all engine scores repeat the human score, and too few differ from it"


TELLING_CANDIDATES = 50
"""Test takers required for a reliable interval of the true-score variance (coverage 92% of 95% with 40)."""


def kappa_of_few_agreements(numbers: Numbers, counts: Floats, level: float) -> Ends:
    """Convert the share's interval to one of kappa if fewer responses agree than there are points.

    Kappa is linear in the share of agreement, and chance agreement is comparatively precise.

    counts (levels, points, points): table of the scores.
    """
    n, agreed = counts.sum(axis=(1, 2)), np.trace(counts, axis1=1, axis2=2)
    with np.errstate(all="ignore"):
        share, times = agreed / n, (1 - numbers.value) / (1 - agreed / n)
        worth = np.where(agreed > 0, np.minimum(share * (1 - share) * (times / numbers.error) ** 2, n), n)
        ends = score_interval(share, worth, quantiles(n - 1, level))
        low, high = (np.clip(numbers.value + times * (end - share), -1, 1) for end in ends)
    return Ends((agreed < counts.shape[1]) & (numbers.error > 0), low, high, METHOD_OF_PARTS)


RARE = 30  # responses on the rarer side of a percentage above which differences are symmetric

COPIED, FEW_DIFFERENT = 0.9, 30
"""Share of engine scores equal to the human score above which the others count, and their number that is few."""


def degradation_of_shares(numbers: Mapping[str, Numbers], slices: Moments, level: float) -> Iterator[tuple[str, Ends]]:
    """Yield the intervals of differences of two percentages, one near its end (Zou and Donner 2008)."""
    sums, units = slices.named(), slices.units
    for key, one, other, apart in _degradations(numbers, "exact_agreement", "adjacent_agreement"):
        parts = _share(one, sums.system.n, units.system, level), _share(other, sums.human.n, units.human, level)
        of_n = (one, sums.system.n), (other, sums.human.n)
        rarer = [np.minimum(each.value, 100 - each.value) * n / 100 for each, n in of_n]
        low, high = difference(*parts, apart)
        yield key, Ends((np.minimum(*rarer) < RARE) & (apart.error > 0), low, high, METHOD_OF_PARTS)


def _degradations(numbers: Mapping[str, Numbers], *metrics: str) -> Iterator[tuple[str, Numbers, Numbers, Numbers]]:
    for metric in metrics:
        one, other, key = (f"{family}.{metric}" for family in ("system", "human", "degradation"))
        yield key, numbers[one], numbers[other], numbers[key]


def _share(numbers: Part, n: Floats, units: Floats, level: float) -> Part:
    with np.errstate(all="ignore"):
        trials = independent_trials(numbers.value, numbers.error, n, units)
        low, high = score_interval(numbers.value / 100, trials, quantiles(units - 1, level))
    return Part(numbers.value, 100 * low, 100 * high, numbers.error)


def difference(one: Part, other: Part, apart: Part) -> tuple[Floats, Floats]:
    """Return the ends of a difference from the ends of its parts and all three standard errors."""
    with np.errstate(all="ignore"):
        together = (one.error**2 + other.error**2 - apart.error**2) / (2 * one.error * other.error)
        alike = np.where(one.error * other.error > 0, np.clip(together, -1, 1), 0.0)
        value = one.value - other.value
        below, above = one.value - one.low, one.high - one.value
        other_below, other_above = other.value - other.low, other.high - other.value
        down = np.sqrt(np.maximum(below**2 + other_above**2 - 2 * alike * below * other_above, 0.0))
        up = np.sqrt(np.maximum(above**2 + other_below**2 - 2 * alike * above * other_below, 0.0))
        return value - down, value + up


def degradation_of_few(numbers: Mapping[str, Numbers], units: Floats) -> Iterator[tuple[str, Ends]]:
    """Yield the intervals of differences of two skewed r or QWK, one from few double scores (Zou 2007)."""
    for key, one, other, apart in _degradations(numbers, "qwk", "r"):
        low, high = difference(one, other, apart)
        yield key, Ends((units < FEW_UNITS) & (apart.error > 0), low, high, METHOD_OF_PARTS)


def disattenuated_of_few(numbers: Mapping[str, Numbers], units: Floats) -> Iterator[tuple[str, Ends]]:
    """Yield the interval of the disattenuated correlation with few double scores, from its parts.

    Its logarithm is a difference, log r - log(r of raters) / 2. It has no interval if one of the two can be 0.
    """
    key = "disattenuated.r"
    system, human, own = numbers["system.r"], numbers["human.r"], numbers[key]
    with np.errstate(all="ignore"):
        low, high = (np.exp(end) for end in difference(_logarithm(system), _logarithm(human, 2), _logarithm(own)))
    yield key, Ends(np.isfinite(own.value) & (units < FEW_UNITS), low, high, METHOD_OF_PARTS, MAY_BE_UNRELATED)


def _logarithm(numbers: Part, root: int = 1) -> Part:
    value, low, high = (np.log(each) / root for each in (numbers.value, numbers.low, numbers.high))
    return Part(value, low, high, numbers.error / numbers.value / root)


def sd_of_two_points(
    tally: Tally, form: Form, numbers: Mapping[str, Numbers], slices: Moments, level: float
) -> Iterator[tuple[str, Ends]]:
    """Yield the intervals of SDs of scores with two values, from the share of the higher one.

    The SD is (high - low) root(p (1 - p)). At its maximum, one half, it is constant, so a standard error is too small.
    """
    scores, sums = formed_scores(tally, form), slices.named()
    engine = np.zeros(0) if scores.beta.any() else np.unique(scores.alpha)
    pairs = {"h": np.unique(tally.cells.ratings[:, 0]), "system": engine}
    n, units = sums.system.n, slices.units.system
    for whose, points in pairs.items():
        if len(points) != 2:
            continue
        mean, spread = (numbers[f"system.{whose}_{metric}"] for metric in ("mean", "sd"))
        step = float(points[1] - points[0])
        with np.errstate(all="ignore"):
            share = 100 * (mean.value - points[0]) / step
            trials = independent_trials(share, 100 * mean.error / step, n, units)
            ends = limits(share, share, units - 1, "wilson", level, trials)
            of_ends = [step * np.sqrt(end / 100 * (1 - end / 100) * n / (n - 1)) for end in ends]
            middle = (ends[0] < 50) & (ends[1] > 50)
            most = np.where(middle, step / 2 * np.sqrt(n / (n - 1)), np.maximum(*of_ends))
        yield f"system.{whose}_sd", Ends(spread.value > 0, np.minimum(*of_ends), most, METHOD_TWO_POINTS)


def of_copies(sums: Sums) -> Iterator[tuple[str, Ends]]:
    """Yield that PRMSE has no interval if nearly all engine scores are copies, as it depends on few errors."""
    same, n, none = sums.system.exact, sums.system.n, np.full_like(sums.system.n, np.nan)
    yield "true_score.prmse", Ends(copies(same, n) & (same < n), none, none, "", NEARLY_ALL_THE_SAME)


def of_few_candidates(candidates: Floats) -> Iterator[tuple[str, Ends]]:
    """Yield that the true-score variance has no interval for few test takers from a wide population."""
    none = np.full_like(candidates, np.nan)
    yield "true_score.true_variance", Ends(candidates < TELLING_CANDIDATES, none, none, "", FEW_CANDIDATES)


def copies(same: Floats, n: Floats) -> NDArray[np.bool_]:
    """Return whether nearly all of n scores are the `same` as the human one, and few differ.

    >>> copies(np.array([194.0, 9700.0, 100.0]), np.array([200.0, 10_000.0, 200.0])).tolist()
    [True, False, False]
    """
    return (same >= COPIED * n) & (n - same < FEW_DIFFERENT)


Formula = Callable[[Sums], Floats]


class Ratio(NamedTuple):
    """A ratio of two statistics."""

    top: Formula
    bottom: Formula


class Interval(NamedTuple):
    """Value and ends of a ratio; nan if undefined."""

    value: float
    low: float
    high: float
    n: int


def intervals(
    ratios: Mapping[str, Ratio], slices: Moments, level: float, rests_on: Literal["system", "human", "multiple"]
) -> dict[str, Interval]:
    """Compute every ratio of the first slice, with Fieller's interval."""
    formulas = {f"{name}.{part}": getattr(each, part) for name, each in ratios.items() for part in ("top", "bottom")}

    def compute(own: Sums, _: Sums) -> dict[str, Floats]:
        return {key: formula(own) for key, formula in formulas.items()}

    named = slices.named()
    with np.errstate(all="ignore"):
        values = compute(named, named)
    influences = derivatives(compute, slices, slices)
    units = getattr(slices.units, rests_on)
    n = {"system": named.system.n, "human": named.human.n, "multiple": named.ratings.multiple}[rests_on]
    found = {}
    for name in ratios:
        keys = (f"{name}.top", f"{name}.bottom")
        one, other = (influences[key] for key in keys)
        variances = tuple(
            covariances(a, b, slices, slices, units) for a, b in ((one, one), (other, other), (one, other))
        )
        top, bottom = (np.broadcast_to(values[key], units.shape) for key in keys)
        low, high = fieller(top, bottom, variances, units - 1, level)  # type: ignore[arg-type]
        varies = (variances[0] > 0) | (variances[1] > 0)
        ends = [float(np.where(varies, end, np.nan)[0]) for end in (low, high)]
        found[name] = Interval(float(ratio(top, bottom)[0]), ends[0], ends[1], round(n[0]))
    return found


METHOD_BOOTSTRAP = "percentile bootstrap of whole {units}, {replicates:,} replicates"

BLOCK_WEIGHTS = 1 << 22  # weights in memory at a time (32 MB)

MOST_UNDEFINED = 0.05  # largest share of replicates without a value for which a statistic has an interval

TOO_OFTEN_UNDEFINED = "too many resamples leave the statistic undefined"


class Resampling(NamedTuple):
    """Settings of the bootstrap, and responses with their units by family (`rows`).

    Each replicate draws as many units as there are, with replacement, and computes every statistic from their sums
    (Efron 1979). The draws depend only on the seed, so the same data have the same intervals, and all groupings and
    forms of the score use the same draws.
    """

    rows: Mapping[str, ClusteredRows]
    level: float  # of the intervals
    rater_error_variance: float | None  # None if it is estimated
    replicates: int
    seed: int

    @property
    def method(self) -> str:
        """The name of the interval method in estimates."""
        units = "clusters" if any(rows.by_candidate for rows in self.rows.values()) else "responses"
        return METHOD_BOOTSTRAP.format(units=units, replicates=self.replicates)

    def ends(
        self, family: str, grouping: str, form: Form, numbers: Mapping[str, Numbers]
    ) -> Iterator[tuple[str, Ends]]:
        """Yield the percentile ends of every statistic of sums that has an interval, by key.

        A statistic without a jackknife interval has none here either, because resamples of constant scores are
        constant, and a true-score variance near 0 is equally uncertain.
        """
        rows, tails = self.rows[family], [(1 - self.level) / 2, (1 + self.level) / 2]
        whole = rows.features(form)[2]
        places, cluster, own = rows.features(form, grouping)
        starts = np.searchsorted(places, np.arange(len(rows.tally.slices[grouping].labels) + 1))
        compute, centre = statistics.sum_statistics(self.rater_error_variance), pilot_centre(rows.tally)
        made: dict[str, list[Floats]] = defaultdict(list)
        for weights in self._weights(len(whole)):
            every = weights @ whole
            sums = np.stack([weights[:, cluster[a:b]] @ own[a:b] for a, b in itertools.pairwise(starts)], axis=1)
            with np.errstate(all="ignore"):
                found = compute(Sums.of(sums, centre), Sums.of(every[:, None, :], centre))
            for key in statistics.SUM_STATISTICS:
                made[key].append(np.broadcast_to(found[key], sums.shape[:2]))
        for key, parts in made.items():
            values = np.concatenate(parts)
            defined = np.isfinite(values)
            enough = defined.mean(axis=0) >= 1 - MOST_UNDEFINED
            low, high = np.nanquantile(np.where(enough & defined, values, np.where(enough, np.nan, 0.0)), tails, axis=0)
            where = np.isfinite(numbers[key].low) & (numbers[key].error > 0)
            low, high = (np.where(enough, end, np.nan) for end in (low, high))
            yield key, Ends(where, low, high, self.method, TOO_OFTEN_UNDEFINED)

    def _weights(self, units: int) -> Iterator[Floats]:
        """Yield how often each unit is drawn, in blocks of replicates; the block size does not change the draws."""
        block = max(1, BLOCK_WEIGHTS // max(units, 1))
        for start in range(0, self.replicates, block):
            stop = min(start + block, self.replicates)
            weights = np.empty((stop - start, units))
            for index in range(start, stop):
                rng = np.random.default_rng([self.seed, index])
                weights[index - start] = np.bincount(rng.integers(0, units, units), minlength=units)
            yield weights
