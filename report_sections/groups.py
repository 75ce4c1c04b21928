"""Groups held against their limit: counted once, in the same words on every page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from report_sections.lookup import group_checks, with_notes
from reportgen.results import number
from reportgen.sections import Check, Evaluation, Row, Table, Term
from reportgen.wording.names import natural

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

    Of a longer table these rows: the largest groups, the lowest and the highest value, and the flagged (the worst of
    them, when the table is very long). Many groups of nearly equal size, and groups of which some are left out, are in
    the order of their names. `by`: Column of the differences that the sentences tell.
    """
    kept = _shown(table, by)
    rows = tuple(row for place, row in enumerate(table.rows) if place in kept)
    ordered = _by_name(table, rows) if len(rows) < len(table.rows) or nearly_equal(_sizes(table)) else rows
    if len(rows) == len(table.rows):
        return table if ordered == rows else replace(table, rows=ordered)
    return with_notes(replace(table, rows=ordered, max_rows=len(rows)), _left_out(table, rows, by))


def _shown(table: Table, by: str) -> set[int]:
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
    return [size for size in _values(table, "n") if size is not None]


def _by_name(table: Table, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    """Return rows in the order of their names, the line of all responses first; unchanged without sizes to go by."""
    if not _sizes(table):
        return rows
    return tuple(sorted(rows, key=lambda row: (row.mark != "overall", natural(str(row.cells[0])))))


def _left_out(table: Table, rows: tuple[Row, ...], by: str) -> Term:
    """Return which groups of a longer table are shown, and where the others are."""
    flagged, shown = (sum(row.mark == "flagged" for row in each) for each in (table.rows, rows))
    return Term(
        "groups_left_out", left_out=len(table.rows) - len(rows), ends=bool(by), flagged=shown,
        more_flagged=flagged - shown, file=table.file_name,
    )  # fmt: skip


def counted(checks: Sequence[Check]) -> dict[str, int]:
    """Return how many groups have which outcome.

    `judged` are those with enough responses and a defined value: outside the limit or inside it with the whole
    interval, or on both sides of it.  `small`, `undefined` and `withheld` are not judged.
    """
    outcomes = [check.outcome for check in checks]
    not_judged = outcomes.count("insufficient")
    withheld = sum(check.withheld for check in checks)
    undefined = sum(check.outcome == "insufficient" and not check.estimate.defined for check in checks) - withheld
    return {
        "judged": len(checks) - not_judged,
        "total": len(checks),
        "outside": outcomes.count("not met"),
        "inside": outcomes.count("met"),
        "both_sides": outcomes.count("not yet known") + outcomes.count("out of reach"),
        "small": not_judged - undefined - withheld,
        "undefined": undefined,
        "withheld": withheld,
    }


def count_of_kinds(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return for groups of people and for items how many have which outcome, for templates; items come last."""
    items = {column for role in evaluation.roles if role.role == "item" for column in role.columns}
    least = None if evaluation.facts.get("min_n_by_group") else evaluation.facts.get("min_n_per_group")
    found: list[dict[str, Any]] = []
    for of_items in (False, True):
        columns = [column for column in columns_of(evaluation) if (column in items) == of_items]
        if checks := [check for column in columns for check in group_checks(evaluation, column)]:
            found.append({"items": of_items, "columns": columns, "least": least, **counted(checks)})
    return found


def columns_of(evaluation: Evaluation) -> tuple[str, ...]:
    """Return the groupings, also those of which every group is withheld."""
    return tuple(dict.fromkeys((*evaluation.groups, *(evaluation.facts.get("groups_withheld") or {}))))


def beyond(check: Check) -> float:
    """Return how far the estimate of a check lies outside its bounds, 0 inside them, in units of the estimate.

    Examples
    --------
    >>> from reportgen.results import Estimate, number
    >>> round(beyond(Check("DSM", Estimate("dsm", -0.25, 90), "not met", -0.1, 0.1)), 9)
    0.15
    """
    value = check.estimate.value
    if value is None:
        return 0.0
    return max(0.0, (check.low - value) if check.low is not None else 0.0,
               (value - check.high) if check.high is not None else 0.0)  # fmt: skip
