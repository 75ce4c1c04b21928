"""The layers of a chart as SVG; what both drawings of a chart share of them is computed here once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from reportgen.charts import theme
from reportgen.charts.layout import Frame, named_beside, nudge, printed, zone_ends
from reportgen.charts.svg import Attribute, Pen, Shape, arrow, element, grouped, of_point, words
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

SHADES = 20
"""Shades of a heat map without texts."""

TWO_LINES, SMALL = 24.0, 9.0
"""Height of a cell that holds two lines of text, and the size of the lower one, in pixels."""

DASHES = {"solid": None, "dash": "6 4", "dot": "2 3", "dashdot": "7 3 2 3"}

Point = tuple[float, float]


@dataclass(frozen=True)
class Spot:
    """A point in units of its axes: its place, None off the axis; its value where it is drawn; its interval's ends."""

    at: Number
    value: Number
    shape: Shape
    hollow: bool
    ink: Ink
    ends: tuple[Number, Number] = (None, None)


def spots(chart: Chart, frame: Frame, layer: Dots) -> list[Spot]:
    """Return the points of a layer, those of several layers apart; what the axis cuts is an arrow at its end."""
    along, across = frame.axes(layer.along)
    aside = nudge(chart, frame, layer)
    found = []
    for index, (position, value) in enumerate(zip(layer.positions, layer.values, strict=True)):
        at = across.place(position)
        shape, hollow, ink = of_point(layer, index)
        shape = arrow(layer.along, along.beyond(value or 0.0)) or shape
        ends = (layer.low[index], layer.high[index]) if layer.low and layer.high else (None, None)
        found.append(Spot(None if at is None else at + aside, along.held(along.place(value)), shape, hollow, ink, ends))
    return found


def pair_spots(frame: Frame, layer: Pairs) -> list[tuple[Spot, Spot]]:
    """Return both points of every pair; the second one has the interval, and the flag."""
    along, across = frame.axes(layer.along)
    found = []
    for index, position in enumerate(layer.positions):
        at, flagged = across.place(position), bool(layer.flagged) and layer.flagged[index]
        first, second = layer.first[index], layer.second[index]
        shape: Shape = "diamond" if flagged else "circle"
        ends = (layer.low[index], layer.high[index]) if layer.low and layer.high else (None, None)
        ink: Ink = "flag" if flagged else layer.inks[1]
        one, other = (along.held(along.place(value)) for value in (first, second))
        arrows = [arrow(layer.along, along.beyond(value or 0.0)) for value in (first, second)]
        of_first = Spot(at, one, arrows[0] or "circle", layer.hollow_first, layer.inks[0])
        found.append((of_first, Spot(at, other, arrows[1] or shape, False, ink, ends)))
    return found


def stretches(frame: Frame, layer: Zone) -> list[Point]:
    """Return from where to where a zone goes along the other axis: all of it, or the rows that it is for."""
    across = frame.axes(layer.axis)[1]
    places = (place for row in layer.rows if (place := across.place(row)) is not None)
    return [(place - 0.42, place + 0.42) for place in places] if layer.rows else [(across.low, across.high)]


