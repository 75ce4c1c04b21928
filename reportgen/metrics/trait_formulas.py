"""Formulas on the sums of several traits, smooth in every sum, so that intervals follow from derivatives.

A rater's errors on two traits of one response go together (halo); errors of different raters do not.  What one rater's
scores share beyond true scores therefore stands in the covariance of ratings within responses.
"""

from __future__ import annotations

import numpy as np

from reportgen.metrics.pair import ratio, root, without_rounding
from reportgen.tally.joint import TraitSums
from reportgen.tally.sums import Floats


def error_covariance(sums: TraitSums) -> Floats:
    """Return S_e (traits, traits): the pooled covariance of ratings within responses; nan without any rated twice."""
    return ratio(sums.within, sums.freedom)


def _between(sums: TraitSums) -> Floats:
    return without_rounding(sums.hh - ratio(np.outer(sums.h, sums.h), sums.c), sums.hh, np.real(sums.n))


def true_covariance(sums: TraitSums) -> Floats:
    """Return the covariance of true scores, its diagonal that of `reportgen.metrics.true_score.true_score_variance`."""
    divisor = without_rounding(sums.c - ratio(sums.cc, sums.c), sums.c, np.real(sums.n))
    return ratio(_between(sums) - (sums.n - 1) * error_covariance(sums), divisor)


def _true_covariance_by_ratings(sums: TraitSums) -> Floats:
    return ratio(_between(sums) - sums.n * error_covariance(sums), sums.c)


def _system_covariance(sums: TraitSums) -> Floats:
    """Return the covariance of system scores, responses weighted by their ratings."""
    squares = sums.mm - ratio(np.outer(sums.m, sums.m), sums.c)
    return ratio(without_rounding(squares, sums.mm, np.real(sums.n)), sums.c)


def _across(sums: TraitSums) -> Floats:
    return ratio(sums.hm - ratio(np.outer(sums.h, sums.m), sums.c), sums.c)


def composite_error(sums: TraitSums, weights: Floats) -> Floats:
    """Return the mean squared error of the system's weighted sum as a predictor of its true score."""
    gaps = sums.hh - sums.hm - sums.hm.T + sums.mm
    return weights @ ratio(gaps - sums.n * error_covariance(sums), sums.c) @ weights


def composite_true_variance(sums: TraitSums, weights: Floats) -> Floats:
    """Return the variance of true scores of the weighted sum."""
    return weights @ true_covariance(sums) @ weights


def composite_prmse(sums: TraitSums, weights: Floats) -> Floats:
    """Return PRMSE of the weighted sum of all traits."""
    return 1 - ratio(composite_error(sums, weights), composite_true_variance(sums, weights))


def composite_rho(sums: TraitSums, weights: Floats) -> Floats:
    """Return the correlation of the system's weighted sum with its true score."""
    spread = root(weights @ _true_covariance_by_ratings(sums) @ weights)
    return ratio(weights @ _across(sums) @ weights, spread * root(weights @ _system_covariance(sums) @ weights))


def error_correlation(sums: TraitSums) -> Floats:
    """Return (traits, traits): the correlation of one rater's errors on two traits, which is halo."""
    return _correlation(error_covariance(sums))


def true_correlation(sums: TraitSums) -> Floats:
    """Return (traits, traits): the correlation of true scores."""
    return _correlation(_true_covariance_by_ratings(sums))


def rater_correlation(sums: TraitSums) -> Floats:
    """Return (traits, traits): the correlation of one rater's scores on two traits."""
    return _correlation(_true_covariance_by_ratings(sums) + error_covariance(sums))


def system_correlation(sums: TraitSums) -> Floats:
    """Return (traits, traits): the correlation of the system's scores on two traits."""
    return _correlation(_system_covariance(sums))


def prmse_from_own(sums: TraitSums) -> Floats:
    """Return (traits,): PRMSE of the best line on the system's score of the trait itself."""
    return ratio(np.diagonal(_across(sums)) ** 2, _true_times(sums, np.diagonal(_system_covariance(sums))))


def prmse_from_total(sums: TraitSums, weights: Floats) -> Floats:
    """Return (traits,): PRMSE of the best line on the system's weighted sum of all traits."""
    spread = weights @ _system_covariance(sums) @ weights
    return ratio((_across(sums) @ weights) ** 2, _true_times(sums, spread))


def _true_times(sums: TraitSums, spread: Floats) -> Floats:
    """Return the variance of true scores times that of what predicts them; nan where one is not positive."""
    true = np.diagonal(_true_covariance_by_ratings(sums))
    return root(true) ** 2 * root(spread) ** 2


def _correlation(covariance: Floats) -> Floats:
    """Return correlations; nan where a variance is not positive."""
    spread = root(np.diagonal(covariance))
    return ratio(covariance, np.outer(spread, spread))
