"""Groups held against their limit: counted once, in the same words on every page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from report_sections.lookup import group_checks, number, with_notes
from report_sections.words import first_few, listed, name
from reportgen.numbers import count, fixed, num
from reportgen.results import Check, Evaluation, Table

FAR = 2.0
"""A group whose whole interval lies beyond this many times the limit lies far outside."""


MOST_ROWS = 100
"""Rows up to which a table of groups is on the page as it is."""

MOST_FLAGGED = 50
"""Flagged groups shown of a longer table: those farthest from 0."""


def for_page(table: Table, by: str = "") -> Table:
    """Return a table of groups as the page shows it: of a long one the largest groups and the worst of the flagged.

    Parameters
    ----------
    by
        Column that says how far a flagged group is from 0.
    """
    if len(table.rows) <= MOST_ROWS:
        return table
    keys = [column.key for column in table.columns]
    flagged = [row for row in table.rows if row.mark == "flagged"]
    if by in keys:
        flagged.sort(key=lambda row: -abs(number(row.cells[keys.index(by)]) or 0.0))
    worst = {id(row) for row in flagged[:MOST_FLAGGED]}
    rows = tuple(
        row
        for place, row in enumerate(table.rows)
        if place < table.max_rows or row.mark in ("overall", "reference") or id(row) in worst
    )
    left = len(table.rows) - len(rows)
    more = f"; {count(len(flagged) - len(worst))} more are flagged" if len(flagged) > len(worst) else ""
    kinds = "the largest groups, and the flagged ones farthest from 0" if flagged else "the largest groups"
    note = f"Shown are {kinds}{more}. {count(left)} groups are only in tables/{table.file_name}."
    return with_notes(replace(table, rows=rows, max_rows=len(rows)), note)


@dataclass(frozen=True)
class GroupCount:
    """How many groups there are, and what their criteria say.

    `judged` are those with enough responses and a defined value: outside the limit or inside it with
    the whole interval, or on both sides of it.  `small`, `undefined` and `withheld` are not judged.
    """

    total: int
    outside: int
    inside: int
    both_sides: int
    small: int
    undefined: int
    withheld: int = 0

    @property
    def judged(self) -> int:
        """Groups held against the limit."""
        return self.outside + self.inside + self.both_sides


def counted(checks: Sequence[Check]) -> GroupCount:
    """Return how many groups have which outcome."""
    outcomes = [check.outcome for check in checks]
    withheld = sum(check.withheld for check in checks)
    undefined = sum(check.outcome == "insufficient" and not check.estimate.defined for check in checks) - withheld
    return GroupCount(
        len(checks),
        outcomes.count("not met"),
        outcomes.count("met"),
        outcomes.count("not yet known"),
        outcomes.count("insufficient") - undefined - withheld,
        undefined,
        withheld,
    )


def by_chance(checks: Sequence[Check]) -> str:
    """Say how many groups chance alone would put outside the limit; nothing for a single one."""
    found = counted(checks)
    if found.judged < 2:
        return ""
    expected = (1 - checks[0].estimate.level) / 2 * found.judged
    return (
        f"Of {count(found.judged)} groups judged, chance alone would put about {fixed(expected, 1)} outside the "
        "limit if each lay right on it, and fewer the nearer they lie to 0; intervals are not widened for the number "
        "of groups."
    )


def not_judged(found: GroupCount, evaluation: Evaluation) -> str:
    """Return how many groups are not judged and why; nothing when all are."""
    left = found.total - found.judged
    if not left:
        return ""
    verb = "is" if left == 1 else "are"
    return f"{count(left)} of {count(found.total)} {verb} not judged ({_why(found, evaluation)})"


def _why(found: GroupCount, evaluation: Evaluation) -> str:
    """Return the reasons why groups are not judged, with their numbers."""
    least = evaluation.facts.get("min_n_per_group")
    one_number = least and not evaluation.facts.get("min_n_by_group")
    few = f"fewer than {num(least)}" if one_number else "too few"
    reasons = {f"{few} responses": found.small, "no defined value": found.undefined}
    said = [(f"{count(n)} with ", reason) for reason, n in reasons.items() if n]
    if found.withheld:
        said.append((f"{count(found.withheld)} ", "withheld for privacy"))
    return said[0][1] if len(said) == 1 else listed(f"{number}{reason}" for number, reason in said)


def by_kind(evaluation: Evaluation) -> list[tuple[str, str, tuple[Check, ...]]]:
    """Return for groups of people and for items: one, many ("group of L1"), and their criteria; items come last.

    A prompt is no group of people: its levels are counted apart.
    """
    items = {column for role in evaluation.roles if role.role == "item" for column in role.columns}
    kinds = []
    for noun, columns in (
        ("group", [column for column in columns_of(evaluation) if column not in items]),
        ("level", [column for column in columns_of(evaluation) if column in items]),
    ):
        of = first_few([name(column, 30) for column in columns], most=3)
        checks = tuple(check for column in columns for check in group_checks(evaluation, column))
        if checks:
            kinds.append((f"{noun} of {of}", f"{noun}s of {of}", checks))
    return kinds


def columns_of(evaluation: Evaluation) -> tuple[str, ...]:
    """Return the groupings, also those of which every group is withheld."""
    return tuple(dict.fromkeys((*evaluation.groups, *(evaluation.facts.get("groups_withheld") or {}))))


def standing(evaluation: Evaluation) -> list[str]:
    """Return one clause for each kind of group: how many lie outside the limit, and how far."""
    return [_clause(evaluation, one, several, checks) for one, several, checks in by_kind(evaluation)]


def _clause(evaluation: Evaluation, one: str, several: str, checks: Sequence[Check]) -> str:
    """Say how the groups of one kind stand against the limit."""
    found = counted(checks)
    if not found.judged:
        whole = f"{count(found.total)} {several}" if found.total > 1 else one
        return f"the {whole} cannot be judged ({_why(found, evaluation)})"
    if found.judged < found.total:
        one, several = f"judged {one}", f"judged {several}"
    whole = f"{count(found.judged)} {several if found.judged > 1 else one}"
    if found.outside:
        lie = "lies" if found.outside == 1 else "lie"
        said = f"{count(found.outside)} of {whole} {lie} outside the limit{_far(checks)}"
    elif found.both_sides == found.judged:
        which = f"the {whole} lie" if found.judged > 1 else f"the one {one} lies"
        said = f"whether {which} within the limit is not yet known"
    elif found.both_sides:
        said = f"{count(found.both_sides)} of {whole} may lie inside or outside the limit, the others lie inside"
    else:
        whole = f"both {several}" if found.judged == 2 else f"all {whole}" if found.judged > 1 else f"the one {one}"
        said = f"{whole} {'lie' if found.judged > 1 else 'lies'} within the limit"
    rest = not_judged(found, evaluation)
    return f"{said}; {rest}" if rest else said


def _far(checks: Sequence[Check]) -> str:
    """Name the groups far outside, the farthest first."""
    far = sorted((check for check in checks if far_outside(check)), key=lambda check: -abs(check.estimate.value or 0.0))
    if not far:
        return ""
    named = first_few([f"{name(check.group, 40)} ({num(check.estimate)})" for check in far], most=2)
    return f", far outside it {named}"


def far_outside(check: Check) -> bool:
    """Return whether the whole interval of a group lies beyond `FAR` times the limit."""
    low, high = check.estimate.low, check.estimate.high
    if check.outcome != "not met" or low is None or high is None:
        return False
    above = check.high is not None and low > FAR * check.high
    below = check.low is not None and high < FAR * check.low
    return above or below
