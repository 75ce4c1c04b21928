"""The one pass over the responses to all items; its parts are counted by any number of processes and added."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any

import numpy as np

from reportgen.evaluation.combinations import HUMAN, MULTIPLE, Combinations, merged
from reportgen.evaluation.many_items.counted import CountedItems
from reportgen.results import Scale
from reportgen.scores.item_batches import ItemSource, Refusal, Screened, Wanted, screened_batches
from reportgen.scores.scale import score_scale
from reportgen.tally.cells import Floats
from reportgen.tally.many import Combined, ManyTallier
from reportgen.tally.sources import shares

MOST_VALUES = 2_000
"""More distinct human scores than this are on no scale of points."""


@dataclass(frozen=True)
class Plan:
    """What a process needs to count its share.

    Parameters
    ----------
    wanted
        What is read, and how it is screened.
    scale, bounds
        Of all items; lowest and highest score after trimming.
    withholds
        Whether who is in which group is counted, to decide what is not shown.
    """

    wanted: Wanted
    scale: Scale
    bounds: tuple[float, float]
    withholds: bool


@dataclass
class Pass:
    """What a pass over some of the responses found.

    Parameters
    ----------
    counted
        None where no response counts.
    rows
        Item -> rows.
    excluded
        (item, reason) -> rows left out.
    refused
        Item -> the number of the piece where its first score stands that no evaluation can have, and that score.
    sizes
        Number of a piece -> its rows.
    """

    counted: CountedItems | None
    rows: Counter[str] = field(default_factory=Counter)
    excluded: Counter[tuple[str, str]] = field(default_factory=Counter)
    refused: dict[str, tuple[int, Refusal]] = field(default_factory=dict)
    sizes: dict[int, int] = field(default_factory=dict)

    def refuse(self, item: str, piece: int, refusal: Refusal) -> None:
        """Take note of a score that no evaluation can have, when it stands before those known of its item."""
        known = self.refused.get(item)
        if known is None or (piece, refusal.row) < (known[0], known[1].row):
            self.refused[item] = piece, refusal


def count_items(source: ItemSource, plan: Plan, executor: Executor | None = None, workers: int = 1) -> Pass:
    """Return what one pass over all responses finds.

    Raises
    ------
    InputError
        A piece cannot be read.
    """
    found = list(_mapped(_count_share, source, workers, executor, plan))
    counted = [each.counted for each in found if each.counted is not None]
    whole = Pass(CountedItems.of(counted) if counted else None)
    for each in found:
        whole.rows.update(each.rows)
        whole.excluded.update(each.excluded)
        whole.sizes.update(each.sizes)
        for item, (piece, refusal) in each.refused.items():
            whole.refuse(item, piece, refusal)
    return whole


def scale_of(source: ItemSource, executor: Executor | None = None, workers: int = 1) -> Scale | None:
    """Return the scale that the human scores of all items span, None where there is none: a pass of its own."""
    values = [each for each in _mapped(_values_of_share, source, workers, executor, source.wanted) if len(each)]
    return score_scale(None, np.concatenate(values)[:, None]) if values else None


def _mapped(
    function: Callable[[Any, Any], Any], source: ItemSource, workers: int, executor: Executor | None, argument: Any
) -> Iterable[Any]:
    """Return what a function finds in each worker's share of the pieces."""
    divided = shares(source.pieces, [piece.rows for _, piece in source.pieces], workers)
    return (executor.map if executor else map)(function, divided, repeat(argument))


def _count_share(share: Sequence[Any], plan: Plan) -> Pass:
    """Return what a pass over some numbered pieces finds."""
    tallier, found = ManyTallier(plan.wanted.groups, plan.bounds), Pass(None)
    continuous: set[str] = set()
    for number, piece in share:
        for batch in screened_batches(piece, plan.wanted):
            _account(batch, number, found)
            if not len(batch.system):
                continue
            tallier.add(batch.human, batch.system, batch.items, batch.groups)
            continuous |= _continuous(batch, plan.scale, continuous)
    if tallier.n:
        known = merged([combinations_of(part) for part in tallier.combined()]) if plan.withholds else None
        found.counted = CountedItems(tallier.tally(), known, frozenset(continuous))
    return found


def _account(batch: Screened, piece: int, found: Pass) -> None:
    """Count the rows of every item, those left out, and note what is refused."""
    codes, labels = batch.all_items
    before = found.sizes.get(piece, 0)
    found.sizes[piece] = before + len(codes)
    for item, refusal in batch.refused.items():
        found.refuse(item, piece, Refusal(before + refusal.row, refusal.told))
    for name, n in zip(labels, np.bincount(codes, minlength=len(labels)).tolist(), strict=True):
        found.rows[name] += n
    for reason, rows in batch.excluded.items():
        for name, n in zip(labels, np.bincount(codes[rows], minlength=len(labels)).tolist(), strict=True):
            if n:
                found.excluded[name, reason] += n


def _continuous(batch: Screened, scale: Scale, known: set[str]) -> set[str]:
    """Return the items that have an engine score between the points of the scale, those known already left out."""
    codes, labels = batch.items
    asked = np.array([label not in known for label in labels], bool)
    if not asked.any():
        return set()
    steps = (batch.system - scale.low) / (scale.step or 1.0)
    between = np.bincount(codes[np.rint(steps) != steps], minlength=len(labels)) > 0
    return {labels[code] for code in np.flatnonzero(between & asked).tolist()}


def combinations_of(found: Combined) -> Combinations:
    """Return who is in which item and groups; first human scores tell nothing that is shown here."""
    places, labels = {}, {}
    for name, codes in found.codes.items():
        places[name], labels[name] = _distinct(codes, found.labels[name])
    kinds = {}
    if found.present.shape[1] > 1:
        kinds = {HUMAN: found.present[:, 1], MULTIPLE: np.asarray(found.present[:, 1:].any(axis=1))}
    return Combinations(found.counts, places, labels, kinds, None)


def _distinct(codes: Any, labels: Sequence[str]) -> tuple[Any, tuple[str, ...]]:
    """Return codes into sorted distinct labels."""
    every = tuple(sorted(set(labels)))
    place = {label: index for index, label in enumerate(every)}
    return np.array([place[label] for label in labels], np.intp)[codes], every


def _values_of_share(share: Sequence[Any], wanted: Wanted) -> Floats:
    """Return the distinct human scores of some pieces, or the ends and one between where there are too many."""
    values = np.zeros(0)
    slim = Wanted(wanted.by[:1], wanted.system, wanted.human, (), wanted.zeros_out)
    for _, piece in share:
        for batch in screened_batches(piece, slim):
            given = batch.human[~np.isnan(batch.human)]
            values = np.unique(np.concatenate([values, given]))
            if len(values) > MOST_VALUES:
                steps = values * 2
                between = values[np.rint(steps) != steps][:1]
                values = np.unique(np.concatenate([values[[0, -1]], between, values[1 : MOST_VALUES // 2]]))
    return values
