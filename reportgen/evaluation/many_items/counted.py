"""What was counted of all items, and some items at a time to make tables of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.combinations import Combinations, merged
from reportgen.evaluation.many_items.chunking import chunk_starts
from reportgen.evaluation.many_items.items import BY_ITEM, Inside, within
from reportgen.evaluation.preparation import Preparation
from reportgen.evaluation.tallied_scores import ScoreForm, forms_of, worst_errors
from reportgen.results import Scale
from reportgen.tally import OVERALL, Form, Slices, Tally, merge
from reportgen.tally.cells import Cells, Floats, Integers, totals

ITEMS_AT_A_TIME, LEVELS_AT_A_TIME = 500, 2500
"""Enough that what is done once for all of them costs little, few enough for the memory of a laptop."""

EVERY = "every"
"""Grouping of a chunk's tally that has the items, and then the levels of all groupings within them."""


@dataclass(frozen=True)
class CountedItems:
    """The counts of some of the responses; those of further ones are added.

    Parameters
    ----------
    tally
        Its groupings are the items, and the groups within them (see `reportgen.evaluation.many_items.items`).
    combinations
        Who is in which groups, the item among them; None where nothing is withheld.
    continuous
        Items of which some engine score is no point of the scale.
    """

    tally: Tally
    combinations: Combinations | None
    continuous: frozenset[str]

    @classmethod
    def of(cls, parts: Iterable[CountedItems]) -> CountedItems:
        """Return the counts of all parts together; the order does not matter."""
        every = list(parts)
        if len(every) == 1:
            return every[0]
        known = [part.combinations for part in every if part.combinations is not None]
        return cls(
            merge([part.tally for part in every]),
            merged(known) if known else None,
            frozenset().union(*(part.continuous for part in every)),
        )


@dataclass(frozen=True)
class Hidden:
    """Which levels of a grouping within items are not shown: at all, or where they rest on two human scores."""

    levels: NDArray[np.bool_]
    twice: NDArray[np.bool_]


