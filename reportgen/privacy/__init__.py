"""Which groups are too small to be shown, and which more must be withheld so that nobody can subtract.

A report tells many sums of the same responses: of all of them, of every level of every grouping, of
those scored twice.  A level of few responses is withheld; but a sum that is not shown can still follow
from sums that are.  `withheld` decides for all groupings at once, knowing only who is in which level.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reportgen.privacy.dependencies import Dependencies
from reportgen.privacy.nesting import Nested
from reportgen.privacy.partitions import NONE, Floats, Integers, Mask, Partition, Place, Short, atoms, distinct, short
from reportgen.privacy.search import FEW_ATOMS, MOST_ATOMS, TOLD, Search, combination

__all__ = ["NONE", "Mask", "Partition", "Short", "distinct", "short", "withheld"]

FEW_LEVELS = 1_000
"""Up to so many levels the linear dependencies among all of them are found; among more they are searched for."""

ONE_BY_ONE = 5_000
"""Up to so many distinct combinations of levels one level is withheld at a time."""

FEW_SUSPECTS = 3
"""Of so many withheld levels that are told one is mended at a time; of more, all at once."""


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
    partitions, weights = atoms(partitions, counts.astype(np.float64))
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
    """Return the levels that a combination of sums told in any case gives away, see `Search.told`, and those of none.

    Of many combinations of levels some are looked at first, with one of every level at least: what is told among all
    is told among some of them.
    """
    places, n = [partition.places() for partition in partitions], len(partitions[0].codes)
    if n > FEW_ATOMS:
        some = np.unique(np.concatenate([np.random.default_rng(0).integers(0, n, MOST_ATOMS), *places]).clip(0))
        found = _told_among([partition.at(some) for partition in partitions])
        if not any((mask & (place >= 0)).any() for mask, place in zip(found, places, strict=True)):
            return [(place < 0) & (not p.always_shown) for place, p in zip(places, partitions, strict=True)]
    return _told_among(partitions)


def _told_among(partitions: Sequence[Partition]) -> list[Mask]:
    """Return the levels that a combination of sums told in any case gives away, and those of none."""
    fixed = [partition for partition in partitions if partition.always_shown]
    drawn = np.random.default_rng(0).standard_normal(len(partitions[0].codes))
    _, left = combination(fixed, [np.ones(partition.levels, bool) for partition in fixed], drawn)
    return [(np.abs(partition.sums(left)) <= TOLD) & (not partition.always_shown) for partition in partitions]


def _protect(partitions: Sequence[Partition], sizes: Sequence[Floats], hidden: Sequence[Mask], least: int) -> None:
    """Withhold more levels until no withheld one is told."""
    nested = Nested(partitions, sizes, least)
    few = sum(partition.levels for partition in partitions) <= FEW_LEVELS and len(partitions[0].codes) <= FEW_ATOMS
    sums: Dependencies | Search | None = None
    while nested.close(hidden) or any(mask.any() for mask in hidden):
        sums = sums or (Dependencies(partitions) if few else Search(partitions))
        if not _break_combinations(sums, partitions, sizes, hidden):
            return


def _break_combinations(
    sums: Dependencies | Search, partitions: Sequence[Partition], sizes: Sequence[Floats], hidden: Sequence[Mask]
) -> bool:
    """Withhold more levels where shown sums combine to withheld ones; return whether there was one.

    One at a time withholds least: the smallest level in what combines to the first.  Among many combinations of
    levels, and for many withheld levels, that takes too long: there one search finds what combines to all of them
    (their sum with weights drawn at random), and each is hidden behind the smallest level found that has responses in
    common with it.
    """
    suspects = sums.told(hidden)
    if not suspects:
        return False
    if len(partitions[0].codes) <= ONE_BY_ONE and len(suspects) <= FEW_SUSPECTS:
        suspects = suspects[:1]
    amounts = np.random.default_rng(1).uniform(1, 2, len(suspects)).tolist()
    weights = sums.weights(hidden, dict(zip(suspects, amounts, strict=True)))
    used = [
        (np.abs(values) > TOLD) & (not partition.always_shown)
        for partition, values in zip(partitions, weights, strict=True)
    ]
    together = len(suspects) > 1 and _hide_beside(partitions, sizes, hidden, _members(partitions, suspects), used)
    return together or _hide_smallest(sizes, hidden, used)


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


def _members(partitions: Sequence[Partition], places: Sequence[Place]) -> list[Integers]:
    """Return the responses of each level."""
    order = {index: np.argsort(partitions[index].codes, kind="stable") for index in {index for index, _ in places}}
    ordered = {index: partitions[index].codes[rows] for index, rows in order.items()}
    return [order[index][slice(*np.searchsorted(ordered[index], [level, level + 1]))] for index, level in places]
