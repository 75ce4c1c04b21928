"""How system scores are prepared before they are judged."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.results import Scale
from reportgen.tally.cells import Floats
from reportgen.tally.rounding import NEAR, WHOLE, Rounding, TrimBounds

GIVEN, RESCALED = "raw", "scale"
"""Families of score types, named as in RSMTool's tables: the score as given, and put on the human scale."""


def rounding_on(scale: Scale, *, as_rsmtool: bool) -> Rounding:
    """Return the points that scores are rounded to where they must match: those of the scale.

    A continuous scale has none; its scores are rounded to whole numbers where a table needs points.  RSMTool rounds
    engine scores to whole numbers on any scale.
    """
    if as_rsmtool:
        return WHOLE
    if not scale.step:
        return Rounding(both=True, points=False)
    steps = scale.low / scale.step
    start = 0.0 if abs(steps - round(steps)) < NEAR else scale.low  # halfway, the even multiple of the step is nearest
    return Rounding(start, scale.step, both=True)


@dataclass(frozen=True)
class Preparation:
    """How system scores are prepared before they are judged.

    Parameters
    ----------
    trim
        Lowest and highest score on the scale.
    tolerance
        How far beyond them a score may lie before it is trimmed.
    training
        (mean, SD of the system's training predictions, mean, SD of their human scores), or None.
    rounding
        The points that scores are rounded to where they must match.
    as_is
        The given scores are on the human scale already: call them "scale", not "raw".
    """

    trim: tuple[float, float]
    tolerance: float
    training: tuple[float, float, float, float] | None = None
    as_is: bool = False
    rounding: Rounding = WHOLE

    @property
    def bounds(self) -> TrimBounds:
        """Lowest and highest score after trimming, which know the points between them."""
        return TrimBounds.of(self.trim[0] - self.tolerance, self.trim[1] + self.tolerance, self.rounding)

    def families(self, system: Floats) -> dict[str, Floats]:
        """Return the system scores of every family."""
        if self.training is None:
            return {RESCALED if self.as_is else GIVEN: system}
        mean, sd, human_mean, human_sd = self.training
        return {GIVEN: system, RESCALED: (system - mean) / sd * human_sd + human_mean}
