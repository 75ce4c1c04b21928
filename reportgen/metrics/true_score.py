"""Formulas on the sums of several ratings beside one system score, for many slices at once.

A response i has c_i ratings with mean m_i, and C is the sum of c.  The true score is the mean over
all raters who could have rated the response.  Every function takes `RatingSums` and, where it needs
one, the rater error variance; when that is not given it is estimated from the same slice, so that its
sampling error is felt in every interval.  Undefined slices get nan; nothing is cut off at 0 or 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from reportgen.metrics import pair
from reportgen.metrics.pair import ratio, root, without_rounding
from reportgen.tally import Floats, PairSums, Polynomial, RatingSums

Score = TypeVar("Score", Polynomial, Floats)
ErrorVariance = Floats | float | None  # a rater error variance known from elsewhere, or None to estimate it

CEILING_OPEN = "too few double-scored responses to tell"  # why it is not known what an engine without error would reach

NO_TRUE_VARIANCE = "the variance of true scores is estimated as 0 or less: ratings differ by rater error alone"
"""Why nothing in units of true scores is to be believed."""


def rating_features(ratings: Floats, present: NDArray[np.bool_], score: Score) -> dict[str, Score | Floats]:
    """Return what responses add to `RatingSums`: (raters, n) ratings, 0 where they are not present, beside a score."""
    c, total = present.sum(axis=0) * 1.0, ratings.sum(axis=0)
    mean, some = total / np.maximum(c, 1.0), (c > 0) * 1.0
    return {
        "n": some, "multiple": (c > 1) * 1.0, "c": c, "cc": c**2, "cm": total, "cmm": c * mean**2,
        "cms": score * total, "cs": score * c, "css": score * score * c,
        "within": (((ratings - mean) * present) ** 2).sum(axis=0), "freedom": np.maximum(c - 1.0, 0.0),
        "s": score * some, "ss": score * score * some,
    }  # fmt: skip


def rating_sums(sums: Mapping[str, Floats], centre: float, start: str = "") -> RatingSums:
    """Return the sums of `rating_features`, whose names may have a start."""
    return RatingSums(centre, *(sums[start + each.name] for each in fields(RatingSums)[1:]))


def rater_error_variance(sums: RatingSums) -> Floats:
    """Return the pooled variance of ratings within responses; nan without a response rated twice."""
    return ratio(sums.within, sums.freedom)


def _error_variance(sums: RatingSums, given: ErrorVariance) -> Floats:
    """Return the given error variance, or its estimate."""
    if given is None:
        return rater_error_variance(sums)
    return np.broadcast_to(given, np.broadcast_shapes(np.shape(given), sums.n.shape))


def _squares_of_means(sums: RatingSums) -> Floats:
    return without_rounding(sums.cmm - ratio(sums.cm**2, sums.c), sums.cmm, sums.n)


def _squares_of_system(sums: RatingSums) -> Floats:
    return without_rounding(sums.css - ratio(sums.cs**2, sums.c), sums.css, sums.n)


def _products(sums: RatingSums) -> Floats:
    """Return the sum of c (m - its mean) (s - its mean), 0 where either is constant."""
    constant = (_squares_of_means(sums) == 0) | (_squares_of_system(sums) == 0)
    return np.where(constant, 0.0, sums.cms - ratio(sums.cm * sums.cs, sums.c))


def true_score_variance(sums: RatingSums, error_variance: ErrorVariance = None) -> Floats:
    """Return the variance of true scores: that of the means less what rater error adds to it."""
    error = _error_variance(sums, error_variance)
    divisor = without_rounding(sums.c - ratio(sums.cc, sums.c), sums.c, sums.n)
    return ratio(_squares_of_means(sums) - (sums.n - 1) * error, divisor)


def mean_squared_error_true(sums: RatingSums, error_variance: ErrorVariance = None) -> Floats:
    """Return the mean squared error of the system score as a predictor of the true score."""
    observed = without_rounding(sums.cmm - 2 * sums.cms + sums.css, sums.cmm + sums.css, sums.n)
    return ratio(observed - sums.n * _error_variance(sums, error_variance), sums.c)


def prmse(sums: RatingSums, error_variance: ErrorVariance = None) -> Floats:
    """Return the proportional reduction in mean squared error of predicting the true score."""
    return 1 - ratio(mean_squared_error_true(sums, error_variance), true_score_variance(sums, error_variance))


def variance_by_ratings(sums: RatingSums, error_variance: ErrorVariance) -> Floats:
    """Return the true-score variance with divisor C throughout, under which PRMSE falls exactly into parts."""
    return ratio(_squares_of_means(sums) - sums.n * _error_variance(sums, error_variance), sums.c)


def true_score_correlation(sums: RatingSums, error_variance: ErrorVariance = None) -> Floats:
    """Return rho, the correlation of the system score with the true score; values above 1 are kept."""
    spread = root(variance_by_ratings(sums, error_variance)) * root(ratio(_squares_of_system(sums), sums.c))
    return ratio(ratio(_products(sums), sums.c), spread)


def scale_ratio(sums: RatingSums, error_variance: ErrorVariance = None) -> Floats:
    """Return gamma, the SD of the system score in units of rho SD(T), its best value."""
    sd_system = root(ratio(_squares_of_system(sums), sums.c))
    sd_true = root(variance_by_ratings(sums, error_variance))
    return ratio(sd_system, sd_true * true_score_correlation(sums, error_variance))


def standardized_bias(sums: RatingSums, error_variance: ErrorVariance = None) -> Floats:
    """Return delta, mean of the system score less mean of the true score, in SDs of the true score."""
    return ratio(ratio(sums.cs - sums.cm, sums.c), root(variance_by_ratings(sums, error_variance)))


def best_slope(sums: RatingSums) -> Floats:
    """Return the slope of the linear rescaling of the system score that predicts true scores best."""
    return ratio(_products(sums), _squares_of_system(sums))


def best_intercept(sums: RatingSums) -> Floats:
    """Return the intercept of the linear rescaling of the system score that predicts true scores best."""
    slope = best_slope(sums)
    return sums.centre + ratio(sums.cm, sums.c) - slope * (sums.centre + ratio(sums.cs, sums.c))


def true_score_sd(sums: RatingSums, error_variance: ErrorVariance = None) -> Floats:
    """Return the standard deviation of true scores, from the variance under which PRMSE falls into parts."""
    return root(variance_by_ratings(sums, error_variance))


def explained_sd(sums: RatingSums) -> Floats:
    """Return the SD of true scores as predicted by the best line on the system score: rho SD(T), with rho's sign."""
    return ratio(ratio(_products(sums), sums.c), root(ratio(_squares_of_system(sums), sums.c)))


