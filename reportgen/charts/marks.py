"""Compute the marks of a chart (paths, boxes, points, and text in pixels) for both drawings."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from reportgen.charts import layout, theme
from reportgen.charts.layout import ROW, STRIP, Frame, axis_title, nudge, printed, zone_ends
from reportgen.charts.scales import layers_of
from reportgen.results import Bars, Cells, Chart, Dots, Estimate, Layer, Line, Pairs, Rule, Shares, Spans, Zone
from reportgen.wording.numbers import STYLE, count, fixed, num, percent, point, with_interval

Point = tuple[float, float]

Shape = Literal["circle", "square", "diamond", "triangle", "cross", "left", "right", "up", "down"]
"""Flagged groups and groups with few responses have their own shapes, so color is never the only signal."""


class Path(NamedTuple):
    """Straight lines through points, with `hover` text at each point."""

    points: tuple[Point, ...]
    ink: str
    width: float = 0.8
    dashes: str = "solid"
    hover: tuple[str, ...] = ()
    filled: str | None = None  # opacity of the area, which then has no outline


class Box(NamedTuple):
    """A filled rectangle, or a frame if `framed` is its line width."""

    x: float
    y: float
    width: float
    height: float
    ink: str
    opacity: str | None = None
    framed: float = 0.0
    hover: str = ""
    aside: float = 0.0


class Dot(NamedTuple):
    """A point; a hollow one is filled with the paper color."""

    x: float
    y: float
    shape: Shape
    ink: str
    hollow: bool = False
    width: float = 1.4
    hover: str = ""
    aside: float = 0.0


class Text(NamedTuple):
    """One line of text; `y` is its baseline."""

    said: str
    x: float
    y: float
    anchor: str = "start"
    ink: str = "quiet"
    opacity: str | None = None
    size: float | None = None
    aside: float = 0.0  # pixels between `x` and its position in the plot, at any plot width


Mark = Path | Box | Dot | Text

PART_SHADES = ("1.000", "0.360", "0.160")  # opacity of the first, the second, and all other parts of a whole
BAR, OUTLINE = 22.0, 1.4  # height of a bar of shares, and line width of a hollow bar
SHADES = 20  # shades of a heat map without text
TWO_LINES, SMALL = 24.0, 10.0  # cell height that fits two lines of text, and the font size of the second


def largest(layer: Cells) -> float:
    """Return the value of the darkest shade: the declared one, or the largest value; 1 if none is positive."""
    known = (value for row in layer.values for value in row if value is not None)
    return layer.full or max(known, default=1.0) or 1.0


@dataclass(frozen=True)
class Plot:
    """One plot: its frame, title lines, corner, and marks from bottom to top."""

    frame: Frame
    title: tuple[str, ...] = ()
    x: float = 0.0
    y: float = 0.0

    @property
    def chart(self) -> Chart:
        """The chart of this plot."""
        return self.frame.chart

    def groups(self) -> Iterator[list[Mark]]:
        """Yield marks in groups; marks of a group with the same look can be drawn together."""
        yield list(self.zones())
        yield [*self.axes(), *self.names()]
        yield list(self.rules())
        for layer in self.chart.layers:
            yield [*self.layer(layer), *self.beside(layer)]
        yield list(self.above())

    def zones(self) -> Iterator[Mark]:
        """Yield shaded target zones, with a thin line at each end that is a limit."""
        frame = self.frame
        for layer in layers_of(self.chart, Zone):
            scale, across = frame.axes(layer.axis)
            ends = zone_ends(layer, scale)
            start, stop = across.low, across.high
            (x0, y0), (x1, y1) = (frame.pixels(layer.axis, *at) for at in zip((start, stop), ends, strict=True))
            yield Box(min(x0, x1), min(y0, y1), abs(x1 - x0), abs(y1 - y0), "engine", f"{theme.BAND}")
            for end in (layer.low, layer.high):
                if end is not None and scale.low <= end <= scale.high:
                    line = frame.pixels(layer.axis, start, end), frame.pixels(layer.axis, stop, end)
                    yield Path(line, "quiet", 0.9)

    def axes(self) -> Iterator[Mark]:
        """Yield tick labels, and light grid lines only if values are read from them."""
        frame, bare = self.frame, layout.bare(self.chart)
        ordinary = not bare and not layers_of(self.chart, Cells)
        for tick, label in zip(frame.y.ticks, frame.y.labels, strict=True):
            y = frame.down(tick)
            if ordinary:
                yield Path(((frame.left, y), (frame.right, y)), "grid")
            if frame.sheet.named:
                for at, line in enumerate(lines := label.split("\n"), 1):
                    down = y + 4 + theme.SIZE * (at - (1 + len(lines)) / 2)
                    yield Text(line, frame.left - 8, down, "end", "text" if frame.y.categories else "quiet")
        if bare:
            return
        below = frame.bottom + layout.strip_below(self.chart) + ROW
        for tick, label in zip(frame.x.ticks, frame.x.labels, strict=True):
            x = frame.across(tick)
            if not frame.x.categories and frame.y.categories:
                yield Path(((x, frame.top), (x, frame.bottom)), "grid")
            if frame.sheet.measured:  # limits are dark; other numbers of a fixed scale are pale
                dark = frame.x.categories or tick in frame.x.limits
                pale = None if dark or not frame.x.fixed else theme.PALE
                yield Text(label, x, below, "middle", "text" if dark else "quiet", pale)
        if ordinary and not frame.y.categories:
            yield Path(((frame.left, frame.bottom), (frame.right, frame.bottom)), "quiet")

    def names(self) -> Iterator[Mark]:
        """Yield the panel title, axis names, n heading, legend, and labels above the plot."""
        frame, chart, titled = self.frame, self.chart, ROW * len(self.title)
        for row, line in enumerate(self.title):
            yield Text(line, frame.left, ROW * (row + 1 + layout.key_lines(frame.key)) - 4, ink="text")
        if not layout.bare(chart) and chart.x.title and frame.sheet.measured:
            name = axis_title(chart.x)
            end = min(max(frame.right, frame.sheet.measure(name)), frame.outer)
            below = frame.bottom + layout.strip_below(chart) + 2 * ROW
            yield Text(theme.shorten(name, layout.letters(frame.outer)), end, below, "end")
        if frame.sheet.named and chart.y.title and not layers_of(chart, Shares):
            name = theme.shorten(axis_title(chart.y), layout.letters(frame.outer))
            yield Text(name, 0, titled + ROW * (1 + layout.key_lines(frame.key)) - 2)
        if frame.for_n:
            yield Text(chart.names.n, frame.edge_of_n, frame.top - 6, "end")
        for label, ink, sign, x, line_of_key in frame.key:  # pixels from the left edge
            y, aside = ROW * (line_of_key + 1) - 5, x - frame.left
            if sign in ("box", "frame"):
                yield Box(x, y - 9, 11, 10, ink, aside=aside, framed=OUTLINE * (sign == "frame"))
            else:
                yield Dot(x + 6, y - 4, "circle", ink, sign == "hollow", aside=aside + 6)
            yield Text(label, x + 16, y, ink="text", aside=aside + 16)
        for _, at, label, level in frame.upright:
            yield Text(theme.shorten(label, 60), frame.label_middle(at, label), frame.top - 7 - ROW * level, "middle")

    def rules(self) -> Iterator[Mark]:
        """Yield the straight rules, drawn under the data."""
        frame = self.frame
        above = {id(layer): 4 + ROW * level for layer, _, _, level in frame.upright}
        for rule in layers_of(self.chart, Rule):
            x, y = frame.across(rule.at), frame.down(rule.at)
            upright = ((x, frame.top - above.get(id(rule), 0)), (x, frame.bottom))
            line = upright if rule.axis == "x" else ((frame.left, y), (frame.right, y))
            yield Path(line, rule.ink, 1.2, _dashes_of(rule))

    def layer(self, layer: Layer) -> Iterator[Mark]:
        """Yield the marks of a data layer; rules and zones are drawn below all data."""
        if type(layer) in OF_DATA:
            yield from OF_DATA[type(layer)](self, layer)

    def above(self) -> Iterator[Mark]:
        """Yield the names of lines, and the counts."""
        frame = self.frame
        right, sample = frame.right + 8, layout.sample_width([line for line, _ in frame.line_labels])
        for named, down in frame.line_labels:
            y, end = frame.top + down, right + layout.SAMPLE - 5
            if sample:
                yield from _sample(named, right, end, y)
            yield Text(layout.line_label(named, frame.sheet), right + sample, y + 4, ink="text")
        yield from self._strip()

    def _strip(self) -> Iterator[Mark]:
        """Yield the counts of responses as a small strip under or above the plot."""
        counts, frame = self.chart.strip_counts, self.frame
        if not counts:
            return
        most = max(n for _, n in counts) or 1
        width = max(2.0, min(26.0, 0.7 * frame.width / len(counts)))
        base = frame.top - 8 if self.chart.counts_above else frame.bottom + STRIP - 2
        yield Text(self.chart.names.n, frame.left - 8, base, "end")
        for place, _, n in frame.x.places(*zip(*counts, strict=True)):
            x, height = frame.across(place), (STRIP - 22) * n / most
            yield Box(x - width / 2, base - height, width, height, "muted")
            if len(counts) <= 16:
                yield Text(count(n), x, base - height - 3, "middle")

    def beside(self, layer: Layer) -> Iterator[Mark]:
        """Yield the n column next to the rows, and the frames of cells where row and column have the same name."""
        counted: tuple[Sequence[str | float], Sequence[int]] = (), ()
        if isinstance(layer, Cells):
            counted = layer.rows, layer.n
        elif isinstance(layer, Dots) and layer.along == "x" and self.frame.for_n:
            counted = layer.positions, layer.n
        for place, _, n in self.frame.y.places(*counted) if counted[1] else ():
            yield Text(count(n), self.frame.edge_of_n, self.frame.down(place) + 4, "end")
        if isinstance(layer, Cells) and layer.frame_diagonal and printed(layer):
            for i, row in enumerate(layer.rows):
                for j, column in enumerate(layer.columns):
                    if row == column:
                        yield Box(*self._cell(i, j, 1), "text", framed=1.6)

    def _interval(self, along: str, at: float, ends: tuple[float | None, float | None], ink: str) -> Iterator[Mark]:
        """Yield the line of an interval, with arrows if the axis cuts it; nothing if an end is missing."""
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

    def _points(self, layer: Dots, aside: float = 0.0, named: str = "") -> Iterator[tuple[list[Mark], Dot | None]]:
        """Yield the interval and point of each position that has a value; an arrow at the axis end if it is beyond."""
        scale, across = self.frame.axes(layer.along)
        for index, (position, value) in enumerate(zip(layer.positions, layer.values, strict=True)):
            place, held = across.place(position), scale.held(scale.place(value))
            if place is None or value is None or held is None:
                yield [], None
                continue
            flagged, hollow, pale = (bool(each) and each[index] for each in (layer.flagged, layer.hollow, layer.pale))
            ink = "flag" if flagged else "human" if pale else layer.ink
            ends = (layer.low[index], layer.high[index]) if layer.low and layer.high else (None, None)
            said = with_interval(Estimate(layer.label, value, 0, *ends, kind="score"))
            n = f", n = {count(layer.n[index])}" if layer.n else ""
            hover = _hover(layer.names[index] if layer.names else _position(position), f"{named}{said}{n}")
            shape = _arrow(layer.along, scale.beyond(value)) or ("diamond" if flagged else "circle")
            at = self.frame.pixels(layer.along, place + aside, held)
            shown = flagged or not layer.names
            interval = list(self._interval(layer.along, place + aside, ends, ink)) if shown else []
            yield interval, Dot(*at, shape, ink, hollow, hover=hover)

    def _dots(self, layer: Dots) -> Iterator[Mark]:
        found = list(self._points(layer, nudge(self.frame, layer)))
        yield from (mark for interval, _ in found for mark in interval)
        yield from (dot for _, dot in found if dot)
        if layer.names:
            yield from self._names_of_dots(layer, found)

    def _names_of_dots(self, layer: Dots, found: Sequence[tuple[list[Mark], Dot | None]]) -> Iterator[Text]:
        """Yield the names of points that have room for them, the flagged and the farthest first."""
        frame, named = self.frame, [(name, dot) for name, (_, dot) in zip(layer.names, found, strict=True) if dot]
        taken = list[tuple[float, float, float, float]]()
        for name, dot in sorted(named, key=lambda each: (each[1].ink != "flag", -abs(each[1].y - frame.down(0.0)))):
            for anchor, share, x, y in _around_point(dot.x, dot.y):
                left, width = x - share * frame.sheet.measure(name), frame.sheet.measure(name)
                over, right, under = y - theme.SIZE / 2, left + width, y + theme.SIZE / 2
                inside = frame.left <= left and right <= frame.right and frame.top <= over and under <= frame.bottom
                free = not any(left < x1 and x0 < right and over < y1 and y0 < under for x0, y0, x1, y1 in taken)
                away = [math.hypot(max(left - at.x, 0, at.x - right), max(over - at.y, 0, at.y - under))
                        for _, at in named]  # fmt: skip
                nearest = [at for (_, at), far in zip(named, away, strict=True) if far <= min(away) + 6]
                if inside and free and nearest == [dot]:
                    taken.append((left, over, right, under))
                    yield Text(name, x, y + 4, anchor, "flag" if dot.ink == "flag" else "text", aside=x - dot.x)
                    break

    def _bars(self, layer: Bars) -> Iterator[Mark]:
        group = layers_of(self.chart, Bars)
        slot = self.frame.width / (self.frame.x.high - self.frame.x.low)
        width = 0.76 * slot / len(group)
        offset = -0.38 * slot + group.index(layer) * width
        base = self.frame.down(0)
        for place, position, value in self.frame.x.places(layer.positions, layer.values):
            if value is not None:
                left, y = self.frame.across(place) + offset, self.frame.down(value)
                hover = _hover(str(position), f"{layer.label}: {num(value, 'score')}")
                size = width - 1, abs(base - y)
                yield Box(left, min(y, base), *size, layer.ink, None, OUTLINE * layer.hollow, hover)

    def _line(self, layer: Line) -> Iterator[Mark]:
        frame, run, said = self.frame, list[Point](), list[str]()
        opacity = f"{theme.CHANCE}" if layer.filled else None
        for x, y in (*zip(layer.x, layer.y, strict=True), (None, None)):
            if x is not None and y is not None and math.isfinite(x) and math.isfinite(y):
                run.append((frame.across(x), frame.down(y)))
                said.append(_hover(layer.label, f"{_position(x)}: {num(y, 'score')}"))
            elif run:
                hover = tuple(said) if layer.label else ()
                yield Path(tuple(run), layer.ink, 1.6 if layer.label else 0.7, layer.dashes, hover, opacity)
                if layer.markers:
                    yield from (Dot(*at, layer.markers, layer.ink) for at in run)
                run, said = [], []

    def _cell(self, row: int, column: int, inset: float) -> tuple[float, float, float, float]:
        left, top = self.frame.across(column - 0.5) + inset, self.frame.down(row - 0.5) + inset
        return left, top, self.frame.across(column + 0.5) - left - inset, self.frame.down(row + 0.5) - top - inset

    def _cells(self, layer: Cells) -> Iterator[Mark]:
        """Yield the cells of a heat map; a small one also gets grid lines and text."""
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
        """Yield the two values of each category, their connecting line, and the interval of the second value."""
        many, along = len(layer.positions), layer.along
        first = Dots(layer.labels[0], layer.positions, layer.first, hollow=(layer.hollow_first,) * many, along=along,
                     ink=layer.inks[0])  # fmt: skip
        second = Dots(layer.labels[1], layer.positions, layer.second, layer.low, layer.high, flagged=layer.flagged,
                      along=along, ink=layer.inks[1])  # fmt: skip
        pairs = zip(*(self._points(each, named=f"{each.label}: ") for each in (first, second)), strict=True)
        points: list[Mark] = []
        for index, ((_, one), (interval, other)) in enumerate(pairs):
            known = [(dot.x, dot.y) for dot in (one, other) if dot]
            if len(known) == 2:
                yield Path(tuple(known), "muted", 2.4)
            yield from interval
            points += [dot for dot in (one, other) if dot]
            if layer.notes and layer.notes[index] and known:
                points.append(self._note(layer, layer.notes[index], known))
        yield from points

    def _note(self, layer: Pairs, note: str, points: Sequence[Point]) -> Text:
        if layer.along == "x":
            return Text(note, self.frame.right + 9, points[0][1] + 4, ink="text")
        half = self.frame.sheet.measure(note) / 2
        x = max(self.frame.left + half, min(points[0][0], self.frame.right - half))
        return Text(note, x, min(y for _, y in points) - 9, "middle", "text")

    def _shares(self, layer: Shares) -> Iterator[Mark]:
        """Yield one bar per row with percentages, and the names of the parts above the first bar."""
        frame = self.frame
        yield from self._names_of_parts(layer)
        inks = layer.inks or ("engine",) * len(layer.rows)
        for place, name, counts, shares, ink in frame.y.places(layer.rows, layer.counts, layer.percentages(), inks):
            start, total, y = 0.0, sum(counts), frame.down(place)
            for part, (n, share) in enumerate(zip(counts, shares, strict=True)):
                left, right = frame.across(start), frame.across(start + share)
                start += share
                if not n:
                    continue
                written = percent(share, total)
                hover = _hover(name, f"{layer.parts[part]}: {count(n)} of {count(total)} ({written})")
                shade = 2 * (part == layer.middle) if layer.middle else min(part, len(PART_SHADES) - 1)
                dark = shade == 0
                yield Box(left, y - BAR / 2, max(0.8, right - left - 1), BAR, ink, PART_SHADES[shade], hover=hover)
                text = f"{fixed(share, 0)}{STYLE.get()['percent']}"
                if frame.sheet.measure(text) <= right - left - 6:
                    yield Text(text, (left + right) / 2, y + 4, "middle", "paper" if dark else "text")

    def _names_of_parts(self, layer: Shares) -> Iterator[Text]:
        """Yield the names of parts, at the start of the first and the end of the others, if there is room."""
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
        """Yield stretches of the axis, each with its text and a thin line down to the start of the next one."""
        frame, texts = self.frame, layer.texts or ("",) * len(layer.positions)
        for place, position, start, stop, text in frame.y.places(layer.positions, layer.start, layer.stop, texts):
            if start is None or stop is None:
                continue
            left, right = sorted(map(frame.across, (start, stop)))
            y, at = frame.down(place), frame.across(stop)
            yield Box(left, y - 5, max(1.2, right - left), 10, layer.ink, hover=_hover(position, text))
            if place < len(frame.y.categories) - 1:
                yield Path(((at, y + 5), (at, frame.down(place + 1) - 5)), "quiet")
            if text:
                aside = 6 if right > left else 10  # clear of the point that marks a level
                yield Text(text, right + aside, y + 4, ink="text", aside=aside)


OF_DATA: Mapping[type, Callable[[Plot, Any], Iterator[Mark]]] = {
    Dots: Plot._dots, Bars: Plot._bars, Line: Plot._line, Cells: Plot._cells, Pairs: Plot._pairs,
    Shares: Plot._shares, Spans: Plot._spans,
}  # fmt: skip
"""The drawing method of each kind of layer."""


def _sample(named: Line | Rule | Zone, start: float, end: float, y: float) -> Iterator[Mark]:
    match named:
        case Zone():
            yield Box(start, y - 5, end - start, 10.0, "engine", f"{theme.BAND}")
        case Rule():
            yield Path(((start, y), (end, y)), named.ink, 1.2, _dashes_of(named))
        case Line():
            yield Path(((start, y), (end, y)), named.ink, 1.6, named.dashes)
            if named.markers:
                yield Dot((start + end) / 2, y, named.markers, named.ink)


def _arrow(along: str, beyond: int) -> Shape | None:
    arrows: dict[tuple[str, int], Shape] = {("x", 1): "right", ("x", -1): "left", ("y", 1): "up", ("y", -1): "down"}
    return arrows.get((along, beyond))


def _dashes_of(rule: Rule) -> str:
    return "dot" if rule.ink == "muted" else "rule"


def _position(at: str | float) -> str:
    return at if isinstance(at, str) else point(at) if at == round(at) else fixed(at, 2)


def _around_point(x: float, y: float) -> Iterator[tuple[str, float, float, float]]:
    """Yield anchors, shares of the name to the left of them, and positions around a point, best first."""
    yield from (("start", 0, x + 9, y), ("end", 1, x - 9, y), ("middle", 0.5, x, y - 14), ("middle", 0.5, x, y + 14))
    yield from (
        (way, share, x + 5 - 10 * share, y + down) for down in (-12, 12) for way, share in (("start", 0), ("end", 1))
    )


def _hover(name: str, said: str) -> str:
    return f"{theme.shorten(name, 60)}\n{said}"


def _in_cell(label: str, below: str, box: tuple[float, float, float, float]) -> Iterator[Text]:
    """Yield the text of a cell; the second, smaller line only if there is room."""
    left, top, width, height = box
    two = bool(below) and height >= TWO_LINES
    size = min(theme.SIZE, 1.7 * width / max(1, theme.columns(label)), height * (0.42 if two else 0.7))
    x, base = left + width / 2, top + height / 2 + size * (0.1 if two else 0.36)
    yield Text(label, x, base, "middle", "text", size=size)
    if two:
        small = min(SMALL, 1.7 * width / max(1, theme.columns(below)))
        yield Text(below, x, base + small + 1, "middle", "text", size=small)
