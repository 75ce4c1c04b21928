"""What leaves the door of the house: scores as arrays, and an account of how they got there."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import SettingsError, did_you_mean
from reportgen.results import Role, Scale, Source
from reportgen.sources.column_names import ORDINALS
from reportgen.sources.columns import Coded, Codes, Floats

ANY = "any"
"""What ``--record`` says for raters who stand in for each other."""

NEARLY_ALL = 0.95
"""Share of the rated responses that the rater of record rates at least."""

_NUMBERED = re.compile(r"(.*?)[\W_]*(\d{1,4})", re.DOTALL)
_LETTERED = re.compile(r"(.*?)[\W_]+([a-z])", re.DOTALL)

Why = Literal["asked", "alone", "complete", "gaps", "unordered", "nameless"]


class Design(NamedTuple):
    """Which ratings count.

    record: Place of the score of record among the raters; None where raters stand in for each other.
    why: The settings say so; there is one rater; the rater of record rated nearly everything; nobody whose name comes
        first did; several did, and no name comes first; some ratings name no rater.
    """

    record: int | None
    why: Why

    @property
    def interchangeable(self) -> bool:
        """Whether raters stand in for each other."""
        return self.record is None


OF_THE_FIRST = Design(0, "complete")
"""The score of record is the first column's."""


