"""Raters who stand in for each other: a statistic is what is expected of a rating drawn at random.

Of every response one of its ratings is drawn, and a second one of the others.  Instead of drawing, every ordered pair
is a row whose weight is its probability, so that all rows of a response weigh 1 together.  Sums over rows are then
expectations over draws, and the order in which ratings or raters appear is in nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from reportgen.tally.cells import Integers
from reportgen.tally.sums import Floats

BLOCK_NUMBERS = 1 << 22
"""Ratings of rows that are made at a time (32 MB)."""


class Drawn(NamedTuple):
    """Pairs of ratings that may be drawn, those of one response one behind the other.

    response (rows,): place of the response.
    ratings (rows, ratings): the rating drawn, the one drawn beside it, then the response's others, highest first; NaN
        where there is none.  As many columns as a response has ratings at most.
    weight (rows,): how probable the pair is; 1 for a single rating.
    """

    response: Integers
    ratings: Floats
    weight: Floats


def drawn(ratings: Floats) -> Drawn:
    """Return the pairs of ratings that may be drawn; equal pairs of one response are one row.

    ratings (responses, raters): NaN where there is none.  Responses without any rating have no row.

    Examples
    --------
    >>> found = drawn(np.array([[4.0, np.nan, 2.0], [np.nan, 3.0, np.nan], [1.0, 1.0, 1.0]]))
    >>> found.response.tolist(), found.weight.tolist()
    ([0, 0, 1, 2], [0.5, 0.5, 1.0, 1.0])
    >>> found.ratings[:2, :2].tolist()
    [[2.0, 4.0], [4.0, 2.0]]
    """
    given = np.isfinite(ratings).sum(axis=1)
    widest = int(given.max(initial=1))
    descending = -np.sort(-ratings, axis=1)[:, :widest]  # NaN is sorted last
    parts = [part for count in np.unique(given[given > 0]).tolist() for part in _of_size(descending, given, count)]
    if not parts:
        return Drawn(np.zeros(0, np.intp), np.zeros((0, widest)), np.zeros(0))
    response, pairs, weight = (np.concatenate(each) for each in zip(*parts, strict=True))
    order = np.argsort(response, kind="stable")
    return Drawn(response[order], pairs[order], weight[order])


def _of_size(descending: Floats, given: Integers, count: int) -> Iterator[Drawn]:
    """Yield the pairs of responses with so many ratings, a block of them at a time."""
    responses = np.flatnonzero(given == count)
    if count == 1:
        yield Drawn(responses, descending[responses], np.ones(len(responses)))
        return
    places = np.array([(a, b, *_others(count, a, b)) for a in range(count) for b in range(count) if a != b])
    size = max(1, BLOCK_NUMBERS // places.size)
    for start in range(0, len(responses), size):
        block = responses[start : start + size]
        pairs = descending[block][:, places]
        first, second = (np.unique(pairs[..., place], return_inverse=True)[1].reshape(-1) for place in (0, 1))
        distinct = int(second.max()) + 1
        row = np.repeat(np.arange(len(block)), len(places))
        key = (row * (int(first.max()) + 1) + first) * distinct + second
        _, one, times = np.unique(key, return_index=True, return_counts=True)
        full = np.full((len(one), descending.shape[1]), np.nan)
        full[:, :count] = pairs.reshape(-1, count)[one]
        yield Drawn(block[row[one]], full, times / len(places))


def _others(count: int, first: int, second: int) -> list[int]:
    return [place for place in range(count) if place not in (first, second)]
