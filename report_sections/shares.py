"""Shares of responses at each score: where engine and raters differ, and end points that one of them hardly uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from report_sections.lookup import Record, number
from reportgen.results import Cell, Row, Table
from reportgen.wording.numbers import count, many, percent

MOST_POINTS = 20
"""Scales of more points are shown in bands, without a picture of their confusion matrix."""

MOST_BANDS = 12
_WIDTHS = (2, 5, 10, 20, 25, 50, 100)
"""Points in a band: the first of these that gives at most `MOST_BANDS` bands."""

USED, HALF = 1.0, 0.5
"""An end point counts from this percentage on; less than this share of the other's use is rare."""


@dataclass(frozen=True)
class RareEnd:
    """An end of the scale that the raters use and the engine hardly, or the other way round."""

    score: str
    often: str
    seldom: str
    often_n: int
    seldom_n: int
    n: int

    @property
    def sentence(self) -> str:
        """Say who gives the point how often, with the numbers of responses."""
        often, seldom = (percent(100 * n / self.n, self.n) for n in (self.often_n, self.seldom_n))
        give = "give" if self.often == "raters" else "gives"
        return (
            f"The end point {self.score}: {self.often} {give} it to {count(self.often_n)} of "
            f"{many(self.n, 'response')} ({often}), {self.seldom} to {count(self.seldom_n)} ({seldom}), "
            "less than half as often."
        )


def rare_ends(rows: Sequence[Record]) -> list[RareEnd]:
    """Return the end points of the scale that one side uses less than half as often as the other."""
    total = sum(int(number(row["human_n"]) or 0) for row in rows)
    found = []
    for row in (rows[0], rows[-1]) if len(rows) > 1 and total else ():
        human, engine = (int(number(row[f"{who}_n"]) or 0) for who in ("human", "system"))
        (seldom_n, seldom), (often_n, often) = sorted([(human, "raters"), (engine, "the engine")])
        if 100 * often_n >= USED * total and seldom_n < HALF * often_n:
            found.append(RareEnd(str(row["score"]), often, seldom, often_n, seldom_n, total))
    return found


def banded(table: Table) -> Table:
    """Return a distribution of many points as one of a few bands; shares and counts add up."""
    if len(table.rows) <= MOST_POINTS:
        return table
    width = next((width for width in _WIDTHS if len(table.rows) <= width * MOST_BANDS), len(table.rows))
    starts = range(0, len(table.rows), width)
    rows = tuple(_band(table.rows[start : start + width]) for start in starts)
    return Table(f"{table.key}.bands", f"{table.caption}, in bands of {width} points", table.columns, rows, table.notes)


def _band(rows: Sequence[Row]) -> Row:
    """Return the sum of some rows, named by their first and last score."""
    first, last = str(rows[0].cells[0]), str(rows[-1].cells[0])
    sums: list[Cell] = []
    for cells in list(zip(*(row.cells for row in rows), strict=True))[1:]:
        total = sum(number(cell) or 0.0 for cell in cells)
        sums.append(int(total) if all(isinstance(cell, int) for cell in cells) else total)
    return Row((first if first == last else f"{first}–{last}", *sums))
