"""Putting one calibration on the scale of another, by their common items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reportgen.item_response.model import Floats, Item, expected_scores

POINTS, REACH = 41, 4.0


@dataclass(frozen=True)
class Link:
    """``ability on the base scale = slope * ability + intercept``.

    Parameters
    ----------
    slope, intercept
        Of the line.
    loss
        Weighted squared distance of the two characteristic curves that is left.
    """

    slope: float
    intercept: float
    loss: float


def stocking_lord(new: Sequence[Item], base: Sequence[Item]) -> Link:
    """Return the line that brings the characteristic curve of common items nearest to the base's.

    Parameters
    ----------
    new, base
        The same items in the same order, in both calibrations.

    Raises
    ------
    ValueError
        When there is no common item, or they differ in their number of scores.

    References
    ----------
    Stocking and Lord (1983); the sum runs over abilities with the weights of a standard normal distribution.

    Examples
    --------
    >>> base = [Item(1.0, (0.2,)), Item(0.7, (-1.0, 0.8))]
    >>> new = [item.on_scale(1 / 1.3, -0.5 / 1.3) for item in base]
    >>> link = stocking_lord(new, base)
    >>> round(link.slope, 4), round(link.intercept, 4)
    (1.3, 0.5)
    """
    from scipy.optimize import minimize

    if not new or len(new) != len(base):
        raise ValueError(f"linking needs the same items in both calibrations; found {len(new)} and {len(base)}")
    if [item.most for item in new] != [item.most for item in base]:
        raise ValueError("linking needs items with the same number of scores in both calibrations")
    ability = np.linspace(-REACH, REACH, POINTS)
    weight = np.exp(-(ability**2) / 2)
    own = expected_scores(new, ability)

    def loss(line: Floats) -> float:
        there = expected_scores(base, line[0] * ability + line[1])
        return float((weight * (own - there) ** 2).sum())

    found = minimize(
        loss, _first_guess(new, base), method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-12, "maxiter": 2000}
    )
    return Link(float(found.x[0]), float(found.x[1]), float(found.fun))


def _first_guess(new: Sequence[Item], base: Sequence[Item]) -> Floats:
    """Return the line by mean slope and mean step (Marco 1977; Loyd and Hoover 1980)."""
    slope = np.mean([item.slope for item in new]) / np.mean([item.slope for item in base])
    steps = [np.concatenate([item.steps for item in items]).mean() for items in (new, base)]
    return np.array([slope, steps[1] - slope * steps[0]])
