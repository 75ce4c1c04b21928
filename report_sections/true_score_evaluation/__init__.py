"""Show how well the engine predicts true scores (PRMSE), and whether the data suffice."""

from collections.abc import Sequence
from typing import Any, Literal

from report_sections.figures import NONE, Rung, ladder, staircase
from report_sections.human_raters import severity
from report_sections.lookup import multiply_scored, of_rounded, overall_check, required_by_share
from reportgen.policies import bands_of, load_policy
from reportgen.results import Band, Outcome
from reportgen.sections import Chart, Check, Column, Estimate, Evaluation, Findings, Row, Section, Table, Term
from reportgen.verdicts import judge
from reportgen.wording.numbers import NOISE

KEY = "true_score.prmse"
PLAN, RESCALING = "true_score.double_scoring", "true_score.rescaling"

WORTHWHILE = 0.01  # a rescaling that recovers less of PRMSE than this is not worth the change


class TrueScoreEvaluation(Section, needs=("system", "order")):
    """Show PRMSE for every score type, its meaning for the decision, and the guidelines for trusting it."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return PRMSE with its interpretation, or the information that is missing to compute it."""
        prmse, asked = evaluation.estimates.get(KEY), [ENOUGH, ENOUGH_FOR_GOOD_RATERS, GOOD_RATERS]
        if prmse is None:
            nothing = {"charts": [], "tables": [], "case": "not_tested", "asked": asked}
            return Findings(values=nothing, outcome="insufficient")
        check, shipped = overall_check(evaluation, KEY), bands_of(load_policy("prmse"))[KEY]
        bands = evaluation.ruling.bands.get(KEY, shipped) if evaluation.ruling else shipped
        table, kept = guidelines(evaluation)
        tables = evaluation.present(KEY, RESCALING, PLAN)
        shared = not evaluation.facts.get("raters_share")  # otherwise, PRMSE has no components
        charts = (*ladder_chart(evaluation), *staircase_chart(evaluation)) if shared else ()
        return Findings(
            values={
                "case": _case(evaluation, prmse, check),
                "asked": asked,
                "prmse": prmse,
                "requirement": check,
                "double_scored": multiply_scored(evaluation),
                "raters": len(evaluation.raters),
                "bands": [] if required_by_share(evaluation) else _reached(prmse, bands),
                "rescaling": _rescaling(evaluation) if shared else "",
                "worthwhile": WORTHWHILE,
                "price": rescaled_scores(evaluation),
                "severity": severity(evaluation) if shared else None,
                "rounding": _rounding(evaluation.estimate("true_score.rounding_cost")) if shared else "",
                "plan": _plan(evaluation),
                "guidelines": kept,
                "charts": [chart.key for chart in charts],
                "tables": [each.key for each in tables],
            },
            tables=(*tables, table),
            charts=charts,
            outcome=check.outcome if check else "",
        )


def _case(evaluation: Evaluation, prmse: Estimate, check: Check | None) -> str:
    """Return the kind of finding: no value makes sense, or the outcome of the requirement."""
    if shared := evaluation.facts.get("raters_share"):
        return f"share_{shared}"
    if prmse.value is None:
        return "undefined"
    outcome = check.outcome if check else ""
    if check and outcome == "insufficient":
        return {"reading": "in_doubt", "second ratings": "chosen"}.get(check.doubt, "few")
    if prmse.value > 1:
        return "above_one"
    if prmse.value < 0:
        return "below_zero"
    return {"met": "enough", "not met": "too_little", "not yet known": "undecided"}.get(outcome, "known")


def _reached(prmse: Estimate, bands: Sequence[Band]) -> list[dict[str, Any]]:
    """Return the ranges that the interval reaches, and their meanings; empty without an interval."""
    return [
        vars(band)
        for band in bands
        if prmse.low is not None and (band.high is None or prmse.low < band.high)
        if prmse.high is not None and (band.low is None or prmse.high >= band.low)
    ]


