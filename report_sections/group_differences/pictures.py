"""The figure of all groups: how far the engine places each from raters, as seen and at equal true score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from report_sections.figures import NONE, UNDECIDED, GroupRow, group_panels
from report_sections.group_differences.given_true_score import Given, nearest
from report_sections.group_differences.standardized import Group
from report_sections.groups import MOST_FLAGGED, ends
from report_sections.lookup import group_checks
from report_sections.words import distinct
from reportgen.results import Check, Evaluation, Outcome
from reportgen.sections import Chart, Term

KEY = "group_differences.chart"


@dataclass(frozen=True)
class Drawn:
    """One row of the figure: a group as seen, and at equal true score where that is known."""

    seen: Group
    given: Given | None = None

    @property
    def flagged(self) -> bool:
        """Whether its requirement is not met."""
        return self.seen.outcome == "not met"


def group_figure(evaluation: Evaluation, rows: Sequence[Drawn], most: int) -> Chart | None:
    """Return both differences of every group, beside each other on one scale; None where there is nothing to compare.

    Drawn are, of each column, the `most` largest groups, the lowest and the highest, and all that are flagged; flagged
    ones come first, then those that differ most.
    """
    kept = sorted(_kept(rows, most), key=lambda row: (not row.flagged, -abs(row.seen.value)))
    if len(kept) < 2:
        return None
    columns = list(dict.fromkeys(row.seen.column for row in kept))
    plain = distinct((row.seen.level for row in kept), most=40 if len(columns) == 1 else 36)
    labels = tuple(
        label if len(columns) == 1 else Term("group_of", level=label, column=row.seen.column)
        for label, row in zip(plain, kept, strict=True)
    )
    checks = group_checks(evaluation)
    limit = float(evaluation.facts.get("limit_given_true_score") or 0.0)
    drawn = [_row(label, row, limit) for label, row in zip(labels, kept, strict=True)]
    return group_panels(
        KEY,
        _alt(kept, checks),
        drawn,
        (Term("as_seen"), Term("at_equal_true_score")),
        Term("column_name", column=columns[0]) if len(columns) == 1 else Term("group"),
        Term("difference_in_sd"),
        (checks[0].low, checks[0].high) if checks else NONE,
        (-limit, limit) if limit else NONE,
        Term("within_limit", check=checks[0]) if checks else "",
        Term(
            "groups_drawn",
            left_out=len(rows) - len(kept),
            most=most,
            hollow=any(
                each.outcome in UNDECIDED or each.given_outcome in UNDECIDED for each in drawn if not each.small
            ),
            small=any(each.small for each in drawn),
        ),
    )


def _row(label: str, row: Drawn, limit: float) -> GroupRow:
    """Return a row of the figure: what its requirement says, and where it lies at equal true score."""
    given = row.given
    small = "insufficient" in (row.seen.outcome, row.seen.mark)
    return GroupRow(
        label,
        row.seen.dsm.n,
        row.seen.dsm,
        given.difference if given else None,
        row.seen.outcome or "",
        _beside(given, limit) if given else "",
        small,
    )


def _beside(given: Given, limit: float) -> Outcome:
    """Return whether all of a difference lies beyond the limit, none of it, or a part."""
    low, high = given.difference.low, given.difference.high
    if given.mark == "insufficient" or low is None or high is None:
        return "insufficient"
    if abs(nearest(given.difference)) > limit:
        return "not met"
    return "met" if -limit <= low and high <= limit else "not yet known"


def _kept(rows: Sequence[Drawn], most: int) -> list[Drawn]:
    """Return the rows that the figure has room for, and those that must not be missing."""
    worst = sorted((row for row in rows if row.flagged), key=lambda row: -abs(row.seen.value))[:MOST_FLAGGED]
    found = []
    for column in dict.fromkeys(row.seen.column for row in rows):
        own = [row for row in rows if row.seen.column == column]
        named = ends([row.seen.value for row in own], [row.seen.outcome != "insufficient" for row in own])
        found += [row for place, row in enumerate(own) if place < most or place in named or row in worst]
    return found


def _alt(kept: Sequence[Drawn], checks: Sequence[Check]) -> Term:
    """Return what the figure shows, for readers who do not see it: the groups beyond the limit, or the range."""
    flagged = [row.seen.told() for row in kept if row.flagged]
    judged = [row.seen for row in kept if row.seen.outcome != "insufficient"] or [row.seen for row in kept]
    low, high = (pick(judged, key=lambda group: group.value) for pick in (min, max))
    return Term(
        "groups_alt", n=len(kept), beyond=[{"level": each["level"], "estimate": each["estimate"]} for each in flagged],
        low={"level": low.level, "estimate": low.dsm}, high={"level": high.level, "estimate": high.dsm},
        limit=checks[0] if checks else None,
    )  # fmt: skip
