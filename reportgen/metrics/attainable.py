"""What scores without any error would reach beside one human score: the ceiling of agreement, by the raters' own error.

A human score is the true score T plus an error that has nothing to do with T, so that cov(T, h) = var T.  Whatever an
engine makes of a response, it knows no more than T of the error in h: nothing correlates with h more closely than T.
Formulas are on sums of many slices at once, as in `reportgen.metrics.true_score`; undefined slices get nan.
"""

from __future__ import annotations

import numpy as np

from reportgen.metrics import pair
from reportgen.metrics.true_score import ErrorVariance, rater_error_variance, true_score_variance
from reportgen.tally.sums import Floats, PairSums, RatingSums


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
