"""The brief: the answer, why, the questions behind it, what it means, what would help to decide, what to know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from report_sections.figures import GroupRow, group_panels, in_order
from report_sections.groups import columns_of, count_of_kinds
from report_sections.lookup import (
    Record,
    distinct,
    estimate_of,
    fact,
    group_checks,
    multiply_scored,
    number,
    overall_check,
    records,
    required_by_share,
    rows_of,
)
from report_sections.score_figures import same_scores_chart
from report_sections.summary.to_know import remedies, to_know
from reportgen.results import Part
from reportgen.results.aspects import aspects
from reportgen.sections import Chart, Check, Evaluation, Findings, Section, Table, Term
from reportgen.verdicts import judge

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
                "other_requirements": [
                    check for each in found for check in each.checks if check is not each.leading and not check.column
                ],
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
    rows = rows_of(evaluation, f"by_group.{check.column}")
    row: Record = next((each for each in rows if each["level"] == check.level), {})
    means = {who: number(row.get(f"{who}_mean")) for who in ("human", "system")}
    return {"check": check, "human_mean": means["human"], "engine_mean": means["system"]}


def _levels(evaluation: Evaluation) -> dict[str, Any]:
    same = [number(row.get("same_level")) for row in rows_of(evaluation, "impact.differences")]
    if not same or same[0] is None:
        return {}
    second = same[1] if len(same) > 1 else None
    return {"engine": 100 - same[0], "second": None if second is None else 100 - second}


SIDES = (("second_rater", "confusion.human"), ("engine", "confusion.system"))
"""Who is compared with the first rater, and the table that counts it."""


def same_scores(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return for the second rater and the engine how many scores are those of the first rater, or a point apart.

    Where raters stand in for each other there is no first one, and nothing is counted.
    """
    if (evaluation.facts.get("design") or {}).get("record", "") is None:
        return []
    tables = ((who, evaluation.tables.get(key)) for who, key in SIDES)
    found = [{"who": who, **_counted(table)} for who, table in tables if table is not None]
    return [each for each in found if each["n"]]


def has_points(evaluation: Evaluation) -> bool:
    """Return whether scores can lie a point apart: not those of two categories, nor labels without an order."""
    return evaluation.scale.ordered and not evaluation.facts.get("categories")


def _counted(table: Table) -> dict[str, int]:
    """Return how many pairs of a crossing of two scores are equal, neighbors on the scale, or farther apart.

    Labels without an order are neighbors of none; they are equal, or not.
    """
    points = [column.key for column in table.columns[1:] if column.key != "total"]
    found = {"same": 0, "one": 0, "more": 0}
    for place, row in enumerate(records(table)[: len(points)]):
        for other, point in enumerate(points):
            distance = ("same", "one", "more")[min(abs(place - other), 2)]
            found[distance] += int(number(row[point]) or 0)
    return {**found, "n": sum(found.values())}


COUNTS, GROUPS = "summary.same.chart", "summary.groups.chart"

PICTURED_GROUPS = 8
"""Groups in the picture of the brief; the section on groups draws more."""


def counts_chart(evaluation: Evaluation, same: Sequence[dict[str, Any]]) -> tuple[Chart, ...]:
    """Return the counts as bars, one for each who is compared with the first rater."""
    if not same:
        return ()
    ordered = has_points(evaluation)
    names = ("same", "one", "more") if ordered else ("same", "other")
    rows = [
        (each, (each["same"], each["one"], each["more"]) if ordered else (each["same"], each["n"] - each["same"]))
        for each in same
    ]
    used = [place for place in range(len(names)) if any(counts[place] for _, counts in rows)]
    bars = [
        (Term(f"who.{each['who']}"), tuple(counts[place] for place in used), each["who"] == "engine")
        for each, counts in rows
    ]
    kind, step = "score" if ordered else "label", evaluation.scale.step
    parts = [Term(f"{kind}.{names[place]}", **({"step": step} if names[place] == "one" else {})) for place in used]
    alt = Term("same_scores_alt", rows=[{**each, "other": each["n"] - each["same"]} for each in same], ordered=ordered)
    return (same_scores_chart(COUNTS, alt, bars, parts),)


def groups_chart(evaluation: Evaluation) -> tuple[Chart, ...]:
    """Return the differences of the groups that are farthest beyond the limit, or from 0, as seen."""
    checks = [check for check in group_checks(evaluation) if check.estimate.defined]
    if len(checks) < 2:
        return ()
    labels = distinct(check.level for check in checks)
    rows = in_order(
        GroupRow(label, check.estimate.n, check.estimate, outcome=check.outcome, small=check.outcome == "insufficient")
        for label, check in zip(labels, checks, strict=True)
    )
    rows, left = rows[:PICTURED_GROUPS], rows[PICTURED_GROUPS:]
    nearer = bool(left) and max(row.size for row in left) <= min(row.size for row in rows)
    first = checks[0]
    alt = Term("brief_groups_alt", rows=[[row.label, row.seen] for row in rows])
    chart = group_panels(
        GROUPS, alt, rows, (Term("as_seen"), ""), "", Term("difference_in_sd"), (first.low, first.high),
        limit=Term("within_limit", check=first), caption=Term("brief_groups_left", left=len(left), nearer=nearer),
    )  # fmt: skip
    return (chart,)


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
    tested = "judges.annotators" in evaluation.tables and test.get("passed") is not None
    return {
        "reliability": estimate_of(evaluation, "true_score.human_reliability"),
        "best": ceiling.best if ceiling else None,
        "open": ceiling is None and _ceiling_is_open(evaluation),
        "limit": ceiling.low if ceiling else None,
        "second": second,
        "both_fail": any(row["outcome"] == "not met" and row["check"].outcome in FAILED for row in second),
        "stands_in": test if tested else None,
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
