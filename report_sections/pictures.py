"""Charts that two sections draw alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from reportgen.results import Estimate
from reportgen.sections import Dots

TOTAL = "total"
"""Key of the column that is no score point."""

LEAST_REACH = 0.05
"""How far an axis of differences reaches to both sides of 0 at least: a difference of no weight looks like none."""


def dots_of(
    label: str,
    positions: Sequence[str | float],
    estimates: Sequence[Estimate],
    *,
    n: Sequence[int] | None = None,
    hollow: Iterable[bool] = (),
    flagged: Iterable[bool] = (),
    along: Literal["x", "y"] = "x",
    ink: str = "engine",
) -> Dots:
    """Return estimates as dots with their intervals, each with its own n unless others are given."""
    return Dots(
        label,
        tuple(positions),
        tuple(each.value for each in estimates),
        tuple(each.low for each in estimates),
        tuple(each.high for each in estimates),
        tuple(each.n for each in estimates) if n is None else tuple(n),
        hollow=tuple(hollow),
        flagged=tuple(flagged),
        along=along,
        ink="human" if ink == "human" else "engine",
    )
