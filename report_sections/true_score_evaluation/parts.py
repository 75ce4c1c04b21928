"""PRMSE taken apart: what a rescaling regains, what it cannot, and what rounding costs."""

from __future__ import annotations

from report_sections.lookup import estimate_of, records
from report_sections.pictures import predictors_chart
from report_sections.words import stated
from reportgen.results import Estimate
from reportgen.sections import Chart, Evaluation, Table
from reportgen.wording.numbers import NOISE, interval, num, with_interval

KEY = "true_score.parts"

WORTHWHILE = 0.01
"""A rescaling that regains less of PRMSE than this is not worth the change."""


def parts_sentences(evaluation: Evaluation) -> tuple[str, ...]:
    """Say what can be mended by rescaling, what cannot, and what rounding costs."""
    names = ("best_prmse", "scale_loss", "bias_loss")
    best, scale, bias = (estimate_of(evaluation, f"true_score.{name}") for name in names)
    if best is None or scale is None or bias is None:
        return ()
    said = [
        f"A linear rescaling of the engine's scores can reach a PRMSE of {stated(best)}, the square of the correlation "
        f"with true scores ({stated(estimate_of(evaluation, 'true_score.rho'))}); what is missing to 1 is the engine's "
        "own error, and no rescaling mends it.",
        _regained(evaluation, scale, bias),
    ]
    return (*said, *_rounding(estimate_of(evaluation, "true_score.rounding_cost")))


def _regained(evaluation: Evaluation, scale: Estimate, bias: Estimate) -> str:
    """Say how much a rescaling would regain, and which."""
    lost = f"{with_interval(scale)} of PRMSE that is lost to the scale and {with_interval(bias)} lost to the mean"
    if max(scale.high or scale.value or 0.0, bias.high or bias.value or 0.0) < WORTHWHILE:
        return f"It would regain {lost}, too little to be worth it: scale and mean are right, or off by little."
    return f"It would regain {lost}{_rescaling(evaluation)}."


def _rescaling(evaluation: Evaluation) -> str:
    """Write the best rescaling so that it can be applied."""
    slope, intercept = (estimate_of(evaluation, f"true_score.{name}") for name in ("slope", "intercept"))
    if slope is None or intercept is None or slope.value is None or intercept.value is None:
        return ""
    sign = "+" if intercept.value >= 0 else "−"
    return (
        f": new score = {num(slope.value, 'number')} × engine score {sign} {num(abs(intercept.value), 'number')} "
        f"(slope {_ends(slope)}, intercept {_ends(intercept)}), applied to the trimmed scores; it was fitted to these "
        "responses, so check it on others before it is used"
    )


def _ends(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return "without an interval"
    return interval(estimate)


def _rounding(cost: Estimate | None) -> tuple[str, ...]:
    """Say what rounding costs, on the same responses; nothing where no score changes by it."""
    if cost is None or cost.low is None or cost.high is None or max(abs(cost.low), abs(cost.high)) < NOISE:
        return ()
    if cost.low > 0:
        return (f"Rounding the scores costs {with_interval(cost)} of PRMSE more; reported unrounded they keep it.",)
    if cost.high < 0:
        return (f"Rounded, the scores predict true scores better: PRMSE changes by {with_interval(cost)} unrounded.",)
    return (f"Whether rounding costs anything is not clear: {with_interval(cost)} of PRMSE.",)


def parts_chart(table: Table | None) -> tuple[Chart, ...]:
    """Return the parts of PRMSE with their intervals."""
    rows = [(str(row["part"]), row["value"]) for row in records(table)] if table else []
    found = [(label, cell) for label, cell in rows if isinstance(cell, Estimate) and cell.value is not None]
    if len(found) < 2:
        return ()
    # The formulas and what the whole is of stand in the table beside the chart.
    labels, cells = tuple(label.partition(",")[0].partition(" of the ")[0] for label, _ in found), [c for _, c in found]
    return (
        predictors_chart(KEY, "PRMSE taken apart", "Parts of PRMSE", labels, cells, "Part"),
    )  # fmt: skip
