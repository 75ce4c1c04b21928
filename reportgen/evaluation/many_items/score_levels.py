"""Results by score level and on score points of many items at once: what one report says of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from reportgen.evaluation.levels import OVERALL_ROWS, LevelNumbers, Levels, slopes_of
from reportgen.evaluation.many_items.counted import BY_ITEM, Chunk
from reportgen.evaluation.many_items.overall import Columns, by_item, estimates, interval_columns, same, taken
from reportgen.evaluation.points import in_whole_points, whole_points
from reportgen.tally import TRIMMED, moments
from reportgen.tally.sums import Floats


def level_tables(chunk: Chunk) -> Iterator[tuple[str, Columns]]:
    """Yield (key, rows) of the tables of points and levels; none on a scale that has others than whole numbers."""
    tallied = chunk.tallied
    if not in_whole_points(tallied.scale):
        return
    points = whole_points(chunk.tally, None, tallied.scale, tallied.preparation.trim)
    levels = Levels.of(points, BY_ITEM)
    human = points.rated(0)
    crossed = points.crossed(BY_ITEM, human, points.scored())
    yield "confusion.system", _confusion(crossed, points.categories, "system")
    if len(tallied.raters) > 1:
        yield (
            "confusion.human",
            _confusion(points.crossed(BY_ITEM, human, points.rated(1)), points.categories, "second_human"),
        )
    yield "distribution", _distribution(crossed, levels, tallied.level)
    calibration = _by_level(levels, "band", levels.by_engine(), "mean_system", tallied.level)
    yield "calibration", taken(calibration, np.flatnonzero(calibration["n"]))
    by_human = _by_level(levels, "human", levels.by_human(), "mean_human", tallied.level)
    if not (there := by_human["n"] > 0).all():  # a score that nobody was given has no row of numbers
        by_human |= {name: np.where(there, each, np.nan) for name, each in by_human.items() if name.endswith("_n")}
    yield "levels.by_human", by_human
    yield "levels.overall", _overall(chunk, levels)


def _confusion(crossed: Floats, categories: Floats, second: str) -> Columns:
    item, row, column = np.nonzero(crossed)
    n = crossed[item, row, column].astype(np.int64)
    return {"_item": item, "human": categories[row], second: categories[column], "n": n}


def _distribution(crossed: Floats, levels: Levels, level: float) -> Columns:
    """Return the share of responses at every point, human and engine side by side, and the difference's interval."""
    items, size, _ = crossed.shape
    human, engine = crossed.sum(axis=2), crossed.sum(axis=1)
    n = human.sum(axis=1, keepdims=True)
    columns: Columns = {
        "_item": np.repeat(np.arange(items), size),
        "score": np.tile(levels.points.categories, items),
        "human_n": human.ravel().astype(np.int64),
        "human_percent": (100 * human / n).ravel(),
        "system_n": engine.ravel().astype(np.int64),
        "system_percent": (100 * engine / n).ravel(),
    }
    if levels.points.width > 1:
        return columns | {"difference": (100 * (engine - human) / n).ravel()}
    made = [_columns("difference", each, level) for each in levels.share_differences()]
    return columns | {name: np.stack([each[name] for each in made], axis=1).ravel() for name in made[0]}


def _columns(name: str, found: LevelNumbers, level: float) -> Columns:
    return interval_columns(name, np.where(found.n > 0, found.value, np.nan), *found.ends(level), found.n)


def _by_level(levels: Levels, name: str, found: Mapping[str, LevelNumbers], plain: str, level: float) -> Columns:
    """Return a row for each item and level; of the `plain` statistic the value alone."""
    items, n = len(levels.slices.labels), found[plain].n
    columns: Columns = {
        "_item": np.repeat(np.arange(items), levels.size),
        name: np.tile(np.array(levels.points.labels, object), items),
        "n": n.astype(np.int64),
    }
    for key, each in found.items():
        columns |= {key: each.value} if key == plain else _columns(key, each, level)
    return columns


def _overall(chunk: Chunk, levels: Levels) -> Columns:
    tallied, items = chunk.tallied, np.arange(len(chunk.items))
    own = moments(chunk.tally, BY_ITEM, TRIMMED)
    if BY_ITEM in chunk.tally.ratings_alone:
        own = own.with_ratings_alone(chunk.tally.ratings_alone[BY_ITEM])
    slopes = {f"levels.{key}": each for key, each in slopes_of(own, tallied.rater_error_variance).items()}
    found = {key: _columns("value", each, tallied.level) for key, each in (levels.overall() | slopes).items()}
    found["system.rmse"] = estimates(chunk.by_form[-2], {"value": "system.rmse"})
    return by_item(
        {"_item": items, "statistic": same(key, items), "n": found[key]["value_n"], **found[key]}
        for key in OVERALL_ROWS
    )
