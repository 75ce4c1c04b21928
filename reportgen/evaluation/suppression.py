"""Withholding of small groups and of groups with equal scores, decided once for all tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress, product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.statistics import RestsOn
from reportgen.privacy import NONE, Mask, Partition, Short, distinct, short, withheld
from reportgen.results import Column, Row, Table, Term
from reportgen.tally import OVERALL, Floats, Groups, Integers, Tally, numbered, totals

SYSTEM, CELLS = "system", "cells"
"""Numbers of all responses; means at a human score. The other kinds are those of `Combinations`."""

Levels = Mapping[str, frozenset[str]]  # names of levels by grouping

Place = tuple[str, str]  # kind of numbers and grouping of a decision


@dataclass(frozen=True)
class Suppression:
    """Withheld levels of groupings.

    counted: the subset with a shown size, because all scores are equal or to protect such a group.
    twice: levels without numbers of double-scored responses, by kind of responses.
    cells: (level, first human score) without separate numbers, by grouping.
    """

    least: int = 0  # fewest responses of a shown group; 0 if nothing is withheld
    levels: Levels = field(default_factory=dict)  # without any score
    twice: Mapping[RestsOn, Levels] = field(default_factory=dict)
    cells: Mapping[str, frozenset[tuple[str, float]]] = field(default_factory=dict)
    reported: Levels = field(default_factory=dict)  # levels without numbers of responses with all item scores
    counted: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    raters: frozenset[int] = frozenset()  # withheld columns of ratings

    def hides(self, grouping: str, level: str, rests_on: RestsOn = "system") -> bool:
        """Return whether a level's numbers of a kind are withheld."""
        return level in self.levels.get(grouping, ()) or level in self.twice.get(rests_on, {}).get(grouping, ())

    def hides_at(self, grouping: str, level: str, score: float) -> bool:
        """Return whether a level's responses with a first human score are withheld."""
        return (level, score) in self.cells.get(grouping, ())

    def hides_reported(self, grouping: str, level: str) -> bool:
        """Return whether a level's numbers of reported scores are withheld."""
        return self.hides(grouping, level) or level in self.reported.get(grouping, ())

    def names(self) -> dict[str, tuple[str, ...]]:
        """Return the completely withheld levels, by grouping, sorted."""
        return {grouping: tuple(sorted(levels)) for grouping, levels in self.levels.items() if levels}


def suppression(found: Combinations, least: int) -> Suppression:
    """Decide what to withhold so that nothing about fewer than `least` responses can be seen or derived."""
    return _named(_masks(found, least, {}), found, least)


def _masks(found: Combinations, least: int, also: Mapping[Place, Mask]) -> dict[Place, Mask]:
    """Return the withheld levels by kind of numbers and grouping, including `also`, for any size.

    The order is: groups by their members, then groups' numbers of double-scored responses and of reported scores, then
    means at a human score. A later step never withholds a group.
    """
    labels, points, given = found.labels, found.points, dict(also)
    groups = {(SYSTEM, name): Partition(codes, len(labels[name])) for name, codes in found.codes.items()}
    masks = _decide(found, least, [], groups, given)
    fixed = [partition.without(masks[place]).always() for place, partition in groups.items()]
    of_kinds: dict[Place, Partition] = {}
    for kind, rows in found.kinds.items():
        own = {(kind, name): Partition(np.where(rows, found.codes[name], NONE), len(labels[name])) for name in labels}
        for _, name in own:
            given[kind, name] = given.get((kind, name), False) | masks[SYSTEM, name]
        if kind != REPORTED and rows.any():  # only these responses have known sums of second ratings
            given |= _decide(found, least, [], {place: each.at(np.flatnonzero(rows)) for place, each in own.items()},
                             given, found.counts[rows])  # fmt: skip
        fixed.append(Partition(np.where(rows, 0, NONE), 1, always_shown=True))
        of_kinds |= own
    masks |= _decide(found, least, fixed, of_kinds, given)
    fixed += [partition.without(masks[place]).always() for place, partition in of_kinds.items()]
    if found.scores is not None:
        fixed.append(Partition(found.scores, len(points), always_shown=True))
        cells = {}
        for name, codes in found.codes.items():
            places = codes.astype(np.intp) * len(points) + found.scores
            cells[CELLS, name] = Partition(places, len(labels[name]) * len(points))
        of_groups = {(CELLS, name): np.repeat(masks[SYSTEM, name], len(points)) for name in labels}
        masks |= _decide(found, least, fixed, cells, of_groups)
    return masks


