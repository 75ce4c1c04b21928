"""Long lists of names and values, such as settings, in two halves beside each other on paper."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

NAME = 26
"""Letters of a name that one line of half a page has room for."""

VALUE = 24
"""Letters of a value that one line of half a page has room for."""

MOST = 45
"""Lines of a half at most, so that two halves always fit one page; longer lists have several pairs of halves."""


def halve(body: Any) -> None:
    """Set every table of the class ``facts`` below `body` in two halves, as a browser's columns would.

    Done by counting lines: a list in columns of equal height is laid out about ten times until they are equal.
    """
    for place in body.iter("div"):
        if "facts" in (place.get("class") or "").split():
            for scroll in place.findall("div"):
                table = scroll.find("table")
                if table is not None:
                    _halve(scroll, table)


def _halve(scroll: Any, table: Any) -> None:
    """Replace a table by tables of some of its rows each, two of them to a line."""
    rows = list(table.find("tbody"))
    at = list(scroll).index(table)
    scroll.remove(table)
    for number, pair in enumerate(_pairs([lines(row) for row in rows])):
        line = table.makeelement("div", {"class": "halves" if number else "halves below-caption"})
        for side, (start, stop) in enumerate(pair):
            if start == stop:
                continue
            line.append(_part(table, rows[start:stop], named=not number and not side))
        scroll.insert(at + number, line)


def _part(table: Any, rows: Sequence[Any], *, named: bool) -> Any:
    """Return the table with some of its rows; only the first one keeps the caption."""
    part = table.makeelement("table", dict(table.attrib))
    for child in table:
        if child.tag == "tbody":
            body = table.makeelement("tbody", dict(child.attrib))
            body.extend(rows)
            part.append(body)
        elif named or child.tag != "caption":
            part.append(deepcopy(child))
    return part


def lines(row: Any) -> int:
    """Return how many lines a row of a name and its value takes in half a page."""
    name, value = ("".join(cell.itertext()).strip() for cell in row)
    return max(1, math.ceil(len(name) / NAME), math.ceil(len(value) / VALUE))


def _pairs(heights: Sequence[int]) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Yield pairs of ranges of rows, the halves of each about equally high."""
    start = 0
    while start < len(heights):
        stop = start + 1
        while stop < len(heights) and sum(heights[start : stop + 1]) <= 2 * MOST - 1:
            stop += 1
        middle = split(heights[start:stop])
        yield (start, start + middle), (start + middle, stop)
        start = stop


def split(heights: Sequence[int]) -> int:
    """Return how many rows go into the first half, so that the higher half is lowest; both begin level.

    Examples
    --------
    >>> split([1, 1, 1, 1]), split([3, 1, 1, 1]), split([1, 1, 1])
    (2, 1, 2)
    """
    total = sum(heights)
    return min(range(len(heights), 0, -1), key=lambda first: max(sum(heights[:first]), total - sum(heights[:first])))
