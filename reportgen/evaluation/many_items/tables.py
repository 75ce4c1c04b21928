"""All tables of all items, with rows for each item and its divisions."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.differences import true_score_differences
from reportgen.evaluation.estimates import SliceEstimates, rounded_agreement
from reportgen.evaluation.fairness import KEYS, Analysis, stacked_analyses
from reportgen.evaluation.intervals import Numbers
from reportgen.evaluation.levels import OVERALL_ROWS, Levels, slopes_of
from reportgen.evaluation.many_items.counted import BY_ITEM, Chunk, Inside, ItemsStudy, between, reduced, within
from reportgen.evaluation.panel import panel_results
from reportgen.evaluation.points import Grid, in_whole_points
from reportgen.evaluation.rater_effects import withheld_columns
from reportgen.evaluation.statistics import AGREEMENT_METRICS, DISCRETE_METRICS
from reportgen.evaluation.suppression import Suppression
from reportgen.evaluation.tables import agreement
from reportgen.evaluation.tables.agreement import Names
from reportgen.evaluation.tables.build import called
from reportgen.evaluation.tallied_scores import Plan, ScoreForm, TalliedScores
from reportgen.evaluation.true_scores import METRICS_SHOWN
from reportgen.machine.worker_processes import ahead
from reportgen.metrics.given_true_score import minimum_detectable_difference
from reportgen.results import Table
from reportgen.tally import OVERALL, TRIMMED, ErrorSums, Floats, Integers, error_sums, limits, moments

if TYPE_CHECKING:
    import pandas as pd


def item_tables(studies: Iterable[ItemsStudy], threads: ThreadPoolExecutor | None = None) -> list[LongTable]:
    """Return every table of all items, computed by `threads`; `_item` is the item's position among all studies."""
    parts: dict[str, list[Columns]] = {}
    first = 0
    chunks = (chunk for tallied in studies for chunk in tallied.chunks())
    for items, made in ahead(threads, lambda chunk: (len(chunk.items), list(_of_chunk(chunk))), chunks):
        for key, columns in made:
            columns["_item"] = columns["_item"] + first
            parts.setdefault(key, []).append(columns)
        first += items
    return [LongTable(key, stacked(parts[key])) for key in CAPTIONS if key in parts]


def _of_chunk(chunk: Chunk) -> Made:
    tallied = chunk.tallied
    yield from level_tables(chunk)
    yield from overall_tables(chunk)
    if tallied.also:
        yield from single_tables(chunk, tallied.also)
    for grouping, levels in chunk.groups.items():
        if levels.labels:
            yield from group_tables(chunk, grouping)


PANEL, DIFFERENCES = "panel", "differences"

ALSO = (PANEL, DIFFERENCES)  # optional tables

DIFFERENCES_KEY = "fairness.given_true_score"

NOT_MADE = "not_made"

NO_POINTS = "the points of the scale are not whole numbers; reportgen batch --tables-only makes it from the rows"
"""Reason if an item has no tables of points of its scale."""

Flat = dict[str, Any]  # cells of one row by column


def single_tables(chunk: Chunk, also: Sequence[str]) -> Made:
    """Yield (key, rows) of the additional tables, and why some are missing."""
    rows: dict[str, list[Flat]] = {}
    for item, tallied in enumerate(_studies(chunk)):
        for key, start, found in _tables(tallied, also):
            if isinstance(found, str):
                rows.setdefault(NOT_MADE, []).append({"_item": item, "table": key, "group": "", "why": found, **start})
            else:
                header, body = found.flat()
                lines = (dict(zip(header, line, strict=True)) for line in body)
                rows.setdefault(key, []).extend({"_item": item, **start, **line} for line in lines)
    for key, made in rows.items():
        names = dict.fromkeys(name for row in made for name in row)  # missing columns of a row are blank
        yield key, {name: _column([row.get(name) for row in made]) for name in names}


