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

MOST_LISTED = 3
"""Numbers that a cell lists; of more it says the lowest and the highest."""


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
    """

    place: Term
    key: str
    holds: bool | None
    printed: Sequence[float] = ()
    here: Sequence[float] = ()
    kind: Kind = "score"

    @property
    def outcome(self) -> str:
        """A name of the outcomes above."""
        return UNTESTABLE if self.holds is None else REPEATS if self.holds else DIFFERS


def statements_table(statements: Iterable[Statement]) -> Table:
    """Return every statement with its outcome and both numbers, those that do not repeat first."""
    order = (DIFFERS, REPEATS, UNTESTABLE)
    rows = [
        Row((
            Term(f"statement.{one.key}"), one.place, Term(f"statement_{one.outcome}"),
            _several(one.printed, one.kind), _several(one.here, one.kind),
        ))
        for one in sorted(statements, key=lambda one: order.index(one.outcome))
    ]  # fmt: skip
    columns = (Column("statement"), Column("place"), Column("outcome"), Column("published"), Column("here"))
    return Table(KEY, "", columns, tuple(rows), max_rows=MOST_ROWS)


def _several(values: Sequence[float], kind: Kind) -> Term | None:
    """Return numbers as one cell: some listed, of many the lowest and the highest."""
    if not len(values):
        return None
    numbers = [float(value) for value in values]
    if len(numbers) > MOST_LISTED:
        return Term("lowest_to_highest", low=min(numbers), high=max(numbers), kind=kind)
    return Term("in_order", values=numbers, kind=kind)
