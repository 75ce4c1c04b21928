"""Prepared scores as arrays, and the account of how they were prepared."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np

from reportgen.errors import SettingsError, did_you_mean
from reportgen.results import Role, Scale, Source
from reportgen.sources.column_names import ORDINALS, normalised, series_of, unaccented
from reportgen.sources.columns import Coded, Codes, Floats, Mask
from reportgen.sources.tabular import Place

ANY = "any"  # the value of ``--record`` for interchangeable raters

NEARLY_ALL = 0.95  # the smallest share of the rated responses that a rater of record rates

Why = Literal["asked", "alone", "complete", "gaps", "unordered", "nameless"]


class Design(NamedTuple):
    """Which ratings count.

    why: The settings decide; there is one rater; the rater of record rated nearly everything, and comes first among
        those who did; no rater did; multiple raters did, and no name comes first; some ratings name no rater.
    """

    record: int | None  # position of the score of record among the raters; None if raters are interchangeable
    why: Why

    @property
    def interchangeable(self) -> bool:
        """Whether raters are interchangeable."""
        return self.record is None


OF_THE_FIRST = Design(0, "complete")  # the first column contains the score of record


def design_of(raters: Sequence[str], rated: Sequence[int], responses: int, record: str | None) -> Design:
    """Return which ratings count.

    Names and not positions decide which rater comes first, so the order of columns and rows does not matter.

    raters: Names of the raters, or of their columns.
    rated: Number of responses that each of them rated.
    responses: Number of responses that any of them rated.
    record: The setting: the name of the rater of record, or None; `ANY` is never a name.

    >>> design_of(["human1", "human2"], [200, 60], 200, None)
    Design(record=0, why='complete')
    >>> design_of(["anna", "bob"], [120, 140], 200, None)
    Design(record=None, why='gaps')
    >>> design_of(["anna", "bob"], [200, 200], 200, None)
    Design(record=None, why='unordered')
    """
    if record == ANY:
        return Design(None, "asked")
    if record is not None:
        if record not in raters:
            near = did_you_mean(record, raters).rstrip(".")
            near += f"{'' if near.endswith('?') else '.'} If raters are interchangeable, use '{ANY}'."
            raise SettingsError(f"--record: '{record}' is not a rater{near}")
        return Design(raters.index(record), "asked")
    if len(raters) == 1:
        return Design(0, "alone")
    most = max(rated) if max(rated) >= NEARLY_ALL * responses else responses  # a few more ratings decide nothing
    complete = [place for place, n in enumerate(rated) if n and n >= NEARLY_ALL * most]
    if not complete:
        return Design(None, "gaps")
    first = first_of([raters[place] for place in complete])
    return Design(None, "unordered") if first is None else Design(complete[first], "complete")


def first_of(names: Sequence[str]) -> int | None:
    """Return the position of the name that comes first by number, letter, or word; None if names have no order.

    >>> first_of(["h2", "h1"]), first_of(["second rater", "first rater"]), first_of(["rater_a", "rater_b"])
    (1, 1, 0)
    >>> first_of(["score", "score2"]), first_of(["anna", "bob"]), first_of(["teacher1", "expert2"])
    (0, None, None)
    """
    found = [_ordered(unaccented(name.strip()).casefold()) for name in names]
    stems = {stem for stem, _ in found}
    numbers = [number for _, number in found]
    if len(stems) > 1 or len(set(numbers)) < len(numbers):
        return None
    return numbers.index(min(numbers))


def _ordered(name: str) -> tuple[str, int]:
    """Return a name without its number, letter, or ordinal word, and the number; 0 for a name without one."""
    for word, number in ORDINALS.items():
        if re.search(rf"(?<![^\W_]){word}(?![^\W_])", name):
            return normalised(name.replace(word, "", 1)), number
    stem, place = series_of(name) or (name, "0")
    return normalised(stem), int(place) if place.isdigit() else ord(place) - ord("a") + 1


Composition = tuple[tuple[int | None, int | None], ...]
"""Excluded responses: human score other than 0, 0, not a number (rows) by system score a number, none (columns)."""


class RaterIds(NamedTuple):
    """The rater and time of each rating.

    times: (n, raters): days since a fixed day, or plain numbers; NaN if unknown.  None without times.
    """

    codes: Codes  # (n, raters): index into `names` for each rating of `ScoreTable.human`; -1 without a name
    names: tuple[str, ...]  # the raters.  Reports show codes instead of people's names by default
    times: Floats | None = None

    def of(self, kept: Mask) -> RaterIds:
        """Return the same for some responses; all names stay."""
        return RaterIds(self.codes[kept], self.names, None if self.times is None else self.times[kept])


class Ratings(NamedTuple):
    """Counts of a file with one row per rating.

    n, raters: Human ratings that are not blank, and named raters who gave them.
    """

    n: int
    raters: int
    by_rater: bool  # whether each rater has a column, because there are no more raters than ratings of some response


class LeftOut(NamedTuple):
    """Ratings that the user excluded.

    raters, ratings: Number of raters, and of their ratings in the file.
    columns, rater_ids, times: Their columns of human scores, and the rater and time columns of these scores.
    """

    raters: int = 0
    ratings: int = 0
    columns: tuple[str, ...] = ()
    rater_ids: tuple[str, ...] = ()
    times: tuple[str, ...] = ()


class Outputs(NamedTuple):
    """The system's outputs for unflagged responses with a human score.

    blank, text, infinite: Responses without a score: a blank cell, text that is not a number, an infinite number.
    """

    n: int  # responses
    blank: int = 0
    text: int = 0
    infinite: int = 0
    refusals: int = 0  # texts that read like a refusal to score

    @property
    def unusable(self) -> int:
        """Number of responses without a score."""
        return self.blank + self.text + self.infinite


class Unscored(NamedTuple):
    """Unflagged responses with a system score and without a human score."""

    system: Floats  # (n,): their system scores
    candidates: Codes | None  # (n,): codes of their candidates, as in `ScoreTable.candidates`; None without candidates
    others: Mapping[str, tuple[Floats, Floats]]  # unused columns of numbers, for scored responses and for these


WEIGHTS = ("weight", "double_weight")  # settings and roles of the columns with sample weights


class SampleWeights(NamedTuple):
    """Number of responses of a population that each response of a sample represents.

    second: (n,): inverse of the probability of a second rating, given a first one; 1 for a response without one.
    """

    first: Floats  # (n,): inverse of its probability of a human score
    second: Floats


class Rows(NamedTuple):
    """Every row of the file, each of shape (read,): whether it counts, whether a flag excluded it."""

    kept: Mask
    flagged: Mask


@dataclass(frozen=True)
class Exclusion:
    """Responses excluded for one reason: the number, and the rows of the first few (header = row 1)."""

    reason: str
    n: int
    first_rows: tuple[Place, ...]


@dataclass(frozen=True)
class Training:
    """Moments of a training file that rescale system scores (standard deviations divide by n - 1)."""

    prediction_mean: float
    prediction_sd: float
    human_mean: float
    human_sd: float


@dataclass(frozen=True)
class ResponsesToRead:
    """Responses that may be listed for people to read; never part of a report."""

    names: tuple[str, ...]  # name of each: its ID, otherwise its row in the file
    texts: tuple[str, ...]  # the texts of the responses; empty without a column of texts
    human: Floats  # (n, k): ratings, NaN if missing
    system: Floats  # (n,): the system's score, NaN if missing
    answers: tuple[str, ...]  # the cell's text if the score is missing; empty if there is a score
    refused: tuple[bool, ...]  # whether the answer reads like a refusal
    groups: dict[str, Coded]  # the subgroup columns by name


@dataclass(frozen=True, kw_only=True)
class SourceFacts:
    """Information about a file apart from the screening of its responses; the fields are those in `Account`."""

    source: Source
    roles: tuple[Role, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    ratings: Ratings | None = None
    without: LeftOut = field(default_factory=LeftOut)
    systems: tuple[str, ...] = ()
    read_by: str = ""
    notes: tuple[str, ...] = ()
    design: Design = OF_THE_FIRST

    def columns(self, role: str) -> tuple[str, ...]:
        """Return the columns of `role`, if any."""
        return tuple(column for found in self.roles if found.role == role for column in found.columns)


@dataclass(frozen=True, kw_only=True)
class Account(SourceFacts):
    """How the scores of one file were prepared: everything except the rows.

    roles, left_out: The columns of each role, and why other columns have none.
    scale, trim_min, trim_max, trim_tolerance: The score scale and the bounds of trimmed scores.
    rescaling, training: Whether system scores are already rescaled ("asis") or to be rescaled with `training`.
    exclusions, composition, read, flagged, kept: The excluded responses, in the order of the rules; the responses read,
        excluded by flags, and that count.
    warnings: Sentences for the report.
    zeros: Number of human scores of 0 that count, over all raters.
    doubts: Warnings that cast doubt on every number, worst first.
    ratings: Counts of a file with one row per rating; None for one row per response.
    without: Ratings that the user excluded.
    outputs: The system's outputs.
    systems: Every system of the data, including this one; with one row per rating, systems may be raters.
    read_by: The reader of a judge output file; empty for any other file.
    counted_candidates: Number of candidates if rows are not in memory.
    notes: Warnings about the file as it was read, and labels joined to it.
    design: Which ratings count.
    as_rsmtool: Whether scores are rounded as in RSMTool, to whole numbers on any scale.
    """

    scale: Scale
    trim_min: float
    trim_max: float
    trim_tolerance: float
    rescaling: Literal["none", "asis", "training"]
    training: Training | None
    exclusions: tuple[Exclusion, ...]
    composition: Composition
    read: int
    flagged: int
    kept: int
    warnings: tuple[str, ...]
    zeros: int = 0
    doubts: tuple[str, ...] = ()
    outputs: Outputs = field(default_factory=lambda: Outputs(0))
    counted_candidates: int | None = None
    as_rsmtool: bool = False

    @property
    def raters(self) -> tuple[str, ...]:
        """The columns of human scores."""
        return self.columns("human")

    @property
    def n_units(self) -> int | None:
        """Number of candidates, or clusters, of the responses that count; None if no trait column was found."""
        return self.counted_candidates


@dataclass(frozen=True, kw_only=True)
class RatingTable(Account):
    """The human ratings of one file, prepared for evaluation: the account and the rows.

    human: Human scores, shape (n, k), NaN if missing.  The score of record comes first and is never missing; if raters
        are interchangeable (see `design`), every response has at least one score.
    candidates: The code of each response's candidate, or None; a response without one is a separate candidate.
    items: The item column, even if it is not a subgroup column; None without one, or with more items than a subgroup
        column may have levels.
    """

    human: Floats
    groups: Mapping[str, Coded]  # the subgroup columns by name
    candidates: Codes | None
    ids: Any  # Arrow string array of the n response IDs, or None
    rows: Rows  # their rows of the file
    rater_ids: RaterIds | None = None  # the rater of each rating, if known
    items: Coded | None = None

    @property
    def n_units(self) -> int | None:
        """Number of candidates, or clusters, of the responses that count; None if no trait column was found."""
        return None if self.candidates is None else len(set(self.candidates.tolist()))


@dataclass(frozen=True, kw_only=True)
class ScoreTable(RatingTable):
    """The scores of one file, prepared for evaluation: ratings, and the scores of a system.

    runs: (n, runs): scores of repeated runs of the system, the first of them `system`, NaN if missing; None without
        runs.
    item_scores: (n, items): scores of the other items of the test, NaN if missing; None without other items.
    ratings_alone: (m, raters): ratings of responses with at least two ratings and no system score.
    """

    system: Floats  # system scores as given, shape (n,), of the responses that count; always finite
    weights: SampleWeights | None = None  # weights of the responses, if they are unequal; otherwise None
    runs: Floats | None = None
    item_scores: Floats | None = None
    length: Floats | None = None  # (n,): lengths of the responses, NaN if unknown; None without lengths
    unscored: Unscored | None = None  # responses that only the system scored; None if there are none
    ratings_alone: Floats | None = None
    to_read: ResponsesToRead | None = None  # responses for a review list, if requested

    @property
    def expected_rating(self) -> Floats:
        """(n,): the score of record, or the expected rating by a random rater if raters are interchangeable."""
        return np.nanmean(self.human, axis=1) if self.design.interchangeable else self.human[:, 0]

    @property
    def with_all_items(self) -> Mask:
        """Mask of shape (n,): responses with scores of all other items; all responses without item scores."""
        if self.item_scores is None:
            return np.ones(self.kept, np.bool_)
        return np.asarray(np.isfinite(self.item_scores).all(axis=1))
