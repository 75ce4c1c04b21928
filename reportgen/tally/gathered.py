"""Counting rows of many items that were gathered: those of an item are brought together, then added up at once.

Sums of a few items fit the processor's cache however many items there are.  Groupings whose levels have few
combinations are counted together, combination by combination, and added up by level afterwards: five sums a row for
all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.machine.prefetch import ahead
from reportgen.tally.cells import Floats, Integers
from reportgen.tally.kernel import BLOCK_ROWS, powers_of

Codes = NDArray[np.integer]
Weights = Sequence[Floats | None]

_Block = tuple[int, int, list[NDArray[Any]]]
"""The first of some items, one past the last, and the columns of their rows."""

_Part = tuple[Integers, Floats]
"""Positions, and the sums there."""

SPARSE = 4
"""More positions than this for each row are not all held: those that occur are found by sorting."""

MOST_COMBINATIONS = 2.0**50
"""More combinations than this have no number each."""

TOGETHER = 1.0
"""Groupings are counted together while combinations of their levels, times cells, are at most this share of the rows of
an item."""


@dataclass(frozen=True)
class Segment:
    """Rows of one batch, sorted by item: their items, cells, u and the levels of every grouping."""

    items: Codes
    cells: Codes
    u: Floats
    codes: tuple[Codes, ...]

    @classmethod
    def of(cls, items: Codes, cells: Codes, u: Floats, codes: Sequence[Codes]) -> Segment:
        """Return rows sorted by item."""
        if (items[1:] >= items[:-1]).all():
            return cls(items, cells, u, tuple(codes))
        order = np.argsort(items, kind="stable")
        return cls(items.take(order), cells.take(order), u.take(order), tuple(each.take(order) for each in codes))


@dataclass(frozen=True)
class Entries:
    """What was counted, in the order of items, levels and cells.

    Parameters
    ----------
    item, level, cell
        (entries,): codes; levels are 0 where items are not divided.
    sums
        (5, entries): n, u1, u2, u3, u4.
    """

    item: Integers
    level: Integers
    cell: Integers
    sums: Floats


@dataclass(frozen=True)
class CrossedGroups:
    """How many responses each combination of item, levels of all groupings and raters who gave a score has.

    Parameters
    ----------
    counts, items
        (combinations,).
    codes
        (combinations,) of each grouping.
    present
        (combinations, raters).
    """

    counts: Integers
    items: Integers
    codes: tuple[Integers, ...]
    present: NDArray[np.bool_]

    @classmethod
    def of(cls, parts: Sequence[tuple[Integers, list[Integers]]], patterns: NDArray[np.bool_]) -> CrossedGroups:
        """Return the combinations of several parts: (counts, (items, codes of every grouping, rows of patterns))."""
        counts = np.concatenate([part for part, _ in parts])
        items, *codes, pattern = (np.concatenate(each) for each in zip(*(part for _, part in parts), strict=True))
        return cls(counts, items, tuple(codes), patterns[pattern])


class Gathered:
    """Rows in segments, and how many items, levels of each grouping, and cells there are."""

    def __init__(self, segments: Sequence[Segment], items: int, sizes: Sequence[int], cells: int) -> None:
        self._segments, self._items, self._sizes, self._cells = segments, items, tuple(sizes), cells

    def counted(
        self,
        places: Integers,
        ranks: Sequence[Integers],
        present: NDArray[np.bool_],
        threads: ThreadPoolExecutor | None = None,
    ) -> CountedEntries:
        """Return entries of items, then of every grouping within them, and who is in which groups.

        Parameters
        ----------
        places
            (cells,): by which numbers cells are to be called.
        ranks
            The same of the levels of every grouping.
        present
            (cells, raters): who gave a score, of cells by these numbers.
        threads
            Who counts, some items at a time.
        """
        sets = self._together(sum(len(segment.u) for segment in self._segments) / max(self._items, 1))
        patterns, pattern = np.unique(present, axis=0, return_inverse=True)
        pattern = pattern.reshape(-1)

        def counted(block: _Block) -> tuple[list[_Part], tuple[Integers, list[Integers]]]:
            first, last, (items, cells, u, *codes) = block
            item = items.astype(np.intp)
            item -= first
            cell = places.take(cells)
            levels = [_ranked(code, rank) for rank, code in zip(ranks, codes, strict=True)]
            crossed = [*zip(levels, self._sizes, strict=True), (pattern.take(cell), len(patterns))]
            parts = self._parts(item, levels, cell, (None, *powers_of(u)), sets, (first, last))
            return parts, _crossed(item, last - first, crossed, first)

        made = list(ahead(threads, counted, self._blocks()))
        parts = zip(*(part for part, _ in made), strict=True)
        return CountedEntries(
            [self._entries(part, levels) for part, levels in zip(parts, (1, *self._sizes), strict=True)],
            CrossedGroups.of([crossed for _, crossed in made], patterns),
        )

    def _parts(
        self,
        item: Integers,
        levels: Sequence[Codes],
        cell: Integers,
        weights: Weights,
        sets: Sequence[Sequence[int]],
        bounds: tuple[int, int],
    ) -> list[_Part]:
        """Return the positions that occur, and their sums, of items and of every grouping; `bounds` are the items."""
        first, last = bounds
        of_items: list[_Part] = []
        parts: dict[int, _Part] = {}
        for members in sets:
            columns = [*((levels[member], self._sizes[member]) for member in members), (cell, self._cells)]
            size = (last - first) * int(np.prod([size for _, size in columns]))
            found = _added(_position(item, columns), weights, size)
            sizes = [self._sizes[member] for member in members]
            for axis, member in enumerate(members):
                parts[member] = self._folded(found, sizes, axis, first)
            of_items = of_items or [self._folded(found, sizes, None, first)]
        return [*of_items, *(parts[member] for member in range(len(self._sizes)))]

    def _together(self, rows_of_item: float) -> list[list[int]]:
        """Return which groupings are counted together, those of few levels first."""
        sets: list[list[int]] = [[]]
        combinations = 1
        for place in sorted(range(len(self._sizes)), key=self._sizes.__getitem__):
            combinations *= self._sizes[place]
            if sets[-1] and combinations * self._cells > TOGETHER * rows_of_item:
                sets.append([])
                combinations = self._sizes[place]
            sets[-1].append(place)
        return sets

    def _blocks(self) -> Iterator[_Block]:
        """Yield (first item, one past the last, columns) of as many items as stay in the cache together."""
        sizes = np.zeros(self._items, np.intp)
        for segment in self._segments:
            sizes += np.bincount(segment.items, minlength=self._items)
        block = (np.cumsum(sizes) - sizes) // BLOCK_ROWS
        starts = np.flatnonzero(np.diff(block, prepend=-1))
        bounds = np.append(starts, self._items)
        cuts = [np.searchsorted(segment.items, bounds).tolist() for segment in self._segments]
        for number, (first, last) in enumerate(pairwise(bounds.tolist())):
            own = [
                (segment, slice(cut[number], cut[number + 1]))
                for segment, cut in zip(self._segments, cuts, strict=True)
                if cut[number] < cut[number + 1]
            ]
            if own:
                columns = [(each.items[part], each.cells[part], each.u[part], *(code[part] for code in each.codes))
                           for each, part in own]  # fmt: skip
                yield first, last, [np.concatenate(column) for column in zip(*columns, strict=True)]

    def _folded(self, found: _Part, sizes: Sequence[int], axis: int | None, first: int) -> _Part:
        """Return the positions (item, level, cell) of one of the groupings counted together, or of items, and sums."""
        used, sums = found
        size = sizes[axis] if axis is not None else 1
        if len(sizes) > (axis is not None):
            rest, cell = np.divmod(used, self._cells)
            item, *levels = np.unravel_index(rest, (int(rest[-1]) + 1, *sizes))
            position = item if axis is None else item * size + levels[axis]
            position *= self._cells
            position += cell
            used, sums = _added(position, tuple(sums), int((item[-1] + 1) * size * self._cells))
        return used + first * size * self._cells, sums

    def _entries(self, parts: Sequence[_Part], levels: int) -> Entries:
        position = np.concatenate([used for used, _ in parts])
        rest, cell = np.divmod(position, self._cells)
        item, level = np.divmod(rest, levels)
        return Entries(item, level, cell, np.concatenate([sums for _, sums in parts], axis=1))


@dataclass(frozen=True)
class CountedEntries:
    """Entries of items and of every grouping within them, and who is in which groups."""

    entries: list[Entries]
    crossed: CrossedGroups


def _ranked(codes: Codes, ranks: Integers) -> Codes:
    """Return other numbers of codes, which are mostly the same."""
    return codes if np.array_equal(ranks, np.arange(len(ranks))) else ranks.take(codes)


def _position(item: Integers, columns: Iterable[tuple[Codes, int]]) -> Integers:
    """Return one number for every combination of an item and codes, each of which is one of so many."""
    position = item
    for code, size in columns:
        position = position * size
        position += code
    return position


def _added(position: Integers, weights: Weights, size: int) -> tuple[Integers, Floats]:
    """Return the positions that occur, sorted, and for each of them the sums of the weights (None counts)."""
    if size > SPARSE * len(position):
        used, position = np.unique(position, return_inverse=True)
        return used, np.stack([np.bincount(position, weight, len(used)) for weight in weights])
    counts = np.bincount(position, weights[0], size)
    used = np.flatnonzero(counts)
    return used, np.stack([counts[used], *(np.bincount(position, weight, size)[used] for weight in weights[1:])])


def _crossed(
    item: Integers, items: int, columns: Sequence[tuple[Codes, int]], first: int
) -> tuple[Integers, list[Integers]]:
    """Return how many rows each combination of an item and codes has, and these, items counted on from `first`."""
    sizes = [items, *(size for _, size in columns)]
    if np.prod(sizes, dtype=float) < MOST_COMBINATIONS:
        used, (counts,) = _added(_position(item, columns), (None,), int(np.prod(sizes)))
        own, *codes = np.unravel_index(used, sizes)
        return counts.astype(np.intp), [own + first, *codes]
    joint = item
    for code, size in columns:
        _, joint = np.unique(joint * size + code, return_inverse=True)
    _, row, counts = np.unique(joint, return_index=True, return_counts=True)
    return counts, [item[row] + first, *(code[row].astype(np.intp) for code, _ in columns)]


def crossed_rows(
    items: Codes, codes: Sequence[Codes], sizes: Sequence[int], present: NDArray[np.bool_]
) -> CrossedGroups:
    """Return who is in which groups, of rows in any order; `sizes` are the numbers of items and of levels."""
    patterns, pattern = np.unique(present, axis=0, return_inverse=True)
    columns = [*zip(codes, sizes[1:], strict=True), (pattern.reshape(-1), len(patterns))]
    return CrossedGroups.of([_crossed(items.astype(np.intp), sizes[0], columns, 0)], patterns)
