"""The headline numbers over time, when the runs carry dates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from report_sections.changes import one_set
from report_sections.figures import dots_of
from report_sections.lookup import distinct, records
from reportgen.sections import Axis, Chart, Estimate, Evaluation, Findings, Section, Table, Term

MOST_SAID = 8
"""Runs whose numbers the words for a chart tell."""


@dataclass(frozen=True)
class SummarizeHistory(Section):
    """Each headline metric by date.

    Parameters
    ----------
    metrics
        Metrics that are drawn.
    """

    name: ClassVar[str] = "summarize_history"
    title: ClassVar[str] = "History"

    metrics: tuple[str, ...] = ("qwk", "smd", "prmse")

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the runs by date; nothing where they carry fewer than two."""
        table = evaluation.tables.get("summary.history")
        if table is None:
            return Findings(values={"n": 0})
        dates = [str(row["created"]) for row in records(table)]
        return Findings(
            values={"n": len(dates), "first": dates[0], "last": dates[-1], "apart": not one_set(evaluation)},
            tables=(table,),
            charts=tuple(chart for metric in self.metrics for chart in _course(table, metric)),
        )


def _course(table: Table, metric: str) -> tuple[Chart, ...]:
    found = [
        (f"{row['created']} {row['run']}", cell)
        for row in records(table)
        if isinstance(cell := row[metric], Estimate) and cell.defined
    ]
    if not found:
        return ()
    places, estimates = distinct(place for place, _ in found), [estimate for _, estimate in found]
    named = [{"label": place, "value": value} for place, value in zip(places, estimates, strict=True)]
    alt = Term("side_by_side_alt", metric=metric, named=named[:MOST_SAID], more=max(len(found) - MOST_SAID, 0))
    axes = Axis(Term("statistic", key=metric)), Axis("", categories=places)
    dots = dots_of(Term("statistic", key=metric), places, estimates)
    return (Chart(f"summary.history.{metric}", "", alt, *axes, (dots,)),)
