"""Prediction of true scores by a system score: PRMSE, its parts, and its components.

The true score of a response is its mean over all raters who could rate it. It is not observed, but responses with two
ratings show the rater error, from which the accuracy against true scores follows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reportgen.metrics import true_score
from reportgen.metrics._arrays import as_rated, as_ratings, rating_sums
from reportgen.tally.sums import RatingSums

__all__ = ["PrmseComponents", "TrueScore", "prmse", "prmse_components", "rater_error_variance", "true_score_variance"]


@dataclass(frozen=True)
class TrueScore:
    """Accuracy against the true score.

    Parameters
    ----------
    n
        Responses with a system score and at least one rating.
    n_raters
        The most ratings that a response has.
    n_single, n_multiple
        Responses with one rating, and with multiple ratings.
    error_variance
        Variance of rater errors, given or estimated.
    true_variance
        Variance of true scores.
    mse
        Mean squared error of the system score as a predictor of the true score.
    prmse
        ``1 - mse / true_variance``.
    reason
        Why `prmse` is nan or unreliable; empty otherwise.
    """

    n: int
    n_raters: int
    n_single: int
    n_multiple: int
    error_variance: float
    true_variance: float
    mse: float
    prmse: float
    reason: str = ""


def rater_error_variance(ratings: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Compute the variance of rater errors: the pooled variance of ratings within responses.

    ``sum of squares about each response's mean / sum of (c_i - 1)``, with c_i ratings of response i.

    Result: 0 or more, in squared score points; nan without a response rated twice.
    Source: Loukina et al. (2020).

    Examples
    --------
    For two raters, it is half the mean squared difference:

    >>> rater_error_variance([[1, 3], [2, 2], [4, 3]])
    0.8333333333333334
    """
    return float(true_score.rater_error_variance(_sums_of_ratings(ratings, sample_weight))[0])


def true_score_variance(
    ratings: ArrayLike, *, error_variance: float | None = None, sample_weight: ArrayLike | None = None
) -> float:
    """Compute the variance of true scores.

    ``[sum of c_i (m_i - m)^2 - (n - 1) ve] / (C - sum of c_i^2 / C)``, with c_i ratings of mean m_i, number C and mean
    m of all ratings, and rater error variance ve.

    Result: in squared score points. The estimate is unbiased, so it can be negative if raters hardly agree; nan without
    a response rated twice (unless the error variance is given) or with a single response.
    Source: Loukina et al. (2020); derived by M. S. Johnson.

    Examples
    --------
    >>> true_score_variance([[1, 1], [3, 3]])
    2.0
    """
    check_error_variance(error_variance)
    return float(true_score.true_score_variance(_sums_of_ratings(ratings, sample_weight), error_variance)[0])


def prmse(
    system: ArrayLike,
    ratings: ArrayLike,
    *,
    error_variance: float | None = None,
    sample_weight: ArrayLike | None = None,
) -> TrueScore:
    """Compute the proportional reduction in mean squared error of predicting the true score.

    ``PRMSE = 1 - MSE / var T`` with ``MSE = [sum of c_i (m_i - s_i)^2 - n ve] / C`` and var T as in
    `true_score_variance`, for any number of raters and with missing ratings.

    Result: 1 is perfect, and 0 is as good as the mean for every response. Small samples can give estimates above 1 or
    below 0. Responses without a system score or a rating are dropped. nan, with a reason, without a response rated
    twice, unless the error variance is given.
    Source: Haberman (2008); Loukina et al. (2020).

    Examples
    --------
    >>> from reportgen.metrics.worked_examples import PRMSE_HUMAN, PRMSE_SYSTEM
    >>> round(prmse(PRMSE_SYSTEM, PRMSE_HUMAN, error_variance=0.5).prmse * 11, 10)
    10.0
    """
    check_error_variance(error_variance)
    sums = rating_sums(system, ratings, sample_weight)
    count = (~np.isnan(as_rated(system, ratings, sample_weight)[1])).sum(axis=1)
    counts = len(count), int(count.max(initial=0)), int((count == 1).sum()), int((count > 1).sum())
    error = float(true_score.rater_error_variance(sums)[0]) if error_variance is None else float(error_variance)
    formulas = true_score.true_score_variance, true_score.mean_squared_error_true, true_score.prmse
    variance, mse, value = (float(formula(sums, error_variance)[0]) for formula in formulas)
    return TrueScore(*counts, error, variance, mse, value, why_doubtful(sums, error_variance, variance))