def _tables(tallied: TalliedScores, also: Sequence[str]) -> Iterator[tuple[str, Flat, Table | str]]:
    """Yield key, leading columns of rows, and an item's table or why there is none."""
    if PANEL in also and in_whole_points(tallied.scale):
        yield from ((table.key, {}, table) for table in panel_results(tallied, unrounded=False)[0])
    elif PANEL in also:
        yield PANEL, {}, NO_POINTS
    if DIFFERENCES in also:
        for grouping in tallied.groups:
            table, why = true_score_differences(tallied, grouping)
            yield DIFFERENCES_KEY, {"group": grouping}, table or why


def _studies(chunk: Chunk) -> Iterator[TalliedScores]:
    """Yield the counted scores of every item, with the shown groups."""
    many, tally, family = chunk.tallied, chunk.tally, chunk.tallied.forms[0].family
    plan = {each.name: getattr(many, each.name) for each in fields(Plan)}
    for item, label in enumerate(chunk.items):
        slices = {OVERALL: replace(between(tally.slices[BY_ITEM], item, item + 1), labels=("",))}
        for grouping, levels in chunk.groups.items():
            first, last = np.searchsorted(levels.item, [item, item + 1]).tolist()
            if last > first:
                part = between(tally.slices[within(grouping)], first, last)
                slices[grouping] = replace(part, labels=levels.labels[first:last])
        known = tally.ratings_alone.get(BY_ITEM)
        alone = known.of_level(label) if known else None
        own = reduced(tally, slices, {OVERALL: alone} if alone else {})
        few = np.flatnonzero(withheld_columns(own, many.least)).tolist()
        yield TalliedScores(
            **plan, tallies={family: own}, forms=many.forms, groups=tuple(name for name in slices if name != OVERALL),
            withheld=Suppression(many.least, raters=frozenset(few)),
        )  # fmt: skip


def _column(cells: Sequence[Any]) -> NDArray[Any]:
    if any(isinstance(cell, str) for cell in cells):
        return np.array(["" if cell is None else str(cell) for cell in cells], object)
    if all(isinstance(cell, int) for cell in cells):
        return np.array(cells, np.int64)
    return np.array([np.nan if cell is None else float(cell) for cell in cells])


Columns = dict[str, NDArray[Any]]  # values by column, nan if missing

Mask = NDArray[np.bool_]
Made = Iterator[tuple[str, Columns]]
ByForm = Sequence[tuple[ScoreForm, SliceEstimates]]

TRUE_SCORES = {metric: f"true_score.{metric}" for metric in METRICS_SHOWN}


def overall_tables(chunk: Chunk) -> Made:
    """Yield (key, rows) of every table of whole items, in the order of the report."""
    tallied, items = chunk.tallied, np.arange(len(chunk.items))
    several = len(tallied.raters) > 1
    by_form = list(zip(tallied.forms, chunk.by_form, strict=True))

    def each_form(make: Callable[[ScoreForm, SliceEstimates], Columns]) -> Columns:
        return by_item(
            {"_item": items, "score_type": same(score.type.label, items), "n": _counts(found.sums.system.n)}
            | make(score, found)
            for score, found in by_form
        )

    if several:
        rounded = chunk.by_form[-1]
        start: Columns = {"_item": items, "n": _counts(rounded.sums.human.n)}
        yield "human_human.agreement", start | estimates(rounded, agreement.OF_RATERS)
        yield "human_human.degradation", _degradation(by_form[-2:], items)
        yield "human_human.disattenuated", each_form(lambda _, found: disattenuated(found))
    yield "system_human.descriptives", each_form(lambda score, found: _descriptives(chunk, score, found))
    yield "system_human.association", each_form(lambda _, found: estimates(found, agreement.ASSOCIATION))
    points = np.array([item not in tallied.continuous for item in chunk.items], bool)
    names = agreement.AGREEMENT_ON_POINTS
    on_points = dict.fromkeys(names.values(), points)
    agreeing = each_form(lambda score, found: estimates(found, names, shown={} if score.form.rounded else on_points))
    yield "system_human.agreement", agreeing
    if several or tallied.rater_error_variance is not None:
        yield "true_score.prmse", each_form(lambda _, found: _true_score(chunk, found))


