"""All reports in one figure: the decision of each, agreement, mean, accuracy, and the group that lies farthest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from report_sections.figures import NONE, ReportRow, reports_chart
from report_sections.lookup import records
from report_sections.words import distinct
from reportgen.results import Check, Estimate, Evaluation, Kind
from reportgen.sections import Chart, Term

KEY = "summary.decisions.chart"

COLUMNS: tuple[tuple[str, Kind], ...] = (
    ("system.qwk", "coefficient"), ("system.kappa", "coefficient"), ("system.smd", "difference"),
    ("true_score.prmse", "coefficient"), ("system.dsm", "difference"),
)  # fmt: skip
"""Statistics that are drawn, those of groups last; what no report has is left out, and kappa where QWK is known."""

GROUPS = "system.dsm"

TABLES = {
    "system.qwk": "summary.association", "system.kappa": "summary.agreement", "system.smd": "summary.descriptives",
    "true_score.prmse": "summary.true_score",
}  # fmt: skip
"""Which table holds a number of all responses."""

MOST_DRAWN = 30
"""Reports that are drawn; the table has them all."""

MOST_SAID = 6
"""Reports whose answers the words for the figure tell."""


def reports_figure(evaluation: Evaluation) -> Chart | None:
    """Return a row for each report, with its answer where it has one; None for fewer than two."""
    decisions = {each["run"]: each for each in evaluation.facts.get("decisions") or ()}
    runs = [str(run) for run in evaluation.facts.get("runs") or ()]
    labels = distinct(runs[:MOST_DRAWN])
    drawn = _columns(evaluation, runs)
    rows = [
        _row(evaluation, label, decisions.get(run, {}), run, drawn) for label, run in zip(labels, runs, strict=False)
    ]
    if len(rows) < 2 or not any(estimate for row in rows for estimate in row.estimates):
        return None
    told = [{"run": row.label, "decision": row.decision} for row in rows]
    alt = Term("decisions_alt", named=told[:MOST_SAID], more=max(0, len(runs) - MOST_SAID))
    columns = tuple(
        (Term("largest_group_difference") if statistic == GROUPS else Term("short_statistic", key=statistic), kind)
        for statistic, kind in drawn
    )
    return reports_chart(KEY, alt, rows, Term("answer"), columns)


def _columns(evaluation: Evaluation, runs: Sequence[str]) -> tuple[tuple[str, Kind], ...]:
    """Return the statistics that are drawn: kappa only where no run has QWK."""
    known = any(_stored(evaluation, "system.qwk", run) for run in runs)
    return tuple(each for each in COLUMNS if not (known and each[0] == "system.kappa"))


def _row(
    evaluation: Evaluation, label: str, decision: Mapping[str, Any], run: str, drawn: Sequence[tuple[str, Kind]]
) -> ReportRow:
    """Return what is drawn of one report; a number that no requirement is about is one of its tables."""
    stored = [_stored(evaluation, statistic, run) for statistic, _ in drawn]
    found = [_check(decision.get("checks", ()), statistic) for statistic, _ in drawn]
    return ReportRow(
        label,
        Term(decision["decision"]) if decision.get("decision") else "",
        tuple(check.estimate if check else own for check, own in zip(found, stored, strict=True)),
        tuple(check.outcome if check else "" for check in found),
        tuple((check.low, check.high) if check else NONE for check in found),
    )


def _stored(evaluation: Evaluation, statistic: str, run: str) -> Estimate | None:
    """Return a number of all responses of a run as the tables have it."""
    table = evaluation.tables.get(TABLES.get(statistic, ""))
    metric = statistic.rpartition(".")[2]
    found = [row.get(metric) for row in records(table) if row["run"] == run] if table else []
    return found[0] if found and isinstance(found[0], Estimate) and found[0].defined else None


def _check(checks: Sequence[Check], statistic: str) -> Check | None:
    """Return the requirement on a statistic: on all responses, or of groups the one that lies farthest.

    A group beyond its limit comes before all others, and one of too few responses after them.
    """
    own = [check for check in checks if check.statistic == statistic and bool(check.column) == (statistic == GROUPS)]
    rank = {"not met": 0, "insufficient": 2}
    own.sort(key=lambda check: (rank.get(check.outcome, 1), -abs(check.estimate.value or 0.0)))
    return own[0] if own and own[0].outcome != "insufficient" else None
