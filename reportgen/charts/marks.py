"""The layers of a chart as SVG."""

from __future__ import annotations

import math

from reportgen.charts import svg, theme
from reportgen.charts.layout import Frame, named_beside, nudge, printed, zone_ends
from reportgen.charts.svg import Pen, element, grouped, words
from reportgen.charts.theme import Colours
from reportgen.results.chart import (
    Bars,
    Cells,
    Chart,
    Dots,
    Ink,
    Layer,
    Line,
    Number,
    Pairs,
    Rule,
    Shares,
    Spans,
    Words,
    Zone,
)
from reportgen.wording.numbers import count, percent

PART_SHADES = ("1.000", "0.360", "0.160")
"""Opacity of the first, the second and every further part of a whole."""

BAR = 22.0
"""Height of a bar of shares, in pixels."""


class Parts(Pen):
    """Draws what compares inside the frame of one chart."""

    def __init__(self, chart: Chart, frame: Frame, colours: Colours) -> None:
        super().__init__(colours)
        self.chart = chart
        self.frame = frame

    def zone(self, layer: Zone) -> list[str]:
        """Return the shaded part, with a thin line at each of its ends that is a limit."""
        frame = self.frame
        scale, place = (frame.x, frame.across) if layer.axis == "x" else (frame.y, frame.down)
        ends = sorted(place(end) for end in zone_ends(layer, scale))
        limits = [place(end) for end in (layer.low, layer.high) if end is not None and scale.low <= end <= scale.high]
        parts = []
        for start, stop in self.stretches(layer):
            box = {"x": ends[0], "y": start, "width": ends[1] - ends[0], "height": stop - start}
            if layer.axis == "y":
                box = {"x": start, "y": ends[0], "width": stop - start, "height": ends[1] - ends[0]}
            parts.append(
                element("rect", **box, fill=self.colours.engine, fill_opacity=f"{theme.BAND}", class_="fill-engine")
            )
            for at in limits:
                line = (at, start, at, stop) if layer.axis == "x" else (start, at, stop, at)
                parts.append(self.stroke("quiet", *line, stroke_width=0.9))
        return parts

    def stretches(self, layer: Zone) -> list[tuple[float, float]]:
        """Return from where to where a zone goes along the other axis: all of it, or the rows that it is for."""
        frame = self.frame
        if not layer.rows:
            return [(frame.top, frame.bottom) if layer.axis == "x" else (frame.left, frame.right)]
        across, place = (frame.y, frame.down) if layer.axis == "x" else (frame.x, frame.across)
        spots = [spot for row in layer.rows if (spot := across.place(row)) is not None]
        return [(place(spot - 0.42), place(spot + 0.42)) for spot in spots]

    def pairs(self, layer: Pairs) -> list[str]:
        """Return pairs of values with the line between them, the interval of the second, and what is noted."""
        parts: list[str] = []
        beside = named_beside(layer, self.frame.x, self.frame.width, self.frame.sheet)
        across = self.frame.y if layer.along == "x" else self.frame.x
        for index, position in enumerate(layer.positions):
            place = across.place(position)
            if place is None:
                continue
            flagged = bool(layer.flagged) and layer.flagged[index]
            inks: tuple[Ink, Ink] = (layer.inks[0], "flag" if flagged else layer.inks[1])
            points = [self.spot(layer, place, value) for value in (layer.first[index], layer.second[index])]
            parts += self.joined(layer, index, place, points, inks)
            known = [point for point in points if point is not None]
            if layer.notes and layer.notes[index] and known:
                parts.append(self.noted(layer, layer.notes[index], known))
            if beside and not index:
                parts += self.two_names(layer, points)
        return parts

    def spot(self, layer: Pairs, place: float, value: Number) -> tuple[float, float] | None:
        """Return the pixels of a value; None of one that is not known."""
        along = self.frame.x if layer.along == "x" else self.frame.y
        held = along.place(along.held(value))
        if held is None:
            return None
        if layer.along == "x":
            return self.frame.across(held), self.frame.down(place)
        return self.frame.across(place), self.frame.down(held)

    def joined(
        self,
        layer: Pairs,
        index: int,
        place: float,
        points: list[tuple[float, float] | None],
        inks: tuple[Ink, Ink],
    ) -> list[str]:
        """Return the two points of one pair and the lines behind them."""
        parts = []
        first, second = points
        if first is not None and second is not None:
            parts.append(self.stroke("muted", *first, *second, stroke_width=2.4))
        if layer.low and layer.high:
            ends = [self.spot(layer, place, end) for end in (layer.low[index], layer.high[index])]
            if ends[0] is not None and ends[1] is not None:
                parts.append(self.stroke(inks[1], *ends[0], *ends[1], stroke_width=1.6))
        along = self.frame.x if layer.along == "x" else self.frame.y
        for which, (point, values) in enumerate(zip(points, (layer.first, layer.second), strict=True)):
            if point is not None:
                shape: svg.Shape = "diamond" if inks[which] == "flag" else "circle"
                shape = svg.arrow(layer.along, along.beyond(values[index] or 0.0)) or shape
                parts.append(self.marker(shape, layer.hollow_first and not which, inks[which], *point))
        return parts

    def noted(self, layer: Pairs, note: str, points: list[tuple[float, float]]) -> str:
        """Return what is written above a pair, or at the right of one that lies."""
        if layer.along == "y":
            half = self.frame.sheet.measure(note) / 2
            x = max(self.frame.left + half, min(points[0][0], self.frame.right - half))
            return self.text(note, x, min(y for _, y in points) - 9, "middle", "text")
        return self.text(note, max(x for x, _ in points) + 9, points[0][1] + 4, "start", "text")

    def two_names(self, layer: Pairs, points: list[tuple[float, float] | None]) -> list[str]:
        """Return the names of both values at the right of the first pair, apart from each other."""
        (x, one), (_, other) = (point or (0.0, 0.0) for point in points)
        apart = max(0.0, theme.SIZE + 1 - abs(one - other)) / 2
        up = -1.0 if one <= other else 1.0
        heights = (one + up * apart + 4, other - up * apart + 4)
        return [self.text(name, x + 8, y, "start", "text") for name, y in zip(layer.labels, heights, strict=True)]

    def shares(self, layer: Shares) -> list[str]:
        """Return one bar for each row with its counts and percentages, the names of the parts above the first."""
        parts = self.part_names(layer)
        for row, (counts, shares) in enumerate(zip(layer.counts, layer.percentages(), strict=True)):
            place = self.frame.y.place(layer.rows[row])
            if place is None:
                continue
            ink = layer.inks[row] if layer.inks else "engine"
            y, start = self.frame.down(place) - BAR / 2, 0.0
            for part, (n, share) in enumerate(zip(counts, shares, strict=True)):
                parts += self.share(ink, part, y, start, share, n, sum(counts))
                start += share
        return parts

    def share(self, ink: Ink, part: int, y: float, start: float, share: float, n: int, total: int) -> list[str]:
        """Return one part of a bar, with as much of its numbers as it has room for."""
        left, right = self.frame.across(start), self.frame.across(start + share)
        if not n:
            return []
        box = {"x": left, "y": y, "width": max(0.8, right - left - 1), "height": BAR}
        shade = PART_SHADES[min(part, len(PART_SHADES) - 1)]
        parts = [
            element("rect", **box, fill=theme.PAPER, class_="fill-paper"),
            element("rect", **box, fill=self.colours.of(ink), fill_opacity=shade, class_=f"fill-{ink}"),
        ]
        whole = count(n), f"({percent(share, total)})"
        said = next((each for each in (" ".join(whole), whole[0]) if self.fits(each, right - left)), "")
        if said:
            fill, name = (theme.PAPER, "fill-paper") if not part else (theme.TEXT, "fill-text")
            place: dict[str, str | float | None] = {"x": (left + right) / 2, "y": y + BAR / 2 + 4}
            parts.append(element("text", words(said), **place, text_anchor="middle", fill=fill, class_=name))
        return parts

    def fits(self, said: str, room: float) -> bool:
        """Return whether a text stands in so many pixels."""
        return self.frame.sheet.measure(said) + 6 <= room

    def part_names(self, layer: Shares) -> list[str]:
        """Return the names of the parts above the first row that has them."""
        y = self.frame.top - 4
        return [self.text(name, left, y) for name, left in names_of_parts(layer, self.frame)]

    def spans(self, layer: Spans) -> list[str]:
        """Return stretches of the axis, each with its text and a thin line down to where the next one begins."""
        parts: list[str] = []
        frame, ends = self.frame, list(zip(layer.start, layer.stop, strict=True))
        for index, (position, (start, stop)) in enumerate(zip(layer.positions, ends, strict=True)):
            place = frame.y.place(position)
            if place is None or start is None or stop is None:
                continue
            one, other = sorted(frame.across(end) for end in (start, stop))
            y = frame.down(place)
            parts.append(self.box(layer.ink, one, y - 5, max(1.2, other - one), 10))
            at = frame.across(stop)
            parts.append(self.stroke("quiet", at, y + 5, at, frame.down(place + 1) - 5, stroke_width=0.8))
            if layer.texts:
                parts.append(self.text(layer.texts[index], other + 6, y + 4, "start", "text"))
        return parts

    def said(self, layer: Words) -> list[str]:
        """Return a column of words beside the rows, under its heading."""
        heading = "" if self.chart.title else layer.label  # the title of its panel heads it, where it has one
        parts = [self.text(theme.shorten(heading, 40), self.frame.left, self.frame.top - 6)] if heading else []
        for index, position in enumerate(layer.positions):
            place = self.frame.y.place(position)
            if place is not None:
                y = self.frame.down(place) + 4
                parts.append(self.text(theme.shorten(layer.texts[index], 60), self.frame.left, y, "start", "text"))
        return parts


