"""Which responses count: the exclusions in their order, each with its count and first rows.

The order is that of the field's reference implementation: flags, first human score, system score,
candidates.  A second human score never excludes a response.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import InputError, SettingsError, did_you_mean
from reportgen.scores.table import Exclusion
from reportgen.sources.columns import Coded, Floats
from reportgen.sources.tabular import Place
from reportgen.sources.written import PLAIN, Written

FIRST_ROWS = 5
"""How many row numbers an exclusion names."""

LARGEST = 1e6
"""No score scale reaches further from 0 than this."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Marked:
    """Responses that one rule marks; those of several tables, one after the other, add up.

    what: Why they are marked.
    n, rows: How many, and the places of the first few in the table, counted from 0.

    Examples
    --------
    >>> Marked.of("blank", np.array([1, 2])) + Marked("blank", 1, (0,)).behind(3)
    Marked(what='blank', n=3, rows=(1, 2, 3))
    """

    what: str
    n: int = 0
    rows: tuple[int, ...] = ()

    @classmethod
    def of(cls, what: str, rows: NDArray[np.intp]) -> Marked:
        """Return what marks some rows of one table."""
        return cls(what, len(rows), tuple(rows[:FIRST_ROWS].tolist()))

    def behind(self, rows: int) -> Marked:
        """Return the same responses when `rows` others come before those of their table."""
        return replace(self, rows=tuple(row + rows for row in self.rows))

    def __add__(self, other: Marked) -> Marked:
        """Return the responses of two tables, those of `other` being placed behind."""
        return Marked(self.what, self.n + other.n, (*self.rows, *other.rows)[:FIRST_ROWS])


@dataclass
class Screening:
    """The responses still in, and the account of those that are out, rule by rule."""

    kept: Mask
    excluded: dict[str, NDArray[np.intp]] = field(default_factory=dict)
    """Rule -> the rows that it left out."""

    @property
    def rules(self) -> list[Marked]:
        """The rules in their order."""
        return [Marked.of(reason, rows) for reason, rows in self.excluded.items()]

    def exclude(self, out: Mask, reason: str) -> None:
        """Leave out the responses that are still in and marked in `out`."""
        rows = np.flatnonzero(self.kept & out)
        self.excluded[reason] = rows
        if rows.size:
            self.kept = self.kept & ~out


def exclusions(rules: Sequence[Marked], place: Callable[[int], Place]) -> tuple[Exclusion, ...]:
    """Return the rules that left a response out, with the rows of the file."""
    found = []
    for rule in rules:
        if rule.n:
            first = [place(row) for row in rule.rows]
            files = tuple(place.file for place in first) if first[0].file else ()
            found.append(Exclusion(rule.what, rule.n, tuple(place.row for place in first), files))
    return tuple(found)


@dataclass(frozen=True)
class Scores:
    """One column of scores: numbers (NaN where none), where the cell is blank, and how cells are written."""

    name: str
    numbers: Floats
    blank: Mask
    written: Written = PLAIN

    @property
    def text(self) -> Mask:
        """Where something other than a number stands."""
        return np.isnan(self.numbers) & ~self.blank


def screen_scores(screening: Screening, scores: Scores, title: str, exclude_zeros: bool | Mask) -> None:
    """Keep the responses with a finite score, other than 0 where zeros are excluded: of all responses, or of some."""
    screening.exclude(scores.blank, f"no {title} score in '{scores.name}'")
    screening.exclude(scores.text, f"the {title} score in '{scores.name}' is not a number")
    screening.exclude(np.isinf(scores.numbers), f"the {title} score in '{scores.name}' is infinite")
    if np.any(exclude_zeros):
        screening.exclude(exclude_zeros & (scores.numbers == 0), f"the {title} score in '{scores.name}' is 0")


def further_scores(screening: Screening, scores: Scores, exclude_zeros: bool) -> tuple[Floats, list[Marked]]:
    """Return a further rater's scores with NaN for what is no usable score, and what of each kind counts as missing."""
    unusable = {"not numbers": scores.text, **unusable_numbers(scores.numbers, exclude_zeros)}
    marked = [
        Marked.of(
            f"Scores in '{scores.name}' that are {kind} and count as missing", np.flatnonzero(here & screening.kept)
        )
        for kind, here in unusable.items()
    ]
    return without(scores.numbers, unusable), marked


def unusable_numbers(numbers: Floats, exclude_zeros: bool | Mask) -> dict[str, Mask]:
    """Return which numbers of a further rater count as missing, by what they are."""
    unusable: dict[str, Mask] = {"infinite": np.isinf(numbers)}
    if np.any(exclude_zeros):
        unusable["0"] = exclude_zeros & (numbers == 0)
    return unusable


def without(numbers: Floats, unusable: Mapping[str, Mask]) -> Floats:
    """Return numbers with NaN where they are unusable."""
    numbers = numbers.copy()
    for here in unusable.values():
        numbers[here] = np.nan
    return numbers


