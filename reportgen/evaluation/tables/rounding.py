"""What is said of agreement on scales whose points are no whole numbers: RSMTool's rounding is not the scale's."""

from __future__ import annotations

from typing import Literal

from reportgen.evaluation.points import in_whole_points
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.results.term import Term

Who = Literal["engine", "raters", "both"]
"""Whose agreement a table holds: of the engine and a rater, of two raters, of the engine minus that of raters."""

ENGINE: Who = "engine"
RATERS: Who = "raters"
UNLIKE: Who = "both"


def told_of_rounding(tallied: TalliedScores, who: Who) -> tuple[str, ...]:
    """Return how scores are rounded as a note, where it is done as RSMTool does and not to points of the scale."""
    scale = tallied.scale
    if in_whole_points(scale) or tallied.preparation.rounding.both:
        return ()
    return (Term(f"rounding.{who}", step=scale.step or 0),)
