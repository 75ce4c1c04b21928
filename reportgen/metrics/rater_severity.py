"""Each rater beside the others on the same responses: severity, spread, agreement, and drift over time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.metrics import pair
from reportgen.metrics._arrays import as_ratings, t_quantile
from reportgen.tally.intervals import STEP
from reportgen.tally.sums import Floats, PairSums

FEWEST_LINKS = 4
"""Independent contrasts between raters (linked raters less 1) below which nothing is drawn toward the average."""

FEWEST_SPREAD = 2
"""Contrasts below which the spread of severities is not estimated: of two raters it is their difference."""

Codes = NDArray[np.integer]


@dataclass(frozen=True)
class SharedRatings:
    """Ratings of responses that two or more of so many raters rated, one per position.

    response, rater (m,): code of the response, 0 up without gaps, and of the rater.
    score, place (m,): the rating, and its position in the flattened table it came from.
    """

    response: Codes
    rater: Codes
    score: Floats
    place: Codes
    raters: int

    @property
    def ratings_of_response(self) -> Floats:
        """How many ratings each response has."""
        return np.bincount(self.response).astype(np.float64)

    def less_response_mean(self, values: Floats) -> Floats:
        """Return each value less the mean over its response."""
        mean = np.bincount(self.response, values) / self.ratings_of_response
        return np.asarray(values - mean[self.response])


@dataclass(frozen=True)
class RaterSeverity:
    """How much higher each rater scores than others do on the same responses; negative is severe.

    Parameters
    ----------
    n
        (raters,): ratings of responses that somebody else rated too.
    observed, observed_low, observed_high
        (raters,): difference from the mean of the raters linked through shared responses; nan for a
        rater who shares none.
    expected, expected_low, expected_high
        (raters,): the same drawn toward 0 by empirical Bayes, as far as chance explains it; nan where
        too few raters are linked.
    spread, spread_low, spread_high
        SD of severity in the population of raters, where the sum of standardized squares of severities is
        what is expected (Paule and Mandel 1982), with the Q-profile interval of Viechtbauer (2007), which
        supposes normal severities and takes the error variance as known; nan for fewer than three linked raters.
    error_variance, freedom
        Variance of a rating about response and rater, and its degrees of freedom.
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
    """Return every rater's severity, relative to others on the same responses.

    ``rating = response + rater + error`` is fitted by least squares, so a rater who was given weak
    responses is not called severe.  Severities are then drawn toward 0: their prior is normal with a
    variance that maximizes the likelihood times that variance, which keeps it above 0; intervals
    carry its uncertainty.

    Parameters
    ----------
    ratings
        (n, k): scores, NaN where missing.
    raters
        (n, k): integer code of who gave each, 0 up; negative where nobody is named.
    level
        Coverage of the intervals, between 0 and 1.

    Returns
    -------
    RaterSeverity
        In score points.  Everything is nan, with a reason, when no response has two named raters or no
        rating is to spare for the error.

    Raises
    ------
    ValueError
        When shapes differ, a score is infinite, or `level` is not between 0 and 1.

    References
    ----------
    Searle, Casella and McCulloch (1992, chapter 7) for the prediction; Morris and Tang (2011) for the
    variance of the prior and the intervals; Paule and Mandel (1982) and Viechtbauer (2007) for the spread.

    Examples
    --------
    The second of two raters scores half a point lower:

    >>> found = rater_severity([[2, 1], [3, 3], [4, 4], [2, 1]], [[0, 1]] * 4)
    >>> found.observed.round(10).tolist()
    [0.25, -0.25]
    """
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1; found {level}")
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
        return _nothing(shared, "no rating is to spare for the error of ratings")
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


def _named(ratings: ArrayLike, raters: ArrayLike) -> tuple[Floats, Codes]:
    scores, codes = as_ratings(ratings), np.asarray(raters)
    codes = codes[:, None] if codes.ndim == 1 else codes
    if scores.shape != codes.shape:
        raise ValueError(f"ratings {scores.shape} and raters {codes.shape} must have the same shape")
    return scores, codes


