"""Engine-human and human-human agreement: overall, by score type, degradation, by group."""

from __future__ import annotations

import numpy as np

from reportgen.evaluation.criteria import GROUP_CRITERION
from reportgen.evaluation.statistics import AGREEMENT_METRICS
from reportgen.evaluation.study import ScoreForm, Study
from reportgen.evaluation.tables.build import (
    DISCRETE_METRICS,
    count_column,
    estimate_cells,
    metric_column,
    table,
)
from reportgen.metrics import METRICS
from reportgen.results import Cell, Column, Mark, Row, Table
from reportgen.tally import OVERALL
from reportgen.verdicts import judge

WHO = {"human": "Human", "system": "Engine"}
"""How the two scores are called on the page."""


def system_tables(study: Study) -> list[Table]:
    """Return descriptives, association and agreement of every score type with the first human score."""
    return [_descriptives(study), _association(study), _agreement(study)]


def _descriptives(study: Study) -> Table:
    """Return means, SDs and extremes of human and engine scores by score type."""
    human = study.tally.cells.ratings[:, 0]
    rows = []
    for score in study.forms:
        slices = study.estimates(score)
        low, high = system_extremes(study, score)
        keys = ["system.h_mean", "system.system_mean", "system.h_sd", "system.system_sd"]
        cells = estimate_cells(slices, keys)
        extremes = (float(human.min()), float(human.max()), low, high)
        rows.append(Row((score.type.label, study.tally.n, *cells, *extremes, slices.estimate("system.smd"))))
    columns = (
        Column("score_type", "Engine score"),
        count_column(),
        metric_column("h_mean", "human_mean"),
        metric_column("system_mean"),
        metric_column("h_sd", "human_sd"),
        metric_column("system_sd"),
        *(Column(f"{who}_{end}", f"{WHO[who]} {end}", "score", shown=False)
          for who in ("human", "system") for end in ("min", "max")),
        metric_column("smd"),
    )  # fmt: skip
    return table(
        "system_human.descriptives",
        "Means and standard deviations of the first human score and of each form of the engine score, "
        "on all evaluated responses",
        columns,
        rows,
    )


def system_extremes(study: Study, score: ScoreForm) -> tuple[float, float]:
    """Return the smallest and largest engine score in one form."""
    tally = study.tallies[score.family]
    overall = tally.slices[OVERALL]
    ends = np.array([overall.minimum[0], overall.maximum[0]])
    if score.form.trimmed:
        ends = np.clip(ends, *tally.bounds)
    if score.form.rounded:
        ends = np.rint(ends)
    return float(ends[0]), float(ends[1])


def _association(study: Study) -> Table:
    """Return how closely each score type follows the human score."""
    metrics = ("qwk", "r", "r_squared", "rmse", "mae")
    rows = [
        Row(
            (score.type.label, study.tally.n, *estimate_cells(study.estimates(score), [f"system.{m}" for m in metrics]))
        )
        for score in study.forms
    ]
    columns = (Column("score_type", "Engine score"), count_column(), *(metric_column(metric) for metric in metrics))
    return table(
        "system_human.association",
        "Association of the engine score with the first human score, on all evaluated responses",
        columns,
        rows,
    )


def _agreement(study: Study) -> Table:
    """Return agreement on score points; unrounded continuous scores have none."""
    metrics = ("kappa", "exact_agreement", "adjacent_agreement")
    keys = [f"system.{metric}" for metric in metrics]
    rows = [
        Row((
            score.type.label,
            study.tally.n,
            *estimate_cells(study.estimates(score), keys, continuous=score.type.continuous),
        ))
        for score in study.forms
    ]  # fmt: skip
    columns = (Column("score_type", "Engine score"), count_column(), *(metric_column(metric) for metric in metrics))
    return table(
        "system_human.agreement",
        "Agreement of the engine score with the first human score on score points, on all evaluated responses",
        columns,
        rows,
    )


def human_tables(study: Study) -> list[Table]:
    """Return human-human agreement, degradation and disattenuated correlations; none without a second rater."""
    if len(study.raters) < 2:
        return []
    return [_raters(study), _human_agreement(study), _degradation(study), _disattenuated(study)]


def _raters(study: Study) -> Table:
    """Return means and SDs of the raters: the first on all responses, both on those that both scored."""
    ratings = study.tally.cells.ratings
    weight = np.bincount(study.tally.slices[OVERALL].cell, study.tally.slices[OVERALL].sums[0], len(ratings))
    first, second = study.raters[0], study.raters[1]
    both = np.isfinite(ratings[:, 0]) & np.isfinite(ratings[:, 1])
    rows = [
        Row((label, *_describe(ratings[keep, rater], weight[keep])))
        for label, rater, keep in (
            (f"{first}, all responses", 0, np.isfinite(ratings[:, 0])),
            (f"{first}, scored once", 0, np.isfinite(ratings[:, 0]) & ~both),
            (f"{first}, scored twice", 0, both),
            (f"{second}, scored twice", 1, both),
        )
    ]
    columns = (
        Column("rater", "Rater"),
        count_column(),
        *(
            Column(key, label, "score")
            for key, label in (("mean", "Mean"), ("sd", "SD"), ("min", "Min"), ("max", "Max"))
        ),
    )
    caption = "Human scores by rater, on all evaluated responses and on those that both raters scored"
    return table("human_human.descriptives", caption, columns, rows)


