"""Which charts can stand side by side on paper, each drawn for half the page with letters of the same size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from reportgen.charts import layout, text, theme
from reportgen.charts.layout import HALF, PAGE, Frame, Sheet
from reportgen.charts.panels import axis_title, places
from reportgen.charts.scales import scales
from reportgen.charts.static import letters
from reportgen.results.chart import Cells, Chart, Line
from reportgen.wording.numbers import count

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
        and _key_width(frame) <= frame.outer
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
    widest = max((text.columns(label) for row in cells.texts for label in row), default=1)
    return 1.7 * (frame.across(1) - frame.across(0) - 2) / max(1, widest)


def _titles_fit(chart: Chart, frame: Frame) -> bool:
    return all(text.columns(axis_title(axis)) <= letters(frame.outer) for axis in (chart.x, chart.y))


def _key_width(frame: Frame) -> float:
    return sum(32 + frame.sheet.measure(entry.label) for entry in frame.key)


def _label_fits(frame: Frame, at: float, label: str) -> bool:
    half = frame.sheet.measure(label) / 2
    middle = frame.label_middle(at, label)
    return middle - half >= 0 and middle + half <= frame.outer


def _categories_fit(chart: Chart, frame: Frame) -> bool:
    """Return whether every category stands on its axis with its whole name."""
    return all(
        not placed.categories or placed.labels == scale.labels
        for placed, scale in zip((frame.x, frame.y), scales(chart), strict=True)
    )


def _counts_fit(chart: Chart, frame: Frame) -> bool:
    """Return whether the counts under the plot do not touch."""
    places = [(frame.x.place(position), len(count(n))) for position, n in chart.strip_counts]
    known = sorted((frame.across(place), DIGIT * digits / 2) for place, digits in places if place is not None)
    return all(right - left > before + after for (left, before), (right, after) in pairwise(known))