def design_of(raters: Sequence[str], rated: Sequence[int], responses: int, record: str | None) -> Design:
    """Return which ratings count.

    Names, not places, tell who comes first, so that the order of columns and rows is in nothing.

    raters: Names of the raters, or of their columns.
    rated: How many responses each of them rated.
    responses: How many anybody rated.
    record: What the settings say: the name of the rater of record, or nothing; `ANY` is nobody's name.

    Examples
    --------
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
            raise SettingsError(
                f"record: '{record}' is none of the raters{did_you_mean(record, raters)} "
                f"'{ANY}' is for raters who stand in for each other."
            )
        return Design(raters.index(record), "asked")
    if len(raters) == 1:
        return Design(0, "alone")
    complete = [place for place, n in enumerate(rated) if n and n >= NEARLY_ALL * responses]
    first = first_of(raters)
    if first is not None:
        return Design(first, "complete") if first in complete else Design(None, "gaps")
    if len(complete) == 1:
        return Design(complete[0], "complete")
    return Design(None, "unordered" if complete else "gaps")


def first_of(names: Sequence[str]) -> int | None:
    """Return the place of the name that comes first by number, letter or word; None where names have no order.

    Examples
    --------
    >>> first_of(["h2", "h1"]), first_of(["second rater", "first rater"]), first_of(["rater_a", "rater_b"])
    (1, 1, 0)
    >>> first_of(["score", "score2"]), first_of(["anna", "bob"]), first_of(["teacher1", "expert2"])
    (0, None, None)
    """
    found = [_ordered(name.strip().casefold()) for name in names]
    stems = {stem for stem, _ in found}
    numbers = [number for _, number in found]
    if len(stems) > 1 or len(set(numbers)) < len(numbers):
        return None
    return numbers.index(min(numbers))


def _ordered(name: str) -> tuple[str, int]:
    """Return a name without what orders it, and its number; 0 for a name without one."""
    for word, number in ORDINALS.items():
        if re.search(rf"(?<![^\W_]){word}(?![^\W_])", name):
            return _plain(name.replace(word, "", 1)), number
    if numbered := _NUMBERED.fullmatch(name):
        return _plain(numbered[1]), int(numbered[2])
    if lettered := _LETTERED.fullmatch(name):
        return _plain(lettered[1]), ord(lettered[2]) - ord("a") + 1
    return _plain(name), 0


def _plain(stem: str) -> str:
    return "".join(letter for letter in stem if letter.isalnum())


Composition = tuple[tuple[int | None, int | None], ...]
"""Excluded responses: human score other than 0, 0, no number (rows) by system score a number, none (columns)."""


class RaterIds(NamedTuple):
    """Who gave each rating, and when.

    codes: (n, raters): index into `names`, beside each rating of `ScoreTable.human`; -1 where nobody is named.
    names: The raters.  Names of persons: pages show them as codes unless asked.
    times: (n, raters): when, in days from any fixed day or in plain numbers; NaN where unknown.  None without times.
    """

    codes: Codes
    names: tuple[str, ...]
    times: Floats | None = None

    def of(self, kept: NDArray[np.bool_]) -> RaterIds:
        """Return those of some responses; every name stays."""
        return RaterIds(self.codes[kept], self.names, None if self.times is None else self.times[kept])


class Ratings(NamedTuple):
    """What a file with one row per rating held.

    n, raters: Human ratings that are not blank, and how many named raters gave them.
    by_rater: Whether ratings are in the order of the raters, because these are as few as the ratings of some response.
    """

    n: int
    raters: int
    by_rater: bool


class LeftOut(NamedTuple):
    """Ratings that are left out because the user asks for it.

    raters, ratings: How many raters, and how many of their ratings the file contains.
    columns, rater_ids, times: Those of them that are columns of human scores, and the columns that say who gave these,
        and when.
    """

    raters: int = 0
    ratings: int = 0
    columns: tuple[str, ...] = ()
    rater_ids: tuple[str, ...] = ()
    times: tuple[str, ...] = ()


class Outputs(NamedTuple):
    """What the system put out for the responses that no flag leaves out.

    n: Responses.
    blank, text, infinite: How many of them have no score: nothing there, text that is no number, an infinite number.
    refusals: How many of the texts read like a refusal to score.
    """

    n: int
    blank: int = 0
    text: int = 0
    infinite: int = 0
    refusals: int = 0

    @property
    def unusable(self) -> int:
        """How many have no score."""
        return self.blank + self.text + self.infinite


class Unscored(NamedTuple):
    """Responses with a system score and no human one, that no flag leaves out.

    system: (n,): their system scores.
    candidates: (n,): codes of their candidates, as in `ScoreTable.candidates`; None without.
    """

    system: Floats
    candidates: Codes | None


WEIGHTS = ("weight", "double_weight")
"""Settings and parts of the columns with the weights of a sample."""


class SampleWeights(NamedTuple):
    """How many responses of a population each response of a sample stands for.

    first: (n,): inverse of its probability of a human score.
    second: (n,): inverse of the probability of a second rating, given a first one; 1 for a response without one.
    """

    first: Floats
    second: Floats


class Rows(NamedTuple):
    """The fate of every row of the file, each of shape (read,): whether it counts, whether a flag left it out."""

    kept: NDArray[np.bool_]
    flagged: NDArray[np.bool_]


@dataclass(frozen=True)
class Exclusion:
    """Responses left out for one reason: how many, and the rows of the first few (header = row 1).

    first_files: The files that these rows stand in, when there are several.
    """

    reason: str
    n: int
    first_rows: tuple[int, ...]
    first_files: tuple[str, ...] = ()

    def listed_rows(self) -> str:
        """Return the first rows, and their files when there are several, as a sentence lists them."""
        if not self.first_files:
            return ", ".join(f"{row:,}" for row in self.first_rows)
        pairs = zip(self.first_rows, self.first_files, strict=True)
        return ", ".join(f"{row:,} of {file}" for row, file in pairs)


class Zeros(NamedTuple):
    """Human scores of 0 that count.

    scores: How many, of all raters.
    first, every: Responses whose first human score is 0, and those of which every one is.
    """

    scores: int = 0
    first: int = 0
    every: int = 0


@dataclass(frozen=True)
class Training:
    """Moments of a training file (standard deviations divide by n - 1), to rescale system scores with."""

    prediction_mean: float
    prediction_sd: float
    human_mean: float
    human_sd: float


@dataclass(frozen=True)
class ResponsesToRead:
    """Responses, as they may be listed for people to read; never part of a report.

    names: What each is called: its id, else its row in the file.
    texts: What was written; empty without a column of texts.
    human: (n, k): ratings, NaN where missing.
    system: (n,): the system's score, NaN where it gave none.
    answers: What stands in the place of a score that is missing; empty where a score is there.
    refused: Which of these answers read like a refusal.
    groups: The subgroup columns by name.
    """

    names: tuple[str, ...]
    texts: tuple[str, ...]
    human: Floats
    system: Floats
    answers: tuple[str, ...]
    refused: tuple[bool, ...]
    groups: dict[str, Coded]


@dataclass(frozen=True, kw_only=True)
class Told:
    """What is known of a file beside the screening of its responses; fields are those of `Account`."""

    source: Source
    roles: tuple[Role, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    ratings: Ratings | None = None
    without: LeftOut = field(default_factory=LeftOut)
    systems: tuple[str, ...] = ()
    read_by: str = ""
    told: tuple[str, ...] = ()
    design: Design = OF_THE_FIRST

    def columns(self, role: str) -> tuple[str, ...]:
        """Return the columns that play `role`; none when nobody does."""
        return tuple(column for found in self.roles if found.role == role for column in found.columns)


@dataclass(frozen=True, kw_only=True)
class Account(Told):
    """How the scores of one file were prepared: everything but the rows.

    roles, left_out: Which column plays which part; which play none, and why.
    scale, trim_min, trim_max, trim_tolerance: The score scale and the bounds of trimmed scores.
    rescaling, training: Whether system scores are rescaled already ("asis") or to be rescaled with `training`.
    exclusions, composition, read, flagged, kept: The responses left out, in the order of the rules; responses read,
        left out by flags, and that count.
    warnings: Sentences worth repeating in the report.
    zeros: Human scores of 0 that count.
    doubts: Those of the warnings that put every number in doubt, worst first.
    ratings: What a file with one row per rating held; None for one row per response.
    without: Ratings left out as asked.
    outputs: What the system put out.
    systems: Every system of the data, this one among them; those of one row per rating may be raters.
    read_by: The reader of a file of judge outputs; empty for any other.
    counted_candidates: How many candidates were counted, where rows are not held.
    told: Those of the warnings that are about the file as it was read, and labels joined to it.
    design: Which ratings count.
    as_rsmtool: Whether scores are rounded as RSMTool does, to whole numbers on any scale.
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
    zeros: Zeros = field(default_factory=Zeros)
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
        """How many candidates, or clusters, the responses that count come from; None if no column names them."""
        return self.counted_candidates


