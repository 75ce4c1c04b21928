"""The criteria a deployment is judged by, their thresholds and sources: each written once, here."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.metrics import METRICS
from reportgen.numbers import bounds, with_interval
from reportgen.results import Check, Estimate, Outcome
from reportgen.verdicts import judge

WILLIAMSON = "Williamson, Xi and Breyer (2012), as quoted by Casabianca et al. (2023) and RSMTool"
TRUE_SCORE = "Casabianca et al. (2023): below .70 scale scores and levels changed notably"


@dataclass(frozen=True)
class Criterion:
    """Where one statistic should lie.

    Parameters
    ----------
    statistic
        Key of the statistic in the evaluation's estimates.
    low, high
        Bounds; None for none.
    target
        Table that shows it.
    """

    statistic: str
    label: str
    abbreviation: str
    low: float | None
    high: float | None
    source: str
    target: str


OVERALL_CRITERIA = (
    Criterion("system.qwk", METRICS["qwk"].label, "QWK", 0.70, None, WILLIAMSON, "system_human.association"),
    Criterion("system.r", METRICS["r"].label, "r", 0.70, None, WILLIAMSON, "system_human.association"),
    Criterion("system.smd", METRICS["smd"].label, "SMD", -0.15, 0.15, WILLIAMSON, "system_human.descriptives"),
    Criterion("true_score.prmse", METRICS["prmse"].label, "PRMSE", 0.70, None, TRUE_SCORE, "true_score.prmse"),
    Criterion("degradation.qwk", "Degradation of quadratic weighted kappa", "QWK degradation", -0.10, None,
              WILLIAMSON, "human_human.degradation"),
    Criterion("degradation.r", "Degradation of the correlation", "r degradation", -0.10, None,
              WILLIAMSON, "human_human.degradation"),
)  # fmt: skip

GROUP_CRITERION = Criterion("system.dsm", METRICS["dsm"].label, "DSM", -0.10, 0.10, WILLIAMSON, "by_group")


def check(criterion: Criterion, estimate: Estimate, *, group: str = "", min_n: int = 0, target: str = "") -> Check:
    """Return how an estimate stands against a criterion.

    Parameters
    ----------
    group
        ``"column: level"`` for a group, empty for all responses.
    min_n
        Fewer responses than this are not judged.
    """
    outcome = judge(estimate, criterion.low, criterion.high, min_n)
    return Check(
        label=criterion.label,
        estimate=estimate,
        outcome=outcome,
        low=criterion.low,
        high=criterion.high,
        abbreviation=criterion.abbreviation,
        group=group,
        source=criterion.source,
        sentence=_sentence(criterion, estimate, outcome, group, min_n),
        target=target or criterion.target,
    )


def _sentence(criterion: Criterion, estimate: Estimate, outcome: Outcome, group: str, min_n: int) -> str:
    """Say the outcome in one sentence."""
    where = f" for {group}" if group else ""
    wanted = bounds(criterion.low, criterion.high, estimate.kind)
    if estimate.value is None:
        return f"{criterion.label}{where} cannot be judged: {estimate.reason}."
    found = f"{criterion.label}{where} is {with_interval(estimate, criterion.low, criterion.high)}"
    if outcome == "insufficient":
        return f"{found}, on {estimate.n} responses; fewer than {min_n} are not judged."
    if outcome == "not yet known":
        reason = "its interval crosses the bound" if estimate.low is not None else "it has no interval"
        return f"{found}; whether it is {wanted} is not yet known: {reason}."
    return f"{found}; the criterion, {wanted}, is {outcome}."
