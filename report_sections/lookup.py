"""What sections look up in an evaluation, and how they lay a table out for the page.

Nothing is computed here: columns and rows are chosen, words are put for keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from reportgen.results import Record
from reportgen.sections import Check, Estimate, Evaluation, Table
from reportgen.wording.names import name

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
