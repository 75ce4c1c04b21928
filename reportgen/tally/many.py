"""Counting hundreds of items at once: each item, and each level of each grouping within it, in one pass.

Rows are gathered and sorted by item, so that the sums of a block of rows lie close together however many
slices there are in all.  Ratings that are no integers on a short scale are counted by sorting, as everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.tally.blocks import Groups
from reportgen.tally.cells import OVERALL, POWERS, Cells, Floats, Integers, Slices, Tally, merge, totals, unique_rows
from reportgen.tally.dense import Extent, Window, powers_of
from reportgen.tally.kernel import BLOCK_ROWS
from reportgen.tally.sorting import sorted_tally

BY_ITEM = "by item"
"""Grouping of the tally that has the items as its levels."""

GATHERED_ROWS = 1 << 20
"""Rows that are gathered before they are sorted by item."""

MOST_SUMS = 1 << 27
"""Most numbers that are kept dense, a gigabyte; beyond it what is counted is put aside in short form."""

_SEPARATOR = "\x1f"

Codes = NDArray[np.integer]


def within(grouping: str) -> str:
    """Return the grouping of the tally that has a grouping's levels within each item."""
    return f"{BY_ITEM} and {grouping}"


@dataclass(frozen=True)
class Inside:
    """Where the levels of a grouping within items belong.

    Parameters
    ----------
    item
        (levels,): place of each level's item among the items.
    labels
        (levels,): its name without the item's.
    """

    item: Integers
    labels: tuple[str, ...]

    @classmethod
    def of(cls, tally: Tally, grouping: str) -> Inside:
        """Return where the levels of a grouping of the counted responses belong."""
        place = {label: index for index, label in enumerate(tally.slices[BY_ITEM].labels)}
        pairs = [label.split(_SEPARATOR, 1) for label in tally.slices[within(grouping)].labels]
        return cls(np.array([place[item] for item, _ in pairs], np.intp), tuple(label for _, label in pairs))


