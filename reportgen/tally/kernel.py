"""Counting of rows: equal rows get the same number, and are summed by number.

One algorithm for every scale, for one or two systems, and for groupings with few or many levels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.tally.cells import CLASSES, OVERALL, Cells, Slices, Tally, merge, merged, numbered, rounding_of
from reportgen.tally.sums import Floats, Integers

ROWS_AT_A_TIME = 1 << 16  # rows counted together, so that working arrays fit into the processor's cache

MOST_PARTS = 16  # tallies of blocks that are collected before merging

Groups = Mapping[str, tuple[NDArray[np.integer], Sequence[str]]]
"""(code of each row, label of each code) by grouping column."""

MONOMIALS = ((0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (0, 1), (1, 1), (2, 1), (3, 1), (0, 2), (1, 2), (2, 2), (0, 3),
             (1, 3), (0, 4))  # fmt: skip
"""Powers of u and w whose sums are stored; the first five are the power sums of the first system's tally."""

Bounds = tuple[float, float]


def state_of(system: Floats, first: Floats, bounds: Bounds) -> NDArray[np.int8]:
    """Return each row's state: class of system - first rating, and trimming class."""
    rounding = rounding_of(bounds)
    error, near, step = system - first, rounding.near, rounding.adjacent
    state = (error >= -step).view(np.int8) + (error >= -near) + (error > near) + (error > step)
    state += np.int8(CLASSES) * (system >= bounds[0])
    state += np.int8(CLASSES) * (system > bounds[1])
    return state


T = TypeVar("T")


class _Collecting(Generic[T]):
    """Collects tallies of blocks and merges them regularly, so that memory does not grow with the rows."""

    def __init__(self, merge: Callable[[Iterable[T]], T]) -> None:
        self._merge = merge
        self._parts: list[T] = []

    def _hold(self, part: T) -> None:
        self._parts.append(part)
        if len(self._parts) > MOST_PARTS:
            self.tally()

    def tally(self) -> T:
        self._parts = [self._merge(self._parts)]
        return self._parts[0]


class Tallier(_Collecting[Tally]):
    """Builds a `Tally` from any number of batches; `bounds` are those of trimming, tolerance included."""

    def __init__(self, bounds: Bounds = (-np.inf, np.inf)) -> None:
        super().__init__(merge)
        self._bounds = bounds

    def add(
        self, ratings: ArrayLike, system: ArrayLike, groups: Groups | None = None, weights: Floats | None = None
    ) -> None:
        """Count a batch of responses.

        ratings (rows, raters): or (rows,); NaN if missing.
        weights (rows,): weight of each row, with a sum of 1 per response; default: 1.
        """
        every, given = np.ascontiguousarray(system, np.float64), np.asarray(ratings, np.float64)
        given = given[:, None] if given.ndim == 1 else given
        for block in blocks(len(every)):
            scores = every[block]
            cells = cells_of(given[block], scores, self._bounds)
            count = np.ones(len(scores)) if weights is None else weights[block]
            powers = [count, *(count * power for power in _powers(scores - cells.system))]
            first, slices = _counted(cells.columns(), powers, groups or {}, block, scores)
            self._hold(Tally(cells.take(first), slices, self._bounds))

    @property
    def cells(self) -> int:
        """Number of cells in memory, including those that are not merged yet."""
        return sum(len(part.cells) for part in self._parts)


