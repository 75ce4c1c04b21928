"""Do estimates of one quantity differ by more than chance, and by how much the largest exceeds the smallest."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True)
class Homogeneity:
    """Cochran's Q with its degrees of freedom and p; nan, with a `reason`, for fewer than two estimates."""

    statistic: float
    freedom: int
    p: float
    reason: str = ""


def homogeneity(values: ArrayLike, errors: ArrayLike) -> Homogeneity:
    """Return whether independent estimates of one quantity differ by more than their standard errors explain.

    ``Q = sum of (value - weighted mean)^2 / error^2``, chi-square with one degree of freedom less than
    there are estimates when nothing differs.

    Parameters
    ----------
    values, errors
        (k,): estimates and their standard errors; those that are nan, or have no positive error, are left out.

    Returns
    -------
    Homogeneity
        Q is 0 or more; nan, with a reason, for fewer than two estimates.

    Raises
    ------
    ValueError
        When lengths differ.

    References
    ----------
    Cochran (1954).

    Examples
    --------
    >>> found = homogeneity([1.0, 3.0], [1.0, 1.0])
    >>> found.statistic, found.freedom, round(found.p, 4)
    (2.0, 1, 0.1573)
    """
    value, error = np.asarray(values, np.float64), np.asarray(errors, np.float64)
    if value.shape != error.shape or value.ndim != 1:
        raise ValueError(f"values {value.shape} and errors {error.shape} must be one-dimensional and equally long")
    kept = np.isfinite(value) & np.isfinite(error) & (error > 0)
    value, weight = value[kept], 1 / error[kept] ** 2
    if len(value) < 2:
        return Homogeneity(math.nan, 0, math.nan, "fewer than two estimates with a standard error")
    from scipy.special import chdtrc

    mean = float(weight @ value / weight.sum())
    statistic = float(weight @ (value - mean) ** 2)
    return Homogeneity(statistic, len(value) - 1, float(chdtrc(len(value) - 1, statistic)))


@dataclass(frozen=True)
class LargestRatio:
    """The largest of several estimates over the smallest, with simultaneous limits and the places of both."""

    value: float
    low: float
    high: float
    largest: int
    smallest: int


def largest_ratio(
    values: ArrayLike, errors: ArrayLike, n: ArrayLike, level: float = 0.95, *, independent: bool = True
) -> LargestRatio | None:
    """Return the largest of several positive estimates over the smallest, with limits that allow for the choice.

    The logarithms of all pairs get Student limits at once (Bonferroni), with a standard error of
    ``sqrt(e_i^2 + e_j^2)``, ``e`` the standard error over the value; the limits of the largest ratio are
    the largest of the pairs' lower and of their upper limits, and no less than 1.

    Parameters
    ----------
    values, errors, n
        (k,): estimates, their standard errors, and the observations of each; estimates that are not above 0, or
        have no finite error, are left out.
    level
        Confidence that the interval holds the largest ratio.
    independent
        Whether the estimates are independent; if not, errors are added, ``e_i + e_j``, the most that any
        dependence can make of them.

    Returns
    -------
    LargestRatio
        1 or more; None for fewer than two estimates. The value leans upward: chance alone makes one the largest.
        The upper limit is infinite where two or three observations leave it beyond all numbers.

    Raises
    ------
    ValueError
        When lengths differ.

    References
    ----------
    Miller (1981), Simultaneous Statistical Inference, chapter 2 (Bonferroni).

    Examples
    --------
    The limits of two estimates are those of one ratio, 2 exp(-1.96 * .1) and 2 exp(1.96 * .1):

    >>> found = largest_ratio([2.0, 4.0], [0.12, 0.32], [10**6, 10**6])
    >>> round(found.value, 2), round(found.low, 3), round(found.high, 3), found.largest
    (2.0, 1.644, 2.433, 1)
    """
    value, error, counted = (np.asarray(each, np.float64) for each in (values, errors, n))
    if not value.shape == error.shape == counted.shape or value.ndim != 1:
        raise ValueError(f"values {value.shape}, errors {error.shape} and n {counted.shape} must be of one length")
    kept = np.flatnonzero((value > 0) & np.isfinite(value) & np.isfinite(error) & (error >= 0) & (counted > 1))
    if len(kept) < 2:
        return None
    from scipy.special import stdtrit

    i, j = np.triu_indices(len(kept), 1)
    log, relative, degrees = np.log(value[kept]), error[kept] / value[kept], counted[kept] - 1
    gap = np.abs(log[i] - log[j])
    spread = np.sqrt(relative[i] ** 2 + relative[j] ** 2) if independent else relative[i] + relative[j]
    margin = stdtrit(np.minimum(degrees[i], degrees[j]), 1 - (1 - level) / (2 * len(i))) * spread
    with np.errstate(over="ignore"):  # two observations bound a ratio by e to the thousands
        low, high = float(np.exp(max((gap - margin).max(), 0.0))), float(np.exp((gap + margin).max()))
    return LargestRatio(float(np.exp(gap.max())), low, high, int(kept[np.argmax(log)]), int(kept[np.argmin(log)]))
