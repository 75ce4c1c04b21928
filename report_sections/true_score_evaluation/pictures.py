"""Charts of accuracy for true scores: one, two, three ratings and the engine; and where accuracy is lost."""

from __future__ import annotations

from typing import Literal

from report_sections.figures import Rung, Stair, ladder, staircase
from report_sections.lookup import estimate_of, overall_check, records, score_type_label
from reportgen.results import Check, Estimate, Outcome
from reportgen.sections import Chart, Evaluation, Term
from reportgen.verdicts import judge

LADDER, STAIRCASE = "true_score.ladder", "true_score.staircase"

MOST_RATINGS = 3
"""Means of up to this many ratings stand beside the engine."""

ALIKE = 0.005
"""A rounded score whose PRMSE differs by less is no row of its own."""


def ladder_chart(evaluation: Evaluation) -> Chart | None:
    """Return PRMSE of ratings and of the engine: as judged, rescaled, rounded; None without the engine's."""
    engine = estimate_of(evaluation, "true_score.prmse")
    if engine is None:
        return None
    check = overall_check(evaluation, "true_score.prmse")
    rungs = [
        Rung(Term("mean_of_ratings", n=k), found)
        for k in range(1, MOST_RATINGS + 1)
        if (found := estimate_of(evaluation, f"true_score.prmse_of_ratings_{k}"))
    ]
    rungs.append(Rung(Term("the_engine"), engine, engine=True, outcome=check.outcome if check else ""))
    best, rounded = estimate_of(evaluation, "true_score.best_prmse"), _rounded(evaluation)
    rungs += [Rung(Term("engine_rescaled"), best, engine=True, outcome=_outcome(best, check))] if best else []
    if rounded and rounded.value is not None and abs(rounded.value - (engine.value or 0.0)) >= ALIKE:
        rungs.append(Rung(Term("engine_rounded"), rounded, engine=True, outcome=_outcome(rounded, check)))
    if len(rungs) < 2:
        return None
    alt = Term("ladder_alt", rungs=[{"label": rung.label, "estimate": rung.estimate} for rung in rungs])
    limits = (check.low, check.high) if check else (None, None)
    return ladder(LADDER, alt, rungs, Term("prmse_axis"), limits, Term("accepted", check=check) if check else "")


def _outcome(estimate: Estimate, check: Check | None) -> Outcome | Literal[""]:
    """Return how a score that is not the one judged would stand against the requirement on it."""
    return judge(estimate, check.low, check.high, strict=check.strict, by=check.by) if check else ""


def _rounded(evaluation: Evaluation) -> Estimate | None:
    """Return PRMSE of the rounded engine score; None without score points to round to."""
    table = evaluation.tables.get("true_score.prmse") if evaluation.scale.step else None
    label = score_type_label(evaluation, evaluation.facts.get("primary_rounded"))
    found = next((row["prmse"] for row in records(table) if row["score_type"] == label), None) if table else None
    return found if isinstance(found, Estimate) and found.defined else None


def staircase_chart(evaluation: Evaluation) -> Chart | None:
    """Return where accuracy is lost, from the best attainable to the rounded score; None where that is not known."""
    names = ("best_prmse", "scale_loss", "bias_loss", "prmse", "rounding_cost")
    found = {name: estimate_of(evaluation, f"true_score.{name}") for name in names}
    if any(found[name] is None for name in names[:4]):
        return None
    stairs = [
        Stair(Term(f"stair.{name}"), each, lost=name not in ("best_prmse", "prmse"))
        for name, each in found.items()
        if each is not None
    ]
    alt = Term("staircase_alt", stairs=[{"label": stair.label, "estimate": stair.estimate} for stair in stairs])
    return staircase(STAIRCASE, alt, stairs, Term("prmse_axis"), Term("lost"))
