"""What each item's report answers, where it is, and what could not be made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from report_sections.changes import tables_of
from report_sections.lookup import fact, records
from report_sections.summarize_summary import accuracy, answers
from reportgen.sections import Estimate, Evaluation, Findings, Section, Table

MOST_MISSED = 8
"""Requirements whose misses are counted in words."""

MOST_TOLD = 20
"""Reports whose trouble is told in words; the table has them all."""


@dataclass(frozen=True)
class SummarizeItems(Section):
    """Every report with its answer, how often a requirement is not met, the items far below the others, and links."""

    name: ClassVar[str] = "summarize_items"
    title: ClassVar[str] = "Reports"
    part: ClassVar[Any] = "decision"

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how many reports have each answer, what went wrong, and the reports by name and place."""
        parts = evaluation.facts.get("parts") or ()
        page = str(evaluation.facts.get("page") or "")
        troubles = list(evaluation.facts.get("troubles") or ())
        items = evaluation.tables.get("summary.items")
        shown = None if items is None else _worst_first(evaluation, items)
        left = 0 if items is None or shown is None else len(items.rows) - len(shown.rows)
        missed = list(evaluation.facts.get("missed") or ())
        return Findings(
            values={
                "answers": answers(evaluation)["answers"],
                "n": len(parts),
                "by": list(evaluation.facts.get("by") or ()),
                "missed": [{"requirement": label, "n": int(n)} for label, n in missed[:MOST_MISSED]],
                "more_missed": max(len(missed) - MOST_MISSED, 0),
                "far_below": _far_below(evaluation),
                "accuracy": accuracy(evaluation),
                "troubles": [{"name": label, "trouble": trouble} for label, trouble in troubles[:MOST_TOLD]],
                "n_troubles": len(troubles),
                "withheld": list(evaluation.facts.get("reports_withheld") or ()),
                "least": fact(evaluation, "min_n_per_group"),
                "left": left,
                "of_many": items is not None and len(items.rows) > items.max_rows,
                "reports": _places(shown, parts, page),
                "linked": bool(page),
                "notes": list(evaluation.warnings),
            },
            tables=(
                *((shown,) if shown is not None else ()),
                *tables_of(evaluation, "summary.runs", "summary.criteria"),
            ),
        )


def _worst_first(evaluation: Evaluation, table: Table) -> Table:
    """Return the table of the reports; of more than fit a page the worst, and all that are flagged, worst first."""
    order = evaluation.facts.get("worst_first") or range(len(table.rows))
    if len(table.rows) <= table.max_rows:
        return table
    ordered = [table.rows[place] for place in order]
    kept = tuple(row for place, row in enumerate(ordered) if place < table.max_rows or row.mark == "flagged")
    return replace(table, rows=kept, max_rows=len(kept))


def _far_below(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return the items far below the others in QWK, the lowest first, with how well their raters agree."""
    found = []
    for item in map(str, evaluation.facts.get("far_below") or ()):
        qwk, raters = (_of(evaluation, item, *place) for place in (("association", "qwk"), ("true_score", "human_r")))
        found += [{"name": item, "qwk": qwk, "raters": raters}] if qwk is not None else []
    return found


def _of(evaluation: Evaluation, item: str, table: str, column: str) -> Estimate | None:
    """Return a number of an item; None where it has none."""
    rows = records(found) if (found := evaluation.tables.get(f"summary.{table}")) is not None else ()
    cells = (row.get(column) for row in rows if str(row["run"]) == item)
    return next((cell for cell in cells if isinstance(cell, Estimate) and cell.defined), None)


def _places(shown: Table | None, parts: Sequence[tuple[str, str]], page: str) -> list[dict[str, str]]:
    """Return the places of the reports to which the table on the page does not lead."""
    if page and shown is not None:
        there = {str(row.cells[0]) for row in shown.rows}
        parts = [part for part in parts if part[0] not in there]
    return [{"name": label, "place": f"{folder}/{page}" if page else folder} for label, folder in parts]
