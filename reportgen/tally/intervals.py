"""Standard errors of any statistic that is a smooth function of the sums: the infinitesimal jackknife.

A statistic f of sums S changes by ``df/dS . phi_i`` when response i weighs a little more; the sum of
the squares of these influences over responses is its sampling variance (Jaeckel 1972; Efron 1982,
chapter 6).  Whole responses are the unit, so quantities estimated on the way, such as rater error
variance, carry their own uncertainty along.  Derivatives are taken by a complex step (Squire and
Trapp 1998): exact to rounding, with no step size to choose.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from reportgen.tally.cells import Floats
from reportgen.tally.features import Moments, Sums

STEP = 1e-30

Statistics = Callable[[Sums, Sums], Mapping[str, Floats]]
"""(sums of each slice, sums of the whole set) -> statistic by name, each one entry per slice."""


@dataclass(frozen=True)
class Influence:
    """Derivative of one statistic with respect to the sums.

    `own` (levels, features) by the slice's sums, `whole` (levels, features) by those of the whole
    set, which matter for statistics that standardize by it.
    """

    own: Floats
    whole: Floats


def derivatives(statistics: Statistics, slices: Moments, whole: Moments) -> dict[str, Influence]:
    """Return every statistic's derivative with respect to every sum, for all slices at once.

    Parameters
    ----------
    statistics
        Must work on complex arrays and be smooth: sums, products, quotients, square roots.
    slices, whole
        Moments of the slices and of the whole set (one level).
    """
    own = _steps(slices.sums)
    every = _steps(np.broadcast_to(whole.sums, slices.sums.shape))
    here, all_ = Sums.of(slices.sums, slices.centre), Sums.of(whole.sums, whole.centre)
    with np.errstate(all="ignore"):
        by_own = statistics(Sums.of(own, slices.centre), all_)
        by_whole = statistics(here, Sums.of(every, whole.centre))
    return {
        name: Influence(_slope(by_own[name], slices.sums.shape), _slope(by_whole[name], slices.sums.shape))
        for name in by_own
    }


def _steps(sums: Floats) -> Floats:
    """Return (features, levels, features): the sums with an imaginary step in each feature in turn."""
    size = sums.shape[-1]
    stepped = np.repeat(sums[None].astype(np.complex128), size, axis=0)
    for feature in range(size):
        stepped[feature, :, feature] += 1j * STEP
    return stepped  # type: ignore[return-value]


def _slope(value: Floats, shape: tuple[int, ...]) -> Floats:
    """Return (levels, features) derivatives; a statistic that the step did not reach has slope zero."""
    slope = np.imag(value) / STEP
    if slope.ndim < 2:
        return np.zeros(shape)
    return np.broadcast_to(slope, (shape[-1], shape[0])).T


def standard_errors(influence: Influence, slices: Moments, whole: Moments, units: Floats) -> Floats:
    """Return the standard error of a statistic in every slice.

    A unit moves it through the whole set (slope w) and through its part in the slice (slope o): the
    sum of squares is ``w'V w + 2 w'X o + o'V_l o``, with V and V_l the products of the whole set and
    of the slice, and X those of a whole unit and its part.

    Parameters
    ----------
    units
        (levels,): number of units the statistic rests on; the variance gets ``n / (n - 1)``.
    """
    every = np.broadcast_to(whole.products, slices.products.shape)
    variance = (
        _form(influence.whole, every, influence.whole)
        + 2 * _form(influence.whole, slices.cross, influence.own)
        + _form(influence.own, slices.products, influence.own)
    )
    with np.errstate(all="ignore"):
        corrected = np.maximum(variance, 0.0) * units / (units - 1)
        return np.where(units > 1, np.sqrt(corrected), np.nan)


def _form(left: Floats, products: Floats, right: Floats) -> Floats:
    """Return left' products right for every level."""
    form: Floats = np.einsum("lf,lfg,lg->l", left, products, right)
    return form


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
        "none", "fisher" (atanh x), "log" (log x), "log1m" (log(1 - x)), or "wilson": the score interval
        of a percentage (Wilson 1927), which needs `trials` and no standard error.
    level
        Such as 0.95.

    Returns
    -------
    tuple of numpy.ndarray
        Lower and upper ends; nan where the value or its error is undefined, or the error is 0 but for
        rounding (a sample without any variation says nothing about its uncertainty).
    """
    from scipy.special import stdtrit

    with np.errstate(all="ignore"):
        t = np.where(freedom > 0, stdtrit(np.maximum(freedom, 1.0), (1 + level) / 2), np.nan)
        if transform == "wilson" and trials is not None:
            return _wilson(value, trials, t)
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
        return value - t * error, value + t * error


def _wilson(percent: Floats, trials: Floats, t: Floats) -> tuple[Floats, Floats]:
    """Return Wilson's score interval of a percentage of `trials` responses."""
    share, spread = percent / 100, t**2 / trials
    middle = (share + spread / 2) / (1 + spread)
    half = np.sqrt(spread * (share * (1 - share) + spread / 4)) / (1 + spread)
    defined = trials > 0
    return np.where(defined, 100 * (middle - half), np.nan), np.where(defined, 100 * (middle + half), np.nan)
