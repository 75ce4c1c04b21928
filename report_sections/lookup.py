"""What sections look up in an evaluation, how they count groups, and how they lay a table out for the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from reportgen.results import Record, number
from reportgen.sections import Check, Estimate, Evaluation, Row, Table, Term
from reportgen.wording.names import name, natural

DIFFERENCES = ("dsm", "difference_given_true_score")
"""Metrics of differences between groups; where a policy asks for both, a section counts the first."""


def is_of_test(evaluation: Evaluation) -> bool:
    """Return whether people took a test: not if scores are two categories or labels, or a judge gave them."""
    columns = [column for role in evaluation.roles if role.role == "system" for column in role.columns]
    judged = any("judge" in column.casefold() for column in columns)
    return evaluation.scale.ordered and not evaluation.facts.get("categories") and not judged


def least_size(evaluation: Evaluation, column: str) -> int:
    """Return how many responses a group of a column needs to be judged."""
    by_group = evaluation.facts.get("min_n_by_group") or {}
    return int(by_group.get(column) or evaluation.count("min_n_per_group"))


def is_drawn(evaluation: Evaluation) -> bool:
    """Return whether raters stand in for each other, so that no rater is the first one."""
    return (evaluation.facts.get("design") or {}).get("record", "") is None


def has_second_human(evaluation: Evaluation) -> bool:
    """Return whether any response was scored by two raters."""
    return evaluation.count("responses_double_scored") > 0


def multiply_scored(evaluation: Evaluation) -> int:
    """Return the responses that any two raters scored, with an engine score or not.

    The first two raters alone decide `responses_double_scored`.
    """
    first_two = evaluation.count("responses_double_scored") + evaluation.count("double_scored_without_engine")
    rows = evaluation.records("true_score.prmse") if len(evaluation.raters) > 2 else []
    return max(first_two, *(row.count("n_multiple") for row in rows), 0)


def overall_check(evaluation: Evaluation, key: str) -> Check | None:
    """Return the criterion on a headline number that was computed, such as "system.qwk"."""
    if key not in evaluation.estimates:
        return None
    return next((check for check in evaluation.checks if not check.group and check.statistic == key), None)


def required_by_share(evaluation: Evaluation) -> dict[str, Any]:
    """Return what the item's share of the points of the test requires, if that is the limit on accuracy."""
    check = overall_check(evaluation, "true_score.prmse")
    required = (evaluation.facts.get("impact") or {}).get("required") or {}
    return dict(required) if check is not None and check.low is not None and check.low == required.get("limit") else {}


def group_checks(evaluation: Evaluation, column: str = "") -> tuple[Check, ...]:
    """Return the criteria on differences between groups, of one column or of all: as seen, else at equal true score."""
    of_groups = [check for check in evaluation.checks if check.column]
    known = {check.estimate.metric for check in of_groups}
    metric = next((each for each in DIFFERENCES if each in known), "")
    return tuple(check for check in of_groups if check.estimate.metric == metric and column in ("", check.column))


def withheld_log(evaluation: Evaluation) -> tuple[Table, ...]:
    """Return the log of the groups that are not shown, if there are any."""
    return evaluation.present("privacy.withheld")


def known(cell: object) -> Estimate | None:
    """Return a cell that is an estimate with a value, or None."""
    return cell if isinstance(cell, Estimate) and cell.defined else None


def estimates_in(rows: Iterable[Record], label: str, column: str) -> list[tuple[str, Estimate]]:
    """Return the estimates of a column that have a value, each with the label of its row."""
    return [(str(row[label]), found) for row in rows if (found := row.estimate(column))]


def lowest_and_highest(found: Iterable[tuple[object, Estimate]], label: str, value: str) -> list[dict[str, Any]]:
    """Return the lowest and the highest of labelled estimates as a template reads them."""
    ranked = sorted(found, key=lambda pair: pair[1].value or 0.0)
    return [{label: name, value: estimate} for name, estimate in (ranked[0], ranked[-1])]


def of_rounded(evaluation: Evaluation, table: str, column: str) -> Estimate | None:
    """Return a number of the score that is rounded to score points, from a table of every form."""
    labels = [form.label for form in evaluation.score_types if form.key == evaluation.facts.get("primary_rounded")]
    rows = (row for row in evaluation.records(table) if row["score_type"] in labels)
    return next((row.estimate(column) for row in rows), None)


def with_columns(table: Table, shown: Iterable[str]) -> Table:
    """Return the table with only these columns on the page; the CSV keeps all."""
    kept = set(shown)
    return replace(
        table, columns=tuple(replace(column, shown=column.shown and column.key in kept) for column in table.columns)
    )


def with_notes(table: Table, *notes: str) -> Table:
    """Return the table with more notes under it."""
    return replace(table, notes=(*table.notes, *(note for note in notes if note)))


def distinct(names: Iterable[object], most: int = 40) -> tuple[str, ...]:
    """Return names short enough for an axis, and still different from each other.

    Examples
    --------
    >>> distinct(["aaaa1", "aaaa2", "b"], most=4)
    ('aaa…', 'aaa… (2)', 'b')
    """
    labels: list[str] = []
    for each in names:
        short = label = name(each, most)
        repeat = 2
        while label in labels:
            label, repeat = f"{short} ({repeat})", repeat + 1
        labels.append(label)
    return tuple(labels)


def category_names(evaluation: Evaluation) -> Mapping[str, str]:
    """Return what the lower and the higher category are called; empty on another scale."""
    found = evaluation.facts.get("categories")
    return found if isinstance(found, Mapping) else {}


def only_points(evaluation: Evaluation) -> bool:
    """Return whether the engine, too, gives nothing but two points: score levels then say nothing more."""
    primary = evaluation.facts.get("primary")
    return bool(category_names(evaluation)) and not any(
        form.continuous for form in evaluation.score_types if form.key == primary
    )


MOST_DOUBTS = 4
"""Doubts on a page that leads to reports, or compares; the reports have all."""


def doubts_of_runs(evaluation: Evaluation) -> dict[str, Any]:
    """Return the doubts in the reports of engines, each once, with the engines it is about, and how many more."""
    told = evaluation.facts.get("doubts_of_systems") or ()
    found = [{"runs": list(runs), "sentence": sentence} for sentence, runs in told]
    kept = MOST_DOUBTS if len(found) <= MOST_DOUBTS else MOST_DOUBTS - 1
    return {"told": found[:kept], "more": len(found) - len(found[:kept])}


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
