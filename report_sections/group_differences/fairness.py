"""The three fairness analyses (Loukina et al., 2019): accuracy, difference, difference at equal human score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from report_sections.lookup import estimates_in, known, number, records, rows_of
from reportgen.results import Mark
from reportgen.sections import Estimate, Evaluation, Table
from reportgen.wording.numbers import num

ANALYSES = ("osa", "osd", "csd")
"""The three analyses, in the order of their table."""


def explained(evaluation: Evaluation, column: str) -> list[dict[str, Any]]:
    """Return how much of the errors goes with the group, in percent, in the order OSA, OSD, CSD; none below 0."""
    rows = zip(ANALYSES, rows_of(evaluation, f"fairness.explained.{column}"), strict=False)
    return [
        {"analysis": analysis, "share": 100 * max(0.0, share), "p": number(row["p"])}
        for analysis, row in rows
        if (share := number(row["r_squared"])) is not None
    ]


LEAST_PART = 1 / 3
"""The share of a difference that rater error must make before the difference is said to mistake it for bias."""


@dataclass(frozen=True)
class Given:
    """One group beside the reference: its difference, what could be seen, and what rater error alone makes."""

    level: str
    n: int
    gap: float
    difference: Estimate
    detectable: float | None
    rater_error: Estimate | None
    mark: Mark

    @property
    def value(self) -> float:
        """The difference."""
        return self.difference.value or 0.0

    def told(self) -> dict[str, Any]:
        """Return what a template says of it."""
        return {"level": self.level, "n": self.n, "estimate": self.difference, "gap": self.gap}


def table_of(evaluation: Evaluation, column: str) -> Table | None:
    """Return the table of a column."""
    return evaluation.tables.get(f"fairness.given_true_score.{column}")


def groups_given(table: Table | None, *, others: bool = False) -> tuple[Given, ...]:
    """Return the groups that have a difference, largest first; the reference differs from others only."""
    found = []
    for row, record in zip(table.rows, records(table), strict=True) if table else ():
        if difference := known(record["from_others" if others else "standardized"]):
            n, gap, least = (number(record[key]) for key in ("n", "gap", "detectable"))
            rater_error = cell if isinstance(cell := record["rater_error"], Estimate) else None
            found.append(Given(str(record["level"]), int(n or 0), gap or 0.0, difference, least, rater_error, row.mark))
    return tuple(found)


def reference_of(table: Table | None) -> str:
    """Return the name of the reference group."""
    return next((str(row.cells[0]) for row in table.rows if row.mark == "reference"), "") if table else ""


def at_equal_true_score(evaluation: Evaluation, column: str, *, others: bool = False) -> dict[str, Any]:
    """Return how groups differ at equal true score; the reason where that is not known, nothing without either."""
    table = table_of(evaluation, column)
    if table is None:
        why = (evaluation.facts.get("no_difference_given_true_score") or {}).get(column)
        return {"case": "unknown", "reason": why} if why else {"case": ""}
    judged = [group for group in groups_given(table, others=others) if group.mark != "insufficient"]
    if not judged:
        return {"case": "few"}
    low, high = (pick(judged, key=lambda group: group.value) for pick in (min, max))
    limit = _limit(evaluation)
    beyond = sorted(
        (group for group in judged if (abs(nearest(group.difference)) > limit if others else group.mark == "flagged")),
        key=lambda group: -abs(group.value),
    )
    return {
        "case": "beyond" if beyond else "one" if low is high else "within",
        "base": "" if others else reference_of(table),
        "judged": len(judged),
        "low": low.told(),
        "high": high.told(),
        "beyond": [group.told() for group in beyond],
    }


def unseen(evaluation: Evaluation) -> dict[str, Any]:
    """Return how many judged groups could hide a difference as large as the limit, and the one that could hide most."""
    limit, known = _limit(evaluation), []
    for column in evaluation.groups:
        groups = groups_given(table_of(evaluation, column))
        known += [(group.detectable, column, group) for group in groups
                  if group.mark != "insufficient" and group.detectable is not None]  # fmt: skip
    if not known:
        return {}
    most, column, group = max(known, key=lambda each: (each[0], -each[2].n, each[1], each[2].level))
    return {"n": sum(least > limit for least, _, _ in known), "of": len(known), "most": most, "limit": limit,
            "level": group.level, "column": column, "responses": group.n}  # fmt: skip


def rater_error(evaluation: Evaluation, column: str) -> dict[str, Any]:
    """Return how much of a difference at equal human score is what rater error alone makes; nothing without any."""
    table = table_of(evaluation, column)
    observed = dict(estimates_in(rows_of(evaluation, f"fairness.csd.{column}"), "level", "estimate"))
    both = [
        (group, group.rater_error, observed[group.level])
        for group in groups_given(table)
        if group.mark != "insufficient" and group.rater_error is not None and group.level in observed
    ]
    if not both:
        return {}
    matters = [each for each in both if _matters(each[1], each[2])]
    clear = any(nearest(each[1]) for each in both)
    group, alone, found = max(matters if clear and matters else both, key=lambda each: abs(each[1].value or 0.0))
    apart = [each for each in both if nearest(each[2])]
    return {
        "case": "none" if not clear else "mistakes" if matters else "little",
        "group": group.told(),
        "base": reference_of(table),
        "alone": alone,
        "found": found,
        "seen": bool(nearest(found)),
        "more": abs(alone.value or 0.0) > abs(found.value or 0.0) or (alone.value or 0.0) * (found.value or 0.0) < 0,
        "apart": len(apart),
        "alarms": sum(not nearest(group.difference) for group, _, _ in apart),
    }


def _matters(alone: Estimate, found: Estimate) -> bool:
    part, whole = alone.value or 0.0, found.value or 0.0
    visible = num(alone).strip("+−") != num(0.0, alone.kind)
    return visible and abs(part) >= LEAST_PART * abs(whole) and bool(nearest(alone))


def _limit(evaluation: Evaluation) -> float:
    return float(evaluation.facts.get("limit_given_true_score") or 0.0)


def nearest(estimate: Estimate) -> float:
    """Return the end of an interval nearest 0; 0 when it contains 0 or there is none."""
    if estimate.low is None or estimate.high is None or estimate.low <= 0 <= estimate.high:
        return 0.0
    return min(estimate.low, estimate.high, key=abs)
