"""The brief: the answer, why, the questions behind it, what it means, what would help to decide, what to know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from report_sections.figures import GroupRow, group_panels, in_order
from report_sections.groups import columns_of, count_of_kinds, counted
from report_sections.lookup import distinct, group_checks, is_drawn, multiply_scored, overall_check, required_by_share
from report_sections.score_figures import Matrix, same_scores_chart
from report_sections.summary.to_know import remedies, to_know
from reportgen.results import Part, Record
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
                "kept": evaluation.count("responses_kept"),
                "double": multiply_scored(evaluation) - evaluation.count("double_scored_without_engine"),
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
    count = counted(checks)
    undecided = [check for check in checks if check.outcome in ("not yet known", "out of reach")]
    return {
        "columns": list(dict.fromkeys(check.column for check in checks)),
        "kinds": count_of_kinds(evaluation),
        **{key: count[key] for key in ("total", "outside", "inside")},
        "undecided": len(undecided),
        "largest_undecided": max((check.estimate.n for check in undecided), default=0),
        "not_tested": count["total"] - count["judged"],
        "beyond": [_with_means(evaluation, check) for check in found.of("not met")[:MOST_GROUPS]],
    }


def _with_means(evaluation: Evaluation, check: Check) -> dict[str, Any]:
    """Return a group's requirement, and the means of raters and engine where the tables have them."""
    rows = evaluation.records(f"by_group.{check.column}")
    row = next((each for each in rows if each["level"] == check.level), Record({}))
    return {"check": check, "human_mean": row.number("human_mean"), "engine_mean": row.number("system_mean")}


def _levels(evaluation: Evaluation) -> dict[str, Any]:
    same = [row.number("same_level") for row in evaluation.records("impact.differences")]
    engine, second = (None if each is None else 100 - each for each in (*same, None, None)[:2])
    return {} if engine is None else {"engine": engine, "second": second}


def same_scores(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return for the second rater and the engine how many scores are those of the first rater, or a point apart.

    Where raters stand in for each other there is no first one, and nothing is counted.
    """
    sides = () if is_drawn(evaluation) else (("second_rater", "confusion.human"), ("engine", "confusion.system"))
    found = [{"who": who, **_counted(table)} for who, key in sides for table in evaluation.present(key)]
    return [each for each in found if each["n"]]


def has_points(evaluation: Evaluation) -> bool:
    """Return whether scores can lie a point apart: not those of two categories, nor labels without an order."""
    return evaluation.scale.ordered and not evaluation.facts.get("categories")


def _counted(table: Table) -> dict[str, int]:
    """Return how many pairs of a crossing of two scores are equal, neighbors on the scale, or farther apart.

    Labels without an order are neighbors of none; they are equal, or not.
    """
    found = [0, 0, 0]
    counts = Matrix.of(table).counts
    for place, line in enumerate(counts[: len(counts[0]) if counts else 0]):
        for other, n in enumerate(line):
            found[min(abs(place - other), 2)] += n
    return {**dict(zip(("same", "one", "more"), found, strict=True)), "n": sum(found)}


COUNTS, GROUPS = "summary.same.chart", "summary.groups.chart"

PICTURED_GROUPS = 8
"""Groups in the picture of the brief; the section on groups draws more."""


def counts_chart(evaluation: Evaluation, same: Sequence[dict[str, Any]]) -> tuple[Chart, ...]:
    """Return the counts as bars, one for each who is compared with the first rater."""
    if not same:
        return ()
    ordered = has_points(evaluation)
    kind, names = ("score", ("same", "one", "more")) if ordered else ("label", ("same", "other"))
    told = [{**each, "other": each["n"] - each["same"]} for each in same]
    used = [name for name in names if any(each[name] for each in told)]
    bars = [(Term(f"who.{each['who']}"), tuple(each[name] for name in used), each["who"] == "engine") for each in told]
    parts = [Term(f"{kind}.{name}", **({"step": evaluation.scale.step} if name == "one" else {})) for name in used]
    return (same_scores_chart(COUNTS, Term("same_scores_alt", rows=told, ordered=ordered), bars, parts),)


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
    checks = [check for key in ("system.qwk", "system.r") if (check := overall_check(evaluation, key))]
    # what an engine without error would reach
    ceiling = next((check for check in checks if check.best is not None and check.best.defined), None)
    true_r = evaluation.estimates.get("attainable.true_r")
    second = [row for key, of_rater in OF_A_RATER.items() if (row := _second(evaluation, key, of_rater))]
    test = evaluation.facts.get("annotator_test") or {}
    tested = "judges.annotators" in evaluation.tables and test.get("passed") is not None
    return {
        "reliability": evaluation.estimate("true_score.human_reliability"),
        "best": ceiling.best if ceiling else None,
        # too few double scores tell it
        "open": ceiling is None and true_r is not None and not true_r.defined and true_r.n > 0,
        "limit": ceiling.low if ceiling else None,
        "second": second,
        "both_fail": any(row["outcome"] == "not met" and row["check"].outcome in FAILED for row in second),
        "stands_in": test if tested else None,
    }


def _second(evaluation: Evaluation, key: str, of_rater: str) -> dict[str, Any] | None:
    """Return the outcome of a requirement on the engine for one rater; None if too few responses show it."""
    check, human = overall_check(evaluation, key), evaluation.estimate(of_rater)
    if check is None or human is None:
        return None
    least = evaluation.count("min_n_per_group")
    outcome = judge(human, check.low, check.high, least, strict=check.strict, by=check.by)
    return None if outcome == "insufficient" else {"check": check, "human": human, "outcome": outcome}
