"""How often an engine that gave every true score would use each point: what rater noise alone takes from the ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.evaluation.rescaled import shares_of_points
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.tally.cells import Floats

ROUNDING = 1 / 12
"""Variance in steps of what rounding to a point takes away."""


@dataclass(frozen=True)
class PerfectUse:
    """Percentages of responses at each point, (points,) each, by an engine that gives the rounded true score.

    Parameters
    ----------
    share
        At the estimated variance of true scores.
    low, high
        The least and the greatest over the interval of that variance; nan where it has none.
    """

    share: Floats
    low: Floats
    high: Floats


def perfect_use(tallied: TalliedScores, human: Floats) -> PerfectUse | None:
    """Return how often true scores, rounded, are each point; None where their variance is not known.

    True scores are taken to be distributed as the first human scores are, drawn together around the mean to their own
    variance; a score stands for all values that round to it, evenly.

    Parameters
    ----------
    human
        (points,): responses that the first rater gave each point of the scale.
    """
    if tallied.points.continuous or (len(tallied.raters) < 2 and tallied.rater_error_variance is None):
        return None
    found = tallied.estimates(tallied.primary).estimate("true_score.true_variance")
    if found.value is None:
        return None
    square, n = tallied.points.step**2, human.sum()
    values = [found.value, *(end for end in (found.low, found.high) if end is not None)]
    shares = np.array([100 * drawn_together(human / n, max(each, 0.0) / square) for each in values])
    known = len(values) == 3
    low, high = (shares.min(axis=0), shares.max(axis=0)) if known else np.full((2, len(human)), np.nan)
    return PerfectUse(shares[0], low, high)


def drawn_together(shares: Floats, variance: float) -> Floats:
    """Return the shares of points 0, 1, ... when scores keep their shape and mean, and have this variance.

    Shares stay as they are at their own variance.  Ends come out within some 2 percentage points of those of known
    true scores, more often too low than too high, so that an engine is blamed too seldom rather than too often.

    Parameters
    ----------
    shares
        (points,): that sum to 1.
    variance
        Of the scores before they are rounded, in squared steps, 0 or more.

    Examples
    --------
    >>> drawn_together(np.array([0.1, 0.2, 0.4, 0.2, 0.1]), 0.5).round(3).tolist()
    [0.028, 0.224, 0.497, 0.224, 0.028]
    """
    at = np.arange(len(shares), dtype=np.float64)
    mean = float(shares @ at)
    spread = float(shares @ (at - mean) ** 2)
    factor = np.sqrt((variance + ROUNDING) / (spread + ROUNDING))
    half = np.full(len(shares), 0.5 * factor)
    return np.asarray(shares @ shares_of_points(mean + factor * (at - mean), half, len(shares)))
