"""Moments of clustered responses, such as multiple responses of one test taker, which are not independent.

Sums come from the cells, but products for the sampling variance use clusters as units: features are summed per cluster
before they are multiplied. Responses are read in blocks of whole clusters, whose results are added, so no matrix of all
clusters is in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from reportgen.tally.cells import OVERALL, Form, Tally, formed_scores, numbered, totals
from reportgen.tally.features import Moments, Units, feature_polynomials, moving, pilot_centre, system_offset
from reportgen.tally.intervals import ROUNDING
from reportgen.tally.kernel import Groups, cells_of
from reportgen.tally.sums import Floats, Integers

BLOCK_ROWS = 1 << 14  # responses per block, unless one cluster has more


class ClusterParts(NamedTuple):
    """The (place, cluster) pairs of a block, sorted by place, and the responses of each.

    place, cluster: (pairs,).
    order: the responses with a place, ordered by pair.
    starts (pairs + 1,): start of each pair in `order`.
    """

    place: Integers
    cluster: Integers
    order: Integers
    starts: Integers


class Block(NamedTuple):
    """Responses of some whole clusters, ordered by cluster; every cluster has at least one.

    starts (clusters + 1,): start of the responses of each cluster.
    cell, u (n,): cell of each response, and its score minus its rounded score.
    level (n,): level of the requested grouping; -1 if it is not shown.
    weight (n,): weight of each response; None if all are 1.
    """

    starts: Integers
    cell: NDArray[np.integer]
    u: Floats
    level: NDArray[np.integer]
    weight: Floats | None = None

    @property
    def clusters(self) -> int:
        """Number of clusters."""
        return len(self.starts) - 1

    @property
    def of_row(self) -> Integers:
        """(n,): the cluster of each response."""
        return np.repeat(np.arange(self.clusters), np.diff(self.starts))

    def inside(self) -> Block:
        """Return the responses with a level, without empty clusters."""
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
        """Return place (default: their cell), u, and weight of some responses."""
        place = self.cell if place is None else place
        return place[rows], self.u[rows], None if self.weight is None else self.weight[rows]

    def weighed(self, amounts: Floats) -> Floats:
        """Return (n,) amounts times the weights of their responses."""
        return amounts if self.weight is None else amounts * self.weight

    def parts(self, place: NDArray[np.integer], places: int) -> ClusterParts:
        """Return the (place, cluster) pairs of responses; place -1 is excluded."""
        short = place.astype(np.int16) if places < 1 << 15 else place  # NumPy sorts two bytes by counting
        order = np.argsort(short, kind="stable")
        order = order[np.count_nonzero(place < 0) :]
        key = place[order].astype(np.intp) * self.clusters + self.of_row[order]
        new = np.flatnonzero(np.diff(key, prepend=-1))
        return ClusterParts(*np.divmod(key[new], self.clusters), order, np.append(new, len(key)))


class Blocks(Protocol):
    """Responses in blocks of whole clusters, which can be read repeatedly."""

    def of(self, grouping: str) -> Iterator[Block]:
        """Yield the blocks, with the levels of a grouping."""


class HeldBlocks(NamedTuple):
    """`Block` of all responses in memory, and levels by grouping column, (n,); -1 if not shown."""

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
    """Return the first cluster of each block, and the one after its last.

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
    """Return the number of each label's level in a tally, -1 if there is none."""
    number = {label: index for index, label in enumerate(tally.slices[grouping].labels)}
    return np.array([number.get(label, -1) for label in labels], np.int32)


