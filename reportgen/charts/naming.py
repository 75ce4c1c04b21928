"""Where the name of a line stands in its plot: along the line, where it covers the least."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from reportgen.charts import layout, theme
from reportgen.charts.layout import Frame
from reportgen.results.chart import Chart, Dots, Line

Box = tuple[float, float, float, float]
"""Left, top, right and lower edge in pixels."""

SPOTS = (0.5, 0.62, 0.38, 0.75, 0.25, 0.87, 0.13)
"""Shares of the line at which its name may have its middle, the most wanted first."""


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
