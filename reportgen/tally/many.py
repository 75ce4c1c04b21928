"""Counting hundreds of items at once: each item, and each level of each grouping within it, in one pass.

Of each row the number of its cell and what rounding took away are gathered, and counted when there are many
(`gathered`).  Ratings that are no integers on a short scale are counted by sorting, as everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from reportgen.tally.cells import OVERALL, Cells, Floats, Integers, Slices, Tally, merge, totals, unique_rows
from reportgen.tally.dense import Extent, Window
from reportgen.tally.gathered import Codes, CrossedGroups, Entries, Gathered, Segment, crossed_rows
from reportgen.tally.kernel import BLOCK_ROWS, Groups, Tallier

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


@dataclass(frozen=True)
class Numbered:
    """A batch of responses with codes of its items and groups, and the tallier's own numbers of these codes.

    Parameters
    ----------
    ratings, system
        (rows, raters), (rows,): scores.
    codes, own
        Of items, then of every grouping: (rows,) codes, and (codes,) the tallier's numbers.
    sizes
        Grouping -> how many labels are known with this batch.
    """

    ratings: Floats
    system: Floats
    codes: tuple[NDArray[np.integer], ...]
    own: tuple[Codes, ...]
    sizes: dict[str, int]


@dataclass(frozen=True)
class Located:
    """A batch of responses by the tallier's own numbers; in a window, as a segment, where there was one."""

    ratings: Floats
    system: Floats
    codes: tuple[Codes, ...]
    sizes: dict[str, int]
    window: Window | None
    segment: Segment | None


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
    threads
        Who counts, some items at a time; sums are the same, bit by bit, whoever does.
    """

    def __init__(
        self,
        groupings: Sequence[str],
        bounds: tuple[float, float] = (-np.inf, np.inf),
        threads: ThreadPoolExecutor | None = None,
    ) -> None:
        self._bounds, self._threads = bounds, threads
        self._labels: dict[str, dict[str, int]] = {name: {} for name in (BY_ITEM, *groupings)}
        self._known: dict[str, int] = dict.fromkeys(self._labels, 0)
        self._window: Window | None = None
        self._segments: list[Segment] = []
        self._gathered = 0
        self._waiting: list[Located] = []
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
        self.take(self.located(self.numbered(ratings, system, items, groups)))

    def numbered(
        self, ratings: Floats, system: Floats, items: tuple[NDArray[np.integer], Sequence[str]], groups: Groups
    ) -> Numbered:
        """Return a batch with the tallier's own numbers of its labels: the first step of adding it.

        Batches are numbered, and taken, one after the other in the same order; between that, other threads may locate
        them.  Numbers are those of sorted labels while no new ones come.
        """
        own = []
        for name, (_, labels) in {BY_ITEM: items, **groups}.items():
            known = self._labels[name]
            for label in sorted(set(labels).difference(known)):
                known[label] = len(known)
            # a byte or two a row are sorted faster
            short = np.min_scalar_type(max(len(known) - 1, 0))
            own.append(np.array([known[label] for label in labels], np.int64).astype(short))
        sizes = {name: len(known) for name, known in self._labels.items()}
        codes = (items[0], *(codes for codes, _ in groups.values()))
        return Numbered(ratings, system, codes, tuple(own), sizes)

    def located(self, batch: Numbered) -> Located:
        """Return a batch with the numbers of its cells, rows sorted by item, where that is possible already."""
        codes = tuple(own.take(code) for own, code in zip(batch.own, batch.codes, strict=True))
        window = self._window
        found = None if window is None else _cells_of(window, batch.ratings, batch.system)
        segment = None if found is None else Segment.of(codes[0], *found, codes[1:])
        return Located(batch.ratings, batch.system, codes, batch.sizes, window, segment)

    def take(self, batch: Located) -> None:
        """Take a batch among those that are counted."""
        segment = batch.segment
        if segment is None or batch.window is not self._window:
            segment = self._found(batch)
        self._known = batch.sizes
        self.n += len(batch.system)
        if segment is None:
            self._waiting.append(batch)
            self._count_sorted(SORTED_ROWS)
            return
        self._extremes(batch.system, batch.codes[0])
        self._segments.append(segment)
        self._gathered += len(batch.system)
        if self._gathered >= GATHERED_ROWS:
            self._count()

    def _found(self, batch: Located) -> Segment | None:
        """Return rows with the numbers of their cells, in a new window if need be; None where they call for sorting."""
        for fresh in (False, True):
            if fresh or self._window is None:
                self._count()
                self._window = Window.around(Extent.of(batch.ratings, batch.system), self._bounds)
            if self._window is None:
                return None
            found = _cells_of(self._window, batch.ratings, batch.system)
            if found is not None:
                return Segment.of(batch.codes[0], *found, batch.codes[1:])
        self._window = None
        return None

    def _room_for_extremes(self) -> None:
        """Make room for the smallest and largest score of new items."""
        more = self._known[BY_ITEM] - len(self._minimum)
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

    def _names(self) -> dict[str, list[str]]:
        """Return the labels of all batches taken so far, in the order of their numbers."""
        return {name: list(islice(known, self._known[name])) for name, known in self._labels.items()}

    def _count(self) -> None:
        """Count the rows that were gathered."""
        if self._window is None or not self._segments:
            return
        names = self._names()
        every = {name: sorted(labels) for name, labels in names.items()}
        ranks = [_ranks(labels) for labels in names.values()]
        sizes = [len(labels) for labels in every.values()]
        cells, places = _cells_in(self._window, self._segments)
        gathered = Gathered(self._segments, sizes[0], sizes[1:], len(cells))
        self._segments, self._gathered = [], 0
        counted = gathered.counted(places, ranks[1:], np.isfinite(cells.ratings), self._threads)
        self._combine(counted.crossed, ranks[0], {name: tuple(labels) for name, labels in every.items()})
        slices = {}
        for (name, labels), entries in zip(every.items(), counted.entries, strict=True):
            if name == BY_ITEM:
                self._room_for_extremes()
                back = np.argsort(ranks[0])
                ends = self._minimum[back], self._maximum[back]
                slices[BY_ITEM] = _slices(entries, ranks[0], every[BY_ITEM], None, ends)
            else:
                slices[within(name)] = _slices(entries, ranks[0], every[BY_ITEM], labels)
        self._minimum, self._maximum = np.zeros(0), np.zeros(0)
        tally = Tally(cells, {OVERALL: _whole(slices[BY_ITEM]), **slices}, self._bounds)
        in_order = all(list(part.labels) == sorted(part.labels) for part in slices.values())
        self._keep(tally if in_order else merge([tally]))

    def _combine(self, crossed: CrossedGroups, ranks: Integers, labels: Mapping[str, tuple[str, ...]]) -> None:
        """Take note of who is in which groups."""
        codes = dict(zip(labels, (ranks[crossed.items], *crossed.codes), strict=True))
        self._combined.append(Combined(crossed.counts, codes, labels, crossed.present))

    def _keep(self, tally: Tally) -> None:
        self._parts.append(tally)
        if len(self._parts) > 8:
            self._parts = [merge(self._parts)]

    def _count_sorted(self, least: int) -> None:
        """Count the rows that call for sorting when they are at least so many."""
        if not self._waiting or sum(len(part.system) for part in self._waiting) < least:
            return
        human = np.concatenate([part.ratings.T for part in self._waiting], axis=1).T
        system = np.concatenate([part.system for part in self._waiting])
        items, *codes = (np.concatenate(each) for each in zip(*(part.codes for part in self._waiting), strict=True))
        self._waiting = []
        labels = {name: tuple(known) for name, known in self._names().items()}
        groups: dict[str, tuple[Codes, Sequence[str]]] = {BY_ITEM: (items, labels[BY_ITEM])}
        for code, (name, own) in zip(codes, list(labels.items())[1:], strict=True):
            pairs, joint = np.unique(items.astype(np.intp) * len(own) + code, return_inverse=True)
            groups[within(name)] = (
                joint,
                [_joined(labels[BY_ITEM][pair // len(own)], own[pair % len(own)]) for pair in pairs.tolist()],
            )
        self._combine(crossed_rows(items, codes, [len(own) for own in labels.values()], np.isfinite(human)),
                      np.arange(len(labels[BY_ITEM])), labels)  # fmt: skip
        tallier = Tallier(self._bounds)
        tallier.add(human, system, groups)
        self._keep(tallier.tally())

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


def _ranks(labels: Sequence[str]) -> Integers:
    """Return the place of every label among the sorted ones."""
    place = {label: rank for rank, label in enumerate(sorted(labels))}
    return np.array([place[label] for label in labels], np.intp)


def _cells_in(window: Window, segments: Sequence[Segment]) -> tuple[Cells, Integers]:
    """Return the cells of some rows in canonical order, and the place there of every cell of the window."""
    known = window.combinations()
    occurs = np.zeros(len(known), bool)
    for segment in segments:
        occurs[segment.cells] = True
    used = np.flatnonzero(occurs)
    keys, place = unique_rows(known.keys()[used])
    places = np.zeros(len(known), np.intp)
    places[used] = place
    return Cells.from_keys(keys), places


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
