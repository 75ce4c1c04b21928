"""Tables with the statistics of all responses to each item."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.estimates import SliceEstimates, estimate_slices
from reportgen.evaluation.many_items.counted import Chunk, ItemsStudy
from reportgen.evaluation.many_items.items import BY_ITEM
from reportgen.evaluation.many_items.long import Columns, estimate_columns, stacked, taken
from reportgen.evaluation.statistics import AGREEMENT_METRICS, SUM_STATISTICS, THROUGH_WHOLE
from reportgen.evaluation.tables.agreement import extremes_in
from reportgen.evaluation.tables.build import DISCRETE_METRICS, called
from reportgen.evaluation.tables.raters import PAIR_METRICS
from reportgen.evaluation.tables.true_score import METRICS_SHOWN
from reportgen.evaluation.tallied_scores import ScoreForm
from reportgen.metrics.catalogue import in_table
from reportgen.tally import Form
from reportgen.tally.cells import Floats, Integers

Rows = Integers
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
        yield "human_human.agreement", _human_agreement(estimates[-1], items)
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
    """Return the rows of every score type, item by item."""
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


def _human_agreement(rounded: SliceEstimates, items: Rows) -> Columns:
    start: Columns = {"_item": items, "n": _counts(rounded.sums.human.n)}
    return start | _of_keys(rounded, "human", PAIR_METRICS, items)


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