def _decide(
    found: Combinations,
    least: int,
    fixed: Sequence[Partition],
    partitions: Mapping[Place, Partition],
    already: Mapping[Place, Mask],
    counts: NDArray[np.integer] | None = None,
) -> dict[Place, Mask]:
    fixed = [*{(each.levels, each.codes.tobytes()): each for each in fixed}.values()]  # two raters: kinds are the same
    every = [*fixed, *partitions.values()]
    hidden = [np.zeros(each.levels, bool) for each in fixed]
    hidden += [already.get(place, np.zeros(each.levels, bool)) for place, each in partitions.items()]
    masks = withheld(every, least, hidden, found.counts if counts is None else counts)[len(fixed) :]
    return dict(zip(partitions, masks, strict=True))


def hidden_by_size(sizes: Mapping[str, int], n: int, least: int) -> frozenset[str]:
    """Return the levels of one grouping to withhold, from their sizes and the number `n` of all responses."""
    labels = sorted(label for label, size in sizes.items() if size)
    counts = np.array([*(sizes[label] for label in labels), max(n - sum(sizes.values()), 0)])
    codes = np.append(np.arange(len(labels)), NONE)[counts > 0]
    mask = withheld([Partition(codes, len(labels))], least, counts=counts[counts > 0])[0]
    return frozenset(labels[level] for level in np.flatnonzero(mask))


def _named(
    masks: Mapping[Place, Mask], found: Combinations, least: int, counted: Mapping[str, Mapping[str, int]] | None = None
) -> Suppression:
    def named(kind: str, names: Mapping[str, Sequence[Any]] = found.labels) -> dict[str, frozenset[Any]]:
        own = {grouping: masks[kind, grouping] for grouping in names if (kind, grouping) in masks}
        return {grouping: frozenset(compress(names[grouping], mask)) for grouping, mask in own.items()}

    cells = {name: list(product(labels, found.points.tolist())) for name, labels in found.labels.items()}
    twice: dict[RestsOn, Levels] = {HUMAN: named(HUMAN), MULTIPLE: named(MULTIPLE)}
    return Suppression(least, named(SYSTEM), twice, named(CELLS, cells), named(REPORTED), counted or {})


def withheld_log(found: Suppression) -> tuple[Table, ...]:
    """Return the log of withheld levels by name, without revealing which are small; empty if there are none."""
    counted, everything, reported, *twice = (
        {(grouping, level) for grouping, names in levels.items() for level in names}
        for levels in (found.counted, found.levels, found.reported, *found.twice.values())
    )
    kinds = {
        "everything": everything - counted,
        "all_but_size": counted,
        "of_double_scored": set().union(*twice) - everything,
        "of_reported_scores": reported - everything,
    }
    rows = [Row((*place, Term(kind))) for kind, places in kinds.items() for place in sorted(places)]
    columns = (Column("grouping"), Column("level"), Column("withheld"))
    note = Term("withheld_note", least=found.least)
    return (Table("privacy.withheld", "", columns, tuple(rows), (note,)),) if rows else ()


HUMAN: Final = "human"  # numbers of responses scored by the first two raters

MULTIPLE: Final = "multiple"  # numbers of responses scored by any two raters

REPORTED: Final = "reported"  # numbers of responses with all item scores

MOST_SCORES = 25  # distinct first human scores up to which means at each are shown by group


@dataclass(frozen=True)
class Combinations:
    """Distinct combinations of levels, kinds of numbers, and first human score, with numbers of responses.

    counts (combinations,): responses of each.
    codes: position of the level in `labels` by grouping, (combinations,), in as few bytes as possible.
    labels: sorted names of levels by grouping.
    kinds: whether numbers of a kind (`HUMAN`, `MULTIPLE`, `REPORTED`) include them, (combinations,).
    scores (combinations,): position of the first human score in `points`; None for more than `MOST_SCORES` scores.
    points: first human scores, sorted.
    """

    counts: NDArray[np.integer]
    codes: Mapping[str, NDArray[np.integer]]
    labels: Mapping[str, tuple[str, ...]]
    kinds: Mapping[str, Mask]
    scores: NDArray[np.integer] | None = None
    points: Floats = field(default_factory=lambda: np.zeros(0))

    @classmethod
    def of(cls, human: Floats, groups: Groups, all_items: Mask | None = None) -> Combinations:
        """Return the combinations of some responses.

        human (n, raters): human scores, NaN if missing; the first column is complete.
        groups: (codes, labels) by grouping column; a level can have multiple codes.
        all_items (n,): whether a response has all item scores, for reported scores; None without item scores.

        >>> human = np.array([[1, 2], [1, 3], [4, np.nan], [1, 1]])
        >>> found = Combinations.of(human, {"sex": (np.array([0, 2, 1, 1]), ("m", "f", "m"))})
        >>> found.labels["sex"], found.codes["sex"].tolist(), found.points[found.scores].tolist(), found.counts.tolist()
        (('f', 'm'), [0, 0, 1], [4.0, 1.0, 1.0], [1, 1, 2])
        """
        kinds, present = dict[str, Mask](), np.isfinite(human)
        if human.shape[1] > 1:
            kinds |= {HUMAN: present[:, 0] & present[:, 1], MULTIPLE: present.sum(axis=1) > 1}
        kinds |= {} if all_items is None else {REPORTED: np.asarray(all_items, np.bool_)}
        labels = {name: tuple(sorted({*names})) for name, (_, names) in groups.items()}
        codes = {name: _placed(*group, labels[name]) for name, group in groups.items()}
        scores, first = numbered([human[:, 0]])
        return _distinct(cls(np.ones(len(human), np.int8), codes, labels, kinds, scores, human[first, 0]))


