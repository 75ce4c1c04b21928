"""What is true of all groups together, and where the two ways to compare them disagree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from report_sections.group_differences.given_true_score import groups_given, table_of
from report_sections.group_differences.standardized import Group
from reportgen.results import Evaluation

ADJUSTED = 0.05
"""An adjusted p below this is a difference that chance does not explain; groups are listed by the same share."""

WAYS = ("at_equal_true_score", "as_seen")
"""How groups are compared, the better way first."""


def together(evaluation: Evaluation) -> dict[str, Any]:
    """Return how many comparisons differ, alone and by chance, and what is left of the largest.

    At equal true score where that is known, else as seen; nothing with fewer than three.
    """
    found = evaluation.facts.get("groups_together") or {}
    way = next((each for each in WAYS if found.get(each)), "")
    known = found.get(way) or {}
    if known.get("n", 0) < 3:
        return {}
    return {**known, "way": way, "listed": [level for _, level in known["listed"]], "differ": known["p"] < ADJUSTED}


def disagreeing(evaluation: Evaluation, groups: Sequence[Group]) -> list[str]:
    """Return the groups that lie beyond the limit by one comparison alone, though both have an answer."""
    given = {
        (column, each.level): each.mark == "flagged"
        for column in evaluation.groups
        for each in groups_given(table_of(evaluation, column))
        if each.mark != "insufficient"
    }
    return [
        group.level
        for group in groups
        if group.outcome not in (None, "insufficient") and (group.column, group.level) in given
        if (group.outcome, given[group.column, group.level]) in (("not met", False), ("met", True))
    ]
