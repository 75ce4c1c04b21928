"""One's own file of scores, as whole points of its scale."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from reportgen.errors import InputError
from reportgen.results import Scale, Source
from reportgen.scores import read
from reportgen.settings import from_keywords
from reportgen.studies.agreement_robustness.coefficients import Floats, table_of
from reportgen.studies.agreement_robustness.stresses import Integers

MOST_POINTS = 101
FEWEST_POINTS = 3


@dataclass(frozen=True)
class Own:
    """Human and system scores, counted in steps of the scale from 0.

    Parameters
    ----------
    gold, system
        (n,): points of the scale.
    points
        Number of points.
    """

    source: Source
    scale: Scale
    gold: Integers
    system: Integers
    points: int

    @property
    def error(self) -> float:
        """Mean absolute error in points."""
        return float(np.abs(self.gold - self.system).mean())

    def table(self) -> Floats:
        """Return how often each pair of scores occurs, system in rows."""
        return table_of(self.gold, self.system, self.points)


def own_scores(file: Path, human: str | None, system: str | None, scale: str | None) -> Own:
    """Return the scores of a file: the first human score and the system's, rounded and cut to the scale.

    Raises
    ------
    InputError
        When the file cannot be read, or its scale has too few or too many points.
    """
    given: dict[str, Any] = {"human": human, "system": system, "scale": scale, "groups": []}
    scores = read(file, from_keywords(**{key: value for key, value in given.items() if value is not None}))
    points = scores.scale.points()
    if not FEWEST_POINTS <= len(points) <= MOST_POINTS:
        found = len(points) or "a continuous one"
        raise InputError(
            f"{file}: expected a scale of {FEWEST_POINTS} to {MOST_POINTS} points, found {found}; declare one with "
            "--score-scale, as in 1:6."
        )
    low, step = scores.scale.low, scores.scale.step
    gold, system_points = (
        np.clip(np.rint((values - low) / step), 0, len(points) - 1).astype(np.int64)
        for values in (scores.human[:, 0], scores.system)
    )
    return Own(scores.source, scores.scale, gold, system_points, len(points))
