"""How well the engine predicts the true score: PRMSE, and whether this data can carry it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from report_sections.lookup import estimate_of, multiply_scored, number, overall_check, records, required_by_share
from report_sections.severity import severity
from report_sections.true_score_evaluation.guidelines import ENOUGH, ENOUGH_FOR_GOOD_RATERS, GOOD_RATERS, guidelines
from report_sections.true_score_evaluation.pictures import ladder_chart, staircase_chart
from reportgen.policies import bands_of, load_policy
from reportgen.results import Band, Check, Estimate
from reportgen.sections import Evaluation, Findings, Section
from reportgen.wording.numbers import NOISE

KEY = "true_score.prmse"
PLAN, RESCALING = "true_score.double_scoring", "true_score.rescaling"

NOTHING: Mapping[str, Any] = {"charts": [], "tables": []}
"""What there is to show where no response has a second rating."""

WORTHWHILE = 0.01
"""A rescaling that recovers less of PRMSE than this is not worth the change."""


@dataclass(frozen=True)
class TrueScoreEvaluation(Section):
    """PRMSE for every score type, its meaning for the decision, and the guidelines for trusting it.

    Parameters
    ----------
    mean_margin
        Rater means are similar when they differ by less than this many standard deviations.
    spread_ratio
        Rater variances are similar when the larger standard deviation is at most this many times the smaller.
    agreement_margin
        Raters agree similarly with the engine when their correlations with it differ by less than this.
    """

    name: ClassVar[str] = "true_score_evaluation"
    needs: ClassVar[tuple[str, ...]] = ("system", "order")

    mean_margin: float = 0.15
    spread_ratio: float = 1.25
    agreement_margin: float = 0.10

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return PRMSE with its reading, or what is missing to compute it."""
        prmse, asked = evaluation.estimates.get(KEY), [ENOUGH, ENOUGH_FOR_GOOD_RATERS, GOOD_RATERS]
        if prmse is None:
            return Findings(values={**NOTHING, "case": "not_tested", "asked": asked}, outcome="insufficient")
        check = overall_check(evaluation, KEY)
        table, kept = guidelines(evaluation, self)
        tables = [evaluation.tables.get(key) for key in (KEY, RESCALING, PLAN)]
        shared = not evaluation.facts.get("raters_share")  # else nothing is there to take apart
        made = (ladder_chart(evaluation), staircase_chart(evaluation)) if shared else ()
        charts = [chart for chart in made if chart]
        return Findings(
            values={
                "case": _case(evaluation, prmse, check),
                "asked": asked,
                "prmse": prmse,
                "requirement": check,
                "double_scored": multiply_scored(evaluation),
                "raters": len(evaluation.raters),
                "bands": [] if required_by_share(evaluation) else _reached(prmse, bands_of_policy(evaluation)),
                "bands_of": _whose(evaluation),
                "rescaling": _rescaling(evaluation) if shared else "",
                "worthwhile": WORTHWHILE,
                "price": rescaled_scores(evaluation),
                "severity": severity(evaluation) if shared else None,
                "rounding": _rounding(estimate_of(evaluation, "true_score.rounding_cost")) if shared else "",
                "plan": _plan(evaluation),
                "guidelines": kept,
                "charts": [chart.key for chart in charts],
                "tables": [each.key for each in tables if each],
            },
            tables=(*(each for each in tables if each), table),
            charts=tuple(charts),
            outcome=check.outcome if check else "",
        )


def _case(evaluation: Evaluation, prmse: Estimate, check: Check | None) -> str:
    """Return which finding there is: that no value makes sense, or what its requirement says."""
    if shared := evaluation.facts.get("raters_share"):
        return f"share_{shared}"
    if prmse.value is None:
        return "undefined"
    outcome = check.outcome if check else ""
    if check and outcome == "insufficient":
        return "in_doubt" if check.doubt == "reading" else "few"
    if prmse.value > 1:
        return "above_one"
    if prmse.value < 0:
        return "below_zero"
    return {"met": "enough", "not met": "too_little", "not yet known": "undecided"}.get(outcome, "known")


def bands_of_policy(evaluation: Evaluation) -> tuple[Band, ...]:
    """Return what values of PRMSE mean, by the policy or else by the shipped one."""
    shipped = bands_of(load_policy("prmse"))[KEY]
    return evaluation.ruling.bands.get(KEY, shipped) if evaluation.ruling else shipped


def _whose(evaluation: Evaluation) -> str:
    """Return the policy that has bands of its own; nothing where they are the shipped ones."""
    own = bands_of_policy(evaluation) != bands_of(load_policy("prmse"))[KEY]
    return evaluation.ruling.policy if own and evaluation.ruling else ""


def _reached(prmse: Estimate, bands: Sequence[Band]) -> list[dict[str, Any]]:
    """Return the ranges that the interval reaches, and what values in them mean; none without an interval."""
    if prmse.low is None or prmse.high is None:
        return []
    low, high = prmse.low, prmse.high
    return [
        {"low": band.low, "high": band.high, "meaning": band.meaning}
        for band in bands
        if (band.high is None or low < band.high) and (band.low is None or high >= band.low)
    ]


def _rescaling(evaluation: Evaluation) -> str:
    """Return whether a linear rescaling would be worth it; nothing where that is not known."""
    best, scale, bias = (estimate_of(evaluation, f"true_score.{name}") for name in ("best_prmse", "scale_loss",
                                                                                    "bias_loss"))  # fmt: skip
    if best is None or scale is None or bias is None:
        return ""
    return "little" if (scale.value or 0.0) + (bias.value or 0.0) < WORTHWHILE else "worthwhile"


def rescaled_scores(evaluation: Evaluation) -> dict[str, dict[str, float | None]]:
    """Return PRMSE, QWK, SD and the use of the ends by what is done to the score; nothing where that is not known.

    Keys are "as_it_is", "to_true_scores", "to_raters", and "raters" for the first rater's scores.
    """
    table = evaluation.tables.get(RESCALING)
    if table is None:
        return {}
    keys = ("as_it_is", "to_true_scores", "to_raters", "raters")
    measures = ("prmse", "qwk", "rounded_qwk", "sd", "ends")
    return {key: {name: number(row[name]) for name in measures} for key, row in zip(keys, records(table), strict=True)}


def _rounding(cost: Estimate | None) -> str:
    """Return what rounding does to PRMSE, on the same responses; nothing where no score changes by it."""
    if cost is None or cost.low is None or cost.high is None or max(abs(cost.low), abs(cost.high)) < NOISE:
        return ""
    return "costs" if cost.low > 0 else "helps" if cost.high < 0 else "unclear"


def _plan(evaluation: Evaluation) -> list[dict[str, float]]:
    """Return how narrow the interval of PRMSE is, and would be with more double scores; none where no plan is made."""
    table = evaluation.tables.get(PLAN)
    rows = [
        {"n": n, "half_width": width}
        for row in (records(table)[:3] if table else ())
        if (n := number(row["n_multiple"])) is not None and (width := number(row["half_width"])) is not None
    ]
    return rows if len(rows) > 1 else []
