"""Do two raters score alike: means, variances, and agreement with a third score, on the same responses.

These are the conditions under which rater errors may be taken as exchangeable, as PRMSE does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reportgen.metrics._arrays import as_pairs, as_scores
from reportgen.tally.sums import Floats


@dataclass(frozen=True)
class PairedTest:
    """A paired comparison.

    Parameters
    ----------
    value
        The difference or ratio; nan when undefined, and then `reason` says why.
    low, high
        Interval of the level asked for; nan where there is none.
    statistic, freedom, p
        Student's t against no difference, its degrees of freedom, and the two-sided p.
    n
        Responses with all scores.
    reason
        Why something is nan; empty otherwise.
    """

    value: float
    low: float
    high: float
    statistic: float
    freedom: int
    p: float
    n: int
    reason: str = ""


def paired_mean_difference(first: ArrayLike, second: ArrayLike, *, level: float = 0.95) -> PairedTest:
    """Return mean second - mean first on the responses with both scores.

    Parameters
    ----------
    first, second
        (n,): scores, NaN where missing.
    level
        Coverage of the interval, between 0 and 1.

    Returns
    -------
    PairedTest
        In score points; without an interval for fewer than two responses, or when all differ by the same.

    Raises
    ------
    ValueError
        When lengths differ, a score is infinite, or `level` is not between 0 and 1.

    References
    ----------
    Student (1908).

    Examples
    --------
    Student's ten patients, two drugs (published mean difference 1.58, t 4.06):

    >>> one = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
    >>> two = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
    >>> found = paired_mean_difference(one, two)
    >>> round(found.value, 2), round(found.statistic, 2), round(found.p, 4)
    (1.58, 4.06, 0.0028)
    """
    x, y = as_pairs(first, second)
    n, gap = len(x), y - x
    if n == 0:
        return _undefined(0, "no response has both scores")
    value = float(gap.mean())
    if n < 2 or np.ptp(gap) == 0:
        return PairedTest(value, math.nan, math.nan, math.nan, max(n - 1, 0), math.nan, n, _STILL)
    error = float(gap.std(ddof=1)) / math.sqrt(n)
    return _by_t(value, error, n - 1, n, level)


def pitman_morgan(first: ArrayLike, second: ArrayLike, *, level: float = 0.95) -> PairedTest:
    """Return SD second / SD first on the responses with both scores, with Pitman and Morgan's test.

    Sum and difference of two scores are uncorrelated when their variances are equal:
    ``t = r(sum, difference) root((n - 2) / (1 - r^2))``.  The interval holds the ratios that the test
    does not reject.  Both suppose normal scores.

    Parameters
    ----------
    first, second, level
        As in `paired_mean_difference`.

    Returns
    -------
    PairedTest
        Above 1 where the second score spreads wider; nan, with a reason, for fewer than three responses
        or a constant score, without a test where one score is a line of the other.

    Raises
    ------
    ValueError
        As in `paired_mean_difference`.

    References
    ----------
    Pitman (1939); Morgan (1939).

    Examples
    --------
    Worked by hand: the sums 2, 4, 6, 8 and differences 0, 2, 0, 2 correlate by 1 / root 5, t = 1 / root 2.

    >>> found = pitman_morgan([1, 1, 3, 3], [1, 3, 3, 5])
    >>> round(found.value**2, 3), round(found.statistic * 2**0.5, 10)
    (2.0, 1.0)
    """
    x, y = as_pairs(first, second)
    n = len(x)
    if n < 3:
        return _undefined(n, "fewer than three responses have both scores")
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return _undefined(n, "a score is the same for every response")
    ratio = float(y.std() / x.std())
    free = max(1 - float(np.corrcoef(x, y)[0, 1]) ** 2, 0.0)
    if free < 1e-14:
        nan = math.nan
        return PairedTest(ratio, nan, nan, nan, n - 2, nan, n, "one score is a straight line of the other")
    # in terms of the ratio w and r: t = (w - 1/w) root(n - 2) / (2 root(1 - r^2))
    statistic = (ratio - 1 / ratio) * math.sqrt((n - 2) / free) / 2
    reach = _t_quantile(n - 2, level) * math.sqrt(free / (n - 2))
    factor = reach + math.sqrt(1 + reach**2)
    return PairedTest(ratio, ratio / factor, ratio * factor, statistic, n - 2, _two_sided(statistic, n - 2), n)


def correlation_difference(
    target: ArrayLike, first: ArrayLike, second: ArrayLike, *, level: float = 0.95
) -> PairedTest:
    """Return r(target, second) - r(target, first) on the responses with all three scores.

    The standard error is the infinitesimal jackknife's: no distribution is supposed, and that all three
    correlations are of the same responses is accounted for.

    Parameters
    ----------
    target, first, second
        (n,): scores, NaN where missing; for instance the system and two raters.
    level
        Coverage of the interval, between 0 and 1.

    Returns
    -------
    PairedTest
        Between -2 and 2; nan, with a reason, for fewer than three responses or a constant score.

    Raises
    ------
    ValueError
        As in `paired_mean_difference`.

    References
    ----------
    Jaeckel (1972); Efron (1982, chapter 6).

    Examples
    --------
    >>> found = correlation_difference([1, 2, 3, 4], [1, 2, 3, 4], [1, 3, 2, 4])
    >>> round(found.value, 10)
    -0.2
    """
    scores = [as_scores(each, name) for each, name in ((target, "target"), (first, "first"), (second, "second"))]
    if len({len(each) for each in scores}) > 1:
        raise ValueError(f"scores must have the same length; found {[len(each) for each in scores]}")
    table = np.column_stack(scores)
    table = table[~np.isnan(table).any(axis=1)]
    n = len(table)
    if n < 3:
        return _undefined(n, "fewer than three responses have all scores")
    if (np.ptp(table, axis=0) == 0).any():
        return _undefined(n, "a score is the same for every response")
    z = (table - table.mean(axis=0)) / table.std(axis=0)
    values, influences = zip(*(_correlation_influence(z[:, 0], z[:, rater]) for rater in (1, 2)), strict=True)
    value, influence = values[1] - values[0], influences[1] - influences[0]
    error = math.sqrt(float(influence @ influence) / (n * (n - 1)))
    if error < 1e-12:
        return PairedTest(value, math.nan, math.nan, math.nan, n - 1, math.nan, n, _STILL)
    return _by_t(value, error, n - 1, n, level)


_STILL = "the differences do not vary, which says nothing about their uncertainty"


def _correlation_influence(x: Floats, y: Floats) -> tuple[float, Floats]:
    """Return the correlation of standardized scores, and each response's influence on it."""
    r = float(x @ y) / len(x)
    return r, x * y - r * (x**2 + y**2) / 2


def _by_t(value: float, error: float, freedom: int, n: int, level: float) -> PairedTest:
    margin = _t_quantile(freedom, level) * error
    statistic = value / error
    return PairedTest(value, value - margin, value + margin, statistic, freedom, _two_sided(statistic, freedom), n)


def _t_quantile(freedom: int, level: float) -> float:
    """Return the half-width of an interval in standard errors."""
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1; found {level}")
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2))


def _two_sided(statistic: float, freedom: int) -> float:
    from scipy.special import stdtr

    return float(2 * stdtr(freedom, -abs(statistic)))


def _undefined(n: int, reason: str) -> PairedTest:
    nan = math.nan
    return PairedTest(nan, nan, nan, nan, max(n - 1, 0), nan, n, reason)
