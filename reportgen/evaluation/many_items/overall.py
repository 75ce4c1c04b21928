"""Tables with the statistics of all responses to each item."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.estimates import SliceEstimates
from reportgen.evaluation.fairness import LABELS, Analyses, stacked_analyses
from reportgen.evaluation.many_items.counted import BY_ITEM, Chunk, GroupLevels
from reportgen.evaluation.statistics import AGREEMENT_METRICS
from reportgen.evaluation.tables.agreement import (
    FURTHER,
    FURTHER_OF_RATERS,
    LEADING,
    LEADING_OF_RATERS,
    NAMED,
    PAIR_METRICS,
    extremes_in,
)
from reportgen.evaluation.tables.build import DISCRETE_METRICS, called
from reportgen.evaluation.tallied_scores import ScoreForm
from reportgen.evaluation.true_scores import METRICS_SHOWN
from reportgen.metrics.catalogue import in_table
from reportgen.metrics.group_differences import minimum_detectable_difference
from reportgen.tally import limits
from reportgen.tally.cells import Integers
from reportgen.tally.contingency_tables import ErrorSums
from reportgen.tally.sums import Floats

if TYPE_CHECKING:
    import pandas as pd

Columns = dict[str, NDArray[Any]]
"""Column -> values; nan is no value."""

Mask = NDArray[np.bool_]
Made = Iterator[tuple[str, Columns]]
ByForm = Sequence[tuple[ScoreForm, SliceEstimates]]

Names = Mapping[str, str]
"""Column -> statistic that it holds."""

DESCRIPTIVES = {"human_mean": "system.h_mean", "system_mean": "system.system_mean", "human_sd": "system.h_sd",
                "system_sd": "system.system_sd"}  # fmt: skip
ASSOCIATION = {metric: f"system.{metric}" for metric in in_table("system_human.association")}
AGREEMENT = {metric: f"system.{metric}" for metric in in_table("system_human.agreement")}
OF_RATERS = {metric: f"human.{metric}" for metric in PAIR_METRICS}
TRUE_SCORES = {metric: f"true_score.{metric}" for metric in METRICS_SHOWN}

HUMAN = {{"h_mean": "h1_mean", "system_mean": "h2_mean"}.get(metric, metric): f"human.{metric}"
         for metric in (*LEADING_OF_RATERS, *FURTHER_OF_RATERS)}  # fmt: skip
SYSTEM = {NAMED.get(metric, metric): f"system.{metric}" for metric in (*LEADING, *FURTHER)}
"""Statistics of groups."""

SYSTEM_BY_GROUP = frozenset(SYSTEM.values())
"""Statistics of groups where one rater scored."""

BY_GROUP = SYSTEM_BY_GROUP | {*HUMAN.values(), "human.h_sd", "disattenuated.r"}
"""Statistics of groups; the SD of human scores bounds those of raters who never differ."""


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
        yield "human_human.agreement", start | estimates(rounded, OF_RATERS)
        yield "human_human.degradation", _degradation(by_form[-2:], items)
        yield "human_human.disattenuated", each_form(lambda _, found: disattenuated(found))
    yield "system_human.descriptives", each_form(lambda score, found: _descriptives(chunk, score, found))
    yield "system_human.association", each_form(lambda _, found: estimates(found, ASSOCIATION))
    points = np.array([item not in tallied.continuous for item in chunk.items], bool)
    on_points = dict.fromkeys(AGREEMENT.values(), points)
    yield (
        "system_human.agreement",
        each_form(lambda score, found: estimates(found, AGREEMENT, shown={} if score.form.rounded else on_points)),
    )
    if several or tallied.rater_error_variance is not None:
        yield "true_score.prmse", each_form(lambda _, found: _true_score(chunk, found))


def by_item(parts: Iterable[Columns]) -> Columns:
    """Return parts that each have a row for every item, item by item."""
    every = list(parts)
    order = np.arange(len(every) * len(every[0]["_item"])).reshape(len(every), -1).T.ravel()
    return taken(stacked(every), order)


def estimates(
    found: SliceEstimates, names: Names, rows: Integers | slice = slice(None), shown: Mapping[str, Mask] | None = None
) -> Columns:
    """Return the columns of several statistics, each with the ends of its interval and what it rests on.

    rows: Slices, in order.
    shown: Statistic -> (slices,): where it has a meaning, if not everywhere.
    """
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
    low, high = extremes_in(np.stack([slices.minimum, slices.maximum]), score.form, chunk.tally.bounds)
    ends = {"human_min": np.minimum.reduceat(human, starts), "human_max": np.maximum.reduceat(human, starts)}
    ends |= {"system_min": low, "system_max": high}
    return estimates(found, DESCRIPTIVES) | ends | estimates(found, {"smd": "system.smd"})


def _degradation(by_form: ByForm, items: Integers) -> Columns:
    """Return engine-human agreement less human-human agreement, metric by metric."""
    parts = []
    for metric in AGREEMENT_METRICS:
        score, found = by_form[metric in DISCRETE_METRICS]
        families = {"human_human": "human", "system_human": "system", "difference": "degradation"}
        names = {name: f"{family}.{metric}" for name, family in families.items()}
        start = {"_item": items, "metric": same(str(called(metric)), items)}
        parts.append({**start, "score_type": same(score.type.label, items), **estimates(found, names)})
    return by_item(parts)


def disattenuated(found: SliceEstimates, rows: Integers | slice = slice(None)) -> Columns:
    """Return correlations corrected for the unreliability of one human score, and what they are made of."""
    human = found.numbers["human.r"].value
    with np.errstate(invalid="ignore"):
        root = np.where(human >= 0, np.sqrt(human), np.nan)
    parts = estimates(found, {"corr_HM": "system.r", "corr_HH": "human.r"}, rows)
    return parts | {"sqrt_HH": root[rows]} | estimates(found, {"corr_disattenuated": "disattenuated.r"}, rows)


def _true_score(chunk: Chunk, found: SliceEstimates) -> Columns:
    multiple = _counts(found.sums.ratings.multiple)
    columns: Columns = {
        "n_raters": np.full(len(multiple), len(chunk.tallied.raters)),
        "n_single": _counts(found.sums.system.n) - multiple,
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
"""Table -> what it says, in the order of the report."""


@dataclass(frozen=True)
class LongTable:
    """A table of many items.

    columns: Column -> values, the first of which name the item and what it is divided into; masked where not shown.
    """

    key: str
    columns: Columns

    @property
    def caption(self) -> str:
        """What it says."""
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


def named(labels: Sequence[str], places: Integers) -> NDArray[Any]:
    """Return labels by their places."""
    every = np.empty(len(labels), object)
    every[:] = labels
    return every[places]


def stacked(parts: Iterable[Columns]) -> Columns:
    """Return the rows of all parts, one after the other; every part has the same columns."""
    every = list(parts)
    return {name: np.concatenate([part[name] for part in every]) for name in every[0]} if every else {}


def filled(parts: Sequence[Columns]) -> list[Columns]:
    """Return parts with the columns of all of them, in the order in which they come; blank where a part had none."""
    texts: dict[str, bool] = {}
    for part in parts:
        texts |= {name: column.dtype == object or texts.get(name, False) for name, column in part.items()}

    def column(part: Columns, name: str) -> NDArray[Any]:
        if name in part and (part[name].dtype == object or not texts[name]):
            return part[name]
        blank: NDArray[Any] = np.full(
            len(part["_item"]), "" if texts[name] else np.nan, object if texts[name] else float
        )
        return blank

    return [{name: column(part, name) for name in texts} for part in parts]


def taken(columns: Mapping[str, NDArray[Any]], order: Integers) -> Columns:
    """Return rows in an order."""
    return {name: column[order] for name, column in columns.items()}


def group_tables(chunk: Chunk, grouping: str, found: SliceEstimates, sums: ErrorSums) -> Made:
    """Yield (key, rows) of every table of one grouping; none where no level is shown.

    found, sums: Estimates of trimmed scores, with agreement of rounded ones, and sums of errors, of all levels of the
        chunk.
    """
    levels, tallied = chunk.groups[grouping], chunk.tallied
    if not levels.labels:
        return
    order = levels.order()
    start, n = _start(grouping, levels, order), levels.n[order]
    items = chunk.by_form[-2].sums.system.n
    yield (
        "data.groups",
        {
            **start,
            "n": _counts(n),
            "share": 100 * n / items[levels.item[order]],
            "insufficient": n < tallied.min_n_of(grouping),
        },
    )
    several = np.ones(len(found.labels), bool)
    several[levels.begin : levels.begin + len(n)] = ~levels.alone()
    rows = levels.begin + order
    shown = {"system.dsm": several, "human.dsm": several}
    made = start | {"n": _counts(found.sums.system.n[rows])}
    for name, key in SYSTEM.items():
        made |= estimates(found, {name: key}, rows, shown)
        if key == "system.dsm":
            made["detectable"] = _detectable(found, several)[rows]
    yield "by_group", made
    if len(tallied.raters) > 1:
        twice = order[~levels.twice[order]]
        start, rows = _start(grouping, levels, twice), levels.begin + twice
        both = start | {"n": _counts(found.sums.human.n[rows])}
        yield "human_human.by", both | estimates(found, HUMAN, rows, shown)
        yield "human_human.disattenuated.by", start | disattenuated(found, rows)
    yield from fairness_tables(chunk, grouping, sums)


def _start(grouping: str, levels: GroupLevels, order: Integers) -> Columns:
    """Return the columns that say what a row is about."""
    return {"_item": levels.item[order], "group": same(grouping, order), "level": named(levels.labels, order)}


def _detectable(found: SliceEstimates, several: Mask) -> Floats:
    """Return the smallest difference of standardized means that would probably be seen."""
    dsm = found.numbers["system.dsm"]
    error = np.where(several & np.isfinite(dsm.value), dsm.error, np.nan)
    least = minimum_detectable_difference(error, found.sums.system.n - 1)
    return np.where(np.isfinite(least) & (least > 0), least, np.nan)


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