def by_item(parts: Iterable[Columns]) -> Columns:
    """Interleave parts with one row per item, by item."""
    every = list(parts)
    order = np.arange(len(every) * len(every[0]["_item"])).reshape(len(every), -1).T.ravel()
    return taken(stacked(every), order)


def estimates(
    found: SliceEstimates, names: Names, rows: Integers | slice = slice(None), shown: Mapping[str, Mask] | None = None
) -> Columns:
    """Return the columns of multiple statistics with intervals and numbers of responses, if `shown`."""
    columns: Columns = {}
    for name, key in names.items():
        each, mask = found.numbers[key], (shown or {}).get(key)
        value = each.value if mask is None else np.where(mask, each.value, np.nan)
        made = interval_columns(name, value, each.low, each.high, each.n)
        columns |= {label: np.broadcast_to(column, each.low.shape)[rows] for label, column in made.items()}
    return columns


def _descriptives(chunk: Chunk, score: ScoreForm, found: SliceEstimates) -> Columns:
    slices = chunk.tally.slices[BY_ITEM]
    human, starts = chunk.tally.cells.ratings[slices.cell, 0], slices.starts()[:-1]
    low, high = agreement.extremes_in(np.stack([slices.minimum, slices.maximum]), score.form, chunk.tally.bounds)
    ends = {"human_min": np.minimum.reduceat(human, starts), "human_max": np.maximum.reduceat(human, starts)}
    ends |= {"system_min": low, "system_max": high}
    return estimates(found, agreement.DESCRIPTIVES) | ends | estimates(found, {"smd": "system.smd"})


def _degradation(by_form: ByForm, items: Integers) -> Columns:
    parts = []
    for metric in AGREEMENT_METRICS:
        score, found = by_form[metric in DISCRETE_METRICS]
        families = {"human_human": "human", "system_human": "system", "difference": "degradation"}
        names = {name: f"{family}.{metric}" for name, family in families.items()}
        start = {"_item": items, "metric": same(str(called(metric)), items)}
        parts.append({**start, "score_type": same(score.type.label, items), **estimates(found, names)})
    return by_item(parts)


def disattenuated(found: SliceEstimates, rows: Integers | slice = slice(None)) -> Columns:
    """Return correlations corrected for the unreliability of one human score, and their parts."""
    human = found.numbers["human.r"].value
    with np.errstate(invalid="ignore"):
        root = np.where(human >= 0, np.sqrt(human), np.nan)
    parts = estimates(found, {"corr_HM": "system.r", "corr_HH": "human.r"}, rows)
    return parts | {"sqrt_HH": root[rows]} | estimates(found, {"corr_disattenuated": "disattenuated.r"}, rows)


def _true_score(chunk: Chunk, found: SliceEstimates) -> Columns:
    multiple = _counts(found.sums.ratings.multiple)
    columns: Columns = {
        "n_raters": np.full(len(multiple), len(chunk.tallied.raters)),
        "n_single": _counts(found.sums.system.n + chunk.tally.scored_by_raters_alone(BY_ITEM)) - multiple,
        "n_multiple": multiple,
    }
    varies = found.numbers["true_score.true_variance"].value > 0
    return columns | estimates(found, TRUE_SCORES, shown={"true_score.prmse": varies})


def _counts(n: Floats) -> NDArray[np.int64]:
    return n.astype(np.int64)


def same(label: str, rows: Integers) -> NDArray[np.object_]:
    """Return a label in as many rows."""
    return np.full(len(rows), label, object)


