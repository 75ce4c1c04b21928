"""Formulas for the sums of multiple ratings and one system score, for many slices.

Response i has c_i ratings with mean m_i, and C is the sum of c. The true score is the mean over all raters who could
rate the response. Functions take `RatingSums` and the rater error variance if they need it. By default, they estimate
it from the same slice, so intervals include its sampling error. Undefined slices are nan; nothing is clipped to 0 or 1.
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
ErrorVariance = Floats | float | None  # a known rater error variance, or None to estimate it

CEILING_OPEN = "too few double-scored responses"  # why the ceiling of an engine is unknown

NO_TRUE_VARIANCE = "the variance of true scores is estimated as 0 or less: ratings differ by rater error alone"
"""Reason if statistics in units of true scores are unreliable."""


def rating_features(ratings: Floats, present: NDArray[np.bool_], score: Score) -> dict[str, Score | Floats]:
    """Compute the contributions of responses to `RatingSums` from (raters, n) ratings, 0 if missing."""
    c, total = present.sum(axis=0) * 1.0, ratings.sum(axis=0)
    mean, some = total / np.maximum(c, 1.0), (c > 0) * 1.0
    return {
        "n": some, "multiple": (c > 1) * 1.0, "c": c, "cc": c**2, "cm": total, "cmm": c * mean**2,
        "cms": score * total, "cs": score * c, "css": score * score * c,
        "within": (((ratings - mean) * present) ** 2).sum(axis=0), "freedom": np.maximum(c - 1.0, 0.0),
        "s": score * some, "ss": score * score * some,
    }  # fmt: skip


def rating_sums(sums: Mapping[str, Floats], centre: float, start: str = "") -> RatingSums:
    """Return the sums of `rating_features`, whose names can have a prefix."""
    return RatingSums(centre, *(sums[start + each.name] for each in fields(RatingSums)[1:]))


def rater_error_variance(sums: RatingSums) -> Floats:
    """Return the pooled variance of ratings within responses; nan without a response rated twice."""
    return ratio(sums.within, sums.freedom)


def _error_variance(sums: RatingSums, given: ErrorVariance) -> Floats:
    if given is None:
        return rater_error_variance(sums)
    return np.broadcast_to(given, np.broadcast_shapes(np.shape(given), sums.n.shape))


def _squares_of_means(sums: RatingSums) -> Floats:
    return without_rounding(sums.cmm - ratio(sums.cm**2, sums.c), sums.cmm, sums.n)


def _squares_of_system(sums: RatingSums) -> Floats:
    return without_rounding(sums.css - ratio(sums.cs**2, sums.c), sums.css, sums.n)


def _products(sums: RatingSums) -> Floats:
    constant = (_squares_of_means(sums) == 0) | (_squares_of_system(sums) == 0)
    return np.where(constant, 0.0, sums.cms - ratio(sums.cm * sums.cs, sums.c))


def true_score_variance(sums: RatingSums, error_variance: ErrorVariance = None) -> Floats:
    """Return the variance of true scores: the variance of the means without the part of rater error."""
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
    """Return the true-score variance with divisor C, for which the components of PRMSE are exact."""
    return ratio(_squares_of_means(sums) - sums.n * _error_variance(sums, error_variance), sums.c)


def true_score_correlation(sums: RatingSums, error_variance: ErrorVariance = None) -> Floats:
    """Return rho, the correlation of the system score with the true score; can exceed 1."""
    spread = root(variance_by_ratings(sums, error_variance)) * root(ratio(_squares_of_system(sums), sums.c))
    return ratio(ratio(_products(sums), sums.c), spread)


def scale_ratio(sums: RatingSums, error_variance: ErrorVariance = None) -> Floats:
    """Return gamma, the SD of the system score in units of rho SD(T), its best value."""
    sd_system = root(ratio(_squares_of_system(sums), sums.c))
    sd_true = root(variance_by_ratings(sums, error_variance))
    return ratio(sd_system, sd_true * true_score_correlation(sums, error_variance))


def standardized_bias(sums: RatingSums, error_variance: ErrorVariance = None) -> Floats:
    """Return delta, mean of the system score minus mean of the true score, in SDs of the true score."""
    return ratio(ratio(sums.cs - sums.cm, sums.c), root(variance_by_ratings(sums, error_variance)))


def best_slope(sums: RatingSums) -> Floats:
    """Return the slope of the best linear prediction of true scores from the system score."""
    return ratio(_products(sums), _squares_of_system(sums))


def best_intercept(sums: RatingSums) -> Floats:
    """Return the intercept of the best linear prediction of true scores from the system score."""
    slope = best_slope(sums)
    return sums.centre + ratio(sums.cm, sums.c) - slope * (sums.centre + ratio(sums.cs, sums.c))


def true_score_sd(sums: RatingSums, error_variance: ErrorVariance = None) -> Floats:
    """Return the standard deviation of true scores, from `variance_by_ratings`."""
    return root(variance_by_ratings(sums, error_variance))


def explained_sd(sums: RatingSums) -> Floats:
    """Return the SD of the best linear predictions of true scores: rho SD(T), with rho's sign."""
    return ratio(ratio(_products(sums), sums.c), root(ratio(_squares_of_system(sums), sums.c)))


