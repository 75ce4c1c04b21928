"""Lay out the parts of a chart in pixels, for both the interactive and the static drawing."""

import math
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from itertools import combinations

from reportgen.charts import theme
from reportgen.charts.scales import AxisScale, layers_of, scales
from reportgen.results.chart import Axis, Bars, Cells, Chart, Dots, Ink, Line, Pairs, Rule, Shares, Spans, Zone
from reportgen.wording.numbers import count

MOST = 50  # most categories to draw; the data table under the chart lists all
ROW = 16.0  # height of one line of text, and of one row
DENSE, DENSE_ROW = 20, 14.0  # more rows than this get the smaller height on paper
CELL, PRINTED_CELL = 30.0, 26.0  # height of a heat map row, on screen and on paper
COLUMN = 72.0  # largest width of a heat map column, unless a name is longer
TALL = 600.0  # largest height of a plot: a chart and its caption fit on one page, A4 or Letter
STRIP = 40.0  # height of the strip of counts
PRINTED = 20  # most rows and columns of a heat map whose cells show text
SQUARE = 44.0  # largest side of a cell in a heat map with a framed diagonal
SHARE_ROW, PAIR_ROW = 30.0, 24.0  # row height of share bars, and of paired values
GAP = 4.0  # smallest gap in pixels between two names on an axis
SAMPLE = 22.0  # pixels of a line sample before its name, including the gap
TICK = 0.75 * theme.SIZE  # pixels for each digit of an axis label, including the gap to the next label


@dataclass(frozen=True)
class Sheet:
    """The sheet a chart is drawn on, with the names, numbers, and margins that its panels share."""

    width: float = theme.WIDTH  # width of the whole image in pixels
    printed: bool = False  # whether to use the smaller row height for paper
    plot: float = 200.0  # height of a plot between two numeric axes
    label: int = 52  # longest category label in columns; the data table has the full name
    folds: float = 0.0  # width at which category labels continue on a second line
    square: float = 280.0  # largest side of a square plot
    named: bool = True  # whether to show row names next to the plot
    counted: bool = True  # whether to show n as well
    ended: bool = True  # whether to show line names
    measured: bool = True  # whether to show numbers and the name of the x axis
    dense: bool = False  # whether rows are closer than usual
    left: float = 0.0  # smallest margins
    right: float = 0.0

    def measure(self, label: str) -> float:
        """Measure a label in pixels."""
        return max(theme.width(line, theme.SIZE) for line in label.split("\n"))


SCREEN = Sheet()

PHONE = Sheet(width=350.0, label=22, folds=158.0)  # the screen of a phone, with letters of the same size

PAGE = Sheet(printed=True, plot=144.0, square=230.0)
"""The printed page: low enough for three charts and their text."""

TEXT = replace(PAGE, width=484.0, plot=190.0, square=290.0)
"""The width of the text, next to a margin: the one picture of a question."""

HALF = replace(PAGE, width=308.0, label=30)  # half a page, without the gap between the halves


Named = Line | Rule | Zone  # layers whose name can be at the right edge of the plot


Upright = tuple[Rule | Zone, float, str, int]
"""A rule or zone with a label above the plot: the layer, its position, its label, and its line of text (0 is next to
the plot)."""


Entry = tuple[str, Ink, str, float, int]
"""One entry of the legend above a plot: label, color, "dot", "hollow", "box", or "frame", left edge, and line."""


