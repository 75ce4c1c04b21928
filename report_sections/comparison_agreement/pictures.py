"""Two engines on each measure: the earlier a hollow dot, the later a filled one, right is better."""

from __future__ import annotations

from collections.abc import Sequence

from report_sections.changes import Change
from report_sections.figures import Measure, dumbbells
from reportgen.metrics import METRICS
from reportgen.results import Check, Evaluation
from reportgen.sections import Chart, Term

KEY = "comparison.overall.chart"

STATISTICS = {"prmse": "true_score.prmse"}
"""Whole keys of statistics that are not of the family of the engine's scores."""


def engines_figure(evaluation: Evaluation, rows: Sequence[Change], old: str, new: str, place: int = 0) -> Chart | None:
    """Return the measures of one pair of engines; None where no measure is known of both.

    Parameters
    ----------
    rows
        Changes of the measures that are drawn, in their order.
    place
        Which pair it is, counted from 0.
    """
    known = [row for row in rows if row.system == new and row.old.defined and row.new.defined]
    if not known:
        return None
    measures = [_measure(row, _requirement(evaluation, row.metric, new)) for row in known]
    told = [{"metric": row.metric, "old": row.old, "new": row.new} for row in known]
    key = f"{KEY}.{place + 1}" if place else KEY
    return dumbbells(
        key,
        Term("engines_alt", old=old, new=new, measures=told),
        measures,
        (Term("run_label", run=old), Term("run_label", run=new)),
    )


def _measure(row: Change, check: Check | None) -> Measure:
    """Return one row of the figure, with what is required of it."""
    metric = METRICS.get(row.metric)
    better = metric.better if metric and metric.better in ("high", "low", "zero") else "high"
    limits = (check.low, check.high) if check else (None, None)
    missed = check is not None and check.outcome == "not met"
    return Measure(Term("short_statistic", key=row.metric), row.old, row.new, limits, better, missed)


def _requirement(evaluation: Evaluation, metric: str, run: str) -> Check | None:
    """Return the requirement on a measure of all responses under one run."""
    statistic = STATISTICS.get(metric, f"system.{metric}")
    return next((check for check in evaluation.checks if check.statistic == statistic and check.group == run), None)
