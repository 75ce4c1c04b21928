"""Shapes of points: what is flagged or rests on few responses is told by shape, never by colour alone."""

from __future__ import annotations

from typing import Literal

from reportgen.results.chart import Dots

Shape = Literal["circle", "square", "diamond", "triangle", "cross"]

PATHS: dict[Shape, str] = {
    "circle": "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z",
    "square": "M-3.5,-3.5h7v7h-7z",
    "diamond": "M0,-5.2L5.2,0L0,5.2L-5.2,0z",
    "triangle": "M0,-4.8L4.6,3.6L-4.6,3.6z",
    "cross": "M-3.6,-3.6L3.6,3.6M-3.6,3.6L3.6,-3.6",
}
"""Outlines about the point (0, 0), in pixels."""

PLOTLY: dict[Shape, str] = {
    "circle": "circle",
    "square": "square",
    "diamond": "diamond",
    "triangle": "triangle-up",
    "cross": "x-thin-open",
}


def of_point(dots: Dots, index: int) -> tuple[Shape, bool]:
    """Return the shape of one point, and whether it is hollow."""
    flagged = bool(dots.flagged) and dots.flagged[index]
    hollow = bool(dots.hollow) and dots.hollow[index]
    return ("diamond" if flagged else "circle"), hollow
