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

ROUNDING = 1e-7
"""Influences that cancel to less than this share of their parts are the rounding of those parts, not a spread."""

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
    """Return the standard error of a statistic in every slice; 0 where only rounding is left of it.

    Parameters
    ----------
    units
        (levels,): number of units the statistic rests on; the variance gets ``n / (n - 1)``.
    """
    variance = covariances(influence, influence, slices, whole, units)
    parts = _parts(influence.own, slices.products)
    if influence.whole.any():
        parts += _parts(influence.whole, whole.products)
    with np.errstate(all="ignore"):
        error = np.where(variance > (ROUNDING * parts) ** 2, np.sqrt(np.maximum(variance, 0.0)), 0.0)
        return np.where((units > 1) & ~np.isnan(variance), error, np.nan)


def _parts(slope: Floats, products: Floats) -> Floats:
    """Return for every level what the standard error would be at most if no feature made up for another."""
    spread = np.sqrt(np.maximum(np.einsum("lff->lf", products), 0.0))
    parts: Floats = (np.abs(slope) * spread).sum(axis=1)
    return parts


def covariances(one: Influence, other: Influence, slices: Moments, whole: Moments, units: Floats) -> Floats:
    """Return the sampling covariance of two statistics in every slice; of one with itself, its variance.

    A unit moves a statistic through the whole set (slope w) and through its part in the slice (slope o):
    the sum of products is ``w'V w + w'X o + o'X'w + o'V_l o``, with V and V_l the products of the whole
    set and of the slice, and X those of a whole unit and its part.

    Parameters
    ----------
    units
        (levels,): number of units the statistics rest on; the covariance gets ``n / (n - 1)``.
    """
    total = _form(one.own, slices.products, other.own)
    if one.whole.any() or other.whole.any():  # few statistics standardize by the whole set; slices may be thousands
        total += ((one.whole @ whole.products[0]) * other.whole).sum(axis=1)
        total += _form(one.whole, slices.cross, other.own) + _form(other.whole, slices.cross, one.own)
    with np.errstate(all="ignore"):
        return np.where(units > 1, total * units / (units - 1), np.nan)


def _form(left: Floats, products: Floats, right: Floats) -> Floats:
    """Return left' products right for every level."""
    form: Floats = np.einsum("lf,lfg,lg->l", left, products, right)
    return form
