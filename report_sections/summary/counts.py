"""What agreement means in counts: how many responses get the same score, one point apart, or more."""

from __future__ import annotations

from typing import Any

from report_sections.lookup import number, records
from reportgen.results import Evaluation, Table

SIDES = (("second_rater", "confusion.human"), ("engine", "confusion.system"))
"""Who is compared with the first rater, and the table that counts it."""


def same_scores(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return for the second rater and the engine how many scores are those of the first rater, or a point apart.

    Where raters stand in for each other there is no first one, and nothing is counted.
    """
    if (evaluation.facts.get("design") or {}).get("record", "") is None:
        return []
    tables = ((who, evaluation.tables.get(key)) for who, key in SIDES)
    found = [{"who": who, **_counted(table)} for who, table in tables if table is not None]
    return [each for each in found if each["n"]]


def has_points(evaluation: Evaluation) -> bool:
    """Return whether scores can lie a point apart: not those of two categories, nor labels without an order."""
    return evaluation.scale.ordered and not evaluation.facts.get("categories")


def _counted(table: Table) -> dict[str, int]:
    """Return how many pairs of a crossing of two scores are equal, neighbours on the scale, or farther apart.

    Labels without an order are neighbours of none; they are equal, or not.
    """
    points = [column.key for column in table.columns[1:] if column.key != "total"]
    found = {"same": 0, "one": 0, "more": 0}
    for place, row in enumerate(records(table)[: len(points)]):
        for other, point in enumerate(points):
            distance = ("same", "one", "more")[min(abs(place - other), 2)]
            found[distance] += int(number(row[point]) or 0)
    return {**found, "n": sum(found.values())}
