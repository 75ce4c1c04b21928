"""What a pass over a source finds and counts, batch by batch; pieces of the source, one after the other, add up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa

from reportgen.evaluation.counting import StudyCounter, StudyCounts
from reportgen.passes.candidates import Responses
from reportgen.passes.plan import Counting, NeedsRowsError, Plan
from reportgen.scores.columns import coded, is_whole, labelled, levels, padded
from reportgen.scores.doubts import Shared
from reportgen.scores.fingerprints import Fingerprints, fingerprints, persons
from reportgen.scores.intersections import with_intersections
from reportgen.scores.many_levels import refuse_many_levels
from reportgen.scores.outputs import is_unscored, unscored
from reportgen.scores.screening import ScreeningCounts, screen
from reportgen.scores.survey import UNIQUE, Facts
from reportgen.scores.table import Floats
from reportgen.scores.words import Words, words_in

MOST_HUMAN_SCORES = 1 << 10
"""Distinct human scores that are told apart; continuous ones have no cells to count in."""

MOST_CELLS = 1 << 20
"""Cells of the tallies of one pass (each takes some 100 bytes in every grouping)."""

MOST_PLACES = 1 << 20
"""Levels of all groupings, times cells (some 300 bytes each, most of them while parts are merged)."""


@dataclass
class Counts:
    """What is found in some rows of a source.

    Parameters
    ----------
    rows
        Number of a file -> how many of its rows.
    facts, whole
        Column -> what it holds; column of floats -> whether all its numbers are whole.
    screening
        The account of the screening; None where responses are not counted.
    human
        Distinct human scores that count -> how often each was given; empty where responses are counted for a study.
    shared
        Two score columns -> what both hold, as far as they are equal.
    padded
        Group column -> responses that count whose label has white space around it.
    study
        What is counted for the study.
    fingerprints
        Column whose values must differ -> those of the rows that no one has taken note of yet.
    words
        Score column and number of a file -> what its cells hold.
    responses
        Those with a system score and their candidates, that no one has taken note of yet; none without candidates.
    """

    rows: dict[int, int] = field(default_factory=dict)
    facts: dict[str, Facts] = field(default_factory=dict)
    whole: dict[str, bool] = field(default_factory=dict)
    screening: ScreeningCounts | None = None
    human: dict[float, int] = field(default_factory=dict)
    shared: dict[tuple[str, str], Shared] = field(default_factory=dict)
    padded: dict[str, int] = field(default_factory=dict)
    study: StudyCounts | None = None
    fingerprints: dict[str, list[Fingerprints]] = field(default_factory=dict)
    words: dict[tuple[str, int], Words] = field(default_factory=dict)
    responses: list[Responses] = field(default_factory=list)

    @property
    def n(self) -> int:
        """How many rows there are."""
        return sum(self.rows.values())

    def add(self, other: Counts) -> None:
        """Take what is found in rows that come behind these; those of the study are added by `together`."""
        for number, rows in other.rows.items():
            self.rows[number] = self.rows.get(number, 0) + rows
        _merge(self.facts, other.facts, Facts.__add__)
        _merge(self.whole, other.whole, bool.__and__)
        _merge(self.human, other.human, int.__add__)
        _merge(self.shared, other.shared, Shared.with_more)
        _merge(self.padded, other.padded, int.__add__)
        _merge(self.words, other.words, Words.__add__)
        for name, found in other.fingerprints.items():
            self.fingerprints.setdefault(name, []).extend(found)
        self.responses += other.responses
        if other.screening is not None:
            self.screening = other.screening if self.screening is None else self.screening + other.screening
        if len(self.human) > MOST_HUMAN_SCORES:
            raise NeedsRowsError("the human scores are continuous")


class Counter:
    """Finds and counts what a plan asks for, batch by batch."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._found = Counts()
        self._different: set[tuple[str, str]] = set()
        how = plan.counting
        self._study = None
        if how is not None and how.scale is not None and how.preparation is not None:
            self._study = StudyCounter(how.scale, how.preparation, plan.settings.privacy.withhold_small_groups)

    def add(self, table: Any, file: int) -> None:
        """Count a batch of rows of a file.

        Raises
        ------
        NeedsRowsError
            There is too much to count in bounded memory.
        InputError
            A column holds neither text nor numbers.
        """
        plan, found = self._plan, Counts({file: table.num_rows})
        for name in plan.labels:
            if pa.types.is_floating(table.schema.field(name).type):
                found.whole[name] = is_whole(table[name])
        labels = {name: labelled(table[name], plan.whole.get(name, True)) for name in plan.labels}
        for name, asked in plan.asked.items():
            found.facts[name] = Facts.of(table[name], name, asked, labels[name])
        unique = [name for name, asked in plan.asked.items() if UNIQUE in asked]
        for name in dict.fromkeys([*unique, *plan.ids]):
            found.fingerprints[name] = [fingerprints(labels[name], name, plan.key)]
        if plan.counting is not None:
            self._count(table, labels, plan.counting, found, file)
        self._found.add(found)

    @property
    def waiting(self) -> int:
        """How many responses with their candidates no one has taken note of yet."""
        return sum(len(each.system) for each in self._found.responses)

    def counts(self, *, last: bool = True) -> Counts:
        """Return what was found since the last time this was asked; what is counted for the study comes `last`."""
        found, self._found = self._found, Counts()
        found.study = self._study.counts() if self._study is not None and last else None
        return found

    def _count(self, table: Any, labels: Mapping[str, Any], how: Counting, found: Counts, file: int) -> None:
        """Screen a batch, and count the responses that count."""
        settings, cast = self._plan.settings, how.cast
        for name in cast.columns("flag"):
            table = table.set_column(table.schema.get_field_index(name), name, labels[name])
        screened = screen(table, cast.without("candidate"), settings)
        found.screening = screened.counts
        found.words = {(name, file): held for (name, _), held in words_in(screened.scores, (0, table.num_rows))}
        kept = screened.screening.kept
        system, human = screened.system.numbers[kept], screened.human[kept]
        names = (*cast.columns("system"), *cast.columns("human"))
        for pair, columns in zip(combinations(names, 2), combinations((system, *human.T), 2), strict=True):
            if pair not in self._different:
                found.shared[pair] = Shared.of(*columns)
                self._different |= set() if found.shared[pair].equal else {pair}
        groups = {name: coded(labels[name], name) for name in cast.columns("group")}
        found.padded = {name: padded(each, kept) for name, each in groups.items()}
        if screened.counts.absurd:  # will be refused, and could not be counted
            return
        if self._study is None:
            found.human = _distinct(human)
            return
        crossed = with_intersections(
            {name: levels(each, kept) for name, each in groups.items()}, settings.data.intersections
        )
        self._study.meet(crossed)
        own = {name: n for name, n in self._study.levels.items() if name in groups}
        refuse_many_levels(own, settings.statistics.max_levels)
        self._study.add(system, human, crossed)
        alone = unscored(screened)
        if alone is not None:
            self._study.add_unscored(alone.system)
        self._refuse_too_much()
        for name in self._plan.candidates:
            who = persons(labels[name], name, self._plan.key)
            found.responses = [Responses(who[kept], system, human, crossed)]
            if alone is not None:
                there = is_unscored(screened)
                found.responses.append(Responses.of_unscored(who[there], alone.system, human.shape[1], crossed))

    def _refuse_too_much(self) -> None:
        """Raise when what is counted grows with the rows."""
        if self._study is not None and self._study.too_many_scores:
            raise NeedsRowsError("the human scores are continuous")
        if self._study is not None and self._study.cells > MOST_CELLS:
            raise NeedsRowsError("nearly every response has a combination of scores of its own")
        if self._study is not None:
            levels, cells = self._study.levels, self._study.cells
            if cells * sum(levels.values()) > MOST_PLACES:
                name = max(levels, key=lambda name: levels[name])
                raise NeedsRowsError(
                    f"the groups have {sum(levels.values()):,} levels so far, most of them in '{name}', which are too "
                    f"many beside {cells:,} combinations of scores"
                )


def _merge(ours: dict[Any, Any], theirs: Mapping[Any, Any], both: Any) -> None:
    """Bring values of a mapping together."""
    for key, value in theirs.items():
        ours[key] = both(ours[key], value) if key in ours else value


def _distinct(human: Floats) -> dict[float, int]:
    """Return the distinct scores and how often each was given."""
    values, times = np.unique(human[~np.isnan(human)], return_counts=True)
    if len(values) > MOST_HUMAN_SCORES:
        raise NeedsRowsError("the human scores are continuous")
    return dict(zip(values.tolist(), times.tolist(), strict=True))
