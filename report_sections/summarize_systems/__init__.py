"""Each engine's answer and why, the way to its report, and how often each gave no score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from report_sections.changes import tables_of
from report_sections.lookup import doubts_of_runs, number, records
from report_sections.summarize_summary import accuracy, leaders, reports_figure
from reportgen.sections import Estimate, Evaluation, Findings, Section


@dataclass(frozen=True)
class SummarizeSystems(Section):
    """Each engine's answer with a link to its report, the comparison of all, and responses without a score."""

    name: ClassVar[str] = "summarize_systems"
    title: ClassVar[str] = "Systems"
    part: ClassVar[Any] = "decision"

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the answers with the places of the reports, and what the engines left without a score."""
        page = str(evaluation.facts.get("page") or "")
        decisions = {each["run"]: each for each in evaluation.facts.get("decisions") or ()}
        return Findings(
            values={
                "reports": [
                    {"name": label, "place": f"{folder}/{page}" if page else folder, "answer": decisions.get(label)}
                    for label, folder in evaluation.facts.get("parts") or ()
                ],
                "linked": bool(page),
                "baseline": evaluation.facts.get("baseline") or evaluation.facts["runs"][0],
                "runs": len(evaluation.facts["runs"]),
                "same_responses": list(evaluation.facts.get("same_responses") or ()),
                "leaders": leaders(evaluation),
                "compared": evaluation.facts.get("compared"),
                "beside": list(evaluation.facts.get("beside") or ()),
                "accuracy": accuracy(evaluation),
                "unscored": _unscored(evaluation),
                "doubts": doubts_of_runs(evaluation),
                "notes": list(evaluation.warnings),
            },
            charts=tuple(filter(None, [reports_figure(evaluation)])),
            tables=tables_of(
                evaluation, "summary.decisions", "data.outputs", "summary.runs", "summary.criteria", "summary.ranking"
            ),
        )


def _unscored(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return the systems that left responses without a score, with the share of these."""
    table = evaluation.tables.get("data.outputs")
    return [
        {"run": str(row["system"]), "share": row["share"]}
        for row in (records(table) if table else ())
        if number(row["share"]) and isinstance(row["share"], Estimate)
    ]
