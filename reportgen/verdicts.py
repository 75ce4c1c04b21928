"""The one verdict rule: how an estimate stands against bounds, by its whole interval."""

from __future__ import annotations

from reportgen.results import Estimate, Outcome


def judge(estimate: Estimate, low: float | None, high: float | None, min_n: int = 0) -> Outcome:
    """Return the outcome: all of the interval inside the bounds, outside them, or across one.

    Parameters
    ----------
    low, high
        Bounds; None for none.
    min_n
        Fewer responses than this are not judged.

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
