"""What must not be shown: decided once, from who is in which group, before any number is made."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.combinations import HUMAN, MULTIPLE, REPORTED, Combinations
from reportgen.evaluation.statistics import RestsOn
from reportgen.privacy import NONE, Mask, Partition, withheld
from reportgen.results import Column, Row, Table
from reportgen.results.term import Term
from reportgen.tally.cells import Floats

SYSTEM, CELLS = "system", "cells"
"""Numbers that rest on all responses; means at a human score.  The other kinds are those of `Combinations`."""

Levels = Mapping[str, frozenset[str]]
"""Grouping -> names of levels."""

Place = tuple[str, str]
"""Kind of numbers and grouping that a decision is about."""


@dataclass(frozen=True)
class Suppression:
    """The levels of groupings that are not shown.

    Parameters
    ----------
    least
        Fewest responses of a group that may be shown; 0 when nothing is withheld.
    levels
        Of which no score is shown.
    counted
        Those of them whose size is shown, and it: their members all have one score, or they protect such a group.
    twice
        What rests on -> levels of which nothing that rests on responses scored more than once is shown.
    cells
        Grouping -> (level, first human score) whose responses are not shown apart.
    reported
        Levels of which nothing is shown that rests on responses with all item scores.
    raters
        Columns of ratings of which nothing is shown.
    """

    least: int = 0
    levels: Levels = field(default_factory=dict)
    twice: Mapping[RestsOn, Levels] = field(default_factory=dict)
    cells: Mapping[str, frozenset[tuple[str, float]]] = field(default_factory=dict)
    reported: Levels = field(default_factory=dict)
    counted: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    raters: frozenset[int] = frozenset()

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
        """Return the levels of which nothing is shown, by grouping, sorted."""
        return {grouping: tuple(sorted(levels)) for grouping, levels in self.levels.items() if levels}


def suppression(found: Combinations, least: int, also: Mapping[Place, Collection[str]] | None = None) -> Suppression:
    """Return what is withheld so that nothing about fewer than `least` responses can be seen or worked out.

    Decided are first the groups, by who is in them alone; then which groups' numbers of responses scored more than
    once, and of reported scores, are shown; then which means at a human score.  A later step never withholds a group.

    Parameters
    ----------
    found
        The distinct combinations of groups, scores and what numbers rest on, and how many responses have each.
    also
        Kind of numbers and grouping -> levels of which they are withheld whatever their size.
    """
    labels, points = found.labels, found.points
    given = {
        place: np.array([label in levels for label in labels[place[1]]], bool) for place, levels in (also or {}).items()
    }
    groups = {(SYSTEM, name): Partition(codes, len(labels[name])) for name, codes in found.codes.items()}
    masks = _decide(found, least, [], groups, given)
    fixed = [partition.without(masks[place]).always() for place, partition in groups.items()]
    of_kinds: dict[Place, Partition] = {}
    for kind, rows in found.kinds.items():
        own = {(kind, name): Partition(np.where(rows, found.codes[name], NONE), len(labels[name])) for name in labels}
        for _, name in own:
            given[kind, name] = given.get((kind, name), False) | masks[SYSTEM, name]
        if kind != REPORTED and rows.any():  # sums of second ratings are known of these responses only
            given |= _decide(found, least, [], {place: each.at(np.flatnonzero(rows)) for place, each in own.items()},
                             given, found.counts[rows])  # fmt: skip
        fixed.append(Partition(np.where(rows, 0, NONE), 1, always_shown=True))
        of_kinds |= own
    masks |= _decide(found, least, fixed, of_kinds, given)
    fixed += [partition.without(masks[place]).always() for place, partition in of_kinds.items()]
    if found.scores is not None:
        fixed.append(Partition(found.scores, len(points), always_shown=True))
        cells = {
            (CELLS, name): Partition(
                codes.astype(np.intp) * len(points) + found.scores, len(labels[name]) * len(points)
            )
            for name, codes in found.codes.items()
        }
        of_groups = {(CELLS, name): np.repeat(masks[SYSTEM, name], len(points)) for name in labels}
        masks |= _decide(found, least, fixed, cells, of_groups)
    return _named(masks, labels, points, least)


def _decide(
    found: Combinations,
    least: int,
    fixed: Sequence[Partition],
    partitions: Mapping[Place, Partition],
    already: Mapping[Place, Mask],
    counts: NDArray[np.integer] | None = None,
) -> dict[Place, Mask]:
    """Return which levels are withheld, when sums of the fixed partitions are shown in any case."""
    every = [*fixed, *partitions.values()]
    hidden = [np.zeros(each.levels, bool) for each in fixed]
    hidden += [already.get(place, np.zeros(each.levels, bool)) for place, each in partitions.items()]
    masks = withheld(every, least, hidden, found.counts if counts is None else counts)[len(fixed) :]
    return dict(zip(partitions, masks, strict=True))


def hidden_by_size(sizes: Mapping[str, int], n: int, least: int) -> frozenset[str]:
    """Return the levels of one grouping to withhold, when nothing but their sizes is known.

    Parameters
    ----------
    n
        Responses in all; those in no level count as a remainder.
    """
    labels = sorted(label for label, size in sizes.items() if size)
    counts = np.array([*(sizes[label] for label in labels), max(n - sum(sizes.values()), 0)])
    codes = np.append(np.arange(len(labels)), NONE)[counts > 0]
    mask = withheld([Partition(codes, len(labels))], least, counts=counts[counts > 0])[0]
    return frozenset(labels[level] for level in np.flatnonzero(mask))


def _named(
    masks: Mapping[Place, Mask], names: Mapping[str, tuple[str, ...]], points: Floats, least: int
) -> Suppression:
    """Return the decision by names of levels."""

    def named(kind: str) -> dict[str, frozenset[str]]:
        return {
            grouping: frozenset(labels[level] for level in np.flatnonzero(masks[kind, grouping]).tolist())
            for grouping, labels in names.items()
            if (kind, grouping) in masks
        }

    cells = {
        grouping: frozenset(
            (labels[place // len(points)], float(points[place % len(points)]))
            for place in np.flatnonzero(masks[CELLS, grouping]).tolist()
        )
        for grouping, labels in names.items()
        if (CELLS, grouping) in masks
    }
    twice: dict[RestsOn, Levels] = {HUMAN: named(HUMAN), MULTIPLE: named(MULTIPLE)}
    return Suppression(least, named(SYSTEM), twice, cells, named(REPORTED))


def withheld_log(found: Suppression) -> Table | None:
    """Return the log of what is withheld: names alone; None when nothing is.

    Which of them are small, and which are withheld so that the small ones cannot be worked out, is not told.
    """
    counted = {(grouping, level) for grouping, levels in found.counted.items() for level in levels}
    everything = {(grouping, level) for grouping, levels in found.levels.items() for level in levels}
    twice = {
        (grouping, level)
        for kind in found.twice.values()
        for grouping, levels in kind.items()
        for level in levels
    } - everything  # fmt: skip
    reported = {(grouping, level) for grouping, levels in found.reported.items() for level in levels} - everything
    return withheld_table(everything - counted, twice, found.least, reported, counted)


def withheld_table(
    everything: Collection[tuple[str, str]],
    twice: Collection[tuple[str, str]],
    least: int,
    reported: Collection[tuple[str, str]] = (),
    counted: Collection[tuple[str, str]] = (),
) -> Table | None:
    """Return the log of (grouping, level) pairs of which everything, or everything of some kind, is withheld."""
    if not (everything or twice or reported or counted):
        return None
    rows = [Row((*place, Term("everything"))) for place in sorted(everything)]
    rows += [Row((*place, Term("all_but_size"))) for place in sorted(counted)]
    rows += [Row((*place, Term("of_double_scored"))) for place in sorted(twice)]
    rows += [Row((*place, Term("of_reported_scores"))) for place in sorted(reported)]
    columns = (Column("grouping"), Column("level"), Column("withheld"))
    return Table("privacy.withheld", "", columns, tuple(rows), (Term("withheld_note", least=least),))
