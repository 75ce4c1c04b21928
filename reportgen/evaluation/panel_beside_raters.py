"""The engine's agreement and rank correlation less those of two raters, with intervals.

Yannakoudakis and Cummins (2015) read the two together, and give no limit for either: two raters stand in for it.
"""

from __future__ import annotations

import numpy as np

from reportgen.evaluation.bounded_intervals import METHOD_OF_PARTS, Part, difference
from reportgen.evaluation.estimating import no_interval
from reportgen.evaluation.panel import ENGINE, NO_POINTS, Labelled, labelled
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.metrics import METRICS
from reportgen.metrics.chance_corrected import Linearised
from reportgen.metrics.panel import PANEL
from reportgen.results import Estimate
from reportgen.tally import limits

COMPARED = ("ac2_quadratic", "tau_b")
"""The coefficient that the paper recommends, and the rank correlation that it would have reported beside it."""

NOT_TWICE, ONCE_TWICE = "no response was scored twice", "only one response was scored twice"


def panel_beside_raters(tallied: TalliedScores) -> dict[str, Estimate]:
    """Return how far engine and first rater agree less than the first two raters do, by key: "degradation.tau_b"."""
    return {f"degradation.{metric}": _compared(tallied, metric) for metric in COMPARED}


def _compared(tallied: TalliedScores, metric: str) -> Estimate:
    """Return a coefficient of engine and first rater less that of the first two raters."""
    points = tallied.points
    if len(tallied.raters) < 2:
        return _without(tallied, metric, 0, NOT_TWICE)
    engine, raters = labelled(points, (0, ENGINE)), labelled(points, (0, 1))
    n = round(raters.n)
    if n < 2:
        return _without(tallied, metric, n, ONCE_TWICE if n else NOT_TWICE)
    if points.continuous:
        return _without(tallied, metric, n, NO_POINTS)
    own, theirs = PANEL[metric](engine.patterns), PANEL[metric](raters.patterns)
    if own.reason or theirs.reason:
        return _without(tallied, metric, n, own.reason or theirs.reason)
    error = raters.error(engine.influence(own) - raters.influence(theirs))
    low, high = _ends(
        _part(tallied, metric, engine, own), _part(tallied, metric, raters, theirs), own.value - theirs.value, error
    )
    known = bool(np.isfinite(low) and np.isfinite(high))
    return Estimate(
        metric,
        own.value - theirs.value,
        n,
        low if known else None,
        high if known else None,
        error if np.isfinite(error) else None,
        tallied.level,
        METHOD_OF_PARTS,
        "difference",
        interval_reason="" if known else no_interval(n),
    )


def _without(tallied: TalliedScores, metric: str, n: int, reason: str) -> Estimate:
    return Estimate(metric, None, n, kind="difference", level=tallied.level, reason=reason)


def _part(tallied: TalliedScores, metric: str, labels: Labelled, one: Linearised) -> Part:
    """Return a coefficient with its own interval."""
    value, error = np.array([one.value]), np.array([labels.error(labels.influence(one))])
    low, high = limits(value, error, np.array([labels.units - 1]), METRICS[metric].transform, tallied.level)
    return Part(value, low, high, error)


def _ends(own: Part, theirs: Part, value: float, error: float) -> tuple[float, float]:
    """Return the interval of the difference; none where nothing varies."""
    if not error > 0:
        return np.nan, np.nan
    apart = Part(np.array([value]), np.array([np.nan]), np.array([np.nan]), np.array([error]))
    low, high = difference(own, theirs, apart)
    return float(low[0]), float(high[0])
