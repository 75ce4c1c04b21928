"""The headline numbers of all runs: tables, and a forest plot of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from report_sections.changes import one_set, tables_of
from report_sections.figures import dots_of
from report_sections.lookup import distinct, one_of, records
from reportgen.sections import Axis, Chart, Estimate, Evaluation, Findings, Rule, Section, Term
from reportgen.wording.numbers import num

TABLES = (
    "summary.descriptives", "summary.descriptives_rounded", "summary.association", "summary.agreement",
    "summary.true_score",
)  # fmt: skip
SOURCES = {
    "qwk": "summary.association",
    "r": "summary.association",
    "rmse": "summary.association",
    "smd": "summary.descriptives",
    "prmse": "summary.true_score",
    "kappa": "summary.agreement",
}
"""Which table holds the numbers of a forest plot."""

MOST_SAID = 8
"""Runs whose numbers the words for a chart tell."""


@dataclass(frozen=True)
class SummarizeAgreement(Section):
    """Descriptives, association, agreement and true-score evaluation of all runs, with forest plots.

    Parameters
    ----------
    forest
        Metrics that are drawn, each in a figure of its own: any of "qwk", "r", "rmse", "smd", "prmse".  The first page
        has the figure of all runs.
    """

    name: ClassVar[str] = "summarize_agreement"
    title: ClassVar[str] = "Agreement of engine and human scores"

    forest: tuple[str, ...] = ()

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return from where to where agreement reaches, and all runs side by side."""
        reach = _reach(evaluation)
        metrics = self.forest or (() if _drawn(evaluation) else (reach.get("metric", "qwk"),))
        charts = [chart for metric in metrics for chart in _forest(evaluation, metric)]
        return Findings(
            values={
                "one": one_of(evaluation),
                "apart": not one_set(evaluation),
                "drawn": _drawn(evaluation),
                **reach,
            },
            tables=tables_of(evaluation, *TABLES),
            charts=tuple(charts),
        )


def _drawn(evaluation: Evaluation) -> bool:
    """Return whether the first page draws these numbers: not that of traits or items."""
    return not evaluation.facts.get("traits") and not evaluation.facts.get("by")


def _numbers(evaluation: Evaluation, metric: str) -> list[tuple[str, Estimate]]:
    table = evaluation.tables.get(SOURCES.get(metric, ""))
    rows = records(table) if table else []
    found = [(str(row["run"]), row[metric]) for row in rows]
    return [(run, cell) for run, cell in found if isinstance(cell, Estimate) and cell.defined]


def _reach(evaluation: Evaluation) -> dict[str, Any]:
    """Return the runs of lowest and highest QWK, or kappa where labels have no order; nothing where none has it.

    Where raters are not the same, those of lowest and highest PRMSE, if that is known.
    """
    wanted = ("qwk", "kappa") if one_set(evaluation) else ("prmse", "qwk", "kappa")
    metric = next((each for each in wanted if len(_numbers(evaluation, each)) > (each == "prmse")), "")
    found = sorted(_numbers(evaluation, metric), key=lambda pair: pair[1].value or 0.0)
    if not found:
        return {"n": 0}
    (lowest, low), (highest, high) = found[0], found[-1]
    return {"n": len(found), "metric": metric, "lowest": lowest, "low": low, "highest": highest, "high": high}


def _forest(evaluation: Evaluation, metric: str) -> tuple[Chart, ...]:
    found = _numbers(evaluation, metric)
    if not found:
        return ()
    checks = [
        check
        for check in evaluation.checks
        if check.estimate.metric == metric and not check.statistic.startswith("degradation")
    ]
    bounds = {limit for check in checks for limit in (check.low, check.high) if limit is not None}
    runs, estimates = distinct(run for run, _ in found), [estimate for _, estimate in found]
    rules = tuple(Rule(limit, num(limit, estimates[0].kind)) for limit in sorted(bounds))
    alt = Term(
        "side_by_side_alt",
        metric=metric,
        named=[{"label": run, "value": value} for run, value in zip(runs, estimates, strict=True)][:MOST_SAID],
        more=max(len(found) - MOST_SAID, 0),
    )
    axes = Axis(Term("statistic", key=metric)), Axis("", categories=runs)
    dots = dots_of(Term("statistic", key=metric), runs, estimates)
    return (Chart(f"summary.forest.{metric}", "", alt, *axes, (*rules, dots)),)
