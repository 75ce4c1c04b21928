"""Scales that never move: from where to where statistics of a kind are drawn, whatever was found."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reportgen.results import Kind

SCALES: dict[str, tuple[float, float]] = {
    "coefficient": (0.4, 1.0), "difference": (-0.2, 0.2), "percent": (0.0, 100.0), "p": (0.0, 1.0),
}  # fmt: skip
"""Ends of the scale of each kind of statistic: two pictures of a kind can be compared."""


def scale_ends(kind: Kind, limits: Iterable[float | None] = ()) -> tuple[float, float]:
    """Return the ends of the scale of a statistic: those of its kind, unless a limit would not stand between them.

    They follow from the kind of the statistic and its limits alone, never from what was found.

    Examples
    --------
    >>> scale_ends("coefficient", (0.7, None)), scale_ends("difference", (-0.3, 0.3)), scale_ends("score", (None, 0.8))
    ((0.4, 1.0), (-0.4, 0.4), (0.0, 1.5))
    """
    known = [limit for limit in limits if limit is not None]
    low, high = SCALES.get(kind, (0.0, 0.0))
    if low < high and all(low < limit < high for limit in known):
        return low, high
    if kind == "coefficient" and all(-1 <= limit <= 1 for limit in known):
        return (0.0, 1.0) if all(limit >= 0 for limit in known) else (-1.0, 1.0)
    reach = 1.3 * (max((abs(limit) for limit in known), default=0.0) or 0.75)
    high = _rounded_up(reach)
    return (-high if low < 0 or any(limit < 0 for limit in known) else 0.0), high


def _rounded_up(reach: float) -> float:
    """Return a number as the next multiple of a round step, four steps or fewer from 0."""
    power = 10.0 ** math.floor(math.log10(reach / 4))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= reach / 4 * 0.999)
    return step * math.ceil(reach / step - 1e-9)
