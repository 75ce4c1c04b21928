"""True-score evaluation: how well the system predicts the mean over all raters who could have scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reportgen.evaluation.planning import Prospect, plan_from_data, prospects
from reportgen.evaluation.tables.build import count_column, metric_column, table
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.results import Column, Estimate, Row, Table

METRICS_SHOWN = ("error_variance", "true_variance", "mse_true", "prmse")


def true_score_table(tallied: TalliedScores) -> Table:
    """Return the PRMSE of every score type and what it is made of."""
    rows = []
    for score in tallied.forms:
        slices = tallied.estimates(score)
        ratings = slices.sums.ratings
        multiple = int(ratings.multiple[0])
        counts = (tallied.tally.n, len(tallied.raters), tallied.tally.n - multiple, multiple)
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
    return table("true_score.prmse", caption, columns, rows, _note(tallied))


def parts_table(estimates: Mapping[str, Estimate]) -> Table:
    """Return PRMSE taken apart, with what can be done about each part."""
    found = {name: estimates[f"true_score.{name}"] for name in PARTS}
    rows = [Row((*words, found[name]), "overall" if name == "prmse" else "") for name, words in PARTS.items()]
    columns = (Column("part", "Part"), Column("remedy", "What can be done"), metric_column("prmse", "value", "PRMSE"))
    notes = (
        "PRMSE = ρ² − ρ²(1 − γ)² − δ² (Casabianca et al., 2023); the three parts divide by the number of ratings, so "
        "they add up to PRMSE but for a share of the order of 1 / n.",
    )
    return table(
        "true_score.parts", "PRMSE taken apart: what the engine can reach, and what is lost", columns, rows, notes
    )


PARTS = {
    "best_prmse": ("Best attainable, ρ²", "only a better engine raises it"),
    "scale_loss": ("Lost to scale, ρ²(1 − γ)²", "rescaling regains it"),
    "bias_loss": ("Lost to the mean, δ²", "rescaling regains it"),
    "prmse": ("PRMSE of the engine score", ""),
    "rounding_cost": ("Lost further by rounding", "report the score unrounded"),
}
"""Estimate -> name of the part, and its remedy."""


def double_scoring_table(
    tallied: TalliedScores, estimates: Mapping[str, Estimate], thresholds: Sequence[float]
) -> Table | None:
    """Return what more double scores would buy; None where the data say too little to plan with."""
    prmse, true, error = (estimates[f"true_score.{name}"] for name in ("prmse", "true_variance", "error_variance"))
    if tallied.rater_error_variance is not None or None in (prmse.value, true.value, error.value):
        return None
    width = None if prmse.low is None or prmse.high is None else prmse.high - prmse.low
    plan = plan_from_data(
        prmse.value or 0.0, true.value or 0.0, error.value or 0.0, tallied.tally.n, prmse.n, width, tallied.level
    )
    if plan is None:
        return None
    rows = [_prospect_row(each) for each in prospects(plan, thresholds=thresholds)]
    columns = (
        Column("what", "Double scores"),
        count_column("n_multiple", "Scored twice or more"),
        count_column("n", "Of responses"),
        Column("half_width", "PRMSE ±", "coefficient"),
    )
    notes = (
        "± is half of the expected interval, from the rater error, PRMSE and interval found here; responses to score "
        "twice are taken at random. An interval that is expected just to leave a value out does so in about half of "
        "all samples: plan with a margin. Where there are not enough, responses are added, each scored twice.",
    )
    return table("true_score.double_scoring", "What more double scores would buy", columns, rows, notes)


def _prospect_row(each: Prospect) -> Row:
    what = each.what.capitalize()
    return Row((what if each.double is not None else f"{what}: out of reach", each.double, each.n, each.half_width))


def _note(tallied: TalliedScores) -> tuple[str, ...]:
    """Say where the rater error variance comes from."""
    if tallied.rater_error_variance is None:
        return ("Rater error variance is estimated from the responses scored more than once; "
                "the intervals carry the uncertainty of that estimate.",)  # fmt: skip
    return (f"Rater error variance is given as {tallied.rater_error_variance:g}; the intervals take it as known.",)
