"""A chart as a table: what a screen reader reads, and the full names that a label had to shorten."""

from __future__ import annotations

import math
from collections.abc import Iterator

from reportgen.charts.layout import printed
from reportgen.results import Cell, Column, Estimate, Kind, Row, Table
from reportgen.results.chart import Bars, Cells, Chart, Dots, Line, Rule
from reportgen.wording.numbers import point

Position = str | float | None


def data_table(chart: Chart) -> Table:
    """Return the numbers of `chart`, one row per category or position; a heat map as a matrix.

    Examples
    --------
    >>> from reportgen.results.chart import Axis, Bars, Chart
    >>> bars = Bars("Raters", ("1", "2"), (4.1, 16.2))
    >>> table = data_table(Chart("k", "Shares", "Most get a 2.", Axis("Score"), Axis("Share", unit="%"), (bars,)))
    >>> [row.cells for row in table.rows]
    [('1', 4.1), ('2', 16.2)]
    """
    matrices = [layer for layer in chart.layers if isinstance(layer, Cells)]
    return _matrix(chart, matrices[0]) if matrices else _series(chart)


MOST_ROWS = 200
"""Rows the page shows of the data of a chart; results.json holds all."""


def _matrix(chart: Chart, cells: Cells) -> Table:
    """Return a heat map as a matrix, or as a list of its filled cells, the fullest first, when it is a large one."""
    if not printed(cells):
        return _list(chart, cells)
    head = Column("row", f"{chart.y.title} \\ {chart.x.title}")
    columns = (head, *(Column(f"column_{index}", name) for index, name in enumerate(cells.columns)))
    rows = tuple(Row((name, *texts)) for name, texts in zip(cells.rows, cells.texts, strict=True))
    return Table(f"{chart.key}.data", f"Data: {chart.title}", columns, rows, max_rows=len(rows))


def _list(chart: Chart, cells: Cells) -> Table:
    columns = (
        Column("row", chart.y.title),
        Column("column", chart.x.title),
        Column("cell", cells.value_label, kind_of(cells)),
    )
    filled = [
        (value, Row((row, column, text or value)))
        for row, values, texts in zip(cells.rows, cells.values, cells.texts, strict=True)
        for column, value, text in zip(cells.columns, values, texts, strict=True)
        if value
    ]
    rows = tuple(row for _, row in sorted(filled, key=lambda pair: pair[0], reverse=True))
    return Table(f"{chart.key}.data", f"Data: {chart.title}", columns, rows, max_rows=MOST_ROWS)


def _series(chart: Chart) -> Table:
    """Return one row per position and one column per layer, with a column of counts where there are any."""
    vertical = any(isinstance(layer, Dots) and layer.along == "x" for layer in chart.layers)
    across, along = (chart.y, chart.x) if vertical else (chart.x, chart.y)
    columns = [Column("position", across.title or "Position")]
    values: list[dict[Position, Cell]] = []
    for index, layer in enumerate(_told(chart)):
        columns.append(Column(f"layer_{index}", layer.label, _kind(layer, along.unit), along.unit))
        values.append(_cells(layer, vertical))
    counts = _counts(chart)
    if counts:
        columns.append(Column("n", "n", "count"))
        values.append(counts)
    rows = tuple(
        Row(
            (
                point(position) if isinstance(position, (int, float)) else position,
                *(cells.get(position) for cells in values),
            )
        )
        for position in _positions(across.categories, values)
    )
    notes = tuple(f"Line: {rule.label}" for rule in chart.layers if isinstance(rule, Rule))
    return Table(f"{chart.key}.data", f"Data: {chart.title}", tuple(columns), rows, notes, max_rows=MOST_ROWS)


def _told(chart: Chart) -> Iterator[Dots | Bars | Line]:
    """Yield the layers that have a column: all of data but lines without a label."""
    for layer in chart.layers:
        if isinstance(layer, (Dots, Bars)) or (isinstance(layer, Line) and layer.label):
            yield layer


def _positions(categories: tuple[str, ...], values: list[dict[Position, Cell]]) -> list[Position]:
    """Return every position once: in the order of the categories, else numbers upwards."""
    seen = list(dict.fromkeys(position for cells in values for position in cells if position is not None))
    if categories:
        rank = {name: index for index, name in enumerate(categories)}
        return sorted(seen, key=lambda position: rank.get(_name(position), len(rank)))
    return sorted(seen, key=lambda position: (0, position) if isinstance(position, (int, float)) else (1, 0.0))


def _name(position: Position) -> str:
    return point(position) if isinstance(position, (int, float)) else str(position)


def _cells(layer: Dots | Bars | Line, vertical: bool) -> dict[Position, Cell]:
    if isinstance(layer, Line):
        pairs = zip(layer.y, layer.x, strict=True) if vertical else zip(layer.x, layer.y, strict=True)
        return dict(pairs)
    if isinstance(layer, Bars) or not layer.low or not layer.high:
        return dict(zip(layer.positions, layer.values, strict=True))
    n = layer.n or (0,) * len(layer.positions)
    kind = _kind(layer, "")
    return {
        position: Estimate(layer.label, value, size, low, high, kind=kind)
        for position, value, low, high, size in zip(
            layer.positions, layer.values, layer.low, layer.high, n, strict=True
        )
    }


def _counts(chart: Chart) -> dict[Position, Cell]:
    counts: dict[Position, Cell] = dict(chart.strip_counts)
    for layer in chart.layers:
        if isinstance(layer, Dots) and layer.n:
            counts |= dict(zip(layer.positions, layer.n, strict=True))
    return counts


def kind_of(cells: Cells) -> Kind:
    """Return how the values of a heat map are written: as percentages where their name begins so."""
    return "percent" if cells.value_label.startswith("%") else "score"


def _kind(layer: Dots | Bars | Line, unit: str) -> Kind:
    """Return how the numbers of a layer are written: shares, counts, or values with two decimals."""
    if unit == "%":
        return "percent"
    values = [value for value in (layer.y if isinstance(layer, Line) else layer.values) if value is not None]
    whole = isinstance(layer, Bars) and all(math.isfinite(value) and value == round(value) for value in values)
    return "count" if whole else "score"
