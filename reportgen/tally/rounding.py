"""The points that scores are rounded to: those of the scale, so that agreement means the same on any scale."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.tally.cells import Floats

NEAR = 1e-4
"""A score nearer than this share of a step to a point is that point, written otherwise; single precision needs it."""

TIE = 1e-9
"""A score nearer than this share of a step to the middle of two points lies there."""

DIGITS = 12
"""Decimal places of a point: enough for any scale, and few enough to take away what multiplication adds."""


def as_written(points: NDArray[np.floating]) -> Floats:
    """Return points as they are written: 0.3 for 3 times 0.1."""
    return np.round(points, DIGITS)


@dataclass(frozen=True)
class Rounding:
    """Points ``start + k step`` to which scores are rounded, half to even.

    Parameters
    ----------
    start, step
        A point, and the distance to the next.
    both
        Whether human scores are rounded as engine scores are where points must match; RSMTool takes them as they are.
    points
        Whether scores are points of a scale at all; on a continuous one they agree on none.
    """

    start: float = 0.0
    step: float = 1.0
    both: bool = False
    points: bool = True

    @property
    def whole(self) -> bool:
        """Whether the points are the whole numbers."""
        return self.step == 1 and float(self.start).is_integer()

    @property
    def near(self) -> float:
        """How far equal scores lie apart at most."""
        return 0.0 if self.whole else self.step * NEAR

    @property
    def adjacent(self) -> float:
        """How far adjacent scores lie apart at most."""
        return self.step + self.near

    def steps(self, scores: Floats) -> Floats:
        """Return how many steps above `start` scores are; whole and half numbers but for rounding are made so."""
        steps = (scores - self.start) / self.step
        halves = np.rint(2 * steps) / 2
        with np.errstate(invalid="ignore"):
            return np.where(np.abs(steps - halves) < TIE, halves, steps)

    def nearest(self, scores: Floats) -> Floats:
        """Return the point next to every score.

        Examples
        --------
        >>> Rounding(1.0, 0.5).nearest(np.array([2.2, 2.3, -np.inf])).tolist()
        [2.0, 2.5, -inf]
        """
        if self.whole:
            return np.rint(scores)
        return as_written(self.start + self.step * np.rint(self.steps(scores)))

    def ratings(self, human: Floats) -> Floats:
        """Return ratings, those that are points but for their last digits made points."""
        if self.whole:
            return human
        nearest = self.nearest(human)
        with np.errstate(invalid="ignore"):
            return np.where(np.abs(human - nearest) <= self.near, nearest, human)

    def between(self, scores: Floats) -> NDArray[np.bool_]:
        """Return which scores are no points, even but for their last digits."""
        return np.asarray(np.abs(scores - self.nearest(scores)) > self.near)

    def matched(self, human: Floats) -> Floats:
        """Return ratings as they are compared where points must match."""
        return self.nearest(human) if self.both else human


WHOLE = Rounding()
"""Whole numbers, for engine scores alone."""


class TrimBounds(tuple[float, float]):
    """Lowest and highest score after trimming, tolerance included, and what trimmed scores are rounded to."""

    rounding: Rounding

    @classmethod
    def of(cls, low: float, high: float, rounding: Rounding) -> TrimBounds:
        """Return bounds that know the points between them."""
        made = cls((low, high))
        made.rounding = rounding
        return made


def rounding_of(bounds: tuple[float, float]) -> Rounding:
    """Return what scores between bounds are rounded to: whole numbers where bounds do not say."""
    return getattr(bounds, "rounding", WHOLE)
