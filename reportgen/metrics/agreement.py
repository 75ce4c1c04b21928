"""How often two scores agree, and how closely."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from reportgen.metrics import pair
from reportgen.metrics._arrays import as_pairs, pair_sums


def percent_agreement(a: ArrayLike, b: ArrayLike, tolerance: float = 0) -> float:
    """Return the percentage of responses whose two scores differ by no more than `tolerance`.

    ``100 x share of |a - b| <= tolerance``.  Nothing is rounded: exact agreement (tolerance 0) says
    nothing about continuous scores.

    Parameters
    ----------
    a, b
        (n,): scores, NaN where missing; pairs with a missing side are dropped.
    tolerance
        0 for exact agreement, 1 for exact or adjacent.

    Returns
    -------
    float
        0 to 100; nan without any pair.

    Raises
    ------
    ValueError
        When lengths differ or a score is infinite.

    References
    ----------
    Williamson, Xi and Breyer (2012).

    Examples
    --------
    >>> from reportgen.metrics.worked_examples import ABSTRACTORS, ratings_of_table
    >>> percent_agreement(*ratings_of_table(ABSTRACTORS).T)
    89.0
    """
    first, second = as_pairs(a, b)
    within = np.abs(first - second) <= tolerance
    return float(100 * within.mean()) if within.size else float("nan")


def quadratic_weighted_kappa(human: ArrayLike, system: ArrayLike, ddof: int = 0) -> float:
    """Return the quadratic weighted kappa of scores that may be continuous.

    ``2 cov(h, s) / (var h + var s + (mean h - mean s)^2)``.  With divisor n (`ddof` 0) it equals Lin's
    concordance correlation and, for whole scores, Cohen's quadratically weighted kappa over the whole
    scale.

    Parameters
    ----------
    human, system
        (n,): scores, NaN where missing; pairs with a missing side are dropped.
    ddof
        Variances and the covariance are divided by n - ddof.

    Returns
    -------
    float
        -1 to 1; 0 when one score is constant, nan when both are constant and equal or there is no pair.

    Raises
    ------
    ValueError
        When lengths differ or a score is infinite.

    References
    ----------
    Cohen (1968); Lin (1989); Haberman (2019) for continuous scores.

    Examples
    --------
    >>> from reportgen.metrics.worked_examples import HUMAN, SYSTEM
    >>> round(quadratic_weighted_kappa(HUMAN, SYSTEM), 10)
    -0.0921052632
    """
    return float(pair.quadratic_weighted_kappa(pair_sums(human, system), ddof)[0])
