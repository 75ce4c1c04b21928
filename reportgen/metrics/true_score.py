"""Formulas on the sums of several ratings beside one system score, for many slices at once.

A response i has c_i ratings with mean m_i, and C is the sum of c.  The true score is the mean over
all raters who could have rated the response.  Every function takes `RatingSums` and, where it needs
one, the rater error variance; when that is not given it is estimated from the same slice, so that its
sampling error is felt in every interval.  Undefined slices get nan; nothing is cut off at 0 or 1.
"""

from __future__ import annotations

import numpy as np

from reportgen.metrics.pair import ratio, root, without_rounding
from reportgen.tally.sums import Floats, RatingSums

ErrorVariance = Floats | float | None
"""A rater error variance known from elsewhere, or None to estimate it."""

CEILING_OPEN = "too few double-scored responses to tell"
"""Why it is not known what an engine without error would reach."""

NO_TRUE_VARIANCE = "the variance of true scores is estimated as 0 or less: ratings differ by rater error alone"
"""Why nothing in units of true scores is to be believed."""


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


def relative_error(sums: RatingSums, error_variance: ErrorVariance = None) -> Floats:
    """Return the system's mean squared error against true scores in units of one rater's error variance.

    Its reciprocal is the number of ratings whose mean errs as much as the system.
    """
    error = _error_variance(sums, error_variance)
    return ratio(mean_squared_error_true(sums, error), error)
