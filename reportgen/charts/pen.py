"""What every part of a picture is drawn with: text, lines, boxes and points in the inks of the report.

Colours are given as attributes, for paper, and as classes, so that a page may change them in dark mode.
"""

from __future__ import annotations

from reportgen.charts import markers, theme
from reportgen.charts.svg import element, words
from reportgen.charts.theme import Colours
from reportgen.results.chart import Ink


class Pen:
    """Draws single elements in the colours of a report."""

    def __init__(self, colours: Colours) -> None:
        self.colours = colours

    def text(self, content: str, x: float, y: float, anchor: str = "start", colour: str = "quiet") -> str:
        """Return one line of text in the colour "text", "quiet" or "pale"; `y` is its baseline."""
        fill, name = (theme.TEXT, "fill-text") if colour == "text" else (theme.QUIET, "fill-quiet")
        opacity = theme.PALE if colour == "pale" else None
        place: dict[str, str | float | None] = {"x": x, "y": y, "text_anchor": anchor}
        return element("text", words(content) or " ", **place, fill=fill, fill_opacity=opacity, class_=name)

    def stroke(self, ink: Ink | str, x1: float, y1: float, x2: float, y2: float, **more: str | float | None) -> str:
        """Return one straight line in an ink."""
        plain = {"grid": theme.GRID, "quiet": theme.QUIET, "text": theme.TEXT}
        colour = plain[ink] if ink in plain else getattr(self.colours, ink)
        return element("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=colour, class_=f"stroke-{ink}", **more)

    def box(self, ink: Ink, x: float, y: float, width: float, height: float) -> str:
        """Return a filled rectangle."""
        fill = self.colours.of(ink)
        return element("rect", x=x, y=y, width=width, height=max(0.0, height), fill=fill, class_=f"fill-{ink}")

    def marker(self, shape: markers.Shape, hollow: bool, ink: Ink, x: float, y: float) -> str:
        """Return one point; a hollow one is filled with paper."""
        open_ = hollow or shape == "cross"
        look: dict[str, str | float | None] = {
            "fill": theme.PAPER if open_ else self.colours.of(ink),
            "stroke": self.colours.of(ink),
            "stroke_width": 1.4,
            "class_": f"stroke-{ink} fill-{'paper' if open_ else ink}",
        }
        if shape == "circle":
            return element("circle", cx=x, cy=y, r=4, **look)
        return element("path", d=markers.PATHS[shape], transform=f"translate({x:.1f},{y:.1f})", **look)
