"""Shares of responses at each score: where engine and raters differ, and end points that one of them hardly uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from report_sections.lookup import Record, number
from reportgen.results import Cell
from reportgen.sections import Row, Table

MOST_POINTS = 20
"""Scales of more points are shown in bands, without a picture of their confusion matrix."""

MOST_BANDS = 12
_WIDTHS = (2, 5, 10, 20, 25, 50, 100)
"""Points in a band: the first of these that gives at most `MOST_BANDS` bands."""

USED, HALF = 1.0, 0.5
"""An end point counts from this percentage on; less than this share of the other's use is rare."""


@dataclass(frozen=True)
class RareEnd:
    """An end of the scale, "lowest" or "highest", that the raters use and the engine hardly, or the other way round.

    `often` and `seldom` are "raters" or "engine", with the responses that they give the score to, of `n`; `perfect_n`
    are those that an engine without error would give it to, None where that is not known.
    """

    score: str
    end: str
    often: str
    seldom: str
    often_n: int
    seldom_n: int
    n: int
    perfect_n: int | None = None


def rare_ends(rows: Sequence[Record]) -> list[RareEnd]:
    """Return the end points of the scale that one side uses less than half as often as the other.

    An engine is blamed for what it gives less than half as often as one without error would: raters' errors alone give
    ends more often than true scores do.
    """
    total = sum(int(number(row["human_n"]) or 0) for row in rows)
    found = []
    for end, row in (("lowest", rows[0]), ("highest", rows[-1])) if len(rows) > 1 and total else ():
        human, engine = (int(number(row[f"{who}_n"]) or 0) for who in ("human", "system"))
        (seldom_n, seldom), (often_n, often) = sorted([(human, "raters"), (engine, "engine")])
        at_least, _ = _of_perfect(row) or (None, None)
        least = often_n if at_least is None or seldom == "raters" else min(often_n, at_least * total / 100)
        if 100 * least >= USED * total and seldom_n < HALF * least:
            perfect = number(row.get("perfect_percent"))
            perfect_n = None if perfect is None else round(perfect * total / 100)
            found.append(RareEnd(str(row["score"]), end, often, seldom, often_n, seldom_n, total, perfect_n))
    return found


def _of_perfect(row: Record) -> tuple[float, float] | None:
    """Return the least and the greatest percentage that an engine without error would give a score to."""
    share, low, high = (number(row.get(key)) for key in ("perfect_percent", "perfect_low", "perfect_high"))
    if share is None:
        return None
    return (share, share) if low is None or high is None else (low, high)


def by_noise(row: Record) -> tuple[float, float]:
    """Return between which differences, engine minus raters, rater error alone could make a share; 0 is among them."""
    ends, human = _of_perfect(row), number(row["human_percent"]) or 0.0
    return (0.0, 0.0) if ends is None else (min(ends[0] - human, 0.0), max(ends[1] - human, 0.0))


def excess(row: Record) -> float:
    """Return by how many percentage points the difference of shares goes beyond what rater error alone makes."""
    difference, (low, high) = number(row["difference"]) or 0.0, by_noise(row)
    return difference - min(max(difference, low), high)


def unused_points(rows: Sequence[Record]) -> dict[str, list[str]]:
    """Return the scores that neither raters nor the engine gave, and those that one of them never gave."""
    unused: dict[str, list[str]] = {"both": [], "raters": [], "engine": []}
    for row in rows:
        human, engine = number(row.get("ratings_n", row["human_n"])), number(row["system_n"])
        if not human or not engine:
            unused["both" if not human and not engine else "engine" if human else "raters"].append(str(row["score"]))
    return unused


def banded(table: Table) -> Table:
    """Return a distribution of many points as one of a few bands; shares and counts add up."""
    if len(table.rows) <= MOST_POINTS:
        return table
    width = next((width for width in _WIDTHS if len(table.rows) <= width * MOST_BANDS), len(table.rows))
    starts = range(0, len(table.rows), width)
    rows = tuple(_band(table.rows[start : start + width]) for start in starts)
    return Table(f"{table.key}.bands", table.caption, table.columns, rows, table.notes)


def _band(rows: Sequence[Row]) -> Row:
    """Return the sum of some rows, named by their first and last score."""
    first, last = str(rows[0].cells[0]), str(rows[-1].cells[0])
    sums: list[Cell] = []
    for cells in list(zip(*(row.cells for row in rows), strict=True))[1:]:
        if all(cell is None for cell in cells):
            sums.append(None)
            continue
        total = sum(number(cell) or 0.0 for cell in cells)
        sums.append(int(total) if all(isinstance(cell, int) for cell in cells) else total)
    return Row((first if first == last else f"{first}–{last}", *sums))
