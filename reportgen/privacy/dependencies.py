"""What shown sums tell, from the linear dependencies among all levels: for few levels, found once."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np

from reportgen.privacy.partitions import Floats, Integers, Mask, Partition, Place

NOTHING_LEFT = 1e-9
"""A share of a level's square that is left by other levels, or a singular value, up to this is only rounding."""

SAME = 1e-6
"""A withheld level other than the told one whose weight in a dependency is up to this has no part in it."""


class Dependencies:
    """All weights of levels whose sum is 0 for every response, and which withheld levels they give away.

    A withheld level is told just when one of these dependencies contains it and no other withheld level.  They do not
    change when further levels are withheld, so they are found once, from the numbers of combinations that each two
    levels have in common; then as many of them as can be are made to contain one withheld level each.

    Parameters
    ----------
    partitions
        Of the distinct combinations of levels.
    """

    def __init__(self, partitions: Sequence[Partition]) -> None:
        counts = [partition.sums(np.ones(len(partition.codes))) for partition in partitions]
        self._present = np.flatnonzero(np.concatenate(counts))
        self._scale = 1 / np.sqrt(np.concatenate(counts)[self._present])
        self._starts = np.cumsum([0, *(partition.levels for partition in partitions)])
        self._basis = _dependencies(partitions, self._present, self._scale)
        self._hidden = np.zeros(len(self._present), bool)
        self._of_level: dict[int, int] = {}

    def told(self, hidden: Sequence[Mask]) -> list[Place]:
        """Return the withheld levels that a combination of all others tells; levels once withheld stay so."""
        self._withhold(hidden)
        weights = np.abs(self._basis[self._hidden])
        alone = (weights > SAME).sum(axis=0) == 1
        return [self._place(level) for level in sorted(self._of_level) if alone[self._of_level[level]]]

    def weights(self, hidden: Sequence[Mask], wanted: Mapping[Place, float]) -> list[Floats]:
        """Return the weights of shown levels that give the wanted sum of told levels, smallest in scaled squares."""
        self._withhold(hidden)
        found = np.zeros(len(self._present))
        for (index, number), amount in wanted.items():
            level = int(np.searchsorted(self._present, self._starts[index] + number))
            found += amount / self._scale[level] * self._basis[:, self._of_level[level]]
        shown = np.flatnonzero(~self._hidden)
        among_shown = np.setdiff1d(np.arange(self._basis.shape[1]), list(self._of_level.values()))
        weights = np.zeros(self._starts[-1])
        weights[self._present[shown]] = -self._scale[shown] * _rest(
            found[shown], self._basis[np.ix_(shown, among_shown)]
        )
        return [weights[a:b] for a, b in itertools.pairwise(self._starts)]

    def _withhold(self, hidden: Sequence[Mask]) -> None:
        """Give every newly withheld level a dependency of its own, and take the level out of all others."""
        masks = np.concatenate(hidden)[self._present]
        for level in np.flatnonzero(masks & ~self._hidden).tolist():
            row = self._basis[level].copy()
            row[list(self._of_level.values())] = 0.0
            place = int(np.abs(row).argmax()) if len(row) else 0
            if len(row) and abs(row[place]) > NOTHING_LEFT:
                own = self._basis[:, place] / row[place]
                self._basis -= own[:, np.newaxis] * self._basis[level]
                self._basis[:, place] = own
                self._of_level[level] = place
        self._hidden = masks

    def _place(self, level: int) -> Place:
        at = int(self._present[level])
        index = int(np.searchsorted(self._starts, at, side="right")) - 1
        return index, at - int(self._starts[index])


def _rest(vector: Floats, columns: Floats) -> Floats:
    """Return what is left of a vector at right angles to all columns, by modified Gram-Schmidt (Björck, 1967)."""
    left = np.column_stack([columns, vector])
    while left.shape[1] > 1:
        first, left = left[:, 0], left[:, 1:]
        square = float((first * first).sum())
        if square > NOTHING_LEFT**2:
            left = left - np.outer(first, (first[:, np.newaxis] * left).sum(axis=0) / square)
    return left[:, 0]


def _dependencies(partitions: Sequence[Partition], present: Integers, scale: Floats) -> Floats:
    """Return (present levels, dependencies): a basis of the scaled weights of levels whose sum is 0 everywhere.

    Levels of one partition have no responses in common, so those of the largest one are eliminated at once.
    """
    starts = np.cumsum([0, *(partition.levels for partition in partitions)])
    of_partition = np.searchsorted(starts, present, side="right") - 1
    largest = int(np.bincount(of_partition).argmax())
    first, rest = np.flatnonzero(of_partition == largest), np.flatnonzero(of_partition != largest)

    def products(rows: Integers, columns: Integers) -> Floats:
        return common[np.ix_(present[rows], present[columns])] * np.outer(scale[rows], scale[columns])

    common = _common(partitions, starts)
    between = products(first, rest)
    of_rest = _null_space(products(rest, rest) - between.T @ between)
    basis = np.empty((len(present), of_rest.shape[1]))
    basis[rest], basis[first] = of_rest, -between @ of_rest
    return basis


def _common(partitions: Sequence[Partition], starts: Integers) -> Floats:
    """Return (levels, levels): how many combinations each two levels of all partitions have in common."""
    common = np.zeros((starts[-1], starts[-1]))
    for i, j in itertools.combinations_with_replacement(range(len(partitions)), 2):
        one, other = partitions[i], partitions[j]
        inside = (one.codes >= 0) & (other.codes >= 0)
        place = one.codes[inside].astype(np.intp) * other.levels + other.codes[inside]
        both = np.bincount(place, minlength=one.levels * other.levels)
        block = both.reshape(one.levels, other.levels)
        common[starts[i] : starts[i + 1], starts[j] : starts[j + 1]] = block
        common[starts[j] : starts[j + 1], starts[i] : starts[i + 1]] = block.T
    return common


def _null_space(products: Floats) -> Floats:
    """Return (n, dimension): a basis of the vectors that a matrix of inner products takes to 0.

    By elimination, the largest rest first (Gauss and Jordan); vectors have a length of at most 1.

    Examples
    --------
    Of three vectors the third is the sum of the first two, which are at right angles:

    >>> _null_space(np.array([[1, 0, 1], [0, 1, 1], [1, 1, 2]]) / 2).T.round(9).tolist()
    [[1.0, 1.0, -1.0]]
    """
    rest, done = products.copy(), np.zeros(len(products), bool)
    spare = rest.diagonal().copy()
    while spare.max(initial=0.0) > NOTHING_LEFT:
        level = int(spare.argmax())
        row, column = rest[level] / rest[level, level], rest[:, level].copy()
        column[level] = 0.0
        rest -= column[:, np.newaxis] * row
        rest[level] = row
        done[level] = True
        spare = np.where(done, 0.0, rest.diagonal())
    basis = np.eye(len(products))[:, ~done]
    basis[done] = -rest[np.ix_(done, ~done)]
    return basis
