"""Whether raters differ in harshness, and what accuracy is when that is not counted as their error."""

from __future__ import annotations

from typing import Any

from report_sections.lookup import estimate_of, overall_check, records
from report_sections.shares import apart_from
from reportgen.results import Estimate, Evaluation

CLEAR = 0.10
"""Standard deviations of human scores from which a difference in harshness that is surely there is reported."""


def severity(evaluation: Evaluation) -> dict[str, Any] | None:
    """Return how far raters differ in harshness, and PRMSE with and without it; None where it is not surely there.

    Of two raters it is their difference (`smd`), of more the standard deviation of their severities in points
    (`spread`): among many raters the two farthest apart differ by chance. Where the rater error variance is given
    there is nothing to take out of it.
    """
    prmse, without = (estimate_of(evaluation, key) for key in ("true_score.prmse", "raters.prmse_without_severity"))
    found, unit = _of_two(evaluation), 1.0
    key = "smd"
    if found is None:
        key, found, human = "spread", spread_of_severity(evaluation), estimate_of(evaluation, "system.h_sd")
        unit = human.value or 0.0 if human is not None else 0.0
    if prmse is None or without is None or found is None or not unit:
        return None
    if not apart_from(found, 0.0, 0.0) or abs(found.value or 0.0) <= CLEAR * unit:
        return None
    check = overall_check(evaluation, "true_score.prmse")
    return {key: found, "prmse": prmse, "without": without, "low": check.low if check else None}


def spread_of_severity(evaluation: Evaluation) -> Estimate | None:
    """Return the standard deviation of the severities of raters like these, in score points."""
    found = evaluation.facts.get("severity_spread")
    return Estimate("severity_sd", found[0], 0, found[1], found[2], kind="score") if found else None


def _of_two(evaluation: Evaluation) -> Estimate | None:
    """Return the difference between the means of the only two raters, in standard deviations."""
    table = evaluation.tables.get("human_raters.pairs")
    cells = [cell for row in records(table) if isinstance(cell := row.get("smd"), Estimate)] if table else []
    return cells[0] if len(cells) == 1 else None
