"""Counting integer ratings on a short scale: a look-up table of combinations and a few bincounts per grouping."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from reportgen.tally.cells import CLASSES, Cells, Floats, Integers
from reportgen.tally.kernel import state_of
from reportgen.tally.rounding import rounding_of

STATES = 3 * CLASSES

DENSE_COMBINATIONS = 1 << 20
"""Largest look-up table of combinations that is worth its memory (8 MB)."""


@dataclass(frozen=True)
class Extent:
    """The ranges of one block of rows."""

    low: tuple[float, ...]
    high: tuple[float, ...]
    system: tuple[float, float]
    integer: bool

    @classmethod
    def of(cls, human: Floats, system: Floats) -> Extent:
        """Return the ranges of these rows."""
        columns = [human[:, rater] for rater in range(human.shape[1])]
        low = tuple(float(np.fmin.reduce(column)) for column in columns)
        high = tuple(float(np.fmax.reduce(column)) for column in columns)
        integer = all(np.array_equal(np.rint(column), column, equal_nan=True) for column in columns)
        return cls(low, high, (float(np.rint(system.min())), float(np.rint(system.max()))), integer)


class Window:
    """Dense counting of integer ratings within fixed ranges."""

    def __init__(self, low: tuple[int, ...], sizes: tuple[int, ...], first: int, bounds: tuple[float, float]) -> None:
        self._low, self._sizes, self._first, self._bounds = low, sizes, first, bounds
        self._cell_of = np.full(int(np.prod([*sizes, STATES])), -1, np.intp)
        self._combinations: list[NDArray[np.intp]] = []
        self._cells = 0
        self._discovering = Lock()

    @classmethod
    def around(cls, extent: Extent, bounds: tuple[float, float]) -> Window | None:
        """Return a window with some room around a block's ranges, or None when it would not pay."""
        if not extent.integer or not np.isfinite(extent.low[0]) or not rounding_of(bounds).whole:
            return None
        known = [(low, high) for low, high in zip(extent.low, extent.high, strict=True) if np.isfinite(low)]
        low = int(min(pair[0] for pair in known)) - 1
        ratings = int(max(pair[1] for pair in known)) + 1 - low + 2
        first = int(extent.system[0]) - 1
        scores = int(extent.system[1]) + 1 - first + 1
        sizes = (ratings,) * len(extent.low) + (scores,)
        combinations = STATES * scores * ratings ** len(extent.low)
        return cls((low,) * len(extent.low), sizes, first, bounds) if combinations <= DENSE_COMBINATIONS else None

    @property
    def cells(self) -> int:
        """Number of cells seen so far."""
        return self._cells

    def located(self, human: Floats, system: Floats) -> tuple[Integers, Floats] | None:
        """Return the number of each row's cell, and its u; None when a row lies outside the window."""
        rounded = np.rint(system)
        combination = self._combination(human, rounded)
        if combination is None:
            return None
        combination *= STATES
        combination += state_of(system, human[:, 0], self._bounds)
        return self._places(_integers(combination)), system - rounded

    def _combination(self, human: Floats, rounded: Floats) -> Floats | None:
        """Return one whole number per row that names its scores, or None when one lies outside the window."""
        code = rounded - self._first
        if _beyond(code, self._sizes[-1]):
            return None
        for rater, (low, size) in enumerate(zip(self._low, self._sizes, strict=False)):
            given = human[:, rater]
            rating = np.rint(given)
            apart = rating != given  # missing, or between whole numbers
            rating -= low
            if _beyond(rating, size - 1):
                return None
            if apart.any():
                missing = np.isnan(given)
                if np.count_nonzero(missing) != np.count_nonzero(apart):
                    return None
                np.copyto(rating, size - 1, where=missing)
            code *= size
            code += rating
        return code

    def _places(self, combination: Integers) -> Integers:
        """Return the number of each row's cell; cells are numbered as they come."""
        cell: Integers = self._cell_of.take(combination)
        if cell.min() < 0:
            self._discover(combination[cell < 0])
            cell = self._cell_of.take(combination)
        return cell

    def _discover(self, combinations: Integers) -> None:
        with self._discovering:  # another thread may have come upon them
            new = np.unique(combinations)
            new = new[self._cell_of[new] < 0]
            first, self._cells = self._cells, self._cells + len(new)
            self._combinations.append(new)
            self._cell_of[new] = np.arange(first, self._cells)  # last: who reads a number finds all there is of it

    def combinations(self) -> Cells:
        """Return the cells in the order of their numbers."""
        sizes = (self._sizes[-1], *self._sizes[:-1], STATES)
        with self._discovering:
            known = np.concatenate(self._combinations)
        score, *codes, state = np.unravel_index(known, sizes)
        ratings: Floats = np.column_stack(codes) + np.float64(self._low[0])
        ratings[np.column_stack(codes) == self._sizes[0] - 1] = -np.inf
        return Cells(ratings, (score + self._first).astype(np.float64), state.astype(np.int8))


_ANCHOR = 1.5 * 2.0**52
"""Added to a whole number it leaves the number in the lowest bits."""

_ANCHOR_BITS = int(np.float64(_ANCHOR).view(np.int64))


def _integers(whole: Floats) -> Integers:
    """Return small whole numbers as integers, in the place of these; half the time of a conversion.

    Examples
    --------
    >>> _integers(np.array([3.0, 1.0, -2.0])).tolist()
    [3, 1, -2]
    """
    whole += _ANCHOR
    integers: Integers = whole.view(np.int64)
    integers -= _ANCHOR_BITS
    return integers


def _beyond(codes: Floats, size: int) -> bool:
    """Return whether some code is not one of 0 to size - 1; missing ones are passed over."""
    return bool(np.fmin.reduce(codes) < 0 or np.fmax.reduce(codes) >= size)