CAPTIONS: Mapping[str, str] = tomllib.loads(Path(__file__).with_name("captions.toml").read_text(encoding="utf-8"))
"""Captions by table, in the order of the report."""


@dataclass(frozen=True)
class LongTable:
    """A table of many items as values by column, masked if withheld; the first columns identify the row."""

    key: str
    columns: Columns

    @property
    def caption(self) -> str:
        """The caption."""
        return CAPTIONS[self.key]

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(next(iter(self.columns.values())))

    def frame(self) -> pd.DataFrame:
        """Return the table as a pandas frame, unrounded."""
        import pandas as pd

        hidden = {name: each for name, each in self.columns.items() if isinstance(each, np.ma.MaskedArray)}
        filled = {name: np.ma.filled(each.astype(float), np.nan) for name, each in hidden.items()}
        return pd.DataFrame({**self.columns, **filled})


def interval_columns(key: str, value: Floats, low: Floats, high: Floats, n: Floats) -> Columns:
    """Return the four columns of an estimate."""
    known = np.isfinite(value) & np.isfinite(low) & np.isfinite(high)
    return {
        key: np.where(np.isfinite(value), value, np.nan),
        f"{key}_low": np.where(known, low, np.nan),
        f"{key}_high": np.where(known, high, np.nan),
        f"{key}_n": n.astype(np.int64),
    }


def stacked(parts: Iterable[Columns]) -> Columns:
    """Concatenate the rows of all parts; missing columns are blank."""
    every = list(parts)
    names = dict.fromkeys(name for part in every for name in part)
    texts = {name for part in every for name, column in part.items() if column.dtype == object}

    def column(part: Columns, name: str) -> NDArray[Any]:
        known, text = part.get(name), name in texts
        if known is None or (text and known.dtype != object):
            return np.full(len(part["_item"]), "" if text else np.nan, object if text else float)
        return known

    return {name: np.concatenate([column(part, name) for part in every]) for name in names}


def taken(columns: Mapping[str, NDArray[Any]], order: Integers) -> Columns:
    """Return rows in an order."""
    return {name: column[order] for name, column in columns.items()}


def group_tables(chunk: Chunk, grouping: str) -> Made:
    """Yield (key, rows) of every table of one grouping, for trimmed scores and agreement of rounded ones."""
    levels, tallied, slices = chunk.groups[grouping], chunk.tallied, within(grouping)
    found = chunk.estimates(slices, TRIMMED, (BY_ITEM, levels.item))
    if tallied.preparation.rounding.points:
        found = replace(found, numbers=found.numbers | rounded_agreement(chunk.tally, slices, found, tallied.level))
    order = levels.order()
    start, n = _start(grouping, levels, order), levels.n[order]
    share = 100 * n / chunk.by_form[-2].sums.system.n[levels.item[order]]
    sizes: Columns = {"n": _counts(n), "share": share, "insufficient": n < tallied.min_n_of(grouping)}
    yield "data.groups", start | sizes
    several = ~levels.alone()
    shown = {"system.dsm": several, "human.dsm": several}
    made = start | {"n": _counts(n)}
    for name, key in agreement.BY_GROUP.items():
        made |= estimates(found, {name: key}, order, shown)
        if key == "system.dsm":  # the minimum detectable difference
            dsm = found.numbers[key]
            error = np.where(several & np.isfinite(dsm.value), dsm.error, np.nan)
            least = minimum_detectable_difference(error, found.sums.system.n - 1)[order]
            made["detectable"] = np.where(np.isfinite(least) & (least > 0), least, np.nan)
    yield "by_group", made
    if len(tallied.raters) > 1:
        twice = order[~chunk.twice(grouping)[order]]
        start = _start(grouping, levels, twice)
        both = start | {"n": _counts(found.sums.human.n[twice])}
        yield "human_human.by", both | estimates(found, agreement.OF_RATERS_BY_GROUP, twice, shown)
        yield "human_human.disattenuated.by", start | disattenuated(found, twice)
    yield from fairness_tables(chunk, grouping)


