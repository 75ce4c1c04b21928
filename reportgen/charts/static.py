"""A chart as SVG, for paper and for readers without scripts.

Drawn by hand instead of by a plotting library: a report needs five kinds of marks, the drawing
takes milliseconds, and it follows the same `Frame` as the interactive chart.  Colours are given as
attributes, for paper, and as classes, so that a page may change them in dark mode.
"""

from __future__ import annotations

from reportgen.charts import layout, markers, text, theme
from reportgen.charts.layout import ROW, STRIP, Frame
from reportgen.charts.spec import Bars, Cells, Chart, Dots, Ink, Layer, Line, Rule
from reportgen.charts.svg import element, words
from reportgen.charts.theme import Colours
from reportgen.numbers import count

DASHES = {"solid": None, "dash": "6 4", "dot": "2 3", "dashdot": "7 3 2 3"}


def svg(chart: Chart, colours: Colours | None = None) -> str:
    """Return `chart` as one SVG element, `theme.WIDTH` pixels wide, with its alt text as title."""
    chart, _ = layout.trimmed(chart)
    return Picture(chart, colours or Colours()).svg()


class Picture:
    """The drawing of one chart: axes first, then the layers in order."""

    def __init__(self, chart: Chart, colours: Colours) -> None:
        self.chart = chart
        self.colours = colours
        self.frame: Frame = layout.frame(chart)

    def svg(self) -> str:
        """Return the whole picture."""
        parts = [element("title", words(self.chart.alt)), *self.grid(), *self.titles(), *self.rules()]
        for layer in self.chart.layers:
            parts += self.layer(layer)
        parts += [*self.line_labels(), *self.strip()]
        return element(
            "svg",
            "".join(parts),
            xmlns="http://www.w3.org/2000/svg",
            role="img",
            aria_label=self.chart.alt,
            class_="picture",
            viewBox=f"0 0 {theme.WIDTH:.0f} {self.frame.total:.0f}",
            width=theme.WIDTH,
            height=round(self.frame.total),
            font_family=theme.FONTS,
            font_size=theme.SIZE,
        )

    def text(self, content: str, x: float, y: float, anchor: str = "start", colour: str = "quiet") -> str:
        """Return one line of text; `y` is its baseline."""
        fill = theme.TEXT if colour == "text" else theme.QUIET
        return element("text", words(content) or " ", x=x, y=y, text_anchor=anchor, fill=fill, class_=f"fill-{colour}")

    def stroke(self, ink: Ink | str, x1: float, y1: float, x2: float, y2: float, **more: str | float | None) -> str:
        """Return one straight line in an ink."""
        colour = theme.GRID if ink == "grid" else theme.QUIET if ink == "quiet" else getattr(self.colours, ink)
        return element("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=colour, class_=f"stroke-{ink}", **more)

    # --- axes ------------------------------------------------------------------------------------

    def grid(self) -> list[str]:
        """Return tick labels, and light lines only where values are read off."""
        frame, parts = self.frame, []
        ordinary = not any(isinstance(layer, Cells) for layer in self.chart.layers)
        for tick, label in zip(frame.y.ticks, frame.y.labels, strict=True):
            y = frame.down(tick)
            if ordinary:
                parts.append(self.stroke("grid", frame.left, y, frame.right, y, stroke_width=0.8))
            parts.append(self.text(label, frame.left - 8, y + 4, "end", "text" if frame.y.categories else "quiet"))
        below = frame.bottom + (STRIP if self.chart.strip_counts else 0)
        for tick, label in zip(frame.x.ticks, frame.x.labels, strict=True):
            x = frame.across(tick)
            if not frame.x.categories and frame.y.categories:
                parts.append(self.stroke("grid", x, frame.top, x, frame.bottom, stroke_width=0.8))
            parts.append(self.text(label, x, below + ROW, "middle", "text" if frame.x.categories else "quiet"))
        if ordinary and not frame.y.categories:
            parts.append(self.stroke("quiet", frame.left, frame.bottom, frame.right, frame.bottom, stroke_width=0.8))
        return parts

    def titles(self) -> list[str]:
        """Return the names of the axes, the heading of the n column, and the key."""
        frame, chart = self.frame, self.chart
        below = frame.bottom + (STRIP if chart.strip_counts else 0) + 2 * ROW + 4
        line = ROW * (1 if frame.key else 0) + ROW - 2
        limit = int(frame.width / (0.62 * theme.SIZE))
        parts = [
            self.text(text.shorten(axis_title(chart.x.title, chart.x.unit), limit), frame.right, below, "end"),
            self.text(text.shorten(axis_title(chart.y.title, chart.y.unit), limit), 0, line),
        ]
        if frame.with_n:
            parts.append(self.text("n", theme.WIDTH - 4, frame.top - 6, "end"))
        x = 0.0
        for layer in frame.key:
            label = text.shorten(layer.label, 40)
            parts += [self.swatch(layer, x), self.text(label, x + 16, ROW - 5, colour="text")]
            x += 32 + text.width(label, theme.SIZE)
        return parts

    def swatch(self, layer: Dots | Bars, x: float) -> str:
        """Return the sign of a layer in the key."""
        if isinstance(layer, Bars):
            return self.box(layer.ink, x, ROW - 14, 11, 10)
        return self.marker("circle", False, layer.ink, x + 6, ROW - 9)

    def box(self, ink: Ink, x: float, y: float, width: float, height: float) -> str:
        """Return a filled rectangle."""
        fill = self.colours.of(ink)
        return element("rect", x=x, y=y, width=width, height=max(0.0, height), fill=fill, class_=f"fill-{ink}")

    def rules(self) -> list[str]:
        """Return the labelled straight lines: under the data, their labels above the plot."""
        frame, parts, levels = self.frame, [], iter(self.frame.rule_levels)
        for rule in (layer for layer in self.chart.layers if isinstance(layer, Rule)):
            dash = "2 3" if rule.ink == "muted" else "6 3"
            if rule.axis == "x":
                x, level = frame.across(rule.at), next(levels)
                top = frame.top - 4 - ROW * level
                parts.append(self.stroke(rule.ink, x, top, x, frame.bottom, stroke_width=1.2, stroke_dasharray=dash))
                parts.append(self.text(text.shorten(rule.label, 60), x, top - 3, "middle"))
            else:
                y = frame.down(rule.at)
                parts.append(
                    self.stroke(rule.ink, frame.left, y, frame.right, y, stroke_width=1.2, stroke_dasharray=dash)
                )
                parts.append(self.text(text.shorten(rule.label, 60), frame.right - 2, y - 4, "end"))
        return parts

    # --- layers ----------------------------------------------------------------------------------

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
        for index, position in enumerate(layer.positions):
            place, value = place_scale.place(position), value_scale.place(layer.values[index])
            if place is None:
                continue
            shape, hollow = markers.of_point(layer, index)
            ink: Ink = "flag" if shape == "diamond" else layer.ink
            if value is not None:
                if layer.low and layer.high:
                    parts += self.whisker(layer, ink, place, layer.low[index], layer.high[index])
                parts.append(self.marker(shape, hollow, ink, *self.point(layer.along, place, value)))
            if layer.n and layer.along == "x":
                parts.append(self.text(count(layer.n[index]), theme.WIDTH - 4, self.frame.down(place) + 4, "end"))
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

    def marker(self, shape: markers.Shape, hollow: bool, ink: Ink, x: float, y: float) -> str:
        """Return one point; a hollow one is filled with paper."""
        open_ = hollow or shape == "cross"
        return element(
            "path",
            d=markers.PATHS[shape],
            transform=f"translate({x:.1f},{y:.1f})",
            fill=theme.PAPER if open_ else self.colours.of(ink),
            stroke=self.colours.of(ink),
            stroke_width=1.4,
            class_=f"stroke-{ink} fill-{'paper' if open_ else ink}",
        )

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
            stroke_width=1.6,
            stroke_dasharray=DASHES[layer.dashes],
            class_=f"stroke-{layer.ink}",
        )
        marks = [self.marker(layer.markers, False, layer.ink, x, y) for x, y in run] if layer.markers else []
        return [path, *marks]

    def line_labels(self) -> list[str]:
        """Return the names of the lines, each at its right end."""
        right, top = self.frame.right + 8, self.frame.top
        return [
            self.text(layout.line_label(line), right, top + y + 4, colour="text") for line, y in self.frame.line_labels
        ]

    def cells(self, layer: Cells) -> list[str]:
        """Return a heat map: shaded cells, what is printed in them, and the framed diagonal."""
        known = [value for row in layer.values for value in row if value is not None]
        most = max(known, default=1.0) or 1.0
        parts: list[str] = []
        for i, row in enumerate(layer.rows):
            for j, column in enumerate(layer.columns):
                share = max(0.0, (layer.values[i][j] or 0.0) / most)
                framed = layer.frame_diagonal and row == column
                parts += self.cell(i, j, share, layer.texts[i][j], framed)
        return parts

    def cell(self, i: int, j: int, share: float, label: str, framed: bool) -> list[str]:
        """Return one cell of a heat map; its text is light on a dark ground."""
        frame = self.frame
        x, y = frame.across(j - 0.5) + 1, frame.down(i - 0.5) + 1
        width, height = frame.across(j + 0.5) - x - 1, frame.down(i + 0.5) - y - 1
        ink = self.colours.engine
        box = {"x": x, "y": y, "width": width, "height": height}
        parts = [
            element(
                "rect", **box, fill=theme.PAPER, stroke=theme.GRID, stroke_width=0.6, class_="fill-paper stroke-grid"
            ),
            element("rect", **box, fill=ink, fill_opacity=f"{0.85 * share:.3f}", class_="fill-engine"),
        ]
        if framed:
            parts.append(element("rect", **box, fill="none", stroke=theme.TEXT, stroke_width=1.6, class_="stroke-text"))
        colour = theme.PAPER if share > 0.55 else theme.TEXT
        size = min(theme.SIZE, 1.7 * width / max(1, text.columns(label)), height * 0.7)
        parts.append(
            element(
                "text",
                words(label) or " ",
                x=x + width / 2,
                y=y + height / 2 + size * 0.36,
                text_anchor="middle",
                font_size=size,
                fill=colour,
                class_="fill-paper" if share > 0.55 else "fill-text",
            )
        )
        return parts

    def strip(self) -> list[str]:
        """Return the counts of responses as a small strip under the plot."""
        counts = self.chart.strip_counts
        if not counts:
            return []
        frame, most = self.frame, max(n for _, n in counts) or 1
        width = max(2.0, min(26.0, 0.7 * frame.width / max(1, len(counts))))
        base = frame.bottom + STRIP - 2
        parts = [self.text("n", frame.left - 8, base, "end")]
        for position, n in counts:
            place = frame.x.place(position)
            if place is None:
                continue
            x, height = frame.across(place), (STRIP - 22) * n / most
            parts.append(self.box("muted", x - width / 2, base - height, width, height))
            if len(counts) <= 16:
                parts.append(self.text(count(n), x, base - height - 3, "middle"))
        return parts


def axis_title(title: str, unit: str) -> str:
    """Return the name of an axis with its unit."""
    return f"{title} ({unit})" if unit else title
