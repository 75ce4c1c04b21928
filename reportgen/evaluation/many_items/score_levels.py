"""Results by score level of many items at once: what `reportgen.evaluation.levels` says of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.estimates import estimate_slices
from reportgen.evaluation.intervals import copies
from reportgen.evaluation.levels import LEAST_AT_A_LEVEL, RMSE_ROW, slopes_of
from reportgen.evaluation.many_items.counted import BY_ITEM, Chunk
from reportgen.evaluation.many_items.overall import Columns, interval_columns, stacked, taken
from reportgen.evaluation.points import Points, in_whole_points, whole_points
from reportgen.metrics import METRICS
from reportgen.tally import TRIMMED, Slices, limits, moments
from reportgen.tally.cells import Integers, formed_scores, totals
from reportgen.tally.joint import CellScores, Polynomial, squares
from reportgen.tally.sums import Floats


@dataclass(frozen=True)
class _Sliced:
    """Responses to items, each in one of so many slices.

    slices: Entries of all items.
    position (entries,): the slice that each is in.
    """

    slices: Slices
    position: Integers
    size: int

    @property
    def n(self) -> Floats:
        """(slices,): responses."""
        return self.total(np.ones(len(self.position)))

    def total(self, each: Floats | NDArray[np.bool_]) -> Floats:
        """Return the sum over responses of a number that all of an entry have."""
        return totals(self.position, self.slices.sums[0] * each, self.size)

    def mean(self, polynomial: Polynomial) -> tuple[Floats, Floats]:
        """Return the mean of a polynomial in u and its standard error."""
        n = self.n
        moved = polynomial.c[:, self.slices.cell]
        with np.errstate(all="ignore"):
            mean = totals(self.position, (moved * self.slices.sums[:3]).sum(axis=0), self.size) / n
            moved[0] -= mean[self.position]
            moved /= n[self.position]
            return mean, self.error(moved, n)

    def error(self, moved: Floats, n: Floats) -> Floats:
        """Return the standard error of what a response of each entry moves by a polynomial, (3, entries)."""
        square = totals(self.position, squares(moved, self.slices.sums), self.size)
        with np.errstate(all="ignore"):
            return np.where(n > 1, np.sqrt(np.maximum(square, 0.0) * n / (n - 1)), np.nan)


@dataclass(frozen=True)
class _Levels:
    """The levels of the scale, and on which of them every cell's scores fall."""

    chunk: Chunk
    points: Points
    human: Integers
    engine: Integers
    scores: CellScores

    @classmethod
    def of(cls, chunk: Chunk) -> _Levels:
        tallied = chunk.tallied
        points = whole_points(chunk.tally, None, tallied.scale, tallied.preparation.trim)
        human, engine = points.level(points.rated(0)), points.level(points.scored())
        return cls(chunk, points, human, engine, CellScores.of(chunk.tally, TRIMMED))

    @property
    def entries(self) -> Slices:
        """Entries of all items."""
        return self.chunk.tally.slices[BY_ITEM]

    @property
    def size(self) -> int:
        """Number of levels."""
        return len(self.points.labels)

    def by(self, level: Integers) -> _Sliced:
        """Return the responses by item and level."""
        position = self.entries.level * self.size + level[self.entries.cell]
        return _Sliced(self.entries, position, len(self.chunk.items) * self.size)

    def together(self) -> _Sliced:
        """Return the responses by item."""
        return _Sliced(self.entries, self.entries.level, len(self.chunk.items))

    def estimate(self, name: str, metric: str, value: Floats, error: Floats, n: Floats) -> Columns:
        """Return the columns of an estimate, with the interval that its metric asks for."""
        transform = METRICS[metric].transform
        value = np.where(n > 0, value, np.nan)
        low, high = limits(
            value, error, n - 1, transform, self.chunk.tallied.level, n if transform == "wilson" else None
        )
        return interval_columns(name, value, low, high, n)

    def share(self, name: str, metric: str, sliced: _Sliced, counted: NDArray[np.bool_]) -> Columns:
        """Return the percentage of responses that are `counted`, (cells,)."""
        n = sliced.n
        with np.errstate(all="ignore"):
            value = 100 * sliced.total(counted[self.entries.cell]) / n
        return self.estimate(name, metric, value, np.zeros_like(n), n)

    def mean_of(self, name: str, metric: str, sliced: _Sliced, polynomial: Polynomial, shift: float = 0.0) -> Columns:
        """Return the mean of a polynomial, moved by `shift`."""
        mean, error = sliced.mean(polynomial)
        return self.estimate(name, metric, shift + mean, error, sliced.n)


