"""How far a system score lies from the human score."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from reportgen.metrics import pair
from reportgen.metrics._arrays import as_weighted_pairs, pair_sums


def mean_squared_error(human: ArrayLike, system: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Return the mean squared error, ``mean of (h - s)^2``.

    Parameters
    ----------
    human, system
        (n,): scores, NaN where missing; pairs with a missing side are dropped.
    sample_weight
        (n,): how often each response counts, 0 or more; once by default.  Integer weights repeat rows.

    Returns
    -------
    float
        0 or more, in squared score points; nan without any pair.

    Raises
    ------
    ValueError
        When lengths differ or a score is infinite.

    References
    ----------
    Haberman (2008).

    Examples
    --------
    >>> from reportgen.metrics.worked_examples import HUMAN, SYSTEM
    >>> mean_squared_error(HUMAN, SYSTEM)
    20.75
    """
    return float(pair.mean_squared_error(pair_sums(human, system, sample_weight))[0])


def root_mean_squared_error(human: ArrayLike, system: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Return the root mean squared error, ``root of mean of (h - s)^2``.

    Parameters
    ----------
    human, system
        (n,): scores, NaN where missing; pairs with a missing side are dropped.
    sample_weight
        (n,): how often each response counts, 0 or more; once by default.  Integer weights repeat rows.

    Returns
    -------
    float
        0 or more, in score points; nan without any pair.

    Raises
    ------
    ValueError
        When lengths differ or a score is infinite.

    References
    ----------
    Haberman (2008).

    Examples
    --------
    >>> from reportgen.metrics.worked_examples import HUMAN, SYSTEM
    >>> round(root_mean_squared_error(HUMAN, SYSTEM) ** 2, 10)
    20.75
    """
    return float(pair.root_mean_squared_error(pair_sums(human, system, sample_weight))[0])


def mean_absolute_error(human: ArrayLike, system: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Return the mean absolute error, ``mean of |h - s|``.

    Parameters
    ----------
    human, system
        (n,): scores, NaN where missing; pairs with a missing side are dropped.
    sample_weight
        (n,): how often each response counts, 0 or more; once by default.  Integer weights repeat rows.

    Returns
    -------
    float
        0 or more, in score points; nan without any pair.

    Raises
    ------
    ValueError
        When lengths differ or a score is infinite.

    References
    ----------
    Willmott and Matsuura (2005).

    Examples
    --------
    >>> from reportgen.metrics.worked_examples import HUMAN, SYSTEM
    >>> mean_absolute_error(HUMAN, SYSTEM)
    2.75
    """
    return float(pair.mean_absolute_error(pair_sums(human, system, sample_weight))[0])


def r_squared(human: ArrayLike, system: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Return the proportional reduction in squared error of predicting the observed human score.

    ``1 - sum of (h - s)^2 / sum of (h - mean h)^2``: the system score as it is, not after a regression.

    Parameters
    ----------
    human, system
        (n,): scores, NaN where missing; pairs with a missing side are dropped.
    sample_weight
        (n,): how often each response counts, 0 or more; once by default.  Integer weights repeat rows.

    Returns
    -------
    float
        At most 1, negative when the human mean would predict better.  Constant human scores give 1
        when every system score equals them and 0 otherwise; nan for fewer than two pairs.

    Raises
    ------
    ValueError
        When lengths differ or a score is infinite.

    References
    ----------
    Haberman (2008); PRMSE for the observed score.

    Examples
    --------
    >>> from reportgen.metrics.worked_examples import HUMAN, SYSTEM
    >>> round(r_squared(HUMAN, SYSTEM), 4)
    -4.6271
    """
    return float(pair.r_squared(pair_sums(human, system, sample_weight))[0])


def macro_averaged_rmse(human: ArrayLike, system: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Return the mean over human score levels of the root mean squared error within the level.

    Every level counts the same, however few responses it has, so errors at the rare ends of the scale
    show.  The root is taken within each level, before averaging, so the result is in score points.

    Parameters
    ----------
    human, system
        (n,): scores, NaN where missing; pairs with a missing side are dropped.  Each distinct human
        score is a level; levels without responses do not count.
    sample_weight
        (n,): how often each response counts, 0 or more; once by default.  Integer weights repeat rows.

    Returns
    -------
    float
        0 or more, in score points; nan without any pair.

    Raises
    ------
    ValueError
        When lengths differ or a score is infinite.

    References
    ----------
    Baccianella, Esuli and Sebastiani (2009) for averaging over levels; Yannakoudakis and Cummins (2015)
    ask for the root mean squared form.

    Examples
    --------
    Three 1s scored without error and one 4 scored two points off:

    >>> macro_averaged_rmse([1, 1, 1, 4], [1, 1, 1, 2])
    1.0
    """
    first, second, weight = as_weighted_pairs(human, system, sample_weight)
    if not first.size:
        return float("nan")
    level = np.unique(first, return_inverse=True)[1]
    squares = np.bincount(level, weight * (first - second) ** 2)
    return float(np.sqrt(squares / np.bincount(level, weight)).mean())
