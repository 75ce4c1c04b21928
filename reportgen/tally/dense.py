"""Counting integer ratings on a short scale: a look-up table of combinations and a few bincounts per grouping."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from reportgen.tally.blocks import STATES, Groups, canonical, state_of
from reportgen.tally.cells import OVERALL, POWERS, Cells, Floats, Integers, Slices, Tally

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


@dataclass
class _Counts:
    """Growing dense sums of one grouping: position = cell * width + level."""

    labels: dict[str, int] = field(default_factory=dict)
    width: int = 1
    sums: Floats = field(default_factory=lambda: np.zeros((POWERS, 0)))
    minimum: Floats = field(default_factory=lambda: np.full(1, np.inf))
    maximum: Floats = field(default_factory=lambda: np.full(1, -np.inf))

    def codes(self, codes: NDArray[np.integer], labels: Sequence[str]) -> Integers:
        """Return the rows' codes in this grouping's own numbering, making room for new labels."""
        own = np.array([self.labels.setdefault(label, len(self.labels)) for label in labels], np.intp)
        if len(self.labels) > self.width:
            self._widen(1 << (len(self.labels) - 1).bit_length())
        level: Integers = own.take(codes)
        return level

    def _widen(self, width: int) -> None:
        cells = self.sums.shape[1] // self.width
        wide = np.zeros((POWERS, cells, width))
        wide[:, :, : self.width] = self.sums.reshape(POWERS, cells, self.width)
        self.sums = wide.reshape(POWERS, cells * width)
        extra = width - self.width
        self.minimum = np.concatenate([self.minimum, np.full(extra, np.inf)])
        self.maximum = np.concatenate([self.maximum, np.full(extra, -np.inf)])
        self.width = width

    def add(self, cell: Integers, cells: int, level: Integers | None, system: Floats, powers: list[Floats]) -> None:
        """Count rows that fall into `cell` (of `cells` known ones) and `level`."""
        position = cell if level is None else cell * self.width + level
        size = cells * self.width
        if size > self.sums.shape[1]:
            grown = np.zeros((POWERS, 2 * size))
            grown[:, : self.sums.shape[1]] = self.sums
            self.sums = grown
        self.sums[0, :size] += np.bincount(position, minlength=size)
        for power, weights in enumerate(powers, start=1):
            self.sums[power, :size] += np.bincount(position, weights, size)
        self._extremes(system, level)

    def _extremes(self, system: Floats, level: Integers | None) -> None:
        """Update the smallest and largest score; after the first blocks hardly any row changes them."""
        if level is None:
            self.minimum[0] = min(self.minimum[0], system.min())
            self.maximum[0] = max(self.maximum[0], system.max())
            return
        seen = len(self.labels)
        lower = np.flatnonzero(system < self.minimum[:seen].max())
        lower = lower[system[lower] < self.minimum[level[lower]]]  # a label without rows yet lets all others through
        np.minimum.at(self.minimum, level[lower], system[lower])
        upper = np.flatnonzero(system > self.maximum[:seen].min())
        upper = upper[system[upper] > self.maximum[level[upper]]]
        np.maximum.at(self.maximum, level[upper], system[upper])


class Window:
    """Dense counting of integer ratings within fixed ranges."""

    def __init__(self, low: tuple[int, ...], sizes: tuple[int, ...], first: int, bounds: tuple[float, float]) -> None:
        self._low, self._sizes, self._first, self._bounds = low, sizes, first, bounds
        self._cell_of = np.full(int(np.prod([*sizes, STATES])), -1, np.intp)
        self._combinations: list[NDArray[np.intp]] = []
        self._cells = 0
        self._counts: dict[str, _Counts] = {}

    @classmethod
    def around(cls, extent: Extent, bounds: tuple[float, float]) -> Window | None:
        """Return a window with some room around a block's ranges, or None when it would not pay."""
        if not extent.integer or not np.isfinite(extent.low[0]):
            return None
        known = [(low, high) for low, high in zip(extent.low, extent.high, strict=True) if np.isfinite(low)]
        low = int(min(pair[0] for pair in known)) - 1
        ratings = int(max(pair[1] for pair in known)) + 1 - low + 2
        first = int(extent.system[0]) - 1
        scores = int(extent.system[1]) + 1 - first + 1
        sizes = (ratings,) * len(extent.low) + (scores,)
        combinations = STATES * scores * ratings ** len(extent.low)
        return cls((low,) * len(extent.low), sizes, first, bounds) if combinations <= DENSE_COMBINATIONS else None

    def add(self, human: Floats, system: Floats, groups: Groups) -> bool:
        """Count a block of rows; return whether it fits, and count nothing when it does not."""
        found = self.located(human, system)
        if found is None:
            return False
        place, u = found
        powers = powers_of(u)
        if not groups:
            self._counts.setdefault(OVERALL, _Counts({"": 0})).add(place, self._cells, None, system, powers)
        for name, (codes, labels) in groups.items():
            counts = self._counts.setdefault(name, _Counts())
            counts.add(place, self._cells, counts.codes(codes, labels), system, powers)
        return True

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
        return self._places(combination), system - rounded

    def _combination(self, human: Floats, rounded: Floats) -> Integers | None:
        """Return one integer per row that names its scores, or None when one lies outside the window."""
        score = rounded - self._first
        if score.min() < 0 or score.max() >= self._sizes[-1]:
            return None
        code = score.astype(np.intp)
        for rater, (low, size) in enumerate(zip(self._low, self._sizes, strict=False)):
            rating = human[:, rater] - (low - 1)
            missing = np.isnan(rating)
            np.copyto(rating, 1.0, where=missing)
            if rating.min() < 1 or rating.max() >= size:
                return None
            whole = rating.astype(np.intp)
            if (whole != rating).any():
                return None
            np.copyto(whole, 0, where=missing)
            code *= size
            code += whole
        return code

    def _places(self, combination: Integers) -> Integers:
        """Return the number of each row's cell; cells are numbered as they come."""
        cell: Integers = self._cell_of.take(combination)
        if cell.min() < 0:
            self._discover(combination[cell < 0])
            cell = self._cell_of.take(combination)
        return cell

    def _discover(self, combinations: Integers) -> None:
        new = np.unique(combinations)
        self._cell_of[new] = np.arange(self._cells, self._cells + len(new))
        self._combinations.append(new)
        self._cells += len(new)

    def combinations(self) -> Cells:
        """Return the cells in the order of their numbers."""
        sizes = (self._sizes[-1], *self._sizes[:-1], STATES)
        score, *codes, state = np.unravel_index(np.concatenate(self._combinations), sizes)
        ratings: Floats = np.column_stack(codes) + np.float64(self._low[0] - 1)
        ratings[np.column_stack(codes) == 0] = -np.inf
        return Cells(ratings, (score + self._first).astype(np.float64), state.astype(np.int8))

    def tally(self) -> Tally:
        """Return what was counted, in canonical order."""
        slices = {name: _slices(counts, self._cells) for name, counts in self._counts.items()}
        return canonical(self.combinations(), slices, self._bounds)


def powers_of(u: Floats) -> list[Floats]:
    """Return u, u^2, u^3 and u^4."""
    square = u * u
    return [u, square, square * u, square * square]


def _slices(counts: _Counts, cells: int) -> Slices:
    """Return the occupied entries of dense counts."""
    dense = counts.sums[:, : cells * counts.width].reshape(POWERS, cells, counts.width)
    used = np.flatnonzero(dense[0].any(axis=0))
    names = list(counts.labels)
    dense = dense[:, :, used]
    level, cell = np.nonzero(dense[0].T)
    labels = tuple(names[code] for code in used)
    return Slices(labels, level, cell, dense[:, cell, level], counts.minimum[used], counts.maximum[used])
