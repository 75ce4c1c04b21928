"""What PRMSE is made of: correlation, scale and bias, and the rescaling that mends the last two."""

from __future__ import annotations

import math
from dataclasses import dataclass

from numpy.typing import ArrayLike

from reportgen.metrics import true_score
from reportgen.metrics._arrays import rating_sums
from reportgen.metrics.proportional_reduction import check_error_variance, why_doubtful


@dataclass(frozen=True)
class PrmseComponents:
    """PRMSE as ``rho^2 - rho^2 (1 - gamma)^2 - delta^2``, and the remedy.

    Parameters
    ----------
    rho
        Correlation of the system score with the true score: what the engine can do.
    gamma
        SD of the system score in units of rho SD(T): its scale, best at 1.
    delta
        Mean of the system score less mean of the true score, in SD(T): its bias, best at 0.
    prmse
        The sum of the three terms.
    best_prmse
        ``rho^2``, what a linear rescaling of the system score can attain.
    slope, intercept
        That rescaling: ``intercept + slope x system score``.
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
    """Return PRMSE taken apart into correlation, scale and bias.

    ``PRMSE = rho^2 - rho^2 (1 - gamma)^2 - delta^2``.  The identity is exact when every moment has the
    same divisor, so all moments here are divided by the number of ratings; `prmse` divides as an
    unbiased estimate of var T needs, and differs by a share of the order 1 / n.

    Parameters
    ----------
    system, ratings, error_variance
        As in `prmse`.
    sample_weight
        (n,): how often each response counts, 0 or more; once by default.  Integer weights repeat rows.

    Returns
    -------
    PrmseComponents
        rho and gamma are nan for a constant system score, all of them when var T is not positive.

    Raises
    ------
    ValueError
        As in `prmse`.

    References
    ----------
    Casabianca et al. (2023), equation 2; Haberman and Qian (2007) for the best linear predictor.

    Examples
    --------
    A system that predicts T perfectly but for its mean and scale can be mended entirely:

    >>> parts = prmse_components([5, 7, 9, 11], [[1, 1], [2, 2], [3, 3], [4, 4]])
    >>> round(parts.rho, 10), round(parts.gamma, 10), round(parts.best_prmse, 10)
    (1.0, 2.0, 1.0)
    >>> round(parts.slope, 10), round(parts.intercept, 10)
    (0.5, -1.5)
    """
    check_error_variance(error_variance)
    sums = rating_sums(system, ratings, sample_weight)
    rho = float(true_score.true_score_correlation(sums, error_variance)[0])
    gamma = float(true_score.scale_ratio(sums, error_variance)[0])
    delta = float(true_score.standardized_bias(sums, error_variance)[0])
    slope = float(true_score.best_slope(sums)[0])
    reason = why_doubtful(sums, error_variance, float(true_score.variance_by_ratings(sums, error_variance)[0]))
    return PrmseComponents(
        rho=rho,
        gamma=gamma,
        delta=delta,
        prmse=rho**2 - rho**2 * (1 - gamma) ** 2 - delta**2,
        best_prmse=rho**2,
        slope=slope,
        intercept=float(true_score.best_intercept(sums)[0]),
        reason=reason or ("every system score is the same" if math.isnan(slope) else ""),
    )
