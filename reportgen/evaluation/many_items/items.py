"""Items as groups: each item is a level of one grouping, and each group within an item a level of another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.scores.item_batches import UNIT_SEPARATOR
from reportgen.tally.cells import Integers, Tally
from reportgen.tally.kernel import Groups, numbered

BY_ITEM = "by item"
"""Grouping of the tally that has the items as its levels."""


def within(grouping: str) -> str:
    """Return the grouping of the tally that has a grouping's levels within each item."""
    return f"{BY_ITEM} and {grouping}"


def items_as_groups(items: tuple[NDArray[np.integer], Sequence[str]], groups: Groups) -> Groups:
    """Return the items of some rows, and the levels of every grouping within them, as groupings.

    Examples
    --------
    >>> found = items_as_groups((np.array([0, 1, 0]), ["a", "b"]), {"sex": (np.array([0, 0, 1]), ["f", "m"])})
    >>> codes, labels = found[within("sex")]
    >>> codes.tolist(), [label.split(UNIT_SEPARATOR) for label in labels]
    ([0, 2, 1], [['a', 'f'], ['a', 'm'], ['b', 'f']])
    """
    item, names = items
    found = {BY_ITEM: items}
    for grouping, (codes, labels) in groups.items():
        joint, first = numbered([item, codes])
        pairs = zip(item[first].tolist(), codes[first].tolist(), strict=True)
        found[within(grouping)] = joint, [f"{names[one]}{UNIT_SEPARATOR}{labels[level]}" for one, level in pairs]
    return found


@dataclass(frozen=True)
class Inside:
    """Where the levels of a grouping within items belong.

    Parameters
    ----------
    item
        (levels,): place of each level's item among the items.
    labels
        (levels,): its name without the item's.
    """

    item: Integers
    labels: tuple[str, ...]

    @classmethod
    def of(cls, tally: Tally, grouping: str) -> Inside:
        """Return where the levels of a grouping of the counted responses belong."""
        place = {label: index for index, label in enumerate(tally.slices[BY_ITEM].labels)}
        pairs = [label.split(UNIT_SEPARATOR, 1) for label in tally.slices[within(grouping)].labels]
        return cls(np.array([place[item] for item, _ in pairs], np.intp), tuple(label for _, label in pairs))