def _describe(values: np.ndarray, weight: np.ndarray) -> tuple[Cell, ...]:
    """Return n, mean, SD, min and max of weighted values."""
    n = float(weight.sum())
    if n == 0:
        return (0, None, None, None, None)
    mean = float((weight * values).sum() / n)
    sd = float(np.sqrt((weight * (values - mean) ** 2).sum() / (n - 1))) if n > 1 else None
    return (int(n), mean, sd, float(values.min()), float(values.max()))


def _human_agreement(study: Study) -> Table:
    """Return the agreement of the first two raters."""
    metrics = ("qwk", "r", "kappa", "exact_agreement", "adjacent_agreement", "smd")
    slices = study.estimates(study.primary_rounded)
    cells = estimate_cells(slices, [f"human.{metric}" for metric in metrics])
    pair = f"{study.raters[0]} and {study.raters[1]}"
    n = int(slices.sums.human.n[0])
    columns = (Column("pair", "Raters"), count_column(), *(metric_column(metric) for metric in metrics))
    caption = "Agreement of the two human raters, on the responses that both scored"
    return table("human_human.agreement", caption, columns, [Row((pair, n, *cells))])


def _degradation(study: Study) -> Table:
    """Return engine-human agreement minus human-human agreement, with the interval of the difference."""
    rows = []
    for metric in AGREEMENT_METRICS:
        score = study.primary_rounded if metric in DISCRETE_METRICS else study.primary
        slices = study.estimates(score)
        parts = [slices.estimate(f"{family}.{metric}") for family in ("human", "system", "degradation")]
        rows.append(Row((METRICS[metric].label, score.type.label, *parts)))
    columns = (
        Column("metric", "Metric"),
        Column("score_type", "Engine score"),
        Column("human_human", "Human-human", "coefficient"),
        Column("system_human", "Engine-human", "coefficient"),
        Column("difference", "Difference", "difference"),
    )
    n, both = study.tally.n, int(study.estimates(study.primary).sums.human.n[0])
    caption = (
        f"Engine-human agreement (on all {n:,} responses) minus human-human agreement "
        f"(on the {both:,} that both raters scored)"
    )
    return table("human_human.degradation", caption, columns, rows)


def _disattenuated(study: Study) -> Table:
    """Return correlations corrected for the unreliability of one human score."""
    rows = [_disattenuated_row(study, score, score.type.label) for score in study.forms]
    caption = (
        "Correlation of system and human scores, corrected for the unreliability of one human score "
        "(engine-human on all responses, human-human on those scored twice)"
    )
    columns = (Column("score_type", "Engine score"), *_DISATTENUATED)
    return table("human_human.disattenuated", caption, columns, rows)


_DISATTENUATED = (
    Column("corr_HM", "r engine-human", "coefficient"),
    Column("corr_HH", "r human-human", "coefficient"),
    Column("sqrt_HH", "Root of r human-human", "coefficient"),
    Column("corr_disattenuated", "Disattenuated r", "coefficient"),
)


def _disattenuated_row(study: Study, score: ScoreForm, label: str, grouping: str = OVERALL, level: int = 0) -> Row:
    """Return one row of a table of disattenuated correlations."""
    slices = study.estimates(score, grouping)
    system, human = slices.estimate("system.r", level), slices.estimate("human.r", level)
    root = float(np.sqrt(human.value)) if human.value is not None and human.value >= 0 else None
    return Row((label, system, human, root, slices.estimate("disattenuated.r", level)))


def group_tables(study: Study, grouping: str) -> list[Table]:
    """Return the tables of one group: engine-human, and human-human when there is a second rater."""
    tables = [_by_group(study, grouping)]
    if len(study.raters) > 1:
        tables += [_human_by_group(study, grouping), _disattenuated_by_group(study, grouping)]
    return tables


ALL_DATA = "All data"

_GROUP_KEYS = ("system.h_mean", "system.system_mean", "system.dsm", "system.qwk", "system.rmse",
               "system.h_sd", "system.system_sd", "system.r", "system.r_squared")  # fmt: skip
_GROUP_ROUNDED_KEYS = ("system.kappa", "system.exact_agreement", "system.adjacent_agreement")


