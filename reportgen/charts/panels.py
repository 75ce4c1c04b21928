"""Where the panels of a chart stand, the names of lines in a plot, and charts that fit half a page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from reportgen.charts import layout, theme
from reportgen.charts.layout import DENSE, HALF, PAGE, ROW, SCREEN, Frame, Sheet
from reportgen.charts.scales import scales
from reportgen.results.chart import Axis, Cells, Chart, Dots, Line, Panel, Words
from reportgen.wording.numbers import count

BESIDE, NEARER = 24.0, 14.0
"""Pixels between two panels, on a whole page and on half of it."""

NARROW = 400.0
"""Width of a sheet that is half a page, or a phone."""

LEAST, LEAST_OWN, LEAST_CELL = 60.0, 120.0, 30.0
"""Width of a plot that shares its rows with others, of one with a y axis of its own, and of a cell of a heat map, below
which panels wrap."""

LEAST_HALF, LEAST_HALF_CELL = 48.0, 12.0
"""The same on half a page of paper, where the room below is scarce."""


@dataclass(frozen=True)
class Place:
    """One plot: a chart of its own without panels, its frame, the lines of its title, and where its corner lies."""

    chart: Chart
    frame: Frame
    title: tuple[str, ...] = ()
    x: float = 0.0
    y: float = 0.0


def places(chart: Chart, sheet: Sheet = SCREEN) -> tuple[Place, ...]:
    """Return the plots of `chart` with their places on a sheet; a chart without panels is one.

    Examples
    --------
    >>> from reportgen.results.chart import Axis, Chart, Dots, Panel
    >>> panels = tuple(Panel(title, Axis("d"), (Dots("d", ("a",), (0.1,)),)) for title in ("seen", "true"))
    >>> chart = Chart("k", "t", "a", Axis(""), Axis("Group", ("a",)), (), panels=panels)
    >>> [place.y for place in places(chart)]
    [0.0, 0.0]
    """
    if not chart.panels:
        return (Place(chart, layout.frame(chart, sheet)),)
    charts = [_alone(chart, panel) for panel in chart.panels]
    if chart.stacked:
        return _below(charts, chart.panels, sheet)
    shared = all(panel.y is None for panel in chart.panels)
    for columns in range(len(charts), 1, -1):
        placed = _grid(charts, chart.panels, sheet, columns, shared=shared)
        if all(_wide_enough(place, shared, sheet) for place in placed):
            rows = math.ceil(len(charts) / columns)
            return _grid(charts, chart.panels, sheet, math.ceil(len(charts) / rows), shared=shared)
    return _grid(charts, chart.panels, sheet, 1, shared=shared)


def total(placed: Sequence[Place], shared: str = "") -> float:
    """Return the height of the whole picture, with the name of an axis that all panels share."""
    return max(place.y + place.frame.total for place in placed) + (ROW if shared else 0.0)


def shared_axis(chart: Chart) -> str:
    """Return the name of the x axis that all panels of a chart share; nothing where each has its own."""
    return axis_title(chart.x) if chart.panels else ""


def axis_title(axis: Axis) -> str:
    """Return the name of an axis with its unit."""
    return f"{axis.title} ({axis.unit})" if axis.unit else axis.title


def _alone(chart: Chart, panel: Panel) -> Chart:
    return replace(
        chart, title=panel.title, x=panel.x, y=panel.y or chart.y, layers=panel.layers, panels=(), strip_counts=()
    )


def _below(charts: Sequence[Chart], panels: Sequence[Panel], sheet: Sheet) -> tuple[Place, ...]:
    """Return panels below each other, with the same margins; a key and an axis that say the same stand once."""
    frames = [layout.frame(chart, sheet) for chart in charts]
    left = max(frame.left for frame in frames)
    right = max(frame.outer - frame.right for frame in frames)
    lines = sum(len(frame.y.categories) + bool(panel.title) for frame, panel in zip(frames, panels, strict=True))
    same = replace(sheet, left=left, right=right, dense=sheet.printed and lines > DENSE)
    one_axis = all(
        chart.x == charts[0].x and frame.x == frames[0].x for chart, frame in zip(charts, frames, strict=True)
    )
    placed: list[Place] = []
    y = 0.0
    for chart, panel in zip(charts, panels, strict=True):
        frame = layout.frame(chart, replace(same, measured=not one_axis or len(placed) == len(charts) - 1))
        if placed and frame.key == placed[0].frame.key:
            frame = replace(
                frame, key=(), top=frame.top - ROW * bool(frame.key), total=frame.total - ROW * bool(frame.key)
            )
        title = title_lines(panel.title, frame)
        frame = replace(frame, top=frame.top + ROW * len(title), total=frame.total + ROW * len(title))
        placed.append(Place(chart, frame, title, 0.0, y))
        y += frame.total
    return tuple(placed)


def _grid(
    charts: Sequence[Chart], panels: Sequence[Panel], sheet: Sheet, columns: int, *, shared: bool
) -> tuple[Place, ...]:
    """Return panels in rows of so many, the names and the n of shared rows once in each row."""
    placed: list[Place] = []
    y = 0.0
    starts = range(0, len(charts), columns)
    rows = [_Line.of(charts[start : start + columns], sheet, shared=shared) for start in starts]
    width = min(row.width for row in rows)
    for start, row in zip(starts, rows, strict=True):
        line = list(zip(row.charts, panels[start : start + columns], strict=True))
        frames = row.frames(width)
        titles = [title_lines(panel.title, frame) for frame, (_, panel) in zip(frames, line, strict=True)]
        top = max(frame.top for frame in frames) + ROW * max(map(len, titles))
        x = 0.0
        for frame, title, (chart, _) in zip(frames, titles, line, strict=True):
            lowered = replace(frame, top=top, total=frame.total + top - frame.top)
            placed.append(Place(chart, lowered, title, x, y))
            x += frame.outer + _gap(sheet)
        y += max(place.frame.total for place in placed[start:])
    return tuple(placed)


def title_lines(title: str, frame: Frame) -> tuple[str, ...]:
    """Return the title of a panel in as many lines as it takes over its plot, two at most."""
    room = max(frame.width, frame.outer - frame.left) + NEARER
    first, *words = title.split() or [""]
    lines = [first]
    for word in words:
        if frame.sheet.measure(f"{lines[-1]} {word}") > room and len(lines) < 2:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}"
    widest = max(8, int(room / (0.5 * frame.sheet.measure("n"))) // 2)
    return tuple(theme.shorten(line, widest) for line in lines if line)


@dataclass(frozen=True)
class _Line:
    """Panels beside each other: their sheets, the margins of plots and the widths of words, and what plots may have."""

    charts: Sequence[Chart]
    sheets: Sequence[Sheet]
    margins: Sequence[float]
    words: Sequence[float]
    width: float

    @classmethod
    def of(cls, charts: Sequence[Chart], sheet: Sheet, *, shared: bool) -> _Line:
        """Return what is known of panels before their widths: what is left beside margins and words is shared alike."""
        last = len(charts) - 1
        rows = shared or (len({chart.y for chart in charts}) == 1 and bool(charts[0].y.categories))
        alike = len({tuple(_ends(chart)) for chart in charts}) == 1
        sheets = [
            replace(
                sheet,
                label=14 if shared and sheet.width < NARROW and not sheet.printed else sheet.label,
                named=not rows or not place,
                counted=not shared or place == last,
                ended=not alike or place == last,
            )
            for place in range(len(charts))
        ]
        frames = [layout.frame(chart, each) for chart, each in zip(charts, sheets, strict=True)]
        margins = [frame.left + each.width - _edge(frame) for frame, each in zip(frames, sheets, strict=True)]
        words = [_words_width(chart, each) for chart, each in zip(charts, sheets, strict=True)]
        taken = sum(width or margin for margin, width in zip(margins, words, strict=True)) + _gap(sheet) * last
        plots = sum(not width for width in words)
        return cls(charts, sheets, margins, words, max(0.0, sheet.width - taken) / max(1, plots))

    def frames(self, width: float) -> list[Frame]:
        return [
            layout.frame(chart, replace(each, width=words or margin + width))
            for chart, each, margin, words in zip(self.charts, self.sheets, self.margins, self.words, strict=True)
        ]


def _ends(chart: Chart) -> list[str]:
    return [layer.label for layer in chart.layers if isinstance(layer, Line)]


def _edge(frame: Frame) -> float:
    """Return the right edge of the room for a plot, which a heat map may not fill."""
    endings = layout.endings([line for line, _ in frame.line_labels], frame.sheet)
    return frame.outer - max(frame.sheet.right, layout.margin_right(frame.sheet, frame.x) + frame.for_n + endings)


def _words_width(chart: Chart, sheet: Sheet) -> float:
    """Return the width of a panel of words; 0 of any other, whose width is what is left."""
    words = [layer for layer in chart.layers if isinstance(layer, Words)]
    if not words or len(words) < len(chart.layers):
        return 0.0
    left = layout.frame(chart, sheet).left
    return left + 8 + max(sheet.measure(text) for layer in words for text in (layer.label, *layer.texts))


def _gap(sheet: Sheet) -> float:
    return NEARER if sheet.width < NARROW else BESIDE


def _wide_enough(place: Place, shared: bool, sheet: Sheet) -> bool:
    half = sheet.printed and sheet.width < NARROW
    heat = [layer for layer in place.chart.layers if isinstance(layer, Cells)]
    if heat:
        columns = max(len(layer.columns) for layer in heat)
        least = LEAST_HALF_CELL if half else LEAST_CELL
        return place.frame.width / max(1, columns) >= (least if layout.printed(heat[0]) else 8.0)
    if layout.bare(place.chart):
        return True
    return place.frame.width >= (LEAST_HALF if half else LEAST) if shared else place.frame.width >= LEAST_OWN


Box = tuple[float, float, float, float]
"""Left, top, right and lower edge in pixels."""

SPOTS = (0.5, 0.62, 0.38, 0.75, 0.25, 0.87, 0.13)
"""Shares of the line at which its name may have its middle, the most wanted first."""


def names_inside(chart: Chart, frame: Frame) -> Iterator[tuple[str, tuple[float, float]]]:
    """Yield the names of lines that stand in the plot, each with its middle and its baseline in pixels."""
    for line in chart.layers:
        if isinstance(line, Line) and line.named_inside and line.label:
            place = name_place(chart, frame, line)
            if place:
                yield layout.line_label(line, frame.sheet), place


def name_place(chart: Chart, frame: Frame, line: Line) -> tuple[float, float] | None:
    """Return the middle and the baseline of a line's name in pixels; None where the line has no length."""
    points = [
        (frame.across(x), frame.down(y)) for x, y in zip(line.x, line.y, strict=True) if x is not None and y is not None
    ]
    if len(points) < 2:
        return None
    half = frame.sheet.measure(layout.line_label(line, frame.sheet)) / 2
    left, right = points[0][0], points[-1][0]
    obstacles = list(_obstacles(chart, frame))
    best: tuple[float, tuple[float, float]] | None = None
    for share in SPOTS:
        middle = max(frame.left + half, min(left + share * (right - left), frame.right - half))
        heights = [_height(points, x) for x in (middle - half, middle, middle + half)]
        for baseline in (min(heights) - 5, max(heights) + theme.SIZE + 3):
            box = (middle - half, baseline - theme.SIZE, middle + half, baseline + 3)
            outside = box[1] < frame.top or box[3] > frame.bottom
            cost = 10.0 * outside + sum(_covers(box, each) for each in obstacles)
            if best is None or cost < best[0]:
                best = (cost, (middle, baseline))
    return best[1] if best else None


