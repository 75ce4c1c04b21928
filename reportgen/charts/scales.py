"""Compute the axes of a chart: ranges, round ticks, and the position of every value."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, TypeVar

from reportgen.results import Axis, Bars, Chart, Dots, Layer, Pairs, Zone, round_step
from reportgen.results import chart as parts
from reportgen.results.chart import contain
from reportgen.wording.numbers import count, fixed, point

Position = str | float
Span = tuple[float, float]

WIDE, LONGER = 5.0, 2.0
"""An interval is cut if it is this many times as wide as the median interval and would make the axis this many times as
long."""


@dataclass(frozen=True)
class AxisScale:
    """One axis, ready to draw: its range and the positions of its ticks.

    A categorical axis counts its categories 0, 1, 2 and runs from -0.5 to half a step past the last. `limits` are the
    ticks at the ends of a zone. A `cut` scale draws the ends of intervals that are too wide at its ends.
    """

    low: float
    high: float
    ticks: tuple[float, ...]
    labels: tuple[str, ...]
    categories: tuple[str, ...] = ()
    limits: tuple[float, ...] = ()
    fixed: bool = False
    turned: bool = False
    cut: bool = False
    ratio: bool = False

    def at(self, value: float) -> float:
        """Return the length along the axis at which a value is drawn: its logarithm on a ratio axis."""
        return math.log10(value) if self.ratio else value

    def place(self, position: Position | None) -> float | None:
        """Return the position of a category or number on this axis, or None."""
        if position is None:
            return None
        if self.categories:
            name = position if isinstance(position, str) else point(position)
            return float(self.categories.index(name)) if name in self.categories else None
        return float(position) if not isinstance(position, str) and math.isfinite(position) else None

    def places(self, positions: Iterable[Position], *more: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
        """Yield the positions that exist, each with its category and value."""
        for position, *values in zip(positions, *more, strict=True):
            if (place := self.place(position)) is not None:
                yield place, position, *values

    def fraction(self, value: float) -> float:
        """Convert `value` to a fraction of the axis: 0 at its low end, 1 at its high end."""
        low, high, value = map(self.at, (self.low, self.high, value))
        share = (value - low) / (high - low)
        return 1 - share if self.turned else share

    def value(self, share: float) -> float:
        """Convert a fraction of the axis to a value without rounding beyond the range, where Plotly drops points."""
        low, span = self.at(self.low), self.at(self.high) - self.at(self.low)
        found = round(low + (1 - share if self.turned else share) * span, 9 - math.floor(math.log10(span)))
        found = 10.0**found if self.ratio else found
        return min(max(found, self.low), self.high) if -1e-9 <= share <= 1 + 1e-9 else found

    def held(self, value: float | None) -> float | None:
        """Return where a value is drawn: at an end if it is beyond a cut scale."""
        return min(max(value, self.low), self.high) if self.cut and value is not None else value

    def beyond(self, value: float) -> int:
        """Return -1 or 1 for a value beyond the low or high end of a cut scale, otherwise 0."""
        return (value > self.high) - (value < self.low) if self.cut else 0


def scales(chart: Chart) -> tuple[AxisScale, AxisScale]:
    """Compute the x and y scales of `chart`.

    Ranges include every value, rule, and interval, but an interval so wide that it would hide the rest (`WIDE`) is cut.
    Declared ends are kept. A chart without numbers gets the range 0 to 1.

    >>> from reportgen.results.chart import Axis, Chart, Line
    >>> line = Line("identity", (1.0, 6.0), (1.0, 6.0))
    >>> x, y = scales(Chart("k", "t", "a", Axis("Engine", low=1, high=6), Axis("Human"), (line,)))
    >>> x.labels
    ('1', '2', '3', '4', '5', '6')
    """
    values: dict[str, list[Position | None]] = {"x": [], "y": []}
    spans: dict[str, list[Span]] = {"x": [], "y": []}
    ends: dict[str, list[float | None]] = {"x": [], "y": []}
    for layer in chart.layers:
        along, own, others = PLACED[type(layer)](layer)
        values[along] += own
        values["y" if along == "x" else "x"] += others
        if isinstance(layer, Dots):
            spans[along] += _spans(layer)
        if isinstance(layer, Zone):
            ends[along] += (layer.low, layer.high)
    values["x"] += [position for position, _ in chart.strip_counts]
    tall = any(isinstance(layer, (Bars, Pairs)) and values_along(layer) == "y" for layer in chart.layers)
    return (
        _scale(chart.x, values["x"], ends["x"], spans["x"], tall=False),
        _scale(chart.y, values["y"], ends["y"], spans["y"], tall=tall),
    )


Kind = TypeVar("Kind", bound=Layer)


def layers_of(chart: Chart, kind: type[Kind]) -> list[Kind]:
    """Return the layers of one kind in the chart or its panels."""
    return [layer for layer in chart.every_layer() if isinstance(layer, kind)]


PLACED: Mapping[type, Callable[[Any], tuple[str, Sequence[Position | None], Sequence[Position | None]]]] = {
    Dots: lambda each: (each.along, each.values, each.positions),
    Pairs: lambda each: (each.along, (*each.first, *each.second, *each.low, *each.high), each.positions),
    Bars: lambda each: ("y", (0.0, *each.values), each.positions),
    parts.Line: lambda each: ("y", each.y, each.x),
    parts.Rule: lambda each: (each.axis, (each.at,), ()),
    Zone: lambda each: (each.axis, (each.low, each.high), ()),
    parts.Shares: lambda each: ("x", (0.0, 100.0), each.rows),
    parts.Spans: lambda each: ("x", (*each.start, *each.stop), each.positions),
    parts.Cells: lambda each: ("x", each.columns, each.rows),
}
"""The value axis of each kind of layer, its values, and its positions on the other axis."""


def values_along(layer: Layer) -> str:
    """Return the value axis of a layer; the other axis has its positions."""
    return PLACED[type(layer)](layer)[0]


def _spans(dots: Dots) -> list[Span]:
    pairs = zip(dots.low, dots.high, strict=True) if dots.low and dots.high else ()
    shown = compress(pairs, dots.flagged) if dots.names else pairs  # of named points, flagged ones show intervals
    found = [(low, high) for low, high in shown if low is not None and high is not None]
    return [span for span in found if all(map(math.isfinite, span))]


def _scale(
    axis: Axis, values: Sequence[Position | None], ends: Iterable[float | None], spans: Sequence[Span], *, tall: bool
) -> AxisScale:
    categories = axis.categories or tuple(dict.fromkeys(value for value in values if isinstance(value, str)))
    if categories:
        spots = tuple(float(index) for index in range(len(categories)))
        return AxisScale(-0.5, len(categories) - 0.5, spots, categories, categories)
    numbers = [value for value in values if isinstance(value, (int, float)) and math.isfinite(value)]
    if axis.ratio:
        low, high = min(numbers) / ROOM, max(numbers) * ROOM
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)))
        found = tuple(tick for power in powers for each in (1, 2, 5) if low <= (tick := each * 10.0**power) <= high)
        ticks = found if len(found) > 2 else round_ticks(low, high)
        return AxisScale(
            low, high, ticks, tuple(count(tick) if tick >= 1 else point(tick) for tick in ticks), ratio=True
        )
    low, high = _range(axis, numbers, _ends_shown(numbers, spans))
    step = _step(low, high)
    if tall and axis.high is None and max(numbers, default=0.0) > 0:  # leaves a line of space above the tallest
        high = step * math.ceil(max(numbers) / step - 1e-9)
    short = axis.fixed and high - low <= 2  # at least two decimals on a fixed scale, as in the text
    usual = max(_decimals(step), 2 if short else 0)
    places = dict.fromkeys(round_ticks(low, high), usual)
    limits = sorted({end for end in ends if end is not None and low <= end <= high})
    for limit in limits:
        places.pop(next((tick for tick in places if abs(tick - limit) < 1e-9), limit), None)
        places[limit] = next((each for each in range(usual, 9) if abs(round(limit, each) - limit) < 1e-9), 9)
    signed, ticks = axis.fixed and low < 0 < high, tuple(sorted(places))
    return AxisScale(
        low,
        high,
        ticks,
        tuple(fixed(tick, places[tick], signed=signed and bool(tick)) for tick in ticks),
        limits=tuple(limits),
        fixed=axis.fixed,
        turned=axis.turned,
        cut=any(end < low or end > high for span in spans for end in span),
    )


def _ends_shown(numbers: Sequence[float], spans: Sequence[Span]) -> list[float]:
    """Return the interval ends that the axis includes: all, unless some intervals are much wider than the others."""
    every = [end for span in spans for end in span]
    if len(spans) < 3:
        return every
    widths = sorted(high - low for low, high in spans)
    usual = [end for low, high in spans if high - low <= WIDE * widths[(len(widths) - 1) // 2] for end in (low, high)]
    first, last = min(*numbers, *usual), max(*numbers, *usual)
    length = last - first
    if not length or max(last, *every) - min(first, *every) <= LONGER * length:
        return every
    return [end for end in every if first - length / 2 <= end <= last + length / 2]


ROOM = 1.12  # ratio by which a ratio axis extends beyond its numbers

SLACK = 0.1  # part of a fixed axis by which an interval may be longer than it


def _range(axis: Axis, numbers: Sequence[float], ends: Sequence[float]) -> tuple[float, float]:
    """Return the ends of an axis that contain all numbers and ends of intervals: as declared, or slightly beyond."""
    low, high = axis.low, axis.high
    if axis.fixed and low is not None and high is not None and low < high:
        slack = SLACK * (high - low)
        return contain((low, high), (*numbers, *(end for end in ends if not low - slack <= end <= high + slack)))
    numbers = (*numbers, *ends)
    first = min(numbers, default=0.0) if low is None else min(low, *numbers, low)
    last = max(numbers, default=1.0) if high is None else max(high, *numbers, high)
    if last - first <= 1e-9 * max(1.0, abs(first), abs(last)):  # a single value is at the center of the axis
        around = 0.05 * abs(first) or 0.5
        return first - around, last + around
    margin = 0.05 * (last - first)
    if low is None or first < low:
        first -= margin
    if high is None or last > high:
        last += margin
    return first, last


def round_ticks(low: float, high: float) -> tuple[float, ...]:
    """Return about seven round numbers at most from `low` to `high`, in steps of 1, 2, or 5.

    >>> round_ticks(-0.31, 0.27)
    (-0.3, -0.2, -0.1, 0.0, 0.1, 0.2)
    """
    step = _step(low, high)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return tuple(round(index * step, _decimals(step)) + 0.0 for index in range(first, last + 1))


def _step(low: float, high: float) -> float:
    """Return the smallest step of 1, 2, or 5 that gives at most seven ticks, so that some are near both ends."""
    finer = round_step(low, high, 9)
    return finer if math.floor(high / finer + 1e-9) - math.ceil(low / finer - 1e-9) < 7 else round_step(low, high)


def _decimals(step: float) -> int:
    return max(0, -math.floor(math.log10(step) + 1e-9))
