"""True-score evaluation: how well the system predicts the mean over all raters who could have scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from reportgen.evaluation.planning import plan_from_data, prospects
from reportgen.evaluation.rescaled import human_ends, rescalings
from reportgen.evaluation.tables.build import metric_column, table
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.results import Column, Estimate, Row, Table
from reportgen.results.term import Term

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
        Column("score_type"),
        Column("n", kind="count"),
        Column("n_raters", kind="count", shown=False),
        Column("n_single", kind="count", shown=False),
        Column("n_multiple", kind="count"),
        *(replace(metric_column(metric), label="") for metric in METRICS_SHOWN),
    )
    given = tallied.rater_error_variance
    note = Term("error_variance_estimated") if given is None else Term("error_variance_given", value=given)
    return table("true_score.prmse", "", columns, rows, (note,))


def parts_table(estimates: Mapping[str, Estimate]) -> Table:
    """Return PRMSE taken apart, with what can be done about each part."""
    rows = [
        Row((Term(f"stair.{name}"), Term(f"remedy.{name}"), estimates[f"true_score.{name}"]),
            "overall" if name == "prmse" else "")
        for name in PARTS
    ]  # fmt: skip
    columns = (Column("part"), Column("remedy"), replace(metric_column("prmse", "value"), label=""))
    return table("true_score.parts", "", columns, rows, (Term("parts_formula"),))


def rescaling_table(tallied: TalliedScores, estimates: Mapping[str, Estimate]) -> Table | None:
    """Return what rescaling would do to PRMSE, QWK, SD and the use of the ends; None where PRMSE has no parts."""
    found = rescalings(tallied, estimates)
    if not found:
        return None
    # PRMSE of the best line is an estimate already, whose divisors differ by a share of the order 1 / n
    known = {"to_true_scores": estimates["true_score.best_prmse"].value}
    rows = [
        Row((
            Term(f"rescaling.{each.key}"), known.get(each.key, each.prmse), each.qwk, each.rounded_qwk, each.sd,
            each.ends,
        ))
        for each in found
    ]  # fmt: skip
    own, one = tallied.estimates(tallied.primary), estimates["true_score.prmse_of_ratings_1"].value
    raters = own.estimate("human.qwk").value if len(tallied.raters) > 1 else None
    sd = own.estimate("system.h_sd").value
    rows.append(Row((Term("first_rater"), one, raters, raters, sd, human_ends(tallied))))
    columns = (
        Column("form"),
        Column("prmse", kind="coefficient"),
        Column("qwk", kind="coefficient"),
        Column("rounded_qwk", kind="coefficient"),
        Column("sd", kind="score"),
        Column("ends", kind="percent", unit="%"),
    )
    return table("true_score.rescaling", "", columns, rows, (Term("rescaling_note"),))


PARTS = ("best_prmse", "scale_loss", "bias_loss", "prmse", "rounding_cost")
"""Estimates of the parts of PRMSE, from the best attainable to what rounding costs."""


def double_scoring_table(tallied: TalliedScores, estimates: Mapping[str, Estimate]) -> Table | None:
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
    rows = [
        Row((Term(f"plan.{each.what.replace(' ', '_')}"), each.double, each.n, each.half_width))
        for each in prospects(plan)
    ]
    columns = (
        Column("what"),
        Column("n_multiple", kind="count"),
        Column("n", kind="count"),
        Column("half_width", kind="coefficient"),
    )
    return table("true_score.double_scoring", "", columns, rows, (Term("plan_note"),))
