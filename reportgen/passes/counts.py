"""What a pass over a source finds; what is found in pieces of it, one after the other, adds up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from reportgen.evaluation.counting import RankCounter, ScoreCounts, together
from reportgen.passes.candidates import Responses
from reportgen.passes.plan import NeedsRowsError
from reportgen.scores.doubts import SharedScores
from reportgen.scores.screening import ScreeningCounts
from reportgen.scores.survey import Facts
from reportgen.scores.words import Words
from reportgen.sources.fingerprints import Fingerprints
from reportgen.tally.paired import PairedTally, merge_paired

MOST_HUMAN_SCORES = 1 << 10
"""Distinct human scores that are told apart; continuous ones have no cells to count in."""


@dataclass
class SystemCounts:
    """What is found of one system's responses.

    Parameters
    ----------
    screening
        The account of the screening; None where responses are not counted.
    human
        Distinct human scores that count -> how often each was given; empty where responses are counted.
    shared
        Two score columns -> what both hold, as far as they are equal.
    padded
        Group column -> responses that count whose label has white space around it.
    words
        Score column and number of a file -> what its cells hold.
    """

    screening: ScreeningCounts | None = None
    human: dict[float, int] = field(default_factory=dict)
    shared: dict[tuple[str, str], SharedScores] = field(default_factory=dict)
    padded: dict[str, int] = field(default_factory=dict)
    words: dict[tuple[str, int], Words] = field(default_factory=dict)

    def add(self, other: SystemCounts) -> None:
        """Take what is found in rows that come behind these."""
        _merge(self.human, other.human, int.__add__)
        _merge(self.shared, other.shared, SharedScores.with_more)
        _merge(self.padded, other.padded, int.__add__)
        _merge(self.words, other.words, Words.__add__)
        if other.screening is not None:
            self.screening = other.screening if self.screening is None else self.screening + other.screening
        if len(self.human) > MOST_HUMAN_SCORES:
            raise NeedsRowsError("the human scores are continuous")


@dataclass
class Studied:
    """What is counted of responses for the studies of systems, and for their comparison.

    Parameters
    ----------
    by_all
        Of each system, the responses that count for every system; of one system, all of its own.
    others
        Of each system, the responses that count for it, but not for every system.
    pairs
        Of each system, human by engine scores of all its responses; `by_all` and `others` have none.
    against
        Of each system, family of scores -> these scores and the first system's counted together, of the responses
        that count for every system; empty for the first.
    """

    by_all: tuple[ScoreCounts, ...]
    others: tuple[ScoreCounts, ...]
    pairs: tuple[RankCounter, ...]
    against: tuple[Mapping[str, PairedTally], ...]

    @property
    def any_response(self) -> bool:
        """Whether a response was counted."""
        return any(part.tallies for part in (*self.by_all, *self.others))

    def own(self, system: int) -> ScoreCounts:
        """Return what is counted of all responses of a system.

        Raises
        ------
        ValueError
            There is none.
        """
        return replace(together([self.by_all[system], self.others[system]]), pairs=self.pairs[system])


def studied_together(parts: Sequence[Studied]) -> Studied:
    """Return what is counted in all parts together; the pairs of the first take those of the others."""
    if len(parts) == 1:
        return parts[0]
    for ours, *theirs in zip(*(part.pairs for part in parts), strict=True):
        ours.merge(theirs)
    return Studied(
        tuple(_together(counts) for counts in zip(*(part.by_all for part in parts), strict=True)),
        tuple(_together(counts) for counts in zip(*(part.others for part in parts), strict=True)),
        parts[0].pairs,
        tuple(_merged(found) for found in zip(*(part.against for part in parts), strict=True)),
    )


def _merged(parts: Sequence[Mapping[str, PairedTally]]) -> dict[str, PairedTally]:
    """Return the tallies of every family that some part has."""
    families = dict.fromkeys(family for part in parts for family in part)
    return {family: merge_paired([part[family] for part in parts if family in part]) for family in families}


def _together(parts: Sequence[ScoreCounts]) -> ScoreCounts:
    """Return what is counted in all parts, none of which need have a response."""
    return together(parts) if any(part.tallies for part in parts) else parts[0]


@dataclass
class PassCounts:
    """What is found in some rows of a source.

    Parameters
    ----------
    rows
        Number of a file -> how many of its rows.
    facts, whole
        Column -> what it holds; column of floats -> whether all its numbers are whole.
    fingerprints
        Column whose values must differ -> those of the rows that no one has taken note of yet.
    systems
        What is found of each system's responses.
    studied
        What is counted for studies; None where nothing is.
    responses
        Those that count and their candidates, that no one has taken note of yet; none without candidates.
    """

    rows: dict[int, int] = field(default_factory=dict)
    facts: dict[str, Facts] = field(default_factory=dict)
    whole: dict[str, bool] = field(default_factory=dict)
    fingerprints: dict[str, list[Fingerprints]] = field(default_factory=dict)
    systems: tuple[SystemCounts, ...] = ()
    studied: Studied | None = None
    responses: list[Responses] = field(default_factory=list)

    @property
    def n(self) -> int:
        """How many rows there are."""
        return sum(self.rows.values())

    def add(self, other: PassCounts) -> None:
        """Take what is found in rows that come behind these; those of studies are added by `studied_together`."""
        for number, rows in other.rows.items():
            self.rows[number] = self.rows.get(number, 0) + rows
        _merge(self.facts, other.facts, Facts.__add__)
        _merge(self.whole, other.whole, bool.__and__)
        for name, found in other.fingerprints.items():
            self.fingerprints.setdefault(name, []).extend(found)
        self.systems = self.systems or tuple(SystemCounts() for _ in other.systems)
        for ours, theirs in zip(self.systems, other.systems, strict=False):  # where there was no row there are none
            ours.add(theirs)
        self.responses += other.responses


def _merge(ours: dict[Any, Any], theirs: Mapping[Any, Any], both: Any) -> None:
    """Bring values of a mapping together."""
    for key, value in theirs.items():
        ours[key] = both(ours[key], value) if key in ours else value
