"""Pictures that are made for the brief: the counts of equal scores, and the groups that matter most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from report_sections.figures import GroupRow, group_panels, in_order
from report_sections.lookup import group_checks
from report_sections.score_figures import same_scores_chart
from report_sections.summary.counts import has_points
from report_sections.words import distinct
from reportgen.results import Evaluation
from reportgen.results.chart import Chart
from reportgen.results.term import Term

COUNTS, GROUPS = "summary.same.chart", "summary.groups.chart"

MOST_GROUPS = 8
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
    rows, left = rows[:MOST_GROUPS], rows[MOST_GROUPS:]
    nearer = bool(left) and max(row.size for row in left) <= min(row.size for row in rows)
    first = checks[0]
    alt = Term("brief_groups_alt", rows=[[row.label, row.seen] for row in rows])
    chart = group_panels(
        GROUPS, alt, rows, (Term("as_seen"), ""), "", Term("difference_in_sd"), (first.low, first.high),
        limit=Term("within_limit", check=first), caption=Term("brief_groups_left", left=len(left), nearer=nearer),
    )  # fmt: skip
    return (chart,)