def excess_sd(sums: RatingSums) -> Floats:
    """Return the SD of the system score minus the SD of the best linear predictions."""
    return root(ratio(_squares_of_system(sums), sums.c)) - explained_sd(sums)


def mean_shift(sums: RatingSums) -> Floats:
    """Return the mean of the system score minus the mean of the true score."""
    return ratio(sums.cs - sums.cm, sums.c)


def error_without_severity(human: PairSums) -> Floats:
    """Compute half the variance of the difference of two raters: their error without severity.

    Result: (slices,): in squared points, 0 or more; nan for fewer than two responses. The second rater's severity does
    not limit agreement with the first, so the ceiling excludes it.
    Source: McGraw and Wong (1996), the residual of ICC(C,1).

    >>> import numpy as np
    >>> n, x, y, xx, yy, xy = (np.array([each]) for each in (3.0, 6.0, 9.0, 14.0, 29.0, 20.0))
    >>> zero = np.zeros(1)
    >>> error_without_severity(PairSums(0.0, n, x, y, xx, yy, xy, zero, zero, zero))  # 1, 2, 3 and 2, 3, 4
    array([0.])
    """
    squares = pair.variance_x(human) + pair.variance_y(human) - 2 * pair.ratio(pair.products(human), human.n - 1)
    return pair.without_rounding(squares / 2, pair.variance_x(human), human.n)


def share_of_truth(
    system: PairSums, human: PairSums, ratings: RatingSums, error_variance: ErrorVariance = None
) -> Floats:
    """Compute the share of true scores in the variance of the human scores.

    Result: (slices,): var T / var h with divisor n - 1, possibly below 0 or above 1 by chance; nan with fewer than two
    double-scored responses or if human scores do not vary.

    system, human, ratings: sums of one slice: engine and first rater, first two raters, all ratings.
    error_variance: the rater error variance; default: `error_without_severity`, or the estimate from all ratings if the
        system scored no response that both raters did.
    """
    error = error_variance
    if error is None:
        error = np.where(np.real(human.n) < 2, rater_error_variance(ratings), error_without_severity(human))
    return pair.ratio(true_score_variance(ratings, error), pair.variance_x(system))


def true_r(system: PairSums, human: PairSums, ratings: RatingSums, error_variance: ErrorVariance = None) -> Floats:
    """Compute the correlation of true scores with one human score, the ceiling of r and QWK.

    ``sqrt(var T / var h)``, the index of reliability. QWK of ``a T`` with equal means is
    ``2 a var T / (var h + a^2 var T)``, whose maximum, at ``a = SD h / SD T``, is the same.

    Result: (slices,): 0 or more; nan if the variance of true scores is estimated below 0.
    Source: Lord and Novick (1968), chapter 3: the correlation of true and observed scores.
    """
    return pair.root(share_of_truth(system, human, ratings, error_variance))


def true_qwk(system: PairSums, human: PairSums, ratings: RatingSums, error_variance: ErrorVariance = None) -> Floats:
    """Compute QWK of true scores with one human score: ``2 var T / (var h + var T)``.

    It is below `true_r`, because true scores vary less than human scores.

    Result: (slices,); nan if the variance of true scores is estimated below 0.
    Source: Cohen (1968) with cov(T, h) = var T and equal means.
    """
    share = share_of_truth(system, human, ratings, error_variance)
    return pair.ratio(2 * pair.root(share) ** 2, 1 + share)


def largest_error_share(n: Floats | float, level: float) -> Floats:
    """Compute the upper limit of the share of errors if n responses have none.

    >>> [round(float(largest_error_share(n, 0.95)), 4) for n in (10, 100, 1000)]
    [0.2589, 0.0295, 0.003]
    """
    return np.asarray(-np.expm1(np.log1p(-level) / np.asarray(n, np.float64)))


def least_qwk(mse: Floats, variance: Floats) -> Floats:
    """Compute the lower bound of QWK for a mean squared error and a variance of x, at least -1.

    ``QWK = 1 - mse / (var x + E(y - mean x)^2)``, and by Minkowski's inequality the root of the last term is at least
    SD x - root mse.

    >>> float(least_qwk(np.array(0.25), np.array(1.0)))
    0.8
    """
    spread = np.maximum(np.sqrt(variance) - np.sqrt(mse), 0.0)
    return np.maximum(1 - ratio(mse, variance + spread**2), -1.0)


def least_correlation(mse: Floats, variance: Floats) -> Floats:
    """Compute the lower bound of r for a mean squared error and a variance of x; 0 if r can be negative.

    ``1 - r^2`` is the residual share of var x for the best line on y, so at most mse / var x. r is positive if mse is
    below var x.

    >>> round(float(least_correlation(np.array(0.36), np.array(1.0))), 10)
    0.8
    """
    return np.sqrt(np.maximum(1 - ratio(mse, variance), 0.0))


def least_prmse(mse: Floats, variance: Floats, error_variance: Floats) -> Floats:
    """Compute the lower bound of PRMSE for an MSE, a variance of human scores, and of rater error.

    The error against true scores is at most the error against ratings; nan if rater error can explain all variance.

    >>> float(least_prmse(np.array(0.2), np.array(1.2), np.array(0.2)))
    0.8
    """
    true = variance - error_variance
    return np.where(true > 0, 1 - ratio(mse, np.maximum(true, 1e-300)), np.nan)
