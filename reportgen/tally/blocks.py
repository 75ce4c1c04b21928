"""What every way of counting a block of rows shares: the state of a row, and the canonical order of a tally."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from reportgen.tally.cells import CLASSES, OVERALL, Cells, Floats, Slices, Tally, merge
from reportgen.tally.rounding import rounding_of

STATES = 3 * CLASSES

Groups = Mapping[str, tuple[NDArray[np.integer], Sequence[str]]]
"""Grouping column -> (code of each row, label of each code)."""


def state_of(system: Floats, first: Floats, bounds: tuple[float, float]) -> NDArray[np.int8]:
    """Return each row's state: class of system - first rating, and where trimming puts it."""
    rounding = rounding_of(bounds)
    error, near, step = system - first, rounding.near, rounding.adjacent
    state = (error >= -step).view(np.int8) + (error >= -near) + (error > near) + (error > step)
    state += np.int8(CLASSES) * (system >= bounds[0])
    state += np.int8(CLASSES) * (system > bounds[1])
    return state


def canonical(cells: Cells, slices: dict[str, Slices], bounds: tuple[float, float]) -> Tally:
    """Return a tally with sorted cells and labels, and the overall slice."""
    if OVERALL not in slices:
        one = next(iter(slices.values()))
        overall = Slices(
            ("",), np.zeros_like(one.cell), one.cell, one.sums,
            np.full(1, one.minimum.min()), np.full(1, one.maximum.max()),
        )  # fmt: skip
        slices = {OVERALL: overall, **slices}
    return merge([Tally(cells, slices, bounds)])
