"""Statistics of each rater on shared responses: severity, spread, agreement, drift, and paired tests of two raters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.metrics import pair
from reportgen.metrics._arrays import as_pairs, as_ratings, as_scores, check_lengths, t_quantile
from reportgen.tally import STEP, Floats, PairSums, limits

__all__ = [
    "PairedTest", "RaterDrift", "RaterHabits", "RaterProfiles", "RaterSeverity", "UnlikeRater",
    "correlation_difference", "paired_mean_difference", "pitman_morgan", "rater_drift", "rater_habits",
    "rater_profiles", "rater_severity", "unlike_raters",
]  # fmt: skip

FEWEST_LINKS = 4
"""Independent contrasts between raters (linked raters minus 1) that shrinkage toward the average requires."""

FEWEST_SPREAD = 2
"""Contrasts that an estimate of the spread of severities requires; for two raters, it is their difference."""

Codes = NDArray[np.integer]


class SharedRatings(NamedTuple):
    """Ratings of responses with two or more raters, one per position.

    response, rater (m,): code of the response, from 0 without gaps, and of the rater.
    score, place (m,): the rating, and its position in the flattened table.
    """

    response: Codes
    rater: Codes
    score: Floats
    place: Codes
    raters: int

    @property
    def ratings_of_response(self) -> Floats:
        """Number of ratings of each response."""
        return np.bincount(self.response).astype(np.float64)

    def less_response_mean(self, values: Floats) -> Floats:
        """Return each value minus the mean of its response."""
        mean = np.bincount(self.response, values) / self.ratings_of_response
        return np.asarray(values - mean[self.response])


@dataclass(frozen=True)
class RaterSeverity:
    """Severity of each rater: the difference from others on the same responses; negative is severe.

    Parameters
    ----------
    n
        (raters,): ratings of responses that others rated, too.
    observed, observed_low, observed_high
        (raters,): difference from the mean of the raters who are linked through shared responses; nan for a rater who
        shares none.
    expected, expected_low, expected_high
        (raters,): the same, shrunk toward 0 by empirical Bayes; nan if too few raters are linked.
    spread, spread_low, spread_high
        SD of severity in the population of raters, by the method of Paule and Mandel (1982), with the Q-profile
        interval of Viechtbauer (2007), which assumes normal severities and a known error variance; nan for fewer than
        three linked raters.
    error_variance, freedom
        Residual variance of a rating after response and rater, and its degrees of freedom.
    parts
        Sets of raters that no shared response links.
    reason
        Why something is nan; empty otherwise.
    """

    n: Codes
    observed: Floats
    observed_low: Floats
    observed_high: Floats
    expected: Floats
    expected_low: Floats
    expected_high: Floats
    spread: float
    spread_low: float
    spread_high: float
    error_variance: float
    freedom: int
    parts: int
    reason: str = ""


def rater_severity(ratings: ArrayLike, raters: ArrayLike, *, level: float = 0.95) -> RaterSeverity:
    """Estimate every rater's severity relative to others on the same responses.

    ``rating = response + rater + error`` is fitted by least squares, so a rater of weak responses does not appear
    severe. Severities are then shrunk toward 0, with a normal prior whose variance maximizes the likelihood times that
    variance, which keeps it above 0. Intervals include the uncertainty of this variance.

    Result: in score points. Everything is nan, with a reason, if no response has two named raters or no degrees of
    freedom remain for the error.
    Source: Searle, Casella and McCulloch (1992, chapter 7) for the prediction; Morris and Tang (2011) for the variance
    of the prior and the intervals; Paule and Mandel (1982) and Viechtbauer (2007) for the spread.

    Examples
    --------
    The second of two raters scores half a point lower:

    >>> found = rater_severity([[2, 1], [3, 3], [4, 4], [2, 1]], [[0, 1]] * 4)
    >>> found.observed.round(10).tolist()
    [0.25, -0.25]
    """
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1; found {level}")
    shared = shared_ratings(ratings, raters)
    if not len(shared.score):
        return _nothing(shared, "no response has two named raters")
    count = np.bincount(shared.rater, minlength=shared.raters)
    equations = severity_equations(shared.response, shared.rater, shared.ratings_of_response, shared.raters)
    values, vectors = equations.values, equations.vectors
    deviation = np.bincount(shared.rater, shared.less_response_mean(shared.score), shared.raters)
    parts = int((count > 0).sum()) - len(values)
    contrast = vectors.T @ deviation / values
    freedom = len(shared.score) - len(shared.ratings_of_response) - len(values)
    if freedom < 1:
        return _nothing(shared, "too few ratings to estimate their error")
    observed = vectors @ contrast
    about_raters = shared.less_response_mean(shared.score - observed[shared.rater])
    error = float(about_raters @ about_raters) / freedom
    rated = count > 0
    noise_of_links = error / values
    noise = np.sqrt(error * (vectors**2 / values).sum(axis=1))
    few = error <= 0 or len(values) < FEWEST_LINKS
    why, spread = "too few raters share responses" if few else "", np.full(3, np.nan)
    if error <= 0:
        why = "the ratings fit without error"
    elif few and rated.sum() <= FEWEST_LINKS:
        why = "fewer than five raters do not show how much severity differs between them"
    if error > 0 and len(values) >= FEWEST_SPREAD:
        spread = np.sqrt(_variances(contrast, noise_of_links, level))
    expected = noise_of_expected = np.full(shared.raters, np.nan)
    if not few:
        expected, noise_of_expected = _drawn(
            vectors, values, contrast, error, *_prior_variance(contrast, noise_of_links)
        )
    t = t_quantile(freedom, level)
    margin, reach = t * noise, t * noise_of_expected
    observed, expected = (np.where(rated, each, np.nan) for each in (observed, expected))
    return RaterSeverity(
        count, observed, observed - margin, observed + margin, expected, expected - reach, expected + reach,
        float(spread[0]), float(spread[1]), float(spread[2]), error, freedom, parts, why,
    )  # fmt: skip


def named_ratings(ratings: ArrayLike, raters: ArrayLike) -> tuple[Floats, Codes]:
    """Return ratings and the codes of their raters, (n, k) each."""
    scores, codes = as_ratings(ratings), np.asarray(raters)
    codes = codes[:, None] if codes.ndim == 1 else codes
    if scores.shape != codes.shape:
        raise ValueError(f"ratings {scores.shape} and raters {codes.shape} must have the same shape")
    return scores, codes


def shared_ratings(ratings: ArrayLike, raters: ArrayLike) -> SharedRatings:
    """Return the ratings of responses that at least two named raters rated."""
    scores, codes = named_ratings(ratings, raters)
    named = ~np.isnan(scores) & (codes >= 0)
    multiple = named & (named.sum(axis=1) > 1)[:, None]
    place = np.flatnonzero(multiple)
    response = np.unique(place // max(scores.shape[1], 1), return_inverse=True)[1]
    most = int(codes.max(initial=-1)) + 1
    return SharedRatings(response, codes.ravel()[place], scores.ravel()[place], place, most)


NEGLIGIBLE = 1e-9
"""Share of the largest eigenvalue below which an equation of severity is uninformative, such as for unlinked raters."""


class SeverityEquations(NamedTuple):
    """Matrix of the equations of severity, (raters, raters), with its informative eigenvalues and eigenvectors."""

    matrix: Floats
    values: Floats
    vectors: Floats


def severity_equations(
    response: Codes, rater: Codes, ratings: Floats, raters: int, weight: Floats | None = None
) -> SeverityEquations:
    """Compute the equations of ``rating = response + rater + error`` without response effects.

    response, rater (m,): codes of every rating, in the order of responses.
    ratings, weight (responses,): number of ratings of each response, and how often it counts (default: once).
    """
    times = np.ones(len(ratings)) if weight is None else weight
    starts = np.searchsorted(response, np.arange(len(ratings)))
    shared: Floats = np.zeros(raters * raters)
    for step in range(int(ratings.max())):
        # pair every rating with the rating `step` positions later in its response
        has = np.flatnonzero(ratings[response] > step)
        two = rater[has].astype(np.int64) * raters + rater[starts[response[has]] + step]
        shared += np.bincount(two, (times / np.maximum(ratings, 1))[response[has]], raters * raters)
    count = np.bincount(rater, times[response], raters)
    matrix = np.diag(count) - shared.reshape(raters, raters)
    values, vectors = np.linalg.eigh(matrix)
    links = values > NEGLIGIBLE * max(float(values.max()), 1.0)
    return SeverityEquations(matrix, values[links], vectors[:, links])


def _prior_variance(contrast: Floats, noise: Floats) -> tuple[float, float]:
    def adjusted(logs: Floats) -> Floats:
        total = np.exp(logs)[:, None] + noise
        return np.asarray(logs - 0.5 * (np.log(total) + contrast**2 / total).sum(axis=1))

    middle = math.log(float(noise.min()))
    low, high = middle - 20.0, math.log(float((contrast**2).max() + noise.max())) + 20.0
    for _ in range(5):
        grid = np.linspace(low, high, 121)
        best = int(np.argmax(adjusted(grid)))
        low, high = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    peak, step = (low + high) / 2, 1e-3
    below, at, above = adjusted(np.array([peak - step, peak, peak + step]))
    curvature = -(above - 2 * at + below) / step**2
    return math.exp(peak), 1 / math.sqrt(curvature) if curvature > 0 else math.nan


def _drawn(
    vectors: Floats, values: Floats, contrast: Floats, error: float, variance: float, log_error: float
) -> tuple[Floats, Floats]:
    kept = variance / (variance + error / values)
    expected = vectors @ (kept * contrast)
    posterior = (vectors**2 * (variance * (1 - kept))).sum(axis=1)
    moved = vectors @ (kept * (1 - kept) * contrast)
    return expected, np.sqrt(posterior + (moved * log_error) ** 2)


def _variances(contrast: Floats, noise: Floats, level: float) -> Floats:
    """Return the variances whose sum of standardized squares is its mean, and the ends of its interval."""
    from scipy.special import chdtri

    def solved(target: float) -> float:
        low, high = 0.0, float((contrast**2).sum()) / target
        if (contrast**2 / noise).sum() <= target:
            return 0.0
        for _ in range(200):
            middle = (low + high) / 2
            if (contrast**2 / (middle + noise)).sum() > target:
                low = middle
            else:
                high = middle
        return high

    rest = (1 - level) / 2
    ends = (solved(float(chdtri(len(contrast), share))) for share in (rest, 1 - rest))
    return np.array([solved(float(len(contrast))), *ends])


def _nothing(shared: SharedRatings, reason: str) -> RaterSeverity:
    nan = np.full(shared.raters, np.nan)
    count = np.bincount(shared.rater, minlength=shared.raters)
    return RaterSeverity(count, nan, nan, nan, nan, nan, nan, math.nan, math.nan, math.nan, math.nan, 0, 0, reason)


@dataclass(frozen=True)
class RaterProfiles:
    """Comparison of every rater with the other raters of the same responses, (raters,) each.

    Parameters
    ----------
    n, units, comparisons
        Ratings of responses that others rated, too, the independent units among them, and pairs of ratings.
    log_sd_ratio, log_sd_ratio_error
        Logarithm of the ratio of the SD of the rater's scores to the SD of the others', and its standard error; below 0
        for a rater who prefers the middle of the scale.
    qwk, qwk_error
        Quadratic weighted kappa with the others.
    r, r_error
        Correlation with the others.
    exact
        Percentage of pairs with the same score.
    """

    n: Codes
    units: Codes
    comparisons: Floats
    log_sd_ratio: Floats
    log_sd_ratio_error: Floats
    qwk: Floats
    qwk_error: Floats
    r: Floats
    r_error: Floats
    exact: Floats


@dataclass(frozen=True)
class RaterHabits:
    """Distribution of every rater's scores, regardless of other raters, (raters,) each.

    Parameters
    ----------
    n
        Ratings.
    mean, sd
        Of the scores; the SD with divisor n - 1, nan for a single rating.
    commonest, share
        The most frequent score, the lowest of several, and its percentage of the ratings.
    """

    n: Codes
    mean: Floats
    sd: Floats
    commonest: Floats
    share: Floats


@dataclass(frozen=True)
class RaterDrift:
    """Change of severity over time, (raters,) each: slope per unit of time, its standard error, and ratings."""

    slope: Floats
    error: Floats
    n: Codes


def rater_profiles(ratings: ArrayLike, raters: ArrayLike, *, units: ArrayLike | None = None) -> RaterProfiles:
    """Compare the spread and the agreement of each rater with the other raters.

    Every rating is paired with every other rating of its response, because unlike the mean of the others, single
    ratings are equally reliable for two and for ten ratings. Standard errors are from the infinitesimal jackknife, with
    a rating and all its pairs as one unit.

    Result: nan if a rater shares no response or a score does not vary.
    Source: Myford and Wolfe (2003) for centrality; Cohen (1968); Efron (1982, chapter 6).

    Parameters
    ----------
    units
        (n,): integer code of the independent unit of each response, such as its test taker; default: the response.

    Examples
    --------
    The second rater's SD is half the first rater's:

    >>> found = rater_profiles([[1, 2], [3, 3], [5, 4]], [[0, 1]] * 3)
    >>> [round(float(ratio), 10) for ratio in np.exp(found.log_sd_ratio)]
    [2.0, 0.5]
    """
    shared = shared_ratings(ratings, raters)
    centre = np.floor(shared.score.mean()) if len(shared.score) else 0.0
    score = shared.score - centre
    others = shared.ratings_of_response[shared.response] - 1
    total, square = (_of_others(shared.response, values) for values in (score, score**2))
    features = np.stack([
        others, total, others * score, square, others * score**2, total * score,
        np.zeros_like(score), _equal_others(shared.response, shared.score), np.zeros_like(score),
    ])  # fmt: skip
    sums: Floats = np.stack([np.bincount(shared.rater, feature, shared.raters) for feature in features])
    n = np.bincount(shared.rater, minlength=shared.raters)

    def statistics(values: Floats) -> Floats:
        of_pairs = PairSums(float(centre), *values)
        spread = np.log(pair.ratio(pair.squares_y(of_pairs), pair.squares_x(of_pairs))) / 2
        return np.stack([spread, pair.quadratic_weighted_kappa(of_pairs), pair.pearson_r(of_pairs)])

    unit, owner = _units(shared, as_ratings(ratings).shape[1], units)
    m = np.bincount(owner, minlength=shared.raters)

    with np.errstate(all="ignore"):
        value = np.where(np.isfinite(found := statistics(sums)), found, np.nan)
        slope = np.stack([
            np.imag(statistics(sums + 1j * STEP * (np.arange(len(sums)) == f)[:, None])) / STEP
            for f in range(len(sums))
        ])  # fmt: skip
        influence = [(moved[:, shared.rater] * features).sum(axis=0) for moved in slope.transpose(1, 0, 2)]
        squares = np.stack([
            np.bincount(owner, (moved if unit is None else np.bincount(unit, moved)) ** 2, shared.raters)
            for moved in influence
        ])  # fmt: skip
        error = np.where((m > 1) & np.isfinite(value), np.sqrt(squares * m / (m - 1)), np.nan)
    exact = pair.exact_agreement(PairSums(float(centre), *sums))
    return RaterProfiles(n, m, sums[0], value[0], error[0], value[1], error[1], value[2], error[2], exact)


def rater_habits(ratings: ArrayLike, raters: ArrayLike) -> RaterHabits:
    """Compute the mean, SD, and most frequent score of every rater.

    Result: nan for a rater without ratings.
    Source: Myford and Wolfe (2003) for central tendency and restriction of range.

    Examples
    --------
    >>> found = rater_habits([[1, 2], [3, 2], [5, 2], [3, 4]], [[0, 1]] * 4)
    >>> found.mean.tolist(), found.commonest.tolist(), found.share.tolist()
    ([3.0, 2.5], [3.0, 2.0], [50.0, 75.0])
    """
    scores, codes = named_ratings(ratings, raters)
    given = ~np.isnan(scores) & (codes >= 0)
    who, score, most = codes[given], scores[given], int(codes.max(initial=-1)) + 1
    n = np.bincount(who, minlength=most)
    with np.errstate(all="ignore"):
        mean = np.bincount(who, score, most) / n
        sd = np.sqrt(np.bincount(who, (score - mean[who]) ** 2, most) / np.where(n > 1, n - 1, np.nan))
        points, point = np.unique(score, return_inverse=True)
        pairs, count = np.unique(who.astype(np.int64) * max(len(points), 1) + point, return_counts=True)
        owner, point = np.divmod(pairs, max(len(points), 1))
        order = np.lexsort((point, -count, owner))
        first = order[np.unique(owner[order], return_index=True)[1]]
        commonest, often = np.full(most, np.nan), np.full(most, np.nan)
        commonest[owner[first]], often[owner[first]] = points[point[first]], count[first]
        share = 100 * often / n
    return RaterHabits(n, mean, sd, commonest, share)


def rater_drift(ratings: ArrayLike, raters: ArrayLike, times: ArrayLike) -> RaterDrift:
    """Estimate the change of each rater's severity over time, relative to the other raters.

    The least-squares slope, on the time of the rating, of a rating minus the mean of the others, each corrected for its
    rater's severity. Standard errors allow for unequal variances.

    Result: in score points per unit of time, positive for increasing leniency. A common drift of all raters is not
    detected. nan for a rater with fewer than three ratings, or with all at the same time.
    Source: White (1980) for the standard error.

    Parameters
    ----------
    times
        (n, k): time of each rating, in any unit; NaN if unknown.

    Examples
    --------
    >>> found = rater_drift([[2, 2], [3, 3.5], [3, 4]], [[0, 1]] * 3, [[0, 0], [1, 1], [2, 2]])
    >>> found.slope.round(10).tolist()
    [-0.5, 0.5]
    """
    shared = shared_ratings(ratings, raters)
    when = as_ratings(times).ravel()
    if when.size != as_ratings(ratings).size:
        raise ValueError("times must have the same shape as ratings")
    severity = np.nan_to_num(rater_severity(ratings, raters).observed)
    fair, others = shared.score - severity[shared.rater], shared.ratings_of_response[shared.response] - 1
    gap = shared.score - _of_others(shared.response, fair) / others
    time = when[shared.place]
    known = np.isfinite(time)
    rater, gap, time = shared.rater[known], gap[known], time[known]
    n = np.bincount(rater, minlength=shared.raters)
    with np.errstate(all="ignore"):
        time = time - (np.bincount(rater, time, shared.raters) / n)[rater]
        gap = gap - (np.bincount(rater, gap, shared.raters) / n)[rater]
        spread = np.bincount(rater, time**2, shared.raters)
        defined = (n > 2) & (spread > 0)
        slope = np.where(defined, np.bincount(rater, time * gap, shared.raters) / spread, np.nan)
        rest = gap - slope[rater] * time
        error = np.sqrt(np.bincount(rater, (time * rest) ** 2, shared.raters) * n / (n - 2)) / spread
    return RaterDrift(slope, np.where(defined, error, np.nan), n)


def _units(shared: SharedRatings, width: int, units: ArrayLike | None) -> tuple[Codes | None, Codes]:
    if units is None or not len(shared.score):
        return None, shared.rater
    codes = np.unique(np.asarray(units), return_inverse=True)[1].ravel()
    many = int(codes.max()) + 1
    found, unit = np.unique(shared.rater.astype(np.int64) * many + codes[shared.place // width], return_inverse=True)
    return unit, found // many


def _of_others(response: Codes, values: Floats) -> Floats:
    return np.asarray(np.bincount(response, values)[response] - values)


def _equal_others(response: Codes, score: Floats) -> Floats:
    points, code = np.unique(score, return_inverse=True)
    _, of_rating, count = np.unique(response * len(points) + code, return_inverse=True, return_counts=True)
    return np.asarray(count[of_rating] - 1.0)


@dataclass(frozen=True)
class PairedTest:
    """A paired comparison.

    Parameters
    ----------
    value
        The difference or ratio; nan if undefined (see `reason`).
    low, high
        Interval; nan if there is none.
    statistic, freedom, p
        Student's t for no difference, its degrees of freedom, and the two-sided p.
    n
        Responses with all scores.
    reason
        Why something is nan; empty otherwise.
    """

    value: float
    low: float
    high: float
    statistic: float
    freedom: int
    p: float
    n: int
    reason: str = ""


def paired_mean_difference(first: ArrayLike, second: ArrayLike, *, level: float = 0.95) -> PairedTest:
    """Compute mean second - mean first for the responses with both scores.

    Result: in score points; without an interval for fewer than two responses or if all differences are equal.
    Source: Student (1908).

    Examples
    --------
    Student's ten patients, two drugs (published mean difference 1.58, t 4.06):

    >>> one = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
    >>> two = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
    >>> found = paired_mean_difference(one, two)
    >>> round(found.value, 2), round(found.statistic, 2), round(found.p, 4)
    (1.58, 4.06, 0.0028)
    """
    x, y = as_pairs(first, second)
    n, gap = len(x), y - x
    if n == 0:
        return _undefined(0, "no response has both scores")
    value = float(gap.mean())
    if n < 2 or np.ptp(gap) == 0:
        return _untested(value, n, n - 1, _STILL)
    error = float(gap.std(ddof=1)) / math.sqrt(n)
    return _by_t(value, error, n - 1, n, level)


def pitman_morgan(first: ArrayLike, second: ArrayLike, *, level: float = 0.95) -> PairedTest:
    """Compute SD second / SD first for the responses with both scores, with Pitman and Morgan's test.

    Sum and difference of two scores are uncorrelated if their variances are equal:
    ``t = r(sum, difference) root((n - 2) / (1 - r^2))``. The interval contains the ratios that the test does not
    reject. Both assume normal scores.

    Result: above 1 if the second score varies more; nan, with a reason, for fewer than three responses or a constant
    score; without a test if one score is linear in the other.
    Source: Pitman (1939); Morgan (1939).

    Examples
    --------
    The correlation of sums 2, 4, 6, 8 and differences 0, 2, 0, 2 is 1 / root 5, and t = 1 / root 2:

    >>> found = pitman_morgan([1, 1, 3, 3], [1, 3, 3, 5])
    >>> round(found.value**2, 3), round(found.statistic * 2**0.5, 10)
    (2.0, 1.0)
    """
    x, y = as_pairs(first, second)
    n = len(x)
    if n < 3:
        return _undefined(n, "fewer than three responses have both scores")
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return _undefined(n, "a score is the same for every response")
    ratio = float(y.std() / x.std())
    free = max(1 - float(np.corrcoef(x, y)[0, 1]) ** 2, 0.0)
    if free < 1e-14:
        return _untested(ratio, n, n - 2, "one score is a straight line of the other")
    # in terms of the ratio w and r: t = (w - 1/w) root(n - 2) / (2 root(1 - r^2))
    statistic = (ratio - 1 / ratio) * math.sqrt((n - 2) / free) / 2
    reach = t_quantile(n - 2, level) * math.sqrt(free / (n - 2))
    factor = reach + math.sqrt(1 + reach**2)
    return PairedTest(ratio, ratio / factor, ratio * factor, statistic, n - 2, _two_sided(statistic, n - 2), n)


def correlation_difference(
    target: ArrayLike, first: ArrayLike, second: ArrayLike, *, level: float = 0.95
) -> PairedTest:
    """Compute r(target, second) - r(target, first) for the responses with all three scores.

    The standard error of the infinitesimal jackknife assumes no distribution and accounts for the common responses.

    Result: between -2 and 2; nan, with a reason, for fewer than three responses or a constant score.
    Source: Jaeckel (1972); Efron (1982, chapter 6).

    Parameters
    ----------
    target, first, second
        (n,): scores, such as the system's and two raters' scores.

    Examples
    --------
    >>> found = correlation_difference([1, 2, 3, 4], [1, 2, 3, 4], [1, 3, 2, 4])
    >>> round(found.value, 10)
    -0.2
    """
    scores = [as_scores(each, name) for each, name in ((target, "target"), (first, "first"), (second, "second"))]
    check_lengths(dict(zip(("target scores", "first scores", "second scores"), scores, strict=True)))
    table = np.column_stack(scores)
    table = table[~np.isnan(table).any(axis=1)]
    n = len(table)
    if n < 3:
        return _undefined(n, "fewer than three responses have all scores")
    if (np.ptp(table, axis=0) == 0).any():
        return _undefined(n, "a score is the same for every response")
    z = (table - table.mean(axis=0)) / table.std(axis=0)
    values, influences = zip(*(_correlation_influence(z[:, 0], z[:, rater]) for rater in (1, 2)), strict=True)
    value, influence = values[1] - values[0], influences[1] - influences[0]
    error = math.sqrt(float(influence @ influence) / (n * (n - 1)))
    if error < 1e-12:
        return _untested(value, n, n - 1, _STILL)
    return _by_t(value, error, n - 1, n, level)


_STILL = "the differences do not vary, so their uncertainty cannot be estimated"


def _correlation_influence(x: Floats, y: Floats) -> tuple[float, Floats]:
    r = float(x @ y) / len(x)
    return r, x * y - r * (x**2 + y**2) / 2


def _by_t(value: float, error: float, freedom: int, n: int, level: float) -> PairedTest:
    margin = t_quantile(freedom, level) * error
    statistic = value / error
    return PairedTest(value, value - margin, value + margin, statistic, freedom, _two_sided(statistic, freedom), n)


def _two_sided(statistic: float, freedom: int) -> float:
    from scipy.special import stdtr

    return float(2 * stdtr(freedom, -abs(statistic)))


def _undefined(n: int, reason: str) -> PairedTest:
    return _untested(math.nan, n, max(n - 1, 0), reason)


def _untested(value: float, n: int, freedom: int, reason: str) -> PairedTest:
    return PairedTest(value, math.nan, math.nan, math.nan, freedom, math.nan, n, reason)


FEWEST_SHARED = 20  # fewer shared responses are too few for one rater

FALSE_ALARMS = 0.01
"""Probability of flagging any rater of a panel as constant or reversed by chance; shared among the raters."""

NOTHING = 0.99  # level of the interval for a correlation of 0

FAR_BELOW = 0.5
"""Probability, shared among the raters, that a rater seems below the others. It is large, but the additional condition
on the correlation reduces false alarms to fewer than one panel in a hundred (`benchmarks`)."""

CONSTANT = 0.9  # share of the most frequent score that flags a rater as constant

LEAST_WORTH = 0.5
"""Least frequency of other scores than the most frequent one that an honest rater has, as a share of the others'."""