def names_of_parts(layer: Shares, frame: Frame) -> list[tuple[str, float]]:
    """Return the names of parts with their left ends in pixels: the first begins with its part, the others end with it.

    A name that would reach over the one before is left out: no name stands over a part that it is not of.
    """
    first = next((row for row in layer.percentages() if sum(row)), ())
    found: list[tuple[str, float]] = []
    start, free = 0.0, frame.left
    for place, (name, share) in enumerate(zip(layer.parts, first, strict=False)):
        start += share
        width = frame.sheet.measure(name)
        left = frame.across(start) - width if place else frame.left
        if share and left >= free - 0.1 and left + width <= frame.right + 1:
            found.append((name, left))
            free = left + width + 8
    return found


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
            shape, hollow, ink = svg.of_point(layer, index)
            if value is not None:
                if layer.low and layer.high:
                    parts += self.whisker(layer, ink, place, layer.low[index], layer.high[index])
                shape = svg.arrow(layer.along, value_scale.beyond(value)) or shape
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
        arrows = [svg.arrow(layer.along, scale.beyond(end)) for end in (low, high)]
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
        size = min(theme.SIZE, 1.7 * width / max(1, theme.columns(label)), height * (0.42 if two else 0.7))
        x, base = box["x"] + width / 2, box["y"] + height / 2 + size * (0.1 if two else 0.36)
        found = [("text", element("text", words(label) or " ", x=x, y=base, font_size=size))]
        if two:
            small = min(SMALL, 1.7 * width / max(1, theme.columns(below)))
            found.append(("quiet", element("text", words(below), x=x, y=base + small + 1, font_size=small)))
        return found


def largest(layer: Cells) -> float:
    """Return the value of the darkest shade of a heat map: as declared, else the largest; 1 where none is above 0."""
    known = (value for row in layer.values for value in row if value is not None)
    return layer.full or max(known, default=1.0) or 1.0