def _start(grouping: str, levels: Inside, order: Integers) -> Columns:
    names = np.array(levels.labels, object)
    return {"_item": levels.item[order], "group": same(grouping, order), "level": names[order]}


def fairness_tables(chunk: Chunk, grouping: str) -> Made:
    """Yield explained variance and contrasts of groups, for all items with at least two shown groups."""
    levels, sums = chunk.groups[grouping], error_sums(chunk.tally, within(grouping), TRIMMED)
    explained: list[Columns] = []
    contrasts: list[Columns] = []
    for items, own, scores in _stacks(levels, sums):
        stack = sums.sums[:, own[:, :, None], scores[:, None, :]]
        found = stacked_analyses(stack, sums.human[scores])
        n, labels = levels.n[own], np.array(levels.labels, object)[own]
        explained.append(_explained(items, found, n.sum(axis=1), labels[:, 0]))
        contrasts.append(_contrasts(items, found, labels, n, chunk.tallied.level))
    for key, parts in (("fairness.explained", explained), ("fairness.contrasts", contrasts)):
        if parts:
            made = stacked(parts)
            start: Columns = {"_item": made["_item"], "group": same(grouping, made["_item"])}
            yield key, taken(start | made, np.argsort(made["_item"], kind="stable"))


def _stacks(levels: Inside, sums: ErrorSums) -> Iterator[tuple[Integers, Integers, Integers]]:
    """Yield items with equal numbers of levels and human scores: the items, their levels, and their scores.

    They have shapes (items,), (items, levels), and (items, scores), and are positions among all levels and scores.
    """
    order = levels.order()
    ends = np.searchsorted(levels.item[order], np.arange(int(levels.item.max(initial=-1)) + 2))
    by_shape: dict[tuple[int, int], list[tuple[int, Integers, Integers]]] = {}
    for item, (start, stop) in enumerate(zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)):
        if stop - start >= 2:
            own = order[start:stop]
            scores = np.flatnonzero(sums.sums[0, own].any(axis=0))
            by_shape.setdefault((stop - start, len(scores)), []).append((item, own, scores))
    for found in by_shape.values():
        items = np.array([item for item, _, _ in found], np.intp)
        yield items, np.stack([own for _, own, _ in found]), np.stack([scores for _, _, scores in found])


def _explained(items: Integers, found: Sequence[Analysis], n: Floats, base: NDArray[Any]) -> Columns:
    r_squared, p = (np.stack([getattr(each, name) for each in found], axis=1) for name in ("r_squared", "p"))
    columns = {
        "_item": items[:, None],
        "analysis": np.array(KEYS, object),
        "r_squared": np.where(np.isfinite(r_squared), r_squared, np.nan),
        "p": np.where(np.isfinite(p), p, np.nan),
        "n": n.astype(np.int64)[:, None],
        "base_group": base[:, None],
    }
    return _filled(columns, p.shape)


def _contrasts(items: Integers, found: Sequence[Analysis], labels: NDArray[Any], n: Floats, level: float) -> Columns:
    names = "coefficients", "errors", "p_of_levels"
    value, error, p = (np.stack([getattr(each, name) for each in found], axis=1) for name in names)
    freedom = np.stack([each.freedom for each in found], axis=1)[..., None]
    low, high = limits(value, error, np.broadcast_to(freedom, value.shape), "none", level)
    columns = {
        "_item": items[:, None, None],
        "analysis": np.array(KEYS, object)[:, None],
        "level": labels[:, None],
        "reference": np.arange(labels.shape[1]) == 0,
        "n": n.astype(np.int64)[:, None],
        **interval_columns("estimate", value, low, high, n[:, None]),
        "p": np.where(np.isfinite(p), p, np.nan),
    }
    return _filled(columns, value.shape)


def _filled(columns: Columns, shape: tuple[int, ...]) -> Columns:
    return {name: np.broadcast_to(column, shape).ravel() for name, column in columns.items()}


