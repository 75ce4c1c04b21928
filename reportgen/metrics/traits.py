"""Several traits of one response: how rater errors go together, the composite of all traits, and what each adds.

A rater's errors on two traits of one response go together (halo); errors of different raters do not.  What one rater's
scores share beyond true scores therefore stands in the covariance of ratings within responses.  Formulas on sums are
smooth, so that intervals follow from derivatives.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from reportgen.metrics._arrays import as_floats
from reportgen.metrics.pair import ratio, root, without_rounding
from reportgen.tally import Floats, TraitMoments, TraitSums, trait_moments

__all__ = [
    "AddedValue", "TraitCorrelations", "added_value", "composite_prmse", "rater_error_covariance", "trait_correlations",
]  # fmt: skip


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


def prmse_of_composite(sums: TraitSums, weights: Floats) -> Floats:
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


class TraitCorrelations(NamedTuple):
    """How traits go together, each of shape (traits, traits), nan where a variance is not positive.

    Parameters
    ----------
    errors
        Of one rater's errors on two traits: halo.
    rater
        Of one rater's scores.
    true
        Of true scores.
    system
        Of the system's scores.
    """

    errors: Floats
    rater: Floats
    true: Floats
    system: Floats


class AddedValue(NamedTuple):
    """What predicts the true score of each trait, each of shape (traits,).

    Parameters
    ----------
    own
        PRMSE of the best line on the system's score of the trait.
    total
        PRMSE of the best line on the system's weighted sum of all traits.
    """

    own: Floats
    total: Floats


def rater_error_covariance(ratings: ArrayLike) -> Floats:
    """Return the covariance of one rater's errors on every two traits.

    With two raters everywhere ``S_e[s, t] = mean of (h1s - h2s)(h1t - h2t) / 2``; in general the sum over ratings of
    ``(x_s - m_s)(x_t - m_t)`` about each response's means, divided by the sum of ``c_i - 1``, c_i ratings of response
    i.  Its diagonal is `rater_error_variance`.  It is also what two scores of one rater share beyond those of two
    raters, ``cov(h1s, h1t) - cov(h1s, h2t)``, but for differences of severity, which are errors here.

    Result: (traits, traits), in squared score points; nan without a response rated twice.
    Source: Cronbach et al. (1972), multivariate generalizability; Loukina et al. (2020) for its diagonal.

    Parameters
    ----------
    ratings
        (n, raters, traits): scores, NaN where missing.  A rating that lacks a trait is left out.

    Examples
    --------
    >>> rater_error_covariance([[[1, 2], [3, 3]], [[2, 2], [2, 4]], [[4, 1], [3, 1]]]).round(3).tolist()
    [[0.833, 0.333], [0.333, 0.833]]
    """
    scores = _ratings(ratings)
    found = _sums(trait_moments(np.zeros((len(scores), scores.shape[2])), scores))
    return error_covariance(found)


def composite_prmse(system: ArrayLike, ratings: ArrayLike, *, weights: ArrayLike | None = None) -> float:
    """Return the proportional reduction in mean squared error for the weighted sum of all traits.

    ``1 - [E (v'(m - h))^2 - v'S_e v] / [var(v'h) - v'S_e v]`` of one rating h, system scores m and weights v; of more
    ratings `prmse` of the weighted sums, so that each rating weighs alike.

    Result: at most 1; nan without a response rated twice.  Estimates above 1 or below 0 occur in small samples.
    Source: Haberman (2008); Loukina et al. (2020).

    Parameters
    ----------
    system
        (n, traits): system scores, NaN where missing.
    ratings
        (n, raters, traits): human scores, NaN where missing.  A rating that lacks a trait is left out.
    weights
        (traits,): of the traits in the sum; 1 for each when left out.

    Examples
    --------
    >>> ratings = [[[1, 1], [1, 2]], [[3, 2], [3, 3]], [[4, 4], [3, 4]], [[2, 3], [2, 3]]]
    >>> round(composite_prmse([[1, 2], [3, 3], [4, 4], [2, 2]], ratings), 3)
    0.938
    """
    sums = _both(system, ratings)
    return float(prmse_of_composite(sums, _weights(weights, len(sums.h))))


def trait_correlations(system: ArrayLike, ratings: ArrayLike) -> TraitCorrelations:
    """Return how true scores, one rater's scores and errors, and the system's scores of traits go together.

    True scores of two traits go together as scores of different raters do, ``cov(h1s, h2t)``, corrected for their
    errors.  Where the system's correlations lie above, it tells the traits apart less than they differ.

    Result: those of true scores can lie beyond 1 in small samples.
    Source: Spearman (1904); Thorndike (1920).

    Parameters
    ----------
    system
        (n, traits): system scores, NaN where missing.
    ratings
        (n, raters, traits): human scores, NaN where missing.  A rating that lacks a trait is left out.

    Examples
    --------
    >>> ratings = [[[1, 1], [1, 2]], [[3, 2], [3, 3]], [[4, 4], [3, 4]], [[2, 3], [2, 3]]]
    >>> found = trait_correlations([[1, 2], [3, 3], [4, 4], [2, 2]], ratings)
    >>> [round(float(matrix[0, 1]), 3) for matrix in (found.errors, found.rater, found.system)]
    [0.0, 0.748, 0.944]
    """
    sums = _both(system, ratings)
    return TraitCorrelations(
        error_correlation(sums),
        rater_correlation(sums),
        true_correlation(sums),
        system_correlation(sums),
    )


def added_value(system: ArrayLike, ratings: ArrayLike, *, weights: ArrayLike | None = None) -> AddedValue:
    """Return how well a trait's own score, and the total of all traits, predict the trait's true score.

    A trait score is worth reporting when its own score predicts better.  Both are ``cov(p, T)^2 / (var p var T)`` of
    the predictor p and the true score T of the trait.

    Result: 0 or more; above 1 in small samples.  nan without a response rated twice, or where a variance is not
    positive.
    Source: Haberman (2008), which compares scores of people; here they are the system's.

    Parameters
    ----------
    system
        (n, traits): system scores, NaN where missing.
    ratings
        (n, raters, traits): human scores, NaN where missing.  A rating that lacks a trait is left out.
    weights
        (traits,): of the traits in the total; 1 for each when left out.

    Examples
    --------
    >>> ratings = [[[1, 1], [1, 2]], [[3, 2], [3, 3]], [[4, 4], [3, 4]], [[2, 3], [2, 3]]]
    >>> found = added_value([[1, 2], [3, 3], [4, 4], [2, 2]], ratings)
    >>> found.own.shape, bool((found.own > found.total)[0])
    ((2,), True)
    """
    sums = _both(system, ratings)
    weighted = _weights(weights, len(sums.h))
    return AddedValue(prmse_from_own(sums), prmse_from_total(sums, weighted))


def _both(system: ArrayLike, ratings: ArrayLike) -> TraitSums:
    """Return the sums of system scores and ratings of the same responses and traits."""
    scores, rated = as_floats(system), _ratings(ratings)
    if scores.shape != (len(rated), rated.shape[2]):
        raise ValueError(f"system must have shape {(len(rated), rated.shape[2])}; found {scores.shape}")
    if np.isinf(scores).any():
        raise ValueError("system must be finite or NaN (missing)")
    return _sums(trait_moments(scores, rated))


def _ratings(ratings: ArrayLike) -> Floats:
    """Return ratings of shape (n, raters, traits), refused when one is infinite."""
    scores = as_floats(ratings)
    if scores.ndim != 3 or not scores.shape[2]:
        raise ValueError(f"ratings must have shape (n, raters, traits); found {scores.shape}")
    if np.isinf(scores).any():
        raise ValueError("ratings must be finite or NaN (missing)")
    return scores


def _weights(weights: ArrayLike | None, traits: int) -> Floats:
    """Return one weight for each trait."""
    given: Floats = np.ones(traits) if weights is None else np.asarray(weights, np.float64)
    if given.shape != (traits,) or not np.isfinite(given).all():
        raise ValueError(f"weights must be {traits} finite numbers; found shape {given.shape}")
    return given


def _sums(moments: TraitMoments) -> TraitSums:
    return TraitSums.of(moments.sums, moments.traits)
