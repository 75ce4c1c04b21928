"""Intraclass correlations from the mean squares of responses crossed with raters, and their F intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reportgen.metrics.pair import ratio
from reportgen.tally.sums import Floats


@dataclass(frozen=True)
class MeanSquares:
    """Mean squares of n responses rated by the same k raters (Shrout and Fleiss's BMS, JMS, EMS, WMS), per slice."""

    between: Floats
    judges: Floats
    residual: Floats
    within: Floats
    n: Floats
    k: int


def mean_squares(scores: Floats) -> MeanSquares:
    """Return the mean squares of (n, k) ratings without gaps."""
    x = scores - scores.mean()
    totals = [np.asarray(total) for total in ((x.sum(axis=1) ** 2).sum(), x.sum(axis=0), (x**2).sum())]
    return mean_squares_of_sums(np.asarray(float(len(x))), *totals)


def mean_squares_of_sums(n: Floats, rows: Floats, columns: Floats, squares: Floats) -> MeanSquares:
    """Return the mean squares from sums; nan for a single response.

    Parameters
    ----------
    n
        (...): responses.
    rows
        (...): sum over responses of the squared sum of their ratings.
    columns
        (..., k): sum of each rater's ratings.
    squares
        (...): sum of all squared ratings.
    """
    k = columns.shape[-1]
    grand = ratio(columns.sum(axis=-1) ** 2, n * k)
    of_rows = rows / k - grand
    of_columns = ratio((columns**2).sum(axis=-1), n) - grand
    within = squares - rows / k
    return MeanSquares(
        between=ratio(of_rows, n - 1),
        judges=of_columns / (k - 1),
        residual=ratio(within - of_columns, (n - 1) * (k - 1)),
        within=ratio(within, n * (k - 1)),
        n=n,
        k=k,
    )


def intraclass_values(squares: MeanSquares) -> dict[str, Floats]:
    """Return the six intraclass correlations, named and ordered as in `IntraclassCorrelation`; nan without variance."""
    between, residual, within, k = squares.between, squares.residual, squares.within, squares.k
    severity = ratio(squares.judges - residual, squares.n)
    return {
        "icc11": ratio(between - within, between + (k - 1) * within),
        "icc21": share_of_whole(between - residual, between + (k - 1) * residual + k * severity),
        "icc31": ratio(between - residual, between + (k - 1) * residual),
        "icc1k": ratio(between - within, between),
        "icc2k": share_of_whole(between - residual, between + severity),
        "icc3k": ratio(between - residual, between),
    }


def share_of_whole(part: Floats, whole: Floats) -> Floats:
    """Return part / whole, nan unless the whole, a variance, is positive."""
    return ratio(part, np.where(np.real(whole) > 0, whole, np.nan))


def intraclass_limits(squares: MeanSquares, level: float) -> dict[str, tuple[float, float]]:
    """Return the limits of the six intraclass correlations of one slice by the F distribution.

    Exact for normal effects with ICC(1) and ICC(C), Satterthwaite's approximation with ICC(A); raters
    are a sample there, so two of them leave a wide interval when they differ in severity.  nan where
    there is no residual variance.

    References
    ----------
    McGraw and Wong (1996, table 7); Shrout and Fleiss (1979).
    """
    n, k = float(squares.n), squares.k
    one_way = _consistency(squares.between, squares.within, n - 1, n * (k - 1), level)
    two_way = _consistency(squares.between, squares.residual, n - 1, (n - 1) * (k - 1), level)
    agreement = _agreement(squares, level)
    single = {"icc11": _single(one_way, k), "icc21": agreement, "icc31": _single(two_way, k)}
    average = {"icc1k": _average(one_way), "icc2k": _stepped_up(agreement, k), "icc3k": _average(two_way)}
    return single | average


def _quantile(numerator: float, denominator: float, level: float) -> float:
    """Return the upper limit of a two-sided F interval."""
    from scipy.special import fdtri

    return float(fdtri(numerator, denominator, (1 + level) / 2))


def _consistency(between: Floats, error: Floats, freedom: float, spare: float, level: float) -> tuple[float, float]:
    """Return the limits of the ratio of mean squares."""
    if not error > 0:
        return math.nan, math.nan
    found = float(between / error)
    return found / _quantile(freedom, spare, level), found * _quantile(spare, freedom, level)


def _single(limits: tuple[float, float], k: int) -> tuple[float, float]:
    low, high = ((limit - 1) / (limit + k - 1) for limit in limits)
    return low, high


def _average(limits: tuple[float, float]) -> tuple[float, float]:
    low, high = (1 - 1 / limit if limit else math.nan for limit in limits)
    return low, high


def _stepped_up(limits: tuple[float, float], k: int) -> tuple[float, float]:
    """Return the limits for the mean of k ratings from those for one (Spearman and Brown)."""
    low, high = (k * limit / (1 + (k - 1) * limit) for limit in limits)
    return low, high


def _agreement(squares: MeanSquares, level: float) -> tuple[float, float]:
    """Return the limits of ICC(A,1)."""
    n, k = float(squares.n), squares.k
    between, judges, residual = (float(each) for each in (squares.between, squares.judges, squares.residual))
    value = float(intraclass_values(squares)["icc21"])
    if not residual > 0 or not value < 1:
        return math.nan, math.nan
    a = k * value / (n * (1 - value))
    b = 1 + k * value * (n - 1) / (n * (1 - value))
    freedom = (a * judges + b * residual) ** 2 / (
        (a * judges) ** 2 / (k - 1) + (b * residual) ** 2 / ((n - 1) * (k - 1))
    )
    lower, upper = _quantile(n - 1, freedom, level), _quantile(freedom, n - 1, level)
    noise = k * judges + (k * n - k - n) * residual
    return (
        n * (between - lower * residual) / (lower * noise + n * between),
        n * (upper * between - residual) / (noise + n * upper * between),
    )