def _rescaling(evaluation: Evaluation) -> str:
    """Return whether a linear rescaling would be worthwhile; empty if it is not known."""
    found = [evaluation.estimate(f"true_score.{name}") for name in ("best_prmse", "scale_loss", "bias_loss")]
    if not all(found):
        return ""
    return "little" if sum((each and each.value) or 0.0 for each in found[1:]) < WORTHWHILE else "worthwhile"


def rescaled_scores(evaluation: Evaluation) -> dict[str, dict[str, float | None]]:
    """Return PRMSE, QWK, SD, and the use of the ends by treatment of the score (and "raters"); empty if unknown."""
    keys = ("as_it_is", "to_true_scores", "to_raters", "raters")
    measures = ("prmse", "qwk", "rounded_qwk", "sd", "ends")
    rows = zip(keys, evaluation.records(RESCALING), strict=False)
    return {key: {name: row.number(name) for name in measures} for key, row in rows}


def _rounding(cost: Estimate | None) -> str:
    """Return the effect of rounding on PRMSE, on the same responses; empty if no score changes."""
    if cost is None or cost.low is None or cost.high is None or max(abs(cost.low), abs(cost.high)) < NOISE:
        return ""
    return "costs" if cost.low > 0 else "helps" if cost.high < 0 else "unclear"


def _plan(evaluation: Evaluation) -> list[dict[str, float]]:
    """Return the width of the PRMSE interval, now and with more double scores; empty without a plan."""
    known = [(row.number("n_multiple"), row.number("half_width")) for row in evaluation.records(PLAN)[:3]]
    rows = [{"n": n, "half_width": width} for n, width in known if n is not None and width is not None]
    return rows if len(rows) > 1 else []


ENOUGH, ENOUGH_FOR_GOOD_RATERS, GOOD_RATERS = 1000, 500, 0.65
"""Double-scored responses needed; fewer may be enough if raters correlate above the third number."""

Guideline = tuple[Term, Term | None, Outcome | None]
"""One guideline, the evidence, and whether it is met; no state if the data do not show it."""


def guidelines(evaluation: Evaluation) -> tuple[Table, dict[str, Any]]:
    """Return the practical guidelines for PRMSE as a table, with unmet ones marked, and how many are met.

    They are from Loukina et al. (2020, section 7); the section on raters has the others as conditions with limits.
    """
    held = (enough_responses(evaluation), _possible_values(evaluation), _many_raters(evaluation))
    rows = tuple(
        Row(
            (Term("begun", text=text), shown, Term(f"state.{state or 'not_in_data'}")),
            "flagged" if state == "not met" else "",
        )
        for text, shown, state in held
    )
    columns = tuple(map(Column, ("guideline", "shown", "state")))
    table = Table("true_score.guidelines", "", columns, rows, (Term("guidelines_source"),))
    states = [state for *_, state in held if state]
    broken = [text for text, _, state in held if state == "not met"]
    return table, {"held": len(states), "kept": states.count("met"), "broken": broken}


def asked_double_scored(evaluation: Evaluation) -> int:
    """Return how many double-scored responses guidelines require: fewer if raters surely correlate well."""
    raters = evaluation.estimate("human.r")
    good = raters is not None and raters.low is not None and raters.low > GOOD_RATERS
    return ENOUGH_FOR_GOOD_RATERS if good else ENOUGH


def recommended(n: int) -> Term:
    """Return the words for how many double-scored responses guidelines require, and when fewer do."""
    return Term("guidelines_ask", n=n, few=ENOUGH_FOR_GOOD_RATERS, least=GOOD_RATERS)


