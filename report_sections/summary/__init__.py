"""The brief: the answer, why, the questions behind it, what it means, what would help to decide, what to know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from report_sections.groups import columns_of, count_of_kinds
from report_sections.lookup import fact, multiply_scored, number, records, required_by_share
from report_sections.summary.attainable import within_reach
from report_sections.summary.counts import has_points, same_scores
from report_sections.summary.pictures import counts_chart, groups_chart
from report_sections.summary.remedies import remedies
from report_sections.summary.to_know import to_know
from reportgen.results import Check, Part
from reportgen.results.aspects import Aspect, aspects
from reportgen.sections import Evaluation, Findings, Section

MOST_GROUPS = 3
"""Groups beyond a limit that the brief names."""


@dataclass(frozen=True)
class Summary(Section):
    """Two pages that answer whether the engine may be used.

    Parameters
    ----------
    numbers
        How many questions the page shows at most.
    flag_share
        A score point stands out when engine and human shares differ by more than this many percentage points.
    most
        How many things to know the first page holds.
    """

    name: ClassVar[str] = "summary"
    part: ClassVar[Part] = "decision"
    needs: ClassVar[tuple[str, ...]] = ("system",)

    numbers: int = 5
    flag_share: float = 5.0
    most: int = 3

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return what the brief says: values and codes, no words."""
        found = aspects(evaluation.checks)
        know, same = to_know(evaluation, self.flag_share), same_scores(evaluation)
        return Findings(
            values={
                "kept": fact(evaluation, "responses_kept"),
                "double": multiply_scored(evaluation) - fact(evaluation, "double_scored_without_engine"),
                "raters": len(evaluation.raters),
                "engine": next((role.columns[0] for role in evaluation.roles if role.role == "system"), ""),
                "agreement": _agreement(evaluation),
                "attainable": within_reach(evaluation),
                "groups": _groups(evaluation),
                "other_requirements": [check for each in found for check in each.checks if _not_shown(each, check)],
                "by_share": required_by_share(evaluation),
                "same": same,
                "points": has_points(evaluation),
                "levels": _levels(evaluation),
                "remedies": remedies(evaluation),
                "know": know[: self.most],
                "also": know[self.most :],
            },
            checks=tuple(each.leading for each in found)[: self.numbers],
            charts=(*counts_chart(evaluation, same), *groups_chart(evaluation)),
        )


def _not_shown(aspect: Aspect, check: Check) -> bool:
    """Return whether a requirement on all responses is not the one that its question shows."""
    return check is not aspect.leading and not check.column


def _agreement(evaluation: Evaluation) -> dict[str, Any]:
    """Return how the engine agrees: beside a second rater, where there is one, else by itself."""
    metric = "qwk" if evaluation.scale.ordered else "kappa"
    for case in ("degradation", "system"):
        check = next((each for each in evaluation.checks if each.statistic == f"{case}.{metric}"), None)
        if check is not None and check.outcome != "insufficient":
            closer = check.estimate.low is not None and check.estimate.low > 0
            return {"case": case, "outcome": check.outcome, "closer": closer and case == "degradation", "check": check}
    return {"case": "unknown", "outcome": ""}


def _groups(evaluation: Evaluation) -> dict[str, Any]:
    """Return how many groups stand how, groups of people and items apart too, and those beyond the limit."""
    found = next((each for each in aspects(evaluation.checks) if each.name == "groups"), None)
    if found is None or not evaluation.groups:
        nothing = dict.fromkeys(("total", "outside", "inside", "undecided", "largest_undecided", "not_tested"), 0)
        return {"columns": list(columns_of(evaluation)), "kinds": [], **nothing, "beyond": []}
    checks = [check for check in found.checks if check.column]
    beyond = [_with_means(evaluation, check) for check in found.of("not met")[:MOST_GROUPS]]
    counts = {outcome: sum(check.outcome == outcome for check in checks) for outcome in ("not met", "met")}
    undecided = [check for check in checks if check.outcome in ("not yet known", "out of reach")]
    return {
        "columns": list(dict.fromkeys(check.column for check in checks)),
        "kinds": count_of_kinds(evaluation),
        "total": len(checks),
        "outside": counts["not met"],
        "inside": counts["met"],
        "undecided": len(undecided),
        "largest_undecided": max((check.estimate.n for check in undecided), default=0),
        "not_tested": len(checks) - sum(counts.values()) - len(undecided),
        "beyond": beyond,
    }


def _with_means(evaluation: Evaluation, check: Check) -> dict[str, Any]:
    """Return a group's requirement, and the means of raters and engine where the tables have them."""
    table = evaluation.tables.get(f"by_group.{check.column}")
    row = next((each for each in records(table) if each["level"] == check.level), {}) if table else {}
    means = {who: number(row.get(f"{who}_mean")) for who in ("human", "system")}
    return {"check": check, "human_mean": means["human"], "engine_mean": means["system"]}


def _levels(evaluation: Evaluation) -> dict[str, Any]:
    """Return the share of test takers whose performance level changes, with the engine and with a second rater."""
    table = evaluation.tables.get("impact.differences")
    same = [number(row.get("same_level")) for row in records(table)] if table else []
    if not same or same[0] is None:
        return {}
    second = same[1] if len(same) > 1 else None
    return {"engine": 100 - same[0], "second": None if second is None else 100 - second}
