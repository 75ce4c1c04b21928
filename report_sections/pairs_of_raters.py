"""Agreement of every two raters: the lowest and the highest pair, and a grid of all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from report_sections.lookup import number, records
from report_sections.words import distinct
from reportgen.results import Estimate
from reportgen.sections import Axis, Cells, Chart, Evaluation, Table, Term
from reportgen.wording.numbers import num

MOST_RATERS = 12
"""Raters up to which their agreement is drawn as a grid."""


def agreement_of_pairs(evaluation: Evaluation, table: Table | None, metric: str) -> dict[tuple[str, str], Estimate]:
    """Return the defined agreement of every two raters that a table compares."""
    cells = {str(row["pair"]): row[metric] for row in records(table)} if table is not None else {}
    raters = evaluation.raters
    pairs = [(a, b) for place, a in enumerate(raters) for b in raters[place + 1 :]]
    found = {(a, b): cells.get(f"{a}, {b}") for a, b in pairs}
    return {pair: cell for pair, cell in found.items() if isinstance(cell, Estimate) and cell.defined}


def lowest_and_highest(found: Mapping[tuple[str, str], Estimate]) -> dict[str, Any]:
    """Return how many pairs there are, and the two ends; nothing of one pair."""
    if len(found) < 2:
        return {}
    ranked = sorted(found.items(), key=lambda pair: pair[1].value or 0.0)
    ends = {end: {"raters": raters, "value": value} for end, (raters, value) in zip(
        ("lowest", "highest"), (ranked[0], ranked[-1]), strict=True)}  # fmt: skip
    return {"n": len(found), **ends}


def grid(evaluation: Evaluation, table: Table | None, metric: str) -> tuple[Chart, ...]:
    """Return the agreement of every two raters as a grid, when there are more than two and not very many."""
    raters = evaluation.raters
    found = agreement_of_pairs(evaluation, table, metric)
    if table is None or len(found) < 2 or len(raters) > MOST_RATERS:
        return ()
    labels = distinct(raters, most=20)
    cells = [[found.get((a, b), found.get((b, a))) for b in raters] for a in raters]
    values = tuple(tuple(number(cell) for cell in row) for row in cells)
    texts = tuple(tuple("" if cell is None else num(cell) for cell in row) for row in cells)
    said = lowest_and_highest(found)
    return (
        Chart(
            key=f"{table.key}.chart",
            title=Term("agreement_of_every_two", metric=metric),
            alt=Term("pairs_of_raters_alt", metric=metric, **said),
            x=Axis(Term("axis_rater"), categories=labels),
            y=Axis(Term("axis_rater"), categories=labels),
            layers=(Cells(labels, labels, values, texts, Term(metric)),),
        ),
    )
