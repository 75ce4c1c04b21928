"""Look up values in an evaluation, count groups, and lay out tables for the report."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from reportgen.results import Record
from reportgen.sections import Check, Estimate, Evaluation, Row, Table, Term
from reportgen.wording.names import name, natural

DIFFERENCES = ("dsm", "difference_given_true_score")
"""Metrics of differences between groups; if a policy has both, sections count the first."""


def is_of_test(evaluation: Evaluation) -> bool:
    """Return whether people took a test: not if scores are two categories or labels, or a judge gave them."""
    judged = (evaluation.facts.get("design") or {}).get("purpose") == "judge"
    return evaluation.scale.ordered and not evaluation.facts.get("categories") and not judged


def least_size(evaluation: Evaluation, column: str) -> int:
    """Return the number of responses that a group of a column needs to be judged."""
    by_group = evaluation.facts.get("min_n_by_group") or {}
    return int(by_group.get(column) or evaluation.count("min_n_per_group"))


def is_drawn(evaluation: Evaluation) -> bool:
    """Return whether raters are interchangeable, so that no rater is the first one."""
    return (evaluation.facts.get("design") or {}).get("record", "") is None


def is_second_chosen(evaluation: Evaluation) -> bool:
    """Return whether the double-scored responses clearly differ from the others."""
    return ((evaluation.facts.get("design") or {}).get("second") or {}).get("how") == "chosen"


def multiply_scored(evaluation: Evaluation) -> int:
    """Return the responses that any two raters scored, with an engine score or not."""
    first_two = evaluation.count("responses_double_scored") + evaluation.count("double_scored_without_engine")
    rows = evaluation.records("true_score.prmse") if len(evaluation.raters) > 2 else []
    return max(first_two, *(row.count("n_multiple") for row in rows), 0)


def overall_check(evaluation: Evaluation, key: str) -> Check | None:
    """Return the criterion on a headline number that was computed, such as "system.qwk"."""
    if key not in evaluation.estimates:
        return None
    return next((check for check in evaluation.checks if not check.group and check.statistic == key), None)


def required_by_share(evaluation: Evaluation) -> dict[str, Any]:
    """Return the requirement that follows from the item's share of the test's points, if it limits accuracy."""
    check = overall_check(evaluation, "true_score.prmse")
    required = (evaluation.facts.get("design") or {}).get("required") or {}
    return dict(required) if check and check.low is not None and check.low == required.get("limit") else {}


def group_checks(evaluation: Evaluation, column: str = "") -> tuple[Check, ...]:
    """Return the criteria on group differences of one column or all: observed, or else at equal true score."""
    of_groups = [check for check in evaluation.checks if check.column]
    known = {check.estimate.metric for check in of_groups}
    metric = next((each for each in DIFFERENCES if each in known), "")
    return tuple(check for check in of_groups if check.estimate.metric == metric and column in ("", check.column))


def estimates_in(rows: Iterable[Record], label: str, column: str) -> list[tuple[str, Estimate]]:
    """Return the estimates of a column that have a value, each with the label of its row."""
    return [(row.text(label), found) for row in rows if (found := row.estimate(column))]


def lowest_and_highest(found: Iterable[tuple[object, Estimate]], label: str, value: str) -> list[dict[str, Any]]:
    """Return the lowest and the highest of labelled estimates as a template reads them."""
    ranked = sorted(found, key=lambda pair: pair[1].value or 0.0)
    return [{label: name, value: estimate} for name, estimate in (ranked[0], ranked[-1])]


def of_rounded(evaluation: Evaluation, table: str, column: str) -> Estimate | None:
    """Return a number of the score that is rounded to score points, from a table of every form."""
    labels = [form.label for form in evaluation.score_types if form.key == evaluation.facts.get("primary_rounded")]
    return next((row.estimate(column) for row in evaluation.records(table) if row["score_type"] in labels), None)


def with_columns(table: Table, shown: Sequence[str]) -> Table:
    """Return the table with only these columns on the page; the CSV keeps all."""
    columns = (replace(column, shown=column.shown and column.key in shown) for column in table.columns)
    return replace(table, columns=tuple(columns))


def distinct(names: Iterable[object], most: int = 40) -> tuple[str, ...]:
    """Return names short enough for an axis, and still different from each other.

    >>> distinct(["aaaa1", "aaaa2", "b"], most=4)
    ('aaa…', 'aaa… (2)', 'b')
    """
    labels: list[str] = []
    for short in (name(each, most) for each in names):
        numbered = (f"{short} ({repeat})" if repeat > 1 else short for repeat in count(1))
        labels.append(next(label for label in numbered if label not in labels))
    return tuple(labels)


def category_names(evaluation: Evaluation) -> Mapping[str, str]:
    """Return the names of the lower and the higher category; empty on another scale."""
    return evaluation.facts.get("categories") or {}


def only_points(evaluation: Evaluation) -> bool:
    """Return whether the engine also gives only two points, so that score levels add no information."""
    primary = [form for form in evaluation.score_types if form.key == evaluation.facts.get("primary")]
    return bool(category_names(evaluation)) and not any(form.continuous for form in primary)


MOST_DOUBTS = 4  # doubts on a page that links to reports or compares them; the reports have all


def doubts_of_runs(evaluation: Evaluation) -> dict[str, Any]:
    """Return the doubts in the reports of engines, each once, with the engines it is about, and how many more."""
    told = evaluation.facts.get("doubts_of_systems") or ()
    found = [{"runs": list(runs), "sentence": sentence} for sentence, runs in told]
    kept = found if len(found) <= MOST_DOUBTS else found[: MOST_DOUBTS - 1]
    return {"told": kept, "more": len(found) - len(kept)}


MOST_ROWS = 100  # rows up to which a table of groups shows all that are flagged

MOST_FLAGGED = 50  # flagged groups shown of a longer table: those farthest from 0

MANY_LEVELS = 10  # more levels of nearly equal size than this are sorted by name


def ends(values: Sequence[float | None], judged: Sequence[bool]) -> set[int]:
    """Return the rows of the smallest and the largest value, which sentences name: judged rows if any, or all rows.

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
    """Return a table of groups as the page shows it, with the groups that sentences name.

    A longer table shows the largest groups, the lowest and the highest value, and the flagged groups (the worst of them
    if the table is very long). Many groups of nearly equal size, and groups of which some are omitted, are sorted by
    name. `by`: Column of the differences that the sentences name.
    """
    rows, sizes = _shown(table, by), [size for size in _values(table, "n") if size is not None]
    whole = len(rows) == len(table.rows)
    if sizes and (nearly_equal(sizes) or not whole):
        rows = tuple(sorted(rows, key=lambda row: (row.mark != "overall", natural(str(row.cells[0])))))
    if whole:
        return table if rows is table.rows else replace(table, rows=rows)
    flagged, shown = (sum(row.mark == "flagged" for row in each) for each in (table.rows, rows))
    note = Term(
        "groups_left_out", left_out=len(table.rows) - len(rows), ends=bool(by), flagged=shown,
        more_flagged=flagged - shown, file=table.file_name,
    )  # fmt: skip
    return replace(table, rows=rows, max_rows=len(rows), notes=(*table.notes, note))


