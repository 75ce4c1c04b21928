"""The three fairness analyses of every item and grouping."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.fairness import LABELS, Analyses, stacked_analyses
from reportgen.evaluation.many_items.counted import Chunk, GroupLevels
from reportgen.evaluation.many_items.long import Columns, interval_columns, named, stacked, taken
from reportgen.tally import limits
from reportgen.tally.cells import Floats, Integers
from reportgen.tally.contingency_tables import ErrorSums


def fairness_tables(chunk: Chunk, grouping: str, sums: ErrorSums) -> Iterator[tuple[str, Columns]]:
    """Yield what groups explain, and contrasts of groups, for all items of which two groups or more are shown."""
    levels = chunk.groups[grouping]
    explained: list[Columns] = []
    contrasts: list[Columns] = []
    for items, own, scores in _stacks(levels, sums):
        places = levels.begin + own
        stack = sums.sums[:, places[:, :, None], scores[:, None, :]]
        found = stacked_analyses(stack, sums.human[scores])
        n, labels = levels.n[own], named(levels.labels, own.ravel()).reshape(own.shape)
        explained.append(_explained(items, found, n.sum(axis=1), labels[:, 0]))
        contrasts.append(_contrasts(items, found, labels, n, chunk.tallied.level))
    for key, parts in (("fairness.explained", explained), ("fairness.contrasts", contrasts)):
        if parts:
            together = stacked(parts)
            together = {
                "_item": together.pop("_item"),
                "group": np.full(len(together["n"]), grouping, object),
                **together,
            }
            yield key, taken(together, np.argsort(together["_item"], kind="stable"))


def _stacks(levels: GroupLevels, sums: ErrorSums) -> Iterator[tuple[Integers, Integers, Integers]]:
    """Yield items that have as many levels and human scores: the items, their levels in order, and their scores.

    Each is (items,), (items, levels) and (items, scores): places among the levels and the scores of all.
    """
    order = levels.order()
    ends = np.searchsorted(levels.item[order], np.arange(int(levels.item.max(initial=-1)) + 2))
    by_shape: dict[tuple[int, int], list[tuple[int, Integers, Integers]]] = {}
    for item, (start, stop) in enumerate(zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)):
        if stop - start >= 2:
            own = order[start:stop]
            scores = np.flatnonzero(sums.sums[0, levels.begin + own].any(axis=0))
            by_shape.setdefault((stop - start, len(scores)), []).append((item, own, scores))
    for found in by_shape.values():
        items = np.array([item for item, _, _ in found], np.intp)
        yield items, np.stack([own for _, own, _ in found]), np.stack([scores for _, _, scores in found])


def _explained(items: Integers, found: Sequence[Analyses], n: Floats, base: NDArray[Any]) -> Columns:
    """Return a row for each item and analysis."""
    times = len(found)

    def plain(values: list[Floats]) -> Floats:
        every = np.stack(values, axis=1).ravel()
        return np.where(np.isfinite(every), every, np.nan)

    return {
        "_item": np.repeat(items, times),
        "analysis": np.tile(np.array([*LABELS], object), len(items)),
        "r_squared": plain([each.r_squared for each in found]),
        "p": plain([each.p for each in found]),
        "n": np.repeat(n.astype(np.int64), times),
        "base_group": np.repeat(base, times),
    }


def _contrasts(items: Integers, found: Sequence[Analyses], labels: NDArray[Any], n: Floats, level: float) -> Columns:
    """Return the reference level's own value and the others' contrasts with it, analysis by analysis."""
    from scipy.special import stdtr

    times, size = len(found), labels.shape[1]
    value, error = (
        np.stack([getattr(each, name) for each in found], axis=1).ravel() for name in ("coefficients", "errors")
    )
    freedom = np.repeat(np.stack([each.freedom for each in found], axis=1).ravel(), size)
    low, high = limits(value, error, freedom, "none", level)
    with np.errstate(all="ignore"):
        p = 2 * stdtr(np.maximum(freedom, 1.0), -np.abs(value / error))
    every_n = np.repeat(n[:, None, :], times, axis=1).ravel()
    return {
        "_item": np.repeat(items, times * size),
        "analysis": np.tile(np.repeat(np.array([*LABELS], object), size), len(items)),
        "level": np.repeat(labels[:, None, :], times, axis=1).ravel(),
        "reference": np.tile(np.arange(size) == 0, times * len(items)),
        "n": every_n.astype(np.int64),
        **interval_columns("estimate", value, low, high, every_n),
        "p": np.where(np.isfinite(p), p, np.nan),
    }
