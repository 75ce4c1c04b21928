"""Finding and counting what a pass asks for, batch by batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa

from reportgen.passes.candidates import Responses
from reportgen.passes.counts import MOST_HUMAN_SCORES, PassCounts, SystemCounts
from reportgen.passes.plan import NeedsRowsError, PassPlan
from reportgen.passes.studying import StudiesCounter
from reportgen.scores.doubts import SharedScores
from reportgen.scores.screening import Screened, screen
from reportgen.scores.survey import UNIQUE, Facts
from reportgen.scores.unscored import is_unscored
from reportgen.scores.words import words_in
from reportgen.sources.columns import Coded, Floats, among, coded, is_whole, labelled, padded
from reportgen.sources.fingerprints import Fingerprints, fingerprints, persons


class Counter:
    """Finds and counts what a plan asks for, batch by batch."""

    def __init__(self, plan: PassPlan) -> None:
        self._plan = plan
        self._found = PassCounts()
        self._different: set[tuple[str, ...]] = set()
        self._studies = StudiesCounter(plan) if plan.studies else None

    def add(self, table: Any, file: int) -> None:
        """Count a batch of rows of a file.

        Raises
        ------
        NeedsRowsError
            There is too much to count in bounded memory.
        InputError
            A column holds neither text nor numbers.
        """
        plan, found = self._plan, PassCounts({file: table.num_rows})
        for name in plan.labels:
            if pa.types.is_floating(table.schema.field(name).type):
                found.whole[name] = is_whole(table[name])
        labels = {name: labelled(table[name], plan.whole.get(name, True)) for name in plan.labels}
        for name, asked in plan.asked.items():
            found.facts[name] = Facts.of(table[name], name, asked, labels[name])
        unique = [name for name, asked in plan.asked.items() if UNIQUE in asked]
        for name in dict.fromkeys([*unique, *plan.ids]):
            found.fingerprints[name] = [fingerprints(labels[name], name, plan.key)]
        if plan.counting:
            self._count(table, labels, found, file)
        self._found.add(found)

    @property
    def waiting(self) -> int:
        """How many responses with their candidates no one has taken note of yet."""
        return sum(len(each.system) for each in self._found.responses)

    def counts(self, *, last: bool = True) -> PassCounts:
        """Return what was found since the last time this was asked; what is counted for studies comes `last`."""
        found, self._found = self._found, PassCounts()
        found.studied = self._studies.counts() if self._studies is not None and last else None
        return found

    def _count(self, table: Any, labels: Mapping[str, Any], found: PassCounts, file: int) -> None:
        """Screen a batch for every system, and count the responses that count."""
        settings, counting = self._plan.settings, self._plan.counting
        for name in counting[0].cast.columns("flag"):
            table = table.set_column(table.schema.get_field_index(name), name, labels[name])
        groups = {name: coded(labels[name], name) for name in counting[0].cast.columns("group")}
        every = [screen(table, how.cast.without("candidate"), settings) for how in counting]
        found.systems = tuple(self._system(screened, groups, file) for screened in every)
        if any(screened.counts.absurd for screened in every):  # will be refused, and could not be counted
            return
        if self._studies is None:
            for system, screened in zip(found.systems, every, strict=True):
                system.human = _distinct(screened.human[screened.screening.kept])
            return
        self._studies.add(every, groups)
        item = self._studies.item
        if item is not None:
            self._studies.add_items(every, groups[item] if item in groups else coded(labels[item], item))
        for name in self._plan.candidates:
            who = persons(labels[name], name, self._plan.key)
            found.responses = _responses(who, every, self._studies, groups)

    def _system(self, screened: Screened, groups: Mapping[str, Coded], file: int) -> SystemCounts:
        """Return what is found of one system's responses, but for studies."""
        found = SystemCounts(screened.counts)
        rows = (0, len(screened.unflagged))
        found.words = {(name, file): held for (name, _), held in words_in(screened.scores, rows)}
        kept = screened.screening.kept
        own, *human = (scores.name for scores in screened.scores)
        columns = (among(screened.system.numbers, kept), *among(screened.human, kept).T)
        for pair, both in zip(combinations((own, *human), 2), combinations(columns, 2), strict=True):
            if (own, *pair) not in self._different:
                found.shared[pair] = SharedScores.of(*both)
                self._different |= set() if found.shared[pair].equal else {(own, *pair)}
        found.padded = {name: padded(each, kept) for name, each in groups.items()}
        return found


def _responses(
    who: Fingerprints, every: Sequence[Screened], studies: StudiesCounter, groups: Mapping[str, Coded]
) -> list[Responses]:
    """Return the responses that count for some system, or that only systems scored, with their candidates."""
    kept = np.logical_or.reduce([screened.screening.kept for screened in every])
    human, crossed = every[0].human, studies.crossed(groups, kept)
    system = np.column_stack([
        np.where(screened.screening.kept | is_unscored(screened), screened.system.numbers, np.nan) for screened in every
    ])  # fmt: skip
    found = [Responses(who[kept], system[kept], human[kept], crossed)]
    alone = np.isfinite(system).any(axis=1) & ~kept
    if alone.any():
        found.append(Responses.of_unscored(who[alone], system[alone], human.shape[1], crossed))
    return found


def _distinct(human: Floats) -> dict[float, int]:
    """Return the distinct scores and how often each was given."""
    values, times = np.unique(human[~np.isnan(human)], return_counts=True)
    if len(values) > MOST_HUMAN_SCORES:
        raise NeedsRowsError("the human scores are continuous")
    return dict(zip(values.tolist(), times.tolist(), strict=True))
