"""Joint tests of many groups: p-values from intervals, adjusted for their number.

Of twenty fair groups, one is expected to differ significantly at 5%. Holm (1979) controls the probability that *any*
fair group is flagged; Benjamini and Hochberg (1995) control the share of fair groups among the flagged ones.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.metrics._arrays import as_floats, check_lengths
from reportgen.tally.sums import Floats

__all__ = ["Shrunken", "benjamini_hochberg", "holm", "shrunken_differences"]


def tail_probability(
    value: ArrayLike, end: ArrayLike, bound: ArrayLike, standard_error: ArrayLike, level: float = 0.95
) -> Floats:
    """Compute the one-sided p of a statistic beyond a bound, from the interval end nearest to it.

    The distance of that end in standard errors is the quantile of the interval, which determines the degrees of freedom
    of Student's t. So p is below ``(1 - level) / 2`` exactly if the interval excludes the bound.

    Result: 0 to 1; 1 if the value is not beyond the bound, nan without an interval.

    value, end: estimates, and the ends of their intervals on the side of the bound.
    bound: the farthest value that is allowed.
    standard_error: of the estimates; if it is nan or 0, the normal distribution is used.

    A normal interval that ends at the bound has p = .025:

    >>> round(float(tail_probability(0.5, 0.1, 0.1, 0.4 / 1.959964)), 4)
    0.025
    >>> float(tail_probability(0.05, -0.1, 0.1, 0.08))
    1.0
    """
    from scipy.special import ndtr, stdtr

    value, end, bound, error = (np.asarray(each, np.float64) for each in (value, end, bound, standard_error))
    with np.errstate(all="ignore"):
        half = np.abs(value - end)
        quantile, freedom = _quantile(half, error, level)
        beyond = (value - bound) * np.sign(value - end)
        statistic = beyond / half * quantile
        p = np.where(
            np.isfinite(freedom), stdtr(np.where(np.isfinite(freedom), freedom, 1), -statistic), ndtr(-statistic)
        )
    return np.where(half > 0, np.where(beyond > 0, p, 1.0), np.nan)


def simultaneous_end(
    value: ArrayLike, end: ArrayLike, standard_error: ArrayLike, among: int, level: float = 0.95
) -> Floats:
    """Compute an end of an interval that is simultaneous with `among` - 1 others.

    Bonferroni's quantile replaces the quantile of one interval, with the same degrees of freedom.

    Result: the end itself if `among` is 1; nan without an interval.
    Source: Dunn (1961).

    >>> round(float(simultaneous_end(0.0, 1.959964, 1.0, 20)), 3)
    3.023
    """
    from scipy.special import ndtri, stdtrit

    value, end, error = (np.asarray(each, np.float64) for each in (value, end, standard_error))
    with np.errstate(all="ignore"):
        quantile, freedom = _quantile(np.abs(value - end), error, level)
        share = 1 - (1 - level) / 2 / among
        wider = np.where(np.isfinite(freedom), stdtrit(np.where(np.isfinite(freedom), freedom, 1), share), ndtri(share))
        return value + (end - value) * (wider / quantile if among > 1 else 1.0)


def _quantile(half: Floats, error: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the quantile of an interval and its degrees of freedom; infinite for the normal distribution."""
    from scipy.special import ndtri, stdtridf, stdtrit

    share = (1 + level) / 2
    normal, widest = float(ndtri(share)), float(stdtrit(1.0, share))
    known = np.isfinite(error) & (error > 0)
    quantile = np.where(known, half / np.where(known, error, 1.0), normal)
    heavy = quantile > normal * (1 + 1e-9)
    freedom = np.where(heavy, stdtridf(share, np.clip(np.where(heavy, quantile, 2 * normal), None, widest)), np.inf)
    return quantile, freedom


def _smallest_first(p: ArrayLike) -> tuple[Floats, NDArray[np.intp]]:
    given = as_floats(p)
    if bool(((given < 0) | (given > 1)).any()):
        raise ValueError("p-values must be between 0 and 1")
    tested = np.flatnonzero(~np.isnan(given))
    return given, tested[np.argsort(given[tested], kind="stable")]


