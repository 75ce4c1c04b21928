"""The three fairness analyses of every item and grouping."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.fairness import Analysis, analyses
from reportgen.evaluation.many_items.counted import Chunk
from reportgen.evaluation.many_items.long import Columns, interval_columns, named, stacked
from reportgen.tally import limits
from reportgen.tally.cells import Floats, Integers
from reportgen.tally.tables import ErrorSums

KEYS = ("osa", "osd", "csd")


def fairness_tables(chunk: Chunk, grouping: str, sums: ErrorSums) -> Iterator[tuple[str, Columns]]:
    """Yield what groups explain, and contrasts of groups, for all items of which two groups or more are shown."""
    levels = chunk.groups[grouping]
    order = levels.order()
    ends = np.searchsorted(levels.item[order], np.arange(len(chunk.items) + 1))
    explained: list[Columns] = []
    contrasts: list[Columns] = []
    for item, (start, stop) in enumerate(zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)):
        if stop - start < 2:
            continue
        own = order[start:stop]
        found = analyses(_of_item(sums, levels.begin + own), list(range(len(own))))
        n = levels.n[own]
        explained.append(_explained(item, grouping, found, int(n.sum()), levels.labels[own[0]]))
        contrasts.append(_contrasts(item, grouping, found, named(levels.labels, own), n, chunk.study.level))
    if explained:
        yield "fairness.explained", stacked(explained)
        yield "fairness.contrasts", stacked(contrasts)


def _of_item(sums: ErrorSums, levels: Integers) -> ErrorSums:
    """Return the error sums of one item's levels, at the human scores that occur."""
    own = sums.sums[:, levels]
    occurs = own[0].any(axis=0)
    return ErrorSums(tuple(sums.labels[level] for level in levels.tolist()), sums.human[occurs], own[:, :, occurs])


def _explained(item: int, grouping: str, found: tuple[Analysis, ...], n: int, base: str) -> Columns:
    def plain(values: list[float]) -> Floats:
        return np.array([value if np.isfinite(value) else np.nan for value in values])

    return {
        "_item": np.full(len(found), item),
        "group": np.full(len(found), grouping, object),
        "analysis": np.array([analysis.key for analysis in found], object),
        "r_squared": plain([analysis.r_squared for analysis in found]),
        "p": plain([analysis.p for analysis in found]),
        "n": np.full(len(found), n),
        "base_group": np.full(len(found), base, object),
    }


def _contrasts(
    item: int, grouping: str, found: tuple[Analysis, ...], labels: NDArray[Any], n: Floats, level: float
) -> Columns:
    """Return the reference level's own value and the others' contrasts with it, analysis by analysis."""
    from scipy.special import stdtr

    size, times = len(n), len(found)
    value = np.concatenate([analysis.fit.coefficients[:size] for analysis in found])
    error = np.concatenate([analysis.fit.errors[:size] for analysis in found])
    freedom = np.repeat([analysis.fit.freedom for analysis in found], size)
    low, high = limits(value, error, freedom, "none", level)
    with np.errstate(all="ignore"):
        p = 2 * stdtr(np.maximum(freedom, 1.0), -np.abs(value / error))
    return {
        "_item": np.full(size * times, item),
        "group": np.full(size * times, grouping, object),
        "analysis": np.repeat(np.array([analysis.key for analysis in found], object), size),
        "level": np.tile(labels, times),
        "reference": np.tile(np.arange(size) == 0, times),
        "n": np.tile(n.astype(np.int64), times),
        **interval_columns("estimate", value, low, high, np.tile(n, times)),
        "p": np.where(np.isfinite(p), p, np.nan),
    }