def merged(parts: Iterable[Combinations]) -> Combinations:
    """Merge the combinations of all `parts`, in any order; ValueError if there are none or groupings differ."""
    parts = list(parts)
    if len({(frozenset(part.codes), frozenset(part.kinds)) for part in parts}) != 1:
        raise ValueError("combinations to merge must be some, and of the same groupings and kinds of numbers")
    names = parts[0].codes
    labels = {name: tuple(sorted({label for part in parts for label in part.labels[name]})) for name in names}
    points = np.unique(np.concatenate([part.points for part in parts]))
    scores = [np.searchsorted(points, part.points)[part.scores] for part in parts if part.scores is not None]
    counts = np.concatenate([part.counts for part in parts])
    codes = {n: np.concatenate([_placed(p.codes[n], p.labels[n], labels[n]) for p in parts]) for n in names}
    kinds = {kind: np.concatenate([part.kinds[kind] for part in parts]) for kind in parts[0].kinds}
    place = np.concatenate(scores) if len(scores) == len(parts) else None
    return _distinct(Combinations(counts, codes, labels, kinds, place, points))


def _distinct(found: Combinations) -> Combinations:
    """Return distinct combinations, without scores if there are too many."""
    many = len(found.points) > MOST_SCORES
    points = np.zeros(0) if many or found.scores is None else found.points
    scores = None if many or found.scores is None else short(found.scores, len(points))
    columns = [(codes, len(found.labels[name])) for name, codes in found.codes.items()]
    columns += [(mask.view(np.int8), 2) for mask in found.kinds.values()]
    columns += [] if scores is None else [(scores, len(points))]
    first, counts = distinct(columns, found.counts)
    n = short(counts.astype(np.intp), int(counts.max(initial=0)))
    own = {name: codes[first] for name, codes in found.codes.items()}
    kinds = {kind: mask[first] for kind, mask in found.kinds.items()}
    return Combinations(n, own, found.labels, kinds, None if scores is None else scores[first], points)


def _placed(codes: NDArray[np.integer], names: Sequence[str], labels: tuple[str, ...]) -> Short:
    if tuple(names) == labels:
        return short(codes, len(labels))
    place = {label: index for index, label in enumerate(labels)}
    return np.asarray(short(np.array([place[name] for name in names], np.intp), len(labels))[codes])


Entries = tuple[Integers, Integers, Floats, int]
"""Level, cell, and weight of each entry of a grouping; number of levels."""

EQUAL = 1e-9  # largest variance, in squared steps of ordinary scores, that is a rounding error


@dataclass(frozen=True)
class ScoreSums:
    """Number of responses with a score, the sum of the scores, and of their squares: (3, levels), and of all (3,)."""

    whole: Floats
    levels: Mapping[str, Floats]

    @classmethod
    def of(cls, scores: Floats, weights: Floats, groups: Mapping[str, Entries]) -> ScoreSums:
        """Return the sums of some scores, NaN if missing.

        scores, weights (cells,): scores, and their numbers of responses.
        groups: (entries,) level, cell, and weight of each entry, and number of levels, by grouping.
        """
        there = np.isfinite(scores)
        own = np.where(there, scores, 0.0)
        centre = float(np.floor(own[there].mean())) if there.any() else 0.0
        powers = np.stack([there, (own - centre) * there, (own - centre) ** 2 * there]).astype(np.float64)
        levels = {
            name: np.stack([totals(level, power[cell] * weight, size) for power in powers])
            for name, (level, cell, weight, size) in groups.items()
        }
        return cls(powers @ weights, levels)


def has_one_score(sums: Floats) -> NDArray[np.bool_]:
    """Return whether all scores of sums (3, ...) are equal, and there are any."""
    n, total, square = sums
    return np.asarray((n > 0.5) & (square * n - total * total <= EQUAL * n * np.maximum(n, 1)))