class PairedTally(NamedTuple):
    """Mergeable sufficient statistics of two systems' scores of the same responses.

    A *joint cell* is one distinct combination of ratings and both systems' rounded scores and states. The sums are of
    ``u^i w^j`` up to the fourth degree in products of features, where u is the first score minus its rounded score, and
    ``u + w`` the same for the second: as a difference, what the systems share cancels exactly.

    first, second (cells,): the joint cells, as cells of either system, with the same ratings.
    slices: (level, joint cell) pairs by grouping column, including `OVERALL`, with sums of `MONOMIALS`. Smallest and
        largest scores are the first system's.
    bounds: lowest and highest score after trimming of either system.

    >>> human, one, other = np.array([[4.0], [3.0], [4.0]]), np.array([4.25, 3.0, 4.0]), np.array([4.0, 3.0, 4.5])
    >>> tallier = PairedTallier(((1, 6), (1, 6)))
    >>> tallier.add(human, one, other, {})
    >>> tally = tallier.tally()
    >>> tally.n, len(tally.first), tally.slices[""].sums[:3].tolist()
    (3, 3, [[1.0, 1.0, 1.0], [0.0, 0.0, 0.25], [0.0, 0.0, 0.0625]])
    """

    first: Cells
    second: Cells
    slices: Mapping[str, Slices]
    bounds: tuple[Bounds, Bounds]

    @property
    def n(self) -> int:
        """Number of responses."""
        return int(self.slices[OVERALL].sums[0].sum())

    @property
    def entries(self) -> int:
        """Number of sums of each kind, which determines memory."""
        return sum(len(each.cell) for each in self.slices.values())

    def side(self, number: int) -> Tally:
        """Return the cells of the first (0) or second (1) system, with the slices of both.

        Counts and features of cells are correct, but the power sums are the first system's.
        """
        return Tally((self.first, self.second)[number], self.slices, self.bounds[number])

    def keys(self) -> Floats:
        """Return the joint cells as rows of one matrix."""
        return np.column_stack([self.first.keys(), self.second.system, self.second.state])


def merge_paired(tallies: Iterable[PairedTally]) -> PairedTally:
    """Merge tallies with the same bounds, raters, and groupings, in any order."""
    parts = list(tallies)
    keys, slices = merged([part.keys() for part in parts], [part.slices for part in parts])
    own, other = keys[:, :-2], keys[:, -2:]
    first = Cells.from_keys(own)
    return PairedTally(first, Cells.from_keys(np.column_stack([first.ratings, other])), slices, parts[0].bounds)


class PairedTallier(_Collecting[PairedTally]):
    """Builds a `PairedTally` from any number of batches; `bounds` are those of either system."""

    def __init__(self, bounds: tuple[Bounds, Bounds]) -> None:
        super().__init__(merge_paired)
        self._bounds = bounds

    @property
    def entries(self) -> int:
        """Number of sums of each kind so far."""
        return self.tally().entries if self._parts else 0

    def add(self, human: Floats, first: Floats, second: Floats, groups: Groups) -> None:
        """Count a batch of (rows,) finite scores of responses with (rows, raters) ratings."""
        for block in blocks(len(first)):
            one = cells_of(human[block], first[block], self._bounds[0])
            two = replace(cells_of(human[block, :1], second[block], self._bounds[1]), ratings=one.ratings)
            u, v = first[block] - one.system, second[block] - two.system
            powers = [[np.ones(len(u)), *_powers(each)] for each in (u, v - u)]
            sums = [powers[0][i] * powers[1][j] for i, j in MONOMIALS]
            at, slices = _counted([*one.columns(), two.system, two.state], sums, groups, block, first[block])
            self._hold(PairedTally(one.take(at), two.take(at), slices, self._bounds))


def tally_of(
    system: ArrayLike, ratings: ArrayLike, groups: Groups | None = None, bounds: tuple[float, float] = (-np.inf, np.inf)
) -> Tally:
    """Return the tally of scores in memory.

    system (n,): finite system scores.
    ratings (n,): or (n, raters): human scores, NaN if missing.
    groups: (integer code of each response, label of each code) by grouping column.
    bounds: lowest and highest score after trimming (tolerance included).
    """
    tallier = Tallier(bounds)
    tallier.add(ratings, system, groups)
    return tallier.tally()


def _powers(u: Floats) -> list[Floats]:
    square = u * u
    return [u, square, square * u, square * square]


