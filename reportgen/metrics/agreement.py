"""How often two scores agree, and how closely."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from reportgen.metrics import pair
from reportgen.metrics._arrays import as_weighted_pairs, pair_sums


def exact_agreement(
    human: ArrayLike, system: ArrayLike, *, tolerance: float = 0, sample_weight: ArrayLike | None = None
) -> float:
    """Compute the share of responses whose two scores differ by no more than `tolerance`.

    ``share of |h - s| <= tolerance``.  Nothing is rounded: with tolerance 0 continuous scores practically never agree.
    With tolerance 0 and labels it is scikit-learn's ``accuracy_score``.

    Parameters
    ----------
    human, system
        (n,): scores, NaN or masked where missing; pairs with a missing side are dropped.
    tolerance
        0 for exact agreement, the step of the scale for exact or adjacent.  A difference that is greater by no more
        than a millionth counts, so that 0.3 and 0.1 differ by 0.2.
    sample_weight
        (n,): how often each response counts, 0 or more; once by default.  Integer weights repeat rows.

    Returns
    -------
    float
        0 to 1; nan without any pair.

    Raises
    ------
    ValueError
        When lengths differ, a score is infinite, or a weight is not a number of 0 or more.

    References
    ----------
    Williamson, Xi and Breyer (2012).

    Examples
    --------
    >>> from reportgen.metrics.worked_examples import ABSTRACTORS, ratings_of_table
    >>> exact_agreement(*ratings_of_table(ABSTRACTORS).T)
    0.89
    """
    first, second, weight = as_weighted_pairs(human, system, sample_weight)
    within = np.abs(first - second) <= tolerance * (1 + 1e-6)
    return float(weight @ within / weight.sum()) if within.size else float("nan")


def percent_agreement(
    human: ArrayLike, system: ArrayLike, *, tolerance: float = 0, sample_weight: ArrayLike | None = None
) -> float:
    """Compute the percentage of responses whose two scores differ by no more than `tolerance`.

    ``100 x share of |h - s| <= tolerance``, as the field and RSMTool print it.

    Parameters
    ----------
    human, system, tolerance, sample_weight
        As for `exact_agreement`.

    Returns
    -------
    float
        0 to 100; nan without any pair.

    Raises
    ------
    ValueError
        As for `exact_agreement`.

    References
    ----------
    Williamson, Xi and Breyer (2012).

    Examples
    --------
    >>> from reportgen.metrics.worked_examples import ABSTRACTORS, ratings_of_table
    >>> percent_agreement(*ratings_of_table(ABSTRACTORS).T)
    89.0
    """
    return 100 * exact_agreement(human, system, tolerance=tolerance, sample_weight=sample_weight)


def quadratic_weighted_kappa(
    human: ArrayLike, system: ArrayLike, *, ddof: int = 0, sample_weight: ArrayLike | None = None
) -> float:
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
    sample_weight
        (n,): how often each response counts, 0 or more; once by default.  Integer weights repeat rows.

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
    return float(pair.quadratic_weighted_kappa(pair_sums(human, system, sample_weight), ddof)[0])
