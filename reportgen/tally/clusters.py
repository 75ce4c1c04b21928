"""Moments when responses come in clusters: one candidate wrote several, so they do not vary independently.

Sums are those of the cells; what changes is which products describe their sampling variance.  The
unit is then the cluster: features are summed per cluster before they are multiplied.  Responses come
in blocks of whole clusters, and what blocks give is added up, so that no matrix of all clusters is held.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from reportgen.tally.cells import OVERALL, Form, Integers, Tally, formed_scores, numbered, totals
from reportgen.tally.features import Moments, Units, feature_polynomials, moving, pilot_centre, system_offset
from reportgen.tally.intervals import ROUNDING
from reportgen.tally.kernel import Groups, on_points, state_of
from reportgen.tally.sums import Floats

BLOCK_ROWS = 1 << 14
"""Responses of a block, unless one cluster has more."""


class ClusterParts(NamedTuple):
    """The (place, cluster) pairs that occur in a block, sorted by place, and the responses of each.

    place, cluster: (pairs,).
    order: The responses that have a place, those of one pair together.
    starts (pairs + 1,): where in `order` those of each pair begin.
    """

    place: Integers
    cluster: Integers
    order: Integers
    starts: Integers


class Block(NamedTuple):
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


class HeldBlocks(NamedTuple):
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


MOST_PLACES = 1 << 22
"""Places up to which a table of all of them is faster than a search."""

MOST_PRODUCTS = 1 << 11
"""Rows of the matrix of products that is held (32 MB)."""

MOST_PAIRS = 32
"""Pairs of responses of one cluster, for each response, up to which their products are added."""

MOST_OUTPUTS = 32
"""Influences that are followed at a time."""


class Summing:
    """Adds up, over runs of responses, polynomials in u that depend on each response's place (its cell, or its entry).

    polynomials: (3, places, outputs).

    Examples
    --------
    Two runs of responses with the polynomials 1 + 2 u and 3:

    >>> adds = Summing(np.array([[[1.0], [3.0]], [[2.0], [0.0]], [[0.0], [0.0]]]))
    >>> adds(np.array([0, 2, 3]), np.array([0, 1, 0]), np.array([0.5, 0.25, 0.0])).tolist()
    [[5.0], [1.0]]
    """

    def __init__(self, polynomials: Floats) -> None:
        self._places, self.outputs = polynomials.shape[1:]
        used = [np.flatnonzero(coefficients.any(axis=0)) for coefficients in polynomials]
        self._degrees = [(each, np.ascontiguousarray(polynomials[place][:, each])) for place, each in enumerate(used)]

    def __call__(self, starts: Integers, place: NDArray[np.integer], u: Floats, weight: Floats | None = None) -> Floats:
        """Return (runs, outputs); the responses of one run stand one behind the other from its start.

        `weight`, (n,), is what each response counts for: 1 when left out.
        """
        from scipy.sparse import csr_array

        total = np.zeros((len(starts) - 1, self.outputs))
        one = np.ones(len(place)) if weight is None else weight
        for power, (columns, coefficients) in zip((one, one * u, one * u * u), self._degrees, strict=True):
            if len(columns):  # most features do not go with u
                rows = csr_array((power, place, starts), (len(total), self._places))
                total[:, columns] += rows @ coefficients
        return total


@dataclass(frozen=True)
class ClusteredRows:
    """The responses behind one tally, with their clusters.

    tally: Counts the same responses.
    source: The responses in blocks of whole clusters.
    by_candidate: Whether a cluster is a candidate; else it is a response, whose rows are the ratings that may be drawn.
    of_sample: Whether rows have weights of a sample; units are then as many as would tell as much with equal weights
        (Kish 1965).
    """

    tally: Tally
    source: Blocks
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
        """Return the rows that `tally` was counted from; arguments as for `Tallier.add`, and (n,) codes of clusters."""
        cell, u = CellFinder(tally).find(system, ratings)
        return cls(tally, held(tally, cell, u, groups, clusters, weights), by_candidate, of_sample)

    def inside(self, grouping: str) -> Iterator[Block]:
        """Yield the responses that are in a level of the grouping: all, unless levels are withheld."""
        insides = (block.inside() for block in self.source.of(grouping))
        return (block for block in insides if block.clusters)

    def moments(self, grouping: str, form: Form) -> Moments:
        """Return the moments of every level of `grouping`, with clusters as units."""
        if (grouping, form) not in self._made:
            self._made[grouping, form] = self._moments(grouping, form)
        return self._made[grouping, form]

    def _moments(self, grouping: str, form: Form) -> Moments:
        offset, adds = self._offset(form), Summing(self._polynomials(form))
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
        """Return the (level, cluster) pairs of a grouping sorted by level, and their features, all at once.

        Clusters are numbered as they come, levels as in the tally; the features, (pairs, features), are summed over
        the pair's responses and measured from the ratings' centre.

        among (levels,): the levels that are wanted; all when left out.
        """
        adds, levels = Summing(self._polynomials(form)), len(self.tally.slices[grouping].labels)
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

    def _offset(self, form: Form) -> float:
        return system_offset(self.tally, formed_scores(self.tally, form), pilot_centre(self.tally))

    def _polynomials(self, form: Form) -> Floats:
        """Return the features of responses, (3, cells, features)."""
        scores, centre = formed_scores(self.tally, form), pilot_centre(self.tally)
        return feature_polynomials(self.tally, scores, centre, offset=self._offset(form))

    def squared(self, grouping: str, moved: Floats, place: Integers | None = None, places: int = 1) -> Floats:
        """Return (outputs, places): sums over clusters of the square of what their responses at a place move together.

        moved (outputs, 3, entries): influence of a response of an entry, as ``c[0] + c[1] u + c[2] u^2``; or
            (outputs, entries), when it does not go with u.
        place (entries,): where each is, -1 for nowhere; all are at one place when left out.
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
        """Return (levels,): how many clusters have a response there that is in one of the `counted` cells, (cells,)."""
        slices = self.tally.slices[grouping]
        return self.units_at(grouping, np.where(counted[slices.cell], slices.level, -1), len(slices.labels))

    def units_at(self, grouping: str, place: Integers, places: int) -> Floats:
        """Return (places,): how many clusters have a response there; place (entries,): of each, -1 for nowhere."""
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
        """(3 entries, 3 entries): sums over clusters of products of how many responses of one entry, their u, and u^2.

        From these the variance of anything that goes by cells follows without another look at the responses.  None
        where entries are too many, or clusters so large that looking costs less.
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
            if pairs > MOST_PAIRS * max(n, rows_so_far):  # rows that weigh are more than responses
                return None
            entry = self.entries(OVERALL, block)[:, None] + powers
            u = np.stack([block.weighed(power) for power in (np.ones_like(block.u), block.u, block.u**2)], axis=1)
            rows = csr_array((u.ravel(), entry.ravel(), 3 * block.starts), (block.clusters, 3 * cells))
            rows.eliminate_zeros()
            found = (rows.T @ rows).tocoo()
            np.add.at(products.ravel(), found.row * np.intp(3 * cells) + found.col, found.data)
        return products

    def entries(self, grouping: str, block: Block) -> NDArray[np.integer]:
        """Return the entry of the tally's slices that each response of a block is counted in; all must be `inside`."""
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
    weights: Floats | None = None,
) -> HeldBlocks:
    """Return responses in blocks of whole clusters; arguments as for `ClusteredRows.of`."""
    known = {name: group for name, group in groups.items() if name in tally.slices}
    order = np.argsort(clusters, kind="stable")
    starts = np.append(np.flatnonzero(np.diff(clusters[order], prepend=-1)), len(order))
    levels = {name: level_numbers(tally, name, labels)[codes[order]] for name, (codes, labels) in known.items()}
    return HeldBlocks(starts, cell[order], u[order], levels, None if weights is None else weights[order])


def _squares(moved: Floats, products: Floats) -> Floats:
    """Return (outputs,): sums over clusters of squared influences, (outputs, 3, entries), from products.

    What cancels to less than the rounding of its parts is 0.
    """
    flat = moved.reshape(len(moved), -1)
    square = ((flat @ products) * flat).sum(axis=1)
    parts = np.abs(flat) @ np.sqrt(np.diagonal(products))
    return np.where(square > (ROUNDING * parts) ** 2, square, 0.0)
