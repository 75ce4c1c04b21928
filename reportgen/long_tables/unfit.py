"""Items that are not evaluated, and why: too few responses, a score that none can have, an id in two rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from reportgen.errors import InputError
from reportgen.evaluation.many_items.counting import Pass
from reportgen.scores.ids import repeats_told
from reportgen.scores.item_batches import ids_in_items
from reportgen.scores.item_sources import ItemSource
from reportgen.scores.repeats import repeats_in_items
from reportgen.settings import Settings
from reportgen.sources.uniqueness import Seen
from reportgen.tally.many import BY_ITEM

LEAST = 2
"""Fewest responses that an item is evaluated with."""


@dataclass(frozen=True)
class UnfitItems:
    """Items that are not evaluated.

    Parameters
    ----------
    why
        Each of them, in the order of their first rows, and why.
    refused
        Those among them that are refused for what their rows hold.
    """

    why: Mapping[str, str]
    refused: frozenset[str]


def unfit_items(opened: ItemSource, passed: Pass, seen: Seen, settings: Settings) -> UnfitItems:
    """Return the items that are not evaluated.

    Raises
    ------
    InputError
        No item is left.
    """
    refused = _refused(opened, passed) | _repeated(opened, seen, settings)
    sizes: dict[str, float] = {}
    for counted in passed.counted.values():
        slices = counted.tally.slices[BY_ITEM]
        sizes |= dict(zip(slices.labels, np.bincount(slices.level, slices.sums[0], len(slices.labels)), strict=True))
    few = f"fewer than {LEAST} responses with both scores"
    why = {item: refused.get(item, few) for item in passed.rows if item in refused or sizes.get(item, 0) < LEAST}
    _refuse_none_left(passed, why, refused)
    return UnfitItems(why, frozenset(refused))


def _refused(opened: ItemSource, passed: Pass) -> dict[str, str]:
    """Return the items with a score that none can have, and which one."""
    last = max(passed.sizes, default=-1) + 1
    starts = [0, *accumulate(passed.sizes.get(number, 0) for number in range(last))]
    of_file: Counter[int] = Counter()
    for number, piece in opened.pieces:
        of_file[piece.file] += passed.sizes.get(number, 0)
    opened.reader.counted(of_file)
    return {
        item: f"row {opened.reader.place(starts[number] + refusal.row)}: {refusal.told}"
        for item, (number, refusal) in passed.refused.items()
    }


def _repeated(opened: ItemSource, seen: Seen, settings: Settings) -> dict[str, str]:
    """Return the items of which an id stands in two rows, and which one."""
    if not opened.wanted.id:
        return {}
    found = repeats_in_items(lambda: ids_in_items(opened, seen.key), seen)
    named, place = settings.privacy.show_response_ids, opened.reader.place
    return {
        item: repeats_told(opened.wanted.id, each.n, each.text if named else None, [place(row) for row in each.rows])
        + "; make ids unique within the item, or name another column with --id NAME"
        for item, each in found.items()
    }


def _refuse_none_left(passed: Pass, unfit: Mapping[str, str], refused: Mapping[str, str]) -> None:
    """Raise when no item is left, for the reason that a reader can do most about."""
    if len(unfit) == len(passed.rows) and refused:
        item, told = next((item, told) for item, told in unfit.items() if item in refused)
        what = "such a score" if item in passed.refused else "such ids"
        raise InputError(f"item '{item}', {told}; no item is left without {what}.")
    if not passed.counted:
        raise InputError("no response has a human score and an engine score.")
    if len(unfit) == len(passed.rows):
        raise InputError(f"no item has {LEAST} responses with both scores.")
