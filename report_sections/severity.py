"""Whether raters clearly differ in harshness, and what accuracy is when that is not counted as their error."""

from __future__ import annotations

from typing import Any

from report_sections.lookup import estimate_of, overall_check, records
from reportgen.results import Estimate, Evaluation

CLEAR = 0.10
"""Standard deviations between the means of two raters from which a difference that is surely there is told."""


def severity(evaluation: Evaluation) -> dict[str, Any] | None:
    """Return the clearest difference between two raters, and PRMSE with and without it; None where there is none.

    Where the rater error variance is given there is nothing to take out of it.
    """
    prmse, without = (estimate_of(evaluation, key) for key in ("true_score.prmse", "raters.prmse_without_severity"))
    clear = [each for each in _differences(evaluation) if _is_clear(each)]
    if prmse is None or without is None or not clear:
        return None
    check = overall_check(evaluation, "true_score.prmse")
    widest = max(clear, key=lambda each: abs(each.value or 0.0))
    return {"smd": widest, "prmse": prmse, "without": without, "low": check.low if check else None}


def _differences(evaluation: Evaluation) -> list[Estimate]:
    """Return the differences between means of every pair of raters, in standard deviations."""
    table = evaluation.tables.get("human_raters.pairs")
    return [cell for row in records(table) if isinstance(cell := row.get("smd"), Estimate)] if table else []


def _is_clear(found: Estimate) -> bool:
    """Return whether a difference is large enough, and its interval leaves 0 out."""
    if found.value is None or found.low is None or found.high is None:
        return False
    return abs(found.value) > CLEAR and not found.low <= 0 <= found.high
