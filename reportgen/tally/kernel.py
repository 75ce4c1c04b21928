"""From rows to tallies: rows that hold the same are numbered alike, and summed by number.

One way for every scale, for one system or two beside each other, with groups of few levels or many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.tally.cells import CLASSES, OVERALL, Cells, Integers, Slices, Tally, distinct, merge, rounding_of, totals
from reportgen.tally.paired import MONOMIALS, NEITHER, Bounds, PairedTally, merge_paired
from reportgen.tally.sums import Floats

BLOCK_ROWS = 1 << 16
"""Rows counted together: their working arrays stay in the processor's cache."""

MOST_POINTS = 1024
"""Whole numbers that lie within so many points are numbered without sorting."""

MOST_PARTS = 16
"""Tallies of blocks that wait to be merged."""

Groups = Mapping[str, tuple[NDArray[np.integer], Sequence[str]]]
"""Grouping column -> (code of each row, label of each code)."""


def numbered(columns: Sequence[NDArray[np.generic]]) -> tuple[Integers, Integers]:
    """Return for each row the number of what it holds, in order, and for each number the first row that holds it.

    Examples
    --------
    >>> numbered([np.array([5.0, 5.0, 4.0]), np.array([1, 2, 1])])
    (array([1, 2, 0]), array([2, 0, 1]))
    """
    rows, size = len(columns[0]), 1
    number: Integers = np.zeros(rows, np.intp)
    for column in columns:
        code, codes = _coded(column)
        used, number = distinct(number * codes + code, size * codes)
        size = len(used)
    first = np.empty(size, np.intp)
    first[number[::-1]] = np.arange(rows)[::-1]
    return number, first


def _coded(column: NDArray[Any]) -> tuple[Integers, int]:
    """Return a number below some size for each score or code, equal for equal ones; -inf is below all others."""
    if column.dtype.kind != "f":
        whole, size = column.astype(np.intp) - int(column.min()), int(column.max()) - int(column.min()) + 1
        if size <= MOST_POINTS:
            return whole, size
        used, place = distinct(whole, size)
        return place, len(used)
    given = column > -np.inf
    low, high = column.min(where=given, initial=np.inf) - 1, column.max(where=given, initial=-np.inf)
    if high - low > MOST_POINTS or not np.array_equal(np.rint(column), column):
        used, place = np.unique(column, return_inverse=True)
        return place, len(used)
    if high < low:
        return np.zeros(len(column), np.intp), 1
    return (np.maximum(column, low) - low).astype(np.intp), int(high - low) + 1


def state_of(system: Floats, first: Floats, bounds: Bounds) -> NDArray[np.int8]:
    """Return each row's state: class of system - first rating, and where trimming puts it."""
    rounding = rounding_of(bounds)
    error, near, step = system - first, rounding.near, rounding.adjacent
    state = (error >= -step).view(np.int8) + (error >= -near) + (error > near) + (error > step)
    state += np.int8(CLASSES) * (system >= bounds[0])
    state += np.int8(CLASSES) * (system > bounds[1])
    return state


T = TypeVar("T")


class _Collecting(Generic[T]):
    """Holds tallies of blocks of rows and merges them now and then, so that memory does not grow with the rows."""

    def __init__(self, merge: Callable[[Iterable[T]], T]) -> None:
        self._merge = merge
        self._parts: list[T] = []

    def _hold(self, part: T) -> None:
        self._parts.append(part)
        if len(self._parts) > MOST_PARTS:
            self.tally()

    def tally(self) -> T:
        """Return the tally of all batches so far; ValueError when no response was added."""
        self._parts = [self._merge(self._parts)]
        return self._parts[0]


class Tallier(_Collecting[Tally]):
    """Builds a `Tally` from any number of batches.

    bounds: Lowest and highest score after trimming (tolerance included).
    """

    def __init__(self, bounds: Bounds = (-np.inf, np.inf)) -> None:
        super().__init__(merge)
        self._bounds = bounds

    def add(
        self, ratings: ArrayLike, system: ArrayLike, groups: Groups | None = None, weights: Floats | None = None
    ) -> None:
        """Count a batch of responses.

        ratings (rows, raters): or (rows,); NaN where a rater gave no score.
        system (rows,): finite.
        groups: Grouping column -> (integer codes, labels of the codes).
        weights (rows,): what each row counts for, those of one response 1 together; each is a response when left out.
        Raises ValueError: When shapes differ, or a system score is not finite.
        """
        every, given, groups = _checked(ratings, system, groups or {})
        for block in blocks(len(every)):
            scores, human = every[block], given[block]
            points, rounded = on_points(human, scores, self._bounds)
            state = state_of(scores, human[:, 0], self._bounds)
            count = np.ones(len(scores)) if weights is None else weights[block]
            powers = [count, *(count * power for power in _powers(scores - rounded))]
            first, slices = _counted([*points.T, rounded, state], powers, groups, block, scores)
            self._hold(Tally(Cells(points[first], rounded[first], state[first]), slices, self._bounds))

    @property
    def cells(self) -> int:
        """How many cells are held, those of parts that are not merged yet counted apart: what memory goes by."""
        return sum(len(part.cells) for part in self._parts)


