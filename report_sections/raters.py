"""Whether raters differ in harshness, and the agreement of every two of them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from report_sections.lookup import distinct, estimates_in, lowest_and_highest, overall_check
from reportgen.results import number
from reportgen.sections import Axis, Cells, Chart, Estimate, Evaluation, Term
from reportgen.wording.numbers import num

CLEAR = 0.10
"""Standard deviations of human scores from which a difference in harshness that is surely there is reported."""


def severity(evaluation: Evaluation) -> dict[str, Any] | None:
    """Return how far raters differ in harshness, and PRMSE with and without it; None where it is not surely there.

    Of two raters it is their difference (`smd`), of more the standard deviation of their severities in points
    (`spread`): among many raters the two farthest apart differ by chance. Where the rater error variance is given
    there is nothing to take out of it.
    """
    prmse, without = (evaluation.estimate(key) for key in ("true_score.prmse", "raters.prmse_without_severity"))
    differences = [row["smd"] for row in evaluation.records("human_raters.pairs") if isinstance(row["smd"], Estimate)]
    found: Estimate | None
    if len(differences) == 1:
        key, found, unit = "smd", differences[0], 1.0
    else:
        human = evaluation.estimate("system.h_sd")
        key, found, unit = "spread", spread_of_severity(evaluation), (human and human.value) or 0.0
    if prmse is None or without is None or found is None or not unit:
        return None
    if not found.apart() or abs(found.value or 0.0) <= CLEAR * unit:
        return None
    check = overall_check(evaluation, "true_score.prmse")
    return {key: found, "prmse": prmse, "without": without, "low": check.low if check else None}


def spread_of_severity(evaluation: Evaluation) -> Estimate | None:
    """Return the standard deviation of the severities of raters like these, in score points."""
    found = evaluation.facts.get("severity_spread")
    return Estimate("severity_sd", found[0], 0, found[1], found[2], kind="score") if found else None


MOST_RATERS = 12
"""Raters up to which their agreement is drawn as a grid."""


def agreement_of_pairs(evaluation: Evaluation, key: str, metric: str) -> dict[tuple[str, str], Estimate]:
    """Return the defined agreement of every two raters that a table compares."""
    cells = dict(estimates_in(evaluation.records(key), "pair", metric))
    return {(a, b): cells[f"{a}, {b}"] for a, b in combinations(evaluation.raters, 2) if f"{a}, {b}" in cells}


def ends_of_pairs(found: Mapping[tuple[str, str], Estimate]) -> dict[str, Any]:
    """Return how many pairs there are, and the two ends; nothing of one pair."""
    if len(found) < 2:
        return {}
    lowest, highest = lowest_and_highest(found.items(), "raters", "value")
    return {"n": len(found), "lowest": lowest, "highest": highest}


def grid(evaluation: Evaluation, key: str, metric: str) -> tuple[Chart, ...]:
    """Return the agreement of every two raters as a grid, when there are more than two and not very many."""
    raters, found = evaluation.raters, agreement_of_pairs(evaluation, key, metric)
    if len(found) < 2 or len(raters) > MOST_RATERS:
        return ()
    labels = distinct(raters, most=20)
    cells = [[found.get((a, b), found.get((b, a))) for b in raters] for a in raters]
    values = tuple(tuple(number(cell) for cell in row) for row in cells)
    texts = tuple(tuple("" if cell is None else num(cell) for cell in row) for row in cells)
    title, axis = Term("agreement_of_every_two", metric=metric), Axis(Term("axis_rater"), labels)
    alt = Term("pairs_of_raters_alt", metric=metric, **ends_of_pairs(found))
    return (Chart(f"{key}.chart", title, alt, axis, axis, (Cells(labels, labels, values, texts, Term(metric)),)),)