@dataclass(frozen=True)
class Frame:
    """The plot area and its surroundings on a sheet; `key` lists the layers that need a legend entry.

    `line_labels` are the names at the right edge of the plot, of lines and of horizontal rules and zones.
    """

    chart: Chart
    sheet: Sheet
    left: float
    top: float
    width: float
    height: float
    total: float
    x: AxisScale
    y: AxisScale
    key: tuple[Entry, ...]
    upright: tuple[Upright, ...]
    line_labels: tuple[tuple[Named, float], ...]
    for_n: float

    @property
    def outer(self) -> float:
        """Width of the whole image."""
        return self.sheet.width

    @property
    def right(self) -> float:
        """Right edge of the plot area."""
        return self.left + self.width

    @property
    def edge_of_n(self) -> float:
        """Right edge of the n column: the edge of the image, or close to a plot that does not fill the image."""
        return min(self.outer - 4, self.right + (8 if self.x.categories else 14) + self.for_n)

    @property
    def bottom(self) -> float:
        """Bottom edge of the plot area, above the strip and the tick labels."""
        return self.top + self.height

    def axes(self, along: str) -> tuple[AxisScale, AxisScale]:
        """Return the named value axis, and the other axis."""
        return (self.x, self.y) if along == "x" else (self.y, self.x)

    def across(self, value: float) -> float:
        """Convert an x value to pixels."""
        return self.left + self.width * self.x.fraction(value)

    def pixels(self, along: str, at: float, value: float) -> tuple[float, float]:
        """Convert a value on one axis and a position on the other to pixels."""
        x, y = (value, at) if along == "x" else (at, value)
        return self.across(x), self.down(y)

    def label_middle(self, at: float, label: str) -> float:
        """Return the horizontal center of a label above the plot: above its position, but clear of the n column."""
        half = self.sheet.measure(label) / 2
        return max(half, min(self.across(at), self.outer - self.for_n - half))

    def down(self, value: float) -> float:
        """Convert a y value to pixels; categories run from the top."""
        share = self.y.fraction(value)
        return self.top + self.height * (share if self.y.categories else 1 - share)


def frame(chart: Chart, sheet: Sheet = SCREEN) -> Frame:
    """Lay out a chart without panels: as wide as its sheet, as high as its content requires."""
    x, y = scales(chart)
    y = replace(y, labels=_folded(y.labels, sheet))
    heat = layers_of(chart, Cells)
    ends = _names_at_the_end(chart, y) if sheet.ended else []
    left = max(28.0, 14 + max(map(sheet.measure, y.labels), default=0.0)) if sheet.named else 8.0
    left = max(sheet.left, left)
    for_n = _width_of_n(chart, sheet) if sheet.counted else 0.0
    spans = [layer.texts for layer in layers_of(chart, Spans)]
    pairs = [layer.notes for layer in layers_of(chart, Pairs) if layer.along == "x"]
    beside_points = max((sheet.measure(text) for texts in (*spans, *pairs) for text in texts), default=0.0)
    beside = endings([line for line, _ in ends], sheet) + beside_points
    right = max(sheet.right, margin_right(sheet, x) + for_n + beside)
    width = sheet.width - left - right
    if heat:  # cells are nearly square, and wider if names are long
        widest = max(map(sheet.measure, x.labels), default=0.0) + 2 * GAP
        column = SQUARE if any(layer.frame_diagonal for layer in heat) else COLUMN
        width = min(width, max(column, widest) * max(1, len(x.labels)))
    width = min(max(20.0, width), sheet.square if chart.square else math.inf)
    key, labels = _key(chart, sheet), _upright(chart, x, width, sheet)
    above = STRIP + 6 if chart.strip_counts and chart.counts_above else 0.0
    headed = bool(chart.y.title and sheet.named) or bool(for_n) or bool(layers_of(chart, Shares))
    noted = any(layer.along == "y" and any(layer.notes) for layer in layers_of(chart, Pairs))
    lines = key_lines(key) + noted + headed + max((level + 1 for *_, level in labels), default=0)
    top = ROW * lines + (6 if sheet.dense else 8) + above
    if chart.square and not chart.height:
        height = max(0.4 * width, width * (y.high - y.low) / (x.high - x.low) if x.high > x.low else width)
    else:
        height = float(chart.height or _plot_height(chart, y, sheet, width))
    height = min(TALL, height)
    below = 2.0 if not sheet.measured else 8 + (0 if bare(chart) else ROW if not chart.x.title else 2 * ROW)
    total = top + height + strip_below(chart) + below
    if y.categories:
        y = _every(y, max(1, math.ceil(theme.SIZE * len(y.categories) / height - 1e-9)))
    above_plot = {at for _, at, label, _ in labels if _is_number(label)}  # these numbers need no tick
    x = _fit(x, width, sheet) if x.categories else _spaced(x, width, sheet, above_plot)
    return Frame(chart, sheet, left, top, width, height, total, x, y, key, labels, _spread(ends, y, height), for_n)


