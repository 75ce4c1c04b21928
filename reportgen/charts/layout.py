"""Where the parts of a chart stand, in pixels: shared by the interactive and the static drawing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from reportgen.charts import text, theme
from reportgen.charts.scales import AxisScale, scales
from reportgen.results.chart import Bars, Cells, Chart, Dots, Line, Rule
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
        Whether letters are those of the paper page, whose widths are known.
    plot
        Height of a plot between two number lines, in pixels.
    label
        Columns of a category's label at most; the full name is in the data table.
    """

    width: float = theme.WIDTH
    printed: bool = False
    plot: float = 200.0
    label: int = 34

    def measure(self, label: str) -> float:
        """Return the width of a label in pixels."""
        return text.width(label, theme.SIZE, printed=self.printed)


SCREEN = Sheet()

PAGE = Sheet(printed=True, plot=144.0, label=46)
"""The printed page: low enough for three charts to share it with their words."""

HALF = replace(PAGE, width=308.0, label=30)
"""Half of it, without the gap between the halves."""

NARROW = replace(HALF, width=282.0)
"""What is left of it beside a table that is a little wider than half."""


@dataclass(frozen=True)
class Frame:
    """The plot area and everything around it on its sheet; `key` holds the layers that a row above explains.

    `line_labels` are the names of lines, and of rules across, at the right edge of the plot.
    """

    sheet: Sheet
    left: float
    top: float
    width: float
    height: float
    total: float
    x: AxisScale
    y: AxisScale
    key: tuple[Dots | Bars, ...]
    rule_levels: tuple[int, ...]
    line_labels: tuple[tuple[Line | Rule, float], ...]
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
    def bottom(self) -> float:
        """Lower edge of the plot area, above the strip and the tick labels."""
        return self.top + self.height

    def across(self, value: float) -> float:
        """Return the horizontal place of an x value in pixels."""
        return self.left + self.width * self.x.fraction(value)

    def rule_middle(self, rule: Rule) -> float:
        """Return where the label of an upright rule has its middle: above the rule, but clear of the column of n."""
        half = self.sheet.measure(rule.label) / 2
        return max(half, min(self.across(rule.at), self.outer - self.for_n - half))

    def down(self, value: float) -> float:
        """Return the vertical place of a y value in pixels; categories run from the top."""
        share = self.y.fraction(value)
        return self.top + self.height * (share if self.y.categories else 1 - share)


def frame(chart: Chart, sheet: Sheet = SCREEN) -> Frame:
    """Return the frame of `chart`, as wide as its sheet and as high as its content asks for."""
    x, y = scales(chart)
    y = _short(y, sheet.label)
    key = tuple(layer for layer in chart.layers if isinstance(layer, (Dots, Bars)))
    key = key if len(key) > 1 else ()
    lines = tuple(
        layer
        for layer in chart.layers
        if (isinstance(layer, Line) and layer.label) or (isinstance(layer, Rule) and layer.axis == "y")
    )
    left = max(28.0, 14 + max(map(sheet.measure, y.labels), default=0.0))
    endings = max((sheet.measure(line_label(line)) for line in lines), default=0.0)
    endings += SAMPLE if len(lines) > 1 else 0.0
    for_n = _width_of_n(chart, sheet)
    right = 14.0 + for_n + endings
    width = _plot_width(chart, sheet.width - left - right, [sheet.measure(label) for label in x.labels])
    levels = rule_levels(chart, x, width, sheet)
    top = ROW * ((1 if key else 0) + 1 + max(levels, default=-1) + 1) + 8
    height = min(TALL, float(chart.height or _plot_height(chart, y, min(sheet.plot, 0.6 * width), sheet)))
    y = _thinned(y, height)
    below = (STRIP if chart.strip_counts else 0) + 2 * ROW + 12
    total = top + height + below
    labels = _spread(lines, y, height)
    return Frame(sheet, left, top, width, height, total, _fit(x, width, sheet), y, key, levels, labels, for_n)


def trimmed(chart: Chart) -> tuple[Chart, int]:
    """Return `chart` with at most `MOST` categories on its y axis, and how many were left out.

    Flagged groups stay, then those with the most responses; the order is kept.  A heat map keeps all its rows.
    """
    names = chart.y.categories
    if len(names) <= MOST or any(isinstance(layer, Cells) for layer in chart.layers):
        return chart, 0
    rank: dict[str | float, tuple[bool, int]] = {}
    for layer in chart.layers:
        if isinstance(layer, Dots):
            flagged = layer.flagged or (False,) * len(layer.positions)
            n = layer.n or (0,) * len(layer.positions)
            rank.update(zip(layer.positions, zip(flagged, n, strict=True), strict=True))
    kept = set(sorted(names, key=lambda name: rank.get(name, (False, 0)), reverse=True)[:MOST])
    categories = tuple(name for name in names if name in kept)
    return replace(chart, y=replace(chart.y, categories=categories)), len(names) - len(categories)


def nudge(chart: Chart, frame: Frame, layer: Dots) -> float:
    """Return how far a layer of points stands from the middle of its categories: layers do not cover each other."""
    layers = [other for other in chart.layers if isinstance(other, Dots) and other.along == layer.along]
    across = frame.y if layer.along == "x" else frame.x
    if not across.categories or len(layers) < 2:
        return 0.0
    return 0.44 * (layers.index(layer) / (len(layers) - 1) - 0.5)


