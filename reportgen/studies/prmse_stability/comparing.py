"""A system beside ratings, many columns at once: the sums, and the metrics that need one reference score."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.metrics import pair
from reportgen.studies.prmse_stability.simulation import Floats
from reportgen.tally import PairSums, RatingSums

METRICS = ("r", "qwk", "r_squared", "degradation", "prmse")
"""What is compared, by their names in the catalogue; degradation is of the correlation."""


def pair_sums(x: Floats, y: Floats) -> PairSums:
    """Return the sums of the columns of x and y, (n, k) or (n, 1) each."""
    centre = float(np.rint(x.mean()))
    x, y = np.broadcast_arrays(x - centre, y - centre)
    n = np.full(x.shape[1], float(len(x)))
    unused = np.full(x.shape[1], np.nan)
    sums = (x.sum(axis=0), y.sum(axis=0), (x * x).sum(axis=0), (y * y).sum(axis=0), (x * y).sum(axis=0))
    return PairSums(centre, n, *sums, unused, unused, unused)


def rating_sums(system: Floats, first: Floats, second: Floats, double: NDArray[np.bool_]) -> RatingSums:
    """Return the sums of columns of two ratings each, the second only where a response is double-scored.

    Parameters
    ----------
    system
        (n, 1): system scores.
    first, second
        (n, k): ratings.
    double
        (n, k) or (n, 1).
    """
    centre = float(np.rint(first.mean()))
    x, y, s = first - centre, second - centre, system - centre
    mean = np.where(double, (x + y) / 2, x)
    c = np.broadcast_to(1.0 + double, mean.shape)
    weighted = c * mean
    within = (np.where(double, x - y, 0.0) ** 2).sum(axis=0) / 2
    n, twice = np.full(mean.shape[1], float(len(mean))), np.broadcast_to(double.sum(axis=0) * 1.0, mean.shape[1])
    return RatingSums(
        centre, n, twice, c.sum(axis=0), (c * c).sum(axis=0), weighted.sum(axis=0), (weighted * mean).sum(axis=0),
        (weighted * s).sum(axis=0), (c * s).sum(axis=0), (c * s * s).sum(axis=0), within, twice,
        np.broadcast_to(s.sum(axis=0), n.shape), np.broadcast_to((s * s).sum(axis=0), n.shape),
    )  # fmt: skip


def against(reference: Floats, system: Floats, human: Floats | None) -> dict[str, Floats]:
    """Return the metrics that need one reference score per response; degradation beside the raters' own r."""
    sums = pair_sums(reference, system)
    r = pair.pearson_r(sums)
    found = {"r": r, "qwk": pair.quadratic_weighted_kappa(sums), "r_squared": pair.r_squared(sums)}
    return found if human is None else found | {"degradation": human - r}
