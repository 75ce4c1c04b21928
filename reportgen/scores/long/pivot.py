"""From one row per rating to one row per response: ratings packed side by side, who gave each kept.

Numpy on codes only; two hundred raters with two ratings a response make two columns, not two hundred.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.sources.columns import Codes, Floats

MOST_RATINGS = 100
"""More ratings of one response than this are a mistake in the columns."""

NOBODY = -1

Rows = NDArray[np.int64]


class Packed(NamedTuple):
    """Ratings side by side.

    Parameters
    ----------
    rows
        (responses, ratings): the row of each rating in the file, -1 where there is none.
    by_rater
        Whether each column holds the raters in one order, because there are as few raters as columns.
    """

    rows: Rows
    by_rater: bool


def repeated(responses: Codes, raters: Codes, rows: Rows) -> tuple[int, int] | None:
    """Return the first two of `rows` in which one rater rates one response again; None when nobody does.

    Parameters
    ----------
    responses, raters
        Codes of all rows of the file.
    rows
        The rows that are looked at.

    Examples
    --------
    >>> repeated(np.array([0, 0, 1, 0]), np.array([0, 1, 0, 1]), np.arange(4))
    (1, 3)
    """
    keys = responses[rows].astype(np.int64) * (int(raters.max(initial=0)) + 1) + raters[rows]
    order = np.argsort(keys, kind="stable")
    again = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    if not again.size:
        return None
    first = again[np.argmin(rows[order[again]])]
    return int(rows[order[first]]), int(rows[order[first + 1]])


def packed(responses: Codes, raters: Codes, usable: NDArray[np.bool_], rows: Rows, times: Floats | None) -> Packed:
    """Return ratings packed per response, usable ones first.

    A response's ratings come in the order of the raters when there are as few raters as ratings of some
    response (a crossed design), else by time, else as in the file.  A rating that is not usable is left
    out, except that a response without any usable one keeps its first, so that its fate can be told.

    Parameters
    ----------
    responses, raters, usable, times
        Of all rows of the file: codes from 0 (-1 an unnamed rater), whether the rating is a score, when.
    rows
        The rows that hold human ratings.

    Examples
    --------
    >>> responses, raters = np.array([0, 0, 1, 1]), np.array([5, 2, 9, 5])
    >>> packed(responses, raters, np.array([True, True, False, True]), np.arange(4), None).rows.tolist()
    [[0, 1], [3, -1]]
    """
    n = int(responses.max(initial=-1)) + 1
    counts = np.bincount(responses[rows[usable[rows]]], minlength=n)
    widest = int(counts.max(initial=0))
    by_rater = len(np.unique(raters[rows])) <= widest
    key = raters[rows] if by_rater else np.zeros(len(rows)) if times is None else times[rows]
    order = rows[np.lexsort((rows, key, ~usable[rows], responses[rows]))]
    starts = np.searchsorted(responses[order], np.arange(n))
    slot = np.arange(len(order)) - starts[responses[order]]
    kept = usable[order] | ((slot == 0) & (counts[responses[order]] == 0))
    table = np.full((n, max(widest, 1)), NOBODY, np.int64)
    table[responses[order[kept]], slot[kept]] = order[kept]
    return Packed(table, by_rater)


def first_rows(responses: Codes, present: NDArray[np.bool_]) -> Rows:
    """Return for each response the first row in which `present` holds, -1 where none does.

    Examples
    --------
    >>> first_rows(np.array([0, 0, 1]), np.array([False, True, False])).tolist()
    [1, -1]
    """
    first = np.full(int(responses.max(initial=-1)) + 1, NOBODY, np.int64)
    rows = np.flatnonzero(present)[::-1]
    first[responses[rows]] = rows  # the last assignment wins: the first row
    return first


def runs(responses: Codes, rows: Rows, run: Codes | None) -> Rows:
    """Return (responses, runs): the row of each run of one system, -1 where there is none.

    Parameters
    ----------
    rows
        The system's rows.
    run
        Code of each row's run, ascending; None counts a response's rows in the order of the file.
    """
    n = int(responses.max(initial=-1)) + 1
    if run is None:
        order = rows[np.argsort(responses[rows], kind="stable")]
        starts = np.searchsorted(responses[order], np.arange(n))
        place = np.arange(len(order)) - starts[responses[order]]
    else:
        order = rows
        _, place = np.unique(run[rows], return_inverse=True)
    table = np.full((n, int(place.max(initial=0)) + 1), NOBODY, np.int64)
    table[responses[order], place] = order
    return table
