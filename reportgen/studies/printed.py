"""What tables of published numbers have alike: where a number is printed, what it is, the columns."""

from __future__ import annotations

from reportgen.results import Column, Kind
from reportgen.results.term import Term


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


def published_columns(kind: Kind = "score") -> tuple[Column, ...]:
    """Return the columns of a table that sets published numbers beside those found here."""
    return (
        Column("place"), Column("what"), Column("published", kind=kind), Column("here", kind=kind),
        Column("difference", kind="difference"), Column("agrees"),
    )  # fmt: skip
