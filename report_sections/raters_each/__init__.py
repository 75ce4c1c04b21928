"""Each rater beside the others: agreement, severity, spread, and use of the scale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from report_sections.human_raters import severity_chart
from report_sections.lookup import number, records
from reportgen.sections import Estimate, Evaluation, Findings, Section

FEWEST = 3
"""Fewer raters do not show whose ratings are the odd ones."""

TABLES = ("human_raters.raters", "raters.distribution")


@dataclass(frozen=True)
class RatersEach(Section):
    """A row for each rater, the distribution of ratings by rater, and severity as a chart."""

    name: ClassVar[str] = "raters_each"
    needs: ClassVar[tuple[str, ...]] = ("raters_alone",)

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how each rater stands beside the others."""
        return Findings(
            values={
                "ordered": evaluation.scale.ordered,
                "shown": "human_raters.raters" in evaluation.tables,
                "few": len(evaluation.raters) < FEWEST,
                "doubted": doubted(evaluation),
                "ends": _ends(evaluation),
                "label": _label_that_differs(evaluation),
            },
            tables=tuple(table for key in TABLES if (table := evaluation.tables.get(key)) is not None),
            charts=severity_chart(evaluation) if evaluation.scale.ordered else (),
        )


def doubted(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return the raters whose scores are in doubt, each with its correlation with the others as an estimate."""
    found = (each for each in evaluation.facts.get("raters_doubted") or () if isinstance(each, Mapping))
    return [
        {**each, "r": Estimate("r", each["r"], int(each["n"]), each["low"], each["high"])} for each in found
    ]  # fmt: skip


def _ends(evaluation: Evaluation) -> dict[str, Any]:
    table = evaluation.tables.get("human_raters.raters")
    rows = [row for row in table.rows if row.mark != "insufficient"] if table else []
    found: list[dict[str, Any]] = [
        {"rater": str(row["rater"]), "r": each}
        for row in (records(replace(table, rows=tuple(rows))) if table else [])
        if isinstance(each := row["r"], Estimate) and each.value is not None
    ]
    found.sort(key=lambda each: float(each["r"].value or 0.0))
    return {"low": found[0], "high": found[-1]} if len(found) > 1 else {}


def _label_that_differs(evaluation: Evaluation) -> dict[str, Any]:
    table = evaluation.tables.get("raters.distribution")
    if evaluation.scale.ordered or table is None:
        return {}
    rows = [row for row in table.rows if row.mark != "overall"]
    shares = [
        (max(found)[0] - min(found)[0], column.label, min(found), max(found))
        for place, column in enumerate(table.columns)
        if place > 1 and (found := [(number(row.cells[place]) or 0.0, str(row.cells[0])) for row in rows])
    ]
    if not shares:
        return {}
    _, label, low, high = max(shares)
    ends = {end: {"rater": rater, "share": share} for end, (share, rater) in (("low", low), ("high", high))}
    return {"name": label, **ends}
