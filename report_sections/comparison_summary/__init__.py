"""The first page of a comparison: who is better, each engine's answer, on which responses, what is not comparable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from report_sections.changes import (
    CLEAR,
    SAME,
    case_of,
    changes,
    headline_changes,
    judged,
    largest_first,
    pairs,
    tables_of,
)
from report_sections.lookup import doubts_of_runs, number, records
from reportgen.sections import Check, Estimate, Evaluation, Findings, Section

MOST_CHECKS = 9
"""Criteria on the first page at most."""

SAID = {
    "exact_agreement": "comparison.overall", "qwk": "comparison.overall", "prmse": "comparison.true_score",
    "disattenuated_r": "comparison.disattenuated", "r": "comparison.raters",
}  # fmt: skip
"""Statistics that the page puts into words, and where they stand; r is that of raters with each other."""


@dataclass(frozen=True)
class ComparisonSummary(Section):
    """Who is better, worse or not distinguishable, for every run against the first.

    Parameters
    ----------
    groups
        Groups named at most for each pair of runs.
    """

    name: ClassVar[str] = "comparison_summary"
    title: ClassVar[str] = "Summary"
    part: ClassVar[Any] = "decision"

    groups: int = 4

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how each run stands beside the first, each run's decision, and what stands out by group."""
        return Findings(
            values={
                "pairs": [_pair(evaluation, pair) for pair in pairs(evaluation)],
                "decisions": list(evaluation.facts.get("decisions") or ()),
                "groups": _groups(evaluation, self.groups),
                "doubts": doubts_of_runs(evaluation),
                "notes": list(evaluation.warnings),
            },
            checks=_checks(evaluation),
            tables=tables_of(evaluation, "comparison.runs", "comparison.engines", "comparison.ranking"),
        )


def _pair(evaluation: Evaluation, pair: Mapping[str, Any]) -> dict[str, Any]:
    """Return how one run stands beside the first: the case, the numbers that say it, and which scores change."""
    new, state = pair["new"], pair.get("state", SAME)
    decide = [row for row in headline_changes(evaluation, new) if state == SAME or row.metric != "prmse"]
    case = case_of(decide) if judged(pair) else state
    said = {
        metric: {"old": row.old, "new": row.new, "change": row.change, "reading": row.reading}
        for metric, key in SAID.items()
        for row in changes(evaluation, key)
        if (row.metric, row.system) == (metric, new) and row.old.defined and row.new.defined
    }
    kept = {key: pair.get(key) for key in ("old", "new", "paired", "shared", "old_n", "new_n", "raters_differ")}
    between = _engines(evaluation, new) if case == "other ratings" else {}
    on = {f"{reading}_on": [row.metric for row in decide if row.reading == reading] for reading in CLEAR}
    return {**kept, "state": state, "case": case, **on, **said, **moved(evaluation, new), **between}


def moved(evaluation: Evaluation, system: str) -> dict[str, Any]:
    """Return how many rounded scores change under a run, in which direction, and whether towards the rater's score."""
    table = evaluation.tables.get("comparison.movement")
    rows = [row for row in records(table) if row["system"] == system] if table else []
    if not rows:
        return {}
    n = {str(row["movement"]).partition(".")[2]: int(number(row["n"]) or 0) for row in rows}
    if "same_label" in n:
        changed, known = n["other_label"], ("now_right", "no_longer_right")
        found = {"changed": changed, "scores": n["same_label"] + changed, "labels": True}
    else:
        up, down, known = n["up_one"] + n["up_more"], n["down_one"] + n["down_more"], ("nearer", "farther")
        found = {"changed": up + down, "scores": n["same"] + up + down, "labels": False, "up": up, "down": down}
    return {**found, **{key: n[key] for key in known if key in n}}


def _engines(evaluation: Evaluation, system: str) -> dict[str, Any]:
    rows = [row for row in records(evaluation.tables["comparison.engines"]) if row["system"] == system]
    agreement = next((row["value"] for row in rows if isinstance(row["value"], Estimate)), None)
    mean = next(
        (
            row.change
            for row in changes(evaluation, "comparison.overall")
            if (row.system, row.metric, row.form) == (system, "system_mean", "trimmed") and row.change.defined
        ),
        None,
    )
    return {"agreement": agreement, "mean": mean}


def _checks(evaluation: Evaluation) -> tuple[Check, ...]:
    """Return the requirements that fit on a page: the most important ones, of as many runs as there is room for."""
    wanted = [check for check in evaluation.checks if check.estimate.metric in ("qwk", "prmse", "smd", "kappa")
              and not check.statistic.startswith("degradation")]  # fmt: skip
    runs = evaluation.facts["runs"][: MOST_CHECKS // 3]
    return tuple(check for check in wanted if check.group in runs)


def _groups(evaluation: Evaluation, most: int) -> list[dict[str, Any]]:
    """Return the groups in which a run is clearly worse or better than the first, the largest changes first."""
    found = []
    for column in evaluation.groups:
        rows = [row for row in changes(evaluation, f"comparison.by_group.{column}")
                if (row.form == "trimmed" and row.metric in ("qwk", "dsm"))
                or (row.metric == "kappa" and not evaluation.scale.ordered)]  # fmt: skip
        for reading in ("worse", "better"):
            clear = largest_first(row for row in rows if row.reading == reading)
            if clear:
                named = [
                    {"metric": row.metric, "level": row.level, "run": row.system, "change": row.change}
                    for row in clear[:most]
                ]
                of, count = (len({row.level for row in each}) for each in (rows, clear))
                found.append({"column": column, "case": reading, "named": named, "count": count, "of": of})
    return found
