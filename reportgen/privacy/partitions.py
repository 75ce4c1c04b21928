"""Ways to divide the same responses into levels, and their distinct combinations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]
Mask = NDArray[np.bool_]
Short = NDArray[np.signedinteger]

NONE = -1
"""Code of a response that is in no level of a grouping."""

SMALL_CODES = 4
"""Codes up to so many times their number are counted in an array of all codes, larger ones are sorted."""


@dataclass(frozen=True)
class Partition:
    """One way to divide responses into levels.

    codes (responses,): level of each response, `NONE` for a response in none.
    levels: Number of levels.
    always_shown: Whether its sums are told in any case, as those of all responses are.
    """

    codes: NDArray[np.integer]
    levels: int
    always_shown: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "codes", short(self.codes, self.levels))

    def sums(self, weights: Floats) -> Floats:
        """Return (levels,): the sum of the weights of each level's responses."""
        totals = np.bincount(self.codes + 1, weights, self.levels + 1)[1:]  # without those in none
        return totals.astype(np.float64, copy=False)

    def at(self, responses: Integers) -> Partition:
        """Return the partition of some of the responses."""
        return Partition(self.codes[responses], self.levels, self.always_shown)

    def always(self) -> Partition:
        """Return the partition as one whose sums are shown in any case."""
        return Partition(self.codes, self.levels, always_shown=True)

    def without(self, levels: Mask) -> Partition:
        """Return the partition with the responses of some levels in none; itself where these are no levels."""
        if not levels.any():
            return self
        return Partition(
            np.where(np.append(levels, False)[self.codes], NONE, self.codes), self.levels, self.always_shown
        )


def short(codes: NDArray[np.integer], levels: int) -> Short:
    """Return codes from `NONE` to `levels` in as few bytes as hold them: there are as many as combinations.

    Examples
    --------
    >>> short(np.array([0, 126]), 127).dtype, short(np.array([0, 126]), 128).dtype
    (dtype('int8'), dtype('int16'))
    """
    return codes.astype(np.min_scalar_type(-levels - 1), copy=False)


def distinct(columns: Sequence[tuple[NDArray[np.integer], int]], counts: NDArray[np.number]) -> tuple[Integers, Floats]:
    """Return the distinct combinations of several codes: the first place of each, in their order, and its count.

    columns: (codes of 0 or more, number of codes) of each column; all of as many places as `counts`.
    counts: How many responses each place stands for.

    Examples
    --------
    >>> first, counts = distinct([(np.array([1, 0, 1]), 2), (np.array([0, 1, 0]), 2)], np.array([1, 2, 3]))
    >>> first.tolist(), counts.tolist()
    ([1, 0], [2.0, 4.0])
    """
    place: NDArray[np.integer] = np.zeros(len(counts), np.int32)
    size = 1
    for codes, levels in columns:
        if size * levels > SMALL_CODES * len(counts):
            place = _renumbered(place)
            size = int(place.max(initial=-1)) + 1
        size *= levels
        place = place.astype(np.int32 if size <= np.iinfo(np.int32).max else np.int64, copy=False)
        place *= levels
        place += codes
    place = _renumbered(place)
    totals = np.bincount(place, counts).astype(np.float64, copy=False)
    first = np.empty(len(totals), np.intp)
    first[place[::-1]] = np.arange(len(place))[::-1]  # of several assignments the last one stays
    return first, totals


def atoms(partitions: Sequence[Partition], counts: Floats) -> tuple[list[Partition], Floats]:
    """Return the partitions of the distinct combinations of levels, and how many responses each has."""
    first, totals = distinct([(partition.codes + 1, partition.levels + 1) for partition in partitions], counts)
    return [partition.at(first) for partition in partitions], totals


def _renumbered(codes: NDArray[np.integer]) -> NDArray[np.integer]:
    """Return codes of 0 or more as 0, 1, 2 ... in their order: what a sort gives, and without it where codes are small.

    Examples
    --------
    >>> _renumbered(np.array([7, 2, 9, 2])).tolist(), _renumbered(np.array([7, 2, 10**12, 2])).tolist()
    ([1, 0, 2, 0], [1, 0, 2, 0])
    """
    if codes.max(initial=-1) > SMALL_CODES * len(codes):
        inverse: NDArray[np.integer] = np.unique(codes, return_inverse=True)[1]
        return inverse
    present = np.zeros(codes.max(initial=-1) + 1, np.bool_)
    present[codes] = True
    numbers = np.cumsum(present, dtype=codes.dtype)
    numbers -= 1
    found: NDArray[np.integer] = numbers[codes]
    return found
