"""Counted responses of all items, in chunks of items for making tables."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.estimates import SliceEstimates, estimate_slices
from reportgen.evaluation.suppression import Combinations, ScoreSums, Suppression, has_one_score, protect, suppression
from reportgen.evaluation.tallied_scores import Plan, ScoreForm, forms_of
from reportgen.privacy import NONE, Differences, Mask, Partition
from reportgen.scores.items import UNIT_SEPARATOR
from reportgen.tally import FAR, OVERALL, Cells, Form, Groups, Integers, LevelSums, Slices, Tally, numbered, totals
from reportgen.tally.sums import Floats

ITEMS_AT_A_TIME, LEVELS_AT_A_TIME = 500, 2500
"""Chunk sizes: large enough to reduce overhead, small enough for the memory of a laptop."""

EVERYTHING, TWICE = "everything", "numbers based on responses scored more than once"  # kinds of withholding of a level


class Hidden(NamedTuple):
    """Withheld levels of a grouping within items: entirely, or for statistics of two human scores."""

    levels: Mask
    twice: Mask


@dataclass(frozen=True, kw_only=True)
class ItemsStudy(Plan):
    """Counted items on one scale and their evaluation plan, like a `TalliedScores` for each item.

    withheld: (item, grouping, level, kind) of withheld levels; the tally excludes completely withheld levels.
    """

    tally: Tally  # its groupings are the items, and the groups within them
    groups: tuple[str, ...]  # groupings with at least one shown level
    combinations: Combinations | None  # groups of responses, including the item; None if nothing is withheld
    continuous: frozenset[str]  # items with engine scores that are not points of the scale
    withheld: tuple[tuple[int, str, str, str], ...] = ()
    also: tuple[str, ...] = ()  # additional tables, from `reportgen.evaluation.many_items.tables.ALSO`

    @property
    def items(self) -> tuple[str, ...]:
        """Labels of the items, sorted."""
        return self.tally.slices[BY_ITEM].labels

    @property
    def least(self) -> int:
        """Fewest ratings of a rater in comparisons; 0 if nothing is withheld."""
        return self.min_n if self.withhold else 0

    def without(self, unfit: Collection[str]) -> ItemsStudy | None:
        """Return the study without `unfit` items; None if no item remains."""
        out = [label for label in self.items if label in unfit]
        if len(out) == len(self.items):
            return None
        gone = {BY_ITEM: out}
        for name in map(within, self.groups) if out else ():
            labels = self.tally.slices[name].labels
            gone[name] = [label for label in labels if label.split(UNIT_SEPARATOR, 1)[0] in unfit]
        return replace(self, tally=self.tally.without(gone))

    def protected(self) -> ItemsStudy:
        """Return the study without withheld levels."""
        if self.combinations is None:
            return self
        tally, found = self.tally, []
        hidden = hidden_levels(tally, self.groups, self.combinations, self.min_n)
        for grouping, mask in hidden.items():
            where = Inside.of(tally, grouping)
            for level in np.flatnonzero(mask.levels | mask.twice).tolist():
                what = EVERYTHING if mask.levels[level] else TWICE
                found.append((int(where.item[level]), grouping, where.labels[level], what))
        tally = tally.without({
            within(name): np.array(tally.slices[within(name)].labels, object)[mask.levels].tolist()
            for name, mask in hidden.items()
        })  # fmt: skip
        groups = tuple(name for name in self.groups if within(name) in tally.slices)
        return replace(self, tally=tally, groups=groups, withheld=tuple(found))

    @cached_property
    def forms(self) -> tuple[ScoreForm, ...]:
        """The score types: unchanged, trimmed, trimmed and rounded."""
        return tuple(forms_of(next(iter(self.preparation.families(np.zeros(1)))), discrete=False))

    def chunks(self) -> Iterator[Chunk]:
        """Yield all items in chunks."""
        levels = sum(len(part.labels) for part in self.tally.slices.values())
        most = min(ITEMS_AT_A_TIME, max(LEVELS_AT_A_TIME * len(self.items) // levels, 1))
        inside = {grouping: Inside.of(self.tally, grouping) for grouping in self.groups}
        for first, last in pairwise(chunk_starts(self.tally.slices[BY_ITEM], self.tally.cells, most)):
            yield self._chunk(first, last, inside)

    def _chunk(self, first: int, last: int, inside: Mapping[str, Inside]) -> Chunk:
        slices, groups = {BY_ITEM: between(self.tally.slices[BY_ITEM], first, last)}, {}
        for grouping, where in inside.items():
            start, stop = np.searchsorted(where.item, [first, last]).tolist()
            slices[within(grouping)] = part = between(self.tally.slices[within(grouping)], start, stop)
            groups[grouping] = Inside(where.item[start:stop] - first, where.labels[start:stop], part.sizes)
        own = reduced(self.tally, slices, self.tally.ratings_alone)
        overall = _together(own.slices[BY_ITEM], len(own.cells))
        return Chunk(self, first, replace(own, slices={OVERALL: overall, **own.slices}), groups)


@dataclass(frozen=True)
class Chunk:
    """Consecutive items with their counts and plan; `first` is the position of the first among all items."""

    tallied: ItemsStudy
    first: int
    tally: Tally
    groups: Mapping[str, Inside]

    @property
    def items(self) -> tuple[str, ...]:
        """Labels of the items."""
        return self.tally.slices[BY_ITEM].labels

    @cached_property
    def by_form(self) -> list[SliceEstimates]:
        """Overall estimates of items, for every form of the score."""
        return [self.estimates(BY_ITEM, score.form) for score in self.tallied.forms]

    def estimates(self, grouping: str, form: Form, inside: tuple[str, Integers] | None = None) -> SliceEstimates:
        """Return every statistic of every level of a grouping; arguments as for `estimate_slices`."""
        plan = self.tallied
        found = estimate_slices(
            self.tally, grouping, form, plan.level, plan.rater_error_variance, None, plan.worst_errors(form), inside
        )
        return found if plan.preparation.rounding.points else found.on_continuous_scale()

    def twice(self, grouping: str) -> Mask:
        """Return the levels of a grouping without statistics of two human scores."""
        hidden = {told[:3] for told in self.tallied.withheld if told[3] == TWICE}
        places = zip(self.groups[grouping].item.tolist(), self.groups[grouping].labels, strict=True)
        return np.array([(self.first + item, grouping, label) in hidden for item, label in places], bool)


def between(slices: Slices, start: int, stop: int) -> Slices:
    """Return consecutive levels."""
    entries = slice(*np.searchsorted(slices.level, [start, stop]).tolist())
    return Slices(
        slices.labels[start:stop], slices.level[entries] - start, slices.cell[entries], slices.sums[:, entries],
        slices.minimum[start:stop], slices.maximum[start:stop],
    )  # fmt: skip


def reduced(tally: Tally, slices: Mapping[str, Slices], alone: Mapping[str, LevelSums]) -> Tally:
    """Return a tally with some slices and the cells of the first of them."""
    used = np.unique(next(iter(slices.values())).cell)
    cells = tally.cells.take(used)
    own = {name: replace(part, cell=np.searchsorted(used, part.cell)) for name, part in slices.items()}
    return Tally(cells, own, tally.bounds, alone)


def _together(items: Slices, cells: int) -> Slices:
    sums = np.stack([totals(items.cell, power, cells) for power in items.sums])
    ends = items.minimum.min(keepdims=True), items.maximum.max(keepdims=True)
    return Slices(("",), np.zeros(cells, np.intp), np.arange(cells), sums, *ends)


BY_ITEM = "by item"  # grouping of the tally whose levels are the items


def within(grouping: str) -> str:
    """Return the grouping of the tally with a grouping's levels within each item."""
    return f"{BY_ITEM} and {grouping}"


