"""Where the report of each item is, what its policy says, and what could not be made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from report_sections.changes import tables_of
from report_sections.lookup import records
from report_sections.words import listed, many, name
from reportgen.sections import Evaluation, Findings, Section

MOST_TOLD = 20
"""Reports whose trouble is told in words; the table has them all."""


@dataclass(frozen=True)
class SummarizeItems(Section):
    """Links to the report of each item, the verdicts counted, and the reports that could not be made."""

    name: ClassVar[str] = "summarize_items"
    title: ClassVar[str] = "Reports"

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the reports by name and place, and how many of them have each verdict."""
        parts = evaluation.facts.get("parts") or ()
        page = str(evaluation.facts.get("page") or "")
        troubles = evaluation.facts.get("troubles") or ()
        by = listed([name(column) for column in evaluation.facts.get("by") or ()])
        headline = f"{many(len(parts), 'report')}, one for each value of {by}"
        return Findings(
            headline=f"{headline}. {_verdicts(evaluation)}".strip(),
            paragraphs=_told(list(troubles)),
            tables=tables_of(evaluation, "summary.items"),
            values={"reports": _places(evaluation, parts, page)},
        )


def _places(evaluation: Evaluation, parts: Sequence[tuple[str, str]], page: str) -> list[dict[str, Any]]:
    """Return the place of every report, unless the table leads to all of them."""
    table = evaluation.tables.get("summary.items")
    if page and table is not None and len(table.rows) <= table.max_rows:
        return []
    return [
        {"name": name(label), "place": f"{folder}/{page}" if page else folder, "linked": bool(page)}
        for label, folder in parts
    ]


def _verdicts(evaluation: Evaluation) -> str:
    """Return how many reports have each verdict, the most frequent first."""
    table = evaluation.tables.get("summary.items")
    found = Counter(str(row["decision"]) for row in records(table) if row["decision"]) if table else Counter()
    ordered = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
    said = "; ".join(f"{decision}: {many(n, 'report')}" for decision, n in ordered)
    return f"{said[:1].upper()}{said[1:]}." if said else ""


def _told(troubles: list[tuple[str, str]]) -> tuple[str, ...]:
    """Say which reports could not be made, or not wholly, and why."""
    if not troubles:
        return ()
    said = [f"{name(label)}: {name(trouble, 300)}" for label, trouble in troubles[:MOST_TOLD]]
    more = f" and {len(troubles) - MOST_TOLD} more, all in the table" if len(troubles) > MOST_TOLD else ""
    return (f"{many(len(troubles), 'report')} could not be made, or not wholly. {' '.join(said)}{more}",)
