"""Groups judged together: one of many lies beyond a limit only where chance among all of them does not explain it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from reportgen.metrics.multiplicity import holm, simultaneous_end, tail_probability
from reportgen.results import Check, Estimate

More = Callable[[Check, Estimate], Check]
"""Returns an open check with what would settle it, by an estimate whose interval is wider than its own."""

MIRRORED = ".dsm"
"""How the keys of statistics end that measure a group from all responses: of two groups both say the same."""


def together(checks: Sequence[Check], more: More) -> list[Check]:
    """Return the checks of one criterion on groups, of all columns, judged together by Holm's method.

    What is met stays met: every group must show that for itself. A group is not met where the one-sided p that it
    lies beyond its bound, adjusted for all groups, is below half of what intervals leave out (.025 of 95 %). One whose
    own interval lies beyond, but not so adjusted, is not yet known.

    Parameters
    ----------
    checks
        As each group is judged alone.
    more
        Says what would settle a check that is open.
    """
    judged = [place for place, check in enumerate(checks) if _judged(check)]
    if len(judged) < 2:
        return list(checks)
    p = np.array([_beyond(checks[place]) for place in judged])
    units = _units(checks)
    adjusted = holm(p, units=[units[place] for place in judged])
    found = list(checks)
    for place, alone, among in zip(judged, p, adjusted, strict=True):
        found[place] = _judged_among(checks[place], len(judged), float(among) if alone < 1 else None, more)
    return found


def _judged(check: Check) -> bool:
    """Return whether a check has an interval that its outcome rests on."""
    return check.outcome != "insufficient" and check.estimate.low is not None and check.estimate.high is not None


def _units(checks: Sequence[Check]) -> list[int]:
    """Return a number for each group; both groups of a column of two share one where their differences mirror."""
    columns = [check.column for check in checks]
    size = Counter(columns)
    return [
        columns.index(check.column) if size[check.column] == 2 and check.statistic.endswith(MIRRORED) else place
        for place, check in enumerate(checks)
    ]


def _beyond(check: Check) -> float:
    """Return the one-sided p that a group lies beyond its bound; 1 where its estimate lies inside."""
    estimate = check.estimate
    error = np.nan if estimate.standard_error is None else estimate.standard_error
    sides = [(check.low, estimate.high)] if check.low is not None and _below(check) else []
    sides += [(check.high, estimate.low)] if check.high is not None and _above(check) else []
    if not sides:
        return 1.0
    ((bound, end),) = sides
    p = float(tail_probability(estimate.value or 0.0, float(end or 0.0), bound, error, estimate.level))
    return 1.0 if np.isnan(p) else p


def _below(check: Check) -> bool:
    return check.low is not None and (check.estimate.value or 0.0) < check.low


def _above(check: Check) -> bool:
    return check.high is not None and (check.estimate.value or 0.0) > check.high


def _judged_among(check: Check, among: int, p: float | None, more: More) -> Check:
    """Return a check with its adjusted p, and the outcome that follows from it."""
    check = replace(check, among=among, adjusted_p=p)
    if p is None or (check.outcome == "not met" and p < (1 - check.estimate.level) / 2):
        return check
    return more(replace(check, outcome="not yet known"), _wider(check.estimate, among))


def _wider(estimate: Estimate, among: int) -> Estimate:
    """Return an estimate with the interval that holds together with those of all other groups."""
    error = np.nan if estimate.standard_error is None else estimate.standard_error
    low, high = (
        float(simultaneous_end(estimate.value or 0.0, float(end or 0.0), error, among, estimate.level))
        for end in (estimate.low, estimate.high)
    )
    return replace(estimate, low=low, high=high)