def level_tables(chunk: Chunk) -> Made:
    """Yield (key, rows) of the tables of points and levels; none if points are not integers."""
    tallied = chunk.tallied
    if not in_whole_points(tallied.scale):
        return
    points = Grid.of(tallied.scale, tallied.preparation).points(chunk.tally, None, tallied.scale)
    levels = Levels.of(points, tallied.level, BY_ITEM)
    human = points.rated(0)
    crossed = points.crossed(BY_ITEM, human, points.scored())
    yield "confusion.system", _confusion(crossed, points.categories, "system")
    if len(tallied.raters) > 1:
        both = points.crossed(BY_ITEM, human, points.rated(1))
        yield "confusion.human", _confusion(both, points.categories, "second_human")
    yield "distribution", _distribution(crossed, levels)
    calibration = _by_level(levels, "band", levels.by_engine(), "mean_system")
    yield "calibration", taken(calibration, np.flatnonzero(calibration["n"]))
    by_human = _by_level(levels, "human", levels.by_human(), "mean_human")
    if not (there := by_human["n"] > 0).all():  # unused scores have no rows
        by_human |= {name: np.where(there, each, np.nan) for name, each in by_human.items() if name.endswith("_n")}
    yield "levels.by_human", by_human
    yield "levels.overall", _overall(chunk, levels)


def _confusion(crossed: Floats, categories: Floats, second: str) -> Columns:
    item, row, column = np.nonzero(crossed)
    n = crossed[item, row, column].astype(np.int64)
    return {"_item": item, "human": categories[row], second: categories[column], "n": n}


def _distribution(crossed: Floats, levels: Levels) -> Columns:
    """Return human and engine shares of responses at every point, and the difference with its interval."""
    human, engine = crossed.sum(axis=2), crossed.sum(axis=1)
    n = human.sum(axis=1, keepdims=True)
    columns: Columns = {
        "_item": np.arange(len(crossed))[:, None],
        "score": levels.points.categories,
        "human_n": human.astype(np.int64),
        "human_percent": 100 * human / n,
        "system_n": engine.astype(np.int64),
        "system_percent": 100 * engine / n,
    }
    if levels.points.width > 1:
        columns["difference"] = 100 * (engine - human) / n
    else:
        made = [_columns("difference", each) for each in levels.share_differences()]
        columns |= {name: np.stack([each[name] for each in made], axis=1) for name in made[0]}
    return _filled(columns, human.shape)


def _columns(name: str, found: Numbers) -> Columns:
    return interval_columns(name, np.where(found.n > 0, found.value, np.nan), found.low, found.high, found.n)


def _by_level(levels: Levels, name: str, found: Mapping[str, Numbers], plain: str) -> Columns:
    """Return a row for each item and level; the `plain` statistic has only its value."""
    items = np.arange(len(levels.slices.labels))[:, None]
    start = {"_item": items, name: np.array(levels.points.labels, object)}
    columns = _filled(start, (len(items), levels.size)) | {"n": found[plain].n.astype(np.int64)}
    for key, each in found.items():
        columns |= {key: each.value} if key == plain else _columns(key, each)
    return columns


def _overall(chunk: Chunk, levels: Levels) -> Columns:
    tallied, items = chunk.tallied, np.arange(len(chunk.items))
    own = moments(chunk.tally, BY_ITEM, TRIMMED)
    slopes = {
        f"levels.{key}": each for key, each in slopes_of(own, tallied.rater_error_variance, tallied.level).items()
    }
    found = {key: _columns("value", each) for key, each in (levels.overall() | slopes).items()}
    found["system.rmse"] = estimates(chunk.by_form[-2], {"value": "system.rmse"})
    return by_item(
        {"_item": items, "statistic": same(at, items), "n": found[at]["value_n"], **found[at]} for at in OVERALL_ROWS
    )
