"""Score distributions and confusion counts of every item, on the points of a scale of whole numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reportgen.evaluation.many_items.counted import Chunk
from reportgen.evaluation.many_items.items import BY_ITEM
from reportgen.evaluation.many_items.long import Columns, interval_columns
from reportgen.evaluation.points import Points, in_whole_points, whole_points
from reportgen.metrics import METRICS
from reportgen.tally import limits
from reportgen.tally.cells import Floats


def point_tables(chunk: Chunk) -> Iterator[tuple[str, Columns]]:
    """Yield (key, rows) of the tables of points; none on a scale that has others than whole numbers."""
    tallied = chunk.tallied
    if not in_whole_points(tallied.scale):
        return
    points = whole_points(chunk.tally, None, tallied.scale, tallied.preparation.trim)
    human, engine = points.rated(0), points.scored()
    crossed = points.crossed(BY_ITEM, human, engine)
    yield "confusion.system", _confusion(crossed, points, "system")
    if len(tallied.raters) > 1:
        both = points.crossed(BY_ITEM, human, points.rated(1))
        yield "confusion.human", _confusion(both, points, "second_human")
    yield "distribution", _distribution(crossed, points, tallied.level)


def _confusion(crossed: Floats, points: Points, second: str) -> Columns:
    """Return the pairs of scores that occur."""
    item, row, column = np.nonzero(crossed)
    return {
        "_item": item,
        "human": points.categories[row],
        second: points.categories[column],
        "n": crossed[item, row, column].astype(np.int64),
    }


def _distribution(crossed: Floats, points: Points, level: float) -> Columns:
    """Return the share of responses at every point, human and engine side by side, and the difference's interval."""
    items, size, _ = crossed.shape
    n = crossed.sum(axis=(1, 2))[:, None]
    human, engine = crossed.sum(axis=2), crossed.sum(axis=1)
    kept = np.diagonal(crossed, axis1=1, axis2=2)
    difference = 100 * (engine - human) / n
    columns: Columns = {
        "_item": np.repeat(np.arange(items), size),
        "score": np.tile(points.categories, items),
        "human_n": human.ravel().astype(np.int64),
        "human_percent": (100 * human / n).ravel(),
        "system_n": engine.ravel().astype(np.int64),
        "system_percent": (100 * engine / n).ravel(),
    }
    if points.width > 1:
        return columns | {"difference": difference.ravel()}
    up, down = engine - kept, human - kept
    square = up * (100 - difference) ** 2 + down * (100 + difference) ** 2 + (n - up - down) * difference**2
    with np.errstate(all="ignore"):
        error = np.where(n > 1, np.sqrt(square / n**2 * n / (n - 1)), np.nan)
    low, high = limits(difference, error, n - 1, METRICS["share_difference"].transform, level)
    every = np.broadcast_to(n, difference.shape)
    return columns | interval_columns("difference", *(each.ravel() for each in (difference, low, high, every)))
