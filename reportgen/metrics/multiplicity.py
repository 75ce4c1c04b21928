"""Many groups looked at together: p-values from intervals, adjusted for how many there are.

Of twenty fair groups one lies apart from the others at 5 %.  Holm (1979) keeps the chance that *any* fair group is
said to differ; Benjamini and Hochberg (1995) keep the share of fair groups among those that are listed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from reportgen.metrics._arrays import as_floats
from reportgen.tally.sums import Floats


def tail_probability(
    value: ArrayLike, end: ArrayLike, bound: ArrayLike, standard_error: ArrayLike, level: float = 0.95
) -> Floats:
    """Return the one-sided p of a statistic beyond a bound, from the end of its interval nearest to the bound.

    The distance of that end in standard errors is the quantile that made the interval, and the degrees of freedom
    of Student's t follow from it. So p is below ``(1 - level) / 2`` just where the interval leaves the bound out.

    Parameters
    ----------
    value, end
        Estimates, and the ends of their intervals on the side of the bound.
    bound
        The farthest value that the parameter may have.
    standard_error
        Of the estimates; where it is nan or 0 the normal distribution is taken.
    level
        Of the intervals.

    Returns
    -------
    numpy.ndarray
        0 to 1; 1 where the value does not lie beyond the bound, nan where there is no interval.

    Examples
    --------
    An interval of the normal distribution that ends right at the bound has p = .025:

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
    """Return an end of an interval moved outward, so that all of `among` intervals hold together.

    Bonferroni's quantile takes the place of that of one interval, with the same degrees of freedom.

    Parameters
    ----------
    value, end, standard_error, level
        As for `tail_probability`.
    among
        How many intervals there are, 1 or more.

    Returns
    -------
    numpy.ndarray
        The end itself among 1; nan where there is no interval.

    References
    ----------
    Dunn (1961).

    Examples
    --------
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
    """Return the quantile that made an interval, and its degrees of freedom; infinite for the normal distribution."""
    from scipy.special import ndtri, stdtridf, stdtrit

    share = (1 + level) / 2
    normal, widest = float(ndtri(share)), float(stdtrit(1.0, share))
    known = np.isfinite(error) & (error > 0)
    quantile = np.where(known, half / np.where(known, error, 1.0), normal)
    heavy = quantile > normal * (1 + 1e-9)
    freedom = np.where(heavy, stdtridf(share, np.clip(np.where(heavy, quantile, 2 * normal), None, widest)), np.inf)
    return quantile, freedom


def _p_values(p: ArrayLike) -> Floats:
    """Return p-values as numbers; raise for what is none."""
    given = as_floats(p)
    if bool(((given < 0) | (given > 1)).any()):
        raise ValueError("a p-value lies between 0 and 1.")
    return given


def holm(p: ArrayLike, *, units: ArrayLike | None = None) -> Floats:
    """Return p-values adjusted by Holm's step-down method: the chance that any true hypothesis is rejected is kept.

    The smallest p is multiplied by the number of hypotheses, the next by one less, and so on; none falls below the
    one before it.

    Parameters
    ----------
    p
        (n,): p-values; nan where nothing was tested, which does not count.
    units
        (n,): hypotheses with the same number cannot be rejected wrongly one without the other, such as both groups
        of a column of two, whose differences mirror each other; they count once. Every one counts when left out.

    Returns
    -------
    numpy.ndarray
        0 to 1, nan where p is nan.

    Raises
    ------
    ValueError
        When a p-value is below 0 or above 1.

    References
    ----------
    Holm (1979); Shaffer (1986) for hypotheses that hold together.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]
    >>> holm([0.01, 0.02, 0.03], units=[0, 0, 1]).round(3).tolist()
    [0.02, 0.04, 0.04]
    """
    given = _p_values(p)
    names = np.arange(len(given)) if units is None else np.asarray(units)
    found, tested = np.full(len(given), np.nan), np.flatnonzero(~np.isnan(given))
    order = tested[np.argsort(given[tested], kind="stable")]
    _, last = np.unique(names[order][::-1], return_index=True)  # from the end: where each unit is met for the last time
    newest = np.zeros(len(order))
    newest[last] = 1
    found[order] = np.maximum.accumulate(np.minimum(given[order] * np.cumsum(newest)[::-1], 1.0))
    return found


def benjamini_hochberg(p: ArrayLike) -> Floats:
    """Return p-values adjusted by Benjamini and Hochberg's step-up method: the share of false findings is kept.

    Of all that lie below .05 after it, 5 % on average are findings where nothing differs, at most.

    Parameters
    ----------
    p
        (n,): p-values; nan where nothing was tested, which does not count.

    Returns
    -------
    numpy.ndarray
        0 to 1, nan where p is nan.

    Raises
    ------
    ValueError
        When a p-value is below 0 or above 1.

    References
    ----------
    Benjamini and Hochberg (1995).

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    given = _p_values(p)
    found, tested = np.full(len(given), np.nan), np.flatnonzero(~np.isnan(given))
    order = tested[np.argsort(given[tested], kind="stable")]
    scaled = given[order] * len(order) / np.arange(1, len(order) + 1)
    found[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return found
