"""Tables with the statistics of all responses to each item."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.estimates import Numbers, SliceEstimates, estimate_slices
from reportgen.evaluation.fairness import LABELS, Analyses, stacked_analyses
from reportgen.evaluation.many_items.counted import BY_ITEM, Chunk, GroupLevels, ItemsStudy
from reportgen.evaluation.statistics import AGREEMENT_METRICS, SUM_STATISTICS, THROUGH_WHOLE
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
from reportgen.tally import Form, limits
from reportgen.tally.cells import Integers, totals
from reportgen.tally.contingency_tables import ErrorSums
from reportgen.tally.sums import Floats

if TYPE_CHECKING:
    import pandas as pd

Rows = Integers

Columns = dict[str, NDArray[Any]]
"""Column -> values; nan is no value."""

Made = Iterator[tuple[str, Columns]]
Make = Callable[[ScoreForm, SliceEstimates], Columns]

DESCRIPTIVES = {"h_mean": "human_mean", "system_mean": "system_mean", "h_sd": "human_sd", "system_sd": "system_sd"}
ASSOCIATION, AGREEMENT = in_table("system_human.association"), in_table("system_human.agreement")


def overall_tables(chunk: Chunk) -> Made:
    """Yield (key, rows) of every table of whole items, in the order of the report."""
    tallied, items = chunk.tallied, np.arange(len(chunk.items))
    estimates = [
        estimate_slices(
            chunk.tally, BY_ITEM, score.form, tallied.level, tallied.rater_error_variance, None,
            tallied.worst_errors(score.form), items, _needed(tallied, score.form),
        )
        for score in tallied.forms
    ]  # fmt: skip
    if not tallied.preparation.rounding.points:
        estimates = [each.on_continuous_scale() for each in estimates]
    by_form = list(zip(tallied.forms, estimates, strict=True))
    if len(tallied.raters) > 1:
        start: Columns = {"_item": items, "n": _counts(estimates[-1].sums.human.n)}
        yield "human_human.agreement", start | _of_keys(estimates[-1], "human", PAIR_METRICS, items)
        yield "human_human.degradation", _degradation(tallied.forms[-2:], estimates[-2:], items)
        yield "human_human.disattenuated", _each_form(by_form, items, lambda _, found: disattenuated(found, items))
    yield (
        "system_human.descriptives",
        _each_form(by_form, items, lambda score, found: _descriptives(chunk, score, found, items)),
    )
    yield (
        "system_human.association",
        _each_form(by_form, items, lambda _, found: _of_keys(found, "system", ASSOCIATION, items)),
    )
    points = np.array([item not in tallied.counted.continuous for item in chunk.items], bool)
    yield "system_human.agreement", _each_form(
        by_form, items,
        lambda score, found: _of_keys(
            found, "system", AGREEMENT, items, None if score.form.rounded else points
        ),
    )  # fmt: skip
    if len(tallied.raters) > 1 or tallied.rater_error_variance is not None:
        yield "true_score.prmse", _each_form(by_form, items, lambda _, found: _true_score(chunk, found, items))


def _needed(tallied: ItemsStudy, form: Form) -> frozenset[str]:
    """Return the statistics of whole items that some table has, for one form of the score."""
    several = len(tallied.raters) > 1
    families = {"system"}
    if several:
        families |= {"human", "degradation", "disattenuated"} if form.trimmed else {"disattenuated"}
    if several or tallied.rater_error_variance is not None:
        families.add("true_score")
    keys = {*SUM_STATISTICS, "system.kappa", "human.kappa", "degradation.kappa"} - THROUGH_WHOLE
    found = {key for key in keys if key.split(".")[0] in families}
    # the SD bounds scores that never differ
    return frozenset(found | ({"human.r", "human.h_sd"} if several else set()))


def _each_form(by_form: Sequence[tuple[ScoreForm, SliceEstimates]], items: Rows, make: Make) -> Columns:
    parts = [
        {"_item": items, "score_type": _same(score.type.label, items), "n": _counts(found.sums.system.n[items])}
        | make(score, found)
        for score, found in by_form
    ]
    order = np.arange(len(parts) * len(items)).reshape(len(parts), -1).T.ravel()
    return taken(stacked(parts), order)


def _of_keys(
    found: SliceEstimates, family: str, metrics: Sequence[str], rows: Rows, shown: NDArray[np.bool_] | None = None
) -> Columns:
    """Return the columns of several statistics of one family."""
    columns: Columns = {}
    for metric in metrics:
        columns |= estimate_columns(metric, found.numbers[f"{family}.{metric}"], rows, shown)
    return columns


def _descriptives(chunk: Chunk, score: ScoreForm, found: SliceEstimates, items: Rows) -> Columns:
    columns: Columns = {}
    for metric, name in DESCRIPTIVES.items():
        columns |= estimate_columns(name, found.numbers[f"system.{metric}"], items)
    slices = chunk.tally.slices[BY_ITEM]
    human, starts = chunk.tally.cells.ratings[slices.cell, 0], slices.starts()[:-1]
    ends = extremes_in(np.stack([slices.minimum, slices.maximum]), score.form, chunk.tally.bounds)
    columns |= {"human_min": np.minimum.reduceat(human, starts), "human_max": np.maximum.reduceat(human, starts)}
    columns |= {"system_min": ends[0], "system_max": ends[1]}
    return columns | estimate_columns("smd", found.numbers["system.smd"], items)


def _degradation(forms: Sequence[ScoreForm], estimates: Sequence[SliceEstimates], items: Rows) -> Columns:
    """Return engine-human agreement less human-human agreement, metric by metric."""
    parts = []
    for metric in AGREEMENT_METRICS:
        place = 1 if metric in DISCRETE_METRICS else 0
        columns: Columns = {
            "_item": items,
            "metric": _same(str(called(metric)), items),
            "score_type": _same(forms[place].type.label, items),
        }
        for name, family in (("human_human", "human"), ("system_human", "system"), ("difference", "degradation")):
            columns |= estimate_columns(name, estimates[place].numbers[f"{family}.{metric}"], items)
        parts.append(columns)
    return taken(stacked(parts), np.arange(len(parts) * len(items)).reshape(len(parts), -1).T.ravel())


def disattenuated(found: SliceEstimates, rows: Rows) -> Columns:
    """Return correlations corrected for the unreliability of one human score, and what they are made of."""
    human = found.numbers["human.r"].value
    with np.errstate(invalid="ignore"):
        root = np.where(human >= 0, np.sqrt(human), np.nan)
    return (
        estimate_columns("corr_HM", found.numbers["system.r"], rows)
        | estimate_columns("corr_HH", found.numbers["human.r"], rows)
        | {"sqrt_HH": root[rows]}
        | estimate_columns("corr_disattenuated", found.numbers["disattenuated.r"], rows)
    )


def _true_score(chunk: Chunk, found: SliceEstimates, items: Rows) -> Columns:
    multiple = _counts(found.sums.ratings.multiple[items])
    columns: Columns = {
        "n_raters": np.full(len(items), len(chunk.tallied.raters)),
        "n_single": _counts(found.sums.system.n[items]) - multiple,
        "n_multiple": multiple,
    }
    varies = found.numbers["true_score.true_variance"].value > 0
    for metric in METRICS_SHOWN:
        shown = varies if metric == "prmse" else None
        columns |= estimate_columns(metric, found.numbers[f"true_score.{metric}"], items, shown)
    return columns


def _counts(n: Floats) -> NDArray[np.int64]:
    return n.astype(np.int64)


def _same(label: str, rows: Rows) -> NDArray[np.object_]:
    return np.full(len(rows), label, object)


@dataclass(frozen=True)
class LongTable:
    """A table of many items.

    columns: Column -> values, the first of which name the item and what it is divided into; masked where not shown.
    """

    key: str
    caption: str
    columns: Columns

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(next(iter(self.columns.values())))

    def frame(self) -> pd.DataFrame:
        """Return the table as a pandas frame, unrounded."""
        import pandas as pd

        hidden = {name: each for name, each in self.columns.items() if isinstance(each, np.ma.MaskedArray)}
        filled = {name: np.ma.filled(each.astype(float), np.nan) for name, each in hidden.items()}
        return pd.DataFrame({**self.columns, **filled})


def estimate_columns(key: str, numbers: Numbers, rows: Integers, shown: NDArray[np.bool_] | None = None) -> Columns:
    """Return the four columns of an estimate for some slices; no value where it is undefined or not shown.

    shown (slices,): where it has a meaning; everywhere when left out.
    """
    value = numbers.value if shown is None else np.where(shown, numbers.value, np.nan)
    columns = interval_columns(key, value, numbers.low, numbers.high, numbers.n)
    shape = columns[f"{key}_low"].shape
    return {name: np.broadcast_to(column, shape)[rows] for name, column in columns.items()}


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

    found, rounded, sums: Estimates of trimmed scores, what is said of rounded ones, and sums of errors, of all levels
        of the chunk.
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
