"""Notes on agreement where the step of the scale is not 1, or RSMTool's rounding is not the scale's."""

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
    """Return as a note how far apart points are, and how scores are rounded where RSMTool's points are not those."""
    scale = tallied.scale
    if in_whole_points(scale) or (tallied.preparation.rounding.both and scale.step in (0, 1)):
        return ()
    if tallied.preparation.rounding.both:
        return (Term("points_apart", step=scale.step, whole=False),)
    return (Term(f"rounding.{who}", step=scale.step or 0),)
