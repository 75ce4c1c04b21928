"""Figures of studies: lines over what is varied, and spreads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from reportgen.results import Record
from reportgen.sections import Axis, Chart, Dots, Line, Panel, Rule, Table, Term

STYLES: tuple[tuple[Literal["engine", "human"], Literal["solid", "dash", "dot", "dashdot"]], ...] = (
    ("engine", "solid"), ("human", "solid"), ("engine", "dash"), ("human", "dash"), ("engine", "dot"), ("human", "dot"),
    ("engine", "dashdot"), ("human", "dashdot"),
)  # fmt: skip
"""How lines are told apart, in colour and in grey; orange is left to what lies beyond a limit."""

Numbers = tuple[float | None, ...]


def column(rows: Iterable[Record], key: str) -> Numbers:
    """Return the numbers of a column."""
    return tuple(row.number(key) for row in rows)


def grouped(rows: Iterable[Record], key: str) -> dict[str, list[Record]]:
    """Return the rows by what a column says, in their order."""
    found: dict[str, list[Record]] = {}
    for row in rows:
        found.setdefault(row.text(key), []).append(row)
    return found


def lines_of(series: Iterable[tuple[str, Numbers, Numbers]]) -> tuple[Line, ...]:
    """Return names with their points as lines that are told apart without colour.

    Examples
    --------
    >>> [line.dashes for line in lines_of((name, (1.0,), (2.0,)) for name in "abc")]
    ['solid', 'solid', 'dash']
    """
    return tuple(Line(name, x, y, *STYLES[place % len(STYLES)]) for place, (name, x, y) in enumerate(series))


def lines_by(rows: Iterable[Record], by: str, x: str, y: str) -> tuple[Line, ...]:
    """Return a line for everything that a column says."""
    return lines_of((name, column(own, x), column(own, y)) for name, own in grouped(rows, by).items())


def spread_chart(
    plots: Sequence[tuple[str, Axis, Sequence[Record], float | None]], rows: str, *, of: str = "category",
    which: str = "", n: int, **chart: Any,
) -> Chart:  # fmt: skip
    """Return several numbers of the same rows beside each other, each with its ends on an axis of its own.

    Parameters
    ----------
    plots
        What each number is, its axis, its rows, and the value that is known to be true.
    rows, of
        What the rows are, and the column that names each.
    which
        What the names of the columns "mean", "low" and "high" end in.
    n
        How many there were.
    """
    panels, names = [], dict[str, None]()
    for name, axis, found, known in plots:
        at = tuple(row.text(of) for row in found)
        mean, low, high = (column(found, f"{end}{which}") for end in ("mean", "low", "high"))
        dots = Dots(name, at, mean, low, high, (n,) * len(at))
        panels.append(Panel(name, axis, (*([] if known is None else [Rule(known, "", "x", "muted")]), dots)))
        names |= dict.fromkeys(at)
    return Chart(x=Axis(""), y=Axis(rows, categories=tuple(names)), layers=(), panels=tuple(panels), **chart)


def as_printed(table: Table, figure: str) -> str:
    """Return where the numbers of a chart come from: its table's first note, and the figure of the paper that it is.

    Data drawn afresh are in no paper.

    Examples
    --------
    >>> as_printed(Table("t", "", (), (), (Term("note.first_drawn", sets=1),)), "2")
    Term('note.first_drawn', sets=1)
    """
    drawn = table.notes[0]
    return Term("as_printed", at=figure, drawn=drawn) if drawn == Term("note.replayed") else drawn
