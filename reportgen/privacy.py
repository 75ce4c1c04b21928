"""Which groups are too small to be shown, and which more must be withheld so that nobody can subtract.

A report tells many sums of the same responses: of all of them, of every level of every grouping, of
those scored twice.  A level of few responses is withheld; but a sum that is not shown can still follow
from sums that are.  `withheld` decides for all groupings at once, knowing only who is in which level.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]
Mask = NDArray[np.bool_]

NONE = -1
"""Code of a response that is in no level of a grouping."""

TOLD = 1e-6
"""A weight, or a sum of a random function, up to this is nothing but rounding."""

MOST_ATOMS = 20_000
"""Distinct combinations of levels, of withheld levels and of others, among which levels are cleared at first."""

ONE_BY_ONE = 5_000
"""Up to so many distinct combinations of levels one level is withheld at a time."""

FEW_SUSPECTS = 3
"""Of so many withheld levels that are told one is mended at a time; of more, all at once."""

SMALL_CODES = 4
"""Codes up to so many times their number are counted in an array of all codes, larger ones are sorted."""

FEW_ATOMS = 200_000
"""Up to so many distinct combinations of levels all are looked at, without a first look at some."""

MOST_STEPS = 500
"""Steps that the search for a combination of shown sums may always take; it may take two for every shown level, too."""


@dataclass(frozen=True)
class Partition:
    """One way to divide responses into levels.

    Parameters
    ----------
    codes
        (responses,): level of each response, `NONE` for a response in none.
    levels
        Number of levels.
    always_shown
        Whether its sums are told in any case, as those of all responses are.
    """

    codes: Integers
    levels: int
    always_shown: bool = False

    def sums(self, weights: Floats) -> Floats:
        """Return (levels,): the sum of the weights of each level's responses."""
        inside = self.codes >= 0
        return np.bincount(self.codes[inside], weights[inside], self.levels).astype(np.float64, copy=False)

    def without(self, levels: Mask) -> Partition:
        """Return the partition with the responses of some levels in none."""
        return Partition(
            np.where(np.append(levels, False)[self.codes], NONE, self.codes), self.levels, self.always_shown
        )


def withheld(
    partitions: Sequence[Partition],
    least: int,
    already: Sequence[Mask] | None = None,
    counts: NDArray[np.number] | None = None,
) -> list[Mask]:
    """Return for every partition which levels are not to be shown.

    Withheld are the levels of fewer than `least` responses (1 or more), and then, smallest first, as many
    others as it takes, if any number is enough, that

    * what is left of a shown level, after those shown levels of another partition that lie wholly in it
      are subtracted, is nobody or at least `least` responses;
    * no withheld level's sums are a linear combination of shown sums.

    What follows from sums that are told in any case is not mended: nothing is withheld in vain.

    Parameters
    ----------
    partitions
        All of the same responses.
    least
        Fewest responses of a group that may be shown.
    already
        Levels that are withheld from the start, whatever their size; None for none.
    counts
        How many responses, 1 or more, each place of the partitions' codes stands for; None for one each.

    Examples
    --------
    Twelve of a, eleven of b, three of c, of 26: c is too small, and b would tell it by subtraction.

    >>> codes = np.repeat([0, 1, 2], [12, 11, 3])
    >>> everyone = Partition(np.zeros(26, int), 1, always_shown=True)
    >>> withheld([everyone, Partition(codes, 3)], least=10)[1].tolist()
    [False, True, True]
    """
    if counts is None:
        counts = np.ones(len(partitions[0].codes) if partitions else 0)
    partitions, weights = _atoms(partitions, counts.astype(np.float64))
    sizes = [partition.sums(weights) for partition in partitions]
    small = [
        (size > 0) & (size < least) & (not partition.always_shown)
        for partition, size in zip(partitions, sizes, strict=True)
    ]
    if already is not None:
        small = [mask | given for mask, given in zip(small, already, strict=True)]
    if not len(weights) or least <= 1:
        return small
    beyond_help = _told(partitions)
    searched = [partition.without(mask) for partition, mask in zip(partitions, beyond_help, strict=True)]
    hidden = [mask & ~told for mask, told in zip(small, beyond_help, strict=True)]
    _protect(searched, [partition.sums(weights) for partition in searched], hidden, least)
    return [mask | found for mask, found in zip(small, hidden, strict=True)]


