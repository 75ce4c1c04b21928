"""Intervals made of the intervals of parts, where a standard error says too little: shares, SDs of two points, ratios.

Recovering variances from the limits of the parts keeps what each part's own interval knows of the ends of its range
(Zou and Donner 2008; Zou 2007 for correlations).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.estimating import independent_trials
from reportgen.evaluation.special_intervals import Ends, Estimated
from reportgen.tally import FEW_UNITS, Form, Moments, Sums, Tally, limits, quantiles, score_interval
from reportgen.tally.cells import Floats
from reportgen.tally.forms import formed_scores

METHOD_OF_PARTS = "recovered from the intervals of its parts"
METHOD_TWO_POINTS = "from the Wilson score interval of the share at the higher score"
MAY_BE_UNRELATED = "a correlation that it is made of cannot be told from 0"
FEW_CANDIDATES = "fewer than 50 candidates tell too little of how widely true scores vary"
NEARLY_ALL_THE_SAME = "nearly all engine scores repeat the human score, and too few differ from it"


@dataclass(frozen=True)
class Part:
    """A part of a difference, with its interval and standard error on the scale of the difference."""

    value: Floats
    low: Floats
    high: Floats
    error: Floats


TELLING_CANDIDATES = 50
"""Candidates from which on the interval of the true-score variance covers what it says (92 of 95 with 40)."""

RARE = 30
"""Responses on the rarer side of a percentage from which on differences of percentages are symmetric."""

COPIED, FEW_DIFFERENT = 0.9, 30
"""Share of engine scores equal to the human score from which on the others count, and how many of these are few."""


def degradation_of_shares(
    numbers: Mapping[str, Estimated], slices: Moments, level: float
) -> Iterator[tuple[str, Ends]]:
    """Return the intervals of differences of two percentages, one of which is near its end.

    Made of Wilson's intervals and the correlation of the two (Zou and Donner 2008).
    """
    sums, units = slices.named(), slices.units
    for metric in ("exact_agreement", "adjacent_agreement"):
        keys = tuple(f"{family}.{metric}" for family in ("system", "human", "degradation"))
        if not all(key in numbers for key in keys):
            continue
        one, other, apart = (numbers[key] for key in keys)
        parts = _share(one, sums.system.n, units.system, level), _share(other, sums.human.n, units.human, level)
        rarer = [
            np.minimum(each.value, 100 - each.value) * n / 100
            for each, n in ((one, sums.system.n), (other, sums.human.n))
        ]
        low, high = difference(*parts, apart)
        yield f"degradation.{metric}", Ends((np.minimum(*rarer) < RARE) & (apart.error > 0), low, high, METHOD_OF_PARTS)


def _share(numbers: Estimated, n: Floats, units: Floats, level: float) -> Part:
    """Return a percentage with Wilson's interval: without its correction for rare events, which differences overdo."""
    with np.errstate(all="ignore"):
        trials = independent_trials(numbers.value, numbers.error, n, units)
        low, high = score_interval(numbers.value / 100, trials, quantiles(units - 1, level))
    return Part(numbers.value, 100 * low, 100 * high, numbers.error)


def difference(one: Estimated, other: Estimated, apart: Estimated) -> tuple[Floats, Floats]:
    """Return the ends of a difference from those of its parts and the standard errors of all three."""
    with np.errstate(all="ignore"):
        together = (one.error**2 + other.error**2 - apart.error**2) / (2 * one.error * other.error)
        alike = np.where(one.error * other.error > 0, np.clip(together, -1, 1), 0.0)
        value = one.value - other.value
        below, above = one.value - one.low, one.high - one.value
        other_below, other_above = other.value - other.low, other.high - other.value
        down = np.sqrt(np.maximum(below**2 + other_above**2 - 2 * alike * below * other_above, 0.0))
        up = np.sqrt(np.maximum(above**2 + other_below**2 - 2 * alike * above * other_below, 0.0))
        return value - down, value + up


def degradation_of_few(numbers: Mapping[str, Estimated], units: Floats) -> Iterator[tuple[str, Ends]]:
    """Return the intervals of differences of two correlations or QWKs, one of which rests on few double scores.

    Each of the two is skew near 1, and has its interval on the Fisher scale (Zou 2007).
    """
    for metric in ("qwk", "r"):
        keys = tuple(f"{family}.{metric}" for family in ("system", "human", "degradation"))
        if all(key in numbers for key in keys):
            one, other, apart = (numbers[key] for key in keys)
            low, high = difference(one, other, apart)
            yield keys[-1], Ends((units < FEW_UNITS) & (apart.error > 0), low, high, METHOD_OF_PARTS)


