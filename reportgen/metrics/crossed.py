"""Responses crossed with raters, gaps allowed: variance components as formulas on sums.

A rating is response effect + rater severity + rest.  Severities are fitted within responses, so that
which responses get a further rating says nothing about them, and sums of squares are set equal to
their expectations (Henderson's method 3, fitting constants).  Formulas take many slices at once and
keep complex sums complex, because intervals differentiate them by a complex step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.metrics.mean_squares import share_of_whole
from reportgen.metrics.pair import ratio
from reportgen.tally.sums import Floats


@dataclass(frozen=True)
class CrossedSums:
    """Sums over responses i with c_i ratings x' (from any fixed centre) by k raters.

    Parameters
    ----------
    n
        (...): responses with a rating.
    cc
        (...): sum of c^2.
    between
        (...): sum of (sum of x')^2 / c.
    squares
        (...): sum of x'^2.
    count, total
        (..., k): ratings of each rater, and the sum of their x'.
    shared
        (..., k, k): sum of 1 / c over the responses that both raters rated.
    deviation
        (..., k): sum of the rater's x' less its response's mean.
    """

    n: Floats
    cc: Floats
    between: Floats
    squares: Floats
    count: Floats
    total: Floats
    shared: Floats
    deviation: Floats


@dataclass(frozen=True)
class Components:
    """Variances of responses, of raters' severity and of the rest, and each rater's severity (mean 0), per slice."""

    person: Floats
    rater: Floats
    residual: Floats
    severity: Floats


def crossed_sums(ratings: Floats, weight: Floats | None = None) -> CrossedSums:
    """Return the sums of (n, k) ratings, NaN where there is none; every response and rater has one.

    `weight` (n,) counts a row more than once; left out, once.
    """
    weight = np.ones(len(ratings)) if weight is None else weight
    present = ~np.isnan(ratings)
    x = np.where(present, ratings - np.nanmean(ratings), 0.0)
    c = present.sum(axis=1)
    mean = x.sum(axis=1) / c
    return CrossedSums(
        n=np.asarray(weight.sum()),
        cc=np.asarray(weight @ c**2),
        between=np.asarray(weight @ (c * mean**2)),
        squares=np.asarray(weight @ (x**2).sum(axis=1)),
        count=weight @ present,
        total=weight @ x,
        shared=(present * (weight / c)[:, None]).T @ present,
        deviation=weight @ (present * (x - mean[:, None])),
    )


def linked(shared: Floats) -> bool:
    """Return whether raters are linked through shared responses, directly or through others; `shared` is (k, k)."""
    reached = np.zeros(len(shared), bool)
    reached[0] = True
    for _ in range(len(shared)):
        grown = reached | (shared[reached] > 0).any(axis=0)
        if (grown == reached).all():
            break
        reached = grown
    return bool(reached.all())


def components(sums: CrossedSums) -> Components:
    """Return the variance components of linked raters; unbiased and not cut at 0, nan without spare ratings."""
    raters = sums.count.shape[-1]
    ratings = sums.count.sum(axis=-1)
    matrix = np.eye(raters) * sums.count[..., None, :] - sums.shared
    # severities are relative: their mean is set to 0, on the scale of the equations
    anchored = matrix + np.real(ratings)[..., None, None] / raters**2
    severity = np.linalg.solve(anchored, sums.deviation[..., None])[..., 0]
    explained = (severity * sums.deviation).sum(axis=-1)
    freedom = ratings - sums.n - (raters - 1)
    residual = ratio(sums.squares - sums.between - explained, freedom)
    rater = ratio(explained - (raters - 1) * residual, np.trace(matrix, axis1=-2, axis2=-1))
    spread = sums.between - ratio(sums.total.sum(axis=-1) ** 2, ratings)
    by_rater = sums.n - ratio((sums.count**2).sum(axis=-1), ratings)
    person = ratio(spread - by_rater * rater - (sums.n - 1) * residual, ratings - ratio(sums.cc, ratings))
    return Components(person, rater, residual, severity)


def generalizability_coefficient(found: Components, raters: int) -> Floats:
    """Return E rho^2: reliability of the mean of `raters` ratings by the same raters, which ranks responses."""
    return share_of_whole(found.person, found.person + found.residual / raters)


def dependability_index(found: Components, raters: int) -> Floats:
    """Return Phi: reliability of the mean of `raters` ratings by whichever raters, taken at face value."""
    return share_of_whole(found.person, found.person + (found.rater + found.residual) / raters)