def _told(partitions: Sequence[Partition]) -> list[Mask]:
    """Return the levels that a combination of sums told in any case gives away, see `_suspects`."""
    fixed = [partition for partition in partitions if partition.always_shown]
    drawn = np.random.default_rng(0).standard_normal(len(partitions[0].codes))
    _, left = _combination(fixed, [np.ones(partition.levels, bool) for partition in fixed], drawn)
    return [(np.abs(partition.sums(left)) <= TOLD) & (not partition.always_shown) for partition in partitions]


def _protect(partitions: Sequence[Partition], sizes: Sequence[Floats], hidden: Sequence[Mask], least: int) -> None:
    """Withhold more levels until no withheld one is told."""
    nested = _Nested(partitions, sizes, least)
    while nested.close(hidden) or _break_combinations(partitions, sizes, hidden):
        pass


def distinct(columns: Sequence[tuple[Integers, int]], counts: NDArray[np.number]) -> tuple[Integers, Floats]:
    """Return the distinct combinations of several codes: the first place of each, in their order, and its count.

    Parameters
    ----------
    columns
        (codes of 0 or more, number of codes) of each column; all of as many places as `counts`.
    counts
        How many responses each place stands for.

    Examples
    --------
    >>> first, counts = distinct([(np.array([1, 0, 1]), 2), (np.array([0, 1, 0]), 2)], np.array([1, 2, 3]))
    >>> first.tolist(), counts.tolist()
    ([1, 0], [2.0, 4.0])
    """
    place, size = np.zeros(len(counts), np.intp), 1
    for codes, levels in columns:
        if size * levels > SMALL_CODES * len(counts):
            place = _renumbered(place)
            size = int(place.max(initial=-1)) + 1
        place = place * levels + codes
        size *= levels
    place = _renumbered(place)
    totals = np.bincount(place, counts).astype(np.float64, copy=False)
    first = np.empty(len(totals), np.intp)
    first[place[::-1]] = np.arange(len(place))[::-1]  # of several assignments the last one stays
    return first, totals


def _atoms(partitions: Sequence[Partition], counts: Floats) -> tuple[list[Partition], Floats]:
    """Return the partitions of the distinct combinations of levels, and how many responses each has."""
    first, totals = distinct([(partition.codes + 1, partition.levels + 1) for partition in partitions], counts)
    return [Partition(p.codes[first], p.levels, p.always_shown) for p in partitions], totals


def _renumbered(codes: Integers) -> Integers:
    """Return codes of 0 or more as 0, 1, 2 ... in their order: what a sort gives, and without it where codes are small.

    Examples
    --------
    >>> _renumbered(np.array([7, 2, 9, 2])).tolist(), _renumbered(np.array([7, 2, 10**12, 2])).tolist()
    ([1, 0, 2, 0], [1, 0, 2, 0])
    """
    if codes.max(initial=-1) > SMALL_CODES * len(codes):
        return np.unique(codes, return_inverse=True)[1]
    present = np.bincount(codes) > 0
    numbers: Integers = (np.cumsum(present) - 1)[codes]
    return numbers


class _Nested:
    """Levels that lie wholly in a level of another partition, and what they leave of it."""

    def __init__(self, partitions: Sequence[Partition], sizes: Sequence[Floats], least: int) -> None:
        self._partitions, self._sizes, self._least = partitions, sizes, least
        # the finest first: a protector within a district serves the district and the whole, not the other way round
        by_fineness = sorted(range(len(partitions)), key=lambda index: -partitions[index].levels)
        self._pairs = [
            (outer, inner, parents)
            for outer in by_fineness
            for inner in range(len(partitions))
            if outer != inner
            for parents in [_parents(partitions[outer], partitions[inner])]
            if (parents >= 0).any()
        ]

    def close(self, hidden: Sequence[Mask]) -> bool:
        """Withhold until no small remainder is left; return whether anything was withheld."""
        changed = False
        while any(self._mend(hidden, outer, inner, parents) for outer, inner, parents in self._pairs):
            changed = True
        return changed

    def _mend(self, hidden: Sequence[Mask], outer: int, inner: int, parents: Integers) -> bool:
        """Withhold the smallest level in every level that leaves few responses; return whether there was one."""
        shown = ~hidden[inner] & (self._sizes[inner] > 0) & (parents >= 0)
        shown[shown] = ~hidden[outer][parents[shown]]
        levels = np.flatnonzero(shown)
        covered = np.bincount(parents[levels], self._sizes[inner][levels], self._partitions[outer].levels)
        rest = self._sizes[outer] - covered
        few = (covered > 0) & (rest > 0) & (rest < self._least)
        if not few.any():
            return False
        if not self._partitions[inner].always_shown:
            inside = levels[few[parents[levels]]]
            inside = inside[np.argsort(self._sizes[inner][inside], kind="stable")]
            _, smallest = np.unique(parents[inside], return_index=True)
            hidden[inner][inside[smallest]] = True
            return True
        if self._partitions[outer].always_shown:
            return False
        hidden[outer][few] = True
        return True