def shared_ratings(ratings: ArrayLike, raters: ArrayLike) -> SharedRatings:
    """Return the ratings of responses that two or more named raters rated."""
    scores, codes = _named(ratings, raters)
    named = ~np.isnan(scores) & (codes >= 0)
    multiple = named & (named.sum(axis=1) > 1)[:, None]
    place = np.flatnonzero(multiple)
    response = np.unique(place // max(scores.shape[1], 1), return_inverse=True)[1]
    most = int(codes.max(initial=-1)) + 1
    return SharedRatings(response, codes.ravel()[place], scores.ravel()[place], place, most)


NEGLIGIBLE = 1e-9
"""Share of the largest eigenvalue below which an equation of severity says nothing: raters who are not linked."""


class SeverityEquations(NamedTuple):
    """The matrix of the equations of severity, (raters, raters), and the eigenvalues and vectors that say something."""

    matrix: Floats
    values: Floats
    vectors: Floats


def severity_equations(
    response: Codes, rater: Codes, ratings: Floats, raters: int, weight: Floats | None = None
) -> SeverityEquations:
    """Return the equations of ``rating = response + rater + error``, response effects taken out.

    response, rater (m,): codes of every rating, in the order of responses.
    ratings, weight (responses,): how many ratings each response has, and how often it counts, once when left out.
    """
    times = np.ones(len(ratings)) if weight is None else weight
    starts = np.searchsorted(response, np.arange(len(ratings)))
    shared: Floats = np.zeros(raters * raters)
    for step in range(int(ratings.max())):
        # every rating against the step-th one of its response
        has = np.flatnonzero(ratings[response] > step)
        two = rater[has].astype(np.int64) * raters + rater[starts[response[has]] + step]
        shared += np.bincount(two, (times / np.maximum(ratings, 1))[response[has]], raters * raters)
    count = np.bincount(rater, times[response], raters)
    matrix = np.diag(count) - shared.reshape(raters, raters)
    values, vectors = np.linalg.eigh(matrix)
    links = values > NEGLIGIBLE * max(float(values.max()), 1.0)
    return SeverityEquations(matrix, values[links], vectors[:, links])


def _prior_variance(contrast: Floats, noise: Floats) -> tuple[float, float]:
    """Return the variance of severities, and the standard error of its logarithm.

    Maximizes the log likelihood of independent contrasts of variance ``variance + noise`` plus the
    logarithm of the variance (Morris and Tang 2011), by a grid refined three times.
    """

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
    """Return severities drawn toward 0, and their standard errors, that of the prior's variance included."""
    kept = variance / (variance + error / values)
    expected = vectors @ (kept * contrast)
    posterior = (vectors**2 * (variance * (1 - kept))).sum(axis=1)
    moved = vectors @ (kept * (1 - kept) * contrast)
    return expected, np.sqrt(posterior + (moved * log_error) ** 2)


def _variances(contrast: Floats, noise: Floats, level: float) -> Floats:
    """Return the variances at which the contrasts' sum of standardized squares is its mean, and meets its ends."""
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
    """Every rater against the other raters of the same responses.

    Parameters
    ----------
    n, units, comparisons
        (raters,): ratings of responses that somebody else rated too, the independent units among them, and pairs of
        ratings they make.
    log_sd_ratio, log_sd_ratio_error
        (raters,): logarithm of the SD of the rater's scores over that of the others', and its standard
        error; below 0 for a rater who keeps to the middle of the scale.
    qwk, qwk_error
        (raters,): quadratic weighted kappa with the others.
    r, r_error
        (raters,): correlation with the others.
    exact
        (raters,): percentage of pairs with the same score.
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
    """What every rater gives, whoever else rated: the scores alone.

    Parameters
    ----------
    n
        (raters,): ratings.
    mean, sd
        (raters,): of the scores, the SD with divisor n - 1; nan for no rating, and for one.
    commonest, share
        (raters,): the score given most often, the lowest of several, and the percentage of ratings that it makes.
    """

    n: Codes
    mean: Floats
    sd: Floats
    commonest: Floats
    share: Floats


@dataclass(frozen=True)
class RaterDrift:
    """Change of severity over time: (raters,) slope per unit of time, its standard error, and ratings it rests on."""

    slope: Floats
    error: Floats
    n: Codes


def rater_profiles(ratings: ArrayLike, raters: ArrayLike, *, units: ArrayLike | None = None) -> RaterProfiles:
    """Return how each rater's scores spread and agree beside those of the others.

    Every rating of a rater is paired with every other rating of its response: unlike the mean of the
    others, single ratings are as reliable on a response with two ratings as on one with ten.  Standard
    errors are the infinitesimal jackknife's, a rating with all its pairs being one unit.

    Parameters
    ----------
    ratings
        (n, k): scores, NaN where missing.
    raters
        (n, k): integer code of who gave each, 0 up; negative where nobody is named.
    units
        (n,): integer code of the independent unit of each response, such as its candidate; responses when left out.

    Returns
    -------
    RaterProfiles
        nan where a rater shares no response, or a score does not vary.

    Raises
    ------
    ValueError
        When shapes differ or a score is infinite.

    References
    ----------
    Myford and Wolfe (2003) for centrality; Cohen (1968); Efron (1982, chapter 6).

    Examples
    --------
    The second rater spreads half as wide as the first:

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
        influence = [
            sum(of_raters[shared.rater] * feature
                for of_raters, feature in zip(slope[:, statistic], features, strict=True))
            for statistic in range(len(value))
        ]  # fmt: skip
        squares = np.stack([
            np.bincount(owner, (moved if unit is None else np.bincount(unit, moved)) ** 2, shared.raters)
            for moved in influence
        ])  # fmt: skip
        error = np.where((m > 1) & np.isfinite(value), np.sqrt(squares * m / (m - 1)), np.nan)
    exact = pair.exact_agreement(PairSums(float(centre), *sums))
    return RaterProfiles(n, m, sums[0], value[0], error[0], value[1], error[1], value[2], error[2], exact)


def rater_habits(ratings: ArrayLike, raters: ArrayLike) -> RaterHabits:
    """Return mean, spread and commonest score of every rater's ratings.

    Parameters
    ----------
    ratings, raters
        As in `rater_profiles`.

    Returns
    -------
    RaterHabits
        nan for a rater without ratings.

    Raises
    ------
    ValueError
        When shapes differ or a score is infinite.

    References
    ----------
    Myford and Wolfe (2003) for what habits betray: central tendency and restriction of range.

    Examples
    --------
    >>> found = rater_habits([[1, 2], [3, 2], [5, 2], [3, 4]], [[0, 1]] * 4)
    >>> found.mean.tolist(), found.commonest.tolist(), found.share.tolist()
    ([3.0, 2.5], [3.0, 2.0], [50.0, 75.0])
    """
    scores, codes = _named(ratings, raters)
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
    """Return how each rater's severity changes over time, relative to the other raters of the same responses.

    The slope by least squares, on the time of the rating, of a rating less the mean of the others, each
    of these less its rater's severity; standard errors hold with unequal variances.

    Parameters
    ----------
    ratings, raters
        As in `rater_profiles`.
    times
        (n, k): when each rating was given, in any unit; NaN where unknown.

    Returns
    -------
    RaterDrift
        In score points per unit of time: above 0 for a rater who grows lenient.  A drift of all raters
        together does not show.  nan for a rater with fewer than three ratings, or all at one time.

    Raises
    ------
    ValueError
        When shapes differ or a score is infinite.

    References
    ----------
    White (1980) for the standard error.

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
    """Return for each rating its independent unit of its rater, None where that is itself, and whose each unit is."""
    if units is None or not len(shared.score):
        return None, shared.rater
    codes = np.unique(np.asarray(units), return_inverse=True)[1].ravel()
    many = int(codes.max()) + 1
    found, unit = np.unique(shared.rater.astype(np.int64) * many + codes[shared.place // width], return_inverse=True)
    return unit, found // many


def _of_others(response: Codes, values: Floats) -> Floats:
    return np.asarray(np.bincount(response, values)[response] - values)


def _equal_others(response: Codes, score: Floats) -> Floats:
    """Return for each rating how many other ratings of its response are the same score."""
    points, code = np.unique(score, return_inverse=True)
    _, of_rating, count = np.unique(response * len(points) + code, return_inverse=True, return_counts=True)
    return np.asarray(count[of_rating] - 1.0)
