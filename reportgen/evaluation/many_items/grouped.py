"""Tables with the statistics of every group within each item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.estimates import Numbers, SliceEstimates
from reportgen.evaluation.many_items.counted import Chunk, GroupLevels
from reportgen.evaluation.many_items.fairness import fairness_tables
from reportgen.evaluation.many_items.items import BY_ITEM
from reportgen.evaluation.many_items.long import Columns, estimate_columns, named
from reportgen.evaluation.many_items.overall import disattenuated
from reportgen.evaluation.tables.groups import FURTHER, FURTHER_OF_RATERS, LEADING, LEADING_OF_RATERS, NAMED
from reportgen.metrics.group_differences import minimum_detectable_difference
from reportgen.tally.cells import Floats, Integers, totals
from reportgen.tally.contingency_tables import ErrorSums

Mask = NDArray[np.bool_]

HUMAN = {metric: metric for metric in (*LEADING_OF_RATERS, *FURTHER_OF_RATERS)}
HUMAN |= {"h_mean": "h1_mean", "system_mean": "h2_mean"}
"""Human-human statistic -> its column."""

SYSTEM = {metric: NAMED.get(metric, metric) for metric in (*LEADING, *FURTHER)}
"""Engine-human statistic -> its column."""

SYSTEM_BY_GROUP = frozenset(f"system.{metric}" for metric in SYSTEM)
"""Statistics of groups where one rater scored."""

BY_GROUP = SYSTEM_BY_GROUP | {f"human.{metric}" for metric in (*HUMAN, "h_sd")} | {"disattenuated.r"}
"""Statistics of groups; the SD of human scores bounds those of raters who never differ."""


def group_tables(
    chunk: Chunk, grouping: str, found: SliceEstimates, rounded: Mapping[str, Numbers], sums: ErrorSums
) -> Iterator[tuple[str, Columns]]:
    """Yield (key, rows) of every table of one grouping; none where no level is shown.

    Parameters
    ----------
    found, rounded, sums
        Estimates of trimmed scores, what is said of rounded ones, and sums of errors, of all levels of the chunk.
    """
    levels, tallied = chunk.groups[grouping], chunk.tallied
    if not levels.labels:
        return
    order = levels.order()
    start = _start(grouping, levels, order)
    n = totals(chunk.tally.slices[BY_ITEM].level, chunk.tally.slices[BY_ITEM].sums[0], len(chunk.items))
    yield (
        "data.groups",
        start
        | {
            "n": levels.n[order].astype(np.int64),
            "share": (100 * levels.n / n[levels.item])[order],
            "insufficient": levels.n[order] < tallied.min_n_by_group.get(grouping, tallied.min_n),
        },
    )
    several = np.ones(len(found.labels), bool)
    several[levels.begin : levels.begin + len(levels.n)] = ~levels.alone()
    yield "by_group", start | _by_group(found, rounded, several, levels.begin + order)
    if len(tallied.raters) > 1:
        twice = order[~levels.twice[order]]
        start, rows = _start(grouping, levels, twice), levels.begin + twice
        both = start | {"n": found.sums.human.n[rows].astype(np.int64)}
        for metric, name in HUMAN.items():
            both |= estimate_columns(name, found.numbers[f"human.{metric}"], rows, several if metric == "dsm" else None)
        yield "human_human.by", both
        yield "human_human.disattenuated.by", start | disattenuated(found, rows)
    yield from fairness_tables(chunk, grouping, sums)


def _start(grouping: str, levels: GroupLevels, order: Integers) -> Columns:
    """Return the columns that say what a row is about."""
    return {
        "_item": levels.item[order],
        "group": np.full(len(order), grouping, object),
        "level": named(levels.labels, order),
    }


def _by_group(found: SliceEstimates, rounded: Mapping[str, Numbers], several: Mask, rows: Integers) -> Columns:
    """Return engine-human statistics of some levels; `several` says where an item has more than one."""
    numbers = found.numbers | {key: each for key, each in rounded.items() if key.startswith("system.")}
    columns: Columns = {"n": found.sums.system.n[rows].astype(np.int64)}
    for metric, name in SYSTEM.items():
        columns |= estimate_columns(name, numbers[f"system.{metric}"], rows, several if metric == "dsm" else None)
        if metric == "dsm":
            columns["detectable"] = _detectable(found, several)[rows]
    return columns


def _detectable(found: SliceEstimates, several: Mask) -> Floats:
    """Return the smallest difference of standardized means that would probably be seen."""
    dsm = found.numbers["system.dsm"]
    error = np.where(several & np.isfinite(dsm.value), dsm.error, np.nan)
    least = minimum_detectable_difference(error, found.sums.system.n - 1)
    return np.where(np.isfinite(least) & (least > 0), least, np.nan)