def absurd_told(name: str, score: float) -> str:
    """Return what is said of a score that is too large for any scale."""
    return (
        f"column '{name}' holds the score {score:g}; expected scores within {LARGEST:,.0f} of 0; "
        "correct it, or name another column"
    )


def told(marked: Sequence[Marked], place: Callable[[int], Place]) -> tuple[str, ...]:
    """Return a sentence for each kind of scores that count as missing."""
    return tuple(
        f"{each.what}: {each.n:,} (first rows: {', '.join(str(place(row)) for row in each.rows)})."
        for each in marked
        if each.n
    )


CROSS = " × "
"""Stands between the names of columns, and of levels, that are crossed."""

MOST_INTERSECTIONS = 100
"""Intersections of one run; more say nothing that anyone could read."""


def with_intersections(
    groups: Mapping[str, Coded], wanted: Sequence[Sequence[str]] | Literal["all pairs"]
) -> dict[str, Coded]:
    """Return the groups, and after them their intersections.

    groups: Group column -> code of each response and labels.
    wanted: Lists of group columns to cross, or "all pairs".
    Raises SettingsError: A column is no group column or stands twice, fewer than two are crossed, or there are too
        many.

    Examples
    --------
    >>> sex, place = Coded(np.array([0, 1, 1]), ("f", "m")), Coded(np.array([0, 0, 1]), ("farm", "town"))
    >>> found = with_intersections({"sex": sex, "place": place}, [["sex", "place"]])
    >>> list(found), found["sex × place"].labels, found["sex × place"].codes.tolist()
    (['sex', 'place', 'sex × place'], ('f × farm', 'm × farm', 'm × town'), [0, 1, 2])
    """
    chosen = list(itertools.combinations(groups, 2)) if wanted == "all pairs" else [tuple(each) for each in wanted]
    if len(chosen) > MOST_INTERSECTIONS:
        raise SettingsError(
            f"intersections: {len(chosen):,} are asked for, and at most {MOST_INTERSECTIONS} are made; name the ones "
            "that matter, as in --intersect gender,language."
        )
    found = dict(groups)
    for columns in dict.fromkeys(chosen):
        for column in columns:
            if column not in groups:
                raise SettingsError(
                    f"intersections: '{column}' is no group column, or is not named as one with --group"
                    f"{did_you_mean(column, tuple(groups))}"
                )
        if len(set(columns)) < max(len(columns), 2):
            raise SettingsError(
                f"intersections: expected two different group columns or more, found {', '.join(columns) or 'none'}."
            )
        found[_unlike(CROSS.join(map(_part, columns)), found)] = _crossed([groups[column] for column in columns])
    return found


def _crossed(parts: Sequence[Coded]) -> Coded:
    """Return the combinations that occur, in the order of their parts."""
    sizes = [len(part.labels) for part in parts]
    codes = np.ravel_multi_index([part.codes for part in parts], sizes)
    occupied, crossed = np.unique(codes, return_inverse=True)
    labels: dict[str, None] = {}
    for combination in zip(*np.unravel_index(occupied, sizes), strict=True):
        names = (_part(part.labels[place]) for part, place in zip(parts, combination, strict=True))
        labels[_unlike(CROSS.join(names), labels)] = None
    return Coded(crossed.astype(np.int32), tuple(labels))


def parts_of(name: str) -> tuple[str, ...]:
    """Return the names that are crossed in the name of an intersection, or the name itself.

    Examples
    --------
    >>> parts_of("f × town"), parts_of("“a × b” × town"), parts_of("town")
    (('f', 'town'), ('a × b', 'town'), ('town',))
    """
    outside_quotes = r"(?=(?:[^“”]*“[^“”]*”)*[^“”]*$)"
    return tuple(part.removeprefix("“").removesuffix("”") for part in re.split(CROSS + outside_quotes, name))


def _part(name: str) -> str:
    """Return a name inside an intersection: in quotes when it holds the sign that separates parts."""
    return f"“{name}”" if CROSS.strip() in name else name


def _unlike(name: str, taken: Mapping[str, object]) -> str:
    """Return a name, with a number when it is taken."""
    return next(
        each
        for each in itertools.chain([name], (f"{name} ({number})" for number in itertools.count(2)))
        if each not in taken
    )


def refuse_many_levels(levels: Mapping[str, int], most: int) -> None:
    """Raise when a group column has too many levels.

    levels: Group column -> how many it has, so far.
    most: The setting ``max_levels``.
    Raises InputError: Names the column.

    Examples
    --------
    >>> refuse_many_levels({"school": 40, "student": 7000}, 5000)
    Traceback (most recent call last):
    ...
    reportgen.errors.InputError: group column 'student' has more than 5,000 levels, which looks like ids; ...
    """
    for name, n in levels.items():
        if n > most:
            raise InputError(
                f"group column '{name}' has more than {most:,} levels, which looks like ids; leave it out (name the "
                "others with --group), or raise max_levels under [statistics] in a configuration."
            )