def _height(points: list[tuple[float, float]], x: float) -> float:
    """Return how high a line lies at x; beyond its ends as high as there."""
    for (x1, y1), (x2, y2) in pairwise(points):
        if x <= x2 or (x2, y2) == points[-1]:
            share = min(1.0, max(0.0, (x - x1) / (x2 - x1))) if x2 > x1 else 0.0
            return y1 + share * (y2 - y1)
    return points[-1][1]


def _obstacles(chart: Chart, frame: Frame) -> Iterator[Box]:
    """Yield the places of points with their intervals."""
    for layer in chart.layers:
        if not isinstance(layer, Dots) or layer.along != "y":
            continue
        for index, position in enumerate(layer.positions):
            at = frame.x.place(position)
            ends = [layer.values[index], *((each[index]) for each in (layer.low, layer.high) if each)]
            heights = [frame.down(held) for end in ends if (held := frame.y.place(frame.y.held(end))) is not None]
            if at is not None and heights:
                x = frame.across(at)
                yield (x - 5, min(heights) - 5, x + 5, max(heights) + 5)


def _covers(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


PLOT = 0.33
"""Share of the half that the plot itself needs beside its labels."""

LETTERS = 10.0
"""Size of the letters in the cells of a heat map, in pixels, below which it keeps the whole width."""

DIGIT = 0.55 * theme.SIZE
"""Width of a digit on paper, in pixels, with a little room."""

MOST = 20
"""Categories below each other up to which a chart is a small one."""


def fits(chart: Chart, sheet: Sheet = HALF) -> bool:
    """Return whether nothing of `chart` is lost when it is drawn on a sheet of about half a page.

    Examples
    --------
    >>> from reportgen.results.chart import Axis, Line
    >>> line = Line("identity", (1.0, 6.0), (1.0, 6.0))
    >>> fits(Chart("k", "t", "a", Axis("Engine", low=1, high=6), Axis("Human"), (line,)))
    True
    """
    if chart.panels:
        placed = places(chart, sheet)
        return chart.stacked and all(fits(place.chart, sheet) for place in placed)
    frame = layout.frame(chart, sheet)
    heat = [layer for layer in chart.layers if isinstance(layer, Cells)]
    if heat:
        # Names that the whole page would cut as well are no reason to take it.
        named = _categories_fit(chart, frame) or not _categories_fit(chart, layout.frame(chart, PAGE))
        return named and all(_letters(frame, layer) >= LETTERS for layer in heat) and _titles_fit(chart, frame)
    return (
        frame.width >= PLOT * frame.outer
        and len(frame.y.categories) <= MOST
        and _titles_fit(chart, frame)
        and sum(32 + frame.sheet.measure(entry.label) for entry in frame.key) <= frame.outer
        and all(_label_fits(frame, at, label) for _, at, label in layout.upright(chart, frame.x))
        and _categories_fit(chart, frame)
        and _counts_fit(chart, frame)
        and not any(isinstance(layer, Line) and len(layer.label) > 22 for layer in chart.layers)
    )


def level(charts: Sequence[Chart], sheet: Sheet = HALF) -> tuple[Chart, ...]:
    """Return charts that stand side by side with plots of one height, where none is a matter of its rows.

    Examples
    --------
    >>> from reportgen.results.chart import Axis, Line, Rule
    >>> line = Line("reliability", (1.0, 5.0), (0.7, 0.9))
    >>> free = Chart("a", "t", "a", Axis("Ratings"), Axis("Reliability"), (line,))
    >>> beside = Chart("b", "t", "a", Axis("Score"), Axis("Variance"), (line, Rule(0.8, "all responses", "y")))
    >>> [layout.frame(chart, HALF).height for chart in level((free, beside))]
    [124.0, 124.0]
    """
    if any(chart.panels for chart in charts):
        return tuple(charts)
    frames = [layout.frame(chart, sheet) for chart in charts]
    own = any(frame.y.categories for frame in frames) or any(chart.height for chart in charts)
    if own or len(charts) < 2:
        return tuple(charts)
    height = round(max(frame.height for frame in frames))
    return tuple(replace(chart, height=height) for chart in charts)


def _letters(frame: Frame, cells: Cells) -> float:
    """Return the size of the smallest letters in the cells; none in one that prints no texts."""
    if not layout.printed(cells):
        return 0.0
    widest = max((theme.columns(label) for row in cells.texts for label in row), default=1)
    return 1.7 * (frame.across(1) - frame.across(0) - 2) / max(1, widest)


def _titles_fit(chart: Chart, frame: Frame) -> bool:
    return all(theme.columns(axis_title(axis)) <= layout.letters(frame.outer) for axis in (chart.x, chart.y))


def _label_fits(frame: Frame, at: float, label: str) -> bool:
    half = frame.sheet.measure(label) / 2
    middle = frame.label_middle(at, label)
    return middle - half >= 0 and middle + half <= frame.outer


def _categories_fit(chart: Chart, frame: Frame) -> bool:
    return all(
        not placed.categories or placed.labels == scale.labels
        for placed, scale in zip((frame.x, frame.y), scales(chart), strict=True)
    )


def _counts_fit(chart: Chart, frame: Frame) -> bool:
    """Return whether the counts under the plot do not touch."""
    places = [(frame.x.place(position), len(count(n))) for position, n in chart.strip_counts]
    known = sorted((frame.across(place), DIGIT * digits / 2) for place, digits in places if place is not None)
    return all(right - left > before + after for (left, before), (right, after) in pairwise(known))