def holm(p: ArrayLike, *, units: ArrayLike | None = None) -> Floats:
    """Adjust p-values by Holm's step-down method, which controls the familywise error rate.

    The smallest p is multiplied by the number of hypotheses, the next by one less, and so on; none is smaller than the
    one before it.

    Result: 0 to 1; nan if p is nan.
    Source: Holm (1979); Shaffer (1986) for dependent hypotheses.

    Parameters
    ----------
    p
        (n,): p-values; nan for hypotheses that were not tested, which do not count.
    units
        (n,): hypotheses with the same number count once, because they are true or false together, such as the
        differences of both groups of a column of two. By default, each counts.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]
    >>> holm([0.01, 0.02, 0.03], units=[0, 0, 1]).round(3).tolist()
    [0.02, 0.04, 0.04]
    """
    given, order = _smallest_first(p)
    names = np.arange(len(given)) if units is None else np.asarray(units)
    _, last = np.unique(names[order][::-1], return_index=True)  # reversed: the last position of each unit
    newest = np.zeros(len(order))
    newest[last] = 1
    found = np.full(len(given), np.nan)
    found[order] = np.maximum.accumulate(np.minimum(given[order] * np.cumsum(newest)[::-1], 1.0))
    return found


def benjamini_hochberg(p: ArrayLike) -> Floats:
    """Adjust p-values by Benjamini and Hochberg's method, which controls the false discovery rate.

    Of all findings with an adjusted p below .05, on average at most 5% are false.

    Result: 0 to 1; nan if p is nan, which does not count.
    Source: Benjamini and Hochberg (1995).

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    given, order = _smallest_first(p)
    scaled, found = given[order] * len(order) / np.arange(1, len(order) + 1), np.full(len(given), np.nan)
    found[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return found


class Homogeneity(NamedTuple):
    """Cochran's Q, its degrees of freedom, and p; nan, with a `reason`, for fewer than two estimates."""

    statistic: float
    freedom: int
    p: float
    reason: str = ""


def homogeneity(values: ArrayLike, errors: ArrayLike) -> Homogeneity:
    """Test whether independent estimates differ by more than their standard errors explain.

    ``Q = sum of (value - weighted mean)^2 / error^2``, chi-square distributed if nothing differs, with one degree of
    freedom less than estimates.

    Result: Q is 0 or more; nan, with a reason, for fewer than two estimates.
    Source: Cochran (1954).

    values, errors (k,): estimates and standard errors; estimates that are nan or without a positive error are excluded.

    >>> found = homogeneity([1.0, 3.0], [1.0, 1.0])
    >>> found.statistic, found.freedom, round(found.p, 4)
    (2.0, 1, 0.1573)
    """
    value, error = np.asarray(values, np.float64), np.asarray(errors, np.float64)
    if value.shape != error.shape or value.ndim != 1:
        raise ValueError(f"values {value.shape} and errors {error.shape} must be one-dimensional, of one length")
    kept = np.isfinite(value) & np.isfinite(error) & (error > 0)
    value, weight = value[kept], 1 / error[kept] ** 2
    if len(value) < 2:
        return Homogeneity(math.nan, 0, math.nan, "fewer than two estimates with a standard error")
    from scipy.special import chdtrc

    mean = float(weight @ value / weight.sum())
    statistic = float(weight @ (value - mean) ** 2)
    return Homogeneity(statistic, len(value) - 1, float(chdtrc(len(value) - 1, statistic)))


def largest_ratio(
    values: ArrayLike, errors: ArrayLike, n: ArrayLike, level: float = 0.95, *, independent: bool = True
) -> tuple[float, float, float] | None:
    """Compute the ratio of the largest to the smallest estimate, with simultaneous limits.

    The logarithms of all pairs have simultaneous Student limits (Bonferroni), with standard error
    ``sqrt(e_i^2 + e_j^2)``, where ``e`` is the standard error over the value. The limits of the largest ratio are the
    maximum of the pairs' lower limits and of their upper limits, at least 1.

    Result: 1 or more; None for fewer than two estimates. The value is biased upward, because the largest is chosen. The
    upper limit can be infinite for two or three observations.
    Source: Miller (1981), Simultaneous Statistical Inference, chapter 2 (Bonferroni).

    values, errors, n (k,): estimates, standard errors, and numbers of observations; estimates that are not above 0 or
        without a finite error are excluded.
    independent: whether the estimates are independent; if not, the standard error is ``e_i + e_j``, the maximum for any
        dependence.

    The limits for two estimates are 2 exp(-1.96 * .1) and 2 exp(1.96 * .1):

    >>> value, low, high = largest_ratio([2.0, 4.0], [0.12, 0.32], [10**6, 10**6])
    >>> round(value, 2), round(low, 3), round(high, 3)
    (2.0, 1.644, 2.433)
    """
    value, error, counted = (np.asarray(each, np.float64) for each in (values, errors, n))
    if not value.shape == error.shape == counted.shape or value.ndim != 1:
        raise ValueError(f"values {value.shape}, errors {error.shape} and n {counted.shape} must have the same length")
    kept = np.flatnonzero((value > 0) & np.isfinite(value) & np.isfinite(error) & (error >= 0) & (counted > 1))
    if len(kept) < 2:
        return None
    from scipy.special import stdtrit

    i, j = np.triu_indices(len(kept), 1)
    log, relative, degrees = np.log(value[kept]), error[kept] / value[kept], counted[kept] - 1
    gap = np.abs(log[i] - log[j])
    spread = np.sqrt(relative[i] ** 2 + relative[j] ** 2) if independent else relative[i] + relative[j]
    margin = stdtrit(np.minimum(degrees[i], degrees[j]), 1 - (1 - level) / (2 * len(i))) * spread
    with np.errstate(over="ignore"):  # the limit of two observations can overflow
        low, high = float(np.exp(max((gap - margin).max(), 0.0))), float(np.exp((gap + margin).max()))
    return float(np.exp(gap.max())), low, high


