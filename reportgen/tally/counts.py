"""Dense sums of one grouping, or of several counted together: a few bincounts for each block of rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.tally.cells import POWERS, Floats, Integers, Slices


@dataclass
class DenseCounts:
    """Growing dense sums of one grouping: position = cell * width + level."""

    labels: dict[str, int] = field(default_factory=dict)
    width: int = 1
    sums: Floats = field(default_factory=lambda: np.zeros((POWERS, 0)))
    minimum: Floats = field(default_factory=lambda: np.full(1, np.inf))
    maximum: Floats = field(default_factory=lambda: np.full(1, -np.inf))

    def codes(self, codes: NDArray[np.integer], labels: Sequence[str]) -> NDArray[np.integer]:
        """Return the rows' codes in this grouping's own numbering, making room for new labels."""
        own = [self.labels.setdefault(label, len(self.labels)) for label in labels]
        if len(self.labels) > self.width:
            self._widen(1 << (len(self.labels) - 1).bit_length())
        if own == list(range(len(own))):  # most batches number their labels alike
            return codes
        level: Integers = np.array(own, np.intp).take(codes)
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

    def add(self, cell: Integers, cells: int, level: NDArray[np.integer] | None, powers: list[Floats]) -> None:
        """Count rows that fall into `cell` (of `cells` known ones) and `level`; their `ends` are taken apart."""
        position = cell if level is None else cell * self.width + level
        size = self._fit(cells)
        self.sums[0, :size] += np.bincount(position, minlength=size)
        for power, weights in enumerate(powers, start=1):
            self.sums[power, :size] += np.bincount(position, weights, size)

    def add_sums(self, sums: Floats) -> None:
        """Count what is counted already: (powers, cells, levels) sums."""
        _, cells, levels = sums.shape
        size = self._fit(cells)
        self.sums[:, :size].reshape(POWERS, cells, self.width)[:, :, :levels] += sums

    def _fit(self, cells: int) -> int:
        """Make room for `cells`; return how many positions they take."""
        size = cells * self.width
        if size > self.sums.shape[1]:
            grown = np.zeros((POWERS, 2 * size))
            grown[:, : self.sums.shape[1]] = self.sums
            self.sums = grown
        return size

    def within(self) -> tuple[float, float]:
        """Return between which scores no row changes the smallest and largest score of a level."""
        seen = len(self.labels)
        return float(self.minimum[:seen].max()), float(self.maximum[:seen].min())

    def ends(self, system: Floats, level: NDArray[np.integer] | None) -> None:
        """Update the smallest and largest score of the levels of rows."""
        if level is None:
            self.minimum[0] = min(self.minimum[0], system.min())
            self.maximum[0] = max(self.maximum[0], system.max())
            return
        lower = np.flatnonzero(system < self.minimum[level])
        np.minimum.at(self.minimum, level[lower], system[lower])
        upper = np.flatnonzero(system > self.maximum[level])
        np.maximum.at(self.maximum, level[upper], system[upper])


class Together:
    """Dense sums of the combinations of levels of several groupings, which are one grouping of many levels here."""

    def __init__(self, sizes: Mapping[str, int]) -> None:
        self.sizes = dict(sizes)
        """Grouping -> number of levels."""
        count = int(np.prod([*self.sizes.values(), 1]))
        self._counts = DenseCounts({str(code): code for code in range(count)}, count)
        self._cells = 0

    def add(self, cell: Integers, cells: int, levels: Mapping[str, NDArray[np.integer]], powers: list[Floats]) -> None:
        """Count rows."""
        joint: Any = 0
        for name, size in self.sizes.items():
            joint = joint * size + levels[name] if name != next(iter(self.sizes)) else levels[name]
        self._counts.add(cell, cells, joint, powers)
        self._cells = cells

    def by_grouping(self) -> Iterator[tuple[str, Floats]]:
        """Yield each grouping with its (powers, cells, levels) sums."""
        if not self._cells:
            return
        sizes = tuple(self.sizes.values())
        sums = self._counts.sums[:, : self._cells * self._counts.width].reshape(POWERS, self._cells, *sizes)
        for axis, name in enumerate(self.sizes):
            yield name, sums.sum(axis=tuple(other + 2 for other in range(len(sizes)) if other != axis))


def few_levels(sizes: Mapping[str, int], most: int) -> dict[str, int]:
    """Return the groupings of fewest levels whose combinations are at most `most`."""
    chosen: dict[str, int] = {}
    combinations = 1
    for name, size in sorted(sizes.items(), key=lambda pair: pair[1]):
        combinations *= max(size, 1)
        if combinations > most:
            break
        chosen[name] = size
    return chosen


def slices_of(counts: DenseCounts, cells: int) -> Slices:
    """Return the occupied entries of dense counts."""
    dense = counts.sums[:, : cells * counts.width].reshape(POWERS, cells, counts.width)
    used = np.flatnonzero(dense[0].any(axis=0))
    names = list(counts.labels)
    dense = dense[:, :, used]
    level, cell = np.nonzero(dense[0].T)
    labels = tuple(names[code] for code in used)
    return Slices(labels, level, cell, dense[:, cell, level], counts.minimum[used], counts.maximum[used])
