"""What a paper says in sentences, each held against what is found here: it repeats, does not, or cannot be tested."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reportgen.results import Column, Kind, Row, Table
from reportgen.results.term import Term

KEY = "study.statements"

DIFFERS, REPEATS, UNTESTABLE = "differs", "repeats", "untestable"
"""Outcomes, in the order of the table: what does not repeat comes first."""

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
        Whether it is true of the numbers found here; None where they cannot tell.
    printed, here
        The numbers that it rests on, in print and here.
    kind
        How these numbers are written.
    afresh
        The numbers found in new data, where those `here` come from the paper's own.
    """

    place: Term
    key: str
    holds: bool | None
    printed: Sequence[float] = ()
    here: Sequence[float] = ()
    kind: Kind = "score"
    afresh: Sequence[float] = ()

    @property
    def outcome(self) -> str:
        """A name of the outcomes above."""
        return UNTESTABLE if self.holds is None else REPEATS if self.holds else DIFFERS


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
    order = (DIFFERS, REPEATS, UNTESTABLE)
    rows = [
        Row((
            Term(f"statement.{one.key}"), one.place, Term(f"statement_{one.outcome}"), _several(one.printed, one.kind),
            *(_several(values, one.kind) for values, _ in zip((one.here, one.afresh), here, strict=False)),
        ))
        for one in sorted(statements, key=lambda one: order.index(one.outcome))
    ]  # fmt: skip
    columns = (Column("statement"), Column("place"), Column("outcome"), Column("published"), *here)
    return Table(KEY, "", columns, tuple(rows), max_rows=MOST_ROWS)


def _several(values: Sequence[float], kind: Kind) -> Term | None:
    """Return numbers as one cell: some listed, of many the lowest and the highest."""
    if not len(values):
        return None
    numbers = [float(value) for value in values]
    if len(numbers) > MOST_LISTED:
        return Term("lowest_to_highest", low=min(numbers), high=max(numbers), kind=kind)
    return Term("in_order", values=numbers, kind=kind)