def excess_sd(sums: RatingSums) -> Floats:
    """Return how much larger the SD of the system score is than that of its best line's predictions."""
    return root(ratio(_squares_of_system(sums), sums.c)) - explained_sd(sums)


def mean_shift(sums: RatingSums) -> Floats:
    """Return the mean of the system score less the mean of the true score."""
    return ratio(sums.cs - sums.cm, sums.c)


def error_without_severity(human: PairSums) -> Floats:
    """Return half the variance of the difference of two raters: their error but for constant harshness.

    Result: (slices,): in squared points, 0 or more; nan for fewer than two responses.  Agreement with the first rater
    is not limited by how harsh the second is, so the ceiling leaves that out.
    Source: McGraw and Wong (1996), the residual of ICC(C,1).

    Parameters
    ----------
    human
        Sums of the first two raters on the responses that both scored.

    Examples
    --------
    >>> import numpy as np
    >>> n, x, y, xx, yy, xy = (np.array([each]) for each in (3.0, 6.0, 9.0, 14.0, 29.0, 20.0))
    >>> zero = np.zeros(1)
    >>> error_without_severity(PairSums(0.0, n, x, y, xx, yy, xy, zero, zero, zero))  # 1, 2, 3 beside 2, 3, 4
    array([0.])
    """
    squares = pair.variance_x(human) + pair.variance_y(human) - 2 * pair.ratio(pair.products(human), human.n - 1)
    return pair.without_rounding(squares / 2, pair.variance_x(human), human.n)


