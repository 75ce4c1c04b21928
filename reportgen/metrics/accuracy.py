"""How far a system score lies from the human score, what an errorless score would reach, and bounds without errors."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from reportgen.metrics import pair
from reportgen.metrics._arrays import as_weighted_pairs, pair_sums
from reportgen.metrics.pair import ratio
from reportgen.metrics.true_score import ErrorVariance, rater_error_variance, true_score_variance
from reportgen.tally.sums import Floats, PairSums, RatingSums


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


def error_without_severity(human: PairSums) -> Floats:
    """Return half the variance of the difference of two raters: their error but for constant harshness.

    Parameters
    ----------
    human
        Sums of the first two raters on the responses that both scored.

    Returns
    -------
    numpy.ndarray
        (slices,): in squared points, 0 or more; nan for fewer than two responses.  Agreement with the first rater is
        not limited by how harsh the second is, so the ceiling leaves that out.

    References
    ----------
    McGraw and Wong (1996), the residual of ICC(C,1).

    Examples
    --------
    >>> import numpy as np
    >>> n, x, y, xx, yy, xy = (np.array([each]) for each in (3.0, 6.0, 9.0, 14.0, 29.0, 20.0))
    >>> zero = np.zeros(1)
    >>> error_without_severity(PairSums(0.0, n, x, y, xx, yy, xy, zero, zero, zero))  # 1, 2, 3 beside 2, 3, 4
    array([0.])
    """
    squares = pair.variance_x(human) + pair.variance_y(human) - 2 * pair.ratio(pair.products(human), human.n - 1)
    return pair.without_rounding(squares / 2, pair.variance_x(human), human.n)


def share_of_truth(
    system: PairSums, human: PairSums, ratings: RatingSums, error_variance: ErrorVariance = None
) -> Floats:
    """Return the share of true scores in the variance of the human scores that the engine is held against.

    Parameters
    ----------
    system, human, ratings
        Sums of one slice: engine beside first rater, first two raters, all ratings.
    error_variance
        The rater error variance where it is known from elsewhere; else `error_without_severity`, or that of all
        ratings where the system scored no response that both raters did.

    Returns
    -------
    numpy.ndarray
        (slices,): var T / var h, both by the divisor n - 1; chance can take it below 0 and above 1.  nan where no two
        responses are scored twice or human scores do not vary.
    """
    error = error_variance
    if error is None:
        error = np.where(np.real(human.n) < 2, rater_error_variance(ratings), error_without_severity(human))
    return pair.ratio(true_score_variance(ratings, error), pair.variance_x(system))


def true_r(system: PairSums, human: PairSums, ratings: RatingSums, error_variance: ErrorVariance = None) -> Floats:
    """Return the correlation of true scores with one human score: the highest correlation, and QWK, there can be.

    ``sqrt(var T / var h)``, the index of reliability.  QWK of ``a T`` with equal means is
    ``2 a var T / (var h + a^2 var T)``, which is largest at ``a = SD h / SD T`` and then equals it.

    Parameters
    ----------
    system, human, ratings, error_variance
        As for `share_of_truth`.

    Returns
    -------
    numpy.ndarray
        (slices,): 0 or more; nan where the variance of true scores is estimated below 0.

    References
    ----------
    Lord and Novick (1968), chapter 3: the correlation of true and observed scores.
    """
    return pair.root(share_of_truth(system, human, ratings, error_variance))


def true_qwk(system: PairSums, human: PairSums, ratings: RatingSums, error_variance: ErrorVariance = None) -> Floats:
    """Return QWK of true scores themselves with one human score: ``2 var T / (var h + var T)``.

    It lies below `true_r`, because true scores spread less than human scores do.

    Parameters
    ----------
    system, human, ratings, error_variance
        As for `share_of_truth`.

    Returns
    -------
    numpy.ndarray
        (slices,); nan where the variance of true scores is estimated below 0.

    References
    ----------
    Cohen (1968) with cov(T, h) = var T and equal means.
    """
    share = share_of_truth(system, human, ratings, error_variance)
    return pair.ratio(2 * pair.root(share) ** 2, 1 + share)


def largest_error_share(n: Floats | float, level: float) -> Floats:
    """Return the largest share of responses in error that n responses without one leave credible.

    Examples
    --------
    >>> [round(float(largest_error_share(n, 0.95)), 4) for n in (10, 100, 1000)]
    [0.2589, 0.0295, 0.003]
    """
    return np.asarray(-np.expm1(np.log1p(-level) / np.asarray(n, np.float64)))


def least_qwk(mse: Floats, variance: Floats) -> Floats:
    """Return the least quadratic weighted kappa that a mean squared error and a variance of x allow, at least -1.

    ``QWK = 1 - mse / (var x + E(y - mean x)^2)``, and by Minkowski's inequality the root of the last
    term is at least SD x - root mse.

    Examples
    --------
    >>> float(least_qwk(np.array(0.25), np.array(1.0)))
    0.8
    """
    spread = np.maximum(np.sqrt(variance) - np.sqrt(mse), 0.0)
    return np.maximum(1 - ratio(mse, variance + spread**2), -1.0)


def least_correlation(mse: Floats, variance: Floats) -> Floats:
    """Return the least correlation that a mean squared error and a variance of x allow; 0 when it may be negative.

    ``1 - r^2`` is the share of var x that the best line on y leaves, so at most mse / var x.  The sign
    of r is sure when mse is below var x.

    Examples
    --------
    >>> round(float(least_correlation(np.array(0.36), np.array(1.0))), 10)
    0.8
    """
    return np.sqrt(np.maximum(1 - ratio(mse, variance), 0.0))


def least_prmse(mse: Floats, variance: Floats, error_variance: Floats) -> Floats:
    """Return the least PRMSE that a mean squared error, a variance of human scores and a rater error variance allow.

    The error against true scores is no more than that against ratings; nan where rater error may be
    all of the variance.

    Examples
    --------
    >>> float(least_prmse(np.array(0.2), np.array(1.2), np.array(0.2)))
    0.8
    """
    true = variance - error_variance
    return np.where(true > 0, 1 - ratio(mse, np.maximum(true, 1e-300)), np.nan)
