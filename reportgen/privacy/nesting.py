"""Levels that lie wholly in a level of another partition: what they leave of it must not be few."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reportgen.privacy.partitions import NONE, Floats, Integers, Mask, Partition

BLOCK = 1 << 14
"""Places that are looked at before it is asked again whether any level may still lie in another."""


class Nested:
    """Levels that lie wholly in a level of another partition, and what they leave of it."""

    def __init__(self, partitions: Sequence[Partition], sizes: Sequence[Floats], least: int) -> None:
        self._partitions, self._sizes, self._least = partitions, sizes, least
        # the finest first: a protector within a district serves the district and the whole, not the other way round
        by_fineness = sorted(range(len(partitions)), key=lambda index: -partitions[index].levels)
        places = [partition.places() for partition in partitions]
        self._pairs = [
            (outer, inner, parents)
            for outer in by_fineness
            for inner in range(len(partitions))
            if outer != inner
            for parents in [parents_in(partitions[outer], partitions[inner], places[inner])]
            if (parents >= 0).any()
        ]

    def close(self, hidden: Sequence[Mask]) -> bool:
        """Withhold until no small remainder is left; return whether anything was withheld."""
        changed = False
        while any(self._mend(hidden, outer, inner, parents) for outer, inner, parents in self._pairs):
            changed = True
        return changed

    def _mend(self, hidden: Sequence[Mask], outer: int, inner: int, parents: Integers) -> bool:
        """Withhold the smallest level in every level that leaves few responses; return whether there was one."""
        shown = ~hidden[inner] & (self._sizes[inner] > 0) & (parents >= 0)
        shown[shown] = ~hidden[outer][parents[shown]]
        levels = np.flatnonzero(shown)
        covered = np.bincount(parents[levels], self._sizes[inner][levels], self._partitions[outer].levels)
        rest = self._sizes[outer] - covered
        few = (covered > 0) & (rest > 0) & (rest < self._least)
        if not few.any():
            return False
        if not self._partitions[inner].always_shown:
            inside = levels[few[parents[levels]]]
            inside = inside[np.argsort(self._sizes[inner][inside], kind="stable")]
            _, smallest = np.unique(parents[inside], return_index=True)
            hidden[inner][inside[smallest]] = True
            return True
        if self._partitions[outer].always_shown:
            return False
        hidden[outer][few] = True
        return True


def parents_in(outer: Partition, inner: Partition, place: Integers) -> Integers:
    """Return for every level of `inner`, and a `place` of each, the level of `outer` it lies in wholly, or `NONE`."""
    parents = np.append(np.where(place >= 0, outer.codes[place], NONE), NONE)  # the last of those in no level
    wholly = parents >= 0
    step = -(-len(inner.codes) // BLOCK)
    for start in range(step):  # places are in order: each block is spread over all of them
        if not wholly.any():
            break
        codes = inner.codes[start::step]
        wholly[codes[parents[codes] != outer.codes[start::step]]] = False
    return np.where(wholly, parents, NONE)[:-1].astype(np.intp)