def _by_group(study: Study, grouping: str) -> Table:
    """Return engine-human statistics of every level, largest first; the whole set comes first."""
    rows = [Row((ALL_DATA, *_group_cells(study, OVERALL, 0)), "overall")]
    largest, *_ = order = study.level_order(grouping)
    labels = study.tally.slices[grouping].labels
    for level in order:
        cells = _group_cells(study, grouping, level)
        rows.append(Row((labels[level], *cells), _group_mark(study, grouping, level, is_largest=level == largest)))
    columns = (
        Column("level", grouping),
        count_column(),
        metric_column("h_mean", "human_mean"),
        metric_column("system_mean"),
        metric_column("dsm"),
        metric_column("qwk"),
        metric_column("rmse"),
        metric_column("h_sd", "human_sd", shown=False),
        *(metric_column(m, shown=False)
          for m in ("system_sd", "r", "r_squared", "kappa", "exact_agreement", "adjacent_agreement")),
    )  # fmt: skip
    caption = f"Engine and first human score by {grouping}; engine score: {study.primary.type.label.lower()}"
    return table(f"by_group.{grouping}", caption, columns, rows, _size_note(study, rows))


def _size_note(study: Study, rows: list[Row]) -> tuple[str, ...]:
    """Return the note on small groups when there are any."""
    small = sum(row.mark == "insufficient" for row in rows)
    return (f"Groups of fewer than {study.min_n} responses are shown and not judged.",) if small else ()


def _group_cells(study: Study, grouping: str, level: int) -> tuple[Cell, ...]:
    """Return one level's cells, in the order of the columns of `_by_group`."""
    trimmed = study.estimates(study.primary, grouping)
    rounded = study.estimates(study.primary_rounded, grouping)
    # the whole set differs from itself by nothing: a difference of standardized means has no meaning there
    dsm: Cell = None if grouping == OVERALL else trimmed.estimate("system.dsm", level)
    before = estimate_cells(trimmed, ("system.h_mean", "system.system_mean"), level)
    after = ("system.qwk", "system.rmse", "system.h_sd", "system.system_sd", "system.r", "system.r_squared")
    agreement = estimate_cells(
        rounded, [f"system.{m}" for m in sorted(DISCRETE_METRICS, key=list(METRICS).index)], level
    )
    n = int(trimmed.sums.system.n[level])
    return (n, *before, dsm, *estimate_cells(trimmed, after, level), *agreement)


def _group_mark(study: Study, grouping: str, level: int, *, is_largest: bool) -> Mark:
    """Return how a level's row is marked: too small, beyond the bounds, or the largest."""
    estimate = study.estimates(study.primary, grouping).estimate("system.dsm", level)
    outcome = judge(estimate, GROUP_CRITERION.low, GROUP_CRITERION.high, study.min_n)
    if outcome == "insufficient":
        return "insufficient"
    if outcome == "not met":
        return "flagged"
    return "reference" if is_largest else ""


def _human_by_group(study: Study, grouping: str) -> Table:
    """Return human-human agreement of every level."""
    labels = study.tally.slices[grouping].labels
    rows = [Row((ALL_DATA, *_human_group_cells(study, OVERALL, 0)), "overall")]
    rows += [Row((labels[level], *_human_group_cells(study, grouping, level))) for level in study.level_order(grouping)]
    columns = (
        Column("level", grouping),
        count_column(),
        metric_column("h_mean", "h1_mean", study.raters[0] + " mean"),
        metric_column("system_mean", "h2_mean", study.raters[1] + " mean"),
        metric_column("dsm"),
        metric_column("qwk"),
        metric_column("r"),
        *(metric_column(m, shown=False) for m in ("kappa", "exact_agreement", "adjacent_agreement")),
    )
    caption = f"Agreement of the two human raters by {grouping}, on the responses that both scored"
    return table(f"human_human.by.{grouping}", caption, columns, rows)


def _human_group_cells(study: Study, grouping: str, level: int) -> tuple[Cell, ...]:
    """Return one level's cells, in the order of the columns of `_human_by_group`."""
    slices = study.estimates(study.primary_rounded, grouping)
    metrics = ("h_mean", "system_mean", "dsm", "qwk", "r", "kappa", "exact_agreement", "adjacent_agreement")
    cells = list(estimate_cells(slices, [f"human.{m}" for m in metrics], level))
    if grouping == OVERALL:
        cells[metrics.index("dsm")] = None  # as in `_group_cells`
    return (int(slices.sums.human.n[level]), *cells)


def _disattenuated_by_group(study: Study, grouping: str) -> Table:
    """Return disattenuated correlations of every level."""
    labels = study.tally.slices[grouping].labels
    rows = [
        _disattenuated_row(study, study.primary, labels[level], grouping, level)
        for level in study.level_order(grouping)
    ]
    caption = (
        f"Correlation of system and human scores by {grouping}, corrected for the unreliability of one human score"
    )
    columns = (Column("level", grouping), *_DISATTENUATED)
    return table(f"human_human.disattenuated.by.{grouping}", caption, columns, rows)
