"""What stands side by side on paper: small charts and narrow tables that follow each other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reportgen.charts.half import fits, level
from reportgen.charts.layout import HALF, NARROW, PAGE, Sheet
from reportgen.charts.static import svg
from reportgen.charts.theme import Colours
from reportgen.rendering.escaping import anchor
from reportgen.results.chart import Chart

Cell = Any
"""A cell of the notebook."""

EVEN = 47
"""Width of a table that fits half a page, in digits."""

UNEVEN = 55
"""Width of a table that fits a page beside a small chart, in digits."""

DRAWING = "image/svg+xml"

COLUMNS = ("two-columns", "pages-two")
"""Elements of templates that are columns of half a page."""


@dataclass(frozen=True)
class PageLine:
    """One cell that has the width of the page, or two that share it; an `uneven` pair is a chart and a wider table.

    The charts of a line that is `done` are drawn for their place.
    """

    cells: tuple[Cell, ...]
    uneven: bool = False
    done: bool = False

    @property
    def pair(self) -> bool:
        """Whether two share the width of the page."""
        return len(self.cells) > 1


def single(cells: Sequence[Cell]) -> tuple[PageLine, ...]:
    """Return the cells below each other, as a screen shows them."""
    return tuple(PageLine((cell,)) for cell in cells)


def paired(cells: Sequence[Cell], charts: Iterable[Chart], colours: Colours) -> tuple[PageLine, ...]:
    """Return the cells in their order, two small ones that follow each other as one line; charts are drawn to fit."""
    known = {anchor(kind, chart.key): chart for chart in charts for kind in ("chart", "brief")}
    lines: list[PageLine] = []
    before, inside = "all", 0
    for cell in cells:
        inside = _columns_open(cell, inside)
        if inside:  # the template sets what is here beside each other itself
            lines.append(PageLine((_drawn(cell, _shown(cell, known)[1], colours, HALF),), done=True))
            before = "all"
            inside = max(inside - int(_around(cell).get("closes", "0")), 0)
            continue
        share = _share(cell, known)
        uneven = (before, share) == ("less", "more")
        if uneven or {before, share} <= {"half", "less"}:
            lines[-1] = PageLine((*lines[-1].cells, cell), uneven)
            before = "all"
        else:
            lines.append(PageLine((cell,)))
            before = share
    return tuple(line if line.done else _line_drawn(line, known, colours) for line in lines)


def _columns_open(cell: Cell, inside: int) -> int:
    """Return how many elements of a template's own columns are open around a cell, if so many were before it."""
    for name in _around(cell).get("opens", "").split():
        if inside or name in COLUMNS:
            inside += 1
    return inside


def _around(cell: Cell) -> Mapping[str, str]:
    """Return what is known of a cell."""
    about: Mapping[str, str] = cell["metadata"].get("reportgen", {})
    return about


def _line_drawn(line: PageLine, charts: dict[str, Chart], colours: Colours) -> PageLine:
    """Return a line with its charts drawn for their places, two of them on one level."""
    shown = [_shown(cell, charts)[1] for cell in line.cells]
    sheet = _sheet(line)
    drawn = iter(level([chart for chart in shown if chart is not None], sheet))
    own = [None if chart is None else next(drawn) for chart in shown]
    return replace(line, cells=tuple(_drawn(*pair, colours, sheet) for pair in zip(line.cells, own, strict=True)))


def _sheet(line: PageLine) -> Sheet:
    return PAGE if not line.pair else NARROW if line.uneven else HALF


def _share(cell: Cell, charts: dict[str, Chart]) -> str:
    """Return how much of the width of a page a cell needs that shows one chart or table."""
    about, chart = _shown(cell, charts)
    if about.get("kind") == "table":
        width = about.get("small") or math.inf
        return "half" if width <= EVEN else "more" if width <= UNEVEN else "all"
    if chart is None or not fits(chart, HALF):
        return "all"
    return "less" if fits(chart, NARROW) else "half"


def _shown(cell: Cell, charts: dict[str, Chart]) -> tuple[dict[str, Any], Chart | None]:
    """Return what a cell says about the one thing it shows, and the chart when that is one of the section's own."""
    outputs = cell["outputs"] if cell["cell_type"] == "code" else []
    about = outputs[0].get("metadata", {}).get("reportgen", {}) if len(outputs) == 1 else {}
    own = about.get("kind") == "chart" and DRAWING in outputs[0].get("data", {})
    chart = charts.get(about.get("id", "")) if own else None
    return about, chart and replace(chart, alt=about.get("alt") or chart.alt)


def _drawn(cell: Cell, chart: Chart | None, colours: Colours, sheet: Sheet) -> Cell:
    """Return the cell with its chart drawn for its place on the page; anything else as it is."""
    if chart is None:
        return cell
    output = cell["outputs"][0]
    data = {**output["data"], DRAWING: svg(chart, colours, sheet)}
    return {**cell, "outputs": [{**output, "data": data}]}
