"""Statements of a paper, each checked in several data sets: it repeats, does not, or cannot be tested."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from reportgen.results import Column, Kind, Row, Table
from reportgen.results.term import Term

KEY = "study.statements"

DIFFERS, MIXED, REPEATS, UNTESTABLE = "differs", "mixed", "repeats", "untestable"
"""Outcomes, in the order of the table: what does not repeat comes first."""

MOST = 0.9
"""Share of the data sets in which a statement is true, or is not, that counts as most of them."""

MOST_ROWS = 100
"""Statements on a page: all of every paper, so that none is chosen."""

MOST_LISTED = 4
"""Numbers that a cell lists; of more it says the lowest and the highest."""

NEAR = 0.2
"""Share of the printed number that a size may be off to count as repeated."""


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
    order = (DIFFERS, MIXED, REPEATS, UNTESTABLE)
    rows = [
        Row((
            Term(f"statement.{one.key}"), one.place, Term(f"statement_{one.outcome}"), _times(one),
            _several(one.printed, one.kind),
            *(_several(values, one.kind) for values, _ in zip((one.here, one.afresh), here, strict=False)),
        ))
        for one in sorted(statements, key=lambda one: order.index(one.outcome))
    ]  # fmt: skip
    columns = (Column("statement"), Column("place"), Column("outcome"), Column("times"), Column("published"), *here)
    return Table(KEY, "", columns, tuple(rows), max_rows=MOST_ROWS)


def _times(one: Statement) -> Term | None:
    """Return in how many data sets a statement is true."""
    if one.holds is None:
        return None
    sets = one.sets or (one.holds,)
    return Term("times_of", times=sum(sets), sets=len(sets))


def _several(values: Sequence[float], kind: Kind) -> Term | None:
    """Return numbers as one cell: some listed, of many the lowest and the highest."""
    if not len(values):
        return None
    numbers = [float(value) for value in values]
    if len(numbers) > MOST_LISTED:
        return Term("lowest_to_highest", low=min(numbers), high=max(numbers), kind=kind)
    return Term("in_order", values=numbers, kind=kind)