def printed(cells: Cells) -> bool:
    """Return whether a heat map has room for the texts of its cells."""
    return max(len(cells.rows), len(cells.columns)) <= PRINTED


def rule_levels(chart: Chart, x: AxisScale, width: float, sheet: Sheet = SCREEN) -> tuple[int, ...]:
    """Return, for each vertical rule in the order of layers, the line its label stands on.

    Labels that would touch stand above each other; 0 is the line next to the plot.
    """
    rules = [layer for layer in chart.layers if isinstance(layer, Rule) and layer.axis == "x"]
    levels: dict[int, int] = {}
    ends: list[float] = []
    for index in sorted(range(len(rules)), key=lambda i: rules[i].at):
        middle = width * x.fraction(rules[index].at)
        half = sheet.measure(rules[index].label) / 2 + 4
        level = next((line for line, end in enumerate(ends) if end <= middle - half), len(ends))
        ends[level : level + 1] = [middle + half]
        levels[index] = level
    return tuple(levels[index] for index in range(len(rules)))


def _width_of_n(chart: Chart, sheet: Sheet) -> float:
    """Return the width of the column of n at the right edge; none when the chart has no such column."""
    n = [each for layer in chart.layers if isinstance(layer, Dots) and layer.along == "x" for each in layer.n]
    return max(28.0, 10 + sheet.measure(count(max(n)))) if n else 0.0


def _short(scale: AxisScale, limit: int) -> AxisScale:
    return replace(scale, labels=tuple(text.shorten(label, limit) for label in scale.labels))


def _thinned(scale: AxisScale, height: float) -> AxisScale:
    """Return the y scale with as many of its names as can stand below each other."""
    if not scale.categories:
        return scale
    every = max(1, math.ceil(theme.SIZE * len(scale.categories) / height - 1e-9))
    return replace(scale, ticks=scale.ticks[::every], labels=scale.labels[::every])


def _fit(scale: AxisScale, width: float, sheet: Sheet) -> AxisScale:
    """Return the x scale with labels that fit side by side: shortened, and thinned out when there are many."""
    if not scale.categories:
        return _spaced(scale, width)
    slot = width / len(scale.categories)
    every = max(1, round(28 / slot))
    limit = max(3, int(slot * every / (0.65 * theme.SIZE)) - 1)
    labels = scale.labels[::every]
    if any(sheet.measure(label) > slot * every - GAP for label in labels):
        labels = tuple(text.shorten(label, limit) for label in text.apart(labels))
    return replace(scale, ticks=scale.ticks[::every], labels=labels)


def _spaced(scale: AxisScale, width: float) -> AxisScale:
    """Return a number line with as many of its ticks as stand apart, zero among them where it has one."""
    if len(scale.ticks) < 2:
        return scale
    step = width * (scale.fraction(scale.ticks[1]) - scale.fraction(scale.ticks[0]))
    every = min(max(1, math.ceil(TICK * max(map(len, scale.labels)) / step)), max(1, len(scale.ticks) // 2))
    first = scale.ticks.index(0.0) % every if 0.0 in scale.ticks else 0
    return replace(scale, ticks=scale.ticks[first::every], labels=scale.labels[first::every])


def line_label(line: Line | Rule) -> str:
    """Return what is written at the end of a line or of a rule across."""
    return text.shorten(line.label, 22)


def sampled(frame: Frame) -> float:
    """Return the room for a sample of each named line before its name: none where there is one line alone."""
    return SAMPLE if len(frame.line_labels) > 1 else 0.0


def _plot_width(chart: Chart, room: float, labels: Sequence[float]) -> float:
    """Return the width of the plot: all there is, but a heat map has cells near square, wider where names are."""
    if any(isinstance(layer, Cells) for layer in chart.layers):
        column = max(COLUMN, max(labels, default=0.0) + 2 * GAP)
        return min(room, column * max(1, len(labels)))
    return room


def _plot_height(chart: Chart, y: AxisScale, plot: float, sheet: Sheet) -> float:
    """Return the height of the plot: `plot` between two number lines, else what its rows ask for."""
    if any(isinstance(layer, Cells) for layer in chart.layers):
        row = PRINTED_CELL if sheet.printed else CELL
        return max(120.0, min(row, TALL / max(1, len(y.ticks))) * len(y.ticks))
    if y.categories:
        row = DENSE_ROW if sheet.printed and len(y.categories) > DENSE else ROW
        return max(60.0, min(row, TALL / len(y.categories)) * len(y.categories))
    return plot - STRIP / 2 if sheet.printed and chart.strip_counts else plot


def _spread(lines: tuple[Line | Rule, ...], y: AxisScale, height: float) -> tuple[tuple[Line | Rule, float], ...]:
    """Return each line with the height (pixels from the top of the plot) of its label, none touching."""
    ends: list[tuple[Line | Rule, float]] = []
    for line in lines:
        known = [line.at] if isinstance(line, Rule) else [value for value in line.y if value is not None]
        if known:
            ends.append((line, height * (1 - y.fraction(known[-1]))))
    ends.sort(key=lambda pair: pair[1])
    step = theme.SIZE + 2
    placed: list[tuple[Line | Rule, float]] = []
    for index, (line, wanted) in enumerate(ends):
        lowest = height - step * (len(ends) - index - 1)
        free = placed[-1][1] + step if placed else 0.0
        placed.append((line, max(free, min(wanted, lowest))))
    return tuple(placed)
