"""Many groups looked at together: whether any differs, which ones, and what is left of the one that differs most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from reportgen.metrics.multiplicity import benjamini_hochberg, holm, simultaneous_end, tail_probability
from reportgen.metrics.shrinkage import shrunken_differences
from reportgen.results import Estimate
from reportgen.scores.intersections import parts_of
from reportgen.tally.cells import Floats

SIGNIFICANCE = 0.05
"""An adjusted p below this is a difference that chance among all groups does not explain."""

FEWEST_SHRUNKEN = 4
"""Groups of a column from which on it is known how they spread."""


class Judged(NamedTuple):
    """A group that is large enough, and its difference from all responses, or from all others."""

    column: str
    level: str
    estimate: Estimate


def looked_at_together(groups: Sequence[Judged], levels: Mapping[str, int]) -> dict[str, Any]:
    """Return what is true of all groups together, as plain numbers; nothing where fewer than two can be compared.

    Parameters
    ----------
    groups
        Groups with an interval.
    levels
        Column -> how many levels it has, withheld ones included: both groups of a column of two say the same.

    Returns
    -------
    dict
        `n` independent comparisons, `by_chance` of them expected to differ from 0 alone, `apart` that do, the
        smallest p adjusted by Holm, the groups `listed` after Benjamini and Hochberg, and the `largest` with its
        interval that holds for all of them together and, where it is known, shrunken.
    """
    known = [each for each in groups if each.estimate.low is not None and each.estimate.high is not None]
    units = _units(known, levels)
    n = len(set(units))
    if n < 2:
        return {}
    p = np.array([two_sided(each.estimate) for each in known])
    adjusted = holm(p, units=units)
    apart = {unit for unit, each in zip(units, p, strict=True) if each < SIGNIFICANCE}
    largest = max(known, key=lambda each: round(abs(each.estimate.value or 0.0), 9))
    return {
        "n": n,
        "by_chance": SIGNIFICANCE * n,
        "apart": len(apart),
        "p": float(np.nanmin(adjusted)),
        "listed": listed(known),
        "largest": {"column": largest.column, "level": largest.level} | _told(among(largest.estimate, n))
        | _shrunken(known, largest),
    }  # fmt: skip


def listed(groups: Sequence[Judged]) -> tuple[tuple[str, str], ...]:
    """Return column and level of the groups that differ from 0, so that of those listed 5 % at most do so by chance."""
    found = benjamini_hochberg([two_sided(each.estimate) for each in groups])
    return tuple((each.column, each.level) for each, p in zip(groups, found, strict=True) if p < SIGNIFICANCE)


def independent(groups: Sequence[Judged], levels: Mapping[str, int]) -> int:
    """Return how many comparisons groups make, those of a column of two counted once."""
    return max(1, len(set(_units(groups, levels))))


def _units(groups: Sequence[Judged], levels: Mapping[str, int]) -> list[int]:
    """Return a number for each group; both groups of a column of two share one."""
    columns = [each.column for each in groups]
    return [columns.index(column) if levels.get(column) == 2 else place for place, column in enumerate(columns)]


def beyond_together(estimates: Sequence[Estimate], limit: float) -> list[bool]:
    """Return which groups lie more than `limit` from 0, so that of those named 5 % at most are named by chance.

    The one-sided p of each, adjusted by Benjamini and Hochberg's method, is held against half of what intervals leave
    out; a group among no others is beyond where its own interval is.
    """
    p = np.array([_beyond(each, limit) for each in estimates])
    found = benjamini_hochberg(p)
    return [bool(each < (1 - own.level) / 2) for each, own in zip(found, estimates, strict=True)]


def _beyond(estimate: Estimate, limit: float) -> float:
    """Return the one-sided p that a group lies more than `limit` from 0; nan where there is no interval."""
    value = estimate.value or 0.0
    end = estimate.low if value > 0 else estimate.high
    error = np.nan if estimate.standard_error is None else estimate.standard_error
    ends = np.nan if end is None else end
    return float(tail_probability(value, ends, limit if value > 0 else -limit, error, estimate.level))


def two_sided(estimate: Estimate) -> float:
    """Return the p of the test that a difference is 0."""
    p = _beyond(estimate, 0.0)
    return 1.0 if np.isnan(p) else min(1.0, 2 * p)


def among(estimate: Estimate, n: int) -> Estimate:
    """Return an estimate with the interval that holds together with those of n comparisons."""
    if estimate.low is None or estimate.high is None or estimate.value is None:
        return estimate
    error = np.nan if estimate.standard_error is None else estimate.standard_error
    low, high = (
        float(simultaneous_end(estimate.value, end, error, n, estimate.level)) for end in (estimate.low, estimate.high)
    )
    return replace(estimate, low=low, high=high)


def _told(estimate: Estimate) -> dict[str, Any]:
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high, "responses": estimate.n}


def _shrunken(groups: Sequence[Judged], largest: Judged) -> dict[str, Any]:
    """Return what is left of the largest difference, drawn toward 0 the more, the less groups of its column spread."""
    own = [each for each in groups if each.column == largest.column]
    found = shrunken([each.estimate for each in own])
    place = own.index(largest)
    return {} if found[place] is None else {"shrunken": found[place].value}  # type: ignore[union-attr]


def shrunken(estimates: Sequence[Estimate], design: Floats | None = None) -> list[Estimate | None]:
    """Return differences of groups drawn toward 0, or toward what a design fits; None where that is not known.

    Parameters
    ----------
    estimates
        Of all groups of a column; those without a standard error are left as unknown.
    design
        (groups, columns), as for `reportgen.metrics.shrunken_differences`.
    """
    from scipy.special import ndtri

    used = [place for place, each in enumerate(estimates) if each.value is not None and (each.standard_error or 0) > 0]
    found: list[Estimate | None] = [None] * len(estimates)
    if len(used) < FEWEST_SHRUNKEN:
        return found
    value, error = ([getattr(estimates[place], name) for place in used] for name in ("value", "standard_error"))
    drawn = shrunken_differences(value, error, design=None if design is None else design[used])
    for place, centre, spread in zip(used, drawn.value.tolist(), drawn.error.tolist(), strict=True):
        if np.isfinite(centre):
            half = float(ndtri((1 + estimates[place].level) / 2)) * spread
            found[place] = replace(
                estimates[place], value=centre, low=centre - half, high=centre + half, standard_error=spread,
                method="empirical Bayes (Morris 1983)",
            )  # fmt: skip
    return found


def design_of(column: str, levels: Sequence[str], groupings: Sequence[str]) -> Floats | None:
    """Return which parts every level of an intersection has, as indicators; None where the column is no intersection.

    Examples
    --------
    >>> design_of("sex × place", ["f × farm", "m × farm", "m × town"], ["sex", "place", "sex × place"]).tolist()
    [[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]]
    >>> design_of("sex", ["f", "m"], ["sex"]) is None
    True
    """
    names = parts_of(column)
    parts = [parts_of(level) for level in levels]
    if len(names) < 2 or not set(names) <= set(groupings) or any(len(each) != len(names) for each in parts):
        return None
    indicators = []
    for place in range(len(names)):
        own = [each[place] for each in parts]
        indicators += [[float(each == level) for each in own] for level in dict.fromkeys(own)]
    return np.array(indicators).T