def items_as_groups(items: tuple[NDArray[np.integer], Sequence[str]], groups: Groups) -> Groups:
    """Return the items of rows, and the levels of every grouping within items, as groupings.

    >>> found = items_as_groups((np.array([0, 1, 0]), ["a", "b"]), {"sex": (np.array([0, 0, 1]), ["f", "m"])})
    >>> codes, labels = found[within("sex")]
    >>> codes.tolist(), [label.split(UNIT_SEPARATOR) for label in labels]
    ([0, 2, 1], [['a', 'f'], ['a', 'm'], ['b', 'f']])
    """
    item, names = items
    found = {BY_ITEM: items}
    for grouping, (codes, labels) in groups.items():
        joint, first = numbered([item, codes])
        pairs = zip(item[first].tolist(), codes[first].tolist(), strict=True)
        found[within(grouping)] = joint, [f"{names[one]}{UNIT_SEPARATOR}{labels[level]}" for one, level in pairs]
    return found


@dataclass(frozen=True)
class Inside:
    """Levels of a grouping within items.

    item, labels, n (levels,): position of the level's item, its name without the item's, and responses.
    """

    item: Integers
    labels: tuple[str, ...]
    n: Floats

    @classmethod
    def of(cls, tally: Tally, grouping: str) -> Inside:
        """Return the levels of a grouping within the items of a tally."""
        place = {label: index for index, label in enumerate(tally.slices[BY_ITEM].labels)}
        slices = tally.slices[within(grouping)]
        pairs = [label.split(UNIT_SEPARATOR, 1) for label in slices.labels]
        item = np.array([place[item] for item, _ in pairs], np.intp)
        return cls(item, tuple(label for _, label in pairs), slices.sizes)

    def order(self) -> Integers:
        """Return the levels by item, the largest first, ties by name."""
        return np.lexsort((np.arange(len(self.n)), -self.n, self.item))

    def alone(self) -> Mask:
        """Return which levels are the only ones of their item."""
        return np.asarray(np.bincount(self.item, minlength=1)[self.item] == 1)


