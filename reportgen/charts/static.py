"""A chart as SVG, for paper and for readers without scripts.

Drawn by hand instead of by a plotting library: a report needs five kinds of marks, the drawing
takes milliseconds, and it follows the same `Frame` as the interactive chart.
"""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.charts import layout, panels, theme
from reportgen.charts.layout import PHONE, ROW, SCREEN, STRIP, Mark, Sheet
from reportgen.charts.marks import DASHES, Marks
from reportgen.charts.panels import axis_title, names_inside
from reportgen.charts.svg import Pen, element, grouped, words
from reportgen.charts.theme import Colours
from reportgen.results.chart import Bars, Cells, Chart, Dots, Rule, Shares, Zone
from reportgen.wording.numbers import count

RULED = ("6 3", "2 3")
"""Dashes of rules: of limits, and of what only helps to read."""


def svg(chart: Chart, colours: Colours | None = None, sheet: Sheet = SCREEN) -> str:
    """Return `chart` as one SVG element, as wide as its sheet, with its alt text as title."""
    chart, _ = layout.trimmed(chart)
    placed = panels.places(chart, sheet)
    shared = panels.shared_axis(chart)
    height = panels.total(placed, shared)
    phone = sheet.width == PHONE.width
    parts = [] if phone else [element("title", words(chart.alt))]  # its label says the same
    for place in placed:
        drawn = "".join(_Picture(place.chart, place.frame, colours or Colours()).parts(place.title))
        moved = f"translate({place.x:.1f},{place.y:.1f})" if place.x or place.y else None
        parts.append(element("g", drawn, transform=moved) if moved else drawn)
    if shared:
        last = placed[-1]
        name = theme.shorten(shared, layout.letters(sheet.width))
        parts.append(Pen(colours or Colours()).text(name, last.x + last.frame.right, height - 6, "end"))
    return element(
        "svg",
        "".join(parts),
        xmlns="http://www.w3.org/2000/svg",
        role="img",
        aria_label=chart.alt,
        class_="picture narrow" if phone else "picture",
        viewBox=f"0 0 {sheet.width:.0f} {height:.0f}",
        width=sheet.width,
        height=round(height),
        font_family=None if phone else theme.FONTS,
        font_size=theme.SIZE,
    )


