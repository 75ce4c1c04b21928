"""What the raters put within reach: their reliability, the ceiling, and a second rater on the same requirements."""

from __future__ import annotations

from typing import Any

from report_sections.lookup import estimate_of, fact, overall_check
from reportgen.results import Check, Evaluation
from reportgen.verdicts import judge

OF_A_RATER = {
    "system.qwk": "human.qwk",
    "system.r": "human.r",
    "true_score.prmse": "true_score.prmse_of_ratings_1",
}
"""What a rater would get in the engine's place, by the statistic that is required of the engine."""

FAILED = ("not met", "out of reach")


def within_reach(evaluation: Evaluation) -> dict[str, Any]:
    """Return what a board must know of the raters beside the requirements; values are empty where nothing is known."""
    ceiling = next((each for key in ("system.qwk", "system.r") if (each := _with_best(evaluation, key))), None)
    second = [row for key, of_rater in OF_A_RATER.items() if (row := _second(evaluation, key, of_rater))]
    test = evaluation.facts.get("annotator_test") or {}
    return {
        "reliability": estimate_of(evaluation, "true_score.human_reliability"),
        "best": ceiling.best if ceiling else None,
        "open": ceiling is None and _ceiling_is_open(evaluation),
        "limit": ceiling.low if ceiling else None,
        "second": second,
        "both_fail": any(row["outcome"] == "not met" and row["check"].outcome in FAILED for row in second),
        "stands_in": test if _is_judge(evaluation) and test.get("passed") is not None else None,
    }


def _ceiling_is_open(evaluation: Evaluation) -> bool:
    """Return whether double scores are too few to tell what an engine without error would reach."""
    ceiling = evaluation.estimates.get("attainable.true_r")
    return ceiling is not None and not ceiling.defined and ceiling.n > 0


def _with_best(evaluation: Evaluation, key: str) -> Check | None:
    """Return the requirement on a statistic where it is known what an engine without error would reach."""
    check = overall_check(evaluation, key)
    return check if check is not None and check.best is not None and check.best.defined else None


def _second(evaluation: Evaluation, key: str, of_rater: str) -> dict[str, Any] | None:
    """Return the outcome of a requirement on the engine for one rater; None if too few responses show it."""
    check, human = overall_check(evaluation, key), estimate_of(evaluation, of_rater)
    if check is None or human is None:
        return None
    least = fact(evaluation, "min_n_per_group")
    outcome = judge(human, check.low, check.high, least, strict=check.strict, by=check.by)
    return None if outcome == "insufficient" else {"check": check, "human": human, "outcome": outcome}


def _is_judge(evaluation: Evaluation) -> bool:
    """Return whether the alternative annotator test is part of the report."""
    return "judges.annotators" in evaluation.tables
