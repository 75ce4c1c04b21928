"""Screening and counting the responses of a source batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from reportgen.design.readings import ColumnRoles
from reportgen.evaluation import Preparation
from reportgen.passes.candidates import ByCandidate
from reportgen.passes.studying import NeedsRowsError, Studied, StudiesCounter
from reportgen.results import Scale
from reportgen.scores.accounting import SharedScores
from reportgen.scores.screening import Screened, ScreeningCounts, Words, is_unscored, screen, words_in
from reportgen.settings import Settings
from reportgen.sources.columns import Coded, Floats, among, coded, labelled, mask_to_arrow, padded
from reportgen.sources.digests import Rows, Seen
from reportgen.sources.tabular import BATCH_ROWS

MOST_HUMAN_SCORES = 1 << 10
"""Distinct human scores that are told apart; continuous ones have no cells to count in."""

SCORES = ("system", "human")
"""Parts of which nothing but numbers matters."""

LABELS = ("group", "item", "position", "flag")
"""Parts whose values repeat."""


@dataclass(frozen=True)
class Plan:
    """How the rows of a source are counted.

    casts: Which column plays which part, for each system, the one that others are compared with first.
    whole: Column of floats -> whether all its numbers are whole, so that its texts have no point.
    prepared: The scale of each system's scores, and how these are prepared; empty surveys the human scores for it.
    ids: Columns whose values must differ.
    rows: Rows of a batch, at most.
    """

    settings: Settings
    casts: tuple[ColumnRoles, ...]
    whole: Mapping[str, bool]
    prepared: tuple[tuple[Scale, Preparation], ...] = ()
    ids: tuple[str, ...] = ()
    rows: int = BATCH_ROWS

    @property
    def candidate(self) -> str | None:
        """The column of candidates, when responses are counted."""
        return next(iter(self.casts[0].columns("candidate")), None) if self.prepared else None

    @property
    def labels(self) -> tuple[str, ...]:
        """Columns whose texts matter."""
        candidate = [self.candidate] if self.candidate is not None else []
        return tuple(dict.fromkeys([*self.playing(*LABELS), *candidate, *self.ids]))

    def wanted(self) -> tuple[tuple[str, ...], frozenset[str], int]:
        """Return which columns are read, those of them whose values repeat, and the rows of a batch."""
        scores, repeated = self.playing(*SCORES), self.playing(*LABELS)
        names = tuple(dict.fromkeys([*scores, *self.labels]))
        return names, frozenset(repeated) - set(scores), self.rows

    def playing(self, *roles: str) -> tuple[str, ...]:
        """Return the columns that play some parts, for any system."""
        return tuple(dict.fromkeys(name for role in roles for cast in self.casts for name in cast.columns(role)))


@dataclass
class SystemCounts:
    """What is found of one system's responses, but for studies.

    screening: None before a row is read.
    human: Distinct human scores that count -> how often each was given; empty where responses are counted.
    shared: Two score columns -> what both hold, as far as they are equal.
    padded: Group column -> responses that count whose label has white space around it.
    words: Score column and number of a file -> what its cells hold.
    """

    screening: ScreeningCounts | None = None
    human: dict[float, int] = field(default_factory=dict)
    shared: dict[tuple[str, str], SharedScores] = field(default_factory=dict)
    padded: dict[str, int] = field(default_factory=dict)
    words: dict[tuple[str, int], Words] = field(default_factory=dict)

    def add(self, screened: Screened, groups: Mapping[str, Coded], file: int) -> None:
        """Take what is found in rows of a file that come behind these."""
        counts = screened.counts
        self.screening = counts if self.screening is None else self.screening + counts
        held = {(name, file): held for (name, _), held in words_in(screened.scores, (0, len(screened.unflagged)))}
        _merge(self.words, held, Words.__add__)
        kept = screened.screening.kept
        names = [scores.name for scores in screened.scores]
        columns = (among(screened.system.numbers, kept), *among(screened.human, kept).T)
        for pair, both in zip(combinations(names, 2), combinations(columns, 2), strict=True):
            known = self.shared.get(pair)
            if known is None or known.equal:  # what differs once is not one column given twice
                _merge(self.shared, {pair: SharedScores.of(*both)}, SharedScores.with_more)
        _merge(self.padded, {name: padded(each, kept) for name, each in groups.items()}, int.__add__)

    def add_human(self, human: Floats) -> None:
        """Take distinct human scores that count."""
        values, times = np.unique(human[~np.isnan(human)], return_counts=True)
        _merge(self.human, dict(zip(values.tolist(), times.tolist(), strict=True)), int.__add__)
        if len(self.human) > MOST_HUMAN_SCORES:
            raise NeedsRowsError("the human scores are continuous")


class Counter:
    """Screens and counts the rows of a source batch by batch.

    seen, responses: Take the fingerprints of ids, and the responses with their candidates, where the plan has them.
    """

    def __init__(self, plan: Plan, seen: Seen, responses: ByCandidate) -> None:
        self.plan, self._seen, self._responses = plan, seen, responses
        self._studies = StudiesCounter(plan.settings, plan.casts[0], plan.prepared) if plan.prepared else None
        self.systems = tuple(SystemCounts() for _ in plan.casts)
        self.n = 0
        """How many rows are counted."""

    def studied(self) -> Studied | None:
        """Return what was counted for studies; None where nothing was."""
        return self._studies.counts() if self._studies is not None else None

    def add(self, table: Any, file: int) -> None:
        """Count a batch of rows of a file; raise NeedsRowsError when it is too much for bounded memory."""
        plan, settings = self.plan, self.plan.settings
        self.n += table.num_rows
        labels = {name: labelled(table[name], plan.whole.get(name, True)) for name in plan.labels}
        for name in plan.ids:
            self._seen.add(name, Rows(labels[name]))
        for name in plan.casts[0].columns("flag"):
            table = table.set_column(table.schema.get_field_index(name), name, labels[name])
        groups = {name: coded(labels[name], name) for name in plan.casts[0].columns("group")}
        every = [screen(table, cast.without("candidate"), settings) for cast in plan.casts]
        for system, screened in zip(self.systems, every, strict=True):
            system.add(screened, groups, file)
        if any(screened.counts.absurd for screened in every):  # will be refused, and could not be counted
            return
        if self._studies is None:
            for system, screened in zip(self.systems, every, strict=True):
                system.add_human(screened.human[screened.screening.kept])
            return
        self._studies.add(every, groups, lambda name: groups[name] if name in groups else coded(labels[name], name))
        if plan.candidate is not None:
            self._add_responses(labels[plan.candidate], every, groups, self._studies.crossed)

    def _add_responses(
        self, who: Any, every: Sequence[Screened], groups: Mapping[str, Coded], crossed: Callable[..., dict[str, Coded]]
    ) -> None:
        """Hand over the responses that count for some system, or that only systems scored, with their candidates."""
        kept = np.logical_or.reduce([screened.screening.kept for screened in every])
        human, levels = every[0].human, crossed(groups, kept)
        scored = [screened.screening.kept | is_unscored(screened) for screened in every]
        numbers = [np.where(here, each.system.numbers, np.nan) for here, each in zip(scored, every, strict=True)]
        system = np.column_stack(numbers)
        self._responses.add_responses(who.filter(mask_to_arrow(kept)), system[kept], human[kept], levels)
        alone = np.isfinite(system).any(axis=1) & ~kept
        if alone.any():  # their levels mean nothing
            none = {name: Coded(np.zeros(alone.sum(), np.int32), each.labels) for name, each in levels.items()}
            nobody = np.full((alone.sum(), human.shape[1]), np.nan)
            self._responses.add_responses(who.filter(mask_to_arrow(alone)), system[alone], nobody, none)


def _merge(ours: dict[Any, Any], theirs: Mapping[Any, Any], both: Any) -> None:
    """Bring values of a mapping together."""
    for key, value in theirs.items():
        ours[key] = both(ours[key], value) if key in ours else value
