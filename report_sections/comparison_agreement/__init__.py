"""Agreement with the human scores, means and standard deviations: old, new, change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from report_sections.changes import Change, case_of, changes, judged, pairs, tables_of
from report_sections.figures import Measure, dumbbells
from reportgen.metrics import METRICS
from reportgen.sections import Chart, Check, Evaluation, Findings, Section, Table, Term

MEASURES = {
    "trimmed": ("qwk", "r", "r_squared", "rmse", "mae", "smd"),
    "trimmed and rounded": ("kappa", "exact_agreement", "adjacent_agreement"),
}
"""Measures of agreement and error, by the form of the score that they are of."""


@dataclass(frozen=True)
class ComparisonAgreement(Section):
    """Every statistic of engine and human scores in all runs, overall and by form of the score.

    Parameters
    ----------
    metrics
        Metrics whose changes are drawn.
    """

    name: ClassVar[str] = "comparison_agreement"
    title: ClassVar[str] = "Agreement of engine and human scores"

    metrics: tuple[str, ...] = ("qwk", "r", "rmse", "smd", "prmse")

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return on how many measures each run is better or worse, the changes, and a figure of the important ones."""
        return Findings(
            values={"pairs": [_counted(evaluation, pair["old"], pair["new"]) for pair in pairs(evaluation)]},
            tables=(*_parted(evaluation), *tables_of(evaluation, "comparison.score_types")),
            charts=self._charts(evaluation),
        )

    def _charts(self, evaluation: Evaluation) -> tuple[Chart, ...]:
        rows = [*changes(evaluation, "comparison.overall"), *changes(evaluation, "comparison.true_score")]
        drawn = [
            row
            for metric in (self.metrics if evaluation.scale.ordered else ("kappa", *self.metrics))
            for row in rows
            if row.metric == metric and (row.form == "trimmed" or metric == "kappa")
        ]
        figures = (
            engines_figure(evaluation, drawn, pair["old"], pair["new"], place)
            for place, pair in enumerate(pairs(evaluation))
            if judged(pair)
        )
        return tuple(figure for figure in figures if figure)


def _parted(evaluation: Evaluation) -> tuple[Table, ...]:
    table = evaluation.tables.get("comparison.overall")
    if table is None:
        return ()
    measured = [_measures(row) for row in changes(evaluation, table.key)]  # those that are not comparable, too
    parts = [
        tuple(row for row, is_one in zip(table.rows, measured, strict=True) if is_one is kind) for kind in (True, False)
    ]
    shown = replace(table, rows=parts[0] or table.rows)
    described = replace(table, key=f"{table.key}.description", rows=parts[1])
    return (shown, described) if all(parts) else (shown,)


def _counted(evaluation: Evaluation, old: str, new: str) -> dict[str, Any]:
    rows = [
        row for row in changes(evaluation, "comparison.overall")
        if row.system == new and _measures(row) and row.change.defined
    ]  # fmt: skip
    counts = {reading: sum(row.reading == reading for row in rows) for reading in ("better", "worse")}
    return {"old": old, "new": new, "case": case_of(rows), "measures": len(rows), **counts}


def _measures(row: Change) -> bool:
    return row.metric in MEASURES.get(row.form, ())


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
    metric = METRICS.get(row.metric)
    better = metric.better if metric and metric.better in ("high", "low", "zero") else "high"
    limits = (check.low, check.high) if check else (None, None)
    missed = check is not None and check.outcome == "not met"
    return Measure(Term("short_statistic", key=row.metric), row.old, row.new, limits, better, missed)


def _requirement(evaluation: Evaluation, metric: str, run: str) -> Check | None:
    statistic = STATISTICS.get(metric, f"system.{metric}")
    return next((check for check in evaluation.checks if check.statistic == statistic and check.group == run), None)
