"""The headline numbers over time, when the runs carry dates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from report_sections.lookup import records
from report_sections.pictures import dots_of
from report_sections.words import distinct
from reportgen.results import Estimate
from reportgen.sections import Axis, Chart, Evaluation, Findings, Section, Table
from reportgen.wording.numbers import many, num


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
        """Return the runs by date."""
        table = evaluation.tables.get("summary.history")
        if table is None:
            return Findings(headline="The runs carry fewer than two dates, so that there is no history to show.")
        dates = [str(row["created"]) for row in records(table)]
        return Findings(
            headline=f"{many(len(dates), 'run')} from {dates[0]} to {dates[-1]}.",
            tables=(table,),
            charts=tuple(chart for metric in self.metrics for chart in _course(table, metric)),
        )


def _course(table: Table, metric: str) -> tuple[Chart, ...]:
    """Return one metric by date, a dot with its interval for each run."""
    found = [
        (f"{row['created']} {row['run']}", cell)
        for row in records(table)
        if isinstance(cell := row[metric], Estimate) and cell.defined
    ]
    if not found:
        return ()
    label = next(column.label for column in table.columns if column.key == metric)
    places, estimates = distinct(place for place, _ in found), [estimate for _, estimate in found]
    dots = dots_of(label, places, estimates)
    alt = f"{label} by date: from {num(estimates[0])} ({places[0]}) to {num(estimates[-1])} ({places[-1]})."
    return (
        Chart(
            f"summary.history.{metric}", f"{label} over time", alt, Axis(label), Axis("", categories=places), (dots,)
        ),
    )
