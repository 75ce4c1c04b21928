"""How severe each rater is: fitted within responses, and drawn toward the average rater."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.metrics._arrays import as_ratings
from reportgen.tally.sums import Floats

FEWEST_LINKS = 4
"""Independent contrasts between raters (linked raters less 1) below which nothing is drawn toward the average."""

FEWEST_SPREAD = 2
"""Contrasts below which the spread of severities is not estimated: of two raters it is their difference."""

Codes = NDArray[np.integer]


@dataclass(frozen=True)
class SharedRatings:
    """Ratings of responses that two or more raters rated, one per position.

    Parameters
    ----------
    response, rater
        (m,): code of the response, 0 up without gaps, and of the rater.
    score, place
        (m,): the rating, and its position in the flattened table it came from.
    raters
        Number of raters.
    """

    response: Codes
    rater: Codes
    score: Floats
    place: Codes
    raters: int

    @property
    def ratings_of_response(self) -> Floats:
        """Return how many ratings each response has."""
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
    matrix = np.diag(count.astype(np.float64)) - _shared_weights(shared)
    deviation = np.bincount(shared.rater, shared.less_response_mean(shared.score), shared.raters)
    values, vectors = np.linalg.eigh(matrix)
    links = values > 1e-9 * max(float(values.max()), 1.0)
    values, vectors = values[links], vectors[:, links]
    parts = int((count > 0).sum()) - len(values)
    contrast = vectors.T @ deviation / values
    freedom = len(shared.score) - len(shared.ratings_of_response) - len(values)
    if freedom < 1:
        return _nothing(shared, "no rating is to spare for the error of ratings")
    observed = vectors @ contrast
    about_raters = shared.less_response_mean(shared.score - observed[shared.rater])
    error = float(about_raters @ about_raters) / freedom
    rated = count > 0
    observed = np.where(rated, observed, np.nan)
    noise = np.sqrt(error * (vectors**2 / values).sum(axis=1))
    margin = _t_quantile(freedom, level) * np.where(rated, noise, np.nan)
    noise_of_links = error / values
    known = error > 0 and len(values) >= FEWEST_SPREAD
    spread, lowest, highest = (
        np.sqrt(_variances(contrast, noise_of_links, level)).tolist() if known else (np.nan, np.nan, np.nan)
    )
    if error <= 0 or len(values) < FEWEST_LINKS:
        few = (
            "fewer than five raters do not show how much severity differs between them"
            if (count > 0).sum() <= FEWEST_LINKS
            else "too few raters share responses"
        )
        why = "the ratings fit without error" if error <= 0 else few
        nothing = np.full(shared.raters, np.nan)
        return RaterSeverity(
            count, observed, observed - margin, observed + margin, nothing, nothing, nothing,
            spread, lowest, highest, error, freedom, parts, why,
        )  # fmt: skip
    variance, log_variance_error = _prior_variance(contrast, noise_of_links)
    expected, noise = _drawn(vectors, values, contrast, error, variance, log_variance_error)
    reach = _t_quantile(freedom, level) * noise
    expected = np.where(rated, expected, np.nan)
    return RaterSeverity(
        count, observed, observed - margin, observed + margin, expected, expected - reach, expected + reach,
        spread, lowest, highest, error, freedom, parts,
    )  # fmt: skip


def shared_ratings(ratings: ArrayLike, raters: ArrayLike) -> SharedRatings:
    """Return the ratings of responses that two or more named raters rated.

    Raises
    ------
    ValueError
        When shapes differ or a score is infinite.
    """
    scores, codes = as_ratings(ratings), np.asarray(raters)
    codes = codes[:, None] if codes.ndim == 1 else codes
    if scores.shape != codes.shape:
        raise ValueError(f"ratings {scores.shape} and raters {codes.shape} must have the same shape")
    named = ~np.isnan(scores) & (codes >= 0)
    multiple = named & (named.sum(axis=1) > 1)[:, None]
    place = np.flatnonzero(multiple)
    response = np.unique(place // scores.shape[1], return_inverse=True)[1] if len(place) else place
    most = int(codes.max(initial=-1)) + 1
    return SharedRatings(response, codes.ravel()[place], scores.ravel()[place], place, most)


def _shared_weights(shared: SharedRatings) -> Floats:
    """Return (raters, raters): the sum of 1 / c over the pairs of ratings of each two raters."""
    weight = 1 / shared.ratings_of_response
    total = np.zeros(shared.raters**2)
    starts = np.searchsorted(shared.response, np.arange(len(weight)))
    position = np.arange(len(shared.score)) - starts[shared.response]
    for step in range(int(position.max()) + 1):
        # every rating against the step-th one of its response
        has = np.flatnonzero(shared.ratings_of_response[shared.response] > step)
        other = shared.rater[starts[shared.response[has]] + step]
        pair = shared.rater[has] * shared.raters + other
        total += np.bincount(pair, weight[shared.response[has]], shared.raters**2)
    return total.reshape(shared.raters, shared.raters)


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


def _t_quantile(freedom: int, level: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2))


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
