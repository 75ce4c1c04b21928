"""The layers of a chart as SVG: dots with intervals, columns, lines, heat maps."""

from __future__ import annotations

import math

from reportgen.charts import markers, text, theme
from reportgen.charts.grouping import grouped
from reportgen.charts.layout import nudge, printed
from reportgen.charts.parts import Parts
from reportgen.charts.svg import element, words
from reportgen.results.chart import Bars, Cells, Dots, Ink, Layer, Line, Pairs, Rule, Shares, Spans, Words, Zone
from reportgen.wording.numbers import count

SHADES = 20
"""Shades of a heat map without texts."""

TWO_LINES, SMALL = 24.0, 9.0
"""Height of a cell that holds two lines of text, and the size of the lower one, in pixels."""

DASHES = {"solid": None, "dash": "6 4", "dot": "2 3", "dashdot": "7 3 2 3"}


class Marks(Parts):
    """Draws the layers of one chart inside its frame."""

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
            case Pairs():
                return self.pairs(layer)
            case Shares():
                return self.shares(layer)
            case Spans():
                return self.spans(layer)
            case Words():
                return self.said(layer)
            case Rule() | Zone():  # under everything else
                return []

    def dots(self, layer: Dots) -> list[str]:
        """Return points, their intervals, and n at the right edge."""
        parts: list[str] = []
        points: list[str] = []
        value_scale, place_scale = (self.frame.x, self.frame.y) if layer.along == "x" else (self.frame.y, self.frame.x)
        aside = nudge(self.chart, self.frame, layer)
        for index, position in enumerate(layer.positions):
            middle, value = place_scale.place(position), value_scale.place(layer.values[index])
            if middle is None:
                continue
            place = middle + aside
            shape, hollow, ink = markers.of_point(layer, index)
            if value is not None:
                if layer.low and layer.high:
                    parts += self.whisker(layer, ink, place, layer.low[index], layer.high[index])
                shape = markers.arrow(layer.along, value_scale.beyond(value)) or shape
                held = value_scale.held(value)
                points.append(self.marker(shape, hollow, ink, *self.point(layer.along, place, held or 0.0)))
            if layer.n and layer.along == "x" and self.frame.for_n:
                parts.append(self.text(count(layer.n[index]), self.frame.edge_of_n, self.frame.down(place) + 4, "end"))
        return [*parts, *points]

    def point(self, along: str, place: float, value: float) -> tuple[float, float]:
        """Return the pixels of a value at a place on the other axis."""
        x, y = (value, place) if along == "x" else (place, value)
        return self.frame.across(x), self.frame.down(y)

    def whisker(self, layer: Dots, ink: Ink, place: float, low: float | None, high: float | None) -> list[str]:
        """Return the line of an interval, with an arrow where the axis cuts it."""
        if low is None or high is None:
            return []
        scale = self.frame.x if layer.along == "x" else self.frame.y
        ends = [self.point(layer.along, place, scale.held(end) or 0.0) for end in (low, high)]
        arrows = [markers.arrow(layer.along, scale.beyond(end)) for end in (low, high)]
        heads = [self.marker(shape, False, ink, *at) for shape, at in zip(arrows, ends, strict=True) if shape]
        return [self.stroke(ink, *ends[0], *ends[1], stroke_width=1.6), *heads]

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
        most, ink = largest(layer), self.colours.engine
        shades: list[str] = []
        frames: list[str] = []
        texts: dict[str, list[str]] = {"text": [], "quiet": []}
        for i, row in enumerate(layer.rows):
            for j, column in enumerate(layer.columns):
                box = self.box_of(i, j)
                share = min(1.0, max(0.0, (layer.values[i][j] or 0.0) / most))
                if share:
                    shades.append(element("rect", **box, fill_opacity=f"{theme.SHADE * share:.3f}"))
                if layer.frame_diagonal and row == column:
                    frames.append(element("rect", **box))
                below = layer.small[i][j] if layer.small else ""
                for colour, text_of in self.in_cell(layer.texts[i][j], below, box):
                    texts[colour].append(text_of)
        grid: dict[str, str | float | None] = {"fill": "none", "stroke": theme.GRID, "stroke_width": 0.6}
        framed: dict[str, str | float | None] = {"fill": "none", "stroke": theme.TEXT, "stroke_width": 1.6}
        return [
            *self.n_of_rows(layer),
            element("path", d=self.lines_between(layer), **grid, class_="stroke-grid"),
            *([element("g", "".join(shades), fill=ink, class_="fill-engine")] if shades else []),
            *([element("g", "".join(frames), **framed, class_="stroke-text")] if frames else []),
            *(self.written(colour, found) for colour, found in texts.items() if found),
        ]

    def written(self, colour: str, texts: list[str]) -> str:
        """Return texts of one colour, each of which has its middle where it stands."""
        fill = theme.TEXT if colour == "text" else theme.QUIET
        return element("g", "".join(grouped(texts)), text_anchor="middle", fill=fill, class_=f"fill-{colour}")

    def box_of(self, i: int, j: int) -> dict[str, float]:
        """Return the place of a cell of a heat map."""
        frame = self.frame
        x, y = frame.across(j - 0.5) + 1, frame.down(i - 0.5) + 1
        return {"x": x, "y": y, "width": frame.across(j + 0.5) - x - 1, "height": frame.down(i + 0.5) - y - 1}

    def lines_between(self, layer: Cells) -> str:
        """Return the lines between cells as one path."""
        frame, rows, columns = self.frame, len(layer.rows), len(layer.columns)
        across = (f"M{frame.left:.1f},{frame.down(i - 0.5):.1f}h{frame.width:.1f}" for i in range(rows + 1))
        down = (f"M{frame.across(j - 0.5):.1f},{frame.top:.1f}v{frame.height:.1f}" for j in range(columns + 1))
        return "".join((*across, *down))

    def n_of_rows(self, layer: Cells) -> list[str]:
        """Return n at the right of each row."""
        rows = zip(range(len(layer.rows)), layer.n, strict=False)
        return [self.text(count(n), self.frame.edge_of_n, self.frame.down(row) + 4, "end") for row, n in rows]

    def shades(self, layer: Cells) -> list[str]:
        """Return a heat map of many cells: one path for each of twenty shades, and no texts."""
        most = largest(layer)
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
        return [ground, *self.n_of_rows(layer)] + [
            element("path", d="".join(path), fill=ink, fill_opacity=f"{shade / SHADES:.2f}", class_="fill-engine")
            for shade, path in sorted(paths.items())
        ]

    def in_cell(self, label: str, below: str, box: dict[str, float]) -> list[tuple[str, str]]:
        """Return what is printed in a cell, each text with its colour: small letters only where two lines have room."""
        width, height = box["width"], box["height"]
        two = bool(below) and height >= TWO_LINES
        size = min(theme.SIZE, 1.7 * width / max(1, text.columns(label)), height * (0.42 if two else 0.7))
        x, base = box["x"] + width / 2, box["y"] + height / 2 + size * (0.1 if two else 0.36)
        found = [("text", element("text", words(label) or " ", x=x, y=base, font_size=size))]
        if two:
            small = min(SMALL, 1.7 * width / max(1, text.columns(below)))
            found.append(("quiet", element("text", words(below), x=x, y=base + small + 1, font_size=small)))
        return found


def largest(layer: Cells) -> float:
    """Return the value of the darkest shade of a heat map: as declared, else the largest; 1 where none is above 0."""
    known = (value for row in layer.values for value in row if value is not None)
    return layer.full or max(known, default=1.0) or 1.0
