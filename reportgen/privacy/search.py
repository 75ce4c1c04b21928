"""What shown sums tell, found by least squares step by step: for any number of levels."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np

from reportgen.privacy.partitions import Floats, Mask, Partition, Place

TOLD = 1e-6
"""A weight, or a sum of a random function, up to this is nothing but rounding."""

MOST_ATOMS = 20_000
"""Distinct combinations of levels, of withheld levels and of others, among which levels are cleared at first."""

FEW_ATOMS = 200_000
"""Up to so many distinct combinations of levels all are looked at, without a first look at some."""

MOST_STEPS = 500
"""Steps that the search for a combination of shown sums may always take; it may take two for every shown level, too."""


class Search:
    """What shown sums tell, each time searched for anew.

    Parameters
    ----------
    partitions
        Of the distinct combinations of levels.
    """

    def __init__(self, partitions: Sequence[Partition]) -> None:
        self._partitions = partitions
        self._present = [np.bincount(p.codes[p.codes >= 0], minlength=p.levels) > 0 for p in partitions]

    def told(self, hidden: Sequence[Mask]) -> list[Place]:
        """Return the withheld levels that a combination of shown sums tells.

        A function drawn at random, less everything that shown sums can tell of it, still has a sum different
        from 0 in every level that cannot be recovered, and the sum 0 in every one that can.  What no combination
        tells among some of the responses none tells among all, so some may be enough to clear every level.
        """
        every, shown = self._partitions, self._shown(hidden)
        among = np.logical_or.reduce([np.append(mask, False)[p.codes] for p, mask in zip(every, hidden, strict=True)])
        if not among.any():
            return []
        drawn = np.random.default_rng(0)
        if len(among) <= FEW_ATOMS:
            return _untold(every, hidden, shown, drawn)
        rows = np.concatenate([drawn.permutation(np.flatnonzero(part))[:MOST_ATOMS] for part in (among, ~among)])
        some = [partition.at(rows) for partition in every]
        return _untold(every, hidden, shown, drawn) if _untold(some, hidden, shown, drawn) else []

    def weights(self, hidden: Sequence[Mask], wanted: Mapping[Place, float]) -> list[Floats]:
        """Return the weights of shown levels that give the wanted sum of told levels, smallest in scaled squares."""
        amounts = [np.zeros(partition.levels + 1) for partition in self._partitions]
        for (index, level), amount in wanted.items():
            amounts[index][level] = amount
        target = np.sum([each[p.codes] for each, p in zip(amounts, self._partitions, strict=True)], axis=0)
        return combination(self._partitions, self._shown(hidden), target)[0]

    def _shown(self, hidden: Sequence[Mask]) -> list[Mask]:
        """Return the levels that are not withheld and have responses."""
        return [~mask & present for mask, present in zip(hidden, self._present, strict=True)]


def _untold(
    partitions: Sequence[Partition], hidden: Sequence[Mask], shown: Sequence[Mask], drawn: np.random.Generator
) -> list[Place]:
    """Return the withheld levels in which nothing is left of a function drawn at random."""
    _, left = combination(partitions, shown, drawn.standard_normal(len(partitions[0].codes)))
    return [
        (index, int(level))
        for index, mask in enumerate(hidden)
        for level in np.flatnonzero(mask & (np.abs(partitions[index].sums(left)) <= TOLD))
    ]


def combination(partitions: Sequence[Partition], shown: Sequence[Mask], target: Floats) -> tuple[list[Floats], Floats]:
    """Return the weights of shown levels that come nearest to `target`, and what they leave of it.

    Least squares by conjugate gradients (Hestenes and Stiefel, 1952), from sums by level alone.
    """
    starts = np.cumsum([0, *(partition.levels for partition in partitions)])
    ends = list(itertools.pairwise(starts.tolist()))

    def by_level(values: Floats) -> Floats:
        return np.concatenate([partition.sums(values) for partition in partitions])

    def by_response(values: Floats) -> Floats:
        total = np.zeros(len(target))
        for partition, (first, last) in zip(partitions, ends, strict=True):
            total += np.append(values[first:last], 0.0)[partition.codes]  # the last for those in no level
        return total

    counts = np.where(np.concatenate(shown), by_level(np.ones(len(target))), 0.0)
    scale = np.where(counts > 0, 1 / np.sqrt(np.maximum(counts, 1)), 0.0)
    weights, rest = np.zeros(len(scale)), target.copy()
    gradient = by_level(rest) * scale
    step = gradient
    square = start = _square(gradient)
    # exact arithmetic needs no more steps than levels: a search cut short would clear a level that is told
    for _ in range(max(MOST_STEPS, 2 * len(scale))):
        if square <= 1e-22 * start:
            break
        moved = by_response(step * scale)
        length = square / _square(moved)
        weights += length * step
        rest -= length * moved
        gradient = by_level(rest) * scale
        before, square = square, _square(gradient)
        step = gradient + square / before * step
    weights *= scale
    return [weights[first:last] for first, last in ends], rest


def _square(values: Floats) -> float:
    """Return the sum of squares; without BLAS, whose threads cost more than a product this small saves."""
    return float((values * values).sum())
