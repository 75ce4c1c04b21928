"""A chart as SVG, for paper and for readers without scripts.

Drawn by hand instead of by a plotting library: a report needs five kinds of marks, the drawing
takes milliseconds, and it follows the same `Frame` as the interactive chart.
"""

from __future__ import annotations

from reportgen.charts import layout, text, theme
from reportgen.charts.layout import ROW, SCREEN, STRIP, Sheet
from reportgen.charts.marks import DASHES, Marks
from reportgen.charts.svg import element, words
from reportgen.charts.theme import Colours
from reportgen.results.chart import Axis, Bars, Cells, Chart, Dots, Line, Rule
from reportgen.wording.numbers import count

RULED = ("6 3", "2 3")
"""Dashes of rules: of limits, and of what only helps to read."""


def svg(chart: Chart, colours: Colours | None = None, sheet: Sheet = SCREEN) -> str:
    """Return `chart` as one SVG element, as wide as its sheet, with its alt text as title."""
    chart, _ = layout.trimmed(chart)
    return Picture(chart, layout.frame(chart, sheet), colours or Colours()).svg()


class Picture(Marks):
    """The whole drawing of one chart: its axes and their names around the marks."""

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
            viewBox=f"0 0 {self.frame.outer:.0f} {self.frame.total:.0f}",
            width=self.frame.outer,
            height=round(self.frame.total),
            font_family=theme.FONTS,
            font_size=theme.SIZE,
        )

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
        parts = [
            self.text(text.shorten(axis_title(chart.x), letters(frame.outer)), self.end_of_title(), below, "end"),
            self.text(text.shorten(axis_title(chart.y), letters(frame.outer)), 0, line),
        ]
        if frame.for_n:
            parts.append(self.text("n", frame.outer - 4, frame.top - 6, "end"))
        x = 0.0
        for layer in frame.key:
            label = text.shorten(layer.label, 40)
            parts += [self.swatch(layer, x), self.text(label, x + 16, ROW - 5, colour="text")]
            x += 32 + self.frame.sheet.measure(label)
        return parts

    def end_of_title(self) -> float:
        """Return where the name of the x axis ends: with the plot, or with the picture when it is long."""
        return (
            self.frame.right
            if text.columns(axis_title(self.chart.x)) <= letters(self.frame.right)
            else self.frame.outer
        )

    def swatch(self, layer: Dots | Bars, x: float) -> str:
        """Return the sign of a layer in the key."""
        if isinstance(layer, Bars):
            return self.box(layer.ink, x, ROW - 14, 11, 10)
        return self.marker("circle", False, layer.ink, x + 6, ROW - 9)

    def rules(self) -> list[str]:
        """Return the labelled straight lines: under the data, their labels above the plot."""
        frame, parts, levels = self.frame, [], iter(self.frame.rule_levels)
        for rule in (layer for layer in self.chart.layers if isinstance(layer, Rule)):
            dash = RULED[rule.ink == "muted"]
            if rule.axis == "x":
                x, level = frame.across(rule.at), next(levels)
                top = frame.top - 4 - ROW * level
                parts.append(self.stroke(rule.ink, x, top, x, frame.bottom, stroke_width=1.2, stroke_dasharray=dash))
                parts.append(self.text(text.shorten(rule.label, 60), frame.rule_middle(rule), top - 3, "middle"))
            else:
                y = frame.down(rule.at)
                parts.append(
                    self.stroke(rule.ink, frame.left, y, frame.right, y, stroke_width=1.2, stroke_dasharray=dash)
                )
        return parts

    def line_labels(self) -> list[str]:
        """Return the names of the lines, each at its right end; of several, each with a sample of its line."""
        sample = layout.sampled(self.frame)
        right, top = self.frame.right + 8, self.frame.top
        parts = []
        for line, y in self.frame.line_labels:
            parts += self.sample(line, right, top + y) if sample else []
            parts.append(self.text(layout.line_label(line), right + sample, top + y + 4, colour="text"))
        return parts

    def sample(self, line: Line | Rule, x: float, y: float) -> list[str]:
        """Return a short piece of a line as it is drawn in the plot."""
        end = x + layout.SAMPLE - 5
        if isinstance(line, Rule):
            return [self.stroke(line.ink, x, y, end, y, stroke_width=1.2, stroke_dasharray=RULED[line.ink == "muted"])]
        marks = [self.marker(line.markers, False, line.ink, (x + end) / 2, y)] if line.markers else []
        return [self.stroke(line.ink, x, y, end, y, stroke_width=1.6, stroke_dasharray=DASHES[line.dashes]), *marks]

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


def axis_title(axis: Axis) -> str:
    """Return the name of an axis with its unit."""
    return f"{axis.title} ({axis.unit})" if axis.unit else axis.title


def letters(room: float) -> int:
    """Return how many letters of the name of an axis fit `room` pixels."""
    return int(room / (0.55 * theme.SIZE))