class ManyTallier:
    """Builds the tally of many items from any number of batches, in memory that does not grow with the rows.

    The tally's groupings are `BY_ITEM` and `within` each grouping; the smallest and largest score are kept
    of items alone, elsewhere they are not known: -inf and inf.

    Parameters
    ----------
    groupings
        Names of the grouping columns.
    bounds
        Lowest and highest score after trimming (tolerance included).
    """

    def __init__(self, groupings: Sequence[str], bounds: tuple[float, float] = (-np.inf, np.inf)) -> None:
        self._bounds = bounds
        self._labels: dict[str, dict[str, int]] = {name: {} for name in (BY_ITEM, *groupings)}
        self._waiting: list[tuple[Floats, Floats, list[Codes]]] = []
        self._waiting_rows = 0
        self._parts: list[Tally] = []
        self._dense: _Dense | None = None
        self.n = 0
        """Responses counted so far."""

    def add(
        self, ratings: Floats, system: Floats, items: tuple[NDArray[np.integer], Sequence[str]], groups: Groups
    ) -> None:
        """Count a batch of responses.

        Parameters
        ----------
        ratings
            (rows, raters); finite in the first column, NaN elsewhere where a rater gave no score.
        system
            (rows,); finite.
        items, groups
            Codes of each row's item, and levels, with the labels of the codes.
        """
        codes = [self._numbered(name, *group) for name, group in ((BY_ITEM, items), *groups.items())]
        self._waiting.append((ratings, system, codes))
        self._waiting_rows += len(system)
        self.n += len(system)
        if self._waiting_rows >= GATHERED_ROWS:
            self._count()

    def _numbered(self, name: str, codes: NDArray[np.integer], labels: Sequence[str]) -> Codes:
        """Return codes in the tallier's own numbering."""
        known = self._labels[name]
        own = np.array([known.setdefault(label, len(known)) for label in labels], np.int64)
        short: Codes = own.astype(np.min_scalar_type(max(len(known) - 1, 0)))  # a byte or two a row are sorted faster
        return short.take(codes)

    def _count(self) -> None:
        """Count the rows that wait."""
        if not self._waiting:
            return
        human = np.concatenate([part[0].T for part in self._waiting], axis=1).T
        system = np.concatenate([part[1] for part in self._waiting])
        items, *codes = (np.concatenate(each) for each in zip(*(part[2] for part in self._waiting), strict=True))
        self._waiting, self._waiting_rows = [], 0
        if not self._counted_dense(human, system, items, codes):
            self._set_aside()
            self._parts.append(self._sorted(human, system, items, codes))
        if len(self._parts) > 8:
            self._parts = [merge(self._parts)]

    def _counted_dense(self, human: Floats, system: Floats, items: Codes, codes: list[Codes]) -> bool:
        """Return whether rows could be counted in dense arrays; nothing is counted when not."""
        sizes = [1, *(len(self._labels[name]) for name in list(self._labels)[1:])]
        for fresh in (False, True):
            if fresh or self._dense is None:
                self._set_aside()
                window = Window.around(Extent.of(human, system), self._bounds)
                self._dense = _Dense(window) if window is not None else None
            if self._dense is None:
                return False
            if self._dense.add(human, system, items, codes, sizes):
                return True
        self._dense = None
        return False

    def _set_aside(self) -> None:
        """Put what is counted in dense arrays aside as a tally."""
        if self._dense is not None and self._dense.counted:
            self._parts.append(
                self._dense.tally([list(labels) for labels in self._labels.values()], self._names(), self._bounds)
            )
        self._dense = None

    def _names(self) -> list[str]:
        return [BY_ITEM, *(within(name) for name in list(self._labels)[1:])]

    def _sorted(self, human: Floats, system: Floats, items: Codes, codes: list[Codes]) -> Tally:
        """Return the tally of rows whose ratings call for sorting."""
        labels = [list(known) for known in self._labels.values()]
        groups: dict[str, tuple[Codes, list[str]]] = {BY_ITEM: (items, labels[0])}
        for name, code, own in zip(self._names()[1:], codes, labels[1:], strict=True):
            pairs, joint = np.unique(items.astype(np.intp) * len(own) + code, return_inverse=True)
            groups[name] = (
                joint,
                [_joined(labels[0][pair // len(own)], own[pair % len(own)]) for pair in pairs.tolist()],
            )
        return sorted_tally(human, system, groups, self._bounds)

    def tally(self) -> Tally:
        """Return the tally of all batches so far.

        Raises
        ------
        ValueError
            When no response was added.
        """
        self._count()
        self._set_aside()
        if len(self._parts) != 1:
            self._parts = [merge(self._parts)]
        return self._parts[0]


def _joined(item: str, label: str) -> str:
    return f"{item}{_SEPARATOR}{label}"


class _Dense:
    """Sums of every cell in every slice: (powers, items, levels, cells) for items alone and for each grouping."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._sums: list[Floats] = []
        self._minimum, self._maximum = np.zeros(0), np.zeros(0)
        self.counted = False

    def add(self, human: Floats, system: Floats, items: Codes, codes: Sequence[Codes], sizes: Sequence[int]) -> bool:
        """Count rows; return whether they fit the window and the memory, and count nothing when they do not."""
        places, us = np.empty(len(system), np.int32), np.empty(len(system))
        for start in range(0, len(system), BLOCK_ROWS):
            block = slice(start, start + BLOCK_ROWS)
            found = self._window.located(human[block], system[block])
            if found is None:
                return False
            places[block], us[block] = found
        if not self._fit(int(items.max()) + 1, sizes, self._window.cells):
            return False
        self._extremes(system, items)
        columns: list[Any] = [items, places, us, *codes]
        if (items[1:] < items[:-1]).any():
            order = np.argsort(items, kind="stable")
            columns = [column.take(order) for column in columns]
        for start in range(0, len(system), BLOCK_ROWS):
            self._add_block(*(column[start : start + BLOCK_ROWS] for column in columns))
        self.counted = True
        return True

    def _add_block(self, items: Codes, place: Codes, u: Floats, *codes: Codes) -> None:
        """Count rows sorted by item, whose sums lie close together."""
        first, last = int(items[0]), int(items[-1]) + 1
        item = items.astype(np.intp) - first
        powers = powers_of(u)
        for code, sums in zip((None, *codes), self._sums, strict=True):
            _, _, levels, cells = sums.shape
            position = item * (levels * cells) + place
            if code is not None:
                position += code * np.intp(cells)
            size = (last - first) * levels * cells
            part = sums[:, first:last].reshape(POWERS, size)
            part[0] += np.bincount(position, minlength=size)
            for power, weights in enumerate(powers, start=1):
                part[power] += np.bincount(position, weights, size)

    def _fit(self, items: int, sizes: Sequence[int], cells: int) -> bool:
        """Make room; return whether there is enough."""
        old = self._sums[0].shape[1:] if self._sums else (0, 0, 0)
        kept = old[2] if cells <= old[2] else cells + cells // 8 + 16
        rows = max(old[0], items)
        if POWERS * rows * sum(sizes) * kept > MOST_SUMS:
            return False
        for place, levels in enumerate(sizes):
            shape = (POWERS, rows, levels, kept)
            if place == len(self._sums):
                self._sums.append(np.zeros(shape))
            elif self._sums[place].shape != shape:
                grown = np.zeros(shape)
                _, items_before, levels_before, cells_before = self._sums[place].shape
                grown[:, :items_before, :levels_before, :cells_before] = self._sums[place]
                self._sums[place] = grown
        more = rows - len(self._minimum)
        self._minimum = np.concatenate([self._minimum, np.full(more, np.inf)])
        self._maximum = np.concatenate([self._maximum, np.full(more, -np.inf)])
        return True

    def _extremes(self, system: Floats, items: Codes) -> None:
        """Update the smallest and largest score of each item; later on hardly any row changes them."""
        lower = np.flatnonzero(system < self._minimum.max())
        lower = lower[system[lower] < self._minimum[items[lower]]]
        np.minimum.at(self._minimum, items[lower], system[lower])
        upper = np.flatnonzero(system > self._maximum.min())
        upper = upper[system[upper] > self._maximum[items[upper]]]
        np.maximum.at(self._maximum, items[upper], system[upper])

    def tally(self, labels: Sequence[Sequence[str]], names: Sequence[str], bounds: tuple[float, float]) -> Tally:
        """Return what was counted, cells and labels in canonical order."""
        given = self._window.combinations()
        keys, cell_rank = unique_rows(given.keys())
        item_rank = _ranks(labels[0][: len(self._minimum)])
        item_labels = sorted(labels[0][: len(self._minimum)])
        slices = {}
        for name, own, sums in zip(names, ([""], *labels[1:]), self._sums, strict=True):
            level_labels, level_rank = sorted(own), _ranks(own)
            item, level, cell = np.nonzero(sums[0, :, :, : len(keys)])
            joint = item_rank[item] * len(own) + level_rank[level]
            order = np.argsort(joint * len(keys) + cell_rank[cell])
            used, place = np.unique(joint[order], return_inverse=True)
            entries = sums[:, item[order], level[order], cell[order]]
            extremes = np.full(len(used), -np.inf), np.full(len(used), np.inf)
            pairs = [divmod(code, len(own)) for code in used.tolist()]
            if name == BY_ITEM:
                back = np.argsort(item_rank)[used]
                extremes = self._minimum[back], self._maximum[back]
                shown = tuple(item_labels[at] for at, _ in pairs)
            else:
                shown = tuple(_joined(item_labels[at], level_labels[level]) for at, level in pairs)
            slices[name] = Slices(shown, place, cell_rank[cell[order]], entries, *extremes)
        counted = Tally(Cells.from_keys(keys), {OVERALL: _whole(slices[BY_ITEM]), **slices}, bounds)
        in_order = all(list(part.labels) == sorted(part.labels) for part in slices.values())
        return counted if in_order else merge([counted])


def _ranks(labels: Sequence[str]) -> Integers:
    """Return the place of every label when they are sorted."""
    place = {label: rank for rank, label in enumerate(sorted(labels))}
    return np.array([place[label] for label in labels], np.intp)


def _whole(items: Slices) -> Slices:
    """Return the slice of all responses."""
    used, entry = np.unique(items.cell, return_inverse=True)
    sums = np.stack([totals(entry, power, len(used)) for power in items.sums])
    ends = np.array([items.minimum.min()]), np.array([items.maximum.max()])
    return Slices(("",), np.zeros(len(used), np.intp), used, sums, *ends)
