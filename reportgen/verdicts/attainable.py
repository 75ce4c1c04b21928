"""Limits that no engine can reach with these raters, and values that cannot be."""

from __future__ import annotations

import math
from dataclasses import replace

from reportgen.metrics import METRICS
from reportgen.metrics.true_score import CEILING_OPEN
from reportgen.results import Doubt, Estimate, Outcome
from reportgen.verdicts.assurance import FEWEST, Beside

CEILING = "attainable.true_r"
"""What true scores correlate with the human score: no engine reaches more in correlation or QWK."""

BEST = {"system.qwk": 1, "system.r": 1, "system.r_squared": 2}
"""Statistics whose best value follows from the ceiling, and the power of it that it is.

Of exact agreement and kappa the best value is not known without supposing how errors are distributed.
"""

NOISE = 1e-9
"""A value is not beyond its range by less."""


def best_in_reach(statistic: str, beside: Beside) -> Estimate | None:
    """Return what an engine without any error would reach in a statistic with these raters; None where not known.

    Parameters
    ----------
    statistic
        Its key.
    beside
        Gives other statistics of the same responses.
    """
    power, found = BEST.get(statistic), beside(CEILING)
    if power is None or found is None:
        return None
    found = found if found.defined or found.reason == CEILING_OPEN else _at_most(found, beside)
    if found.value is None or power == 1:
        return found
    low, high = (None if end is None else end**power for end in (found.low, found.high))
    return replace(found, value=found.value**power, low=low, high=high, standard_error=None)


def _at_most(ceiling: Estimate, beside: Beside) -> Estimate:
    """Return the ceiling where raters share nothing by the estimate: 0, and what the interval of var T still allows."""
    true, spread = beside("true_score.true_variance"), beside("system.h_sd")
    if not (true and spread and true.value is not None and true.high is not None and spread.value):
        return ceiling
    high = math.sqrt(max(true.high, 0.0)) / spread.value
    return replace(ceiling, value=0.0, low=0.0, high=high, method=true.method, reason="")


def in_reach(outcome: Outcome, low: float | None, best: Estimate | None, estimate: Estimate) -> tuple[Outcome, Doubt]:
    """Return the outcome of a requirement in view of what is attainable, and whether that itself is in doubt.

    A requirement that an engine without error would surely fail is *out of reach*, unless this engine would also fail
    it with raters without error: its whole interval, relative to what is attainable, is below the limit.  If it is
    open whether an engine without error would fail, the outcome is that of the interval, and only the ceiling is open.

    Examples
    --------
    >>> engine = Estimate("qwk", 0.55, 900, 0.50, 0.60)
    >>> in_reach("not met", 0.70, Estimate("true_r", 0.62, 400, 0.57, 0.67), engine)
    ('out of reach', '')
    >>> in_reach("not met", 0.70, Estimate("true_r", 0.62, 400, 0.57, 0.67), Estimate("qwk", 0.1, 900, 0.0, 0.2))
    ('not met', '')
    >>> in_reach("not met", 0.70, Estimate("true_r", 0.68, 400, 0.62, 0.74), engine)
    ('not met', 'ceiling')
    """
    if low is None or best is None or outcome not in ("not met", "not yet known"):
        return outcome, ""
    if best.low is None or best.high is None or best.n < FEWEST:
        return outcome, ""
    if best.high < low:
        own = outcome == "not met" and estimate.high is not None and estimate.high < low * best.low
        return ("not met" if own else "out of reach"), ""
    return outcome, "ceiling" if outcome == "not met" and best.low < low else ""


def impossible(estimate: Estimate) -> bool:
    """Return whether a value lies above what the quantity itself can be, as a PRMSE above 1 does.

    Examples
    --------
    >>> impossible(Estimate("prmse", 1.04, 60)), impossible(Estimate("prmse", 0.96, 60))
    (True, False)
    """
    known = METRICS.get(estimate.metric)
    highest = known.in_theory[1] if known is not None and known.in_theory else math.inf
    return estimate.value is not None and estimate.value > highest + NOISE
