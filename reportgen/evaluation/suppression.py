"""What must not be shown: decided once, from who is in which group, before any number is made."""

from __future__ import annotations

from collections.abc import Collection, Mapping
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
        Of which nothing is shown: neither their size nor any number.
    twice
        What rests on -> levels of which nothing that rests on responses scored more than once is shown.
    cells
        Grouping -> (level, first human score) whose responses are not shown apart.
    reported
        Levels of which nothing is shown that rests on responses with all item scores.
    """

    least: int = 0
    levels: Levels = field(default_factory=dict)
    twice: Mapping[RestsOn, Levels] = field(default_factory=dict)
    cells: Mapping[str, frozenset[tuple[str, float]]] = field(default_factory=dict)
    reported: Levels = field(default_factory=dict)

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


def suppression(found: Combinations, least: int, also: Levels | None = None) -> Suppression:
    """Return what is withheld so that no group of fewer than `least` responses can be seen or worked out.

    Decided are first the groups, by who is in them alone; then which groups' numbers of responses scored more than
    once, and of reported scores, are shown; then which means at a human score.  A later step never withholds a group.

    Parameters
    ----------
    found
        The distinct combinations of groups, scores and what numbers rest on, and how many responses have each.
    also
        Levels that are withheld whatever their size.
    """
    everyone = np.ones(len(found.counts), bool)
    told = _Told(found.counts, least)
    told.always(everyone)
    given = {
        (SYSTEM, grouping): np.array([label in (also or {}).get(grouping, ()) for label in labels], bool)
        for grouping, labels in found.labels.items()
    }
    masks = told.decide({(SYSTEM, grouping): _partition(found, grouping, everyone) for grouping in found.codes}, given)
    for rows in found.kinds.values():
        told.always(rows)
    further = {
        (kind, grouping): _partition(found, grouping, rows)
        for kind, rows in found.kinds.items()
        for grouping in found.codes
    }
    already = {place: masks[SYSTEM, place[1]] for place in further}
    masks |= told.decide(further, _of_further_ratings(found, least, further, already))
    points = found.points
    if found.scores is not None:
        told.always(everyone, found.scores, len(points))
        masks |= told.decide(
            {
                (CELLS, grouping): Partition(
                    codes.astype(np.intp) * len(points) + found.scores, len(found.labels[grouping]) * len(points)
                )
                for grouping, codes in found.codes.items()
            },
            {(CELLS, grouping): np.repeat(masks[SYSTEM, grouping], len(points)) for grouping in found.codes},
        )
    return _named(masks, found.labels, points, least)


def _of_further_ratings(
    found: Combinations, least: int, further: Mapping[Place, Partition], already: Mapping[Place, Mask]
) -> dict[Place, Mask]:
    """Return what is withheld when only numbers of two raters count as told: others rest on no second rating."""
    rated = {
        place: partition
        for place, partition in further.items()
        if place[0] in (HUMAN, MULTIPLE) and found.kinds[place[0]].any()
    }
    told = _Told(found.counts, least)
    for kind in dict.fromkeys(kind for kind, _ in rated):
        told.always(found.kinds[kind])
    return {**already, **(told.decide(rated, already) if rated else {})}


class _Told:
    """What is decided step by step: a later step is fitted to the earlier ones, and never takes back what they show.

    Parameters
    ----------
    counts
        (combinations,): responses of each.
    least
        Fewest responses of a group that may be shown.
    """

    def __init__(self, counts: NDArray[np.integer], least: int) -> None:
        self._counts = counts
        self._least = least
        self._partitions: list[Partition] = []
        self._hidden: list[Mask] = []

    def always(self, rows: Mask, codes: NDArray[np.integer] | None = None, levels: int = 1) -> None:
        """Count the sums of some responses, level by level, among those that are told in any case."""
        codes = np.zeros(len(rows), np.int8) if codes is None else codes
        self._add(Partition(np.where(rows, codes, NONE), levels, always_shown=True), np.zeros(levels, bool))

    def decide(
        self, partitions: Mapping[Place, Partition], already: Mapping[Place, Mask] | None = None
    ) -> dict[Place, Mask]:
        """Return which levels are withheld, beside what is decided; those that are shown are from now on told."""
        given = already or {}
        every = [*self._partitions, *partitions.values()]
        hidden = [*self._hidden, *(given.get(place, np.zeros(p.levels, bool)) for place, p in partitions.items())]
        found = withheld(every, self._least, hidden, self._counts)[len(self._partitions) :]
        masks = dict(zip(partitions, found, strict=True))
        for place, mask in masks.items():
            shown, kept = partitions[place].without(mask), partitions[place].without(~mask)
            self._add(Partition(shown.codes, shown.levels, always_shown=True), np.zeros(shown.levels, bool))
            self._add(kept, mask)
        return masks

    def _add(self, partition: Partition, hidden: Mask) -> None:
        if (partition.codes >= 0).any():
            self._partitions.append(partition)
            self._hidden.append(hidden)


def _partition(found: Combinations, grouping: str, rows: Mask) -> Partition:
    """Return the levels of a grouping among some combinations."""
    return Partition(np.where(rows, found.codes[grouping], NONE), len(found.labels[grouping]))


def hidden_by_size(sizes: Mapping[str, int], n: int, least: int) -> frozenset[str]:
    """Return the levels of one grouping to withhold, when nothing but their sizes is known.

    Parameters
    ----------
    n
        Responses in all; those in no level count as a remainder.
    """
    labels = sorted(label for label, size in sizes.items() if size)
    counts = np.array([*(sizes[label] for label in labels), max(n - sum(sizes.values()), 0)])
    codes = np.append(np.arange(len(labels)), NONE)
    if not counts[-1]:
        codes, counts = codes[:-1], counts[:-1]
    everyone = Partition(np.zeros(len(codes), np.intp), 1, always_shown=True)
    mask = withheld([everyone, Partition(codes, len(labels))], least, counts=counts)[1]
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
    everything = {(grouping, level) for grouping, levels in found.levels.items() for level in levels}
    twice = {
        (grouping, level)
        for kind in found.twice.values()
        for grouping, levels in kind.items()
        for level in levels
    } - everything  # fmt: skip
    reported = {(grouping, level) for grouping, levels in found.reported.items() for level in levels} - everything
    return withheld_table(everything, twice, found.least, reported)


def withheld_table(
    everything: Collection[tuple[str, str]],
    twice: Collection[tuple[str, str]],
    least: int,
    reported: Collection[tuple[str, str]] = (),
) -> Table | None:
    """Return the log of (grouping, level) pairs of which everything, or what rests on further scores, is withheld."""
    if not everything and not twice and not reported:
        return None
    rows = [Row((*place, Term("everything"))) for place in sorted(everything)]
    rows += [Row((*place, Term("of_double_scored"))) for place in sorted(twice)]
    rows += [Row((*place, Term("of_reported_scores"))) for place in sorted(reported)]
    columns = (Column("grouping"), Column("level"), Column("withheld"))
    return Table("privacy.withheld", "", columns, tuple(rows), (Term("withheld_note", least=least),))
