"""Estimates of statistics of other sums: what `reportgen.tally.joint` returns, with intervals and reasons."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from reportgen.evaluation.estimating import METHOD_LEFT_OUT_CLUSTERED, METHOD_WILSON, independent_trials
from reportgen.results import Estimate, Kind
from reportgen.tally import JointNumbers, limits, spread_of
from reportgen.tally.cells import Floats

NO_VARIATION = "the scores do not vary enough for an interval"


class Units(Protocol):
    """What intervals need to know: the confidence level, and how they are made of the units of the data."""

    @property
    def level(self) -> float:
        """The confidence level."""

    @property
    def raters(self) -> tuple[str, ...]:
        """What the raters are called."""

    @property
    def rows(self) -> object:
        """Responses with their candidates, or whatever is true where candidates are the units."""

    @property
    def method(self) -> str:
        """How intervals are made."""


def joint_estimates(
    tallied: Units,
    metric: str,
    numbers: JointNumbers,
    *,
    kind: Kind,
    transform: str = "none",
    reason: str = "not defined for these scores",
    interval_reason: str = NO_VARIATION,
    n: Floats | None = None,
    units: Floats | None = None,
) -> list[Estimate]:
    """Return one estimate per output of a joint statistic.

    Parameters
    ----------
    transform
        As for `reportgen.tally.limits`; "ratio" for a statistic that is the logarithm of a ratio already.
    reason, interval_reason
        Why an output without a value has none, and why one without an interval.
    n, units
        (outputs,): what each rests on; left out, all levels together.
    """
    count = np.broadcast_to(numbers.n.sum() if n is None else n, numbers.value.shape)
    counted = np.broadcast_to(numbers.units.sum() if units is None else units, numbers.value.shape)
    value, error = numbers.value, numbers.error
    scale = "none" if transform == "ratio" else transform
    trials = independent_trials(value, error, count, counted) if transform == "wilson" else None
    freedom, method = counted - 1, METHOD_WILSON if transform == "wilson" else tallied.method
    if numbers.without is not None and trials is None:
        error, freedom, method = _left_out(numbers, freedom, scale)
    low, high = limits(value, error, freedom, scale, tallied.level, trials)
    if transform == "ratio":
        with np.errstate(over="ignore"):
            value, low, high, error = np.exp(value), np.exp(low), np.exp(high), np.exp(value) * error
    return [
        estimate_of(
            metric, value[i], count[i], low[i], high[i], error[i], tallied.level, method, kind, reason, interval_reason
        )
        for i in range(len(value))
    ]


def _left_out(numbers: JointNumbers, freedom: Floats, scale: str) -> tuple[Floats, Floats, str]:
    """Return standard errors, degrees of freedom and method of a statistic that few candidates were left out of."""
    error, own = np.array(numbers.error), np.array(freedom, np.float64)
    columns = np.asarray(numbers.without).T
    together, once = np.zeros(columns.shape[1], np.intp), np.ones(columns.shape[1])
    for output, column in enumerate(columns):
        spread = spread_of(column, numbers.value[[output]], scale, together, once)
        if np.isfinite(spread.error[0]) and error[output] > 0:
            error[output], own[output] = spread.error[0], min(own[output], spread.freedom[0])
    return error, own, METHOD_LEFT_OUT_CLUSTERED


def estimate_of(
    metric: str,
    value: float,
    n: float,
    low: float,
    high: float,
    error: float,
    level: float,
    method: str,
    kind: Kind,
    reason: str = "not defined for these scores",
    interval_reason: str = NO_VARIATION,
) -> Estimate:
    """Return plain numbers as an estimate: nan becomes a missing value or limit with its reason."""
    if not np.isfinite(value):
        return Estimate(metric, None, round(n), kind=kind, level=level, reason=reason)
    known = bool(np.isfinite(low) and np.isfinite(high))
    return Estimate(
        metric,
        float(value),
        round(n),
        float(low) if known else None,
        float(high) if known else None,
        float(error) if np.isfinite(error) else None,
        level,
        method if known else "",
        kind,
        interval_reason="" if known else interval_reason,
    )
