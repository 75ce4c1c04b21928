"""Agreement with the human scores, means and standard deviations: old, new, change."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from report_sections.changes import Change, case_of, changes, judged, pairs, tables_of
from report_sections.comparison_agreement.pictures import engines_figure
from reportgen.sections import Chart, Evaluation, Findings, Section, Table

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
    """Return the measures of agreement and error, and what describes the scores, each as a table."""
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
    """Return on how many measures of agreement and error a run is better, worse, or neither."""
    rows = [
        row for row in changes(evaluation, "comparison.overall")
        if row.system == new and _measures(row) and row.change.defined
    ]  # fmt: skip
    counts = {reading: sum(row.reading == reading for row in rows) for reading in ("better", "worse")}
    return {"old": old, "new": new, "case": case_of(rows), "measures": len(rows), **counts}


def _measures(row: Change) -> bool:
    return row.metric in MEASURES.get(row.form, ())
