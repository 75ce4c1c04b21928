"""Counting hundreds of items at once: each item, and each level of each grouping within it, in one pass.

Of each row the number of its cell and what rounding took away are gathered, and counted when there are many
(`gathered`).  Ratings that are no integers on a short scale are counted by sorting, as everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.tally.blocks import Groups
from reportgen.tally.cells import OVERALL, Cells, Floats, Integers, Slices, Tally, merge, totals, unique_rows
from reportgen.tally.dense import Extent, Window
from reportgen.tally.gathered import Codes, Crossed, Entries, Gathered, Segment, crossed_rows
from reportgen.tally.kernel import BLOCK_ROWS
from reportgen.tally.sorting import sorted_tally

BY_ITEM = "by item"
"""Grouping of the tally that has the items as its levels."""

GATHERED_ROWS = 1 << 24
"""Rows that are gathered, 15 bytes each, before they are counted."""

SORTED_ROWS = 1 << 20
"""Rows that are gathered before they are counted by sorting."""

_SEPARATOR = "\x1f"


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


@dataclass(frozen=True)
class Combined:
    """Who is in which item and groups: how many responses each combination has, and which raters scored them.

    Parameters
    ----------
    counts
        (combinations,); a combination may come more than once.
    codes, labels
        `BY_ITEM` and every grouping -> (combinations,) codes, and the labels of the codes.
    present
        (combinations, raters).
    """

    counts: Integers
    codes: Mapping[str, Integers]
    labels: Mapping[str, tuple[str, ...]]
    present: NDArray[np.bool_]


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
        self._window: Window | None = None
        self._segments: list[Segment] = []
        self._gathered = 0
        self._waiting: list[tuple[Floats, Floats, list[Codes]]] = []
        self._minimum, self._maximum = np.zeros(0), np.zeros(0)
        self._parts: list[Tally] = []
        self._combined: list[Combined] = []
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
        own, *codes = (self._numbered(name, *group) for name, group in ((BY_ITEM, items), *groups.items()))
        self.n += len(system)
        segment = self._located(ratings, system, own, codes)
        if segment is None:
            self._waiting.append((ratings, system, [own, *codes]))
            self._count_sorted(SORTED_ROWS)
            return
        self._extremes(system, own)
        self._segments.append(segment)
        self._gathered += len(system)
        if self._gathered >= GATHERED_ROWS:
            self._count()

    def _numbered(self, name: str, codes: NDArray[np.integer], labels: Sequence[str]) -> Codes:
        """Return codes in the tallier's own numbering, which is that of sorted labels while no new ones come."""
        known = self._labels[name]
        for label in sorted(set(labels).difference(known)):
            known[label] = len(known)
        own = np.array([known[label] for label in labels], np.int64)
        short: Codes = own.astype(np.min_scalar_type(max(len(known) - 1, 0)))  # a byte or two a row are sorted faster
        return short.take(codes)

    def _located(self, human: Floats, system: Floats, items: Codes, codes: list[Codes]) -> Segment | None:
        """Return rows with the numbers of their cells; None where those call for sorting."""
        for fresh in (False, True):
            if fresh or self._window is None:
                self._count()
                self._window = Window.around(Extent.of(human, system), self._bounds)
            if self._window is None:
                return None
            found = _cells_of(self._window, human, system)
            if found is not None:
                return Segment.of(items, *found, codes)
        self._window = None
        return None

    def _room_for_extremes(self) -> None:
        """Make room for the smallest and largest score of new items."""
        more = len(self._labels[BY_ITEM]) - len(self._minimum)
        self._minimum = np.concatenate([self._minimum, np.full(more, np.inf)])
        self._maximum = np.concatenate([self._maximum, np.full(more, -np.inf)])

    def _extremes(self, system: Floats, items: Codes) -> None:
        """Update the smallest and largest score of each item; later on hardly any row changes them."""
        self._room_for_extremes()
        lower = np.flatnonzero(system < self._minimum.max())
        lower = lower[system[lower] < self._minimum[items[lower]]]
        np.minimum.at(self._minimum, items[lower], system[lower])
        upper = np.flatnonzero(system > self._maximum.min())
        upper = upper[system[upper] > self._maximum[items[upper]]]
        np.maximum.at(self._maximum, items[upper], system[upper])

    def _count(self) -> None:
        """Count the rows that were gathered."""
        if self._window is None or not self._segments:
            return
        keys, places = unique_rows(self._window.combinations().keys())
        cells = Cells.from_keys(keys)
        every = {name: sorted(known) for name, known in self._labels.items()}
        ranks = [_ranks(self._labels[name]) for name in every]
        sizes = [len(labels) for labels in every.values()]
        gathered = Gathered(self._segments, sizes[0], sizes[1:], len(keys))
        self._segments, self._gathered = [], 0
        counted = gathered.counted(places, ranks[1:], np.isfinite(cells.ratings))
        self._combine(counted.crossed, ranks[0], {name: tuple(labels) for name, labels in every.items()})
        slices = {}
        for (name, labels), entries in zip(every.items(), counted.entries, strict=True):
            if name == BY_ITEM:
                self._room_for_extremes()
                back = np.argsort(ranks[0])
                slices[BY_ITEM] = _slices(
                    entries, ranks[0], every[BY_ITEM], None, (self._minimum[back], self._maximum[back])
                )
            else:
                slices[within(name)] = _slices(entries, ranks[0], every[BY_ITEM], labels)
        self._minimum, self._maximum = np.zeros(0), np.zeros(0)
        tally = Tally(cells, {OVERALL: _whole(slices[BY_ITEM]), **slices}, self._bounds)
        in_order = all(list(part.labels) == sorted(part.labels) for part in slices.values())
        self._keep(tally if in_order else merge([tally]))

    def _combine(self, crossed: Crossed, ranks: Integers, labels: Mapping[str, tuple[str, ...]]) -> None:
        """Take note of who is in which groups."""
        codes = dict(zip(labels, (ranks[crossed.items], *crossed.codes), strict=True))
        self._combined.append(Combined(crossed.counts, codes, labels, crossed.present))

    def _keep(self, tally: Tally) -> None:
        self._parts.append(tally)
        if len(self._parts) > 8:
            self._parts = [merge(self._parts)]

    def _count_sorted(self, least: int) -> None:
        """Count the rows that call for sorting when they are at least so many."""
        if not self._waiting or sum(len(part[1]) for part in self._waiting) < least:
            return
        human = np.concatenate([part[0].T for part in self._waiting], axis=1).T
        system = np.concatenate([part[1] for part in self._waiting])
        items, *codes = (np.concatenate(each) for each in zip(*(part[2] for part in self._waiting), strict=True))
        self._waiting = []
        labels = {name: tuple(known) for name, known in self._labels.items()}
        groups: dict[str, tuple[Codes, Sequence[str]]] = {BY_ITEM: (items, labels[BY_ITEM])}
        for code, (name, own) in zip(codes, list(labels.items())[1:], strict=True):
            pairs, joint = np.unique(items.astype(np.intp) * len(own) + code, return_inverse=True)
            groups[within(name)] = (
                joint,
                [_joined(labels[BY_ITEM][pair // len(own)], own[pair % len(own)]) for pair in pairs.tolist()],
            )
        self._combine(crossed_rows(items, codes, [len(own) for own in labels.values()], np.isfinite(human)),
                      np.arange(len(labels[BY_ITEM])), labels)  # fmt: skip
        self._keep(sorted_tally(human, system, groups, self._bounds))

    def tally(self) -> Tally:
        """Return the tally of all batches so far.

        Raises
        ------
        ValueError
            When no response was added.
        """
        self._count()
        self._count_sorted(0)
        if len(self._parts) != 1:
            self._parts = [merge(self._parts)]
        return self._parts[0]

    def combined(self) -> list[Combined]:
        """Return who is in which item and groups, of all batches so far."""
        self._count()
        self._count_sorted(0)
        return self._combined


def _cells_of(window: Window, human: Floats, system: Floats) -> tuple[Codes, Floats] | None:
    """Return the number of each row's cell, and its u; None when a row lies outside the window."""
    cells, us = np.empty(len(system), np.int32), np.empty(len(system))
    for start in range(0, len(system), BLOCK_ROWS):
        block = slice(start, start + BLOCK_ROWS)
        found = window.located(human[block], system[block])
        if found is None:
            return None
        cells[block], us[block] = found
    return cells.astype(np.min_scalar_type(window.cells)), us


def _joined(item: str, label: str) -> str:
    return f"{item}{_SEPARATOR}{label}"


def _ranks(known: Mapping[str, int]) -> Integers:
    """Return the place of every label, in the order of their numbers, among the sorted ones."""
    place = {label: rank for rank, label in enumerate(sorted(known))}
    return np.array([place[label] for label in known], np.intp)


def _slices(
    entries: Entries,
    ranks: Integers,
    items: Sequence[str],
    levels: Sequence[str] | None,
    extremes: tuple[Floats, Floats] | None = None,
) -> Slices:
    """Return entries as slices, in the order of item, level and cell; `levels` is None for items alone."""
    size = 1 if levels is None else len(levels)
    joint, cell, sums = ranks[entries.item] * size + entries.level, entries.cell, entries.sums
    if (np.diff(ranks) < 0).any():
        order = np.argsort(joint, kind="stable")
        joint, cell, sums = joint[order], cell[order], sums[:, order]
    used, level = _numbered_sorted(joint)
    pairs = [divmod(code, size) for code in used.tolist()]
    if levels is None:
        labels = tuple(items[item] for item, _ in pairs)
    else:
        labels = tuple(_joined(items[item], levels[at]) for item, at in pairs)
    unknown = np.full(len(used), -np.inf), np.full(len(used), np.inf)
    ends = unknown if extremes is None else (extremes[0][used], extremes[1][used])
    return Slices(labels, level, cell, sums, *ends)


def _numbered_sorted(sorted_codes: Integers) -> tuple[Integers, Integers]:
    """Return distinct codes of sorted ones, and the place of each among them."""
    new = np.empty(len(sorted_codes), bool)
    new[:1] = True
    np.not_equal(sorted_codes[1:], sorted_codes[:-1], out=new[1:])
    return sorted_codes[new], np.cumsum(new) - 1


def _whole(items: Slices) -> Slices:
    """Return the slice of all responses."""
    used, entry = np.unique(items.cell, return_inverse=True)
    sums = np.stack([totals(entry, power, len(used)) for power in items.sums])
    ends = np.array([items.minimum.min()]), np.array([items.maximum.max()])
    return Slices(("",), np.zeros(len(used), np.intp), used, sums, *ends)