def level_tables(chunk: Chunk) -> Iterator[tuple[str, Columns]]:
    """Yield (key, rows) of the results by score level, on a scale of whole points."""
    levels = _Levels.of(chunk)
    yield "calibration", _calibration(levels)
    yield "levels.by_human", _by_human(levels)
    yield "levels.overall", _overall(levels)


def _start(levels: _Levels, name: str) -> Columns:
    items = len(levels.chunk.items)
    return {
        "_item": np.repeat(np.arange(items), levels.size),
        name: np.tile(np.array(levels.points.labels, object), items),
    }


def _calibration(levels: _Levels) -> Columns:
    sliced, scores = levels.by(levels.engine), levels.scores
    n = sliced.n
    error = scores.score - scores.ratings[0]
    columns = _start(levels, "band") | {"n": n.astype(np.int64)}
    columns["mean_system"] = scores.centre + sliced.mean(scores.score)[0]
    columns |= levels.mean_of("mean_human", "h_mean", sliced, scores.ratings[0], scores.centre)
    columns |= levels.mean_of("calibration_gap", "calibration_gap", sliced, error * -1.0)
    columns |= levels.share("precision", "precision", sliced, levels.human == levels.engine)
    return taken(columns, np.flatnonzero(n))


def _by_human(levels: _Levels) -> Columns:
    sliced, scores = levels.by(levels.human), levels.scores
    n, error = sliced.n, scores.score - scores.ratings[0]
    mean = scores.centre + sliced.mean(scores.ratings[0])[0]
    columns = _start(levels, "human") | {"n": n.astype(np.int64), "mean_human": mean}
    columns |= levels.share("recall", "recall", sliced, levels.human == levels.engine)
    columns |= levels.share("off_by_two", "off_by_two", sliced, np.abs(levels.human - levels.engine) >= 2)
    columns |= levels.mean_of("mean_error", "mean_error", sliced, error)
    rmse, spread = _root(*sliced.mean(error * error))
    columns |= levels.estimate("level_rmse", "level_rmse", rmse, spread, n)
    if (n == 0).any():  # a score that nobody was given has no row of numbers
        columns |= {name: np.where(n > 0, column, np.nan) for name, column in columns.items() if name.endswith("_n")}
    return columns


def _root(square: Floats, error: Floats) -> tuple[Floats, Floats]:
    root = np.sqrt(np.maximum(square, 0.0))
    with np.errstate(all="ignore"):
        return root, np.where(root > 0, error / (2 * root), 0.0)


def _overall(levels: _Levels) -> Columns:
    sliced, last = levels.together(), levels.size - 1
    kept = levels.human == levels.engine
    ends = {"lowest": levels.human == 0, "highest": levels.human == last}
    ends["extremes"] = ends["lowest"] | ends["highest"]
    found = {
        "levels.off_by_two": levels.share("value", "off_by_two", sliced, np.abs(levels.human - levels.engine) >= 2),
        "levels.macro_rmse": _macro_rmse(levels),
        RMSE_ROW: _rmse(levels),
        **{f"levels.{name}_kept": _share_of(levels, where, kept) for name, where in ends.items()},
        **_slopes(levels),
    }
    items = len(levels.chunk.items)
    parts = [
        {"_item": np.arange(items), "statistic": np.full(items, key, object), "n": columns["value_n"], **columns}
        for key, columns in found.items()
    ]
    return taken(stacked(parts), np.arange(len(parts) * len(levels.chunk.items)).reshape(len(parts), -1).T.ravel())


