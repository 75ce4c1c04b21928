"""Which items are evaluated together: neighbours whose scores lie near each other."""

from __future__ import annotations

import numpy as np

from reportgen.tally import Slices
from reportgen.tally.cells import Cells, Floats, totals
from reportgen.tally.features import FAR


def chunk_starts(items: Slices, cells: Cells, most: int) -> list[int]:
    """Return where chunks of items begin, and where the last one ends.

    Statistics of a chunk are measured from one centre for human and one for engine scores.  An item that lies far from
    the first of its chunk, in its own standard deviations, begins another, so that nothing cancels in its sums.

    Parameters
    ----------
    most
        Items of a chunk.
    """
    rated, spread = _located(items, cells.ratings[:, 0])
    scored, spread_of_scores = _located(items, cells.system)
    first_rater = (rated, FAR / 2 * np.maximum(spread, 1.0))
    engine = (scored, FAR / 2 * np.maximum(spread_of_scores, 1.0))
    places = [column.tolist() for pair in (first_rater, engine) for column in pair]
    starts: list[int] = []
    for item, (human, near_human, system, near_system) in enumerate(zip(*places, strict=True)):
        if (
            not starts
            or item - starts[-1] >= most
            or abs(human - rated[starts[-1]]) > near_human
            or abs(system - scored[starts[-1]]) > near_system
        ):
            starts.append(item)
    return [*starts, len(items.labels)]


def _located(items: Slices, values: Floats) -> tuple[Floats, Floats]:
    """Return each item's mean of the values of its cells, and their standard deviation."""
    levels, own = len(items.labels), values[items.cell]
    n = totals(items.level, items.sums[0], levels)
    mean = totals(items.level, items.sums[0] * own, levels) / n
    squares = totals(items.level, items.sums[0] * (own - mean[items.level]) ** 2, levels)
    return mean, np.sqrt(squares / n)