def _shown(table: Table, by: str) -> tuple[Row, ...]:
    rows, values = table.rows, _values(table, by)
    if len(rows) <= table.max_rows:
        return rows
    far_first = sorted(range(len(rows)), key=lambda place: -abs(values[place] or 0.0))
    flagged = [place for place in far_first if rows[place].mark == "flagged"]
    kept = {
        *range(table.max_rows),
        *flagged[: MOST_FLAGGED if len(rows) > MOST_ROWS else None],
        *ends(values, [row.mark not in ("overall", "insufficient") for row in rows]),
    }
    return tuple(row for place, row in enumerate(rows) if place in kept or row.mark in ("overall", "reference"))


def _values(table: Table, by: str) -> list[float | None]:
    """Return the values of a column of groups, without the row of all responses; empty without a column."""
    return [None if row.mark == "overall" else row.number(by) for row in table.records()]


def counted(checks: Sequence[Check]) -> dict[str, int]:
    """Return the number of groups by outcome.

    `judged` are those with enough responses and a defined value: outside the limit or inside it with the whole
    interval, or on both sides of it.  `small`, `undefined` and `withheld` are not judged.
    """
    outcomes, withheld = [check.outcome for check in checks], sum(check.withheld for check in checks)
    not_judged = outcomes.count("insufficient")
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
    """Return the number of groups of people and of items by outcome, for templates; items come last."""
    items = {column for role in evaluation.roles if role.role == "item" for column in role.columns}
    least = None if evaluation.facts.get("min_n_by_group") else evaluation.facts.get("min_n_per_group")
    found: list[dict[str, Any]] = []
    for of_items in (False, True):
        columns = [column for column in columns_of(evaluation) if (column in items) == of_items]
        if checks := [check for column in columns for check in group_checks(evaluation, column)]:
            found.append({"items": of_items, "columns": columns, "least": least, **counted(checks)})
    return found


def columns_of(evaluation: Evaluation) -> tuple[str, ...]:
    """Return the groupings, including those with only withheld groups."""
    return tuple(dict.fromkeys((*evaluation.groups, *(evaluation.facts.get("groups_withheld") or {}))))


def only_task_groups(evaluation: Evaluation) -> list[str]:
    """Return the groupings of a test if all of them are of tasks or occasions, and none is of people."""
    people = (evaluation.facts.get("design") or {}).get("groups_of_people")
    return [*columns_of(evaluation)] if people == () else []


def beyond(check: Check) -> float:
    """Return the distance of a check's estimate from its bounds, in units of the estimate; 0 inside them.

    >>> from reportgen.results import Estimate, number
    >>> round(beyond(Check("DSM", Estimate("dsm", -0.25, 90), "not met", -0.1, 0.1)), 9)
    0.15
    """
    value = check.estimate.value
    if value is None:
        return 0.0
    return max(0.0, (check.low - value) if check.low is not None else 0.0,
               (value - check.high) if check.high is not None else 0.0)  # fmt: skip
