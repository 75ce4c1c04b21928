"""Which groups within items are not shown: decided item by item, and at once for all items that hide nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.combinations import HUMAN, Combinations
from reportgen.evaluation.equal_scores import ScoreSums, has_one_score, protect
from reportgen.evaluation.many_items.counted import Hidden
from reportgen.evaluation.many_items.items import BY_ITEM, Inside, within
from reportgen.evaluation.suppression import Suppression, suppression
from reportgen.privacy import NONE, Mask, Partition
from reportgen.privacy.differences import Differences
from reportgen.tally import Tally
from reportgen.tally.cells import Integers, totals


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
    _hide_equal_scores(tally, inside, hidden)
    return hidden


def _hide_equal_scores(tally: Tally, inside: Mapping[str, Inside], hidden: Mapping[str, Hidden]) -> None:
    """Withhold the groups within items whose members all have one score, and those that would reveal one."""
    slices = tally.slices
    groups = {
        name: (slices[name].level, slices[name].cell, slices[name].sums[0], len(slices[name].labels))
        for name in (BY_ITEM, *map(within, inside))
    }
    nothing = np.zeros(len(tally.cells.system))
    for scores in (tally.cells.ratings[:, 0], tally.cells.system):
        sums = ScoreSums.of(scores, nothing, groups)
        items = sums.levels[BY_ITEM]
        for grouping, where in inside.items():
            own, mask = sums.levels[within(grouping)], hidden[grouping].levels
            mask |= has_one_score(own) & ~has_one_score(items)[where.item]
            shown = np.stack([totals(where.item, power * ~mask, items.shape[1]) for power in own])
            some = np.bincount(where.item, mask, items.shape[1]) > 0
            for item in np.flatnonzero(has_one_score(items - shown) & ~has_one_score(items) & some).tolist():
                protect(own, items[:, item], where.item == item, mask)


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
    """Return in which items something may have to be withheld: a group is small, or something small follows."""
    item, labels = found.codes[BY_ITEM].astype(np.intp), found.labels
    weights = found.counts.astype(np.float64)
    rows_of = [np.ones(len(item), bool), *found.kinds.values()]
    columns: list[tuple[NDArray[np.integer], int]] = [(np.zeros_like(item), 1)]
    columns += [(codes, len(labels[name])) for name, codes in found.codes.items() if name != BY_ITEM]
    partitions = [
        Partition(np.where(rows, item * levels + codes, NONE), len(labels[BY_ITEM]) * levels)
        for rows in rows_of
        for codes, levels in columns
    ]
    doubtful = np.zeros(len(labels[BY_ITEM]), bool)
    for each in partitions:
        size = each.sums(weights)
        doubtful |= ((size > 0) & (size < least)).reshape(len(doubtful), -1).any(axis=1)
    return doubtful | Differences(partitions, weights, least).doubtful(0)
