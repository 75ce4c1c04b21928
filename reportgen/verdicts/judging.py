"""The one rule of judgement: how an estimate stands against bounds, by its whole interval unless told otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.results import Basis, Check, Decision, Estimate, Outcome


def judge(
    estimate: Estimate,
    low: float | None,
    high: float | None,
    min_n: int = 0,
    *,
    strict: bool = False,
    by: Basis = "interval",
) -> Outcome:
    """Return the outcome: all of the interval inside the bounds, all of it outside, or across a bound.

    Parameters
    ----------
    low, high
        Bounds; None for none.
    min_n
        Fewer responses than this are not judged.
    strict
        Whether a value right at a bound lies outside; left out, it lies inside.
    by
        What is held against the bounds: the whole interval, the estimate, or one end of the interval.

    Examples
    --------
    >>> judge(Estimate("qwk", 0.75, 500, 0.72, 0.78), 0.70, None)
    'met'
    >>> judge(Estimate("qwk", 0.71, 500, 0.66, 0.75), 0.70, None)
    'not yet known'
    >>> judge(Estimate("qwk", 0.71, 500, 0.66, 0.75), 0.70, None, by="estimate")
    'met'
    >>> judge(Estimate("smd", 0.30, 500, 0.21, 0.39), -0.15, 0.15)
    'not met'
    >>> judge(Estimate("dsm", 0.30, 6, 0.21, 0.39), -0.10, 0.10, min_n=10)
    'insufficient'

    "At least .70" holds at .70, "less than .15" does not hold at .15:

    >>> judge(Estimate("qwk", 0.74, 500, 0.70, 0.78), 0.70, None)
    'met'
    >>> judge(Estimate("smd", 0.19, 500, 0.15, 0.23), -0.15, 0.15, strict=True)
    'not met'
    """
    if estimate.value is None or estimate.n < min_n:
        return "insufficient"
    ends = _ends(estimate, by)
    if ends is None:
        return "not yet known"
    inside = [_inside(end, low, high, strict) for end in ends]
    if all(inside):
        return "met"
    outside = (low is not None and not _inside(ends[1], low, None, strict)) or (
        high is not None and not _inside(ends[0], None, high, strict)
    )
    return "not met" if outside else "not yet known"


def _ends(estimate: Estimate, by: Basis) -> tuple[float, float] | None:
    """Return the lowest and highest value that is held against the bounds; None where there is no interval."""
    if by == "estimate" and estimate.value is not None:
        return estimate.value, estimate.value
    if estimate.low is None or estimate.high is None:
        return None
    if by == "lower":
        return estimate.low, estimate.low
    return (estimate.high, estimate.high) if by == "upper" else (estimate.low, estimate.high)


def _inside(value: float, low: float | None, high: float | None, strict: bool) -> bool:
    """Return whether a value lies inside the bounds."""
    if strict:
        return (low is None or value > low) and (high is None or value < high)
    return (low is None or value >= low) and (high is None or value <= high)


def decision_of(checks: Sequence[Check]) -> Decision:
    """Return what criteria say together.

    One that is not met speaks against deployment; only when every one is met they speak for it.  Where no engine could
    meet one with these raters, the raters must change first; else more ratings are asked for, where what is open waits
    for them.
    """
    outcomes = {check.outcome for check in checks}
    if "not met" in outcomes:
        return "do not deploy"
    if outcomes == {"met"}:
        return "deploy"
    if "out of reach" in outcomes:
        return "out of reach with these raters"
    if any(check.outcome == "not yet known" or check.waits_for or check.withheld for check in checks):
        return "collect more ratings"
    return "cannot be judged"
