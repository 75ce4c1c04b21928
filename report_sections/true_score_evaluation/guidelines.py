"""The practical guidelines for PRMSE (Loukina et al., 2020, section 7), held against this data.

The guidelines name no number for "similar" raters; the margins used here are the section's options.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from report_sections.lookup import estimate_of, multiply_scored, number, records, scored_again
from report_sections.words import stated
from reportgen.results import Estimate, Outcome
from reportgen.sections import Column, Evaluation, Row, Table
from reportgen.verdicts import judge
from reportgen.wording.numbers import count, fixed, many, with_interval

if TYPE_CHECKING:
    from report_sections.true_score_evaluation import TrueScoreEvaluation

ENOUGH, ENOUGH_FOR_GOOD_RATERS, GOOD_RATERS = 1000, 500, 0.65
"""Double-scored responses needed; fewer may do where raters correlate above the third number."""

NOT_IN_DATA = "cannot be known from the data"
NOT_JUDGED = (
    ("Responses scored twice are a random sample of all", "how they were chosen", NOT_IN_DATA),
    ("Many raters each score a different set of responses", "who scored what", NOT_IN_DATA),
)
"""Guidelines that cannot be held against this data: text, what is missing, state."""


@dataclass(frozen=True)
class Guideline:
    """One guideline, what the data shows, and whether it is kept."""

    text: str
    shown: str
    state: Outcome | str


def guidelines_table(evaluation: Evaluation, options: TrueScoreEvaluation) -> Table:
    """Return the guidelines as a table, those not kept marked."""
    columns = (Column("guideline", "Guideline"), Column("shown", "In this data"), Column("state", "State"))
    rows = tuple(
        Row((each.text, each.shown, each.state), "flagged" if each.state == "not met" else "")
        for each in (
            enough_responses(evaluation),
            _similar_means(evaluation, options.mean_margin),
            _similar_spread(evaluation, options.spread_ratio),
            _similar_agreement(evaluation, options.agreement_margin),
            _possible_values(evaluation),
            *(Guideline(*words) for words in NOT_JUDGED),
        )
    )
    notes = (
        "Guidelines: Loukina et al. (2020), section 7. They name no number for “similar”: the margins are "
        f"{options.mean_margin:g} standard deviations for means, a ratio of {options.spread_ratio:g} for standard "
        f"deviations and {options.agreement_margin:g} for correlations with the engine.",
    )
    caption = "Guidelines for trusting PRMSE, and what this data shows"
    return Table("true_score.guidelines", caption, columns, rows, notes)


def enough_responses(evaluation: Evaluation) -> Guideline:
    """Hold the number of responses that two raters scored against what PRMSE asks for."""
    double, raters = multiply_scored(evaluation), estimate_of(evaluation, "human.r")
    shown = f"{many(double, 'response')} {scored_again(evaluation)}"
    if raters:
        shown += f"; raters correlate {with_interval(raters, GOOD_RATERS)}"
    return Guideline(
        f"At least {count(ENOUGH)} responses scored twice; {ENOUGH_FOR_GOOD_RATERS} may do where raters correlate "
        f"above {fixed(GOOD_RATERS, 2)}",
        shown,
        _enough(double, raters),
    )


def _enough(double: int, raters: Estimate | None) -> Outcome:
    if double >= ENOUGH:
        return "met"
    if double < ENOUGH_FOR_GOOD_RATERS or raters is None:
        return "not met"
    return inside(raters, GOOD_RATERS, 1.0)


def _similar_means(evaluation: Evaluation, margin: float) -> Guideline:
    smd = evaluation.estimates.get("human.smd")
    shown = f"second minus first rater, in standard deviations: {stated(smd, -margin, margin)}"
    return Guideline("Raters have similar means", shown, inside(smd, -margin, margin))


def _similar_spread(evaluation: Evaluation, most: float) -> Guideline:
    """Compare standard deviations of the two raters on the responses that both scored."""
    table = evaluation.tables.get("human_human.descriptives")
    both = records(table)[-2:] if table else []  # first and second rater on the responses that both scored
    spreads = [spread for row in both if (spread := number(row["sd"]))]
    if len(spreads) < 2:
        return Guideline("Raters have similar variances", "not defined", "not yet known")
    shown = f"standard deviations {fixed(spreads[0], 2)} and {fixed(spreads[1], 2)}"
    return Guideline(
        "Raters have similar variances", shown, "met" if max(spreads) <= most * min(spreads) else "not met"
    )


def _similar_agreement(evaluation: Evaluation, margin: float) -> Guideline:
    """Compare the two raters' correlations with the engine on the responses that both scored."""
    text, gap = "Raters agree similarly with the engine", evaluation.estimates.get("exchangeability.rater_gap_r")
    pairs = _gaps_of_pairs(evaluation) if gap is None else []
    if pairs:
        widest = max(pairs, key=lambda each: abs(each.value or 0.0))
        shown = (
            f"correlation of one rater with the engine less that of another, {many(len(pairs), 'pair')}: furthest "
            f"from 0 is {stated(widest, -margin, margin)}"
        )
        return Guideline(text, shown, _together([inside(each, -margin, margin) for each in pairs]))
    shown = f"correlation of the second rater with the engine less that of the first: {stated(gap, -margin, margin)}"
    return Guideline(text, shown, inside(gap, -margin, margin))


def _gaps_of_pairs(evaluation: Evaluation) -> list[Estimate]:
    """Return, for every pair of raters, the difference of their correlations with the engine score that is judged."""
    form = next((form for form in evaluation.score_types if form.key == evaluation.facts.get("primary")), None)
    table = evaluation.tables.get("human_equivalence.exchange")
    if form is None or table is None:
        return []
    return [
        row["rater_gap"]
        for row in records(table)
        if row["statistic"] == "r" and row["score_type"] == form.label and isinstance(row["rater_gap"], Estimate)
    ]


def _together(outcomes: Sequence[Outcome]) -> Outcome:
    """Return what holds of all pairs: met where all are, not met where one is not."""
    return next((each for each in ("not met", "not yet known") if each in outcomes), "met")


def _possible_values(evaluation: Evaluation) -> Guideline:
    prmse = estimate_of(evaluation, "true_score.prmse")
    text = "PRMSE lies between 0 and 1; above 1 the double-scored sample is too small"
    if prmse is None or prmse.value is None:
        return Guideline(text, "PRMSE is undefined", "not yet known")
    return Guideline(text, f"PRMSE is {with_interval(prmse)}", "met" if 0 <= prmse.value <= 1 else "not met")


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
