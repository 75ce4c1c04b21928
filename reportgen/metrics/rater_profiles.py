"""Each rater beside the others on the same responses: spread, agreement, and drift over time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reportgen.metrics import pair
from reportgen.metrics._arrays import as_ratings
from reportgen.metrics.rater_severity import Codes, SharedRatings, rater_severity, shared_ratings
from reportgen.tally.sums import Floats, PairSums

STEP = 1e-30


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
    others = shared.ratings_of_response[shared.response] - 1 if len(score) else score
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
    scores, codes = as_ratings(ratings), np.asarray(raters)
    codes = codes[:, None] if codes.ndim == 1 else codes
    if scores.shape != codes.shape:
        raise ValueError(f"ratings {scores.shape} and raters {codes.shape} must have the same shape")
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
    fair = shared.score - severity[shared.rater] if len(shared.score) else shared.score
    others = shared.ratings_of_response[shared.response] - 1 if len(fair) else fair
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
    """Return for each rating the sum of the values of the other ratings of its response."""
    return np.asarray(np.bincount(response, values)[response] - values) if len(values) else values


def _equal_others(response: Codes, score: Floats) -> Floats:
    """Return for each rating how many other ratings of its response are the same score."""
    if not len(score):
        return score
    _, code = np.unique(score, return_inverse=True)
    _, of_rating, count = np.unique(response * (int(code.max()) + 1) + code, return_inverse=True, return_counts=True)
    return np.asarray(count[of_rating] - 1.0)
