"""Figures of studies: lines over what is varied, and spreads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from report_sections.figures import beside
from reportgen.sections import Axis, Chart, Dots, Line, Panel, Rule, Table, Term

Style = tuple[Literal["engine", "human"], Literal["solid", "dash", "dot", "dashdot"]]

STYLES: tuple[Style, ...] = (
    ("engine", "solid"), ("human", "solid"), ("engine", "dash"), ("human", "dash"), ("engine", "dot"), ("human", "dot"),
    ("engine", "dashdot"), ("human", "dashdot"),
)  # fmt: skip
"""How lines are told apart, in colour and in grey; orange is left to what lies beyond a limit."""


@dataclass(frozen=True)
class Series:
    """One line: its name and its points."""

    name: str
    x: tuple[float | None, ...]
    y: tuple[float | None, ...]


def lines_of(series: Sequence[Series]) -> tuple[Line, ...]:
    """Return series as lines that are told apart without colour.

    Examples
    --------
    >>> [line.dashes for line in lines_of((Series("a", (1.0,), (2.0,)), Series("b", (1.0,), (3.0,))))]
    ['solid', 'solid']
    """
    styles = (STYLES[place % len(STYLES)] for place in range(len(series)))
    return tuple(
        Line(each.name, each.x, each.y, ink, dashes) for each, (ink, dashes) in zip(series, styles, strict=True)
    )


def small_multiples(
    key: str, title: str, alt: str, plots: Sequence[tuple[str, Sequence[Series]]], x: Axis, y: Axis
) -> Chart:
    """Return a plot of lines for each of several data sets, all on the same axes; one alone needs no title.

    Parameters
    ----------
    plots
        What each plot is of, and its lines.
    """
    values = [value for _, series in plots for each in series for value in each.y if value is not None]
    low = y.low if y.low is not None else min(values, default=0.0)
    same = Axis(y.title, low=low, high=y.high if y.high is not None else max(values, default=1.0), unit=y.unit)
    panels = tuple(Panel(name, x, lines_of(series), same) for name, series in plots)
    return beside(key, title, alt, panels, Axis(""), same)


@dataclass(frozen=True)
class Spread:
    """A number with the smallest and the largest that were found, at one place of an axis."""

    at: str
    value: float | None
    low: float | None
    high: float | None
    n: int = 0


def spread_rows(
    key: str,
    title: str,
    alt: str,
    plots: Sequence[tuple[str, Axis, Sequence[Spread], float | None]],
    rows: str,
    caption: str = "",
) -> Chart:
    """Return several numbers of the same rows beside each other, each on an axis of its own.

    Parameters
    ----------
    plots
        What each number is, its axis, its spreads, and the value that is known to be true.
    rows
        What the rows are.
    """
    names = tuple(dict.fromkeys(each.at for _, _, spreads, _ in plots for each in spreads))
    panels = tuple(Panel(name, x, (*_known(known), _dots(name, spreads))) for name, x, spreads, known in plots)
    return Chart(key, title, alt, Axis(""), Axis(rows, categories=names), (), caption, panels=panels)


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


def _known(value: float | None) -> tuple[Rule, ...]:
    return () if value is None else (Rule(value, "", "x", "muted"),)


def _dots(label: str, spreads: Sequence[Spread]) -> Dots:
    return Dots(
        label,
        tuple(each.at for each in spreads),
        tuple(each.value for each in spreads),
        tuple(each.low for each in spreads),
        tuple(each.high for each in spreads),
        tuple(each.n for each in spreads) if all(each.n for each in spreads) else (),
    )