class CellFinder:
    """Finds the cell of each response that a tally was counted from.

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
        """Return the cell of each response, and its score minus its rounded score; all must be in the tally."""
        cells = cells_of(ratings, system, self._bounds)
        number, first = numbered(cells.columns())
        cell = np.searchsorted(self._cells, _records(cells.take(first).keys()))
        return cell.astype(np.int32)[number], system - cells.system


def _records(matrix: Floats) -> NDArray[np.void]:
    return np.ascontiguousarray(matrix).view([("", np.float64)] * matrix.shape[1])[:, 0]


MOST_PLACES = 1 << 22  # places up to which a full table is faster than a search

MOST_PRODUCTS = 1 << 11  # largest number of rows of the matrix of products (32 MB)

MOST_PAIRS = 32  # pairs within clusters, per response, up to which their products are added

MOST_OUTPUTS = 32  # influences that are computed at a time


class Summing:
    """Sums, over runs of responses, of polynomials in u by each response's place (cell or entry).

    The polynomials, (3, places, outputs), are 1 + 2 u and 3 for these two runs:

    >>> adds = Summing(np.array([[[1.0], [3.0]], [[2.0], [0.0]], [[0.0], [0.0]]]))
    >>> adds(np.array([0, 2, 3]), np.array([0, 1, 0]), np.array([0.5, 0.25, 0.0])).tolist()
    [[5.0], [1.0]]
    """

    def __init__(self, polynomials: Floats) -> None:
        self._places, self.outputs = polynomials.shape[1:]
        used = [np.flatnonzero(coefficients.any(axis=0)) for coefficients in polynomials]
        self._degrees = [(each, np.ascontiguousarray(polynomials[place][:, each])) for place, each in enumerate(used)]

    def __call__(self, starts: Integers, place: NDArray[np.integer], u: Floats, weight: Floats | None = None) -> Floats:
        """Return (runs, outputs) sums; the responses of a run are consecutive, with (n,) weights (default: 1)."""
        from scipy.sparse import csr_array

        total = np.zeros((len(starts) - 1, self.outputs))
        one = np.ones(len(place)) if weight is None else weight
        for power, (columns, coefficients) in zip((one, one * u, one * u * u), self._degrees, strict=True):
            if len(columns):  # most features do not depend on u
                rows = csr_array((power, place, starts), (len(total), self._places))
                total[:, columns] += rows @ coefficients
        return total


@dataclass(frozen=True)
class ClusteredRows:
    """The responses of one tally, with their clusters.

    by_candidate: whether a cluster is a test taker; otherwise it is a response, whose rows are possible draws of
        ratings.
    of_sample: whether rows have sampling weights; the number of units is then Kish's (1965) effective sample size.
    """

    tally: Tally  # counts of the same responses
    source: Blocks  # the responses in blocks of whole clusters
    by_candidate: bool = True
    of_sample: bool = False
    _entries: dict[str, NDArray[np.int32]] = field(default_factory=dict, repr=False, compare=False)
    _made: dict[tuple[str, Form], Moments] = field(default_factory=dict, repr=False, compare=False)
    _units: dict[tuple[str, int, bytes], Floats] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(
        cls,
        tally: Tally,
        system: Floats,
        ratings: Floats,
        groups: Groups,
        clusters: NDArray[np.integer],
        weights: Floats | None = None,
        *,
        by_candidate: bool = True,
        of_sample: bool = False,
    ) -> ClusteredRows:
        """Return the rows of a tally; arguments as for `Tallier.add`, and (n,) codes of clusters."""
        cell, u = CellFinder(tally).find(system, ratings)
        return cls(tally, held(tally, cell, u, groups, clusters, weights), by_candidate, of_sample)

    def inside(self, grouping: str) -> Iterator[Block]:
        """Yield the responses in a level of the grouping: all, unless levels are withheld."""
        insides = (block.inside() for block in self.source.of(grouping))
        return (block for block in insides if block.clusters)

    def moments(self, grouping: str, form: Form) -> Moments:
        """Compute the moments of every level of `grouping`, with clusters as units."""
        if (grouping, form) not in self._made:
            self._made[grouping, form] = self._moments(grouping, form)
        return self._made[grouping, form]

    def _moments(self, grouping: str, form: Form) -> Moments:
        offset, adds = self._offset(form), self._adds(form)
        labels = self.tally.slices[grouping].labels
        size, columns = adds.outputs, Units.COLUMNS
        sums, units = np.zeros((len(labels), size)), np.zeros((len(labels), len(columns)))
        products, cross = np.zeros((2, len(labels), size, size))
        for block in self.source.of(grouping):
            parts = block.parts(block.level, len(labels))
            if not len(parts.place):
                continue
            own = adds(parts.starts, *block.taken(parts.order))
            starts = np.flatnonzero(np.diff(parts.place, prepend=-1))
            here = parts.place[starts]
            sums[here] += np.add.reduceat(own, starts, axis=0)
            units[here] += np.add.reduceat(own[:, columns] > 0, starts, axis=0, dtype=np.intp)
            at_home = len(own) == block.clusters and len(parts.order) == len(block.u)  # each cluster in one level
            around = own if at_home else adds(block.starts, block.cell, block.u, block.weight)[parts.cluster]
            for level, start, stop in zip(here, starts, [*starts[1:], len(own)], strict=True):
                square = own[start:stop].T @ own[start:stop]
                products[level] += square
                cross[level] += square if at_home else around[start:stop].T @ own[start:stop]
        if self.of_sample:
            squares = np.diagonal(products, axis1=1, axis2=2)[:, columns]
            units = np.where(squares > 0, sums[:, columns] ** 2 / np.where(squares > 0, squares, 1.0), 0.0)
        sums = sums @ moving(offset).T if offset else sums
        found = Moments(labels, sums, products, pilot_centre(self.tally), cross, Units(*units.T), offset)
        return found.with_ratings_alone(self.tally.ratings_alone.get(grouping))

    def features(
        self, form: Form, grouping: str = OVERALL, among: NDArray[np.bool_] | None = None
    ) -> tuple[Integers, Integers, Floats]:
        """Compute the features of the (level, cluster) pairs of a grouping, sorted by level.

        Clusters are numbered in their order, levels as in the tally. The features, (pairs, features), are summed over
        the pair's responses and measured from the ratings' center.

        among (levels,): the levels to include; default: all.
        """
        adds, levels = self._adds(form), len(self.tally.slices[grouping].labels)
        move = moving(self._offset(form)).T
        found: list[tuple[Integers, Integers, Floats]] = []
        clusters = 0
        for block in self.source.of(grouping):
            level = block.level if among is None else np.where(among[block.level], block.level, -1)
            parts = block.parts(np.where(block.level < 0, -1, level), levels)
            if len(parts.place):
                own = adds(parts.starts, *block.taken(parts.order))
                found.append((parts.place, parts.cluster + clusters, own @ move))
            clusters += block.clusters
        place, cluster, own = (np.concatenate(each) for each in zip(*found, strict=True))
        order = np.argsort(place, kind="stable")
        return place[order], cluster[order], own[order]

    def _adds(self, form: Form) -> Summing:
        return Summing(self._polynomials(form))

    def _offset(self, form: Form) -> float:
        return system_offset(self.tally, formed_scores(self.tally, form), pilot_centre(self.tally))

    def _polynomials(self, form: Form) -> Floats:
        scores, centre = formed_scores(self.tally, form), pilot_centre(self.tally)
        return feature_polynomials(self.tally, scores, centre, self._offset(form))

    def squared(self, grouping: str, moved: Floats, place: Integers | None = None, places: int = 1) -> Floats:
        """Compute (outputs, places): sums over clusters of the squared influence of their responses at a place.

        moved (outputs, 3, entries): influence of a response of an entry, as ``c[0] + c[1] u + c[2] u^2``; or (outputs,
            entries) if it does not depend on u.
        place (entries,): place of each entry, -1 for none; default: the same place.
        """
        moved = moved if moved.ndim == 3 else np.stack([moved, *np.zeros((2, *moved.shape))], axis=1)
        place = np.zeros(moved.shape[2], np.intp) if place is None else place
        if grouping == OVERALL and self._products is not None:
            apart = np.where((place == np.arange(places)[:, None])[:, None], moved[:, None], 0.0)
            return _squares(apart.reshape(-1, *moved.shape[1:]), self._products).reshape(-1, places)
        outputs = range(0, len(moved), MOST_OUTPUTS)
        adds = [Summing(moved[first : first + MOST_OUTPUTS].transpose(1, 2, 0)) for first in outputs]
        square = np.zeros((len(moved), places))
        for block in self.inside(grouping):
            entry = self.entries(grouping, block)
            parts = block.parts(place[entry], places)
            own = np.concatenate([each(parts.starts, *block.taken(parts.order, entry)) for each in adds], axis=1)
            square += [totals(parts.place, each**2, places) for each in own.T]
        return square

    def units(self, grouping: str, counted: NDArray[np.bool_]) -> Floats:
        """Count the clusters of each level with a response in one of the `counted` cells."""
        slices = self.tally.slices[grouping]
        return self.units_at(grouping, np.where(counted[slices.cell], slices.level, -1), len(slices.labels))

    def units_at(self, grouping: str, place: Integers, places: int) -> Floats:
        """Count the clusters with a response at each place; place (entries,): of each entry, -1 for none."""
        asked = grouping, places, place.tobytes()
        if asked not in self._units:
            units = np.zeros(places)
            for block in self.inside(grouping):
                here = block.parts(place[self.entries(grouping, block)], places).place
                units += np.bincount(here, minlength=places)
            self._units[asked] = units
        return self._units[asked]

    @cached_property
    def _products(self) -> Floats | None:
        """(3 entries, 3 entries): sums over clusters of products of the count, u, and u^2 of entries.

        They determine the variance of any function of cells without another pass over the responses. None if there are
        too many entries, or if clusters are so large that a pass is faster.
        """
        from scipy.sparse import csr_array

        cells, n = len(self.tally.cells), self.tally.n
        if 3 * cells > MOST_PRODUCTS:
            return None
        products, pairs, rows_so_far = np.zeros((3 * cells, 3 * cells)), 0.0, 0
        powers = np.arange(3, dtype=np.int32) * cells
        for block in self.source.of(OVERALL):
            pairs += float((np.diff(block.starts).astype(np.float64) ** 2).sum())
            rows_so_far += len(block.u)
            if pairs > MOST_PAIRS * max(n, rows_so_far):  # weighted rows outnumber responses
                return None
            entry = self.entries(OVERALL, block)[:, None] + powers
            u = np.stack([block.weighed(power) for power in (np.ones_like(block.u), block.u, block.u**2)], axis=1)
            rows = csr_array((u.ravel(), entry.ravel(), 3 * block.starts), (block.clusters, 3 * cells))
            rows.eliminate_zeros()
            found = (rows.T @ rows).tocoo()
            np.add.at(products.ravel(), found.row * np.intp(3 * cells) + found.col, found.data)
        return products

    def entries(self, grouping: str, block: Block) -> NDArray[np.integer]:
        """Return the entry of the tally's slices of each response of a block; all must be `inside`."""
        slices, cells = self.tally.slices[grouping], len(self.tally.cells)
        place = block.level.astype(np.intp) * cells + block.cell
        if len(slices.labels) * cells > MOST_PLACES:
            return np.searchsorted(slices.level * cells + slices.cell, place)
        if grouping not in self._entries:
            entry = np.zeros(len(slices.labels) * cells, np.int32)
            entry[slices.level * cells + slices.cell] = np.arange(len(slices.cell))
            self._entries[grouping] = entry
        return self._entries[grouping][place]


def held(
    tally: Tally,
    cell: NDArray[np.int32],
    u: Floats,
    groups: Groups,
    clusters: NDArray[np.integer],
    weights: Floats | None,
) -> HeldBlocks:
    """Return responses in blocks of whole clusters; arguments as for `ClusteredRows.of`."""
    known = {name: group for name, group in groups.items() if name in tally.slices}
    order = np.argsort(clusters, kind="stable")
    starts = np.append(np.flatnonzero(np.diff(clusters[order], prepend=-1)), len(order))
    levels = {name: level_numbers(tally, name, labels)[codes[order]] for name, (codes, labels) in known.items()}
    return HeldBlocks(starts, cell[order], u[order], levels, None if weights is None else weights[order])


def _squares(moved: Floats, products: Floats) -> Floats:
    flat = moved.reshape(len(moved), -1)
    square = ((flat @ products) * flat).sum(axis=1)
    parts = np.abs(flat) @ np.sqrt(np.diagonal(products))
    return np.where(square > (ROUNDING * parts) ** 2, square, 0.0)
