"""Which groups within items are not shown: decided item by item, and at once for all items that hide nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.combinations import HUMAN, Combinations
from reportgen.evaluation.many_items.counted import Hidden
from reportgen.evaluation.suppression import Suppression, suppression
from reportgen.tally import Tally
from reportgen.tally.cells import Floats, Integers, totals
from reportgen.tally.many import BY_ITEM, Inside

Mask = NDArray[np.bool_]


def hidden_levels(tally: Tally, groups: tuple[str, ...], found: Combinations, least: int) -> dict[str, Hidden]:
    """Return which levels of every grouping are not shown, as `reportgen.evaluation.suppression` decides for each item.

    Parameters
    ----------
    found
        Who is in which item and group.
    least
        Fewest responses of a group that may be shown.
    """
    inside = {grouping: Inside.of(tally, grouping) for grouping in groups}
    hidden = {
        grouping: Hidden(np.zeros(len(where.labels), bool), np.zeros(len(where.labels), bool))
        for grouping, where in inside.items()
    }
    doubtful = np.flatnonzero(_doubtful(found, least))
    items = tally.slices[BY_ITEM].labels
    place = {label: index for index, label in enumerate(items)}
    for item, decided in _decided(found, doubtful, least):
        at = place.get(found.labels[BY_ITEM][item])
        if at is None:
            continue
        for grouping, where in inside.items():
            start, stop = np.searchsorted(where.item, [at, at + 1]).tolist()
            for level in range(start, stop):
                hidden[grouping].levels[level] = decided.hides(grouping, where.labels[level])
                hidden[grouping].twice[level] = decided.hides(grouping, where.labels[level], HUMAN)
    return hidden


def withheld_rows(tally: Tally, hidden: Mapping[str, Hidden]) -> Iterator[tuple[int, str, str, str]]:
    """Yield (item, grouping, level, what is withheld): names alone, as every log of what is withheld has them."""
    for grouping, mask in hidden.items():
        where = Inside.of(tally, grouping)
        for level in np.flatnonzero(mask.levels | mask.twice).tolist():
            what = "everything" if mask.levels[level] else "numbers that rest on responses scored more than once"
            yield int(where.item[level]), grouping, where.labels[level], what


def _decided(found: Combinations, items: Integers, least: int) -> Iterator[tuple[int, Suppression]]:
    """Yield items and what is withheld in them: decided once for items with the same numbers in the same groups."""
    known: dict[bytes, Suppression] = {}
    order = np.argsort(found.codes[BY_ITEM], kind="stable")
    ordered = found.codes[BY_ITEM][order]
    for item in items.tolist():
        rows = order[slice(*np.searchsorted(ordered, [item, item + 1]))]
        own = Combinations(
            found.counts[rows],
            {name: codes[rows] for name, codes in found.codes.items() if name != BY_ITEM},
            {name: labels for name, labels in found.labels.items() if name != BY_ITEM},
            {kind: mask[rows] for kind, mask in found.kinds.items()},
        )
        key = b"".join(part.tobytes() for part in (own.counts, *own.codes.values(), *own.kinds.values()))
        if key not in known:
            known[key] = suppression(own, least)
        yield item, known[key]


def _doubtful(found: Combinations, least: int) -> Mask:
    """Return in which items something may have to be withheld: in all others nothing is small, nor is a remainder.

    Nothing is withheld where no level, and no part of a level that levels of another kind leave, has fewer than
    `least` responses; then no sum of shown levels can tell of a small group that is withheld, for none is.
    """
    item, items = found.codes[BY_ITEM].astype(np.intp), len(found.labels[BY_ITEM])
    weights = found.counts.astype(np.float64)
    everyone = np.ones(len(weights), bool)
    populations: list[Mask] = [everyone]
    for mask in found.kinds.values():
        if not any(np.array_equal(mask, other) for other in populations):
            populations.append(mask)
    divided = {name: (codes, len(found.labels[name])) for name, codes in found.codes.items() if name != BY_ITEM}
    columns = [(np.zeros(len(item), np.intp), 1), *divided.values()]
    partitions = [(rows, codes + levels * item, levels) for rows in populations for codes, levels in columns]
    sizes = [totals(place[rows], weights[rows], items * levels) for rows, place, levels in partitions]
    doubtful: Mask = np.zeros(items, np.bool_)
    for (_, _, levels), size in zip(partitions, sizes, strict=True):
        doubtful |= _any_small(size, levels, least)
    for outer, outer_size in zip(partitions, sizes, strict=True):
        for inner, inner_size in zip(partitions, sizes, strict=True):
            if inner is not outer:
                rest = outer_size - _covered(outer, inner, inner_size, len(outer_size))
                doubtful |= _any_small(rest, outer[2], least)
    return doubtful


def _any_small(size: Floats, levels: int, least: int) -> Mask:
    """Return in which items some level has few responses."""
    small = ((size > 0) & (size < least)).reshape(-1, levels)
    return np.asarray(small.any(axis=1))


def _covered(outer: tuple[Mask, Integers, int], inner: tuple[Mask, Integers, int], size: Floats, levels: int) -> Floats:
    """Return how many responses of each level of `outer` are in levels of `inner` that lie wholly in it."""
    rows, place = inner[0], inner[1][inner[0]]
    above = np.where(outer[0], outer[1], -1)[rows]
    low, high = np.full(len(size), levels), np.full(len(size), -1)
    np.minimum.at(low, place, above)
    np.maximum.at(high, place, above)
    wholly = np.flatnonzero((low == high) & (high >= 0))
    return totals(high[wholly], size[wholly], levels)
