"""Do withheld groups all have one score?  Then what is left of a sum tells it, however many responses are left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from reportgen.evaluation.combinations import Combinations
from reportgen.evaluation.suppression import Suppression, suppression
from reportgen.privacy import NONE, Partition
from reportgen.privacy.nesting import parents_in
from reportgen.tally import OVERALL, Slices, Tally
from reportgen.tally.cells import Floats, Integers, totals

NOTHING = 1e-6
"""Responses up to which nothing is left: sums of weights differ by rounding."""


def told_by_equal_scores(
    found: Combinations, hidden: Mapping[str, frozenset[str]], tally: Tally
) -> dict[str, frozenset[str]]:
    """Return the levels to withhold as well, so that no withheld group is known to have one score alone.

    What shown levels leave of all responses, or of a level that they lie wholly in, must not have one human score, or
    one rounded engine score, where that holds withheld responses: 15 of 15 passes tell what each of them got.  The
    smallest shown level with another score hides them.  Where all responses have one score there is nothing to hide.

    Parameters
    ----------
    found
        Who is in which group.
    hidden
        Grouping -> levels that are withheld already.
    tally
        Counts of all responses.
    """
    more: dict[str, frozenset[str]] = {}
    for inner, levels in hidden.items():
        if not levels or inner not in tally.slices:
            continue
        for outer, parents in _parents(found, inner):
            given = set(_protectors(tally, outer, inner, parents, hidden))
            more[inner] = more.get(inner, frozenset()) | given
    return {grouping: levels for grouping, levels in more.items() if levels}


def withheld_groups(found: Combinations, least: int, tally: Tally) -> Suppression:
    """Return what is withheld: small groups, what would tell them by subtraction, or by scores that are all equal.

    Parameters
    ----------
    found, tally
        As for `told_by_equal_scores`.
    least
        As for `reportgen.evaluation.suppression.suppression`.
    """
    also: dict[str, frozenset[str]] = {}
    decided = suppression(found, least)
    while more := told_by_equal_scores(found, decided.levels, tally):
        also = {name: also.get(name, frozenset()) | more.get(name, frozenset()) for name in found.codes}
        decided = suppression(found, least, also)
    return decided


def _parents(found: Combinations, inner: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield every grouping, all responses together first, and which of its levels each inner level lies wholly in."""
    yield OVERALL, {}
    own = Partition(found.codes[inner], len(found.labels[inner]))
    for outer in found.codes:
        if outer != inner:
            of_outer = Partition(found.codes[outer], len(found.labels[outer]))
            parents = parents_in(of_outer, own, own.places())
            names = found.labels[outer]
            known = {
                found.labels[inner][level]: names[parent]
                for level, parent in enumerate(parents.tolist())
                if parent != NONE
            }
            if known:
                yield outer, known


def _protectors(
    tally: Tally, outer: str, inner: str, parents: Mapping[str, str], hidden: Mapping[str, frozenset[str]]
) -> Iterator[str]:
    """Yield the levels of `inner` that hide what shown ones leave of the levels of `outer`."""
    above, below = tally.slices[outer], tally.slices[inner]
    place = {label: index for index, label in enumerate(above.labels)}
    parent = np.array([0 if outer == OVERALL else place.get(parents.get(name, ""), NONE) for name in below.labels])
    withheld = np.array([name in hidden.get(inner, ()) for name in below.labels], bool)
    told = np.array([label in hidden.get(outer, ()) for label in above.labels], bool)
    values = np.column_stack([tally.cells.ratings, tally.cells.system])
    of_outer = _Parts(above, np.arange(len(above.labels)))
    of_shown = _Parts(below, np.where(withheld, NONE, parent))
    for level in np.unique(parent[withheld & (parent != NONE)]).tolist():
        if told[level]:
            continue
        whole, shown = of_outer.entries(level), of_shown.entries(level)
        cells, at = np.unique(np.concatenate([above.cell[whole], below.cell[shown]]), return_inverse=True)
        left = totals(at, np.concatenate([above.sums[0][whole], -below.sums[0][shown]]), len(cells))
        for scores in values.T:
            only = _only_value(scores[cells[left > NOTHING]])
            if only is not None:
                yield from _smallest_other(below, shown, scores, only)


class _Parts:
    """The entries of slices by what their levels belong to.

    Parameters
    ----------
    slices
        Levels and cells.
    belongs
        (levels,): number of what each level belongs to, `NONE` for nothing.
    """

    def __init__(self, slices: Slices, belongs: Integers) -> None:
        own = belongs[slices.level]
        self._order = np.argsort(own, kind="stable")
        self._sorted = own[self._order]

    def entries(self, number: int) -> Integers:
        """Return the places of the entries that belong to a number."""
        first, last = np.searchsorted(self._sorted, [number, number + 1]).tolist()
        return self._order[first:last]


def _only_value(scores: Floats) -> float | None:
    """Return the one score that is among these; None where there are several, or none."""
    there: Floats = scores[np.isfinite(scores)]
    return float(there[0]) if len(there) and there.min() == there.max() else None


def _smallest_other(slices: Slices, shown: Integers, scores: Floats, only: float) -> Iterator[str]:
    """Yield the name of the smallest level among some entries that has another score; nothing where none has."""
    own: Floats = scores[slices.cell[shown]]
    levels: Integers = np.unique(slices.level[shown[np.isfinite(own) & (own != only)]])
    if len(levels):
        sizes = totals(slices.level, slices.sums[0], len(slices.labels))
        yield slices.labels[int(levels[np.argmin(sizes[levels])])]
