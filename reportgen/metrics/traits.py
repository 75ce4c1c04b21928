"""Multiple traits of one response: correlated rater errors, the composite of all traits, and added value.

A rater's errors on two traits of one response are correlated (halo), and errors of different raters are not. The
covariance of ratings within responses therefore contains the shared errors of a rater. Formulas on sums are smooth, so
intervals follow from derivatives.
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
    """Return the pooled covariance of ratings within responses; nan without a response rated twice."""
    return ratio(sums.within, sums.freedom)


def _between(sums: TraitSums) -> Floats:
    return without_rounding(sums.hh - ratio(np.outer(sums.h, sums.h), sums.c), sums.hh, np.real(sums.n))


def true_covariance(sums: TraitSums) -> Floats:
    """Return the covariance of true scores; its diagonal is `true_score.true_score_variance`."""
    divisor = without_rounding(sums.c - ratio(sums.cc, sums.c), sums.c, np.real(sums.n))
    return ratio(_between(sums) - (sums.n - 1) * error_covariance(sums), divisor)


def _true_covariance_by_ratings(sums: TraitSums) -> Floats:
    return ratio(_between(sums) - sums.n * error_covariance(sums), sums.c)


def _system_covariance(sums: TraitSums) -> Floats:
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
    """Return the correlation of one rater's errors on two traits, which is halo."""
    return _correlation(error_covariance(sums))


def true_correlation(sums: TraitSums) -> Floats:
    """Return the correlation of true scores."""
    return _correlation(_true_covariance_by_ratings(sums))


def rater_correlation(sums: TraitSums) -> Floats:
    """Return the correlation of one rater's scores on two traits."""
    return _correlation(_true_covariance_by_ratings(sums) + error_covariance(sums))


def system_correlation(sums: TraitSums) -> Floats:
    """Return the correlation of the system's scores on two traits."""
    return _correlation(_system_covariance(sums))


def prmse_from_own(sums: TraitSums) -> Floats:
    """Return (traits,): PRMSE of the best linear prediction from the system's score of the trait."""
    return ratio(np.diagonal(_across(sums)) ** 2, _true_times(sums, np.diagonal(_system_covariance(sums))))


def prmse_from_total(sums: TraitSums, weights: Floats) -> Floats:
    """Return (traits,): PRMSE of the best linear prediction from the system's weighted sum of all traits."""
    spread = weights @ _system_covariance(sums) @ weights
    return ratio((_across(sums) @ weights) ** 2, _true_times(sums, spread))


def _true_times(sums: TraitSums, spread: Floats) -> Floats:
    true = np.diagonal(_true_covariance_by_ratings(sums))
    return root(true) ** 2 * root(spread) ** 2


def _correlation(covariance: Floats) -> Floats:
    spread = root(np.diagonal(covariance))
    return ratio(covariance, np.outer(spread, spread))


class TraitCorrelations(NamedTuple):
    """Correlations of traits, (traits, traits) each; nan if a variance is not positive.

    Parameters
    ----------
    errors
        Of one rater's errors on two traits (halo).
    rater, true, system
        Of one rater's scores, of true scores, and of the system's scores.
    """

    errors: Floats
    rater: Floats
    true: Floats
    system: Floats


class AddedValue(NamedTuple):
    """Accuracy of two predictors of the true score of each trait, (traits,) each.

    Parameters
    ----------
    own, total
        PRMSE of the best linear prediction from the system's score of the trait, and from its weighted sum of all
        traits.
    """

    own: Floats
    total: Floats


def rater_error_covariance(ratings: ArrayLike) -> Floats:
    """Compute the covariance of one rater's errors on every two traits.

    For two raters, ``S_e[s, t] = mean of (h1s - h2s)(h1t - h2t) / 2``. In general, it is the sum over ratings of
    ``(x_s - m_s)(x_t - m_t)`` about each response's means, divided by the sum of ``c_i - 1``, with c_i ratings of
    response i. Its diagonal is `rater_error_variance`. Except for severity, which counts as error, it equals
    ``cov(h1s, h1t) - cov(h1s, h2t)``.

    Result: (traits, traits), in squared score points; nan without a response rated twice.
    Source: Cronbach et al. (1972), multivariate generalizability; Loukina et al. (2020) for its diagonal.

    Parameters
    ----------
    ratings
        (n, raters, traits): scores, NaN if missing. Ratings without all traits are excluded.

    Examples
    --------
    >>> rater_error_covariance([[[1, 2], [3, 3]], [[2, 2], [2, 4]], [[4, 1], [3, 1]]]).round(3).tolist()
    [[0.833, 0.333], [0.333, 0.833]]
    """
    scores = _ratings(ratings)
    return error_covariance(_sums(trait_moments(np.zeros((len(scores), scores.shape[2])), scores)))


