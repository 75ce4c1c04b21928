"""From summed scores to abilities by the test characteristic curve, and their standard error."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from reportgen.item_response.model import Floats, Item, score_moments

GRID = 4001


def characteristic_curve_abilities(items: Sequence[Item], totals: ArrayLike, low: float, high: float) -> Floats:
    """Return the abilities at which the expected summed score is the one observed.

    Parameters
    ----------
    totals
        Summed scores.
    low, high
        Lowest and highest ability that is reported; totals of 0 and of the maximum, which have no finite
        ability, get these.

    Raises
    ------
    ValueError
        When `low` is not below `high`.

    References
    ----------
    Lord (1980), section 4.9.

    Examples
    --------
    >>> items = [Item(1.0, (-0.5,)), Item(1.0, (0.5,))]
    >>> characteristic_curve_abilities(items, [0, 1, 2], -3.0, 3.0).round(6).tolist()
    [-3.0, 0.0, 3.0]
    """
    if not low < high:
        raise ValueError(f"expected a lowest ability below the highest; found {low} and {high}")
    ability = np.linspace(low, high, GRID)
    expected, _ = score_moments(items, ability)
    found: Floats = np.interp(np.asarray(totals, np.float64), expected, ability)
    return _newton(items, np.asarray(totals, np.float64), found, low, high)


def _newton(items: Sequence[Item], totals: Floats, ability: Floats, low: float, high: float) -> Floats:
    """Return abilities refined by one step each: the grid is fine, so that is exact to rounding of print."""
    distinct, back = np.unique(ability, return_inverse=True)
    expected, _ = score_moments(items, distinct)
    slope = _slope(items, distinct)
    refined = ability + (totals - expected[back]) / slope[back]
    inside = (ability > low) & (ability < high)
    return np.where(inside, np.clip(refined, low, high), ability)


def _slope(items: Sequence[Item], ability: Floats) -> Floats:
    """Return the slope of the test characteristic curve: the sum of slope times variance of every item."""
    slope = np.zeros(len(ability))
    for item in items:
        slope += item.slope * score_moments([item], ability)[1]
    return slope


def conditional_standard_error(items: Sequence[Item], ability: ArrayLike) -> Floats:
    """Return the standard error of the ability that a summed score gives, at each ability.

    ``SD(summed score | ability) / slope of the test characteristic curve``.

    References
    ----------
    Lord (1980), section 4.9; Kolen and Lee (2011) for scale scores.

    Examples
    --------
    >>> conditional_standard_error([Item(1.0, (0.0,))], [0.0]).tolist()
    [2.0]
    """
    values = np.asarray(ability, np.float64)
    return np.sqrt(score_moments(items, values)[1]) / _slope(items, values)