def withheld_groups(found: Combinations, least: int, tally: Tally) -> Suppression:
    """Decide what to withhold: small groups, levels that reveal them by subtraction, and equal scores.

    A shown group whose members all have the same human or rounded engine score shows only its size. The withheld
    remainder of all responses, or of a containing group, must not have equal scores either. If all responses have the
    same score, there is nothing to withhold.

    found: groups of responses.
    least: fewest responses of a shown group.
    tally: counts of all responses.
    """
    labels = found.labels
    groups = {
        name: (np.searchsorted(labels[name], part.labels)[part.level], part.cell, part.sums[0], len(labels[name]))
        for name, part in tally.slices.items()
        if name != OVERALL
    }

    def sums_of(scores: Floats) -> ScoreSums:
        return ScoreSums.of(scores, tally.weights, groups)

    ratings = tally.cells.ratings
    several = np.isfinite(ratings).sum(axis=1) > 1
    both = several if ratings.shape[1] < 2 else np.isfinite(ratings[:, :2]).all(axis=1)
    of_pairs = {
        kind: [sums_of(np.where(rows, column, np.nan)) for column in ratings.T[:most]]
        for kind, rows, most in ((HUMAN, both, 2), (MULTIPLE, several, ratings.shape[1]))
        if kind in found.kinds
    }
    return with_equal_scores(found, least, [sums_of(ratings[:, 0]), sums_of(tally.cells.system)], of_pairs)


def with_equal_scores(
    found: Combinations, least: int, scores: Sequence[ScoreSums], of_kinds: Mapping[str, Sequence[ScoreSums]]
) -> Suppression:
    """Decide what to withhold, from the sums of scores of all responses, and by kind of numbers."""
    by_size = _masks(found, least, {})
    also = {(SYSTEM, name): by_size[SYSTEM, name] for name in found.labels}
    for kind, columns in of_kinds.items():
        for name, labels in found.labels.items():
            alone = np.any([has_one_score(s.levels[name]) for s in columns if not has_one_score(s.whole)], axis=0)
            also[kind, name] = np.broadcast_to(alone, len(labels))
    decided = by_size
    if any(mask.any() for (kind, _), mask in also.items() if kind != SYSTEM):
        decided = _masks(found, least, also)
    while more := _of_one_score(found, decided, scores):
        also |= {place: also[place] | mask for place, mask in more.items()}
        decided = _masks(found, least, also)
    counted = {}
    for name, labels in found.labels.items():
        n = np.bincount(found.codes[name] + 1, found.counts, len(labels) + 1)[1:]
        own = decided[SYSTEM, name] & ~by_size[SYSTEM, name]
        if own.any():
            counted[name] = {label: round(size) for label, size in compress(zip(labels, n.tolist(), strict=True), own)}
    return _named(decided, found, least, counted)


def _of_one_score(found: Combinations, decided: Mapping[Place, Mask], scores: Sequence[ScoreSums]) -> dict[Place, Mask]:
    """Return the levels with equal scores, and those that would reveal one by subtraction."""
    more = {}
    for inner in found.labels:
        before = decided[SYSTEM, inner]
        hidden, mixed = before.copy(), [column for column in scores if not has_one_score(column.whole)]
        for column in mixed:
            hidden |= has_one_score(column.levels[inner])
        for column in mixed if hidden.any() else ():
            for whole, inside in _wholes(found, decided, inner, column):
                protect(column.levels[inner], whole, inside, hidden)
        if (hidden & ~before).any():
            more[SYSTEM, inner] = hidden & ~before
    return more


def _wholes(
    found: Combinations, decided: Mapping[Place, Mask], inner: str, column: ScoreSums
) -> Iterator[tuple[Floats, Mask]]:
    """Yield the sums of all responses, and of every shown level of other groupings, with the levels inside."""
    yield column.whole, np.ones(len(found.labels[inner]), bool)
    for outer in (name for name in found.labels if name != inner):
        parent = _parents(found.codes[outer], found.codes[inner], len(found.labels[inner]))
        for level in np.unique(parent[parent != NONE]).tolist():
            if not decided[SYSTEM, outer][level]:
                yield column.levels[outer][:, level], parent == level


def protect(levels: Floats, whole: Floats, inside: Mask, hidden: Mask) -> None:
    """Withhold the smallest shown level with another score if the remainder of a whole has equal scores."""
    shown = inside & ~hidden
    left = whole - levels[:, shown].sum(axis=1)
    if not (inside & hidden).any() or not has_one_score(left):
        return
    n, total, _ = levels
    with np.errstate(all="ignore"):
        other = shown & (n > 0) & (~has_one_score(levels) | (np.abs(total / n - left[1] / left[0]) > EQUAL))
    if other.any():
        hidden[np.flatnonzero(other)[np.argmin(n[other])]] = True


def _parents(outer: NDArray[np.integer], inner: NDArray[np.integer], levels: int) -> Integers:
    low, high = np.full(levels + 1, np.iinfo(np.intp).max), np.full(levels + 1, NONE)
    np.minimum.at(low, inner, outer)
    np.maximum.at(high, inner, outer)
    return np.where(low == high, high, NONE)[:-1]