def blocks(rows: int) -> Iterator[slice]:
    """Yield slices that divide rows into blocks of about the same size.

    >>> [block.stop - block.start for block in blocks(ROWS_AT_A_TIME + 2)] == [ROWS_AT_A_TIME // 2 + 1] * 2
    True
    """
    count = -(-rows // ROWS_AT_A_TIME)
    for number in range(count):
        yield slice(rows * number // count, rows * (number + 1) // count)


def _counted(
    columns: Sequence[NDArray[np.generic]], powers: Sequence[Floats], groups: Groups, block: slice, system: Floats
) -> tuple[Integers, dict[str, Slices]]:
    cell, first = numbered(columns)
    if not groups:
        return first, {OVERALL: Slices.of(np.zeros(len(cell), np.intp), ("",), cell, powers, system, system)}
    slices = {
        name: Slices.of(codes[block], labels, cell, powers, system, system) for name, (codes, labels) in groups.items()
    }
    if OVERALL not in slices:  # its entries are the sums of any grouping
        one = next(iter(slices.values()))
        ends = one.minimum.min(keepdims=True), one.maximum.max(keepdims=True)
        slices = {OVERALL: Slices(("",), np.zeros_like(one.cell), one.cell, one.sums, *ends), **slices}
    return first, slices


def cells_of(human: Floats, system: Floats, bounds: Bounds) -> Cells:
    """Return the cell of each row."""
    rounding = rounding_of(bounds)
    ratings = rounding.ratings(human)
    points = np.where(np.isnan(ratings), -np.inf, ratings) + 0.0  # no -0.0
    return Cells(points, rounding.nearest(system) + 0.0, state_of(system, human[:, 0], bounds))


def counted_ratings(
    human: Floats, *, interchangeable: bool, weights: tuple[Floats, Floats] | None
) -> WeightedRatings | None:
    """Return the weighted rows to count instead of responses; None if each response counts once.

    interchangeable: whether raters are interchangeable.
    weights: of first and second scores, (n,) each, as for `WeightedRatings.of_sample`; None if all are equal.
    """
    rows = drawn(human) if interchangeable else None
    if weights is None:
        return rows
    return (rows or WeightedRatings(np.arange(len(human)), human, np.ones(len(human)))).of_sample(*weights)


BLOCK_NUMBERS = 1 << 22  # ratings of rows in memory at a time (32 MB)


class WeightedRatings(NamedTuple):
    """Rows that are counted instead of responses, ordered by response.

    response (rows,): position of the response.
    ratings (rows, ratings): NaN if missing.
    weight (rows,): weight of the row.
    drawn: whether raters are interchangeable, so that no rating of a response comes first.
    rater (rows,): code of the rater of the first rating, if requested.
    """

    response: Integers
    ratings: Floats
    weight: Floats
    drawn: bool = False
    rater: NDArray[np.integer] | None = None

    def at(self, kept: NDArray[np.bool_]) -> WeightedRatings:
        """Return some of the rows."""
        return self._replace(response=self.response[kept], ratings=self.ratings[kept], weight=self.weight[kept])

    def of_sample(self, first: Floats, second: Floats) -> WeightedRatings:
        """Weight the rows of a sample to describe its population (Hájek 1971).

        Sums over first scores are weighted by `first`, and sums over two scores by `first` times `second`. A row with
        two ratings has the product as weight, and an extra row with its first rating the rest. Both weights are scaled
        to a mean of 1, so equal weights have no effect.

        first, second (responses,): number of responses that each represents in the population, and, for those with two
            scores, number of responses with a score.

        >>> rows = WeightedRatings(np.arange(3), np.array([[4.0, 5.0], [2.0, 2.0], [3.0, np.nan]]), np.ones(3))
        >>> found = rows.of_sample(np.array([2.0, 2.0, 2.0]), np.array([3.0, 1.0, 1.0]))
        >>> found.response.tolist(), found.weight.tolist()
        ([0, 0, 1, 1, 2], [1.5, -0.5, 0.5, 0.5, 1.0])
        """
        weight = self.weight * (first * len(first) / first.sum())[self.response]
        twice = np.isfinite(self.ratings).sum(axis=1) > 1
        share = np.where(twice, second[self.response], 1.0)
        if twice.any():
            share[twice] *= weight[twice].sum() / (weight * share)[twice].sum()
        rest = np.flatnonzero(twice & (share != 1))
        alone = np.full((len(rest), self.ratings.shape[1]), np.nan)
        alone[:, 0] = self.ratings[rest, 0]
        response = np.append(self.response, self.response[rest])
        order = np.argsort(response, kind="stable")
        ratings = np.concatenate([self.ratings, alone])
        weights = np.append(weight * share, (weight * (1 - share))[rest])
        return WeightedRatings(response[order], ratings[order], weights[order], self.drawn)


def drawn(ratings: Floats, raters: NDArray[np.integer] | None = None) -> WeightedRatings:
    """Return the possible pairs of drawn ratings and their probabilities, with equal pairs of a response as one row.

    A row contains the first and the second drawn rating, then the response's other ratings in descending order.

    ratings (responses, raters): NaN if missing. Responses without ratings have no row.
    raters (responses, raters): codes of the raters; equal pairs are then separate, and each rating is paired with at
        most `MOST_PARTNERS` others.

    >>> found = drawn(np.array([[4.0, np.nan, 2.0], [np.nan, 3.0, np.nan], [1.0, 1.0, 1.0]]))
    >>> found.response.tolist(), found.weight.tolist()
    ([0, 0, 1, 2], [0.5, 0.5, 1.0, 1.0])
    >>> found.ratings[:2, :2].tolist()
    [[2.0, 4.0], [4.0, 2.0]]
    """
    given = np.isfinite(ratings).sum(axis=1)
    widest = int(given.max(initial=1))
    order = np.argsort(-ratings if raters is None else np.isnan(ratings), axis=1, kind="stable")[:, :widest]
    own = np.take_along_axis(ratings, order, axis=1)  # NaN is sorted last
    who = own if raters is None else np.take_along_axis(raters, order, axis=1)
    parts = [part for count in np.unique(given[given > 0]).tolist() for part in _of_size(own, who, given, count)]
    if not parts:
        return WeightedRatings(np.zeros(0, np.intp), np.zeros((0, widest)), np.zeros(0), drawn=True)
    response, pairs, weight, rater = (np.concatenate(each) for each in zip(*parts, strict=True))
    place = np.argsort(response, kind="stable")
    return WeightedRatings(
        response[place], pairs[place], weight[place], drawn=True, rater=None if raters is None else rater[place]
    )


MOST_PARTNERS = 3
"""Largest number of other ratings that are paired with each rating if raters matter; with four ratings, all."""

OfSize = tuple[Integers, Floats, Floats, NDArray[Any]]
"""Response, ratings, and weight of rows, and the rater of the first rating."""


def _of_size(own: Floats, who: NDArray[Any], given: Integers, count: int) -> Iterator[OfSize]:
    responses = np.flatnonzero(given == count)
    if count == 1:
        yield responses, own[responses], np.ones(len(responses)), who[responses, 0]
        return
    most = count if who is own else MOST_PARTNERS + 1
    pairs_of = ((a, b) for a in range(count) for b in range(count) if 0 < (b - a) % count < most)
    places = np.array([(a, b, *(place for place in range(count) if place not in (a, b))) for a, b in pairs_of])
    size = max(1, BLOCK_NUMBERS // places.size)
    for start in range(0, len(responses), size):
        block = responses[start : start + size]
        pairs = own[block][:, places]
        first, second = (np.unique(pairs[..., place], return_inverse=True)[1].reshape(-1) for place in (0, 1))
        distinct = int(second.max()) + 1
        row = np.repeat(np.arange(len(block)), len(places))
        key = (row * (int(first.max()) + 1) + first) * distinct + second
        key = key if who is own else np.arange(len(key))
        _, one, times = np.unique(key, return_index=True, return_counts=True)
        full = np.full((len(one), own.shape[1]), np.nan)
        full[:, :count] = pairs.reshape(-1, count)[one]
        full[:, 2:count] = -np.sort(-full[:, 2:count], axis=1)
        yield block[row[one]], full, times / len(places), who[block][:, places[:, 0]].reshape(-1)[one]
