"""Groups whose members all have one score: a mean with an SD of 0 is everybody's score, however many they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.combinations import HUMAN, MULTIPLE, Combinations
from reportgen.evaluation.suppression import SYSTEM, Place, Suppression, suppression
from reportgen.privacy import NONE, Mask
from reportgen.tally import OVERALL, Tally
from reportgen.tally.cells import Floats, Integers, totals

Entries = tuple[Integers, Integers, Floats, int]
"""Level, cell, and weight of each entry of a grouping; number of levels."""

EQUAL = 1e-9
"""A variance up to this, in squared steps of scores of ordinary size, is nothing but rounding."""


@dataclass(frozen=True)
class ScoreSums:
    """How many responses have a score, the sum of the scores, and of their squares: (3, levels), and of all (3,)."""

    whole: Floats
    levels: Mapping[str, Floats]

    @classmethod
    def of(cls, scores: Floats, weights: Floats, groups: Mapping[str, Entries]) -> ScoreSums:
        """Return the sums of some scores, NaN where there is none.

        Parameters
        ----------
        scores, weights
            (cells,): scores, and how many responses each counts for in all.
        groups
            Grouping -> (entries,) level, cell and weight of each entry; number of levels.
        """
        there = np.isfinite(scores)
        own = np.where(there, scores, 0.0)
        centre = float(np.floor(own[there].mean())) if there.any() else 0.0
        powers = np.stack([there, (own - centre) * there, (own - centre) ** 2 * there]).astype(np.float64)
        return cls(
            powers @ weights,
            {
                name: np.stack([totals(level, power[cell] * weight, size) for power in powers])
                for name, (level, cell, weight, size) in groups.items()
            },
        )


def has_one_score(sums: Floats) -> NDArray[np.bool_]:
    """Return whether all scores of some sums (3, ...) are equal, and there are any."""
    n, total, square = sums
    return np.asarray((n > 0.5) & (square * n - total * total <= EQUAL * n * np.maximum(n, 1)))


def withheld_groups(found: Combinations, least: int, tally: Tally) -> Suppression:
    """Return what is withheld: small groups, what would reveal them by subtraction, and scores that are all equal.

    Of a shown group whose members all have one human score, or one rounded engine score, only the size is shown.
    What shown groups leave of all responses, or of a group that they are part of, does not have one score either,
    where it holds withheld responses.  Where all responses have one score there is nothing to hide.

    Parameters
    ----------
    found
        Who is in which group.
    least
        As for `reportgen.evaluation.suppression.suppression`.
    tally
        Counts of all responses.
    """
    overall = tally.slices[OVERALL]
    weights = totals(overall.cell, overall.sums[0], len(tally.cells.system))
    groups = {
        name: (
            np.searchsorted(found.labels[name], part.labels)[part.level],
            part.cell,
            part.sums[0],
            len(found.labels[name]),
        )
        for name, part in tally.slices.items()
        if name != OVERALL
    }

    def sums_of(scores: Floats) -> ScoreSums:
        return ScoreSums.of(scores, weights, groups)

    ratings = tally.cells.ratings
    several = np.isfinite(ratings).sum(axis=1) > 1
    both = several if ratings.shape[1] < 2 else np.isfinite(ratings[:, :2]).all(axis=1)
    of_pairs = {
        kind: [sums_of(np.where(rows, column, np.nan)) for column in ratings.T[:most]]
        for kind, rows, most in ((HUMAN, both, 2), (MULTIPLE, several, ratings.shape[1]))
        if kind in found.kinds
    }
    return with_equal_scores(found, least, [sums_of(ratings[:, 0]), sums_of(tally.cells.system)], of_pairs)


def with_equal_scores(
    found: Combinations, least: int, scores: Sequence[ScoreSums], of_kinds: Mapping[str, Sequence[ScoreSums]]
) -> Suppression:
    """Return what is withheld, from the sums of scores of all responses, and of those that further numbers rest on."""
    by_size = suppression(found, least)
    also: dict[Place, frozenset[str]] = {(SYSTEM, name): levels for name, levels in by_size.levels.items()}
    for kind, columns in of_kinds.items():
        for name, labels in found.labels.items():
            alone = np.any([has_one_score(s.levels[name]) for s in columns if not has_one_score(s.whole)], axis=0)
            also[kind, name] = frozenset(np.array(labels, object)[np.broadcast_to(alone, len(labels))].tolist())
    decided = suppression(found, least, also) if any(also[place] for place in also if place[0] != SYSTEM) else by_size
    while more := _of_one_score(found, decided, scores):
        for name, levels in more.items():
            also[SYSTEM, name] = also[SYSTEM, name] | levels
        decided = suppression(found, least, also)
    counted = {name: _sizes(found, name, levels - by_size.levels[name]) for name, levels in decided.levels.items()}
    return replace(decided, counted={name: sizes for name, sizes in counted.items() if sizes})


def _sizes(found: Combinations, grouping: str, levels: frozenset[str]) -> dict[str, int]:
    """Return how many responses some levels have."""
    n = np.bincount(found.codes[grouping] + 1, found.counts, len(found.labels[grouping]) + 1)[1:]
    return {
        label: round(size) for label, size in zip(found.labels[grouping], n.tolist(), strict=True) if label in levels
    }


def _of_one_score(found: Combinations, decided: Suppression, scores: Sequence[ScoreSums]) -> dict[str, frozenset[str]]:
    """Return the levels to withhold as well: those of one score, and those that would reveal one by subtraction."""
    more: dict[str, frozenset[str]] = {}
    for inner, labels in found.labels.items():
        before = np.array([label in decided.levels.get(inner, ()) for label in labels], bool)
        hidden, mixed = before.copy(), [column for column in scores if not has_one_score(column.whole)]
        for column in mixed:
            hidden |= has_one_score(column.levels[inner])
        for column in mixed if hidden.any() else ():
            for whole, inside in _wholes(found, decided, inner, column):
                protect(column.levels[inner], whole, inside, hidden)
        if (hidden & ~before).any():
            more[inner] = frozenset(np.array(labels, object)[hidden & ~before].tolist())
    return more


def _wholes(found: Combinations, decided: Suppression, inner: str, column: ScoreSums) -> Iterator[tuple[Floats, Mask]]:
    """Yield the sums of all responses, and of every shown level of other groupings; and the levels that are part."""
    yield column.whole, np.ones(len(found.labels[inner]), bool)
    for outer, labels in found.labels.items():
        if outer == inner:
            continue
        parent = _parents(found.codes[outer], found.codes[inner], len(found.labels[inner]))
        for level in np.unique(parent[parent != NONE]).tolist():
            if labels[level] not in decided.levels.get(outer, ()):
                yield column.levels[outer][:, level], parent == level


def protect(levels: Floats, whole: Floats, inside: Mask, hidden: Mask) -> None:
    """Withhold the smallest shown level of another score where what shown levels leave of a whole has one score."""
    shown = inside & ~hidden
    left = whole - levels[:, shown].sum(axis=1)
    if not (inside & hidden).any() or not has_one_score(left):
        return
    n, total, _ = levels
    with np.errstate(all="ignore"):
        other = shown & (n > 0) & (~has_one_score(levels) | (np.abs(total / n - left[1] / left[0]) > EQUAL))
    if other.any():
        hidden[np.flatnonzero(other)[np.argmin(n[other])]] = True


def _parents(outer: NDArray[np.integer], inner: NDArray[np.integer], levels: int) -> Integers:
    """Return for every level of the inner codes the level of the outer ones that it lies in wholly, or `NONE`."""
    low, high = np.full(levels + 1, np.iinfo(np.intp).max), np.full(levels + 1, NONE)
    np.minimum.at(low, inner, outer)
    np.maximum.at(high, inner, outer)
    return np.where(low == high, high, NONE)[:-1]
