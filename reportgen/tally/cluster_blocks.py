"""Whole clusters in blocks: few enough responses to work on at once, however many there are, and wherever they lie."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from reportgen.tally.cells import OVERALL, Integers, Tally, numbered
from reportgen.tally.kernel import on_points, state_of
from reportgen.tally.sums import Floats

BLOCK_ROWS = 1 << 14
"""Responses of a block, unless one cluster has more."""


@dataclass(frozen=True)
class ClusterParts:
    """The (place, cluster) pairs that occur in a block, sorted by place, and the responses of each.

    place, cluster: (pairs,).
    order: The responses that have a place, those of one pair together.
    starts (pairs + 1,): where in `order` those of each pair begin.
    """

    place: Integers
    cluster: Integers
    order: Integers
    starts: Integers


@dataclass(frozen=True)
class Block:
    """The responses of some whole clusters, one cluster behind the other; every cluster has one at least.

    starts (clusters + 1,): where the responses of each cluster begin.
    cell, u (n,): the cell of each response, and its score less its rounded score.
    level (n,): level of the grouping that was asked for; -1 where it is none that is shown.
    weight (n,): what each counts for; None where each is a response.
    """

    starts: Integers
    cell: NDArray[np.integer]
    u: Floats
    level: NDArray[np.integer]
    weight: Floats | None = None

    @property
    def clusters(self) -> int:
        """How many clusters there are."""
        return len(self.starts) - 1

    @property
    def of_row(self) -> Integers:
        """(n,): the cluster of each response."""
        return np.repeat(np.arange(self.clusters), np.diff(self.starts))

    def inside(self) -> Block:
        """Return the responses that are in a level; clusters without one are gone."""
        inside = self.level >= 0
        if inside.all():
            return self
        sizes = np.add.reduceat(inside, self.starts[:-1], dtype=np.intp)
        weight = None if self.weight is None else self.weight[inside]
        starts = np.concatenate([[0], np.cumsum(sizes[sizes > 0])]).astype(np.intp)
        return Block(starts, self.cell[inside], self.u[inside], self.level[inside], weight)

    def taken(
        self, rows: Integers, place: NDArray[np.integer] | None = None
    ) -> tuple[NDArray[np.integer], Floats, Floats | None]:
        """Return place (their cell when left out), u and weight of some responses."""
        place = self.cell if place is None else place
        return place[rows], self.u[rows], None if self.weight is None else self.weight[rows]

    def weighed(self, amounts: Floats) -> Floats:
        """Return (n,) amounts, each times what its response counts for."""
        return amounts if self.weight is None else amounts * self.weight

    def parts(self, place: NDArray[np.integer], places: int) -> ClusterParts:
        """Return the (place, cluster) pairs of responses at one of some places, -1 being none."""
        short = place.astype(np.int16) if places < 1 << 15 else place  # two bytes are sorted by counting
        order = np.argsort(short, kind="stable")
        order = order[np.count_nonzero(place < 0) :]
        key = place[order].astype(np.intp) * self.clusters + self.of_row[order]
        new = np.flatnonzero(np.diff(key, prepend=-1))
        return ClusterParts(*np.divmod(key[new], self.clusters), order, np.append(new, len(key)))


class Blocks(Protocol):
    """Responses in blocks of whole clusters, as often as they are asked for."""

    def of(self, grouping: str) -> Iterator[Block]:
        """Yield the blocks, with the levels of a grouping."""


@dataclass(frozen=True)
class HeldBlocks:
    """Blocks of responses that are held in memory.

    starts, cell, u, weight: As for one `Block`, of all responses.
    levels: Grouping column -> (n,): level of each response, -1 where it is none that is shown.
    """

    starts: Integers
    cell: NDArray[np.int32]
    u: Floats
    levels: Mapping[str, NDArray[np.int32]]
    weight: Floats | None = None

    def of(self, grouping: str) -> Iterator[Block]:
        """Yield the blocks, with the levels of a grouping."""
        for first, last in cuts(self.starts):
            rows = slice(self.starts[first], self.starts[last])
            level = np.zeros(rows.stop - rows.start, np.int8) if grouping == OVERALL else self.levels[grouping][rows]
            weight = None if self.weight is None else self.weight[rows]
            yield Block(self.starts[first : last + 1] - rows.start, self.cell[rows], self.u[rows], level, weight)


def cuts(starts: Integers) -> Iterable[tuple[int, int]]:
    """Return the first cluster of each block, and the one behind its last.

    Examples
    --------
    >>> list(cuts(np.array([0, 2, 4, 20_000, 40_000, 40_001])))
    [(0, 3), (3, 4), (4, 5)]
    """
    found, first = [], 0
    while first < len(starts) - 1:
        last = max(first + 1, int(np.searchsorted(starts, starts[first] + BLOCK_ROWS, side="right")) - 1)
        if starts[last] - starts[first] < BLOCK_ROWS // 2 and last < len(starts) - 1:
            last += 1  # a large cluster joins the few responses before it
        found.append((first, last))
        first = last
    return found


def level_numbers(tally: Tally, grouping: str, labels: Sequence[str]) -> NDArray[np.int32]:
    """Return the number that a tally gives the level of each label, -1 where it has none."""
    number = {label: index for index, label in enumerate(tally.slices[grouping].labels)}
    return np.array([number.get(label, -1) for label in labels], np.int32)


class CellFinder:
    """Tells the cell of a tally that each of the responses is in that it was counted from.

    Examples
    --------
    >>> from reportgen.tally import tally_of
    >>> system, ratings = np.array([2.25, 1.0, 2.4]), np.array([[2.0, np.nan], [1.0, 1.0], [2.0, np.nan]])
    >>> cell, u = CellFinder(tally_of(system, ratings)).find(system, ratings)
    >>> cell.tolist(), u.tolist()[:2]
    ([1, 0, 1], [0.25, 0.0])
    """

    def __init__(self, tally: Tally) -> None:
        self._bounds = tally.bounds
        self._cells = _records(tally.cells.keys())

    def find(self, system: Floats, ratings: Floats) -> tuple[NDArray[np.int32], Floats]:
        """Return the cell of each response, and its score less its rounded score, (n,) each; all must be counted."""
        points, rounded = on_points(ratings, system, self._bounds)
        columns = [*points.T, rounded, state_of(system, ratings[:, 0], self._bounds).astype(np.float64)]
        number, first = numbered(columns)
        cell = np.searchsorted(self._cells, _records(np.column_stack([column[first] for column in columns])))
        return cell.astype(np.int32)[number], system - rounded


def _records(matrix: Floats) -> NDArray[np.void]:
    """Return the rows of a matrix as values that are compared column by column."""
    return np.ascontiguousarray(matrix).view([("", np.float64)] * matrix.shape[1])[:, 0]