def enough_responses(evaluation: Evaluation) -> Guideline:
    """Compare the number of double-scored responses with what guidelines for PRMSE require of these raters."""
    double, raters = multiply_scored(evaluation), evaluation.estimate("human.r")
    state: Outcome = "met" if double >= ENOUGH else "not met"
    if ENOUGH_FOR_GOOD_RATERS <= double < ENOUGH and raters:
        state = judge(raters, GOOD_RATERS, 1.0)
    text = Term("guideline.enough", n=asked_double_scored(evaluation))
    return text, Term("enough_shown", n=double, r=raters, least=GOOD_RATERS), state


def _possible_values(evaluation: Evaluation) -> Guideline:
    prmse, text = evaluation.estimate("true_score.prmse"), Term("guideline.possible")
    if prmse is None:
        return text, None, "not yet known"
    return text, Term("prmse_shown", prmse=prmse), "met" if 0 <= (prmse.value or 0.0) <= 1 else "not met"


def _many_raters(evaluation: Evaluation) -> Guideline:
    """Return whether there are more raters than ratings of a response; None if raters are not named."""
    text, named = Term("guideline.many_raters"), evaluation.facts.get("rater_ids")
    if not named:
        return text, None, None
    several = named["raters"] > max(len(evaluation.raters), 2)
    return text, Term("raters_shown", n=named["raters"]), "met" if several else "not met"


LADDER, STAIRCASE = "true_score.ladder", "true_score.staircase"

MOST_RATINGS = 3  # means of up to this many ratings are compared with the engine

ALIKE = 0.005  # a rounded score whose PRMSE differs by less has no separate row


def ladder_chart(evaluation: Evaluation) -> tuple[Chart, ...]:
    """Return PRMSE of ratings and of the engine: as judged, rescaled, rounded; empty without the engine's PRMSE."""
    engine, check = evaluation.estimate(KEY), overall_check(evaluation, KEY)
    if engine is None:
        return ()
    best = evaluation.estimate("true_score.best_prmse")
    rounded = of_rounded(evaluation, KEY, "prmse") if evaluation.scale.step else None
    if rounded and abs((rounded.value or 0.0) - (engine.value or 0.0)) < ALIKE:
        rounded = None
    ratings = [(k, evaluation.estimate(f"true_score.prmse_of_ratings_{k}")) for k in range(1, MOST_RATINGS + 1)]
    others = (("engine_rescaled", best), ("engine_rounded", rounded))
    rungs: list[Rung] = [
        *((Term("mean_of_ratings", n=k), found, "human", "") for k, found in ratings if found),
        (Term("the_engine"), engine, "engine", check.outcome if check else ""),
        *((Term(name), found, "engine", _outcome(found, check)) for name, found in others if found),
    ]
    if len(rungs) < 2:
        return ()
    alt = Term("ladder_alt", rungs=[{"label": label, "estimate": estimate} for label, estimate, *_ in rungs])
    limits = (check.low, check.high) if check else NONE
    required = Term("accepted", check=check) if check else ""
    return (ladder(LADDER, alt, rungs, Term("prmse_axis"), limits, required),)


def _outcome(estimate: Estimate, check: Check | None) -> Outcome | Literal[""]:
    """Return the outcome of the requirement for a form of the score that is not judged."""
    return judge(estimate, check.low, check.high, strict=check.strict, by=check.by) if check else ""


def staircase_chart(evaluation: Evaluation) -> tuple[Chart, ...]:
    """Return the losses of accuracy, from the best attainable to the rounded score; empty if they are not known."""
    names = ("best_prmse", "scale_loss", "bias_loss", "prmse", "rounding_cost")
    found = [(name, evaluation.estimate(f"true_score.{name}")) for name in names]
    if not all(each for _, each in found[:4]):
        return ()
    stairs = [(Term(f"stair.{name}"), each, not name.endswith("prmse")) for name, each in found if each]
    alt = Term("staircase_alt", stairs=[{"label": label, "estimate": estimate} for label, estimate, _ in stairs])
    return (staircase(STAIRCASE, alt, stairs, Term("prmse_axis"), Term("lost")),)
