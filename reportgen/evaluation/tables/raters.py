"""Human-human agreement, and the system held against it: degradation and disattenuated correlations."""

from __future__ import annotations

import numpy as np

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
from reportgen.results import Cell, Column, Row, Table
from reportgen.tally import OVERALL


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
    rows = [row for row in rows if row.cells[1]]  # nobody scored once, or nobody twice
    columns = (
        Column("rater", "Rater"),
        count_column(),
        *(
            Column(key, label, "score")
            for key, label in (("mean", "Mean"), ("sd", "SD"), ("min", "Min"), ("max", "Max"))
        ),
    )
    caption = "Human scores of the first two raters, on all evaluated responses and on those that both scored"
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
    caption = "Agreement of the first two human raters, on the responses that both scored"
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
    rows = [disattenuated_row(study, score, score.type.label) for score in study.forms]
    caption = (
        "Correlation of system and human scores, corrected for the unreliability of one human score "
        "(engine-human on all responses, human-human on those scored twice)"
    )
    columns = (Column("score_type", "Engine score"), *DISATTENUATED)
    return table("human_human.disattenuated", caption, columns, rows)


DISATTENUATED = (
    Column("corr_HM", "r engine-human", "coefficient"),
    Column("corr_HH", "r human-human", "coefficient"),
    Column("sqrt_HH", "Root of r human-human", "coefficient"),
    Column("corr_disattenuated", "Disattenuated r", "coefficient"),
)


def disattenuated_row(study: Study, score: ScoreForm, label: str, grouping: str = OVERALL, level: int = 0) -> Row:
    """Return one row of a table of disattenuated correlations."""
    slices = study.estimates(score, grouping)
    system, human = slices.estimate("system.r", level), slices.estimate("human.r", level)
    root = float(np.sqrt(human.value)) if human.value is not None and human.value >= 0 else None
    return Row((label, system, human, root, slices.estimate("disattenuated.r", level)))