def disattenuated_of_few(numbers: Mapping[str, Estimated], units: Floats) -> Iterator[tuple[str, Ends]]:
    """Return the interval of the disattenuated correlation of few double-scored responses, from those of its parts.

    Its logarithm is a difference, log r - log(r of raters) / 2.  It has no interval where one of the two may be 0.
    """
    key = "disattenuated.r"
    if not all(each in numbers for each in (key, "system.r", "human.r")):
        return
    system, human, own = numbers["system.r"], numbers["human.r"], numbers[key]
    with np.errstate(all="ignore"):
        low, high = (np.exp(end) for end in difference(_logarithm(system), _logarithm(human, 2), _logarithm(own)))
    yield key, Ends(np.isfinite(own.value) & (units < FEW_UNITS), low, high, METHOD_OF_PARTS, MAY_BE_UNRELATED)


def _logarithm(numbers: Estimated, root: int = 1) -> Part:
    """Return the logarithm of a root of a statistic."""
    value, low, high = (np.log(each) / root for each in (numbers.value, numbers.low, numbers.high))
    return Part(value, low, high, numbers.error / numbers.value / root)


def sd_of_two_points(
    tally: Tally, form: Form, numbers: Mapping[str, Estimated], slices: Moments, level: float
) -> Iterator[tuple[str, Ends]]:
    """Return the intervals of SDs of scores that have two values: those of the share at the higher one, carried over.

    The SD is (high - low) root(p (1 - p)), largest at a half, where it stops changing: no standard error knows that.
    """
    scores, sums = formed_scores(tally, form), slices.named()
    pairs = {
        "h": np.unique(tally.cells.ratings[:, 0]),
        "system": np.zeros(0) if scores.beta.any() else np.unique(scores.alpha),
    }
    n, units = sums.system.n, slices.units.system
    for whose, points in pairs.items():
        mean, spread = (numbers.get(f"system.{whose}_{metric}") for metric in ("mean", "sd"))
        if len(points) != 2 or mean is None or spread is None:
            continue
        step = float(points[1] - points[0])
        with np.errstate(all="ignore"):
            share = 100 * (mean.value - points[0]) / step
            trials = independent_trials(share, 100 * mean.error / step, n, units)
            ends = limits(share, share, units - 1, "wilson", level, trials)
            of_ends = [step * np.sqrt(end / 100 * (1 - end / 100) * n / (n - 1)) for end in ends]
            middle = (ends[0] < 50) & (ends[1] > 50)
            most = np.where(middle, step / 2 * np.sqrt(n / (n - 1)), np.maximum(*of_ends))
        yield f"system.{whose}_sd", Ends(spread.value > 0, np.minimum(*of_ends), most, METHOD_TWO_POINTS)


def of_copies(numbers: Mapping[str, Estimated], sums: Sums) -> Iterator[tuple[str, Ends]]:
    """Return that PRMSE has no interval where nearly all engine scores repeat the human one: a few errors carry it."""
    key, same, n = "true_score.prmse", sums.system.exact, sums.system.n
    if key in numbers:
        none = np.full_like(n, np.nan)
        yield key, Ends(copies(same, n) & (same < n), none, none, "", NEARLY_ALL_THE_SAME)


def of_few_candidates(numbers: Mapping[str, Estimated], candidates: Floats) -> Iterator[tuple[str, Ends]]:
    """Return that the true-score variance has no interval where few candidates were drawn from a wide population."""
    key = "true_score.true_variance"
    if key in numbers:
        none = np.full_like(candidates, np.nan)
        yield key, Ends(candidates < TELLING_CANDIDATES, none, none, "", FEW_CANDIDATES)


def copies(same: Floats, n: Floats) -> NDArray[np.bool_]:
    """Return where nearly all scores are the `same` as the human one, and few differ.

    Examples
    --------
    >>> copies(np.array([194.0, 9700.0, 100.0]), np.array([200.0, 10_000.0, 200.0])).tolist()
    [True, False, False]
    """
    return (same >= COPIED * n) & (n - same < FEW_DIFFERENT)
