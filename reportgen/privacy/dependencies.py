"""What shown sums tell, from the linear dependencies among all levels: for few levels, found once."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np

from reportgen.privacy.partitions import Floats, Integers, Mask, Partition, Place

NOTHING_LEFT = 1e-9
"""A share of a level's square that is left by other levels, or a singular value, up to this is only rounding."""

IN_SPAN = 1e-6
"""A withheld level whose leverage is this near to 1 is a combination of shown ones."""


class Dependencies:
    """All weights of levels whose sum is 0 for every response, and which withheld levels they give away.

    A withheld level is told just when one of these dependencies contains it and no other withheld level.  They do not
    change when further levels are withheld, so they are found once, from the numbers of combinations that each two
    levels have in common.

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

    def told(self, hidden: Sequence[Mask]) -> list[Place]:
        """Return the withheld levels that a combination of all others tells: those of leverage 1."""
        withheld = np.flatnonzero(np.concatenate(hidden)[self._present])
        left, singular, _ = _decomposed(self._basis[withheld])
        leverage = np.square(left[: len(withheld), singular > NOTHING_LEFT]).sum(axis=1)
        return [self._place(int(level)) for level in self._present[withheld[leverage >= 1 - IN_SPAN]]]

    def weights(self, hidden: Sequence[Mask], wanted: Mapping[Place, float]) -> list[Floats]:
        """Return the weights of shown levels that give the wanted sum of told levels, smallest in scaled squares."""
        weights = np.zeros(self._starts[-1])
        for (index, level), amount in wanted.items():
            weights[self._starts[index] + level] = amount
        masks = np.concatenate(hidden)[self._present]
        withheld, shown = np.flatnonzero(masks), np.flatnonzero(~masks)
        left, singular, right = _decomposed(self._basis[withheld])
        rank = int((singular > NOTHING_LEFT).sum())
        aim = left[: len(withheld), :rank].T @ (weights[self._present[withheld]] / self._scale[withheld])
        found = self._basis[shown] @ (right[:rank].T @ (aim / singular[:rank]))
        free = self._basis[shown] @ right[rank:].T
        if free.shape[1]:
            found -= free @ np.linalg.lstsq(free, found, rcond=None)[0]
        weights[:] = 0.0
        weights[self._present[shown]] = -found * self._scale[shown]
        return [weights[a:b] for a, b in itertools.pairwise(self._starts)]

    def _place(self, level: int) -> Place:
        index = int(np.searchsorted(self._starts, level, side="right")) - 1
        return index, level - int(self._starts[index])


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
        both = np.bincount(one.codes[inside] * other.levels + other.codes[inside], minlength=one.levels * other.levels)
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


def _decomposed(rows: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the singular value decomposition of some rows, with as many right vectors as there are columns."""
    short = rows.shape[1] - len(rows)
    left, singular, right = np.linalg.svd(np.pad(rows, ((0, max(short, 0)), (0, 0))), full_matrices=False)
    return left, singular, right
