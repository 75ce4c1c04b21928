"""What sections look up in an evaluation, and how they lay a table out for the page.

Nothing is computed here: columns and rows are chosen, words are put for keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from reportgen.results import Cell
from reportgen.sections import Check, Estimate, Evaluation, Table
from reportgen.wording.names import name

DIFFERENCES = ("dsm", "difference_given_true_score")
"""Metrics of differences between groups; where a policy asks for both, a section counts the first."""

Record = dict[str, Cell]
"""A row of a table: its cells by column key."""


def estimate_of(evaluation: Evaluation, key: str) -> Estimate | None:
    """Return a headline number that has a value, or None."""
    estimate = evaluation.estimates.get(key)
    return estimate if estimate is not None and estimate.defined else None


def fact(evaluation: Evaluation, key: str) -> int:
    """Return a count among the facts, 0 where it is not given."""
    return int(evaluation.facts.get(key) or 0)


def is_of_test(evaluation: Evaluation) -> bool:
    """Return whether people took a test: not if scores are two categories or labels, or a judge gave them."""
    columns = [column for role in evaluation.roles if role.role == "system" for column in role.columns]
    judged = any("judge" in column.casefold() for column in columns)
    return evaluation.scale.ordered and not evaluation.facts.get("categories") and not judged


def one_of(evaluation: Evaluation) -> str:
    """Return what stands side by side in a summary, in one word: a run, unless it is about traits."""
    return "trait" if evaluation.facts.get("traits") else "run"


def least_size(evaluation: Evaluation, column: str) -> int:
    """Return how many responses a group of a column needs to be judged."""
    by_group = evaluation.facts.get("min_n_by_group") or {}
    return int(by_group.get(column) or fact(evaluation, "min_n_per_group"))


def has_second_human(evaluation: Evaluation) -> bool:
    """Return whether any response was scored by two raters."""
    return fact(evaluation, "responses_double_scored") > 0


def multiply_scored(evaluation: Evaluation) -> int:
    """Return the responses that any two raters scored, with an engine score or not.

    The first two raters alone decide `responses_double_scored`.
    """
    first_two = fact(evaluation, "responses_double_scored") + fact(evaluation, "double_scored_without_engine")
    rows = rows_of(evaluation, "true_score.prmse") if len(evaluation.raters) > 2 else []
    return max(first_two, *(int(number(row["n_multiple"]) or 0) for row in rows), 0)


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
    return tables_of(evaluation, "privacy.withheld")


def number(cell: Cell) -> float | None:
    """Return the number in a cell, estimate or plain; None for words and blanks."""
    if isinstance(cell, Estimate):
        return cell.value
    return None if cell is None or isinstance(cell, str) else float(cell)


def known(cell: object) -> Estimate | None:
    """Return a cell that is an estimate with a value, or None."""
    return cell if isinstance(cell, Estimate) and cell.defined else None


def apart_from(cell: object, low: float = 0.0, high: float = 0.0) -> bool:
    """Return whether the whole interval of an estimate lies on one side of a range; not without an interval."""
    if not isinstance(cell, Estimate) or cell.low is None or cell.high is None:
        return False
    return cell.high < low or cell.low > high


def records(table: Table | None) -> list[Record]:
    """Return the rows of a table, each a mapping from column key to cell; none without a table."""
    if table is None:
        return []
    keys = [column.key for column in table.columns]
    return [dict(zip(keys, row.cells, strict=True)) for row in table.rows]


def rows_of(evaluation: Evaluation, key: str) -> list[Record]:
    """Return the rows of a table of the evaluation; none where it has no such table."""
    return records(evaluation.tables.get(key))


def estimates_in(rows: Iterable[Record], label: str, column: str) -> list[tuple[str, Estimate]]:
    """Return the estimates of a column that have a value, each with the label of its row."""
    return [(str(row[label]), found) for row in rows if (found := known(row.get(column)))]


def lowest_and_highest(found: Iterable[tuple[object, Estimate]], label: str, value: str) -> list[dict[str, Any]]:
    """Return the lowest and the highest of labelled estimates as a template reads them."""
    ranked = sorted(found, key=lambda pair: pair[1].value or 0.0)
    return [{label: name, value: estimate} for name, estimate in (ranked[0], ranked[-1])]


def tables_of(evaluation: Evaluation, *keys: str) -> tuple[Table, ...]:
    """Return the tables of these keys that are there."""
    return tuple(evaluation.tables[key] for key in keys if key in evaluation.tables)


def score_type_label(evaluation: Evaluation, key: object) -> str:
    """Return the words for a form of the engine's score; tables name their rows by them."""
    return next((form.label for form in evaluation.score_types if form.key == key), str(key))


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


SYSTEM, HUMAN = "system_human.categories", "human_human.categories"
"""Keys of the tables of two categories."""


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
