"""Intervals from estimates and standard errors: on the scale where each statistic is symmetric.

Student's t serves most statistics after a transform; a percentage has Wilson's score interval, and a
ratio whose denominator is badly known has Fieller's.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from reportgen.tally.cells import Floats

FEW, FEW_OF_MANY, MANY = 2, 3, 50
"""Responses on the rarer side of a percentage that call for the Poisson correction; of more than MANY, one more
(Brown, Cai and DasGupta 2001)."""


def quantiles(freedom: Floats, level: float) -> Floats:
    """Return the quantile of Student's t that bounds a two-sided interval; nan without a degree of freedom."""
    given = np.asarray(freedom, np.float64)
    return _known_quantiles(given.tobytes(), level).reshape(given.shape)


@lru_cache(maxsize=16)
def _known_quantiles(freedom: bytes, level: float) -> Floats:
    """Return the quantiles; many statistics of the same slices have the same degrees of freedom."""
    from scipy.special import stdtrit

    given = np.frombuffer(freedom)
    found = np.where(given > 0, stdtrit(np.maximum(given, 1.0), (1 + level) / 2), np.nan)
    found.flags.writeable = False
    return found


def on_scale(value: Floats, transform: str) -> Floats:
    """Return a statistic on the scale where it is symmetric, which `limits` names; "wilson" has none of its own.

    Examples
    --------
    >>> on_scale(np.array([0.5]), "log1m").round(4).tolist()
    [-0.6931]
    """
    if transform == "fisher":
        return np.arctanh(value)
    if transform == "log":
        return np.log(value)
    if transform == "log1m":
        return np.log(1 - value)
    return np.log(value / (1 - value)) if transform == "logit" else value


def slope_of_scale(value: Floats, transform: str) -> Floats:
    """Return how far a statistic moves, up or down, when it moves by 1 on the scale where it is symmetric.

    Examples
    --------
    >>> slope_of_scale(np.array([0.5]), "fisher").tolist()
    [0.75]
    """
    if transform == "fisher":
        return 1 - value**2
    if transform == "log":
        return np.abs(value)
    if transform == "log1m":
        return np.abs(1 - value)
    return value * (1 - value) if transform == "logit" else np.ones_like(value)


def limits(
    value: Floats, error: Floats, freedom: Floats, transform: str, level: float, trials: Floats | None = None
) -> tuple[Floats, Floats]:
    """Return the ends of the interval of every slice: Student's t on the scale where the statistic is symmetric.

    Parameters
    ----------
    value, error
        Estimates and their standard errors.
    freedom
        Degrees of freedom: responses the statistic rests on, less one.
    transform
        "none", "fisher" (atanh x), "log" (log x), "log1m" (log(1 - x)), "logit" (log(x / (1 - x))), or "wilson": the
        score interval of a percentage (Wilson 1927), which needs `trials` and no standard error.
    level
        Such as 0.95.

    Returns
    -------
    tuple of numpy.ndarray
        Lower and upper ends; nan where the value or its error is undefined, or the error is 0 but for
        rounding (a sample without any variation says nothing about its uncertainty).
    """
    with np.errstate(all="ignore"):
        t = quantiles(freedom, level)
        if transform == "wilson" and trials is not None:
            return _wilson(value, trials, t, level)
        # an error of a billionth of the value is the rounding of a perfect fit, not an uncertainty
        error = np.where(error > 1e-7 * np.abs(value), error, np.nan)
        if transform == "fisher":
            centre, half = np.arctanh(value), t * error / (1 - value**2)
            return np.tanh(centre - half), np.tanh(centre + half)
        if transform == "log":
            factor = np.exp(t * error / value)
            return value / factor, value * factor
        if transform == "log1m":
            factor = np.exp(t * error / (1 - value))
            return 1 - (1 - value) * factor, 1 - (1 - value) / factor
        if transform == "logit":
            odds, factor = value / (1 - value), np.exp(t * error / (value * (1 - value)))
            return 1 - 1 / (1 + odds / factor), 1 - 1 / (1 + odds * factor)
        return value - t * error, value + t * error


def _wilson(percent: Floats, trials: Floats, t: Floats, level: float) -> tuple[Floats, Floats]:
    """Return Wilson's score interval of a percentage of `trials` responses.

    Where one to three responses are on the rarer side, the end on that side is too far from 0 (or
    100); there it is that of a Poisson count (Brown, Cai and DasGupta 2001).
    """
    share = percent / 100
    low, high = score_interval(share, trials, t)
    few, many = _few(share * trials, trials), _few((1 - share) * trials, trials)
    low[few] = _rare((share * trials)[few], trials[few], level)
    high[many] = 1 - _rare(((1 - share) * trials)[many], trials[many], level)
    defined = trials > 0
    return np.where(defined, 100 * low, np.nan), np.where(defined, 100 * high, np.nan)


def score_interval(share: Floats, trials: Floats, t: Floats) -> tuple[Floats, Floats]:
    """Return Wilson's (1927) score interval of a share, 0 to 1, of `trials` responses, t the quantile of its level.

    Examples
    --------
    >>> [round(float(end[0]), 4) for end in score_interval(np.array([0.9]), np.array([50.0]), np.array([1.96]))]
    [0.7864, 0.9565]
    """
    spread = t**2 / trials
    middle = (share + spread / 2) / (1 + spread)
    half = np.sqrt(spread * (share * (1 - share) + spread / 4)) / (1 + spread)
    return middle - half, middle + half


def _few(count: Floats, trials: Floats) -> NDArray[np.bool_]:
    """Return whether a count is at least one and no more than a few, but for rounding."""
    count = np.round(count, 9)  # expected counts may lie right at a bound
    return (count > 0.5) & (count < np.where(trials > MANY, FEW_OF_MANY, FEW) + 0.5)


def _rare(count: Floats, trials: Floats, level: float) -> Floats:
    """Return the share at which a Poisson count reaches `count` with probability 1 - level."""
    from scipy.special import gammaincinv

    return gammaincinv(np.maximum(count, 0.5), 1 - level) / trials


def fieller(
    top: Floats, bottom: Floats, variances: tuple[Floats, Floats, Floats], freedom: Floats, level: float
) -> tuple[Floats, Floats]:
    """Return the ends of Fieller's interval of the ratio top / bottom (Fieller 1954).

    All ratios q at which ``top - q bottom`` does not differ from 0: it holds where the denominator is
    so badly known that the ratio's own standard error means little.

    Parameters
    ----------
    top, bottom
        Estimates.
    variances
        Sampling variance of `top`, of `bottom`, and their covariance.
    freedom, level
        As for `limits`.

    Returns
    -------
    tuple of numpy.ndarray
        nan where the set is not an interval, because the denominator does not differ from 0.

    Examples
    --------
    >>> one = np.ones(1)
    >>> ends = fieller(3 * one, 2 * one, (0.04 * one, 0.01 * one, 0 * one), 1e6 * one, 0.95)
    >>> [round(float(end[0]), 4) for end in ends]
    [1.2679, 1.7612]
    >>> fieller(one, one, (one, one, 0 * one), 1e6 * one, 0.95)
    (array([nan]), array([nan]))
    """
    of_top, of_bottom, together = variances
    with np.errstate(all="ignore"):
        t2 = quantiles(freedom, level) ** 2
        square = bottom**2 - t2 * of_bottom
        middle = top * bottom - t2 * together
        root = np.sqrt(middle**2 - square * (top**2 - t2 * of_top))
        bounded = square > 0
        return (
            np.where(bounded, (middle - root) / square, np.nan),
            np.where(bounded, (middle + root) / square, np.nan),
        )
