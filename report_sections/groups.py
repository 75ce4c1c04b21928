"""Groups held against their limit: counted once, in the same words on every page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from report_sections.lookup import group_checks, number, with_notes
from report_sections.words import first_few, listed, name
from reportgen.results import Check, Evaluation, Row, Table
from reportgen.wording.natural_order import natural
from reportgen.wording.numbers import count, fixed, many, num

FAR = 2.0
"""A group whose whole interval lies beyond this many times the limit lies far outside."""


MOST_ROWS = 100
"""Rows up to which a table of groups shows all that are flagged."""

MOST_FLAGGED = 50
"""Flagged groups shown of a longer table: those farthest from 0."""


MANY_LEVELS = 10
"""Levels of nearly equal size that are looked up by name, when they are more than this."""


def ends(values: Sequence[float | None], judged: Sequence[bool]) -> set[int]:
    """Return where the smallest and the largest value stand, which sentences name: of the judged, else of all.

    Examples
    --------
    >>> sorted(ends([0.1, None, -0.2, 0.9], [True, True, True, False]))
    [0, 2]
    """
    known = [(value, place) for place, value in enumerate(values) if value is not None]
    among = [pair for pair in known if judged[pair[1]]] or known
    return {pick(among, key=lambda pair: pair[0])[1] for pick in (min, max)} if among else set()


def nearly_equal(sizes: Sequence[float]) -> bool:
    """Return whether there are many levels, the largest less than twice the smallest."""
    return len(sizes) > MANY_LEVELS and max(sizes) < 2 * min(sizes)


def for_page(table: Table, by: str = "") -> Table:
    """Return a table of groups as the page shows it, so that what sentences name is in it.

    Of a longer table these rows: the largest groups, the lowest and the highest value, and the flagged
    (the worst of them, when the table is very long).  Many groups of nearly equal size, and groups
    of which some are left out, are in the order of their names.

    Parameters
    ----------
    by
        Column of the differences that the sentences tell.
    """
    kept = _shown(table, by)
    rows = tuple(row for place, row in enumerate(table.rows) if place in kept)
    ordered = _by_name(table, rows) if len(rows) < len(table.rows) or nearly_equal(_sizes(table)) else rows
    if len(rows) == len(table.rows):
        return table if ordered == rows else replace(table, rows=ordered)
    return with_notes(replace(table, rows=ordered, max_rows=len(rows)), _left_out(table, rows, by))


def _shown(table: Table, by: str) -> set[int]:
    """Return the places of the rows of a table that the page shows."""
    if len(table.rows) <= table.max_rows:
        return set(range(len(table.rows)))
    values = _values(table, by)
    flagged = [place for place, row in enumerate(table.rows) if row.mark == "flagged"]
    if by:
        flagged.sort(key=lambda place: -abs(values[place] or 0.0))
    most = MOST_FLAGGED if len(table.rows) > MOST_ROWS else len(flagged)
    whole = {place for place, row in enumerate(table.rows) if row.mark in ("overall", "reference")}
    return {
        *range(table.max_rows),
        *whole,
        *flagged[:most],
        *ends(values, [row.mark not in ("overall", "insufficient") for row in table.rows]),
    }


def _values(table: Table, by: str) -> list[float | None]:
    """Return the values of a column of groups; none of the line of all responses, and none without a column."""
    keys = [column.key for column in table.columns]
    if by not in keys:
        return [None] * len(table.rows)
    place = keys.index(by)
    return [None if row.mark == "overall" else number(row.cells[place]) for row in table.rows]


def _sizes(table: Table) -> list[float]:
    """Return the sizes of the groups of a table that says them."""
    return [size for size in _values(table, "n") if size is not None]


def _by_name(table: Table, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    """Return rows in the order of their names, the line of all responses first; unchanged without sizes to go by."""
    if not _sizes(table):
        return rows
    return tuple(sorted(rows, key=lambda row: (row.mark != "overall", natural(str(row.cells[0])))))


def _left_out(table: Table, rows: tuple[Row, ...], by: str) -> str:
    """Say which groups of a longer table are shown, and where the others are."""
    flagged, shown = (sum(row.mark == "flagged" for row in each) for each in (table.rows, rows))
    kinds = ["the largest groups"]
    label = next((column.label for column in table.columns if column.key == by), "")
    label = f"“{label}”" if " " in label else label
    kinds += [f"those of the lowest and the highest {label}"] if label else []
    kinds += ["the flagged ones farthest from 0" if flagged > shown else "the flagged ones"] if flagged else []
    more = f"; {count(flagged - shown)} more are flagged" if flagged > shown else ""
    left = many(len(table.rows) - len(rows), "group is", "groups are")
    return f"Shown are {listed(kinds)}{more}. {left} only in tables/{table.file_name}."


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


def beyond(check: Check) -> float:
    """Return how far the estimate of a check lies outside its bounds, 0 inside them, in units of the estimate.

    Examples
    --------
    >>> from reportgen.results import Estimate
    >>> round(beyond(Check("DSM", Estimate("dsm", -0.25, 90), "not met", -0.1, 0.1)), 9)
    0.15
    """
    value = check.estimate.value
    if value is None:
        return 0.0
    return max(0.0, (check.low - value) if check.low is not None else 0.0,
               (value - check.high) if check.high is not None else 0.0)  # fmt: skip


def far_outside(check: Check) -> bool:
    """Return whether the whole interval of a group lies beyond `FAR` times the limit."""
    low, high = check.estimate.low, check.estimate.high
    if check.outcome != "not met" or low is None or high is None:
        return False
    above = check.high is not None and low > FAR * check.high
    below = check.low is not None and high < FAR * check.low
    return above or below
