"""Shares of responses at each score: where engine and raters differ, and end points that one of them hardly uses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reportgen.results import Cell, Record, number
from reportgen.sections import Row, Table

MOST_POINTS = 20
"""Scales of more points are shown in bands, without a picture of their confusion matrix."""

MOST_BANDS = 12
_WIDTHS = (2, 5, 10, 20, 25, 50, 100)
"""Points in a band: the first of these that gives at most `MOST_BANDS` bands."""

USED, HALF = 1.0, 0.5
"""An end point counts from this percentage on; less than this share of the other's use is rare."""


def rare_ends(rows: Sequence[Record]) -> list[dict[str, Any]]:
    """Return the end points of the scale that one side, raters or engine, uses less than half as often as the other.

    An engine is blamed for what it gives less than half as often as one without error would: raters' errors alone give
    ends more often than true scores do.

    Returns: `end`, "lowest" or "highest"; `often` and `seldom`, "raters" or "engine"; the responses that they give the
    `score` to, of `n`; `perfect_n`, those that an engine without error would give it to, None where that is not known.
    """
    total, found = sum(row.count("human_n") for row in rows), []
    for end, row in (("lowest", rows[0]), ("highest", rows[-1])) if len(rows) > 1 and total else ():
        sides = [(row.count("human_n"), "raters"), (row.count("system_n"), "engine")]
        (seldom_n, seldom), (often_n, often) = sorted(sides)
        at_least, _ = _of_perfect(row) or (None, None)
        least = often_n if at_least is None or seldom == "raters" else min(often_n, at_least * total / 100)
        if 100 * least >= USED * total and seldom_n < HALF * least:
            perfect = row.number("perfect_percent")
            found.append({
                "score": str(row["score"]), "end": end, "often": often, "seldom": seldom, "often_n": often_n,
                "seldom_n": seldom_n, "n": total,
                "perfect_n": None if perfect is None else round(perfect * total / 100),
            })  # fmt: skip
    return found


def _of_perfect(row: Record) -> tuple[float, float] | None:
    """Return the least and the greatest percentage that an engine without error would give a score to."""
    share, low, high = (row.number(key) for key in ("perfect_percent", "perfect_low", "perfect_high"))
    if share is None:
        return None
    return (share, share) if low is None or high is None else (low, high)


def by_noise(row: Record) -> tuple[float, float]:
    """Return between which differences, engine minus raters, rater error alone could make a share; 0 is among them."""
    ends, human = _of_perfect(row), row.number("human_percent") or 0.0
    return (0.0, 0.0) if ends is None else (min(ends[0] - human, 0.0), max(ends[1] - human, 0.0))


def excess(row: Record) -> float:
    """Return by how many percentage points the difference of shares goes beyond what rater error alone makes."""
    difference, (low, high) = row.number("difference") or 0.0, by_noise(row)
    return difference - min(max(difference, low), high)


def unused_points(rows: Sequence[Record]) -> dict[str, list[str]]:
    """Return the scores that neither raters nor the engine gave, and those that one of them never gave."""
    unused: dict[str, list[str]] = {"both": [], "raters": [], "engine": []}
    for row in rows:
        human, engine = number(row.get("ratings_n", row["human_n"])), row.number("system_n")
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
    names, *columns = zip(*(row.cells for row in rows), strict=True)
    return Row((names[0] if len(names) == 1 else f"{names[0]}–{names[-1]}", *map(_sum, columns)))


def _sum(cells: Sequence[Cell]) -> Cell:
    known = [cell for cell in cells if cell is not None]
    total = sum(number(cell) or 0.0 for cell in known)
    return None if not known else int(total) if all(isinstance(cell, int) for cell in cells) else total
