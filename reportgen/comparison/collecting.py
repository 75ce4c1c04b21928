"""Sums and products of joined features, level by level, collected block by block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from reportgen.tally import Moments, Units
from reportgen.tally.cells import Floats, Integers

Codes = NDArray[np.integer]


class Collected:
    """Growing moments of one grouping.

    Features come in two halves, of which the second is a change from the first.

    Parameters
    ----------
    codes, labels
        Level of each response, and the name of each level.
    """

    def __init__(self, codes: Codes, labels: Sequence[str]) -> None:
        self._codes, self._labels = codes, labels
        self._total: tuple[Floats, ...] = ()

    def add(self, features: Floats, rows: Integers, units: Codes) -> None:
        """Add a block of responses.

        Parameters
        ----------
        features
            (rows, features).
        rows
            Which responses they are.
        units
            (rows,): the independent unit of each response; no unit goes on in another block.
        """
        levels, size = len(self._labels), features.shape[1]
        sums, counts = np.zeros((levels, size)), np.zeros((levels, len(Units.COLUMNS)))
        products, cross = np.zeros((2, levels, size, size))
        unit, whole = _per_unit(features, units)
        active = np.flatnonzero(features.any(axis=0))  # what both systems share does not change: columns of zeros
        square = np.ix_(active, active)
        codes = self._codes[rows]
        for level in np.unique(codes):
            inside = codes == level
            mine, own = _per_unit(features[inside], units[inside])
            used = own[:, active]
            sums[level] = own.sum(axis=0)
            products[level][square] = used.T @ used
            # a unit of one response lies in one level, and its part there is all of it
            alone = len(unit) == len(units)
            cross[level] = products[level] if alone else whole[np.searchsorted(unit, mine)].T @ own
            counts[level] = both_counted(own)
        block = (sums, products, cross, counts)
        self._total = tuple(map(np.add, self._total, block)) if self._total else block

    def moments(self, centre: float) -> Moments:
        """Return the moments of the levels that have responses."""
        sums, products, cross, counts = self._total
        used = np.flatnonzero(sums[:, 0])
        labels = tuple(self._labels[int(level)] for level in used)
        return Moments(labels, sums[used], products[used], centre, cross[used], Units(*counts[used].T))


def blocks(units: Codes, size: int) -> Iterator[Integers]:
    """Yield the responses in blocks of about `size` that never part a unit.

    Examples
    --------
    >>> [block.tolist() for block in blocks(np.array([0, 1, 0, 2, 1]), 2)]
    [[0, 2], [1, 4], [3]]
    """
    order = np.argsort(units, kind="stable")
    ordered = units[order]
    start = 0
    while start < len(order):
        last = ordered[min(start + size, len(order)) - 1]
        stop = int(np.searchsorted(ordered, last, side="right"))
        yield order[start:stop]
        start = stop


def _per_unit(features: Floats, units: Codes) -> tuple[Codes, Floats]:
    """Return the units that occur, and the features of each summed over its responses."""
    order = np.argsort(units, kind="stable")
    ordered = units[order]
    first = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    if len(first) == len(units):
        return ordered, features[order]
    return ordered[first], np.add.reduceat(features[order], first, axis=0)


def both_counted(own: Floats) -> Floats:
    """Return how many units have a system score, both raters' scores, and several ratings; in both halves."""
    before = own[:, Units.COLUMNS]
    after = before + own[:, [own.shape[1] // 2 + column for column in Units.COLUMNS]]
    counts: Floats = np.minimum((before > 0).sum(axis=0), (after > 0).sum(axis=0)).astype(np.float64)
    return counts