def largest(layer: Cells) -> float:
    """Return the value of the darkest shade of a heat map: as declared, else the largest; 1 where none is above 0."""
    known = (value for row in layer.values for value in row if value is not None)
    return layer.full or max(known, default=1.0) or 1.0


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
                return self._dots(layer)
            case Bars():
                return self._bars(layer)
            case Line():
                return self._line(layer)
            case Cells():
                return self._cells(layer) if printed(layer) else self._shades(layer)
            case Pairs():
                return self._pairs(layer)
            case Shares():
                return self._shares(layer)
            case Spans():
                return self._spans(layer)
            case Words():
                return self._words(layer)
            case _:  # rules and zones are under everything else
                return []

    def zone(self, layer: Zone) -> list[str]:
        """Return the shaded part, with a thin line at each of its ends that is a limit."""
        frame, upright = self.frame, layer.axis == "x"
        scale, along, across = (frame.x, frame.across, frame.down) if upright else (frame.y, frame.down, frame.across)
        low, high = sorted(along(end) for end in zone_ends(layer, scale))
        limits = [along(end) for end in (layer.low, layer.high) if end is not None and scale.low <= end <= scale.high]
        parts = []
        for start, stop in (sorted(map(across, ends)) for ends in stretches(frame, layer)):
            x, y, width, height = (
                (low, start, high - low, stop - start) if upright else (start, low, stop - start, high - low)
            )
            box = {"x": x, "y": y, "width": width, "height": height}
            parts.append(
                element("rect", **box, fill=self.colours.engine, fill_opacity=f"{theme.BAND}", class_="fill-engine")
            )
            lines = [(at, start, at, stop) if upright else (start, at, stop, at) for at in limits]
            parts += [self.stroke("quiet", *line, stroke_width=0.9) for line in lines]
        return parts

    def _pixels(self, along: str, at: Number, value: Number) -> Point | None:
        """Return where a value stands at a place on the other axis; None where either is not known."""
        if at is None or value is None:
            return None
        x, y = (value, at) if along == "x" else (at, value)
        return self.frame.across(x), self.frame.down(y)

    def _interval(self, along: str, spot: Spot, ink: Ink) -> tuple[list[str], list[str]]:
        """Return the line of an interval, and its arrows where the axis cuts it; nothing without two ends."""
        scale = self.frame.axes(along)[0]
        ends = [self._pixels(along, spot.at, scale.held(scale.place(end))) for end in spot.ends]
        start, stop = ends
        if start is None or stop is None:
            return [], []
        arrows = [arrow(along, scale.beyond(end or 0.0)) for end in spot.ends]
        heads = [self.marker(shape, False, ink, *at) for shape, at in zip(arrows, (start, stop), strict=True) if shape]
        return [self.stroke(ink, *start, *stop, stroke_width=1.6)], heads

    def _dots(self, layer: Dots) -> list[str]:
        """Return points, their intervals, and n at the right edge."""
        parts: list[str] = []
        points: list[str] = []
        for index, spot in enumerate(spots(self.chart, self.frame, layer)):
            point = self._pixels(layer.along, spot.at, spot.value)
            if point is not None:
                line, heads = self._interval(layer.along, spot, spot.ink)
                parts += [*line, *heads]
                points.append(self.marker(spot.shape, spot.hollow, spot.ink, *point))
            if spot.at is not None and layer.n and layer.along == "x" and self.frame.for_n:
                parts.append(self._n_of_row(layer.n[index], spot.at))
        return [*parts, *points]

    def _n_of_row(self, n: int, place: float) -> str:
        return self.text(count(n), self.frame.edge_of_n, self.frame.down(place) + 4, "end")

    def _bars(self, layer: Bars) -> list[str]:
        group = [other for other in self.chart.layers if isinstance(other, Bars)]
        slot = self.frame.width / (self.frame.x.high - self.frame.x.low)
        width = 0.76 * slot / len(group)
        offset = -0.38 * slot + group.index(layer) * width
        base, parts = self.frame.down(0), []
        for position, value in zip(layer.positions, layer.values, strict=True):
            place = self.frame.x.place(position)
            if place is not None and value is not None:
                left, y = self.frame.across(place) + offset, self.frame.down(value)
                parts.append(self.box(layer.ink, left, min(y, base), width - 1, abs(base - y)))
        return parts

    def _line(self, layer: Line) -> list[str]:
        """Return a line with its markers; a value that is missing leaves a gap."""
        parts: list[str] = []
        run: list[Point] = []
        for x, y in (*zip(layer.x, layer.y, strict=True), (None, None)):
            if x is not None and y is not None:
                run.append((self.frame.across(x), self.frame.down(y)))
            elif run:
                parts += self._stretch(layer, run)
                run = []
        return parts

    def _stretch(self, layer: Line, run: list[Point]) -> list[str]:
        path = element(
            "polyline",
            points=" ".join(f"{x:.1f},{y:.1f}" for x, y in run),
            fill="none",
            stroke=self.colours.of(layer.ink),
            stroke_width=1.6 if layer.label else 0.7,
            stroke_dasharray=DASHES[layer.dashes],
            class_=f"stroke-{layer.ink}",
        )
        return [path, *([self.marker(layer.markers, False, layer.ink, x, y) for x, y in run] if layer.markers else [])]

    def _cells(self, layer: Cells) -> list[str]:
        frame, most = self.frame, largest(layer)
        shades: list[str] = []
        frames: list[str] = []
        texts: dict[str, list[str]] = {"text": [], "quiet": []}
        for i, row in enumerate(layer.rows):
            for j, column in enumerate(layer.columns):
                x, y = frame.across(j - 0.5) + 1, frame.down(i - 0.5) + 1
                width, height = frame.across(j + 0.5) - x - 1, frame.down(i + 0.5) - y - 1
                box = {"x": x, "y": y, "width": width, "height": height}
                share = min(1.0, max(0.0, (layer.values[i][j] or 0.0) / most))
                if share:
                    shades.append(element("rect", **box, fill_opacity=f"{theme.SHADE * share:.3f}"))
                if layer.frame_diagonal and row == column:
                    frames.append(element("rect", **box))
                below = layer.small[i][j] if layer.small else ""
                for colour, text_of in _in_cell(layer.texts[i][j], below, box):
                    texts[colour].append(text_of)
        # the lines between cells, as one path
        across = (f"M{frame.left:.1f},{frame.down(i - 0.5):.1f}h{frame.width:.1f}" for i in range(len(layer.rows) + 1))
        down = (
            f"M{frame.across(j - 0.5):.1f},{frame.top:.1f}v{frame.height:.1f}" for j in range(len(layer.columns) + 1)
        )
        grid: dict[str, Attribute] = {"fill": "none", "stroke": theme.GRID, "stroke_width": 0.6}
        framed: dict[str, Attribute] = {"fill": "none", "stroke": theme.TEXT, "stroke_width": 1.6}
        return [
            *self._n_of_rows(layer),
            element("path", d="".join((*across, *down)), **grid, class_="stroke-grid"),
            *([element("g", "".join(shades), fill=self.colours.engine, class_="fill-engine")] if shades else []),
            *([element("g", "".join(frames), **framed, class_="stroke-text")] if frames else []),
            *(
                element("g", "".join(grouped(found)), text_anchor="middle", fill=fill, class_=f"fill-{name}")
                for (name, found), fill in zip(texts.items(), (theme.TEXT, theme.QUIET), strict=True)
                if found
            ),
        ]

    def _n_of_rows(self, layer: Cells) -> list[str]:
        return [self._n_of_row(n, row) for row, n in zip(range(len(layer.rows)), layer.n, strict=False)]

    def _shades(self, layer: Cells) -> list[str]:
        """Return a heat map of many cells: one path for each of twenty shades, and no texts."""
        frame, most = self.frame, largest(layer)
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
        ink = self.colours.engine
        return [ground, *self._n_of_rows(layer)] + [
            element("path", d="".join(path), fill=ink, fill_opacity=f"{shade / SHADES:.2f}", class_="fill-engine")
            for shade, path in sorted(paths.items())
        ]

    def _pairs(self, layer: Pairs) -> list[str]:
        parts: list[str] = []
        beside = named_beside(layer, self.frame.x, self.frame.width, self.frame.sheet)
        for index, pair in enumerate(pair_spots(self.frame, layer)):
            if pair[0].at is None:
                continue
            first, second = (self._pixels(layer.along, spot.at, spot.value) for spot in pair)
            if first is not None and second is not None:
                parts.append(self.stroke("muted", *first, *second, stroke_width=2.4))
            parts += self._interval(layer.along, pair[1], pair[1].ink)[0]
            known = [(spot, at) for spot, at in zip(pair, (first, second), strict=True) if at is not None]
            parts += [self.marker(spot.shape, spot.hollow, spot.ink, *at) for spot, at in known]
            if layer.notes and layer.notes[index] and known:
                parts.append(self._noted(layer, layer.notes[index], [at for _, at in known]))
            if beside and not index:
                parts += self._two_names(layer, first or (0.0, 0.0), second or (0.0, 0.0))
        return parts

    def _noted(self, layer: Pairs, note: str, points: Sequence[Point]) -> str:
        if layer.along == "y":
            half = self.frame.sheet.measure(note) / 2
            x = max(self.frame.left + half, min(points[0][0], self.frame.right - half))
            return self.text(note, x, min(y for _, y in points) - 9, "middle", "text")
        return self.text(note, max(x for x, _ in points) + 9, points[0][1] + 4, "start", "text")

    def _two_names(self, layer: Pairs, first: Point, second: Point) -> list[str]:
        """Return the names of both values at the right of the first pair, apart from each other."""
        (x, one), (_, other) = first, second
        apart = max(0.0, theme.SIZE + 1 - abs(one - other)) / 2
        up = -1.0 if one <= other else 1.0
        heights = (one + up * apart + 4, other - up * apart + 4)
        return [self.text(name, x + 8, y, "start", "text") for name, y in zip(layer.labels, heights, strict=True)]

    def _shares(self, layer: Shares) -> list[str]:
        """Return one bar for each row with its counts and percentages, the names of the parts above the first."""
        parts = [self.text(name, left, self.frame.top - 4) for name, left in names_of_parts(layer, self.frame)]
        for row, (counts, shares) in enumerate(zip(layer.counts, layer.percentages(), strict=True)):
            place = self.frame.y.place(layer.rows[row])
            if place is None:
                continue
            ink = layer.inks[row] if layer.inks else "engine"
            y, start = self.frame.down(place) - BAR / 2, 0.0
            for part, (n, share) in enumerate(zip(counts, shares, strict=True)):
                ends = self.frame.across(start), self.frame.across(start + share)
                parts += self._share(ink, part, y, ends, n, percent(share, sum(counts))) if n else []
                start += share
        return parts

    def _share(self, ink: Ink, part: int, y: float, ends: Point, n: int, share: str) -> list[str]:
        left, right = ends
        box = {"x": left, "y": y, "width": max(0.8, right - left - 1), "height": BAR}
        shade = PART_SHADES[min(part, len(PART_SHADES) - 1)]
        parts = [
            element("rect", **box, fill=theme.PAPER, class_="fill-paper"),
            element("rect", **box, fill=self.colours.of(ink), fill_opacity=shade, class_=f"fill-{ink}"),
        ]
        room = right - left - 6
        said = next(
            (each for each in (f"{count(n)} ({share})", count(n)) if self.frame.sheet.measure(each) <= room), ""
        )
        if said:
            fill, name = (theme.PAPER, "fill-paper") if not part else (theme.TEXT, "fill-text")
            place: dict[str, Attribute] = {"x": (left + right) / 2, "y": y + BAR / 2 + 4}
            parts.append(element("text", words(said), **place, text_anchor="middle", fill=fill, class_=name))
        return parts

    def _spans(self, layer: Spans) -> list[str]:
        """Return stretches of the axis, each with its text and a thin line down to where the next one begins."""
        parts: list[str] = []
        frame = self.frame
        for index, (position, start, stop) in enumerate(zip(layer.positions, layer.start, layer.stop, strict=True)):
            place = frame.y.place(position)
            if place is None or start is None or stop is None:
                continue
            one, other = sorted(frame.across(end) for end in (start, stop))
            y, at = frame.down(place), frame.across(stop)
            parts.append(self.box(layer.ink, one, y - 5, max(1.2, other - one), 10))
            parts.append(self.stroke("quiet", at, y + 5, at, frame.down(place + 1) - 5, stroke_width=0.8))
            if layer.texts:
                parts.append(self.text(layer.texts[index], other + 6, y + 4, "start", "text"))
        return parts

    def _words(self, layer: Words) -> list[str]:
        heading = "" if self.chart.title else layer.label  # the title of its panel heads it, where it has one
        parts = [self.text(theme.shorten(heading, 40), self.frame.left, self.frame.top - 6)] if heading else []
        for position, said in zip(layer.positions, layer.texts, strict=True):
            place = self.frame.y.place(position)
            if place is not None:
                y = self.frame.down(place) + 4
                parts.append(self.text(theme.shorten(said, 60), self.frame.left, y, "start", "text"))
        return parts


def _in_cell(label: str, below: str, box: dict[str, float]) -> list[tuple[str, str]]:
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