def composite_prmse(system: ArrayLike, ratings: ArrayLike, *, weights: ArrayLike | None = None) -> float:
    """Compute PRMSE of the weighted sum of all traits.

    ``1 - [E (v'(m - h))^2 - v'S_e v] / [var(v'h) - v'S_e v]`` for one rating h, system scores m, and weights v; for
    multiple ratings, `prmse` of the weighted sums, in which ratings have equal weight.

    Result: at most 1, except in small samples; nan without a response rated twice.
    Source: Haberman (2008); Loukina et al. (2020).

    Parameters
    ----------
    system
        (n, traits): system scores, NaN if missing.
    ratings
        (n, raters, traits): human scores, NaN if missing. Ratings without all traits are excluded.
    weights
        (traits,): of the traits in the sum; default: 1.

    Examples
    --------
    >>> ratings = [[[1, 1], [1, 2]], [[3, 2], [3, 3]], [[4, 4], [3, 4]], [[2, 3], [2, 3]]]
    >>> round(composite_prmse([[1, 2], [3, 3], [4, 4], [2, 2]], ratings), 3)
    0.938
    """
    sums = _both(system, ratings)
    return float(prmse_of_composite(sums, _weights(weights, len(sums.h))))


def trait_correlations(system: ArrayLike, ratings: ArrayLike) -> TraitCorrelations:
    """Compute correlations of traits for true scores, rater scores and errors, and system scores.

    The correlation of true scores is that of different raters, ``cov(h1s, h2t)``, corrected for their errors. If the
    system's correlations are higher, it distinguishes the traits less than they differ.

    Result: correlations of true scores can exceed 1 in small samples.
    Source: Spearman (1904); Thorndike (1920).

    Parameters
    ----------
    system, ratings
        As for `composite_prmse`.

    Examples
    --------
    >>> ratings = [[[1, 1], [1, 2]], [[3, 2], [3, 3]], [[4, 4], [3, 4]], [[2, 3], [2, 3]]]
    >>> found = trait_correlations([[1, 2], [3, 3], [4, 4], [2, 2]], ratings)
    >>> [round(float(matrix[0, 1]), 3) for matrix in (found.errors, found.rater, found.system)]
    [0.0, 0.748, 0.944]
    """
    sums = _both(system, ratings)
    return TraitCorrelations(
        error_correlation(sums), rater_correlation(sums), true_correlation(sums), system_correlation(sums)
    )


def added_value(system: ArrayLike, ratings: ArrayLike, *, weights: ArrayLike | None = None) -> AddedValue:
    """Compute how well a trait's score, and the total of all traits, predict its true score.

    A trait score is worth reporting if it predicts better. Both values are ``cov(p, T)^2 / (var p var T)`` for the
    predictor p and the true score T of the trait.

    Result: 0 or more, possibly above 1 in small samples; nan without a response rated twice or if a variance is not
    positive.
    Source: Haberman (2008), which compares scores of people; here they are the system's.

    Parameters
    ----------
    system, ratings, weights
        As for `composite_prmse`.

    Examples
    --------
    >>> ratings = [[[1, 1], [1, 2]], [[3, 2], [3, 3]], [[4, 4], [3, 4]], [[2, 3], [2, 3]]]
    >>> found = added_value([[1, 2], [3, 3], [4, 4], [2, 2]], ratings)
    >>> found.own.shape, bool((found.own > found.total)[0])
    ((2,), True)
    """
    sums = _both(system, ratings)
    return AddedValue(prmse_from_own(sums), prmse_from_total(sums, _weights(weights, len(sums.h))))


def _both(system: ArrayLike, ratings: ArrayLike) -> TraitSums:
    scores, rated = as_floats(system), _ratings(ratings)
    if scores.shape != (len(rated), rated.shape[2]):
        raise ValueError(f"system must have shape {(len(rated), rated.shape[2])}; found {scores.shape}")
    if np.isinf(scores).any():
        raise ValueError("system must be finite or NaN (missing)")
    return _sums(trait_moments(scores, rated))


def _ratings(ratings: ArrayLike) -> Floats:
    """Return ratings of shape (n, raters, traits); ValueError if one is infinite."""
    scores = as_floats(ratings)
    if scores.ndim != 3 or not scores.shape[2]:
        raise ValueError(f"ratings must have shape (n, raters, traits); found {scores.shape}")
    if np.isinf(scores).any():
        raise ValueError("ratings must be finite or NaN (missing)")
    return scores


def _weights(weights: ArrayLike | None, traits: int) -> Floats:
    given: Floats = np.ones(traits) if weights is None else np.asarray(weights, np.float64)
    if given.shape != (traits,) or not np.isfinite(given).all():
        raise ValueError(f"weights must be {traits} finite numbers; found shape {given.shape}")
    return given


def _sums(moments: TraitMoments) -> TraitSums:
    return TraitSums.of(moments.sums, moments.traits)