@dataclass(frozen=True, kw_only=True)
class RatingTable(Account):
    """The human ratings of one file, prepared for evaluation: how, and the rows themselves.

    human: Human scores, shape (n, k), NaN where missing.  The score of record comes first and is never missing; where
        raters stand in for each other (see `design`), every response has one at least.
    groups: The subgroup columns by name.
    candidates: For each response the code of its candidate, or None; a response without one is its own candidate.
    ids: Arrow string array of the n response ids, or None.
    rows: Which rows of the file they are.
    rater_ids: Who gave each rating, where that is known.
    items: The column of items, a subgroup column or not; None without one, or with more items than a subgroup column
        may have levels.
    """

    human: Floats
    groups: Mapping[str, Coded]
    candidates: Codes | None
    ids: Any
    rows: Rows
    rater_ids: RaterIds | None = None
    items: Coded | None = None

    @property
    def n_units(self) -> int | None:
        """How many candidates, or clusters, the responses that count come from; None if no column names them."""
        return None if self.candidates is None else len(set(self.candidates.tolist()))


@dataclass(frozen=True, kw_only=True)
class ScoreTable(RatingTable):
    """The scores of one file, prepared for evaluation: ratings, and the scores of a system.

    system: System scores as given, shape (n,), of the responses that count; always finite.
    weights: Of the responses, where they have unequal ones; None else.
    runs: (n, runs): scores of repeated runs of the system, the first of them `system`, NaN where missing; None without.
    item_scores: (n, items): scores of the other items of the test, NaN where missing; None without.
    length: (n,): lengths of the responses, NaN where unknown; None without.
    unscored: Responses that only the system scored; None when there are none.
    ratings_alone: (m, raters): ratings of responses that raters scored twice or more and the system did not.
    to_read: Responses for a reading list, where one is asked for.
    """

    system: Floats
    weights: SampleWeights | None = None
    runs: Floats | None = None
    item_scores: Floats | None = None
    length: Floats | None = None
    unscored: Unscored | None = None
    ratings_alone: Floats | None = None
    to_read: ResponsesToRead | None = None

    @property
    def expected_rating(self) -> Floats:
        """(n,): the score of record, or what is expected of a rating drawn where raters stand in for each other."""
        return np.nanmean(self.human, axis=1) if self.design.interchangeable else self.human[:, 0]

    @property
    def with_all_items(self) -> NDArray[np.bool_]:
        """Which responses have the scores of all other items, shape (n,); all of them without item scores."""
        if self.item_scores is None:
            return np.ones(self.kept, np.bool_)
        return np.asarray(np.isfinite(self.item_scores).all(axis=1))