def alone(chart: Chart) -> list[Chart]:
    """Split a chart into one chart per panel; panels with the same fixed axis keep it the same."""
    made = [
        replace(chart, title=each.title, x=each.x, y=each.y or chart.y, layers=each.layers, panels=(), strip_counts=())
        for each in chart.panels
    ]
    ends: dict[Axis, Axis] = {}
    for each in made:
        if each.x.fixed and not each.x.categories:
            own, so_far = scales(each)[0], ends.get(each.x, each.x)
            low, high = (min(own.low, so_far.low or own.low), max(own.high, so_far.high or own.high))
            ends[each.x] = replace(each.x, low=low, high=high)
    return [replace(each, x=ends.get(each.x, each.x)) for each in made]


def sample_width(lines: Sequence[object]) -> float:
    """Return the width of the line samples: 0 if there is only one line, which is solid or a rule."""
    return SAMPLE if len(lines) > 1 or any(isinstance(each, Line) and each.dashes != "solid" for each in lines) else 0.0


def endings(lines: Sequence[Named], sheet: Sheet) -> float:
    """Return the width of the names at the right ends of lines, with samples if there are several lines."""
    return max((sheet.measure(line_label(line, sheet)) for line in lines), default=0.0) + sample_width(lines)


def margin_right(sheet: Sheet, x: AxisScale) -> float:
    """Return the right margin: at least half the width of the last axis number."""
    last = sheet.measure(x.labels[-1]) / 2 if x.labels and not x.categories and x.fixed else 0.0
    return max(8.0 if x.categories else 14.0, last + 2) if sheet.counted else 8.0


def bare(chart: Chart) -> bool:
    """Return whether a chart needs no axis: it shows shares of a whole."""
    return bool(chart.layers) and all(isinstance(layer, Shares) for layer in chart.layers)


def _names_at_the_end(chart: Chart, y: AxisScale) -> list[tuple[Named, float]]:
    """Return the layers named at the right edge of the plot (lines, horizontal rules and zones) with their heights."""
    found: list[tuple[Named, float]] = []
    for layer in chart.layers:
        match layer:
            case Line() if layer.label:
                found += [(layer, value) for value in layer.y if value is not None][-1:]
            case Rule(axis="y") if layer.label:
                found.append((layer, layer.at))
            case Zone(axis="y") if layer.label:
                found.append((layer, sum(zone_ends(layer, y)) / 2))
    return found


def _key(chart: Chart, sheet: Sheet) -> tuple[Entry, ...]:
    """Return the legend entries: layers that share their categories, and both values of pairs."""
    layers = [layer for layer in chart.layers if isinstance(layer, (Dots, Bars))]
    shared = any(set(one.positions) & set(other.positions) for one, other in combinations(layers, 2))
    found = [(layer.label, layer.ink, _sign(layer)) for layer in layers] if shared else []
    for layer in layers_of(chart, Pairs):
        signs = ("hollow" if layer.hollow_first else "dot", "dot")
        found += zip(layer.labels, layer.inks, signs, strict=True)
    left, line, placed = 0.0, 0, list[Entry]()
    for label, ink, sign in found:
        short = theme.shorten(label, 40)
        if left and left + 16 + sheet.measure(short) > sheet.width:
            left, line = 0.0, line + 1
        placed.append((short, ink, sign, left, line))
        left += 32 + sheet.measure(short)
    return tuple(placed)


def key_lines(key: Sequence[Entry]) -> int:
    """Return the number of lines of a legend."""
    return key[-1][-1] + 1 if key else 0


def _folded(labels: Sequence[str], sheet: Sheet) -> tuple[str, ...]:
    """Shorten labels that do not fit, unless they fit on two lines of a sheet that folds them."""
    folded = ("\n".join(theme.fold(label, sheet.folds)) for label in labels)
    found = zip(labels, theme.shorten_apart(labels, sheet.label), folded, strict=True)
    return tuple(
        cut if label.split() == cut.split() or sheet.measure(two) > sheet.folds else two for label, cut, two in found
    )


def _sign(layer: Dots | Bars) -> str:
    if isinstance(layer, Bars):
        return "frame" if layer.hollow else "box"
    return "hollow" if layer.hollow and all(layer.hollow) else "dot"


