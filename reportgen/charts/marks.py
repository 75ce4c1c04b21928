"""The layers of a chart as SVG: dots with intervals, columns, lines, heat maps."""

from __future__ import annotations

import math

from reportgen.charts import markers, text, theme
from reportgen.charts.layout import Frame, nudge, printed
from reportgen.charts.pen import Pen
from reportgen.charts.svg import element, words
from reportgen.charts.theme import Colours
from reportgen.results.chart import Bars, Cells, Chart, Dots, Ink, Layer, Line, Rule
from reportgen.wording.numbers import count

SHADES = 20
"""Shades of a heat map without texts."""

DASHES = {"solid": None, "dash": "6 4", "dot": "2 3", "dashdot": "7 3 2 3"}


class Marks(Pen):
    """Draws the layers of one chart inside its frame."""

    def __init__(self, chart: Chart, frame: Frame, colours: Colours) -> None:
        super().__init__(colours)
        self.chart = chart
        self.frame = frame

    def layer(self, layer: Layer) -> list[str]:
        """Return the marks of one layer."""
        match layer:
            case Dots():
                return self.dots(layer)
            case Bars():
                return self.bars(layer)
            case Line():
                return self.line(layer)
            case Cells():
                return self.cells(layer)
            case Rule():
                return []

    def dots(self, layer: Dots) -> list[str]:
        """Return points, their intervals, and n at the right edge."""
        parts: list[str] = []
        value_scale, place_scale = (self.frame.x, self.frame.y) if layer.along == "x" else (self.frame.y, self.frame.x)
        aside = nudge(self.chart, self.frame, layer)
        for index, position in enumerate(layer.positions):
            middle, value = place_scale.place(position), value_scale.place(layer.values[index])
            if middle is None:
                continue
            place = middle + aside
            shape, hollow = markers.of_point(layer, index)
            ink: Ink = "flag" if shape == "diamond" else layer.ink
            if value is not None:
                if layer.low and layer.high:
                    parts += self.whisker(layer, ink, place, layer.low[index], layer.high[index])
                parts.append(self.marker(shape, hollow, ink, *self.point(layer.along, place, value)))
            if layer.n and layer.along == "x":
                parts.append(self.text(count(layer.n[index]), self.frame.outer - 4, self.frame.down(place) + 4, "end"))
        return parts

    def point(self, along: str, place: float, value: float) -> tuple[float, float]:
        """Return the pixels of a value at a place on the other axis."""
        x, y = (value, place) if along == "x" else (place, value)
        return self.frame.across(x), self.frame.down(y)

    def whisker(self, layer: Dots, ink: Ink, place: float, low: float | None, high: float | None) -> list[str]:
        """Return the line of an interval."""
        if low is None or high is None:
            return []
        (x1, y1), (x2, y2) = self.point(layer.along, place, low), self.point(layer.along, place, high)
        return [self.stroke(ink, x1, y1, x2, y2, stroke_width=1.6)]

    def bars(self, layer: Bars) -> list[str]:
        """Return columns from zero, side by side with those of the other layers."""
        group = [other for other in self.chart.layers if isinstance(other, Bars)]
        slot = self.frame.width / (self.frame.x.high - self.frame.x.low)
        width = 0.76 * slot / len(group)
        offset = -0.38 * slot + group.index(layer) * width
        base, parts = self.frame.down(0), []
        for position, value in zip(layer.positions, layer.values, strict=True):
            place = self.frame.x.place(position)
            if place is None or value is None:
                continue
            y = self.frame.down(value)
            parts.append(self.box(layer.ink, self.frame.across(place) + offset, min(y, base), width - 1, abs(base - y)))
        return parts

    def line(self, layer: Line) -> list[str]:
        """Return a line with its markers; a value that is missing leaves a gap."""
        parts: list[str] = []
        run: list[tuple[float, float]] = []
        for x, y in (*zip(layer.x, layer.y, strict=True), (None, None)):
            if x is None or y is None:
                parts += self.stretch(layer, run)
                run = []
            else:
                run.append((self.frame.across(x), self.frame.down(y)))
        return parts

    def stretch(self, layer: Line, run: list[tuple[float, float]]) -> list[str]:
        """Return one unbroken part of a line."""
        if not run:
            return []
        path = element(
            "polyline",
            points=" ".join(f"{x:.1f},{y:.1f}" for x, y in run),
            fill="none",
            stroke=self.colours.of(layer.ink),
            stroke_width=1.6 if layer.label else 0.7,
            stroke_dasharray=DASHES[layer.dashes],
            class_=f"stroke-{layer.ink}",
        )
        marks = [self.marker(layer.markers, False, layer.ink, x, y) for x, y in run] if layer.markers else []
        return [path, *marks]

    def cells(self, layer: Cells) -> list[str]:
        """Return a heat map: shaded cells, what is printed in them, and the framed diagonal."""
        if not printed(layer):
            return self.shades(layer)
        known = [value for row in layer.values for value in row if value is not None]
        most = max(known, default=1.0) or 1.0
        parts: list[str] = []
        for i, row in enumerate(layer.rows):
            for j, column in enumerate(layer.columns):
                share = max(0.0, (layer.values[i][j] or 0.0) / most)
                framed = layer.frame_diagonal and row == column
                parts += self.cell(i, j, share, layer.texts[i][j], framed)
        return parts

    def shades(self, layer: Cells) -> list[str]:
        """Return a heat map of many cells: one path for each of twenty shades, and no texts."""
        most = max((value for row in layer.values for value in row if value is not None), default=1.0) or 1.0
        frame, ink = self.frame, self.colours.engine
        width, height = frame.across(1) - frame.across(0), frame.down(1) - frame.down(0)
        paths: dict[int, list[str]] = {}
        for i, row in enumerate(layer.values):
            for j, value in enumerate(row):
                shade = math.ceil(SHADES * max(0.0, value or 0.0) / most)
                if shade:
                    corner = f"M{frame.across(j - 0.5):.1f},{frame.down(i - 0.5):.1f}"
                    paths.setdefault(shade, []).append(f"{corner}h{width:.1f}v{height:.1f}h-{width:.1f}z")
        edge = {"x": frame.left, "y": frame.top, "width": frame.width, "height": frame.height}
        ground = element("rect", **edge, fill="none", stroke=theme.GRID, stroke_width=0.8, class_="stroke-grid")
        return [ground] + [
            element("path", d="".join(path), fill=ink, fill_opacity=f"{shade / SHADES:.2f}", class_="fill-engine")
            for shade, path in sorted(paths.items())
        ]

    def cell(self, i: int, j: int, share: float, label: str, framed: bool) -> list[str]:
        """Return one cell of a heat map: its shade stays light enough for its text, by day and in the dark."""
        frame = self.frame
        x, y = frame.across(j - 0.5) + 1, frame.down(i - 0.5) + 1
        width, height = frame.across(j + 0.5) - x - 1, frame.down(i + 0.5) - y - 1
        ink = self.colours.engine
        box = {"x": x, "y": y, "width": width, "height": height}
        parts = [
            element(
                "rect", **box, fill=theme.PAPER, stroke=theme.GRID, stroke_width=0.6, class_="fill-paper stroke-grid"
            ),
            element("rect", **box, fill=ink, fill_opacity=f"{theme.SHADE * share:.3f}", class_="fill-engine"),
        ]
        if framed:
            parts.append(element("rect", **box, fill="none", stroke=theme.TEXT, stroke_width=1.6, class_="stroke-text"))
        size = min(theme.SIZE, 1.7 * width / max(1, text.columns(label)), height * 0.7)
        parts.append(
            element(
                "text",
                words(label) or " ",
                x=x + width / 2,
                y=y + height / 2 + size * 0.36,
                text_anchor="middle",
                font_size=size,
                fill=theme.TEXT,
                class_="fill-text",
            )
        )
        return parts
