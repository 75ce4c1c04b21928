"""The criteria a deployment is judged by, their thresholds and sources: each written once, here."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.metrics import METRICS
from reportgen.numbers import fixed, with_interval
from reportgen.results import Check, Estimate, Outcome

WILLIAMSON = "Williamson, Xi and Breyer (2012), as quoted by Loukina et al. (2020) and by RSMTool"
TRUE_SCORE = "practice reported by the study of score impact under PRMSE: below .70 not for use alone"


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


def judge(estimate: Estimate, low: float | None, high: float | None, min_n: int = 0) -> Outcome:
    """Return the outcome by the interval: inside, outside or across the bounds; the one verdict rule.

    Examples
    --------
    >>> judge(Estimate("qwk", 0.75, 500, 0.72, 0.78), 0.70, None)
    'met'
    >>> judge(Estimate("qwk", 0.71, 500, 0.66, 0.75), 0.70, None)
    'not yet known'
    >>> judge(Estimate("smd", 0.30, 500, 0.21, 0.39), -0.15, 0.15)
    'not met'
    >>> judge(Estimate("dsm", 0.30, 6, 0.21, 0.39), -0.10, 0.10, min_n=10)
    'insufficient'
    """
    if estimate.value is None or estimate.n < min_n:
        return "insufficient"
    if estimate.low is None or estimate.high is None:
        return "not yet known"
    above = low is None or estimate.low >= low
    below = high is None or estimate.high <= high
    if above and below:
        return "met"
    outside = (low is not None and estimate.high < low) or (high is not None and estimate.low > high)
    return "not met" if outside else "not yet known"


def bounds_in_words(low: float | None, high: float | None) -> str:
    """Return bounds as words.

    Examples
    --------
    >>> bounds_in_words(0.7, None), bounds_in_words(-0.15, 0.15)
    ('at least 0.70', 'between −0.15 and 0.15')
    """
    if low is None or high is None:
        return f"at least {fixed(low, 2)}" if low is not None else f"at most {fixed(high or 0.0, 2)}"
    return f"between {fixed(low, 2)} and {fixed(high, 2)}"


def _sentence(criterion: Criterion, estimate: Estimate, outcome: Outcome, group: str, min_n: int) -> str:
    """Say the outcome in one sentence."""
    where = f" for {group}" if group else ""
    wanted = bounds_in_words(criterion.low, criterion.high)
    if estimate.value is None:
        return f"{criterion.label}{where} can not be judged: {estimate.reason}."
    found = f"{criterion.label}{where} is {with_interval(estimate, criterion.low, criterion.high)}"
    if outcome == "insufficient":
        return f"{found}, on {estimate.n} responses; fewer than {min_n} are not judged."
    if outcome == "not yet known":
        reason = "its interval crosses the bound" if estimate.low is not None else "it has no interval"
        return f"{found}; whether it is {wanted} is not yet known: {reason}."
    return f"{found}; the criterion, {wanted}, is {outcome}."
