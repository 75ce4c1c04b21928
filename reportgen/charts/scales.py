"""From a chart's data to its axes: ranges, round ticks, and the place of every value."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from reportgen.results.chart import Axis, Bars, Cells, Chart, Dots, Layer, Line, Number, Rule
from reportgen.wording.numbers import fixed, point

Position = str | float


@dataclass(frozen=True)
class AxisScale:
    """One axis, ready to draw: its range and the places of its ticks.

    A categorical axis counts its categories 0, 1, 2 and runs from -0.5 to one half past the last.
    """

    low: float
    high: float
    ticks: tuple[float, ...]
    labels: tuple[str, ...]
    categories: tuple[str, ...] = ()

    def place(self, position: Position | None) -> float | None:
        """Return where a category or number stands on this axis; None when it has no place."""
        if position is None:
            return None
        if self.categories:
            name = position if isinstance(position, str) else point(position)
            return float(self.categories.index(name)) if name in self.categories else None
        return float(position) if not isinstance(position, str) and math.isfinite(position) else None

    def fraction(self, value: float) -> float:
        """Return `value` as a share of the axis, 0 at its low end and 1 at its high end."""
        return (value - self.low) / (self.high - self.low)


def scales(chart: Chart) -> tuple[AxisScale, AxisScale]:
    """Return the x and the y scale of `chart`.

    Ranges hold every value, interval and rule; ends that the axis declares are kept.  A chart
    without any number gets the range 0 to 1.

    Examples
    --------
    >>> from reportgen.results.chart import Axis, Chart, Line
    >>> line = Line("identity", (1.0, 6.0), (1.0, 6.0))
    >>> x, y = scales(Chart("k", "t", "a", Axis("Engine", low=1, high=6), Axis("Human"), (line,)))
    >>> x.labels
    ('1', '2', '3', '4', '5', '6')
    """
    values: dict[str, list[Position | None]] = {"x": [], "y": []}
    for layer in chart.layers:
        for axis, items in _values(layer):
            values[axis] += items
    values["x"] += [position for position, _ in chart.strip_counts]
    return _scale(chart.x, values["x"]), _scale(chart.y, values["y"])


def _values(layer: Layer) -> Iterator[tuple[str, Sequence[Position | None]]]:
    """Yield what a layer puts on each axis."""
    match layer:
        case Dots():
            along, across = ("x", "y") if layer.along == "x" else ("y", "x")
            yield along, (*layer.values, *layer.low, *layer.high)
            yield across, layer.positions
        case Bars():
            yield "x", layer.positions
            yield "y", (0.0, *layer.values)
        case Line():
            yield "x", layer.x
            yield "y", layer.y
        case Rule():
            yield layer.axis, (layer.at,)
        case Cells():
            yield "x", layer.columns
            yield "y", layer.rows


def _scale(axis: Axis, values: Iterable[Position | None]) -> AxisScale:
    values = tuple(values)
    words = tuple(dict.fromkeys(value for value in values if isinstance(value, str)))
    categories = axis.categories or words
    if categories:
        places = tuple(float(index) for index in range(len(categories)))
        return AxisScale(-0.5, len(categories) - 0.5, places, categories, categories)
    numbers = [value for value in values if isinstance(value, (int, float)) and math.isfinite(value)]
    low, high = _range(axis.low, axis.high, numbers)
    ticks = round_ticks(low, high)
    return AxisScale(low, high, ticks, tuple(fixed(tick, _decimals(round_step(low, high))) for tick in ticks))


def _range(low: Number, high: Number, numbers: Sequence[float]) -> tuple[float, float]:
    """Return the ends of an axis: as declared, else a little beyond the data."""
    first = min(numbers, default=0.0) if low is None else min(low, *numbers, low)
    last = max(numbers, default=1.0) if high is None else max(high, *numbers, high)
    if last - first <= 1e-9 * max(1.0, abs(first), abs(last)):  # one value: the axis is made around it
        around = 0.05 * abs(first) or 0.5
        return first - around, last + around
    margin = 0.05 * (last - first)
    if low is None or first < low:
        first -= margin
    if high is None or last > high:
        last += margin
    return first, last


def round_ticks(low: float, high: float, most: int = 7) -> tuple[float, ...]:
    """Return at most about `most` round numbers from `low` to `high`, in steps of 1, 2 or 5.

    Examples
    --------
    >>> round_ticks(-0.31, 0.27)
    (-0.3, -0.2, -0.1, 0.0, 0.1, 0.2)
    """
    step = round_step(low, high, most)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return tuple(round(index * step, _decimals(step)) + 0.0 for index in range(first, last + 1))


def round_step(low: float, high: float, most: int = 7) -> float:
    """Return the smallest of 1, 2 or 5 times a power of ten that makes at most about `most` steps."""
    raw = (high - low) / most
    power = 10.0 ** math.floor(math.log10(raw))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw * 0.999)


def _decimals(step: float) -> int:
    return max(0, -math.floor(math.log10(step) + 1e-9))