def _parents(outer: Partition, inner: Partition) -> Integers:
    """Return for every level of `inner` the level of `outer` that it lies in wholly, or `NONE`."""
    inside = inner.codes >= 0
    codes, above = inner.codes[inside], outer.codes[inside]
    low, high = np.full(inner.levels, np.iinfo(np.intp).max), np.full(inner.levels, NONE)
    np.minimum.at(low, codes, above)
    np.maximum.at(high, codes, above)
    return np.where(low == high, high, NONE)


def _break_combinations(partitions: Sequence[Partition], sizes: Sequence[Floats], hidden: Sequence[Mask]) -> bool:
    """Withhold more levels where shown sums combine to withheld ones; return whether there was one.

    One at a time withholds least: the smallest level in what combines to the first.  Among many combinations of
    levels, and for many withheld levels, that takes too long: there one search finds what combines to all of them
    (their sum with weights drawn at random), and each is hidden behind the smallest level found that has responses in
    common with it.
    """
    shown = [~mask & (size > 0) for mask, size in zip(hidden, sizes, strict=True)]
    suspects = _suspects(partitions, hidden, shown)
    if not suspects:
        return False
    many = len(partitions[0].codes) > ONE_BY_ONE or len(suspects) > FEW_SUSPECTS
    members = _members(partitions, suspects if many else suspects[:1])
    target = np.zeros(len(partitions[0].codes))
    for rows, weight in zip(members, np.random.default_rng(1).uniform(1, 2, len(members)), strict=True):
        target[rows] += weight
    weights, _ = _combination(partitions, shown, target)
    used = [
        mask & (np.abs(values) > TOLD) & (not partition.always_shown)
        for partition, mask, values in zip(partitions, shown, weights, strict=True)
    ]
    return (len(members) > 1 and _hide_beside(partitions, sizes, hidden, members, used)) or _hide_smallest(
        sizes, hidden, used
    )


def _hide_smallest(sizes: Sequence[Floats], hidden: Sequence[Mask], used: Sequence[Mask]) -> bool:
    """Withhold the smallest of the levels used; return whether there was one."""
    places = [(sizes[index][level], index, level) for index, mask in enumerate(used) for level in np.flatnonzero(mask)]
    if places:
        _, index, level = min(places)
        hidden[index][level] = True
    return bool(places)


def _hide_beside(
    partitions: Sequence[Partition],
    sizes: Sequence[Floats],
    hidden: Sequence[Mask],
    members: Sequence[Integers],
    used: Sequence[Mask],
) -> bool:
    """Withhold for each withheld level, smallest first, the smallest level used that has responses in common with it.

    One that has responses in common with a level just chosen waits for the next search, which may find it untold.
    """
    touched = np.zeros(len(partitions[0].codes), bool)
    for rows in sorted(members, key=len):
        beside = [
            (sizes[index][level], index, level)
            for index, partition in enumerate(partitions)
            for level in np.unique(partition.codes[rows])
            if level >= 0 and used[index][level]
        ]
        if beside and not touched[rows].any():
            _, index, level = min(beside)
            hidden[index][level] = True
            touched |= partitions[index].codes == level
    return bool(touched.any())


