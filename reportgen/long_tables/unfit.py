"""Items that are not evaluated, and why: too few responses, a score that none can have, an id in two rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from reportgen.errors import InputError
from reportgen.evaluation.many_items.counting import Pass
from reportgen.evaluation.many_items.items import BY_ITEM
from reportgen.privacy.slices import withheld_slices
from reportgen.scores.ids import repeats_told
from reportgen.scores.item_batches import ids_in_items
from reportgen.scores.item_scales import BETWEEN
from reportgen.scores.item_sources import ItemSource
from reportgen.scores.repeats import repeats_in_items
from reportgen.settings import Settings
from reportgen.sources.uniqueness import Seen

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
    withheld
        Those of which not even counts are shown: they have few responses, or protect such items.
    """

    why: Mapping[str, str]
    refused: frozenset[str]
    withheld: frozenset[str] = frozenset()


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
    if not settings.privacy.protects_slices:
        return UnfitItems(why, frozenset(refused))
    least = settings.statistics.min_n_per_group
    withheld = _withheld(passed, {item: round(n) for item, n in sizes.items()}, refused, settings)
    if withheld.issuperset(item for item in passed.rows if item not in why):
        raise InputError(
            f"every item has fewer than {least} responses, or would tell of one that has: nothing is written. Name a "
            "smaller number with --min-n, or show them all with --unprotected."
        )
    told = dict.fromkeys(withheld, f"withheld: it has fewer than {least} responses, or would tell of an item that has")
    why = {item: refused.get(item) or told.get(item) or why[item] for item in passed.rows if item in {*why, *told}}
    return UnfitItems(why, frozenset(refused), withheld)


def _withheld(passed: Pass, sizes: Mapping[str, int], refused: Collection[str], settings: Settings) -> frozenset[str]:
    """Return the items of which nothing may be shown; of one without responses, or refused, only its rows count."""
    least, columns = settings.statistics.min_n_per_group, len(settings.data.by)
    parted = {item: tuple(item.split(BETWEEN, columns - 1)) for item in sizes if item not in refused}
    found = withheld_slices({values: sizes[item] for item, values in parted.items()}, least)
    few = {item for item, rows in passed.rows.items() if rows < least and not (item in parted and sizes[item])}
    return frozenset(few | {item for item, values in parted.items() if values in found})


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
