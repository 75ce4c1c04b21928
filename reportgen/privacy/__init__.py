"""Which groups are not shown, so that nothing about few responses can be worked out from what is shown.

A report shows sums of the same responses: of all of them, of every level of every grouping, of those scored twice.
A level of few responses is withheld; but a sum over few can also follow from sums over many.  `withheld` decides for
all groupings at once, from who is in which level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from reportgen.privacy.differences import ROUNDING, Difference, Differences, TooManyError
from reportgen.privacy.partitions import NONE, Floats, Integers, Mask, Partition, Short, atoms, distinct, short

__all__ = ["NONE", "Floats", "Integers", "Mask", "Partition", "Short", "distinct", "short", "withheld"]

MOST_TRIED = 40
"""Levels, the largest first, that are shown after all if the others that are withheld are enough."""


def withheld(
    partitions: Sequence[Partition],
    least: int,
    already: Sequence[Mask] | None = None,
    counts: NDArray[np.number] | None = None,
) -> list[Mask]:
    """Return for every partition which levels are not to be shown.

    Withheld are the levels of fewer than `least` responses (1 or more), and then, smallest first, others until what
    remains of adding and subtracting shown levels, and all responses, is nobody or at least `least` responses.  What
    follows from sums that are shown in any case is not undone: nothing is withheld in vain.

    partitions: All of the same responses.
    least: Fewest responses of a group that may be shown.
    already: Levels that are withheld from the start, whatever their size; None for none.
    counts: How many responses, 1 or more, each place of the partitions' codes stands for; None for one each.

    Examples
    --------
    Twelve of a, eleven of b, three of c, of 26: c is too small, and b would reveal it by subtraction.

    >>> codes = np.repeat([0, 1, 2], [12, 11, 3])
    >>> withheld([Partition(codes, 3)], least=10)[0].tolist()
    [False, True, True]
    """
    if counts is None:
        counts = np.ones(len(partitions[0].codes) if partitions else 0)
    partitions, weights = atoms(partitions, counts.astype(np.float64))
    sizes = [partition.sums(weights) for partition in partitions]
    hidden = [
        (size > 0) & (size < least) & (not partition.always_shown)
        for partition, size in zip(partitions, sizes, strict=True)
    ]
    if already is not None:
        hidden = [mask | given for mask, given in zip(hidden, already, strict=True)]
    if len(weights) and least > 1 and not all(partition.always_shown for partition in partitions):
        known = _known([partition for partition in partitions if partition.always_shown], weights, least)
        first = [mask.copy() for mask in hidden]
        while _withhold_more(partitions, sizes, weights, hidden, least, known):
            pass
        added = [
            (-size[level], index, level)
            for index, (size, mask, own) in enumerate(zip(sizes, hidden, first, strict=True))
            for level in np.flatnonzero(mask & ~own).tolist()
        ]
        for _, index, level in sorted(added)[:MOST_TRIED]:
            trial = [mask.copy() for mask in hidden]
            trial[index][level] = False
            if not _withhold_more(partitions, sizes, weights, trial, least, known):
                hidden[index][level] = False
    return hidden


def _withhold_more(
    partitions: Sequence[Partition], sizes: Sequence[Floats], weights: Floats, hidden: Sequence[Mask], least: int,
    known: Callable[[Floats], bool],
) -> bool:  # fmt: skip
    """Withhold levels until no difference just found is about few; return whether any was found."""
    shown = [partition.without(mask) for partition, mask in zip(partitions, hidden, strict=True)]
    found = Differences(shown, weights, least)
    open_ = [not partition.always_shown for partition in partitions]

    def broken(differences: Iterable[Difference]) -> bool:
        new = [np.zeros_like(mask) for mask in hidden]
        for each in differences:
            own = {index: values for index, values in each.items() if open_[index]}
            if own and not _is_broken(shown, new, own) and not known(found.values(each)):
                _break(shown, sizes, hidden, new, own)
        for mask, more in zip(hidden, new, strict=True):
            mask |= more
        return any(more.any() for more in new)

    if broken(found.of_two(open_)) or broken(found.of_levels()):
        return True
    try:
        return broken(list(found.of_many()))
    except TooManyError:
        apart = [found.apart(index) & may for index, may in enumerate(open_)]
        more = [mask & ~before & (size > 0) for mask, before, size in zip(apart, hidden, sizes, strict=True)]
        largest = max(range(len(more)), key=lambda index: more[index].sum())
        hidden[largest][more[largest]] = True
        return bool(more[largest].any())


def _remainder(shown: Partition, new: Mask) -> Mask:
    return np.concatenate([[bool((shown.codes == NONE).any())], new])


def _is_broken(shown: Sequence[Partition], new: Sequence[Mask], difference: Difference) -> bool:
    """Return whether levels of different weights are together in a remainder."""
    together = (values[_remainder(shown[index], new[index])] for index, values in difference.items())
    return any(len(values) and np.ptp(values) > ROUNDING for values in together)


def _break(
    shown: Sequence[Partition], sizes: Sequence[Floats], hidden: Sequence[Mask], new: Sequence[Mask], found: Difference
) -> None:
    """Withhold the smallest levels that break a difference: one that differs from the remainder, or a first two."""
    best: tuple[float, int, list[int]] | None = None
    for index, values in found.items():
        levels = np.flatnonzero(~hidden[index] & ~new[index] & (sizes[index] > 0))
        levels = levels[np.argsort(sizes[index][levels], kind="stable")]
        together = values[_remainder(shown[index], new[index])]
        chosen = [] if len(together) else levels[:1].tolist()
        value = together[0] if len(together) else values[1:][chosen]
        apart = levels[np.abs(values[1:][levels] - value) > ROUNDING]
        if len(apart):
            chosen += apart[:1].tolist()
            cost = float(sizes[index][chosen].sum())
            if best is None or cost <= best[0]:
                best = cost, index, chosen
    if best is not None:
        new[best[1]][best[2]] = True


def _known(fixed: Sequence[Partition], weights: Floats, least: int) -> Callable[[Floats], bool]:
    """Return the question whether a sum over few follows from sums that are shown in any case."""
    if not fixed:
        return lambda _: False
    found = Differences(fixed, weights, least)
    vectors = [*found.of_levels(), *found.of_two([True] * len(fixed))]
    with suppress(TooManyError):  # what is shown in any case is then protected in vain
        vectors += found.of_many()
    rows = np.array([found.values(each) for each in vectors])

    def follows(values: Floats) -> bool:
        if not len(rows):
            return False
        near = rows[(np.abs(rows[:, np.abs(values) > ROUNDING]) > ROUNDING).any(axis=1)]
        places = (np.abs(near) > ROUNDING).any(axis=0) | (np.abs(values) > ROUNDING)
        left = near[:, places].T
        return bool(np.abs(left @ np.linalg.lstsq(left, values[places], rcond=None)[0] - values[places]).max() < 1e-6)

    return follows