def _sums_of_ratings(ratings: ArrayLike, weights: ArrayLike | None) -> RatingSums:
    scores = as_ratings(ratings)
    return rating_sums(np.zeros(len(scores)), scores, weights)


def check_error_variance(given: float | None) -> None:
    """Raise ValueError if a rater error variance is not 0 or more."""
    if given is not None and not (given >= 0 and math.isfinite(given)):
        raise ValueError(f"error_variance must be 0 or more; found {given}")


def why_doubtful(sums: RatingSums, given: float | None, true_variance: float) -> str:
    """Return why PRMSE is undefined or unreliable."""
    if sums.n[0] == 0:
        return "no response has a system score and a rating"
    if given is None and sums.multiple[0] == 0:
        return "no response has two ratings and no rater error variance was given"
    if sums.n[0] == 1:
        return "one response has no variance"
    if not true_variance > 0:
        return true_score.NO_TRUE_VARIANCE
    return ""


@dataclass(frozen=True)
class PrmseComponents:
    """PRMSE as ``rho^2 - rho^2 (1 - gamma)^2 - delta^2``, and the best linear rescaling.

    Parameters
    ----------
    rho
        Correlation of the system score with the true score, the potential of the engine.
    gamma
        SD of the system score in units of rho SD(T), its scale; best at 1.
    delta
        Mean of the system score minus mean of the true score, in SD(T), its bias; best at 0.
    prmse
        The sum of the three terms.
    best_prmse
        ``rho^2``, PRMSE after linear rescaling of the system score.
    slope, intercept
        This rescaling: ``intercept + slope x system score``.
    reason
        Why values are nan; empty otherwise.
    """

    rho: float
    gamma: float
    delta: float
    prmse: float
    best_prmse: float
    slope: float
    intercept: float
    reason: str = ""


def prmse_components(
    system: ArrayLike,
    ratings: ArrayLike,
    *,
    error_variance: float | None = None,
    sample_weight: ArrayLike | None = None,
) -> PrmseComponents:
    """Compute the components of PRMSE: correlation, scale, and bias.

    ``PRMSE = rho^2 - rho^2 (1 - gamma)^2 - delta^2``. The identity is exact because all moments have the same divisor,
    the number of ratings. `prmse` uses the divisors of unbiased estimates, and differs by the order of 1 / n.

    Result: rho and gamma are nan for a constant system score, all values if var T is not positive.
    Source: Casabianca et al. (2023), equation 2; Haberman and Qian (2007) for the best linear predictor.

    Examples
    --------
    A system whose only errors are mean and scale becomes perfect:

    >>> parts = prmse_components([5, 7, 9, 11], [[1, 1], [2, 2], [3, 3], [4, 4]])
    >>> round(parts.rho, 10), round(parts.gamma, 10), round(parts.best_prmse, 10)
    (1.0, 2.0, 1.0)
    >>> round(parts.slope, 10), round(parts.intercept, 10)
    (0.5, -1.5)
    """
    check_error_variance(error_variance)
    sums = rating_sums(system, ratings, sample_weight)
    formulas = true_score.true_score_correlation, true_score.scale_ratio, true_score.standardized_bias
    rho, gamma, delta = (float(formula(sums, error_variance)[0]) for formula in formulas)
    slope, intercept = (float(formula(sums)[0]) for formula in (true_score.best_slope, true_score.best_intercept))
    value = rho**2 - rho**2 * (1 - gamma) ** 2 - delta**2
    reason = why_doubtful(sums, error_variance, float(true_score.variance_by_ratings(sums, error_variance)[0]))
    reason = reason or ("every system score is the same" if math.isnan(slope) else "")
    return PrmseComponents(rho, gamma, delta, value, rho**2, slope, intercept, reason)