class _Picture(Marks):
    """The drawing of one plot: its axes and their names around the marks."""

    def parts(self, title: Sequence[str] = ()) -> list[str]:
        """Return everything that is drawn, from the lowest to the uppermost."""
        zones = [part for layer in self.chart.layers if isinstance(layer, Zone) for part in self.zone(layer)]
        parts = [*zones, *grouped([*self._grid(), *self._titles(title), *self._labels_above()]), *self._rules()]
        for layer in self.chart.layers:
            parts += grouped(self.layer(layer)) if isinstance(layer, (Dots, Bars, Cells)) else self.layer(layer)
        names = [self.text(name, *place, "middle") for name, place in names_inside(self.chart, self.frame)]
        return [*parts, *grouped(names), *self._line_labels(), *grouped(self._strip())]

    def _grid(self) -> list[str]:
        """Return tick labels, and light lines only where values are read off."""
        frame, parts = self.frame, []
        bare = layout.bare(self.chart)
        ordinary = not bare and not any(isinstance(layer, Cells) for layer in self.chart.layers)
        for tick, label in zip(frame.y.ticks, frame.y.labels, strict=True):
            y = frame.down(tick)
            if ordinary:
                parts.append(self.stroke("grid", frame.left, y, frame.right, y, stroke_width=0.8))
            if frame.sheet.named:
                parts.append(self.text(label, frame.left - 8, y + 4, "end", "text" if frame.y.categories else "quiet"))
        if bare:
            return parts
        below = frame.bottom + layout.strip_below(self.chart)
        for tick, label in zip(frame.x.ticks, frame.x.labels, strict=True):
            x = frame.across(tick)
            if not frame.x.categories and frame.y.categories:
                parts.append(self.stroke("grid", x, frame.top, x, frame.bottom, stroke_width=0.8))
            if frame.sheet.measured:
                parts.append(self.text(label, x, below + ROW, "middle", self._tick_colour(tick)))
        if ordinary and not frame.y.categories:
            parts.append(self.stroke("quiet", frame.left, frame.bottom, frame.right, frame.bottom, stroke_width=0.8))
        return parts

    def _tick_colour(self, tick: float) -> str:
        """Return the colour of a number on the x axis: a limit is dark, the others of a scale that never moves pale."""
        scale = self.frame.x
        if scale.categories or tick in scale.limits:
            return "text"
        return "pale" if scale.fixed else "quiet"

    def _titles(self, title: Sequence[str]) -> list[str]:
        """Return the title of a panel, the names of the axes, the heading of the n column, and the key."""
        frame, chart = self.frame, self.chart
        below = frame.bottom + layout.strip_below(self.chart) + 2 * ROW
        line = ROW * ((1 if frame.key else 0) + len(title)) + ROW - 2
        parts = [self.text(each, frame.left, ROW * (row + 1) - 4, "start", "text") for row, each in enumerate(title)]
        if not layout.bare(chart) and chart.x.title and frame.sheet.measured:
            name = axis_title(chart.x)
            end = frame.right if theme.columns(name) <= layout.letters(frame.right) else frame.outer
            parts.append(self.text(theme.shorten(name, layout.letters(frame.outer)), end, below, "end"))
        if frame.sheet.named and chart.y.title and not any(isinstance(layer, Shares) for layer in chart.layers):
            parts.append(self.text(theme.shorten(axis_title(chart.y), layout.letters(frame.outer)), 0, line))
        if frame.for_n:
            parts.append(self.text(chart.names.n, frame.edge_of_n, frame.top - 6, "end"))
        x, y = 0.0, ROW - 5 + ROW * len(title)
        for entry in frame.key:
            label, hollow = theme.shorten(entry.label, 40), entry.sign == "hollow"
            box = self.box(entry.ink, x, y - 9, 11, 10)
            parts.append(box if entry.sign == "box" else self.marker("circle", hollow, entry.ink, x + 6, y - 4))
            parts.append(self.text(label, x + 16, y, colour="text"))
            x += 32 + frame.sheet.measure(label)
        return parts

    def _labels_above(self) -> list[str]:
        """Return the labels of upright rules and of zones, above the plot."""
        frame, parts = self.frame, []
        levels = iter(frame.rule_levels)
        for _, at, label in layout.upright(self.chart, frame.x):
            y = frame.top - 7 - ROW * next(levels)
            parts.append(self.text(theme.shorten(label, 60), frame.label_middle(at, label), y, "middle"))
        return parts

    def _rules(self) -> list[str]:
        """Return the straight lines, under the data."""
        frame, parts, levels = self.frame, [], iter(self.frame.rule_levels)
        level_of = {id(layer): next(levels) for layer, _, _ in layout.upright(self.chart, frame.x)}
        for rule in (layer for layer in self.chart.layers if isinstance(layer, Rule)):
            dash = RULED[rule.ink == "muted"]
            line = (frame.left, frame.down(rule.at), frame.right, frame.down(rule.at))
            if rule.axis == "x":
                x = frame.across(rule.at)
                above = 4 + ROW * level_of[id(rule)] if id(rule) in level_of else 0
                line = (x, frame.top - above, x, frame.bottom)
            parts.append(self.stroke(rule.ink, *line, stroke_width=1.2, stroke_dasharray=dash))
        return parts

    def _line_labels(self) -> list[str]:
        """Return the names of the lines, each at its right end; of several, each with a sample of its line."""
        sample = layout.sampled(self.frame)
        right, top = self.frame.right + 8, self.frame.top
        parts = []
        for line, y in self.frame.line_labels:
            parts += self._sample(line, right, top + y) if sample else []
            parts.append(
                self.text(layout.line_label(line, self.frame.sheet), right + sample, top + y + 4, colour="text")
            )
        return parts

    def _sample(self, line: Mark, x: float, y: float) -> list[str]:
        """Return a short piece of a line, or of a zone, as it is drawn in the plot."""
        end = x + layout.SAMPLE - 5
        if isinstance(line, Zone):
            box = {"x": x, "y": y - 5, "width": end - x, "height": 10.0}
            ink = self.colours.engine
            return [element("rect", **box, fill=ink, fill_opacity=f"{theme.BAND}", class_="fill-engine")]
        if isinstance(line, Rule):
            return [self.stroke(line.ink, x, y, end, y, stroke_width=1.2, stroke_dasharray=RULED[line.ink == "muted"])]
        marks = [self.marker(line.markers, False, line.ink, (x + end) / 2, y)] if line.markers else []
        return [self.stroke(line.ink, x, y, end, y, stroke_width=1.6, stroke_dasharray=DASHES[line.dashes]), *marks]

    def _strip(self) -> list[str]:
        """Return the counts of responses as a small strip under the plot, or above it."""
        counts = self.chart.strip_counts
        if not counts:
            return []
        frame, most = self.frame, max(n for _, n in counts) or 1
        width = max(2.0, min(26.0, 0.7 * frame.width / max(1, len(counts))))
        base = frame.top - 8 if self.chart.counts_above else frame.bottom + STRIP - 2
        parts = [self.text(self.chart.names.n, frame.left - 8, base, "end")]
        for position, n in counts:
            place = frame.x.place(position)
            if place is None:
                continue
            x, height = frame.across(place), (STRIP - 22) * n / most
            parts.append(self.box("muted", x - width / 2, base - height, width, height))
            if len(counts) <= 16:
                parts.append(self.text(count(n), x, base - height - 3, "middle"))
        return parts
