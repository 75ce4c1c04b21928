"""Where the parts of a chart stand, in pixels: shared by the interactive and the static drawing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeGuard

from reportgen.charts import theme
from reportgen.charts.scales import AxisScale, scales
from reportgen.results.chart import Bars, Cells, Chart, Dots, Ink, Line, Number, Pairs, Rule, Shares, Spans, Words, Zone
from reportgen.wording.numbers import count

MOST = 50
"""Categories a picture shows at most; the data table under it shows all."""

ROW = 16.0
"""Height of one line of text."""

DENSE, DENSE_ROW = 20, 14.0
"""Rows above which they stand closer on paper, and their height: a tall picture leaves half a page empty before it."""

CELL, PRINTED_CELL = 30.0, 26.0
"""Height of a row of a heat map, and the same on paper."""

COLUMN = 72.0
"""Width of a column of a heat map at most, unless its name is longer."""

TALL = 600.0
"""Height of a plot with many categories: a picture and its caption fit on a page, A4 or Letter."""

STRIP = 40.0
"""Height of the strip of counts under a chart."""

PRINTED = 20
"""Rows and columns of a heat map up to which its cells hold their texts; beyond, only shades can be seen."""

SQUARE = 44.0
"""Side of a cell of a heat map with a framed diagonal, at most."""

SHARE_ROW, PAIR_ROW = 30.0, 24.0
"""Height of a row of shares, and of one of two values joined by a line."""

GAP = 4.0
"""Pixels between two names beside each other on an axis."""

SAMPLE = 22.0
"""Pixels of the sample of a line before its name, where several lines have names; the gap to the name included."""

TICK = 0.75 * theme.SIZE
"""Pixels for each letter of a number on an axis, the gap to the next one included."""


@dataclass(frozen=True)
class Sheet:
    """What a chart is drawn on.

    Parameters
    ----------
    width
        Of the whole picture in pixels.
    printed
        Whether rows stand as close as paper asks.
    plot
        Height of a plot between two number lines, in pixels.
    label
        Columns of a category's label at most; the full name is in the data table.
    square
        Side of a square plot at most, in pixels.
    named, counted, ended
        Whether the names of rows, their n, and the names of lines stand beside the plot: panels beside each other have
        them once.
    measured
        Whether numbers and name of the x axis stand under the plot: panels below each other on one axis have them once.
    dense
        Whether rows stand closer than else: panels below each other have many rows together.
    left, right
        Margins at least: panels below each other have the same.
    """

    width: float = theme.WIDTH
    printed: bool = False
    plot: float = 200.0
    label: int = 34
    square: float = 280.0
    named: bool = True
    counted: bool = True
    ended: bool = True
    measured: bool = True
    dense: bool = False
    left: float = 0.0
    right: float = 0.0

    def measure(self, label: str) -> float:
        """Return the width of a label in pixels."""
        return theme.width(label, theme.SIZE)


SCREEN = Sheet()

PHONE = Sheet(width=350.0, label=22)
"""The screen of a phone, with letters of the same size."""

PAGE = Sheet(printed=True, plot=144.0, label=46, square=230.0)
"""The printed page: low enough for three charts to share it with their words."""

HALF = replace(PAGE, width=308.0, label=30)
"""Half of it, without the gap between the halves."""

NARROW = replace(HALF, width=282.0)
"""What is left of it beside a table that is a little wider than half."""


Mark = Line | Rule | Zone
"""What may have its name at the right edge of the plot."""


@dataclass(frozen=True)
class Entry:
    """One entry of the key above a plot."""

    label: str
    ink: Ink
    sign: str = "dot"


@dataclass(frozen=True)
class Frame:
    """The plot area and everything around it on its sheet; `key` explains the layers that have no name of their own.

    `line_labels` are the names of lines, and of rules and zones across, at the right edge of the plot.
    """

    sheet: Sheet
    left: float
    top: float
    width: float
    height: float
    total: float
    x: AxisScale
    y: AxisScale
    key: tuple[Entry, ...]
    rule_levels: tuple[int, ...]
    line_labels: tuple[tuple[Mark, float], ...]
    for_n: float

    @property
    def outer(self) -> float:
        """Width of the whole picture."""
        return self.sheet.width

    @property
    def right(self) -> float:
        """Right edge of the plot area."""
        return self.left + self.width

    @property
    def edge_of_n(self) -> float:
        """Right edge of the column of n: that of the picture, or near a plot that does not fill it."""
        return min(self.outer - 4, self.right + (8 if self.x.categories else 14) + self.for_n)

    @property
    def bottom(self) -> float:
        """Lower edge of the plot area, above the strip and the tick labels."""
        return self.top + self.height

    def axes(self, along: str) -> tuple[AxisScale, AxisScale]:
        """Return the axis of values, which is named, and the other one."""
        return (self.x, self.y) if along == "x" else (self.y, self.x)

    def across(self, value: float) -> float:
        """Return the horizontal place of an x value in pixels."""
        return self.left + self.width * self.x.fraction(value)

    def pixels(self, along: str, at: float, value: float) -> tuple[float, float]:
        """Return where a value on one axis stands at a place on the other."""
        x, y = (value, at) if along == "x" else (at, value)
        return self.across(x), self.down(y)

    def label_middle(self, at: float, label: str) -> float:
        """Return where a label above the plot has its middle: above its place, but clear of the column of n."""
        half = self.sheet.measure(label) / 2
        return max(half, min(self.across(at), self.outer - self.for_n - half))

    def down(self, value: float) -> float:
        """Return the vertical place of a y value in pixels; categories run from the top."""
        share = self.y.fraction(value)
        return self.top + self.height * (share if self.y.categories else 1 - share)


def frame(chart: Chart, sheet: Sheet = SCREEN) -> Frame:
    """Return the frame of `chart`, which has no panels, as wide as its sheet and as high as its content asks for."""
    x, y = scales(chart)
    y = replace(y, labels=theme.shorten_apart(y.labels, sheet.label))
    lines = tuple(layer for layer in chart.layers if sheet.ended and _named_at_the_end(layer))
    left = max(28.0, 14 + max(map(sheet.measure, y.labels), default=0.0)) if sheet.named else 8.0
    left = max(sheet.left, left)
    for_n = _width_of_n(chart, sheet) if sheet.counted else 0.0
    right = max(sheet.right, margin_right(sheet, x) + for_n + endings(lines, sheet) + _beside_points(chart, sheet))
    width = max(20.0, _plot_width(chart, sheet.width - left - right, [sheet.measure(label) for label in x.labels]))
    width = min(width, sheet.square) if chart.square else width
    key = _key(chart, x, width, sheet)
    levels = rule_levels(chart, x, width, sheet)
    above = STRIP + 6 if chart.strip_counts and chart.counts_above else 0.0
    shares = any(isinstance(layer, Shares) for layer in chart.layers)
    headed = bool(chart.y.title and sheet.named) or bool(for_n) or shares
    noted = any(isinstance(layer, Pairs) and layer.along == "y" and any(layer.notes) for layer in chart.layers)
    top = ROW * ((1 if key else 0) + noted + headed + max(levels, default=-1) + 1) + (6 if sheet.dense else 8) + above
    height = min(TALL, float(chart.height or _plot_height(chart, y, min(sheet.plot, 0.6 * width), sheet, width)))
    if chart.square and not chart.height:
        height = width * (y.high - y.low) / (x.high - x.low) if x.high > x.low else width
        height = min(TALL, max(0.4 * width, height))
    y = _thinned(y, height)
    below = 2.0 if not sheet.measured else 8 + (0 if bare(chart) else ROW if not chart.x.title else 2 * ROW)
    total = top + height + (STRIP if chart.strip_counts and not above else 0.0) + below
    labels = _spread(lines, y, height)
    return Frame(sheet, left, top, width, height, total, _fit(x, width, sheet), y, key, levels, labels, for_n)


def endings(lines: Sequence[Mark], sheet: Sheet) -> float:
    """Return the room for the names at the right ends of lines, and for their samples where there are several."""
    widest = max((sheet.measure(line_label(line, sheet)) for line in lines), default=0.0)
    return widest + (SAMPLE if len(lines) > 1 else 0.0)


def margin_right(sheet: Sheet, x: AxisScale) -> float:
    """Return the room at the right of a plot: half of the last number of its axis at least."""
    last = sheet.measure(x.labels[-1]) / 2 if x.labels and not x.categories and x.fixed else 0.0
    return max(8.0 if x.categories else 14.0, last + 2) if sheet.counted else 8.0


def _beside_points(chart: Chart, sheet: Sheet) -> float:
    """Return the room for what is written at the right of points and spans."""
    spans = [layer.texts for layer in chart.layers if isinstance(layer, Spans)]
    pairs = [layer.notes for layer in chart.layers if isinstance(layer, Pairs) and layer.along == "x"]
    return max((sheet.measure(text) for texts in (*spans, *pairs) for text in texts), default=0.0)


def bare(chart: Chart) -> bool:
    """Return whether nothing of a chart is read off an axis: words, and shares of a whole."""
    return bool(chart.layers) and all(isinstance(layer, (Words, Shares)) for layer in chart.layers)


def _named_at_the_end(layer: object) -> TypeGuard[Mark]:
    if isinstance(layer, Line):
        return bool(layer.label) and not layer.named_inside
    if isinstance(layer, Zone):
        return bool(layer.label) and layer.axis == "y"
    return isinstance(layer, Rule) and layer.axis == "y" and bool(layer.label)


def _key(chart: Chart, x: AxisScale, width: float, sheet: Sheet) -> tuple[Entry, ...]:
    """Return what has to be explained above the plot: layers that share their categories, pairs without room."""
    layers = [layer for layer in chart.layers if isinstance(layer, (Dots, Bars))]
    shared = any(set(one.positions) & set(other.positions) for one, other in combinations(layers, 2))
    found = [Entry(layer.label, layer.ink, _sign(layer)) for layer in layers] if shared else []
    for layer in chart.layers:
        if isinstance(layer, Pairs) and not named_beside(layer, x, width, sheet):
            signs = ("hollow" if layer.hollow_first else "dot", "dot")
            found += [Entry(*each) for each in zip(layer.labels, layer.inks, signs, strict=True)]
    return tuple(found)


def _sign(layer: Dots | Bars) -> str:
    return "box" if isinstance(layer, Bars) else "hollow" if layer.hollow and all(layer.hollow) else "dot"


def named_beside(layer: Pairs, x: AxisScale, width: float, sheet: Sheet) -> bool:
    """Return whether the names of two values have room beside the first pair."""
    if layer.along == "x" or not x.categories or not layer.positions:
        return False
    slot = width / len(x.categories)
    known = layer.first[0] is not None and layer.second[0] is not None
    return known and 0.5 * slot > 12 and slot > max(map(sheet.measure, layer.labels)) + 14


def trimmed(chart: Chart) -> tuple[Chart, int]:
    """Return `chart` with at most `MOST` categories on its y axis, and how many were left out.

    Flagged groups stay, then those with the most responses; the order is kept.  A heat map keeps all its rows.
    """
    names = chart.y.categories
    if len(names) <= MOST or any(isinstance(layer, Cells) for layer in chart.every_layer()):
        return chart, 0
    rank: dict[str | float, tuple[bool, int]] = {}
    for layer in chart.every_layer():
        if isinstance(layer, Dots):
            flagged = layer.flagged or (False,) * len(layer.positions)
            n = layer.n or (0,) * len(layer.positions)
            for position, flag, size in zip(layer.positions, flagged, n, strict=True):
                rank[position] = max(rank.get(position, (False, 0)), (flag, size))
    kept = set(sorted(names, key=lambda name: rank.get(name, (False, 0)), reverse=True)[:MOST])
    categories = tuple(name for name in names if name in kept)
    return replace(chart, y=replace(chart.y, categories=categories)), len(names) - len(categories)


def nudge(chart: Chart, frame: Frame, layer: Dots) -> float:
    """Return how far a layer of points stands from the middle of its categories: layers do not cover each other."""
    layers = [
        other
        for other in chart.layers
        if isinstance(other, Dots) and other.along == layer.along and set(other.positions) & set(layer.positions)
    ]
    across = frame.y if layer.along == "x" else frame.x
    if not across.categories or len(layers) < 2:
        return 0.0
    return 0.44 * (layers.index(layer) / (len(layers) - 1) - 0.5)


def printed(cells: Cells) -> bool:
    """Return whether a heat map has room for the texts of its cells."""
    return max(len(cells.rows), len(cells.columns)) <= PRINTED


def upright(chart: Chart, x: AxisScale) -> list[tuple[Rule | Zone, float, str]]:
    """Return what has a label above the plot: upright rules and zones, each with its place and its label."""
    found: list[tuple[Rule | Zone, float, str]] = []
    for layer in chart.layers:
        if isinstance(layer, Rule) and layer.axis == "x" and layer.label:
            found.append((layer, layer.at, layer.label))
        if isinstance(layer, Zone) and layer.axis == "x" and layer.label:
            found.append((layer, sum(zone_ends(layer, x)) / 2, layer.label))
    return found


def zone_ends(zone: Zone, scale: AxisScale) -> tuple[float, float]:
    """Return the ends of a zone on its axis: an open one, or one beyond the axis, ends with it."""
    low, high = (end if end is None else min(max(end, scale.low), scale.high) for end in (zone.low, zone.high))
    return scale.low if low is None else low, scale.high if high is None else high


def rule_levels(chart: Chart, x: AxisScale, width: float, sheet: Sheet = SCREEN) -> tuple[int, ...]:
    """Return, for each label above the plot in the order of layers, the line it stands on.

    Labels that would touch stand above each other; 0 is the line next to the plot.
    """
    labels = upright(chart, x)
    levels: dict[int, int] = {}
    ends: list[float] = []
    for index in sorted(range(len(labels)), key=lambda i: labels[i][1]):
        _, at, label = labels[index]
        middle = width * x.fraction(at)
        half = sheet.measure(label) / 2 + 4
        level = next((line for line, end in enumerate(ends) if end <= middle - half), len(ends))
        ends[level : level + 1] = [middle + half]
        levels[index] = level
    return tuple(levels[index] for index in range(len(labels)))


def _width_of_n(chart: Chart, sheet: Sheet) -> float:
    """Return the width of the column of n at the right edge; none when the chart has no such column."""
    n = [each for layer in chart.layers if isinstance(layer, Dots) and layer.along == "x" for each in layer.n]
    n += [each for layer in chart.layers if isinstance(layer, Cells) for each in layer.n]
    least = 0.0 if any(isinstance(layer, Cells) for layer in chart.layers) else 28.0
    return max(least, 10 + sheet.measure(count(max(n)))) if n else 0.0


def _thinned(scale: AxisScale, height: float) -> AxisScale:
    if not scale.categories:
        return scale
    every = max(1, math.ceil(theme.SIZE * len(scale.categories) / height - 1e-9))
    return replace(scale, ticks=scale.ticks[::every], labels=scale.labels[::every])


def _fit(scale: AxisScale, width: float, sheet: Sheet) -> AxisScale:
    """Return the x scale with labels that fit side by side: shortened, and thinned out when there are many."""
    if not scale.categories:
        return _spaced(scale, width, sheet)
    slot = width / len(scale.categories)
    whole = all(sheet.measure(label) <= slot - GAP for label in scale.labels)
    every = 1 if whole else max(1, round(28 / slot))
    if not whole and all(_is_number(label) for label in scale.labels):  # a number is left out rather than cut
        every = math.ceil((max(map(sheet.measure, scale.labels)) + GAP) / slot)
    limit = max(3, int(slot * every / (0.65 * theme.SIZE)) - 1)
    labels = scale.labels[::every]
    if any(sheet.measure(label) > slot * every - GAP for label in labels):
        labels = theme.shorten_apart(theme.apart(labels), limit)
    return replace(scale, ticks=scale.ticks[::every], labels=labels)


def _is_number(label: str) -> bool:
    return label.translate(str.maketrans("", "", ".,−-+ ")).isdigit()


def _spaced(scale: AxisScale, width: float, sheet: Sheet) -> AxisScale:
    plain = [tick for tick in scale.ticks if tick not in scale.limits]
    labels = dict(zip(scale.ticks, scale.labels, strict=True))
    if len(plain) > 1:
        step = width * abs(scale.fraction(plain[1]) - scale.fraction(plain[0]))
        longest = max(len(labels[tick]) for tick in plain)
        every = min(max(1, math.ceil(TICK * longest / step)), max(1, len(plain) // 2))
        first = plain.index(0.0) % every if 0.0 in plain else 0
        plain = plain[first::every]
    if not scale.limits:
        return replace(scale, ticks=tuple(plain), labels=tuple(labels[tick] for tick in plain))
    kept: list[float] = []
    ends = [end for end in (scale.ticks[0], scale.ticks[-1]) if end not in scale.limits]
    for tick in (*scale.limits, *(each for each in plain if not each), *ends, *plain):
        room = {other: sheet.measure(labels[tick] + labels[other]) / 2 + 2 * GAP for other in kept}
        if tick not in scale.limits and not set(scale.limits) <= set(kept):
            break  # a plot so narrow shows the limits that it can
        if all(width * abs(scale.fraction(tick) - scale.fraction(other)) >= far for other, far in room.items()):
            kept.append(tick)
    return replace(scale, ticks=tuple(sorted(kept)), labels=tuple(labels[tick] for tick in sorted(kept)))


def line_label(line: Mark, sheet: Sheet) -> str:
    """Return what is written at the end of a line, or of a rule or a zone across."""
    return theme.shorten(line.label, 22 if sheet.label < PAGE.label - 15 else 38)


def strip_below(chart: Chart) -> float:
    """Return the height of the strip of counts under the plot."""
    return STRIP if chart.strip_counts and not chart.counts_above else 0.0


def sampled(frame: Frame) -> float:
    """Return the room for a sample of each named line before its name: none where there is one line alone."""
    return SAMPLE if len(frame.line_labels) > 1 else 0.0


def _plot_width(chart: Chart, room: float, labels: Sequence[float]) -> float:
    """Return the width of the plot: all there is, but a heat map has cells near square, wider where names are."""
    heat = [layer for layer in chart.layers if isinstance(layer, Cells)]
    if heat:
        widest = max(labels, default=0.0) + 2 * GAP
        column = SQUARE if any(layer.frame_diagonal for layer in heat) else COLUMN
        return min(room, max(column, widest) * max(1, len(labels)))
    return room


def _plot_height(chart: Chart, y: AxisScale, plot: float, sheet: Sheet, width: float) -> float:
    """Return the height of the plot: `plot` between two number lines, else what its rows ask for."""
    rows = max(1, len(y.categories))
    heat = [layer for layer in chart.layers if isinstance(layer, Cells)]
    if heat:
        row = PRINTED_CELL if sheet.printed else CELL
        if any(layer.frame_diagonal for layer in heat):  # as many columns as rows: squares
            return min(TALL, rows * min(SQUARE, width / max(1, *(len(layer.columns) for layer in heat))))
        return max(row, min(120.0, 2 * CELL * rows), min(row, TALL / rows) * rows)
    if any(isinstance(layer, Shares) for layer in chart.layers):
        return SHARE_ROW * rows
    if y.categories:
        row = DENSE_ROW if sheet.dense or (sheet.printed and len(y.categories) > DENSE) else ROW
        if any(isinstance(layer, Pairs) for layer in chart.layers):
            row = PAIR_ROW
        least = 60.0 if not chart.x.fixed and not sheet.dense else row
        return max(least, min(row, TALL / rows) * rows)
    below = chart.strip_counts and not chart.counts_above
    return plot - STRIP / 2 if sheet.printed and below else plot


def _spread(lines: tuple[Mark, ...], y: AxisScale, height: float) -> tuple[tuple[Mark, float], ...]:
    """Return each line with the height (pixels from the top of the plot) of its label, none touching."""
    ends: list[tuple[Mark, float]] = []
    for line in lines:
        known: list[Number] = [line.at] if isinstance(line, Rule) else []
        if isinstance(line, Zone):
            known = [sum(zone_ends(line, y)) / 2]
        if isinstance(line, Line):
            known = [value for value in line.y if value is not None]
        if known:
            ends.append((line, height * (1 - y.fraction(known[-1] or 0.0))))
    ends.sort(key=lambda pair: pair[1])
    step = theme.SIZE + 2
    placed: list[tuple[Mark, float]] = []
    for index, (line, wanted) in enumerate(ends):
        lowest = height - step * (len(ends) - index - 1)
        free = placed[-1][1] + step if placed else 0.0
        placed.append((line, max(free, min(wanted, lowest))))
    return tuple(placed)


def letters(room: float) -> int:
    """Return how many letters of the name of an axis fit `room` pixels."""
    return int(room / (0.55 * theme.SIZE))
