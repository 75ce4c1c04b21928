"""Statements and numbers of a paper beside what is found here: repeated in several data sets, or not."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from reportgen.results import Cell, Column, Kind, Row, Table
from reportgen.results.term import Term

KEY = "study.statements"

DIFFERS, MIXED, REPEATS, UNTESTABLE = ORDER = ("differs", "mixed", "repeats", "untestable")
"""Outcomes, in the order of the table: what does not repeat comes first."""

MOST = 0.9
"""Share of the data sets in which a statement is true, or is not, that counts as most of them."""

MOST_ROWS = 100
"""Statements on a page: all of every paper, so that none is chosen."""

MOST_LISTED = 4
"""Numbers that a cell lists; of more it says the lowest and the highest."""

NEAR = 0.2
"""Share of the printed number that a size may be off to count as repeated."""


def in_table(number: str) -> Term:
    """Return a table of a paper as a place where a number is printed."""
    return Term("printed.table", at=number)


def in_figure(number: str) -> Term:
    """Return a figure of a paper as a place where a number is printed."""
    return Term("printed.figure", at=number)


def in_section(number: str) -> Term:
    """Return a section of a paper as a place where a number is printed."""
    return Term("printed.section", at=number)


def of_what(of: object, what: str, **values: object) -> Term:
    """Return what a published number is: of which condition, and which of its numbers.

    Examples
    --------
    >>> str(of_what("a", "mean"))
    "published.of(of='a', what=Term('published.mean'))"
    """
    return Term("published.of", of=of, what=Term(f"published.{what}", **values))


def published_columns(kind: Kind = "score", last: str = "agrees", last_kind: Kind = "text") -> tuple[Column, ...]:
    """Return the columns of a table that sets published numbers beside those found here."""
    return (
        Column("place"), Column("what"), Column("published", kind=kind), Column("here", kind=kind),
        Column("difference", kind="difference"), Column(last, kind=last_kind),
    )  # fmt: skip


def gaps_table(
    key: str, kind: Kind, pairs: Iterable[tuple[Term, Term, float, float, Sequence[Cell]]], shown: int,
    more: tuple[Column, ...] = (),
) -> Table:  # fmt: skip
    """Return every printed number beside ours with their ratio, the largest gap first.

    Parameters
    ----------
    pairs
        Where a number is printed, what it is, the number, ours, and the cells of `more` columns.
    shown
        Rows on the page; the CSV file has all.
    """
    rows = [
        Row((place, what, value, here, here - value, here / value if here * value > 0 else None, *cells))
        for place, what, value, here, cells in sorted(pairs, key=lambda pair: -abs(pair[3] - pair[2]))
    ]
    columns = (*published_columns(kind, "ratio", "coefficient"), *more)
    return Table(f"study.published.{key}", "", columns, tuple(rows), max_rows=shown)


def stand_in_table(key: str, rows: Iterable[tuple[Term, Sequence[float], Sequence[float], Kind]]) -> Table:
    """Return what is printed of a paper's data beside data that stand in for them: how near these come.

    Parameters
    ----------
    rows
        What it is, the numbers in print, and those here: of several the lowest and the highest are shown.
    """
    made = [
        Row((what, *(
            Term("in_order", values=[float(numbers[0])], kind=kind) if len(numbers) == 1 else _ends(numbers, kind)
            for numbers in (printed, here)
        )))
        for what, printed, here, kind in rows
    ]  # fmt: skip
    return Table(key, "", (Column("what"), Column("published"), Column("here")), tuple(made))


@dataclass(frozen=True)
class Statement:
    """One statement of a paper.

    Parameters
    ----------
    place
        Where it is printed.
    key
        Its word is ``statement.KEY``.
    holds
        Whether it is true of the numbers found here; None if they cannot show it.
    printed, here
        The numbers that it rests on, in print and here.
    kind
        How these numbers are written.
    afresh
        The numbers found in new data, where those `here` come from the paper's own.
    sets
        Whether it is true in each data set, if there are several.
    """

    place: Term
    key: str
    holds: bool | None
    printed: Sequence[float] = ()
    here: Sequence[float] = ()
    kind: Kind = "score"
    afresh: Sequence[float] = ()
    sets: tuple[bool, ...] = ()

    @property
    def outcome(self) -> str:
        """A name of the outcomes above; one data set does not decide what most of them show."""
        if self.holds is None:
            return UNTESTABLE
        share = float(np.mean(self.sets or (self.holds,)))
        return REPEATS if self.holds and share >= MOST else DIFFERS if not self.holds and 1 - share >= MOST else MIXED


@dataclass(frozen=True)
class Said:
    """A statement as the TOML file of its paper has it: ``KEY = {section = "4.1", above = 0.1, printed = [0.2]}``.

    Parameters
    ----------
    key, place, printed, kind
        As in `Statement`.
    rules
        Rules on the numbers found: all of `RULES`, `order` and `within` that are given must hold.
    of_these_data
        Whether it speaks of single values of the paper's own data, which new data cannot repeat.
    """

    key: str
    place: Term
    printed: Sequence[float]
    kind: Kind
    rules: Mapping[str, Any]
    of_these_data: bool = False

    def holds(self, here: Sequence[float]) -> bool:
        """Return whether the statement is true of the numbers found."""
        return all(RULES[rule](here, wanted, self.printed) for rule, wanted in self.rules.items())

    def statement(self, here: Sequence[float], holds: bool | np.bool_ | None = None) -> Statement:
        """Return the statement with its outcome, by its rules unless the outcome is given."""
        outcome = self.holds(here) if holds is None else bool(holds)
        return Statement(self.place, self.key, outcome, self.printed, here, self.kind)

    @property
    def untestable(self) -> Statement:
        """The statement where nothing here can show it."""
        return Statement(self.place, self.key, None)


ORDERS: Mapping[str, Callable[[Sequence[float]], bool]] = {
    "rising": lambda here: all(before < after for before, after in pairwise(here)),
    "falling": lambda here: all(before > after for before, after in pairwise(here)),
    "never_rising": lambda here: all(before >= after for before, after in pairwise(here)),
    "never_falling": lambda here: all(before <= after for before, after in pairwise(here)),
    "first_lowest": lambda here: here[0] < min(here[1:]),
    "pairs_overlap": lambda here: here[0] > here[1] and here[2] > here[3],
}

RULES: Mapping[str, Callable[[Sequence[float], Any, Sequence[float]], bool]] = {
    "above": lambda here, limit, _: min(here) > limit,
    "at_least": lambda here, limit, _: min(here) >= limit,
    "below": lambda here, limit, _: max(here) < limit,
    "at_most": lambda here, limit, _: max(here) <= limit,
    "rises_by": lambda here, limit, _: here[-1] - here[0] > limit,
    "spreads_by": lambda here, limit, _: max(here) - min(here) > limit,
    "times_second": lambda here, share, _: here[0] < share * here[1],
    "one_decimal": lambda here, wanted, _: (len({round(each, 1) for each in here}) == 1) is wanted,
    "order": lambda here, order, _: ORDERS[order](here),
    "within": lambda here, limit, printed: all(
        abs(own - value) <= limit for value, own in zip(printed, here, strict=True)
    ),
}
"""Rules on the numbers found, what the file says of each, and the numbers in print."""


def read_statements(file: Path) -> dict[str, Said]:
    """Return the statements of a paper by their keys, in the order of its file."""
    found = {}
    for key, entry in tomllib.loads(file.read_text(encoding="utf-8")).items():
        (where,) = {"section", "figure", "table"} & entry.keys()
        rules = {rule: wanted for rule, wanted in entry.items() if rule in RULES}
        found[key] = Said(
            key, Term(f"printed.{where}", at=entry[where]), entry.get("printed", ()), entry.get("kind", "coefficient"),
            rules, entry.get("of_these_data", False),
        )  # fmt: skip
    return found


class Here(NamedTuple):
    """The numbers found here that a statement rests on, and whether it holds where no rule of its file says that."""

    key: str
    numbers: Sequence[float]
    holds: bool | np.bool_ | None = None


def statements_of_paper(file: Path, found: Iterable[Here]) -> list[Statement]:
    """Return every statement of a paper's file with its outcome; without numbers it cannot be shown.

    Raises
    ------
    KeyError
        Numbers are of no statement in the file.
    """
    here, every = {each.key: each for each in found}, read_statements(file)
    if unknown := here.keys() - every.keys():
        raise KeyError(f"no statement of '{file.name}' is {', '.join(sorted(unknown))}")
    return [
        said.statement(here[key].numbers, here[key].holds) if key in here else said.untestable
        for key, said in every.items()
    ]


def judge_in_sets(sets: Sequence[Sequence[Statement]]) -> list[Statement]:
    """Return the statements with the numbers of the first data set, and whether each is true in every one.

    Parameters
    ----------
    sets
        The same statements of each data set.

    Examples
    --------
    >>> sets = [[Statement(Term("place"), "key", holds)] for holds in (True, False, True)]
    >>> judge_in_sets(sets)[0].outcome
    'mixed'
    """
    return [
        replace(same[0], sets=tuple(bool(one.holds) for one in same if one.holds is not None))
        for same in zip(*sets, strict=True)
    ]


def near(printed: Iterable[float], here: Iterable[float]) -> bool:
    """Return whether every number here is within a fifth of the one in print.

    Examples
    --------
    >>> near([2.5, -1.0], [2.1, -1.1]), near([2.5], [1.9])
    (True, False)
    """
    return all(abs(own - value) <= NEAR * abs(value) for value, own in zip(printed, here, strict=True))


def statements_table(statements: Iterable[Statement], here: tuple[Column, ...] = (Column("here"),)) -> Table:
    """Return every statement with its outcome and both numbers, those that do not repeat first.

    Parameters
    ----------
    here
        The columns of the numbers found: of those `here`, and of those `afresh` where they are shown.
    """
    rows = [
        Row((
            Term(f"statement.{one.key}"), one.place, Term(f"statement_{one.outcome}"), _times(one),
            *(_several(values, one.kind) for values in (one.printed, one.here, one.afresh)[: 1 + len(here)]),
        ))
        for one in sorted(statements, key=lambda one: ORDER.index(one.outcome))
    ]  # fmt: skip
    columns = (Column("statement"), Column("place"), Column("outcome"), Column("times"), Column("published"), *here)
    return Table(KEY, "", columns, tuple(rows), max_rows=MOST_ROWS)


def _times(one: Statement) -> Term | None:
    """Return in how many data sets a statement is true."""
    sets = one.sets or (one.holds,)
    return None if one.holds is None else Term("times_of", times=sum(map(bool, sets)), sets=len(sets))


def _several(values: Sequence[float], kind: Kind) -> Term | None:
    if not len(values):
        return None
    numbers = [float(value) for value in values]
    return _ends(numbers, kind) if len(numbers) > MOST_LISTED else Term("in_order", values=numbers, kind=kind)


def _ends(numbers: Sequence[float], kind: Kind) -> Term:
    return Term("lowest_to_highest", low=float(min(numbers)), high=float(max(numbers)), kind=kind)
