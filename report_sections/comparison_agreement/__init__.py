"""Agreement with the human scores, means and standard deviations: old, new, change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from report_sections.changes import change_chart, changes, pairs, tables_of
from report_sections.words import listed, name
from reportgen.sections import Chart, Evaluation, Findings, Section
from reportgen.wording.numbers import many

READINGS = ("better", "worse", "higher", "lower", "not distinguishable", "the same", "no interval")
"""What a change can be, in the order in which a sentence counts them."""

METHOD = (
    "The change is the new number minus the old one. It is better when all of its interval is: above 0 where a high "
    "number is good, below 0 where a low one is, and nearer to 0 for the standardized mean difference."
)


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

    metrics: tuple[str, ...] = ("qwk", "r", "r_squared", "kappa", "smd", "rmse")

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the tables of changes and a chart of the most important ones."""
        said = [_counted(evaluation, pair["new"]) for pair in pairs(evaluation)]
        return Findings(
            headline=said[0],
            paragraphs=(*said[1:], METHOD),
            tables=tables_of(evaluation, "comparison.overall", "comparison.score_types"),
            charts=self._chart(evaluation),
        )

    def _chart(self, evaluation: Evaluation) -> tuple[Chart, ...]:
        rows = [
            row
            for row in changes(evaluation, "comparison.overall")
            if row.metric in self.metrics and (row.form == "trimmed" or row.metric == "kappa")
        ]
        several = len(pairs(evaluation)) > 1
        labels = [f"{row.short}, {name(row.system, 18)}" if several else row.label for row in rows]
        old = name(pairs(evaluation)[0]["old"], 30)
        title = f"Changes from {old}" if several else f"Changes from {old} to {name(pairs(evaluation)[0]['new'], 30)}"
        caption = "Changes with their intervals."
        return change_chart("comparison.overall.chart", title, rows, labels, caption)


def _counted(evaluation: Evaluation, system: str) -> str:
    """Say how many statistics are better, worse, or neither under one run."""
    readings = [
        row.reading for row in changes(evaluation, "comparison.overall") if row.system == system and row.change.defined
    ]
    counts = {reading: readings.count(reading) for reading in READINGS}
    said = listed(f"{count} {reading}" for reading, count in counts.items() if count)
    return f"Under {name(system, 40)}, {many(len(readings), 'statistic')} on all responses: {said or 'none judged'}."
