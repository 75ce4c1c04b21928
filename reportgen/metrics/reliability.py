"""How far ratings can be relied on: intraclass correlations and alpha."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from reportgen.metrics._arrays import as_ratings
from reportgen.metrics.identified_raters import intraclass_limits, intraclass_values, mean_squares
from reportgen.tally.sums import Floats


@dataclass(frozen=True)
class IntraclassCorrelation:
    """The six intraclass correlations of Shrout and Fleiss.

    Parameters
    ----------
    icc11, icc1k
        Every response by other raters (one-way): a single rating, and the mean of k.
    icc21, icc2k
        The same raters, a sample of many (two-way random, absolute agreement).
    icc31, icc3k
        The same raters, the only ones of interest (two-way mixed, consistency).
    n, n_raters
        Responses rated by everybody, and raters k.
    reason
        Why values are nan; empty otherwise.
    intervals
        Name of each coefficient -> lower and upper limit by the F distribution (see `intraclass_limits`).
    """

    icc11: float
    icc21: float
    icc31: float
    icc1k: float
    icc2k: float
    icc3k: float
    n: int
    n_raters: int
    reason: str = ""
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class CronbachAlpha:
    """Cronbach's alpha, nan with a `reason` when undefined; `n` complete rows, `n_items` columns."""

    value: float
    n: int
    n_items: int
    reason: str = ""


def intraclass_correlation(ratings: ArrayLike, *, level: float = 0.95) -> IntraclassCorrelation:
    """Return the intraclass correlations of ratings.

    From the mean squares between responses B, between raters J, residual E and within responses W:
    ``icc11 = (B - W) / (B + (k - 1) W)``, ``icc21 = (B - E) / (B + (k - 1) E + k (J - E) / n)``,
    ``icc31 = (B - E) / (B + (k - 1) E)``, ``icc1k = (B - W) / B``, ``icc2k = (B - E) / (B + (J - E) / n)``,
    ``icc3k = (B - E) / B``.

    Parameters
    ----------
    ratings
        (n, raters): scores, NaN where a rater gave none; only responses rated by everybody count
        (`generalizability` takes gaps).
    level
        Coverage of the intervals, between 0 and 1.

    Returns
    -------
    IntraclassCorrelation
        At most 1, possibly negative; nan, with a reason, for fewer than two complete responses or
        raters, or when all ratings are the same.

    Raises
    ------
    ValueError
        When `ratings` has another shape or an infinite score.

    References
    ----------
    Shrout and Fleiss (1979); McGraw and Wong (1996) for the intervals.

    Examples
    --------
    Six targets, four judges (published .17 .29 .71 .44 .62 .91):

    >>> from reportgen.metrics.worked_examples import SHROUT_FLEISS
    >>> icc = intraclass_correlation(SHROUT_FLEISS)
    >>> [round(value, 2) for value in (icc.icc11, icc.icc21, icc.icc31, icc.icc1k, icc.icc2k, icc.icc3k)]
    [0.17, 0.29, 0.71, 0.44, 0.62, 0.91]
    >>> [round(limit, 2) for limit in icc.intervals["icc31"]]
    [0.34, 0.95]
    """
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1; found {level}")
    scores = _complete(ratings)
    n, k = scores.shape
    if reason := _too_few(scores):
        nan = math.nan
        return IntraclassCorrelation(nan, nan, nan, nan, nan, nan, n, k, reason)
    squares = mean_squares(scores)
    value = intraclass_values(squares)
    return IntraclassCorrelation(
        icc11=float(value["icc11"]),
        icc21=float(value["icc21"]),
        icc31=float(value["icc31"]),
        icc1k=float(value["icc1k"]),
        icc2k=float(value["icc2k"]),
        icc3k=float(value["icc3k"]),
        n=n,
        n_raters=k,
        intervals=intraclass_limits(squares, level),
    )


def cronbach_alpha(ratings: ArrayLike) -> CronbachAlpha:
    """Return Cronbach's alpha, the reliability of the sum of the columns.

    ``k / (k - 1) x (1 - sum of the columns' variances / variance of the sum)``.

    Parameters
    ----------
    ratings
        (n, k): items or raters in columns, NaN where missing; only complete rows count.

    Returns
    -------
    CronbachAlpha
        At most 1, possibly negative; equal to icc3k.  nan, with a reason, for fewer than two complete
        rows or columns, or when the sum is constant.

    Raises
    ------
    ValueError
        When `ratings` has another shape or an infinite score.

    References
    ----------
    Cronbach (1951).

    Examples
    --------
    Six targets, four judges (Shrout and Fleiss's ICC(3,4), published .91):

    >>> from reportgen.metrics.worked_examples import SHROUT_FLEISS
    >>> round(cronbach_alpha(SHROUT_FLEISS).value, 2)
    0.91
    """
    scores = _complete(ratings)
    n, k = scores.shape
    if reason := _too_few(scores):
        return CronbachAlpha(math.nan, n, k, reason)
    columns, total = scores.var(axis=0, ddof=1).sum(), scores.sum(axis=1).var(ddof=1)
    if total <= 1e-14 * columns:
        return CronbachAlpha(math.nan, n, k, "the sum is the same for every response")
    return CronbachAlpha(float(k / (k - 1) * (1 - columns / total)), n, k)


def spearman_brown(reliability: ArrayLike, k: float) -> Floats:
    """Return the reliability of the mean of k parallel ratings from that of one.

    ``k r / (1 + (k - 1) r)``.

    Parameters
    ----------
    reliability
        Any shape: reliability r of one rating, at most 1.
    k
        How many times as many ratings; more than 0.

    Returns
    -------
    numpy.ndarray
        The same shape; nan where ``1 + (k - 1) r`` is not positive.

    Raises
    ------
    ValueError
        When k is not more than 0.

    References
    ----------
    Spearman (1910); Brown (1910).

    Examples
    --------
    >>> float(spearman_brown(0.5, 2).round(4))
    0.6667
    """
    if not k > 0:
        raise ValueError(f"k must be more than 0; found {k}")
    r = np.asarray(reliability, np.float64)
    room = 1 + (k - 1) * r
    return np.asarray(k * r / np.where(room > 0, room, np.nan))


def _complete(ratings: ArrayLike) -> Floats:
    """Return the rows without a gap."""
    scores = as_ratings(ratings)
    return scores[~np.isnan(scores).any(axis=1)]


def _too_few(scores: Floats) -> str:
    """Return why a complete table has no reliability, empty when it may have one."""
    n, k = scores.shape
    if n < 2 or k < 2:
        return f"reliability needs two complete rows and two columns; found {n} and {k}"
    return "every rating is the same" if (scores == scores[0, 0]).all() else ""