def _members(partitions: Sequence[Partition], places: Sequence[tuple[int, int]]) -> list[Integers]:
    """Return the responses of each level."""
    order = {index: np.argsort(partitions[index].codes, kind="stable") for index in {index for index, _ in places}}
    ordered = {index: partitions[index].codes[rows] for index, rows in order.items()}
    return [order[index][slice(*np.searchsorted(ordered[index], [level, level + 1]))] for index, level in places]


def _suspects(partitions: Sequence[Partition], hidden: Sequence[Mask], shown: Sequence[Mask]) -> list[tuple[int, int]]:
    """Return the withheld levels that a combination of shown sums tells.

    A function drawn at random, less everything that shown sums can tell of it, still has a sum different
    from 0 in every level that cannot be recovered, and the sum 0 in every one that can.  What no combination tells
    among some of the responses none tells among all, so some may be enough to clear every level.
    """
    among = np.logical_or.reduce([np.append(mask, False)[p.codes] for p, mask in zip(partitions, hidden, strict=True)])
    if not among.any():
        return []
    drawn = np.random.default_rng(0)
    if len(among) <= FEW_ATOMS:
        return _untold(partitions, hidden, shown, drawn)
    rows = np.concatenate([drawn.permutation(np.flatnonzero(part))[:MOST_ATOMS] for part in (among, ~among)])
    some = [Partition(p.codes[rows], p.levels, p.always_shown) for p in partitions]
    return _untold(partitions, hidden, shown, drawn) if _untold(some, hidden, shown, drawn) else []


def _untold(
    partitions: Sequence[Partition], hidden: Sequence[Mask], shown: Sequence[Mask], drawn: np.random.Generator
) -> list[tuple[int, int]]:
    """Return the withheld levels in which nothing is left of a function drawn at random."""
    _, left = _combination(partitions, shown, drawn.standard_normal(len(partitions[0].codes)))
    return [
        (index, int(level))
        for index, mask in enumerate(hidden)
        for level in np.flatnonzero(mask & (np.abs(partitions[index].sums(left)) <= TOLD))
    ]


def _combination(partitions: Sequence[Partition], shown: Sequence[Mask], target: Floats) -> tuple[list[Floats], Floats]:
    """Return the weights of shown levels that come nearest to `target`, and what they leave of it.

    Least squares by conjugate gradients (Hestenes and Stiefel, 1952), from sums by level alone.
    """
    level, response, starts = _entries(partitions, shown)
    size, n = starts[-1], len(target)
    counts = np.bincount(level, minlength=size)
    scale = np.where(counts > 0, 1 / np.sqrt(np.maximum(counts, 1)), 0.0)
    weights, rest = np.zeros(size), target.copy()
    gradient = _totals(level, rest[response], size) * scale
    step = gradient
    square = start = _square(gradient)
    # exact arithmetic needs no more steps than levels: a search cut short would clear a level that is told
    for _ in range(max(MOST_STEPS, 2 * int(size))):
        if square <= 1e-22 * start:
            break
        moved = _totals(response, (step * scale)[level], n)
        length = square / _square(moved)
        weights += length * step
        rest -= length * moved
        gradient = _totals(level, rest[response], size) * scale
        before, square = square, _square(gradient)
        step = gradient + square / before * step
    weights *= scale
    return [weights[a:b] for a, b in itertools.pairwise(starts)], rest


def _entries(partitions: Sequence[Partition], shown: Sequence[Mask]) -> tuple[Integers, Integers, Integers]:
    """Return level (numbered over all partitions) and response of every place in a shown level, and first levels."""
    starts = np.cumsum([0, *(partition.levels for partition in partitions)])
    rows = [
        np.flatnonzero(np.append(mask, False)[partition.codes])
        for partition, mask in zip(partitions, shown, strict=True)
    ]
    levels = [
        partition.codes[inside] + first for partition, inside, first in zip(partitions, rows, starts[:-1], strict=True)
    ]
    return np.concatenate(levels), np.concatenate(rows), starts


def _totals(place: Integers, values: Floats, size: int) -> Floats:
    """Return for each of `size` places the sum of the values that fall on it; without any it is 0."""
    return np.bincount(place, values, size).astype(np.float64, copy=False)


def _square(values: Floats) -> float:
    """Return the sum of squares; without BLAS, whose threads cost more than a product this small saves."""
    return float((values * values).sum())