def share_of_truth(
    system: PairSums, human: PairSums, ratings: RatingSums, error_variance: ErrorVariance = None
) -> Floats:
    """Return the share of true scores in the variance of the human scores that the engine is held against.

    Result: (slices,): var T / var h, both by the divisor n - 1; chance can take it below 0 and above 1.  nan where no
    two responses are scored twice or human scores do not vary.

    Parameters
    ----------
    system, human, ratings
        Sums of one slice: engine beside first rater, first two raters, all ratings.
    error_variance
        The rater error variance where it is known from elsewhere; else `error_without_severity`, or that of all
        ratings where the system scored no response that both raters did.
    """
    error = error_variance
    if error is None:
        error = np.where(np.real(human.n) < 2, rater_error_variance(ratings), error_without_severity(human))
    return pair.ratio(true_score_variance(ratings, error), pair.variance_x(system))


def true_r(system: PairSums, human: PairSums, ratings: RatingSums, error_variance: ErrorVariance = None) -> Floats:
    """Return the correlation of true scores with one human score: the highest correlation, and QWK, there can be.

    ``sqrt(var T / var h)``, the index of reliability.  QWK of ``a T`` with equal means is
    ``2 a var T / (var h + a^2 var T)``, which is largest at ``a = SD h / SD T`` and then equals it.

    Result: (slices,): 0 or more; nan where the variance of true scores is estimated below 0.
    Source: Lord and Novick (1968), chapter 3: the correlation of true and observed scores.
    """
    return pair.root(share_of_truth(system, human, ratings, error_variance))


def true_qwk(system: PairSums, human: PairSums, ratings: RatingSums, error_variance: ErrorVariance = None) -> Floats:
    """Return QWK of true scores themselves with one human score: ``2 var T / (var h + var T)``.

    It lies below `true_r`, because true scores spread less than human scores do.

    Result: (slices,); nan where the variance of true scores is estimated below 0.
    Source: Cohen (1968) with cov(T, h) = var T and equal means.
    """
    share = share_of_truth(system, human, ratings, error_variance)
    return pair.ratio(2 * pair.root(share) ** 2, 1 + share)


def largest_error_share(n: Floats | float, level: float) -> Floats:
    """Return the largest share of responses in error that n responses without one leave credible.

    Examples
    --------
    >>> [round(float(largest_error_share(n, 0.95)), 4) for n in (10, 100, 1000)]
    [0.2589, 0.0295, 0.003]
    """
    return np.asarray(-np.expm1(np.log1p(-level) / np.asarray(n, np.float64)))


def least_qwk(mse: Floats, variance: Floats) -> Floats:
    """Return the least quadratic weighted kappa that a mean squared error and a variance of x allow, at least -1.

    ``QWK = 1 - mse / (var x + E(y - mean x)^2)``, and by Minkowski's inequality the root of the last
    term is at least SD x - root mse.

    Examples
    --------
    >>> float(least_qwk(np.array(0.25), np.array(1.0)))
    0.8
    """
    spread = np.maximum(np.sqrt(variance) - np.sqrt(mse), 0.0)
    return np.maximum(1 - ratio(mse, variance + spread**2), -1.0)


def least_correlation(mse: Floats, variance: Floats) -> Floats:
    """Return the least correlation that a mean squared error and a variance of x allow; 0 when it may be negative.

    ``1 - r^2`` is the share of var x that the best line on y leaves, so at most mse / var x.  The sign
    of r is sure when mse is below var x.

    Examples
    --------
    >>> round(float(least_correlation(np.array(0.36), np.array(1.0))), 10)
    0.8
    """
    return np.sqrt(np.maximum(1 - ratio(mse, variance), 0.0))


def least_prmse(mse: Floats, variance: Floats, error_variance: Floats) -> Floats:
    """Return the least PRMSE that a mean squared error, a variance of human scores and a rater error variance allow.

    The error against true scores is no more than that against ratings; nan where rater error may be
    all of the variance.

    Examples
    --------
    >>> float(least_prmse(np.array(0.2), np.array(1.2), np.array(0.2)))
    0.8
    """
    true = variance - error_variance
    return np.where(true > 0, 1 - ratio(mse, np.maximum(true, 1e-300)), np.nan)
