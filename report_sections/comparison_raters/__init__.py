"""What rests on several human scores: rater agreement, degradation, disattenuated correlation, PRMSE."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from report_sections.changes import Change, all_same, changes, pairs, tables_of
from reportgen.sections import Evaluation, Findings, Section

KEYS = ("comparison.true_score", "comparison.raters", "comparison.degradation", "comparison.disattenuated")


@dataclass(frozen=True)
class ComparisonRaters(Section):
    """Human-human agreement and true-score evaluation of all runs: old, new, change."""

    name: ClassVar[str] = "comparison_raters"
    title: ClassVar[str] = "Raters and true scores"

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return PRMSE of all runs, whether the raters are the same, and the tables that rest on a second rating."""
        found = [row for row in changes(evaluation, "comparison.true_score") if row.metric == "prmse"]
        same = _same_raters(evaluation)
        by_group = [
            f"comparison.{kind}.by.{column}"
            for column in evaluation.groups
            for kind in (("disattenuated",) if same else ("raters", "disattenuated"))
        ]
        keys = [key for key in KEYS if not (same and key == "comparison.raters")]
        tables = tables_of(evaluation, *keys, *by_group)
        case = "accuracy" if any(row.new.defined and row.old.defined for row in found) else "no prmse"
        if case == "no prmse" and not tables_of(evaluation, *KEYS):
            case = "no second rating"
        return Findings(
            values={
                "case": case,
                "same_raters": same,
                "apart": not all_same(evaluation),
                "pairs": [_said(row, str(pairs(evaluation)[0]["old"])) for row in found],
            },
            tables=tables,
        )


def _same_raters(evaluation: Evaluation) -> bool:
    """Return whether the raters of all runs gave the same ratings, so that nothing between them changes."""
    rows = changes(evaluation, "comparison.raters") if all_same(evaluation) else ()
    return bool(rows) and all(row.reading == "the same" or row.old.value == row.new.value for row in rows)


def _said(row: Change, old: str) -> dict[str, Any]:
    """Return one run's PRMSE, that of the first, and how they differ."""
    return {
        "old": old, "new": row.system, "old_prmse": row.old, "new_prmse": row.new, "change": row.change,
        "reading": row.reading,
    }  # fmt: skip
