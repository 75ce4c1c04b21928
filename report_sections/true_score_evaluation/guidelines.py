"""The practical guidelines for PRMSE (Loukina et al., 2020, section 7), held against this data.

The guidelines name no number for "similar" raters; the margins used here are the section's options.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from report_sections.human_raters import HumanRaters
from report_sections.human_raters.conditions import conditions_on_pairs, random_sample
from report_sections.lookup import estimate_of, fact, multiply_scored
from reportgen.results import Estimate, Outcome
from reportgen.sections import Column, Evaluation, Row, Table, Term
from reportgen.verdicts import judge

if TYPE_CHECKING:
    from report_sections.true_score_evaluation import TrueScoreEvaluation

ENOUGH, ENOUGH_FOR_GOOD_RATERS, GOOD_RATERS = 1000, 500, 0.65
"""Double-scored responses needed; fewer may do where raters correlate above the third number."""

OUTCOMES: Mapping[str, Outcome] = {"met": "met", "not_met": "not met", "undecided": "not yet known"}
"""State of a condition on raters -> outcome of a guideline."""


@dataclass(frozen=True)
class Guideline:
    """One guideline, what the data shows, and whether it is kept; no state where the data cannot tell."""

    text: Term
    shown: Term | None
    state: Outcome | None


def guidelines(evaluation: Evaluation, options: TrueScoreEvaluation) -> tuple[Table, dict[str, Any]]:
    """Return the guidelines as a table, those not kept marked, and how many are kept."""
    held = (
        enough_responses(evaluation),
        *_on_pairs(evaluation, options),
        _possible_values(evaluation),
        _random_sample(evaluation),
        _many_raters(evaluation),
    )
    rows = [
        Row(
            (Term("begun", text=each.text), each.shown, Term(f"state.{each.state or 'not_in_data'}")),
            "flagged" if each.state == "not met" else "",
        )
        for each in held
    ]
    notes = (Term("guidelines_source", mean=options.mean_margin, spread=options.spread_ratio,
                  agreement=options.agreement_margin),)  # fmt: skip
    columns = (Column("guideline"), Column("shown"), Column("state"))
    known = [each for each in held if each.state]
    counted = {"held": len(known), "kept": sum(each.state == "met" for each in known),
               "broken": [each.text for each in known if each.state == "not met"]}  # fmt: skip
    return Table("true_score.guidelines", "", columns, tuple(rows), notes), counted


def asked_double_scored(evaluation: Evaluation) -> int:
    """Return how many double-scored responses guidelines require: fewer if raters surely correlate well."""
    raters = estimate_of(evaluation, "human.r")
    good = raters is not None and raters.low is not None and raters.low > GOOD_RATERS
    return ENOUGH_FOR_GOOD_RATERS if good else ENOUGH


def recommended(n: int) -> Term:
    """Return the words for how many double-scored responses guidelines require, and when fewer do."""
    return Term("guidelines_ask", n=n, few=ENOUGH_FOR_GOOD_RATERS, least=GOOD_RATERS)


def enough_responses(evaluation: Evaluation) -> Guideline:
    """Compare the number of double-scored responses with what guidelines for PRMSE require of these raters."""
    double, raters = multiply_scored(evaluation), estimate_of(evaluation, "human.r")
    text = Term("guideline.enough", n=asked_double_scored(evaluation))
    return Guideline(text, Term("enough_shown", n=double, r=raters, least=GOOD_RATERS), _enough(double, raters))


def _enough(double: int, raters: Estimate | None) -> Outcome:
    if double >= ENOUGH:
        return "met"
    if double < ENOUGH_FOR_GOOD_RATERS or raters is None:
        return "not met"
    return inside(raters, GOOD_RATERS, 1.0)


def _on_pairs(evaluation: Evaluation, options: TrueScoreEvaluation) -> list[Guideline]:
    """Compare every two raters, as the section on raters does; the data cannot tell where no two are told apart."""
    found = conditions_on_pairs(evaluation, options.mean_margin, options.spread_ratio, options.agreement_margin)
    texts = [Term(f"guideline.{key}") for key in ("means", "spread", "agreement")]
    if not found:
        return [Guideline(text, None, None) for text in texts]
    return [
        Guideline(text, Term("pairs_shown", of=each.key, found=each.found, where=each.where, pairs=each.n or 0),
                  OUTCOMES[each.state])
        for text, each in zip(texts, found, strict=True)
    ]  # fmt: skip


def _possible_values(evaluation: Evaluation) -> Guideline:
    prmse = estimate_of(evaluation, "true_score.prmse")
    text = Term("guideline.possible")
    if prmse is None or prmse.value is None:
        return Guideline(text, None, "not yet known")
    return Guideline(text, Term("prmse_shown", prmse=prmse), "met" if 0 <= prmse.value <= 1 else "not met")


def _random_sample(evaluation: Evaluation) -> Guideline:
    """Return whether the responses scored twice resemble the others, as the section on raters tests it."""
    text = Term("guideline.random_sample")
    if evaluation.facts.get("rater_error_variance_given") is not None:
        return Guideline(text, None, None)
    found = random_sample(evaluation, HumanRaters().balance_margin)
    if found.state == "not_needed":
        everything = multiply_scored(evaluation) >= fact(evaluation, "responses_kept") > 0
        return Guideline(text, Term("all_double_scored"), "met") if everything else Guideline(text, None, None)
    return Guideline(text, Term("sample_shown", where=found.where, gap=found.found), OUTCOMES[found.state])


def _many_raters(evaluation: Evaluation) -> Guideline:
    """Return whether more raters than a response has ratings gave the scores; not known where raters are not named."""
    text, named = Term("guideline.many_raters"), evaluation.facts.get("rater_ids")
    if not named:
        return Guideline(text, None, None)
    return Guideline(text, Term("raters_shown", n=named["raters"]), _several(named["raters"], len(evaluation.raters)))


def _several(raters: int, ratings: int) -> Outcome:
    return "met" if raters > max(ratings, 2) else "not met"


def inside(estimate: Estimate | None, low: float, high: float) -> Outcome:
    """Return whether the whole interval lies inside, outside, or on both sides of the bounds.

    Examples
    --------
    >>> inside(Estimate("smd", 0.05, 600, 0.01, 0.09), -0.15, 0.15)
    'met'
    >>> inside(Estimate("smd", 0.2, 600, 0.1, 0.3), -0.15, 0.15)
    'not yet known'
    """
    return "not yet known" if estimate is None or estimate.value is None else judge(estimate, low, high)
