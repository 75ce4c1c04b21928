"""How far reported scores move, and how reliable they are: estimates with intervals."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.estimating import METHOD, METHOD_CLUSTERED, METHOD_WILSON, independent_trials
from reportgen.evaluation.jointly import estimate_of
from reportgen.evaluation.reported_scores import TwiceReported
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.metrics.reported_scores import (
    movement,
    movement_features,
    reliability,
    reliability_features,
    spread,
    spread_features,
)
from reportgen.results import Estimate, Kind
from reportgen.tally import limits
from reportgen.tally.cells import Floats
from reportgen.tally.rowwise import RowFeatures, RowNumbers, RowStatistics, rowwise

KNOWN_ITEMS = "; item parameters taken as known"
NO_MOVE = "no scale score differs"
UNKNOWN_ITEMS = "the calibrations of the items add most of the uncertainty, and that is not estimated"

LEVELS = ("same_level", "lower", "higher")
"""Percentages of test takers by performance level with the other score."""

KINDS: Mapping[str, tuple[Kind, str]] = {
    "mean_difference": ("difference", "none"),
    "rmsd": ("score", "log"),
    "mean": ("score", "none"),
    "sd": ("score", "log"),
    "alpha_reference": ("coefficient", "log1m"),
    "alpha_other": ("coefficient", "log1m"),
    "alpha_change": ("difference", "none"),
    "sem_reference": ("score", "log"),
    "sem_other": ("score", "log"),
    **dict.fromkeys(LEVELS, ("percent", "wilson")),
}
"""Statistic -> how it is written, and the scale on which its interval is symmetric."""

OF_CALIBRATIONS = frozenset({*LEVELS, "sem_reference", "sem_other"})
"""Statistics that differ between samples more by their calibrations than by their test takers: with item
parameters taken as known their standard errors come out at a quarter to a half of what they are."""

Mask = NDArray[np.bool_]


def moved(twice: TwiceReported, tallied: TalliedScores, among: Mask | None = None) -> dict[str, Estimate]:
    """Return mean difference and RMSD of scale scores, and where there are cut scores who keeps the level.

    Parameters
    ----------
    among
        (n,): which test takers; None for all.
    """
    chosen = np.ones(twice.n, np.bool_) if among is None else among
    reference, other = twice.by_human.scores[chosen], twice.by_other.scores[chosen]
    found = _estimates(movement_features(reference, other), movement, twice, tallied, chosen)
    if twice.reporting.cuts:
        gap = twice.by_other.levels[chosen] - twice.by_human.levels[chosen]
        parts = {"same_level": gap == 0, "lower": gap < 0, "higher": gap > 0}
        features = {"n": np.ones(len(gap)), **{name: 100.0 * part for name, part in parts.items()}}
        found |= _estimates(
            features, lambda sums: {key: sums[key] / sums["n"] for key in parts}, twice, tallied, chosen
        )
    return found


def described(twice: TwiceReported, tallied: TalliedScores) -> tuple[dict[str, Estimate], dict[str, Estimate]]:
    """Return mean and SD of the scale scores with the human, and with the other score."""
    both = []
    for reported in (twice.by_human, twice.by_other):
        middle = float(reported.scores.mean())

        def shifted(sums: Mapping[str, Floats], middle: float = middle) -> dict[str, Floats]:
            return {"mean": middle + spread(sums)["mean"], "sd": spread(sums)["sd"]}

        both.append(_estimates(spread_features(reported.scores), shifted, twice, tallied))
    return both[0], both[1]


def precision(twice: TwiceReported, tallied: TalliedScores) -> dict[str, Estimate]:
    """Return alpha with either score of the item, its change, and the standard errors of measurement."""
    if not twice.items.shape[1]:
        return {}
    slope = twice.reporting.slope
    features = reliability_features(twice.items, twice.human, twice.other)
    found = _estimates(features, lambda sums: reliability(sums, slope), twice, tallied)
    errors = {"sem_reference": twice.by_human.errors, "sem_other": twice.by_other.errors}
    for key, conditional in errors.items():
        if conditional is not None:
            added = {"n": np.ones(twice.n), "error": conditional}
            found |= _estimates(added, lambda sums, key=key: {key: sums["error"] / sums["n"]}, twice, tallied)  # type: ignore[misc]
    return found


def _estimates(
    features: RowFeatures,
    statistics: RowStatistics,
    twice: TwiceReported,
    tallied: TalliedScores,
    among: Mask | None = None,
) -> dict[str, Estimate]:
    """Return every statistic of sums over test takers, or over candidates where these are the units."""
    candidates = twice.candidates
    if candidates is not None and among is not None:
        candidates = candidates[among]
    n = len(features["n"])
    numbers = rowwise(features, statistics, candidates)
    return {key: _estimate(key, own, n, tallied, twice) for key, own in numbers.items()}


def _estimate(key: str, numbers: RowNumbers, n: int, tallied: TalliedScores, twice: TwiceReported) -> Estimate:
    """Return one statistic as an estimate."""
    kind, transform = KINDS[key]
    if key in OF_CALIBRATIONS and not twice.reporting.summed and np.isfinite(numbers.value[0]):
        known = float(numbers.value[0])
        return Estimate(f"impact.{key}", known, n, level=tallied.level, kind=kind, interval_reason=UNKNOWN_ITEMS)
    value, error, units = numbers.value, numbers.error, np.array([float(numbers.units)])
    trials = independent_trials(value, error, np.array([float(n)]), units) if transform == "wilson" else None
    low, high = limits(value, error, units - 1, transform, tallied.level, trials)
    method = METHOD_WILSON if trials is not None else METHOD if twice.candidates is None else METHOD_CLUSTERED
    if not twice.reporting.summed:
        method += KNOWN_ITEMS
    reason = {"interval_reason": NO_MOVE} if key == "rmsd" and value[0] == 0 else {}
    return estimate_of(f"impact.{key}", value[0], n, low[0], high[0], error[0], tallied.level, method, kind, **reason)
