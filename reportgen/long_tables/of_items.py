"""The tables of the items themselves: what was read of each, what was left out, and what is withheld."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.many_items import LongTable
from reportgen.evaluation.many_items.counting import Pass
from reportgen.evaluation.many_items.items import BY_ITEM
from reportgen.evaluation.many_items.withholding import withheld_rows
from reportgen.long_tables.evaluated import EvaluatedItems
from reportgen.tally.cells import Integers


def items_table(items: EvaluatedItems, passed: Pass, withheld: Collection[str] = ()) -> LongTable:
    """Return a row for each item: what was read, and what is evaluated, on which scale; of withheld ones the name."""
    counts, points, scales = [], [], []
    for tallied in items.by_scale:
        slices, ratings = tallied.counted.tally.slices[BY_ITEM], tallied.counted.tally.cells.ratings
        several = (np.isfinite(ratings).sum(axis=1) > 1)[slices.cell]
        counts.append(
            [np.bincount(slices.level, slices.sums[0] * of, len(slices.labels)) for of in (np.ones(1), several)]
        )
        points += [label not in tallied.counted.continuous for label in tallied.items]
        scales += [tallied.scale] * len(tallied.items)
    n, twice = np.concatenate([np.stack(each) for each in counts], axis=1)
    none = len(items.unfit)
    left_out: Counter[str] = Counter()
    for (item, _), size in passed.excluded.items():
        left_out[item] += size
    counted = {
        "rows": [passed.rows[label] for label in items.labels],
        "left_out": [left_out[label] for label in items.labels],
        "evaluated": np.append(n, np.zeros(none)),
        "scored_twice_or_more": np.append(twice, np.zeros(none)),
    }
    hidden = np.array([label in withheld for label in items.labels], bool)
    return LongTable(
        "items",
        "What was read of each item, and what is evaluated, on which scale",
        {
            "_item": np.arange(len(items.labels)),
            **{name: _without(np.array(counts, np.int64), hidden) for name, counts in counted.items()},
            "engine_on_points": np.array([*points, *[True] * none], bool),
            **{
                f"scale_{name}": np.array([*(getattr(scale, name) for scale in scales), *[np.nan] * none], float)
                for name in ("low", "high", "step")
            },
            "scale_assumed": np.array([*(scale.assumed for scale in scales), *[False] * none], bool),
            "not_evaluated": np.array([""] * (len(items.labels) - none) + list(items.unfit.values()), object),
        },
    )


def _without(counts: Integers, hidden: NDArray[np.bool_]) -> Integers:
    """Return counts without those that are not shown."""
    return np.ma.masked_array(counts, hidden) if hidden.any() else counts


def exclusion_tables(items: EvaluatedItems, passed: Pass) -> list[LongTable]:
    """Return the rows left out, item by item and reason by reason; no table when there is none."""
    if not passed.excluded:
        return []
    pairs = sorted(passed.excluded.items(), key=lambda pair: passed.rules.index(pair[0][1]))
    columns = {
        "_item": items.places(item for (item, _), _ in pairs),
        "reason": np.array([reason for (_, reason), _ in pairs], object),
        "responses": np.array([n for _, n in pairs], np.int64),
    }
    return [LongTable("data.exclusions", "Responses left out, by reason", columns)]


def withheld_tables(items: EvaluatedItems) -> list[LongTable]:
    """Return the log of what is withheld; no table when nothing is."""
    rows, first = [], 0
    for tallied in items.by_scale:
        rows += [(first + item, *told) for item, *told in withheld_rows(tallied.counted.tally, tallied.hidden)]
        first += len(tallied.items)
    if not rows:
        return []
    item, group, level, what = (np.array(column, object) for column in zip(*rows, strict=True))
    columns = {"_item": item.astype(np.intp), "group": group, "level": level, "withheld": what}
    return [LongTable("privacy.withheld", "Groups that are withheld from every table", columns)]
