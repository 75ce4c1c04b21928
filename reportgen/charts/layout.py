"""Where the parts of a chart stand, in pixels: shared by the interactive and the static drawing."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from reportgen.charts import text, theme
from reportgen.charts.scales import Scale, scales
from reportgen.charts.spec import Bars, Cells, Chart, Dots, Line, Rule

MOST = 50
"""Categories a picture shows at most; the data table under it shows all."""

ROW = 16.0
"""Height of one line of text."""

PLOT = 200.0
"""Height of a plot between two number lines: low enough for two to share a page with their words."""

TALL = 600.0
"""Height of a plot with many categories: a picture and its caption fit on a page, A4 or Letter."""

STRIP = 40.0
"""Height of the strip of counts under a chart."""

PRINTED = 20
"""Rows and columns of a heat map up to which its cells hold their texts; beyond, only shades can be seen."""

LABEL = 30
"""Columns of a category's label at most; the full name is in the data table."""


@dataclass(frozen=True)
class Frame:
    """The plot area and everything around it; `key` holds the layers that a row above explains."""

    left: float
    top: float
    width: float
    height: float
    total: float
    x: Scale
    y: Scale
    key: tuple[Dots | Bars, ...]
    rule_levels: tuple[int, ...]
    line_labels: tuple[tuple[Line, float], ...]
    with_n: bool

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

    def down(self, value: float) -> float:
        """Return the vertical place of a y value in pixels; categories run from the top."""
        share = self.y.fraction(value)
        return self.top + self.height * (share if self.y.categories else 1 - share)


def frame(chart: Chart) -> Frame:
    """Return the frame of `chart`, `theme.WIDTH` wide and as high as its content asks for."""
    x, y = scales(chart)
    y = _short(y)
    key = tuple(layer for layer in chart.layers if isinstance(layer, (Dots, Bars)))
    key = key if len(key) > 1 else ()
    lines = tuple(layer for layer in chart.layers if isinstance(layer, Line))
    with_n = any(isinstance(layer, Dots) and layer.along == "x" and layer.n for layer in chart.layers)
    left = max(28.0, 14 + max((text.width(label, theme.SIZE) for label in y.labels), default=0.0))
    endings = max((text.width(line_label(line), theme.SIZE) for line in lines), default=0.0)
    right = 14.0 + (46 if with_n else 0) + endings
    width = _plot_width(chart, theme.WIDTH - left - right, len(x.categories))
    levels = rule_levels(chart, x, width)
    top = ROW * ((1 if key else 0) + 1 + max(levels, default=-1) + 1) + 8
    height = min(TALL, float(chart.height or _plot_height(chart, y, width)))
    y = _thinned(y, height)
    below = (STRIP if chart.strip_counts else 0) + 2 * ROW + 12
    total = top + height + below
    labels = _spread(lines, y, height)
    return Frame(left, top, width, height, total, _fit(x, width), y, key, levels, labels, with_n)


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


def rule_levels(chart: Chart, x: Scale, width: float) -> tuple[int, ...]:
    """Return, for each vertical rule in the order of layers, the line its label stands on.

    Labels that would touch stand above each other; 0 is the line next to the plot.
    """
    rules = [layer for layer in chart.layers if isinstance(layer, Rule) and layer.axis == "x"]
    levels: dict[int, int] = {}
    ends: list[float] = []
    for index in sorted(range(len(rules)), key=lambda i: rules[i].at):
        middle = width * x.fraction(rules[index].at)
        half = text.width(rules[index].label, theme.SIZE) / 2 + 4
        level = next((line for line, end in enumerate(ends) if end <= middle - half), len(ends))
        ends[level : level + 1] = [middle + half]
        levels[index] = level
    return tuple(levels[index] for index in range(len(rules)))


def _short(scale: Scale) -> Scale:
    return replace(scale, labels=tuple(text.shorten(label, LABEL) for label in scale.labels))


def _thinned(scale: Scale, height: float) -> Scale:
    """Return the y scale with as many of its names as can stand below each other."""
    if not scale.categories:
        return scale
    every = max(1, math.ceil(theme.SIZE * len(scale.categories) / height - 1e-9))
    return replace(scale, ticks=scale.ticks[::every], labels=scale.labels[::every])


def _fit(scale: Scale, width: float) -> Scale:
    """Return the x scale with labels that fit side by side: shortened, and thinned out when there are many."""
    if not scale.categories:
        return scale
    slot = width / len(scale.categories)
    every = max(1, round(28 / slot))
    limit = max(3, int(slot * every / (0.65 * theme.SIZE)) - 1)
    return replace(
        scale,
        ticks=scale.ticks[::every],
        labels=tuple(text.shorten(label, limit) for label in scale.labels[::every]),
    )


def line_label(line: Line) -> str:
    """Return what is written at the end of a line."""
    return text.shorten(line.label, 22)


def _plot_width(chart: Chart, room: float, columns: int) -> float:
    """Return the width of the plot: all there is, but a heat map keeps its cells near square."""
    if any(isinstance(layer, Cells) for layer in chart.layers):
        return min(room, 72.0 * max(1, columns))
    return room


def _plot_height(chart: Chart, y: Scale, width: float) -> float:
    if any(isinstance(layer, Cells) for layer in chart.layers):
        return max(120.0, min(30.0, TALL / max(1, len(y.ticks))) * len(y.ticks))
    if y.categories:
        return max(60.0, min(20.0, TALL / len(y.categories)) * len(y.categories))
    return min(PLOT, 0.6 * width)


def _spread(lines: tuple[Line, ...], y: Scale, height: float) -> tuple[tuple[Line, float], ...]:
    """Return each line with the height (pixels from the top of the plot) of its label, none touching."""
    ends: list[tuple[Line, float]] = []
    for line in lines:
        known = [value for value in line.y if value is not None]
        if known:
            ends.append((line, height * (1 - y.fraction(known[-1]))))
    ends.sort(key=lambda pair: pair[1])
    step = theme.SIZE + 2
    placed: list[tuple[Line, float]] = []
    for index, (line, wanted) in enumerate(ends):
        lowest = height - step * (len(ends) - index - 1)
        free = placed[-1][1] + step if placed else 0.0
        placed.append((line, max(free, min(wanted, lowest))))
    return tuple(placed)
