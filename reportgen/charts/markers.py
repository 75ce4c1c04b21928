"""Shapes of points: what is flagged or rests on few responses is told by shape, never by colour alone."""

from __future__ import annotations

from typing import Literal

from reportgen.results.chart import Dots, Ink

Shape = Literal["circle", "square", "diamond", "triangle", "cross", "left", "right", "up", "down"]

PATHS: dict[Shape, str] = {
    "circle": "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z",
    "square": "M-3.5,-3.5h7v7h-7z",
    "diamond": "M0,-5.2L5.2,0L0,5.2L-5.2,0z",
    "triangle": "M0,-4.8L4.6,3.6L-4.6,3.6z",
    "cross": "M-3.6,-3.6L3.6,3.6M-3.6,3.6L3.6,-3.6",
    "left": "M-5,0L3,-4.8L3,4.8z",
    "right": "M5,0L-3,-4.8L-3,4.8z",
    "up": "M0,-5L-4.8,3L4.8,3z",
    "down": "M0,5L-4.8,-3L4.8,-3z",
}
"""Outlines about the point (0, 0), in pixels."""

PLOTLY: dict[Shape, str] = {
    "circle": "circle",
    "square": "square",
    "diamond": "diamond",
    "triangle": "triangle-up",
    "cross": "x-thin-open",
    "left": "triangle-left",
    "right": "triangle-right",
    "up": "triangle-up",
    "down": "triangle-down",
}


def of_point(dots: Dots, index: int) -> tuple[Shape, bool, Ink]:
    """Return the shape of one point, whether it is hollow, and its ink."""
    flagged, hollow, pale = (bool(each) and each[index] for each in (dots.flagged, dots.hollow, dots.pale))
    ink: Ink = "flag" if flagged else "human" if pale else dots.ink
    return ("diamond" if flagged else "circle"), hollow, ink


def arrow(along: str, beyond: int) -> Shape | None:
    """Return the arrow for what lies beyond the low (-1) or the high (1) end of an axis; None for what does not."""
    if not beyond:
        return None
    if along == "x":
        return "right" if beyond > 0 else "left"
    return "up" if beyond > 0 else "down"
