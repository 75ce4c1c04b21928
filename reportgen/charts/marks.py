"""The marks of a chart: paths, boxes, points and texts in pixels, which both drawings of a chart are made of."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from reportgen.charts import layout, theme
from reportgen.charts.layout import ROW, STRIP, Frame, nudge, printed, zone_ends
from reportgen.charts.panels import axis_title, names_inside
from reportgen.results import Estimate
from reportgen.results.chart import (
    Bars,
    Cells,
    Chart,
    Dots,
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
from reportgen.wording.numbers import count, fixed, num, percent, point, with_interval

Point = tuple[float, float]

Shape = Literal["circle", "square", "diamond", "triangle", "cross", "left", "right", "up", "down"]
"""What is flagged or rests on few responses has a shape of its own, never a colour alone."""


@dataclass(frozen=True)
class Path:
    """Straight lines through points; `hover` is said at each of them."""

    points: tuple[Point, ...]
    ink: str
    width: float = 0.8
    dashes: str = "solid"
    hover: tuple[str, ...] = ()


@dataclass(frozen=True)
class Box:
    """A filled rectangle, or a frame where `framed` is the width of its line."""

    x: float
    y: float
    width: float
    height: float
    ink: str
    opacity: str | None = None
    framed: float = 0.0
    hover: str = ""
    aside: float = 0.0


@dataclass(frozen=True)
class Dot:
    """A point; a hollow one is filled with paper."""

    x: float
    y: float
    shape: Shape
    ink: str
    hollow: bool = False
    width: float = 1.4
    hover: str = ""
    aside: float = 0.0


@dataclass(frozen=True)
class Text:
    """One line of text; `y` is its baseline.

    `aside`: How many pixels of `x` lie between it and its place in the plot, however wide the plot is drawn.
    """

    said: str
    x: float
    y: float
    anchor: str = "start"
    ink: str = "quiet"
    opacity: str | None = None
    size: float | None = None
    aside: float = 0.0


Mark = Path | Box | Dot | Text

PART_SHADES = ("1.000", "0.360", "0.160")
"""Opacity of the first, the second and every further part of a whole."""

BAR = 22.0
"""Height of a bar of shares, in pixels."""

SHADES = 20
"""Shades of a heat map without texts."""

TWO_LINES, SMALL = 24.0, 9.0
"""Height of a cell that holds two lines of text, and the size of the lower one, in pixels."""


def largest(layer: Cells) -> float:
    """Return the value of the darkest shade of a heat map: as declared, else the largest; 1 where none is above 0."""
    known = (value for row in layer.values for value in row if value is not None)
    return layer.full or max(known, default=1.0) or 1.0


class Plot:
    """One plot as marks, from the lowest to the uppermost."""

    def __init__(self, chart: Chart, frame: Frame, title: Sequence[str] = ()) -> None:
        self.chart = chart
        self.frame = frame
        self.title = title

    def groups(self) -> Iterator[list[Mark]]:
        """Yield marks in groups; those of a group that look alike may be drawn in one go."""
        yield list(self.zones())
        yield [*self.axes(), *self.names()]
        yield list(self.rules())
        for layer in self.chart.layers:
            yield [*self.layer(layer), *self.beside(layer)]
        yield list(self.above())

    def zones(self) -> Iterator[Mark]:
        """Yield the parts where values should lie, shaded, with a thin line at each end that is a limit."""
        frame = self.frame
        for layer in self.chart.layers:
            if isinstance(layer, Zone):
                scale, across = frame.axes(layer.axis)
                ends = zone_ends(layer, scale)
                places = [place for row in layer.rows if (place := across.place(row)) is not None]
                rows = [(place - 0.42, place + 0.42) for place in places] if layer.rows else [(across.low, across.high)]
                for start, stop in rows:
                    (x0, y0), (x1, y1) = (frame.pixels(layer.axis, *at) for at in zip((start, stop), ends, strict=True))
                    box = min(x0, x1), min(y0, y1), abs(x1 - x0), abs(y1 - y0)
                    yield Box(*box, "engine", f"{theme.BAND}")
                    for end in (layer.low, layer.high):
                        if end is not None and scale.low <= end <= scale.high:
                            line = tuple(frame.pixels(layer.axis, at, end) for at in (start, stop))
                            yield Path(line, "quiet", 0.9)

    def axes(self) -> Iterator[Mark]:
        """Yield tick labels, and light lines only where values are read off."""
        frame, bare = self.frame, layout.bare(self.chart)
        ordinary = not bare and not any(isinstance(layer, Cells) for layer in self.chart.layers)
        for tick, label in zip(frame.y.ticks, frame.y.labels, strict=True):
            y = frame.down(tick)
            if ordinary:
                yield Path(((frame.left, y), (frame.right, y)), "grid")
            if frame.sheet.named:
                yield Text(label, frame.left - 8, y + 4, "end", "text" if frame.y.categories else "quiet")
        if bare:
            return
        below = frame.bottom + layout.strip_below(self.chart) + ROW
        for tick, label in zip(frame.x.ticks, frame.x.labels, strict=True):
            x = frame.across(tick)
            if not frame.x.categories and frame.y.categories:
                yield Path(((x, frame.top), (x, frame.bottom)), "grid")
            if frame.sheet.measured:  # a limit is dark, the other numbers of a scale that never moves are pale
                dark = frame.x.categories or tick in frame.x.limits
                pale = None if dark or not frame.x.fixed else theme.PALE
                yield Text(label, x, below, "middle", "text" if dark else "quiet", pale)
        if ordinary and not frame.y.categories:
            yield Path(((frame.left, frame.bottom), (frame.right, frame.bottom)), "quiet")

    def names(self) -> Iterator[Mark]:
        """Yield the title of a panel, the names of the axes, the heading of n, the key, and labels above the plot."""
        frame, chart, titled = self.frame, self.chart, ROW * len(self.title)
        for row, line in enumerate(self.title):
            yield Text(line, frame.left, ROW * (row + 1) - 4, ink="text")
        if not layout.bare(chart) and chart.x.title and frame.sheet.measured:
            name = axis_title(chart.x)
            end = frame.right if theme.columns(name) <= layout.letters(frame.right) else frame.outer
            below = frame.bottom + layout.strip_below(chart) + 2 * ROW
            yield Text(theme.shorten(name, layout.letters(frame.outer)), end, below, "end")
        if frame.sheet.named and chart.y.title and not any(isinstance(layer, Shares) for layer in chart.layers):
            name = theme.shorten(axis_title(chart.y), layout.letters(frame.outer))
            yield Text(name, 0, titled + ROW * (2 if frame.key else 1) - 2)
        if frame.for_n:
            yield Text(chart.names.n, frame.edge_of_n, frame.top - 6, "end")
        x, y = 0.0, titled + ROW - 5
        for entry in frame.key:  # from the left edge on, in pixels
            label, aside = theme.shorten(entry.label, 40), x - frame.left
            if entry.sign == "box":
                yield Box(x, y - 9, 11, 10, entry.ink, aside=aside)
            else:
                yield Dot(x + 6, y - 4, "circle", entry.ink, entry.sign == "hollow", aside=aside + 6)
            yield Text(label, x + 16, y, ink="text", aside=aside + 16)
            x += 32 + frame.sheet.measure(label)
        for (_, at, label), level in zip(layout.upright(chart, frame.x), frame.rule_levels, strict=True):
            yield Text(theme.shorten(label, 60), frame.label_middle(at, label), frame.top - 7 - ROW * level, "middle")

    def rules(self) -> Iterator[Mark]:
        """Yield the straight lines, under the data."""
        frame = self.frame
        labels = zip(layout.upright(self.chart, frame.x), frame.rule_levels, strict=True)
        above = {id(layer): 4 + ROW * level for (layer, _, _), level in labels}
        for rule in (layer for layer in self.chart.layers if isinstance(layer, Rule)):
            x, y = frame.across(rule.at), frame.down(rule.at)
            upright = ((x, frame.top - above.get(id(rule), 0)), (x, frame.bottom))
            line = upright if rule.axis == "x" else ((frame.left, y), (frame.right, y))
            yield Path(line, rule.ink, 1.2, _dashes_of(rule))

    def layer(self, layer: Layer) -> Iterator[Mark]:
        """Yield the marks of the data of a layer."""
        match layer:
            case Dots():
                yield from self._dots(layer)
            case Bars():
                yield from self._bars(layer)
            case Line():
                yield from self._line(layer)
            case Cells():
                yield from self._cells(layer)
            case Pairs():
                yield from self._pairs(layer)
            case Shares():
                yield from self._shares(layer)
            case Spans():
                yield from self._spans(layer)
            case Words():
                yield from self._words(layer)
            case Rule() | Zone():  # under everything else
                return

    def above(self) -> Iterator[Mark]:
        """Yield the names of lines, in the plot or at their ends, of several with samples; and the counts."""
        frame = self.frame
        for name, (x, baseline) in names_inside(self.chart, frame):
            yield Text(name, x, baseline, "middle")
        right, sample = frame.right + 8, layout.sampled(frame)
        for line, down in frame.line_labels:
            y, end = frame.top + down, right + layout.SAMPLE - 5
            if sample and isinstance(line, Zone):
                yield Box(right, y - 5, end - right, 10.0, "engine", f"{theme.BAND}")
            elif sample and isinstance(line, Rule):
                yield Path(((right, y), (end, y)), line.ink, 1.2, _dashes_of(line))
            elif sample and isinstance(line, Line):
                yield Path(((right, y), (end, y)), line.ink, 1.6, line.dashes)
                if line.markers:
                    yield Dot((right + end) / 2, y, line.markers, line.ink)
            yield Text(layout.line_label(line, frame.sheet), right + sample, y + 4, ink="text")
        yield from self._strip()

    def _strip(self) -> Iterator[Mark]:
        """Yield the counts of responses as a small strip under the plot, or above it."""
        counts, frame = self.chart.strip_counts, self.frame
        if not counts:
            return
        most = max(n for _, n in counts) or 1
        width = max(2.0, min(26.0, 0.7 * frame.width / len(counts)))
        base = frame.top - 8 if self.chart.counts_above else frame.bottom + STRIP - 2
        yield Text(self.chart.names.n, frame.left - 8, base, "end")
        for position, n in counts:
            place = frame.x.place(position)
            if place is not None:
                x, height = frame.across(place), (STRIP - 22) * n / most
                yield Box(x - width / 2, base - height, width, height, "muted")
                if len(counts) <= 16:
                    yield Text(count(n), x, base - height - 3, "middle")

    def beside(self, layer: Layer) -> Iterator[Mark]:
        """Yield the column of n beside the rows of a layer, and the frames of cells with two equal names."""
        n: Sequence[int] = ()
        rows: Sequence[str | float] = ()
        if isinstance(layer, Cells):
            rows, n = layer.rows, layer.n
        elif isinstance(layer, Dots) and layer.along == "x" and self.frame.for_n:
            rows, n = layer.positions, layer.n
        for position, size in zip(rows, n, strict=False):
            place = self.frame.y.place(position)
            if place is not None:
                yield Text(count(size), self.frame.edge_of_n, self.frame.down(place) + 4, "end")
        if isinstance(layer, Cells) and layer.frame_diagonal and printed(layer):
            for i, row in enumerate(layer.rows):
                for j, column in enumerate(layer.columns):
                    if row == column:
                        yield Box(*self._cell(i, j, 1), "text", framed=1.6)

    def _interval(self, along: str, at: float, ends: tuple[Number, Number], ink: str) -> Iterator[Mark]:
        """Yield the line of an interval, and arrows where the axis cuts it; nothing without two ends."""
        scale = self.frame.axes(along)[0]
        held = [scale.held(scale.place(end)) for end in ends]
        if held[0] is None or held[1] is None:
            return
        start, stop = (self.frame.pixels(along, at, end or 0.0) for end in held)
        yield Path((start, stop), ink, 1.6)
        for end, place in zip(ends, (start, stop), strict=True):
            shape = _arrow(along, scale.beyond(end or 0.0))
            if shape:
                yield Dot(*place, shape, ink)

    def _point(
        self, along: str, at: float, value: Number, shape: Shape, ink: str, hollow: bool, hover: str
    ) -> Iterator[Dot]:
        """Yield the point of a value, at the end of an axis that it lies beyond as an arrow."""
        scale = self.frame.axes(along)[0]
        held = scale.held(scale.place(value))
        if held is not None:
            shape = _arrow(along, scale.beyond(value or 0.0)) or shape
            yield Dot(*self.frame.pixels(along, at, held), shape, ink, hollow, hover=hover)

    def _dots(self, layer: Dots) -> Iterator[Mark]:
        across = self.frame.axes(layer.along)[1]
        aside = nudge(self.chart, self.frame, layer)
        points: list[Dot] = []
        for index, position in enumerate(layer.positions):
            place, value = across.place(position), layer.values[index]
            if place is None or value is None:
                continue
            flagged, hollow, pale = (bool(each) and each[index] for each in (layer.flagged, layer.hollow, layer.pale))
            ink = "flag" if flagged else "human" if pale else layer.ink
            ends = (layer.low[index], layer.high[index]) if layer.low and layer.high else (None, None)
            yield from self._interval(layer.along, place + aside, ends, ink)
            n = f", n = {count(layer.n[index])}" if layer.n else ""
            hover = _hover(_position(position), _measured(layer.label, value, ends) + n)
            shape: Shape = "diamond" if flagged else "circle"
            points += self._point(layer.along, place + aside, value, shape, ink, hollow, hover)
        yield from points

    def _bars(self, layer: Bars) -> Iterator[Mark]:
        group = [other for other in self.chart.layers if isinstance(other, Bars)]
        slot = self.frame.width / (self.frame.x.high - self.frame.x.low)
        width = 0.76 * slot / len(group)
        offset = -0.38 * slot + group.index(layer) * width
        base = self.frame.down(0)
        for position, value in zip(layer.positions, layer.values, strict=True):
            place = self.frame.x.place(position)
            if place is not None and value is not None:
                left, y = self.frame.across(place) + offset, self.frame.down(value)
                hover = _hover(str(position), f"{layer.label}: {num(value, 'score')}")
                yield Box(left, min(y, base), width - 1, abs(base - y), layer.ink, hover=hover)

    def _line(self, layer: Line) -> Iterator[Mark]:
        """Yield a line with its markers; a value that is missing leaves a gap."""
        frame, run, said = self.frame, list[Point](), list[str]()
        for x, y in (*zip(layer.x, layer.y, strict=True), (None, None)):
            if x is not None and y is not None and math.isfinite(x) and math.isfinite(y):
                run.append((frame.across(x), frame.down(y)))
                said.append(_hover(layer.label, f"{_position(x)}: {num(y, 'score')}"))
            elif run:
                hover = tuple(said) if layer.label else ()
                yield Path(tuple(run), layer.ink, 1.6 if layer.label else 0.7, layer.dashes, hover)
                if layer.markers:
                    yield from (Dot(*at, layer.markers, layer.ink) for at in run)
                run, said = [], []

    def _cell(self, row: int, column: int, inset: float) -> tuple[float, float, float, float]:
        left, top = self.frame.across(column - 0.5) + inset, self.frame.down(row - 0.5) + inset
        return left, top, self.frame.across(column + 0.5) - left - inset, self.frame.down(row + 0.5) - top - inset

    def _cells(self, layer: Cells) -> Iterator[Mark]:
        """Yield the shades of a heat map; of one with few cells with lines between them, and with texts."""
        frame, most, has_texts = self.frame, largest(layer), printed(layer)
        if has_texts:
            for i in range(len(layer.rows) + 1):
                yield Path(((frame.left, frame.down(i - 0.5)), (frame.right, frame.down(i - 0.5))), "grid", 0.6)
            for j in range(len(layer.columns) + 1):
                yield Path(((frame.across(j - 0.5), frame.top), (frame.across(j - 0.5), frame.bottom)), "grid", 0.6)
        else:
            yield Box(frame.left, frame.top, frame.width, frame.height, "grid", framed=0.8)
        for i, row in enumerate(layer.values):
            for j, value in enumerate(row):
                box, share = self._cell(i, j, int(has_texts)), min(1.0, max(0.0, (value or 0.0) / most))
                shade = f"{theme.SHADE * share:.3f}" if has_texts else f"{math.ceil(SHADES * share) / SHADES:.2f}"
                if share:
                    yield Box(*box, "engine", shade)
                if has_texts:
                    yield from _in_cell(layer.texts[i][j], layer.small[i][j] if layer.small else "", box)

    def _pairs(self, layer: Pairs) -> Iterator[Mark]:
        """Yield two values of each category, the line between them, and the interval of the second one."""
        frame = self.frame
        points: list[Mark] = []
        for index, position in enumerate(layer.positions):
            at = frame.axes(layer.along)[1].place(position)
            if at is None:
                continue
            flagged = bool(layer.flagged) and layer.flagged[index]
            ends = (layer.low[index], layer.high[index]) if layer.low and layer.high else (None, None)
            ink = "flag" if flagged else layer.inks[1]
            shape: Shape = "diamond" if flagged else "circle"
            one, other = layer.first[index], layer.second[index]
            hovers = (
                _hover(position, f"{layer.labels[0]}: {_measured(layer.labels[0], one, (None, None))}"),
                _hover(position, f"{layer.labels[1]}: {_measured(layer.labels[1], other, ends)}"),
            )
            first = [*self._point(layer.along, at, one, "circle", layer.inks[0], layer.hollow_first, hovers[0])]
            second = [*self._point(layer.along, at, other, shape, ink, False, hovers[1])]
            known = [(dot.x, dot.y) for dot in (*first, *second)]
            if first and second:
                yield Path((known[0], known[1]), "muted", 2.4)
            yield from self._interval(layer.along, at, ends, ink)
            points += [*first, *second]
            if layer.notes and layer.notes[index] and known:
                points.append(self._note(layer, layer.notes[index], known))
            if not index and len(known) == 2 and layout.named_beside(layer, frame.x, frame.width, frame.sheet):
                points += _two_names(layer.labels, *known)
        yield from points

    def _note(self, layer: Pairs, note: str, points: Sequence[Point]) -> Text:
        """Return what is written beside a pair, or above it."""
        if layer.along == "x":
            return Text(note, max(x for x, _ in points) + 9, points[0][1] + 4, ink="text", aside=9)
        half = self.frame.sheet.measure(note) / 2
        x = max(self.frame.left + half, min(points[0][0], self.frame.right - half))
        return Text(note, x, min(y for _, y in points) - 9, "middle", "text")

    def _shares(self, layer: Shares) -> Iterator[Mark]:
        """Yield one bar for each row with its counts and percentages, the names of the parts above the first."""
        frame = self.frame
        yield from self._names_of_parts(layer)
        for row, (name, counts, shares) in enumerate(zip(layer.rows, layer.counts, layer.percentages(), strict=True)):
            place = frame.y.place(name)
            if place is None:
                continue
            ink, start, total = layer.inks[row] if layer.inks else "engine", 0.0, sum(counts)
            for part, (n, share) in enumerate(zip(counts, shares, strict=True)):
                left, right = frame.across(start), frame.across(start + share)
                start += share
                if not n:
                    continue
                written = percent(share, total)
                hover = _hover(name, f"{layer.parts[part]}: {count(n)} of {count(total)} ({written})")
                opacity = PART_SHADES[min(part, len(PART_SHADES) - 1)]
                y = frame.down(place)
                yield Box(left, y - BAR / 2, max(0.8, right - left - 1), BAR, ink, opacity, hover=hover)
                for text in (f"{count(n)} ({written})", count(n)):
                    if frame.sheet.measure(text) <= right - left - 6:
                        yield Text(text, (left + right) / 2, y + 4, "middle", "text" if part else "paper")
                        break

    def _names_of_parts(self, layer: Shares) -> Iterator[Text]:
        """Yield the names of parts: the first begins with its part, the others end with it.

        A name that would reach over the one before is left out: no name stands over a part that it is not of.
        """
        first = next((row for row in layer.percentages() if sum(row)), ())
        frame, start = self.frame, 0.0
        free = frame.left
        for place, (name, share) in enumerate(zip(layer.parts, first, strict=False)):
            start += share
            width = frame.sheet.measure(name)
            left = frame.across(start) - width if place else frame.left
            if share and left >= free - 0.1 and left + width <= frame.right + 1:
                yield Text(name, left, frame.top - 4)
                free = left + width + 8

    def _spans(self, layer: Spans) -> Iterator[Mark]:
        """Yield stretches of the axis, each with its text and a thin line down to where the next one begins."""
        frame, texts = self.frame, layer.texts or ("",) * len(layer.positions)
        for position, start, stop, text in zip(layer.positions, layer.start, layer.stop, texts, strict=True):
            place = frame.y.place(position)
            if place is None or start is None or stop is None:
                continue
            left, right = sorted(map(frame.across, (start, stop)))
            y, at = frame.down(place), frame.across(stop)
            yield Box(left, y - 5, max(1.2, right - left), 10, layer.ink, hover=_hover(position, text))
            yield Path(((at, y + 5), (at, frame.down(place + 1) - 5)), "quiet")
            if text:
                yield Text(text, right + 6, y + 4, ink="text", aside=6)

    def _words(self, layer: Words) -> Iterator[Mark]:
        if not self.chart.title:  # the title of its panel heads it, where it has one
            yield Text(theme.shorten(layer.label, 40), self.frame.left, self.frame.top - 6)
        for position, said in zip(layer.positions, layer.texts, strict=True):
            place = self.frame.y.place(position)
            if place is not None:
                yield Text(theme.shorten(said, 60), self.frame.left, self.frame.down(place) + 4, ink="text")


def _arrow(along: str, beyond: int) -> Shape | None:
    """Return the arrow for what lies beyond the low (-1) or the high (1) end of an axis; None for what does not."""
    if not beyond:
        return None
    if along == "x":
        return "right" if beyond > 0 else "left"
    return "up" if beyond > 0 else "down"


def _dashes_of(rule: Rule) -> str:
    """Return the dashes of a limit, or of what only helps to read."""
    return "dot" if rule.ink == "muted" else "rule"


def _position(at: str | float) -> str:
    """Return a place on an axis as a hover names it: whole numbers without decimals."""
    return at if isinstance(at, str) else point(at) if at == round(at) else fixed(at, 2)


def _hover(name: str, said: str) -> str:
    return f"{theme.shorten(name, 60)}\n{said}"


def _measured(label: str, value: Number, ends: tuple[Number, Number]) -> str:
    return with_interval(Estimate(label, value, 0, *ends, kind="score"))


def _two_names(labels: tuple[str, str], first: Point, second: Point) -> list[Text]:
    """Return the names of both values at the right of the first pair, apart from each other."""
    (x, one), (_, other) = first, second
    apart = max(0.0, theme.SIZE + 1 - abs(one - other)) / 2
    up = -1.0 if one <= other else 1.0
    heights = (one + up * apart + 4, other - up * apart + 4)
    return [Text(name, x + 8, y, ink="text", aside=8) for name, y in zip(labels, heights, strict=True)]


def _in_cell(label: str, below: str, box: tuple[float, float, float, float]) -> Iterator[Text]:
    """Yield what is printed in a cell: small letters only where two lines have room."""
    left, top, width, height = box
    two = bool(below) and height >= TWO_LINES
    size = min(theme.SIZE, 1.7 * width / max(1, theme.columns(label)), height * (0.42 if two else 0.7))
    x, base = left + width / 2, top + height / 2 + size * (0.1 if two else 0.36)
    yield Text(label, x, base, "middle", "text", size=size)
    if two:
        small = min(SMALL, 1.7 * width / max(1, theme.columns(below)))
        yield Text(below, x, base + small + 1, "middle", size=small)