ROUNDS, CLOSE = 200, 1e-12


class Shrunken(NamedTuple):
    """Estimates that are shrunk toward their fitted values.

    Parameters
    ----------
    value, error
        Estimates and their standard errors, including the spread between groups.
    share
        Share of the distance to the fitted value that is removed, 0 to 1.
    spread
        SD of true differences about their fitted values.
    """

    value: Floats
    error: Floats
    share: Floats
    spread: float


def shrunken_differences(value: ArrayLike, standard_error: ArrayLike, *, design: ArrayLike | None = None) -> Shrunken:
    """Shrink differences of groups toward 0, or toward the fitted values of a linear model.

    The true differences are assumed to be normal about their fitted values. An estimate moves toward the fitted value
    by ``B = (K - r - 2) / (K - r) x se^2 / (se^2 + tau^2)``, most for small groups. This corrects the largest of many
    differences for its selection.

    Result: nan if K - r is below 3, because the spread cannot be estimated.
    Source: Morris (1983).

    Parameters
    ----------
    value, standard_error
        (K,): differences and their standard errors, all above 0.
    design
        (K, columns): predictors of the fitted values, with rank r, such as indicators of the parts of an intersection
        for main effects. By default, the fitted values are 0 and r = 0.

    Examples
    --------
    >>> found = shrunken_differences([0.20, -0.02, 0.03, -0.05, 0.01, -0.04], [0.08] * 6)
    >>> found.value.round(3).tolist()[:2], round(found.spread, 3)
    ([0.087, -0.009], 0.034)
    """
    y, v = as_floats(value), as_floats(standard_error) ** 2
    x = np.zeros((len(y), 0)) if design is None else np.asarray(design, np.float64)
    check_lengths({"values": y, "standard errors": v, "rows of the design": x})
    if not (v > 0).all():
        raise ValueError("standard errors must be above 0")
    rank = int(np.linalg.matrix_rank(x)) if x.size else 0
    left = len(y) - rank
    if left < 3:
        nothing = np.full(len(y), np.nan)
        return Shrunken(nothing, nothing, nothing, float("nan"))
    fitted, between = _between(y, v, x, left)
    share = (left - 2) / left * v / (v + between)
    weight = 1 / (v + between)
    typical = (weight @ v) / weight.sum()
    unsure = 2 / (left - 2) * share**2 * (typical + between) / (v + between)
    error = np.sqrt(v * (1 - left / len(y) * share) + unsure * (y - fitted) ** 2)
    return Shrunken(y - share * (y - fitted), error, share, float(np.sqrt(between)))


def _between(y: Floats, v: Floats, x: Floats, left: int) -> tuple[Floats, float]:
    """Estimate the fitted values and the variance of true differences about them, by iteration."""
    between = max(float(np.var(y) - v.mean()), 0.0)
    for _ in range(ROUNDS):
        weight = 1 / (v + between)
        root = np.sqrt(weight)
        fitted = x @ np.linalg.lstsq(x * root[:, None], y * root, rcond=None)[0] if x.size else np.zeros_like(y)
        found = max(float(weight @ (len(y) / left * (y - fitted) ** 2 - v) / weight.sum()), 0.0)
        if abs(found - between) <= CLOSE * max(between, CLOSE):
            break
        between = found
    return fitted, between
