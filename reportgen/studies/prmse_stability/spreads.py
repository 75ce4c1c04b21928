"""How far PRMSE spreads over pairs of raters, with all responses and with the double-scored ones alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reportgen.studies.prmse_stability.measures import Measures
from reportgen.studies.prmse_stability.simulation import Floats

NORMAL = 1.959963984540054
"""Half-width of a 95 % interval in standard errors."""

NEARLY = 1.25
"""Ranges whose ratio is below this, and above its inverse, are nearly the same."""

EVERYONE, ALONE = 0, 1
"""Places of PRMSE over all responses, and over the double-scored ones alone."""


def spread(values: Sequence[Floats]) -> tuple[float, float, float, float]:
    """Return mean, smallest, largest and SD over pairs, each averaged over data sets."""
    summaries = (np.mean, np.min, np.max, lambda each: np.std(each, ddof=1))
    mean, low, high, sd = (float(np.mean([float(summary(each)) for each in values])) for summary in summaries)
    return mean, low, high, sd


def alone_times(run: Measures, name: str) -> float:
    """Return how many times as far PRMSE spreads where responses scored once are left out, over all numbers tried."""
    counts = sorted({count for count, _ in run.double})[:-1]
    ranges = [[float(np.ptp(each)) for each in run.double[count, name]] for count in counts]
    everyone, alone = np.sum(ranges, axis=0)
    return float(alone / everyone)


def needed(counts: Sequence[int], runs: Sequence[Measures], name: str, half_width: float, which: int) -> float | None:
    """Return the double scores for a half-width: between the counts tried the SD falls as 1 / sqrt(n2).

    None when the largest number tried does not reach it.

    Parameters
    ----------
    which
        `EVERYONE` or `ALONE`.
    """
    tried = [(count, NORMAL * spread([each.double[count, name][which] for each in runs])[3]) for count in counts]
    for place, (count, width) in enumerate(tried):
        if width <= half_width:
            by_this = count * (width / half_width) ** 2
            if place == 0:
                return by_this
            before, wider = tried[place - 1]
            by_before = before * (wider / half_width) ** 2
            return float(np.clip(np.sqrt(by_this * by_before), before, count))
    return None