def trimmed(chart: Chart) -> tuple[Chart, int]:
    """Limit the y axis of `chart` to `MOST` categories, and count the dropped ones.

    Flagged groups come first, then the groups with the most responses. The order does not change. A heat map keeps all
    rows.
    """
    names = chart.y.categories
    if len(names) <= MOST or layers_of(chart, Cells):
        return chart, 0
    rank: dict[str | float, tuple[bool, int]] = {}
    for layer in layers_of(chart, Dots):
        flagged, n = layer.flagged or (False,) * len(layer.positions), layer.n or (0,) * len(layer.positions)
        for position, flag, size in zip(layer.positions, flagged, n, strict=True):
            rank[position] = max(rank.get(position, (False, 0)), (flag, size))
    kept = set(sorted(names, key=lambda name: rank.get(name, (False, 0)), reverse=True)[:MOST])
    categories = tuple(name for name in names if name in kept)
    return replace(chart, y=replace(chart.y, categories=categories)), len(names) - len(categories)


def nudge(frame: Frame, layer: Dots) -> float:
    """Return the offset of a layer of points from the center of its categories, so that layers do not overlap."""
    same = [other for other in layers_of(frame.chart, Dots) if other.along == layer.along]
    layers = [other for other in same if set(other.positions) & set(layer.positions)]
    if not frame.axes(layer.along)[1].categories or len(layers) < 2:
        return 0.0
    return 0.44 * (layers.index(layer) / (len(layers) - 1) - 0.5)


def printed(cells: Cells) -> bool:
    """Return whether the cell labels of a heat map fit."""
    return max(len(cells.rows), len(cells.columns)) <= PRINTED


def zone_ends(zone: Zone, scale: AxisScale) -> tuple[float, float]:
    """Return the ends of a zone, cut at the ends of its axis."""
    low, high = (end if end is None else min(max(end, scale.low), scale.high) for end in (zone.low, zone.high))
    return scale.low if low is None else low, scale.high if high is None else high


def _upright(chart: Chart, x: AxisScale, width: float, sheet: Sheet) -> tuple[Upright, ...]:
    """Return the layers labelled above the plot; labels that would overlap are stacked."""
    layers = [layer for layer in chart.layers if isinstance(layer, (Rule, Zone)) and layer.axis == "x" and layer.label]
    places = [layer.at if isinstance(layer, Rule) else sum(zone_ends(layer, x)) / 2 for layer in layers]
    levels: dict[int, int] = {}
    ends: list[float] = []
    for index in sorted(range(len(layers)), key=places.__getitem__):
        middle, half = width * x.fraction(places[index]), sheet.measure(layers[index].label) / 2 + 4
        levels[index] = next((line for line, end in enumerate(ends) if end <= middle - half), len(ends))
        ends[levels[index] : levels[index] + 1] = [middle + half]
    return tuple((layer, places[index], layer.label, levels[index]) for index, layer in enumerate(layers))


def _width_of_n(chart: Chart, sheet: Sheet) -> float:
    heat = layers_of(chart, Cells)
    n = [each for layer in layers_of(chart, Dots) if layer.along == "x" for each in layer.n]
    n += [each for layer in heat for each in layer.n]
    return max(0.0 if heat else 28.0, 10 + sheet.measure(count(max(n)))) if n else 0.0


def _every(scale: AxisScale, step: int) -> AxisScale:
    return replace(scale, ticks=scale.ticks[::step], labels=scale.labels[::step])


def _fit(scale: AxisScale, width: float, sheet: Sheet) -> AxisScale:
    """Return the x scale with labels that do not overlap: long ones shortened, surplus ones dropped."""
    slot = width / len(scale.categories)
    whole = all(sheet.measure(label) <= slot - GAP for label in scale.labels)
    every = 1 if whole else max(1, round(28 / slot))
    if not whole and all(_is_number(label) for label in scale.labels):  # drop a number rather than cut it
        every = math.ceil((max(map(sheet.measure, scale.labels)) + GAP) / slot)
    scale = _every(scale, every)
    if all(sheet.measure(label) <= slot * every - GAP for label in scale.labels):
        return scale
    limit = max(3, int(slot * every / (0.65 * theme.SIZE)) - 1)
    return replace(scale, labels=theme.shorten_apart(theme.apart(scale.labels), limit))


