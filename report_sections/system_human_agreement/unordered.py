"""What is true of labels without an order: agreement, kappa, every label by itself, and groups."""

from __future__ import annotations

from typing import Any

from report_sections.groups import for_page
from report_sections.lookup import fact, number, records
from reportgen.results import Cell, Estimate, Evaluation
from reportgen.sections import Findings

TABLES = ("labels.system", "labels.degradation", "labels.human")


def found_of_labels(evaluation: Evaluation) -> Findings:
    """Return how well engine and raters agree on labels."""
    known = [table for key in TABLES if (table := evaluation.tables.get(key)) is not None]
    groups = [table for column in evaluation.groups if (table := evaluation.tables.get(f"labels.by.{column}"))]
    values = {
        "case": "labels",
        "labels": _best_and_worst(evaluation),
        "apart": _groups_apart(evaluation),
        "groups": list(evaluation.groups),
        "forms": [],
        "same": [],
    }
    return Findings(values=values, tables=(*known, *(for_page(table, "kappa_difference") for table in groups)))


def _best_and_worst(evaluation: Evaluation) -> dict[str, Any] | None:
    """Return the labels that the engine finds most and least often, of those with enough responses."""
    table, least = evaluation.tables.get("labels.system"), fact(evaluation, "min_n_per_group")
    rows = [row for row in (records(table) if table else []) if (number(row["human_n"]) or 0) >= max(least, 1)]
    known = [
        {"label": str(row["label"]), "share": cell}
        for row in rows
        if isinstance(cell := row["recall"], Estimate) and cell.defined
    ]
    if len(known) < 2:
        return None
    worst, best = (pick(known, key=_share) for pick in (min, max))
    return None if _share(worst) == _share(best) else {"best": best, "worst": worst}


def _share(found: dict[str, Any]) -> float:
    return float(found["share"].value)


def _groups_apart(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return the groups in which kappa surely differs from that on the other responses."""
    found = []
    for column in evaluation.groups:
        table = evaluation.tables.get(f"labels.by.{column}")
        found += [
            {"column": column, "level": str(row["level"]), "difference": cell}
            for row in (records(table) if table else [])
            if _surely_not_0(cell := row["kappa_difference"])
        ]
    return found


def _surely_not_0(cell: Cell) -> bool:
    return isinstance(cell, Estimate) and cell.low is not None and cell.high is not None and cell.low * cell.high > 0
