"""True-score evaluation: how well the system predicts the mean over all raters who could have scored."""

from __future__ import annotations

from reportgen.evaluation.study import Study
from reportgen.evaluation.tables.build import count_column, metric_column, table
from reportgen.results import Column, Row, Table

METRICS_SHOWN = ("error_variance", "true_variance", "mse_true", "prmse")


def true_score_table(study: Study) -> Table:
    """Return the PRMSE of every score type and what it is made of."""
    rows = []
    for score in study.forms:
        slices = study.estimates(score)
        ratings = slices.sums.ratings
        multiple = int(ratings.multiple[0])
        counts = (study.tally.n, len(study.raters), study.tally.n - multiple, multiple)
        cells = [slices.estimate(f"true_score.{metric}") for metric in METRICS_SHOWN]
        rows.append(Row((score.type.label, *counts, *cells)))
    columns = (
        Column("score_type", "Engine score"),
        count_column(),
        Column("n_raters", "Raters", "count", shown=False),
        Column("n_single", "Scored once", "count", shown=False),
        count_column("n_multiple", "Scored twice or more"),
        *(metric_column(metric) for metric in METRICS_SHOWN),
    )
    caption = "Engine score as a predictor of the true score (the mean over all possible raters)"
    return table("true_score.prmse", caption, columns, rows, _note(study))


def _note(study: Study) -> tuple[str, ...]:
    """Say where the rater error variance comes from."""
    if study.rater_error_variance is None:
        return ("Rater error variance is estimated from the responses scored more than once; "
                "the intervals carry the uncertainty of that estimate.",)  # fmt: skip
    return (f"Rater error variance is given as {study.rater_error_variance:g}; the intervals take it as known.",)