def _share_of(levels: _Levels, among: NDArray[np.bool_], counted: NDArray[np.bool_]) -> Columns:
    """Return the percentage of the responses `among`, (cells,), that are counted."""
    entries = levels.entries
    inside = np.flatnonzero(among[entries.cell])
    part = Slices(
        entries.labels, entries.level[inside], entries.cell[inside], entries.sums[:, inside], entries.minimum,
        entries.maximum,
    )  # fmt: skip
    sliced = _Sliced(part, part.level, len(entries.labels))
    n = sliced.n
    with np.errstate(all="ignore"):
        value = 100 * sliced.total(counted[part.cell]) / n
    return levels.estimate("value", "recall", value, np.zeros_like(n), n)


def _rmse(levels: _Levels) -> Columns:
    """Return the RMSE of every response counting alike, as other tables have it."""
    tallied = levels.chunk.tallied
    found = estimate_slices(
        levels.chunk.tally, BY_ITEM, TRIMMED, tallied.level, tallied.rater_error_variance, None,
        tallied.worst_errors(TRIMMED), keys=("system.rmse", "system.h_sd", "human.h_sd"),
    ).numbers["system.rmse"]  # fmt: skip
    return interval_columns("value", found.value, found.low, found.high, found.n)


def _macro_rmse(levels: _Levels) -> Columns:
    """Return the mean over human levels of the RMSE within the level; no interval when one has few responses."""
    by_level, sliced = levels.by(levels.human), levels.together()
    items = len(levels.chunk.items)
    error = levels.scores.score - levels.scores.ratings[0]
    square, n = error * error, by_level.n
    mean = np.maximum(by_level.mean(square)[0], 0.0)
    used = (n > 0).reshape(items, -1).sum(axis=1)
    with np.errstate(all="ignore"):
        slope = np.sqrt(n / (n - 1)) / (2 * np.sqrt(mean) * n * np.repeat(used, levels.size))
    slope = np.where((mean > 0) & (n > 1), slope, 0.0)
    moved = square.c[:, levels.entries.cell]
    moved[0] -= np.where((mean > 0) & (n > 1), mean, 0.0)[by_level.position]
    moved *= slope[by_level.position]
    added = totals(levels.entries.level, squares(moved, levels.entries.sums), items)
    few = ((n > 0) & (n < LEAST_AT_A_LEVEL)).reshape(items, -1).any(axis=1)
    value = np.where(n > 0, np.sqrt(mean), 0.0).reshape(items, -1).sum(axis=1) / used
    same = formed_scores(levels.chunk.tally, TRIMMED).exact[levels.entries.cell]
    few |= copies(sliced.total(same), sliced.n)
    return levels.estimate(
        "value", "macro_rmse", value, np.where(few, np.nan, np.sqrt(np.maximum(added, 0.0))), sliced.n
    )


def _slopes(levels: _Levels) -> Mapping[str, Columns]:
    tallied, tally = levels.chunk.tallied, levels.chunk.tally
    found_moments = moments(tally, BY_ITEM, TRIMMED)
    if BY_ITEM in tally.ratings_alone:
        found_moments = found_moments.with_ratings_alone(tally.ratings_alone[BY_ITEM])
    slopes = slopes_of(found_moments, tallied.rater_error_variance)
    found = {}
    for key, (value, error, n, units) in slopes.items():
        low, high = limits(value, error, units - 1, METRICS[key].transform, tallied.level)
        found[f"levels.{key}"] = interval_columns("value", value, low, high, n)
    return found


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