def _is_number(label: str) -> bool:
    return label.translate(str.maketrans("", "", ".,−-–+ ")).isdigit()


def _spaced(scale: AxisScale, width: float, sheet: Sheet, without: Set[float]) -> AxisScale:
    plain = [tick for tick in scale.ticks if tick not in scale.limits]
    labels = dict(zip(scale.ticks, scale.labels, strict=True))
    if len(plain) > 1:
        step = width * abs(scale.fraction(plain[1]) - scale.fraction(plain[0]))
        longest = max(len(labels[tick]) for tick in plain)
        every = min(max(1, math.ceil(TICK * longest / step)), max(1, len(plain) // 2))
        first = plain.index(0.0) % every if 0.0 in plain else 0
        plain = plain[first::every]
    kept: list[float] = [] if scale.limits else plain
    ends = [end for end in (scale.ticks[0], scale.ticks[-1]) if end not in scale.limits]
    for tick in (*scale.limits, *(each for each in plain if not each), *ends, *plain) if scale.limits else ():
        room = {other: sheet.measure(labels[tick] + labels[other]) / 2 + 2 * GAP for other in kept}
        if tick not in scale.limits and not set(scale.limits) <= set(kept):
            break  # a plot this narrow shows the limits that fit
        if all(width * abs(scale.fraction(tick) - scale.fraction(other)) >= far for other, far in room.items()):
            kept.append(tick)
    ticks = sorted({*kept} - without)
    return replace(scale, ticks=tuple(ticks), labels=tuple(map(labels.__getitem__, ticks)))


def line_label(line: Named, sheet: Sheet) -> str:
    """Return the label at the end of a line or of a horizontal rule or zone."""
    return theme.shorten(line.label, 22 if sheet.label < PAGE.label - 15 else 38)


def strip_below(chart: Chart) -> float:
    """Return the height of the strip of counts under the plot."""
    return STRIP if chart.strip_counts and not chart.counts_above else 0.0


def _plot_height(chart: Chart, y: AxisScale, sheet: Sheet, width: float) -> float:
    rows = max(1, len(y.categories))
    if heat := layers_of(chart, Cells):
        if any(layer.frame_diagonal for layer in heat):  # square cells if there are as many columns as rows
            return rows * min(SQUARE, width / max(1, *(len(layer.columns) for layer in heat)))
        row = PRINTED_CELL if sheet.printed else CELL
        return max(row, min(120.0, 2 * CELL * rows), min(row, TALL / rows) * rows)
    if layers_of(chart, Shares):
        return SHARE_ROW * rows
    if y.categories:
        row = DENSE_ROW if sheet.dense or (sheet.printed and rows > DENSE) else ROW
        row = PAIR_ROW if layers_of(chart, Pairs) else row
        row += theme.SIZE * any("\n" in label for label in y.labels)
        least = 60.0 if not chart.x.fixed and not sheet.dense else row
        return max(least, min(row, TALL / rows) * rows)
    return min(sheet.plot, 0.6 * width) - (STRIP / 2 if sheet.printed and strip_below(chart) else 0.0)


def _spread(ends: Sequence[tuple[Named, float]], y: AxisScale, height: float) -> tuple[tuple[Named, float], ...]:
    """Spread line labels so that they do not overlap, and return their heights in pixels from the top of the plot."""
    step, placed = theme.SIZE + 2, list[tuple[Named, float]]()
    wanted = sorted(((line, height * (1 - y.fraction(value))) for line, value in ends), key=lambda pair: pair[1])
    for index, (line, down) in enumerate(wanted):
        free = placed[-1][1] + step if placed else 0.0
        placed.append((line, max(free, min(down, height - step * (len(wanted) - index - 1)))))
    return tuple(placed)


def axis_title(axis: Axis) -> str:
    """Return an axis name with its unit."""
    return f"{axis.title} ({axis.unit})" if axis.unit else axis.title


def letters(room: float) -> int:
    """Return how many letters of an axis name fit in `room` pixels."""
    return int(room / (0.55 * theme.SIZE))