@dataclass(frozen=True)
class ItemsStudy:
    """Counted items, and how they are evaluated: what a `TalliedScores` is to one.

    Parameters
    ----------
    counted
        All items.
    groups, raters
        Column names.
    scale, preparation
        Of all items.
    level, min_n, rater_error_variance, min_n_by_group
        As counted scores have them.
    hidden
        Grouping -> which of its levels are not shown.
    least
        Fewest ratings of a rater who is shown beside others; 0 where nothing is withheld.
    also
        Further tables that are asked for, some of `reportgen.evaluation.many_items.singly.ALSO`.
    """

    counted: CountedItems
    groups: tuple[str, ...]
    raters: tuple[str, ...]
    scale: Scale
    preparation: Preparation
    level: float
    min_n: int
    rater_error_variance: float | None = None
    min_n_by_group: Mapping[str, int] = field(default_factory=dict)
    hidden: Mapping[str, Hidden] = field(default_factory=dict)
    least: int = 0
    also: tuple[str, ...] = ()

    @property
    def items(self) -> tuple[str, ...]:
        """Labels of the items, sorted."""
        return self.counted.tally.slices[BY_ITEM].labels

    @cached_property
    def forms(self) -> tuple[ScoreForm, ...]:
        """The score types: as given, trimmed, trimmed and rounded."""
        return tuple(forms_of(next(iter(self.preparation.families(np.zeros(1)))), discrete=False))

    def worst_errors(self, form: Form) -> tuple[float, float] | None:
        """Return how far a score in one form, and a second rating, can lie from the first; None when untrimmed."""
        return worst_errors(form, self.preparation, self.scale)

    def chunks(self) -> Iterator[Chunk]:
        """Yield all items, some at a time."""
        tally = self.counted.tally
        levels = sum(len(part.labels) for part in tally.slices.values())
        most = min(ITEMS_AT_A_TIME, max(LEVELS_AT_A_TIME * len(self.items) // levels, 1))
        for first, last in pairwise(chunk_starts(tally.slices[BY_ITEM], tally.cells, most)):
            yield self.chunk(first, last)

    def chunk(self, first: int, last: int) -> Chunk:
        """Return the items from `first` to before `last`, with those of their levels that are shown."""
        tally = self.counted.tally
        items = between(tally.slices[BY_ITEM], first, last)
        used, cell = np.unique(items.cell, return_inverse=True)
        parts = [replace(items, cell=cell)]
        slices = {OVERALL: _together(items, cell), BY_ITEM: parts[0]}
        groups = {}
        begin = last - first
        for grouping in self.groups:
            every, inside = tally.slices[within(grouping)], self._inside[grouping]
            start, stop = np.searchsorted(inside.item, [first, last]).tolist()
            part = between(every, start, stop)
            hidden = self.hidden.get(grouping)
            kept = ~hidden.levels[start:stop] if hidden else np.ones(stop - start, bool)
            part = _kept(part, kept)
            parts.append(replace(part, cell=np.searchsorted(used, part.cell)))
            groups[grouping] = GroupLevels(
                begin,
                inside.item[start:stop][kept] - first,
                tuple(np.array(inside.labels[start:stop], object)[kept]),
                totals(part.level, part.sums[0], len(part.labels)),
                hidden.twice[start:stop][kept] if hidden else np.zeros(int(kept.sum()), bool),
            )
            begin += len(part.labels)
        cells = tally.cells
        cells = Cells(cells.ratings[used], cells.system[used], cells.state[used])
        slices[EVERY] = _one_after_the_other(parts)
        its = Tally(cells, slices, tally.bounds, tally.ratings_alone)
        own = CountedItems(its, None, self.counted.continuous & frozenset(items.labels))
        return Chunk(replace(self, counted=own, hidden={}), items.labels, own.tally, groups)

    @cached_property
    def _inside(self) -> dict[str, Inside]:
        return {grouping: Inside.of(self.counted.tally, grouping) for grouping in self.groups}


@dataclass(frozen=True)
class GroupLevels:
    """The levels of a grouping within some items that are shown.

    Parameters
    ----------
    begin
        Place of the first of them among the levels of `EVERY`.
    item, labels, n
        (levels,): the item that each lies in, counted from 0, its name, and its responses.
    twice
        Where numbers that rest on two human scores are not shown.
    """

    begin: int
    item: Integers
    labels: tuple[str, ...]
    n: Floats
    twice: NDArray[np.bool_]

    def order(self) -> Integers:
        """Return the levels item by item, the largest first, ties by name."""
        return np.lexsort((np.arange(len(self.n)), -self.n, self.item))

    def alone(self) -> NDArray[np.bool_]:
        """Return which levels are the only ones of their item."""
        only: NDArray[np.bool_] = np.bincount(self.item, minlength=1)[self.item] == 1
        return only


@dataclass(frozen=True)
class Chunk:
    """Some items, what was counted of them, and how: the tally has their levels, those of items first, as `EVERY`."""

    tallied: ItemsStudy
    items: tuple[str, ...]
    tally: Tally
    groups: Mapping[str, GroupLevels]

    def inside(self) -> Integers:
        """Return the place among all levels of the item that each level lies in."""
        return np.concatenate([np.arange(len(self.items)), *(levels.item for levels in self.groups.values())])


def between(slices: Slices, start: int, stop: int) -> Slices:
    """Return consecutive levels."""
    entries = slice(*np.searchsorted(slices.level, [start, stop]).tolist())
    return Slices(
        slices.labels[start:stop], slices.level[entries] - start, slices.cell[entries], slices.sums[:, entries],
        slices.minimum[start:stop], slices.maximum[start:stop],
    )  # fmt: skip


def _kept(slices: Slices, kept: NDArray[np.bool_]) -> Slices:
    """Return some levels."""
    if kept.all():
        return slices
    entries = kept[slices.level]
    return Slices(
        tuple(label for label, keep in zip(slices.labels, kept.tolist(), strict=True) if keep),
        (np.cumsum(kept) - 1)[slices.level[entries]], slices.cell[entries], slices.sums[:, entries],
        slices.minimum[kept], slices.maximum[kept],
    )  # fmt: skip


def _one_after_the_other(parts: Sequence[Slices]) -> Slices:
    """Return the levels of several groupings as those of one."""
    begins = np.cumsum([0, *(len(part.labels) for part in parts)])[:-1].tolist()
    return Slices(
        tuple(label for part in parts for label in part.labels),
        np.concatenate([part.level + begin for part, begin in zip(parts, begins, strict=True)]),
        np.concatenate([part.cell for part in parts]),
        np.concatenate([part.sums for part in parts], axis=1),
        np.concatenate([part.minimum for part in parts]),
        np.concatenate([part.maximum for part in parts]),
    )


def _together(items: Slices, cell: Integers) -> Slices:
    """Return all items as one level."""
    cells = int(cell.max()) + 1
    sums = np.stack([totals(cell, power, cells) for power in items.sums])
    ends = items.minimum.min(keepdims=True), items.maximum.max(keepdims=True)
    return Slices(("",), np.zeros(cells, np.intp), np.arange(cells), sums, *ends)
