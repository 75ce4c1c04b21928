"""A number with its standard error and what it rests on, as an `Estimate` with an interval."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reportgen.metrics import METRICS
from reportgen.results import Cell, Estimate, Evaluation
from reportgen.tally import limits
from reportgen.tally.cells import Floats

METHOD = "infinitesimal jackknife on whole responses"
METHOD_CLUSTERED = "infinitesimal jackknife on whole candidates"
METHOD_LEFT_OUT = "jackknife that leaves out one response at a time"
METHOD_LEFT_OUT_CLUSTERED = "jackknife that leaves out one candidate at a time"
METHOD_WILSON = "Wilson score interval"


def interval_estimate(
    metric: str,
    value: float,
    error: float,
    n: float,
    units: float,
    level: float,
    *,
    clustered: bool = False,
    reason: str = "",
    interval_reason: str = "",
) -> Estimate:
    """Return an estimate with the interval its metric asks for; without a value, `reason` says why.

    Parameters
    ----------
    metric
        Key in the catalogue, which names the scale on which the interval is symmetric.
    n, units
        Responses, and independent units (candidates or responses) that the value rests on.
    clustered
        Whether candidates are the units.
    interval_reason
        Why there is no interval, when there is none; a general reason when left out.
    """
    entry, count = METRICS[metric], round(n)
    if not np.isfinite(value):
        return Estimate(metric, None, count, kind=entry.kind, level=level, reason=reason or no_value(count))
    wilson = entry.transform == "wilson"
    at, spread = np.array([value]), np.array([error])
    trials = independent_trials(at, spread, np.array([n]), np.array([units])) if wilson else None
    low, high = (float(end[0]) for end in limits(at, spread, np.array([units - 1]), entry.transform, level, trials))
    known = bool(np.isfinite(low) and np.isfinite(high))
    return Estimate(
        metric,
        float(value),
        count,
        low if known else None,
        high if known else None,
        float(error) if np.isfinite(error) else None,
        level,
        METHOD_WILSON if wilson else METHOD_CLUSTERED if clustered else METHOD,
        entry.kind,
        interval_reason="" if known else interval_reason or no_interval(count),
    )


def undefined(estimate: Estimate, reason: str) -> Estimate:
    """Return an estimate without its value, and why."""
    return Estimate(estimate.metric, None, estimate.n, kind=estimate.kind, level=estimate.level, reason=reason)


def independent_trials(value: Floats, error: Floats, n: Floats, units: Floats) -> Floats:
    """Return how many independent responses a percentage is worth: fewer than n when they are clustered.

    Where every response agrees, or none does, the clusters themselves are counted.
    """
    if np.array_equal(n, units):
        return n
    share = value / 100
    with np.errstate(all="ignore"):
        effective = np.where(error > 0, share * (1 - share) * 100**2 / error**2, units)
    return np.minimum(effective, n)


def corrected(square: float, units: float) -> float:
    """Return the standard error from a sum of squared influences: n / (n - 1), nan for a single unit."""
    return float(np.sqrt(max(square, 0.0) * units / (units - 1))) if units > 1 else float("nan")


def no_value(n: int) -> str:
    """Say why there is no value."""
    if n < 2:
        return "no responses" if n == 0 else "only one response"
    return "the statistic is not defined for these scores"


def no_interval(n: int) -> str:
    """Say why there is a value but no interval."""
    return "one response says nothing about uncertainty" if n < 2 else "the scores do not vary enough for an interval"


def needs_several(metric: str) -> bool:
    """Return whether a statistic tells how two scores go together, of which one response says nothing."""
    known = METRICS.get(metric)
    return (known is not None and known.kind == "coefficient") or metric.endswith("_agreement")


def without_single_responses(evaluation: Evaluation) -> Evaluation:
    """Return an evaluation in which one response alone has no coefficient and no agreement, on any page or table."""

    def kept(cell: Cell) -> Cell:
        if not isinstance(cell, Estimate) or not cell.defined or cell.n > 1:
            return cell
        relates = cell.kind == "coefficient" or needs_several(cell.metric)
        return undefined(cell, no_value(1)) if relates else cell

    tables = {
        key: replace(table, rows=tuple(replace(row, cells=tuple(map(kept, row.cells))) for row in table.rows))
        for key, table in evaluation.tables.items()
    }
    estimates = {
        key: undefined(each, no_value(1)) if kept(each) is not each else each
        for key, each in evaluation.estimates.items()
    }
    return replace(evaluation, tables=tables, estimates=estimates)