def chunk_starts(items: Slices, cells: Cells, most: int) -> list[int]:
    """Return the starts of chunks of items, and the end of the last one.

    Statistics of a chunk share one center for human and one for engine scores. An item that is far from the first of
    its chunk, in its own standard deviations, begins another chunk, to avoid cancellation.
    """
    located = [_located(items, values) for values in (cells.ratings[:, 0], cells.system)]
    starts = [0]
    for item in range(1, len(items.labels)):
        first = starts[-1]
        far = any(abs(mean[item] - mean[first]) > FAR / 2 * max(sd[item], 1.0) for mean, sd in located)
        if far or item - first >= most:
            starts.append(item)
    return [*starts, len(items.labels)]


def _located(items: Slices, values: Floats) -> tuple[Floats, Floats]:
    levels, own = len(items.labels), values[items.cell]
    n = totals(items.level, items.sums[0], levels)
    mean = totals(items.level, items.sums[0] * own, levels) / n
    squares = totals(items.level, items.sums[0] * (own - mean[items.level]) ** 2, levels)
    return mean, np.sqrt(squares / n)


def hidden_levels(tally: Tally, groups: tuple[str, ...], found: Combinations, least: int) -> dict[str, Hidden]:
    """Return the withheld levels of every grouping, as `suppression` decides for each item."""
    inside = {grouping: Inside.of(tally, grouping) for grouping in groups}
    hidden = {grouping: Hidden(*np.zeros((2, len(where.labels)), bool)) for grouping, where in inside.items()}
    doubtful = np.flatnonzero(_doubtful(found, least))
    items = tally.slices[BY_ITEM].labels
    place = {label: index for index, label in enumerate(items)}
    for item, decided in _decided(found, doubtful, least):
        at = place.get(found.labels[BY_ITEM][item])
        if at is None:
            continue
        for grouping, where in inside.items():
            start, stop = np.searchsorted(where.item, [at, at + 1]).tolist()
            for level in range(start, stop):
                hidden[grouping].levels[level] = decided.hides(grouping, where.labels[level])
                hidden[grouping].twice[level] = decided.hides(grouping, where.labels[level], "human")
    _hide_equal_scores(tally, inside, hidden)
    return hidden


def _hide_equal_scores(tally: Tally, inside: Mapping[str, Inside], hidden: Mapping[str, Hidden]) -> None:
    """Withhold groups within items whose scores are all equal, and those that would reveal one."""
    slices = tally.slices
    groups = {
        name: (slices[name].level, slices[name].cell, slices[name].sums[0], len(slices[name].labels))
        for name in (BY_ITEM, *map(within, inside))
    }
    nothing = np.zeros(len(tally.cells.system))
    for scores in (tally.cells.ratings[:, 0], tally.cells.system):
        sums = ScoreSums.of(scores, nothing, groups)
        items = sums.levels[BY_ITEM]
        for grouping, where in inside.items():
            own, mask = sums.levels[within(grouping)], hidden[grouping].levels
            mask |= has_one_score(own) & ~has_one_score(items)[where.item]
            shown = np.stack([totals(where.item, power * ~mask, items.shape[1]) for power in own])
            some = np.bincount(where.item, mask, items.shape[1]) > 0
            for item in np.flatnonzero(has_one_score(items - shown) & ~has_one_score(items) & some).tolist():
                protect(own, items[:, item], where.item == item, mask)


def _decided(found: Combinations, items: Integers, least: int) -> Iterator[tuple[int, Suppression]]:
    known: dict[bytes, Suppression] = {}
    order = np.argsort(found.codes[BY_ITEM], kind="stable")
    ordered = found.codes[BY_ITEM][order]
    labels = {name: names for name, names in found.labels.items() if name != BY_ITEM}
    for item in items.tolist():
        rows = order[slice(*np.searchsorted(ordered, [item, item + 1]))]
        codes, kinds = {name: found.codes[name][rows] for name in labels}, found.kinds.items()
        own = Combinations(found.counts[rows], codes, labels, {kind: mask[rows] for kind, mask in kinds})
        key = b"".join(part.tobytes() for part in (own.counts, *own.codes.values(), *own.kinds.values()))
        if key not in known:
            known[key] = suppression(own, least)
        yield item, known[key]


def _doubtful(found: Combinations, least: int) -> Mask:
    """Return the items that possibly require withholding, because they have or imply a small group."""
    item, labels = found.codes[BY_ITEM].astype(np.intp), found.labels
    weights = found.counts.astype(np.float64)
    rows_of = [np.ones(len(item), bool), *found.kinds.values()]
    columns: list[tuple[NDArray[np.integer], int]] = [(np.zeros_like(item), 1)]
    columns += [(codes, len(labels[name])) for name, codes in found.codes.items() if name != BY_ITEM]
    partitions = [
        Partition(np.where(rows, item * levels + codes, NONE), len(labels[BY_ITEM]) * levels)
        for rows in rows_of
        for codes, levels in columns
    ]
    doubtful = np.zeros(len(labels[BY_ITEM]), bool)
    for each in partitions:
        size = each.sums(weights)
        doubtful |= ((size > 0) & (size < least)).reshape(len(doubtful), -1).any(axis=1)
    return doubtful | Differences(partitions, weights, least).doubtful(0)
