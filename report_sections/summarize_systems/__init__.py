"""Where the report of each system is, and how often each gave no score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from report_sections.changes import tables_of
from report_sections.doubts import doubts_of_systems
from report_sections.lookup import number, records
from report_sections.words import first_few, listed, name
from reportgen.results import Estimate
from reportgen.sections import Evaluation, Findings, Section
from reportgen.wording.numbers import many, with_interval

MOST_MISSED = 4
"""Criteria that are not met which are named beside a system; its report has all."""


@dataclass(frozen=True)
class SummarizeSystems(Section):
    """Links to the report of each system and to their comparison, and the share of responses without a score."""

    name: ClassVar[str] = "summarize_systems"
    title: ClassVar[str] = "Systems"

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the reports by name and place, and what the systems left without a score."""
        parts = evaluation.facts.get("parts") or ()
        page = str(evaluation.facts.get("page") or "")
        systems = many(len(evaluation.facts["runs"]), "system")
        baseline = name(evaluation.facts.get("baseline") or evaluation.facts["runs"][0])
        verdicts = _verdicts(evaluation)
        verdicts += [""] * (len(parts) - len(verdicts))  # the comparison has none
        return Findings(
            headline=f"{systems} of one file, each with a report of its own; {baseline} is the baseline.",
            paragraphs=_unscored(evaluation),
            highlights=doubts_of_systems(evaluation),
            tables=tables_of(evaluation, "data.outputs"),
            values={
                "reports": [
                    {"name": name(label), "place": f"{folder}/{page}", "linked": bool(page), "verdict": verdict}
                    for (label, folder), verdict in zip(parts, verdicts, strict=True)
                ]
            },
        )


def _verdicts(evaluation: Evaluation) -> list[str]:
    """Return for each system what the policy says of it, with the reason."""
    return [_verdict(*said) if said else "" for said in evaluation.facts.get("verdicts") or ()]


def _verdict(decision: str, missed: Sequence[str], needed: str) -> str:
    """Say a decision with the criteria that are not met, or with what would settle the open ones."""
    if missed:
        return f"{decision}; not met: {first_few([name(each, 40) for each in missed], most=MOST_MISSED)}"
    return f"{decision} ({needed})" if needed and decision != "deploy" else decision


def _unscored(evaluation: Evaluation) -> tuple[str, ...]:
    """Say which systems left responses without a score."""
    table = evaluation.tables.get("data.outputs")
    rows = [row for row in records(table) if number(row["share"])] if table else []
    if not rows:
        return ("Every system gave every response a score.",)
    said = listed(
        f"{name(row['system'])} {with_interval(row['share'])} %" for row in rows if isinstance(row["share"], Estimate)
    )
    return (f"Share of responses without a score: {said}. Nothing else is known of how they would have been scored.",)