How = Literal["random", "constant", "reversed"]


@dataclass(frozen=True)
class UnlikeRater:
    """A rater who differs strongly from the others.

    Parameters
    ----------
    rater
        Its code.
    how
        "random": agreement is not distinguishable from 0; "constant": nearly always one score; "reversed": the
        correlation is below 0.
    n
        Ratings of responses that others rated, too.
    r, low, high
        Pairwise correlation with the others, and its interval; nan if undefined.
    expected
        Correlation of the others with each other, for responses as different as the rater's; nan if no two others share
        responses.
    commonest, share, others_share
        The rater's most frequent score, its share of these ratings, and the largest share of one score among the
        others' ratings of the same responses; 0 to 1.
    """

    rater: int
    how: How
    n: int
    r: float
    low: float
    high: float
    expected: float
    commonest: float
    share: float
    others_share: float


def unlike_raters(
    ratings: ArrayLike, raters: ArrayLike, *, units: ArrayLike | None = None, level: float = 0.95
) -> tuple[UnlikeRater, ...]:
    """Find raters whose ratings are unrelated to the responses, while the others agree.

    Correlations pair every rating of a rater with every other rating of its response. A rater is flagged as

    * *reversed*: if the upper end of the correlation's interval is below 0;
    * *constant*: if one score is 90% of the ratings, the correlation is not distinguishable from 0, and the others use
      other scores so often that half of that rate would be improbable (binomial);
    * *random*: if the correlation is not distinguishable from 0, and its interval is below the agreement of two others,
      ``1 - E d^2 / (2 var)``, with their difference d and the variance var of the others' scores on the rater's
      responses, which accounts for easy and hard responses.

    The error probability is shared among the raters (Bonferroni): fewer than one panel in a hundred has a false alarm.
    The worst rater is excluded and the rest tested again, until no rater is flagged.

    Result: in the order of exclusion. Of two raters, only "constant" is possible, or "reversed" for both. Raters with
    fewer than 20 shared responses are not tested.
    Source: Efron (1982, chapter 6) for the standard errors; the rule is ours, with error rates in
    `benchmarks/raters_who_do_not_rate.py`.

    Examples
    --------
    Two raters agree, and the third reverses the scale:

    >>> true = np.arange(60) % 5
    >>> ratings = np.stack([true, np.minimum(true + (np.arange(60) % 7 == 0), 4), 4 - true], axis=1)
    >>> [(each.rater, each.how) for each in unlike_raters(ratings, np.tile([0, 1, 2], (60, 1)))]
    [(2, 'reversed')]
    """
    scores, codes = as_ratings(ratings), np.asarray(raters)
    unit = np.arange(len(scores)) if units is None else np.unique(np.asarray(units), return_inverse=True)[1]
    named = np.where(np.isnan(scores), -1, codes)
    looked_at, found = 0, list[UnlikeRater]()
    while True:
        profiles = rater_profiles(scores, named, units=unit)
        enough = profiles.n >= FEWEST_SHARED
        looked_at = looked_at or int(enough.sum())
        low, _ = _ends(profiles.r, profiles.r_error, profiles.units, NOTHING)
        response = _Responses(scores, named, unit)
        judged = [response.judged(int(rater), looked_at, level) for rater in np.flatnonzero(enough & ~(low > 0))]
        worst = _worst([each for each in judged if each is not None])
        if not worst:
            return tuple(found)
        found += worst
        named = np.where(np.isin(named, [each.rater for each in worst]), -1, named)


