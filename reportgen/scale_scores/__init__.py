"""Convert item scores to reported scores: scale scores, their precision, and performance levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen import item_response
from reportgen.item_response import Calibration, Item
from reportgen.metrics import cronbach_alpha

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

FEWEST_CALIBRATED = 100  # fewest test takers for item calibration

MOST_CALIBRATED_SCORE = 20  # highest score, counted from 0, of a calibrated item

CSEM_REACH = (-6.0, 8.0)
"""Range of abilities over which the conditional standard error is averaged; beyond it, summed scores carry no
information."""


@dataclass(frozen=True)
class Reporting:
    """How scale scores are reported.

    slope, intercept: ``scale score = slope * ability + intercept``; without item response theory, they apply to the
        summed score.
    low, high: Lowest and highest scale score.
    cuts: Lowest scale score of every performance level but the first.
    base_mean, base_sd: Ability of the population on the base scale that all calibrations are linked to.
    summed: Report the summed score itself, by slope and intercept.
    """

    slope: float
    intercept: float
    low: float
    high: float
    cuts: tuple[float, ...]
    base_mean: float = 0.0
    base_sd: float = 1.0
    summed: bool = False


@dataclass(frozen=True)
class Reported:
    """The scores of one form under one condition.

    scores (n,): scale scores.
    levels (n,): performance levels, from 0.
    alpha, standard_error: Cronbach's alpha; mean conditional standard error of measurement, in scale scores.
    calibration, slope, intercept: Calibration of the items, and the line that links them; None and nan without item
        response theory.
    problem: Why there are no scores, or an empty string.
    errors (n,): conditional standard error of each scale score; None without item response theory.
    """

    scores: Floats
    levels: Integers
    alpha: float
    standard_error: float
    calibration: Calibration | None = None
    slope: float = np.nan
    intercept: float = np.nan
    problem: str = ""
    errors: Floats | None = None

    @classmethod
    def none(cls, n: int, problem: str) -> Reported:
        """Return a result without scores, with the reason."""
        return cls(np.full(n, np.nan), np.full(n, -1), np.nan, np.nan, problem=problem)


def report_scores(
    scores: Integers | Floats,
    most: Sequence[int],
    reporting: Reporting,
    base: Sequence[Item] | None = None,
    start: Sequence[Item] | None = None,
) -> Reported:
    """Compute scale scores of one form; the studied item is in the last column.

    scores (n, items): item scores, whole numbers if items are calibrated.
    most (items,): highest score of each item; used if items are calibrated.
    base: Items on the base scale; None makes this calibration the base.
    start: Start values of the calibration.
    """
    total = scores.sum(axis=1)
    alpha = cronbach_alpha(scores).value
    if reporting.summed:
        scaled = np.clip(reporting.slope * total + reporting.intercept, reporting.low, reporting.high)
        error = abs(reporting.slope) * total.std(ddof=1) * np.sqrt(max(1 - alpha, 0.0))
        return Reported(scaled, _levels(scaled, reporting), alpha, float(error))
    try:
        found = item_response.calibrate(scores, most, start)
    except ValueError as problem:
        return Reported.none(len(scores), str(problem))
    linked, slope, intercept = _linked(found, reporting, base)
    lowest, highest = ((end - reporting.intercept) / reporting.slope for end in (reporting.low, reporting.high))
    ability = item_response.characteristic_curve_abilities(linked, total, lowest, highest)
    errors = reporting.slope * item_response.conditional_standard_error(linked, np.clip(ability, *CSEM_REACH))
    scaled = reporting.slope * ability + reporting.intercept
    levels = _levels(scaled, reporting)
    return Reported(scaled, levels, alpha, float(errors.mean()), found, slope, intercept, errors=errors)


def base_items(calibration: Calibration, reporting: Reporting) -> list[Item]:
    """Return the items of a calibration on the base scale."""
    return [item.on_scale(reporting.base_sd, reporting.base_mean) for item in calibration.items]


def _linked(found: Calibration, reporting: Reporting, base: Sequence[Item] | None) -> tuple[list[Item], float, float]:
    """Link the items to the base scale by all but the studied item; return them and the line."""
    if base is None:
        return base_items(found, reporting), reporting.base_sd, reporting.base_mean
    line = item_response.stocking_lord(found.items[:-1], base[:-1])
    return [item.on_scale(*line) for item in found.items], *line


def _levels(scaled: Floats, reporting: Reporting) -> Integers:
    return np.digitize(scaled, reporting.cuts).astype(np.int64)
