"""Where the report of each item is, what its policy says, and what could not be made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from report_sections.changes import tables_of
from report_sections.lookup import records, with_notes
from report_sections.words import first_few, listed, name, stated
from reportgen.results import Estimate
from reportgen.sections import Evaluation, Findings, Section, Table
from reportgen.wording.numbers import many

MOST_MISSED = 8
"""Criteria whose misses are counted in words."""

WORST_FIRST = (
    "The worst come first: reports that could not be made, then by verdict, by how many criteria are not met, and from "
    "the lowest QWK."
)
REST = "Reports that the table leaves out:"
PLACES = "Where the reports are:"

MOST_TOLD = 20
"""Reports whose trouble is told in words; the table has them all."""


@dataclass(frozen=True)
class SummarizeItems(Section):
    """Every report with its verdict, how often each criterion is not met, the items far below the others, and links."""

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
            paragraphs=(*_missed(evaluation), *_far_below(evaluation), *_told(list(troubles))),
            tables=tuple(_worst_first(evaluation, table) for table in tables_of(evaluation, "summary.items")),
            values={"reports": _places(evaluation, parts, page), "lead": REST if page else PLACES},
        )


def _worst_first(evaluation: Evaluation, table: Table) -> Table:
    """Return the table of the reports; of more than fit a page the worst, and all that are flagged, worst first."""
    order = evaluation.facts.get("worst_first") or range(len(table.rows))
    if len(table.rows) <= table.max_rows:
        return table
    ordered = [table.rows[place] for place in order]
    kept = tuple(row for place, row in enumerate(ordered) if place < table.max_rows or row.mark == "flagged")
    left = len(table.rows) - len(kept)
    verb = "is" if left == 1 else "are"
    where = f" {many(left, 'report')} {verb} only in tables/{table.file_name}, with links below." if left else ""
    return with_notes(replace(table, rows=kept, max_rows=len(kept)), f"{WORST_FIRST}{where}")


def _missed(evaluation: Evaluation) -> tuple[str, ...]:
    """Say in how many reports each criterion is not met, the most frequent first."""
    said = [f"{name(label, 40)} in {many(int(n), 'report')}" for label, n in evaluation.facts.get("missed") or ()]
    return (f"Not met: {first_few(said, MOST_MISSED)}.",) if said else ()


def _far_below(evaluation: Evaluation) -> tuple[str, ...]:
    """Name the items far below the others in QWK, the lowest first."""
    table = evaluation.tables.get("summary.association")
    qwk = {str(row["run"]): row["qwk"] for row in records(table)} if table else {}
    found = [(item, qwk.get(item)) for item in evaluation.facts.get("far_below") or ()]
    said = [f"{name(item, 40)} ({stated(cell)})" for item, cell in found if isinstance(cell, Estimate)]
    return (f"Far below the others in QWK, the lowest first: {first_few(said)}.",) if said else ()


def _places(evaluation: Evaluation, parts: Sequence[tuple[str, str]], page: str) -> list[dict[str, Any]]:
    """Return the places of the reports to which the table on the page does not lead."""
    table = evaluation.tables.get("summary.items")
    if page and table is not None:
        there = {str(row.cells[0]) for row in _worst_first(evaluation, table).rows}
        parts = [part for part in parts if part[0] not in there]
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