class PairedTallier(_Collecting[PairedTally]):
    """Builds a `PairedTally` from any number of batches; `bounds` are those of either system."""

    def __init__(self, bounds: tuple[Bounds, Bounds]) -> None:
        super().__init__(merge_paired)
        self._bounds = bounds

    @property
    def entries(self) -> int:
        """How many sums of each kind there are so far."""
        return self.tally().entries if self._parts else 0

    def add(self, human: Floats, first: Floats, second: Floats, groups: Groups) -> None:
        """Count a batch of (rows,) finite scores of responses with (rows, raters) ratings, groups as for `Tallier`."""
        for block in blocks(len(first)):
            points, one = on_points(human[block], first[block], self._bounds[0])
            _, two = on_points(human[block, :1], second[block], self._bounds[1])
            states = [
                state_of(scores[block], human[block, 0], bounds)
                for scores, bounds in zip((first, second), self._bounds, strict=True)
            ]
            u, v = first[block] - one, second[block] - two
            powers = [[np.ones(len(u)), *_powers(each)] for each in (u, v - u)]
            sums = [powers[0][i] * powers[1][j] for i, j in MONOMIALS]
            at, slices = _counted([*points.T, one, states[0], two, states[1]], sums, groups, block)
            cells = [Cells(points[at], each[at], state[at]) for each, state in zip((one, two), states, strict=True)]
            self._hold(PairedTally(cells[0], cells[1], slices, self._bounds))


def _powers(u: Floats) -> list[Floats]:
    """Return u, u^2, u^3 and u^4."""
    square = u * u
    return [u, square, square * u, square * square]


def blocks(rows: int) -> Iterator[slice]:
    """Yield where to cut so many rows into blocks of about the same size.

    Examples
    --------
    >>> [block.stop - block.start for block in blocks(BLOCK_ROWS + 2)] == [BLOCK_ROWS // 2 + 1] * 2
    True
    """
    count = -(-rows // BLOCK_ROWS)
    for number in range(count):
        yield slice(rows * number // count, rows * (number + 1) // count)


def _counted(
    columns: Sequence[NDArray[np.generic]], powers: Sequence[Floats], groups: Groups, block: slice,
    system: Floats | None = None,
) -> tuple[Integers, dict[str, Slices]]:  # fmt: skip
    """Return the first row of each cell of a block, and the slices of every grouping and of all responses."""
    cell, first = numbered(columns)
    if not groups:
        return first, {OVERALL: _slices(np.zeros(len(cell), np.intp), ("",), cell, powers, system)}
    slices = {name: _slices(codes[block], labels, cell, powers, system) for name, (codes, labels) in groups.items()}
    if OVERALL not in slices:  # its entries are those of any grouping
        one = next(iter(slices.values()))
        ends = one.minimum.min(keepdims=True), one.maximum.max(keepdims=True)
        slices = {OVERALL: Slices(("",), np.zeros_like(one.cell), one.cell, one.sums, *ends), **slices}
    return first, slices


def on_points(human: Floats, system: Floats, bounds: Bounds) -> tuple[Floats, Floats]:
    """Return ratings, missing ones as -inf, and system scores rounded to the points of the scale."""
    rounding = rounding_of(bounds)
    ratings = rounding.ratings(human)
    return np.where(np.isnan(ratings), -np.inf, ratings) + 0.0, rounding.nearest(system) + 0.0  # a zero has one sign


def _slices(
    codes: NDArray[np.integer], labels: Sequence[str], cell: Integers, weights: Sequence[Floats],
    system: Floats | None = None,
) -> Slices:  # fmt: skip
    """Return sums by level and cell, and the ends of levels where there are scores to take them of."""
    pair, at = numbered([codes, cell])
    sums = np.stack([totals(pair, weight, len(at)) for weight in weights])
    used, level = np.unique(codes[at], return_inverse=True)
    low, high = (np.repeat(end, len(used)) for end in NEITHER)
    if system is not None:
        np.minimum.at(low, level[pair], system)
        np.maximum.at(high, level[pair], system)
    return Slices(tuple(labels[code] for code in used), level, cell[at], sums, low, high)


def _checked(ratings: ArrayLike, system: ArrayLike, groups: Groups) -> tuple[Floats, Floats, Groups]:
    """Return float64 scores and ratings of fitting shapes."""
    scores = np.ascontiguousarray(system, np.float64)
    human = np.asarray(ratings, np.float64)
    human = human[:, None] if human.ndim == 1 else human
    if scores.ndim != 1 or human.ndim != 2 or len(human) != len(scores):
        raise ValueError(f"ratings {human.shape} and system {scores.shape} do not fit each other")
    if not np.isfinite(scores).all() or np.isinf(human).any():
        raise ValueError("every system score must be a finite number, every rating finite or missing")
    for name, (codes, _) in groups.items():
        if len(codes) != len(scores):
            raise ValueError(f"grouping {name!r} has {len(codes)} codes for {len(scores)} responses")
    return scores, human, groups
