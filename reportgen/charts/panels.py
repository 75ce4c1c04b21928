"""Place the panels of a chart, and choose charts that fit half a page."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from reportgen.charts import layout, theme
from reportgen.charts.layout import DENSE, HALF, PAGE, ROW, SCREEN, Frame, Sheet, axis_title, key_lines
from reportgen.charts.marks import Plot
from reportgen.charts.scales import layers_of, scales
from reportgen.results.chart import Cells, Chart, Line
from reportgen.wording.numbers import count

BESIDE, NEARER = 24.0, 14.0  # pixels between two panels, on a whole page and on half a page

NARROW = 400.0  # width of a sheet that is half a page, or a phone

LEAST, LEAST_OWN, LEAST_CELL = 60.0, 120.0, 30.0
"""Panels wrap if a plot that shares its rows, a plot with its own y axis, or a heat map cell would be narrower than
this."""

LEAST_HALF, LEAST_HALF_CELL = 72.0, 12.0  # the same on half a page of paper, where vertical space is scarce


def places(chart: Chart, sheet: Sheet = SCREEN) -> tuple[Plot, ...]:
    """Return the plots of `chart` with their positions on a sheet; a chart without panels is one plot.

    >>> from reportgen.results.chart import Axis, Chart, Dots, Panel
    >>> panels = tuple(Panel(title, Axis("d"), (Dots("d", ("a",), (0.1,)),)) for title in ("seen", "true"))
    >>> chart = Chart("k", "t", "a", Axis(""), Axis("Group", ("a",)), (), panels=panels)
    >>> [plot.y for plot in places(chart)]
    [0.0, 0.0]
    """
    if not chart.panels:
        return (Plot(layout.frame(chart, sheet)),)
    charts = layout.alone(chart)
    if chart.stacked:
        return _below(charts, sheet)
    shared = all(panel.y is None for panel in chart.panels)
    for columns in range(len(charts), 1, -1):
        if all(_wide_enough(plot.frame, shared, sheet) for plot in _grid(charts, sheet, columns, shared=shared)):
            rows = math.ceil(len(charts) / columns)
            return _grid(charts, sheet, math.ceil(len(charts) / rows), shared=shared)
    return _grid(charts, sheet, 1, shared=shared)


def total(placed: Sequence[Plot], shared: str = "") -> float:
    """Return the height of the whole image, including the shared axis name."""
    return max(plot.y + plot.frame.total for plot in placed) + (ROW if shared else 0.0)


def shared_axis(chart: Chart) -> str:
    """Return the x axis name that all panels share, or an empty string."""
    return axis_title(chart.x) if chart.panels else ""


def _below(charts: Sequence[Chart], sheet: Sheet) -> tuple[Plot, ...]:
    """Stack panels with the same margins; identical legends and axes appear once."""
    frames = [layout.frame(chart, sheet) for chart in charts]
    lines = sum(len(frame.y.categories) + bool(frame.chart.title) for frame in frames)
    same = replace(
        sheet,
        left=max(frame.left for frame in frames),
        right=max(frame.outer - frame.right for frame in frames),
        dense=sheet.printed and lines > DENSE,
    )
    one_axis = all((chart.x, scales(chart)[0]) == (charts[0].x, scales(charts[0])[0]) for chart in charts)
    placed: list[Plot] = []
    for place, chart in enumerate(charts):
        frame = layout.frame(chart, replace(same, measured=not one_axis or place == len(charts) - 1))
        title, key = title_lines(frame), frame.key
        if placed and key == placed[0].frame.key:
            key = ()
        more = ROW * (len(title) - key_lines(frame.key) + key_lines(key))
        frame = replace(frame, key=key, top=frame.top + more, total=frame.total + more)
        placed.append(Plot(frame, title, 0.0, total(placed) if placed else 0.0))
    return tuple(placed)


def _grid(charts: Sequence[Chart], sheet: Sheet, columns: int, *, shared: bool) -> tuple[Plot, ...]:
    """Place panels in rows; shared row names and n appear once per row."""
    placed: list[Plot] = []
    gap = NEARER if sheet.width < NARROW else BESIDE
    starts = range(0, len(charts), columns)
    rows = [_row(charts[start : start + columns], sheet, gap, shared=shared) for start in starts]
    width = min(width for _, width in rows)
    for row, _ in rows:
        x, y = 0.0, total(placed) if placed else 0.0
        frames = [panel.frame(width) for panel in row]
        titles = [title_lines(frame) for frame in frames]
        top = max(frame.top for frame in frames) + ROW * max(map(len, titles))
        for frame, title in zip(frames, titles, strict=True):
            placed.append(Plot(replace(frame, top=top, total=frame.total + top - frame.top), title, x, y))
            x += frame.outer + gap
    return tuple(placed)


def title_lines(frame: Frame) -> tuple[str, ...]:
    """Wrap a panel title over its plot, to at most two lines."""
    room = max(frame.width, frame.outer - frame.left) + NEARER
    widest = max(8, int(room / (0.5 * frame.sheet.measure("n"))) // 2)
    return tuple(theme.shorten(line, widest) for line in theme.fold(frame.chart.title, room))


class _Panel(NamedTuple):
    """One panel of a row before its width is known: its sheet and its margins."""

    chart: Chart
    sheet: Sheet
    margins: float

    def frame(self, width: float) -> Frame:
        return layout.frame(self.chart, replace(self.sheet, width=self.margins + width))


def _row(charts: Sequence[Chart], sheet: Sheet, gap: float, *, shared: bool) -> tuple[list[_Panel], float]:
    """Place panels in a row, and return the width left for each plot after margins."""
    last, found = len(charts) - 1, []
    rows = shared or (len({chart.y for chart in charts}) == 1 and bool(charts[0].y.categories))
    alike = len({tuple(layer.label for layer in layers_of(chart, Line)) for chart in charts}) == 1
    for place, chart in enumerate(charts):
        own = replace(
            sheet,
            label=14 if shared and sheet.width < NARROW and not sheet.printed else sheet.label,
            named=not rows or not place,
            counted=not shared or place == last,
            ended=not alike or place == last,
        )
        frame = layout.frame(chart, own)
        # A heat map may not fill its width, so its right margin is not the space it leaves.
        endings = layout.endings([line for line, _ in frame.line_labels], own)
        right = max(own.right, layout.margin_right(own, frame.x) + frame.for_n + endings)
        found.append(_Panel(chart, own, frame.left + own.width - (frame.outer - right)))
    taken = sum(panel.margins for panel in found) + gap * last
    return found, max(0.0, sheet.width - taken) / len(found)


def _wide_enough(frame: Frame, shared: bool, sheet: Sheet) -> bool:
    half = sheet.printed and sheet.width < PAGE.width
    if heat := layers_of(frame.chart, Cells):
        columns = max(len(layer.columns) for layer in heat)
        least = LEAST_HALF_CELL if half else LEAST_CELL
        return frame.width / max(1, columns) >= (least if layout.printed(heat[0]) else 8.0)
    least = (LEAST_HALF if half else LEAST) if shared else LEAST_OWN
    return layout.bare(frame.chart) or frame.width >= least


PLOT = 0.33  # share of the half page that the plot needs, apart from its labels

LETTERS = 10.0  # heat maps with a smaller font in their cells use the whole width

DIGIT = 0.55 * theme.SIZE  # width of a digit on paper, with a small margin

MOST = 20  # most categories of a small chart


def fits(chart: Chart, sheet: Sheet = HALF) -> bool:
    """Return whether `chart` loses nothing on a sheet of about half a page.

    >>> from reportgen.results.chart import Axis, Line
    >>> line = Line("identity", (1.0, 6.0), (1.0, 6.0))
    >>> fits(Chart("k", "t", "a", Axis("Engine", low=1, high=6), Axis("Human"), (line,)))
    True
    """
    if chart.panels:
        return chart.stacked and all(fits(plot.chart, sheet) for plot in places(chart, sheet))
    frame = layout.frame(chart, sheet)
    if any(theme.columns(axis_title(axis)) > layout.letters(frame.outer) for axis in (chart.x, chart.y)):
        return False
    if heat := layers_of(chart, Cells):
        # Names that would also be cut on a whole page do not prevent a half page.
        named = _categories_fit(frame) or not _categories_fit(layout.frame(chart, PAGE))
        return named and all(_letters(frame, layer) >= LETTERS for layer in heat)
    labels = [(frame.label_middle(at, label), sheet.measure(label) / 2) for _, at, label, _ in frame.upright]
    return (
        frame.width >= PLOT * frame.outer
        and len(frame.y.categories) <= MOST
        and key_lines(frame.key) < 2
        and all(middle - half >= 0 and middle + half <= frame.outer for middle, half in labels)
        and _categories_fit(frame)
        and _counts_fit(frame)
        and all(len(line.label) <= 22 for line in layers_of(chart, Line))
    )


def level(charts: Sequence[Chart], sheet: Sheet = HALF) -> tuple[Chart, ...]:
    """Give side-by-side charts plots of one height, unless their rows determine it.

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
    widest = max((theme.columns(label) for row in cells.texts for label in row), default=1)
    return 1.7 * (frame.across(1) - frame.across(0) - 2) / max(1, widest) if layout.printed(cells) else 0.0


def _categories_fit(frame: Frame) -> bool:
    pairs = zip((frame.x, frame.y), scales(frame.chart), strict=True)
    return all(not placed.categories or placed.labels == scale.labels for placed, scale in pairs)


def _counts_fit(frame: Frame) -> bool:
    counts = frame.x.places(*zip(*frame.chart.strip_counts, strict=True)) if frame.chart.strip_counts else ()
    known = sorted((frame.across(place), DIGIT * len(count(n)) / 2) for place, _, n in counts)
    return all(right - left > before + after for (left, before), (right, after) in pairwise(known))