Judged = tuple[float, UnlikeRater]
"""A flagged rater, with the distance from the others in standard errors (lower is farther)."""


@dataclass(frozen=True)
class _Responses:
    """Ratings by response: (n, k) scores, their raters (negative if unknown), and (n,) the independent units."""

    scores: Floats
    named: NDArray[np.integer]
    unit: NDArray[np.integer]

    @cached_property
    def here(self) -> NDArray[np.bool_]:
        return np.asarray(self.named >= 0)

    @cached_property
    def centred(self) -> Floats:
        return np.where(self.here, self.scores - np.floor(self.scores[self.here].mean()), 0.0)

    def judged(self, rater: int, looked_at: int, level: float) -> Judged | None:
        value, error, units = self._compare_with_others(rater)
        r, expected, gap = value
        low = _ends(value, error, units, NOTHING)[0][0]
        high = _ends(value, error, units, _strict(FALSE_ALARMS, looked_at))[1][0]
        gap_high = _ends(value, error, units, _strict(FAR_BELOW, looked_at))[1][2]
        told = _ends(value, error, units, level)
        score, departures, share, others_share, n = self._commonest(rater)
        agree = told[0][1] > 0
        if high < 0 and (agree or np.isnan(expected)):
            how: How = "reversed"
        elif not low > 0 and share >= CONSTANT and _improbable(departures, others_share, units, looked_at):
            how = "constant"
        elif low <= 0 and agree and gap_high < 0 and told[1][0] < expected:
            how = "random"
        else:
            return None
        distance = -np.inf if np.isnan(gap) or not error[2] > 0 else float(gap / error[2])
        ends = float(told[0][0]), float(told[1][0])
        return distance, UnlikeRater(rater, how, n, float(r), *ends, float(expected), score, share, others_share)

    def _compare_with_others(self, rater: int) -> tuple[Floats, Floats, int]:
        """Return the correlation with the others, its expected value, and their difference; standard errors; units."""
        own, every = self.named == rater, self.centred**2
        m = own.sum(axis=1).astype(np.float64)
        x, xx = (np.where(own, each, 0.0).sum(axis=1) for each in (self.centred, every))
        c, y, yy = self.here.sum(axis=1) - m, self.centred.sum(axis=1) - x, every.sum(axis=1) - xx
        among = (m > 0) & (c > 1)
        if len(np.unique(self.unit[among])) < FEWEST_SHARED:
            among = c > 1
        zero = np.zeros(1)
        features = np.stack([m * c, c * x, m * y, c * xx, m * yy, x * y,
                             among * c * (c - 1), among * 2 * (c * yy - y**2)])  # fmt: skip
        sums = features.sum(axis=1)

        def statistics(values: Floats) -> Floats:
            n, x, y, xx, yy, xy, among_others, squares = values
            pairs = PairSums(0.0, n, x, y, xx, yy, xy, zero, zero, zero)
            correlation = pair.pearson_r(pairs)
            expected = 1 - pair.ratio(pair.ratio(squares, among_others), 2 * pair.variance_y(pairs, 0))
            return np.stack([correlation, expected, correlation - expected])

        with np.errstate(all="ignore"):
            value = statistics(sums).real
            slopes = [np.imag(statistics(sums + 1j * STEP * (np.arange(8) == each))) / STEP for each in range(8)]
            influence = np.stack(slopes, axis=1) @ features
            moved = np.stack([np.bincount(self.unit, np.nan_to_num(each)) for each in influence])
            units = len(np.unique(self.unit[(m > 0) & (c > 0)]))
            error = np.sqrt((moved**2).sum(axis=1) * units / (units - 1))
        return value, np.where(np.isfinite(value), error, np.nan), units

    def _commonest(self, rater: int) -> tuple[float, float, float, float, int]:
        """Return the rater's most frequent score, the share of others, its share, the others' share, and ratings."""
        own = self.named == rater
        shared = own & (self.here.sum(axis=1) > own.sum(axis=1))[:, None]
        scores, often = np.unique(self.scores[shared], return_counts=True)
        others = self.here & ~own & shared.any(axis=1)[:, None]
        weight = np.broadcast_to(1 / np.maximum(others.sum(axis=1), 1)[:, None], others.shape)[others]
        _, place = np.unique(self.scores[others], return_inverse=True)
        of_others = np.bincount(place, weight)
        share, n = float(often.max() / often.sum()), int(often.sum())
        return float(scores[often.argmax()]), 1 - share, share, float(of_others.max() / of_others.sum()), n


def _worst(judged: list[Judged]) -> list[UnlikeRater]:
    if not judged:
        return []
    alone = [each for _, each in judged if np.isnan(each.expected) and each.how == "reversed"]
    worst = min(judged, key=lambda each: each[0])[1]
    return alone if worst in alone else [worst]


def _strict(chance: float, looked_at: int) -> float:
    return 1 - 2 * chance / max(looked_at, 1)


def _ends(value: Floats, error: Floats, units: NDArray[np.integer] | int, level: float) -> tuple[Floats, Floats]:
    freedom = np.broadcast_to(np.asarray(units, np.float64) - 1, np.shape(value))
    low, high = limits(value, error, freedom, "none", level)
    exact = np.isfinite(value) & ~(error > 1e-7)
    return np.where(exact, value, low), np.where(exact, value, high)


def _improbable(departures: float, others_share: float, units: int, looked_at: int) -> bool:
    from scipy.special import bdtr

    often = LEAST_WORTH * (1 - others_share)
    return bool(often > 0 and bdtr(np.floor(departures * units + 0.5), units, often) < FALSE_ALARMS / looked_at)
