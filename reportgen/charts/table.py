"""A chart as a table: what a screen reader reads, and the full names that a label had to shorten."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from reportgen.charts.layout import printed
from reportgen.results import Cell, Column, Estimate, Kind, Row, Table
from reportgen.results.chart import Axis, Bars, Cells, Chart, Dots, Line, Pairs, Rule, Shares, Spans, Words
from reportgen.results.term import Term
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
    if chart.panels:
        return _of_panels(chart)
    matrices = [layer for layer in chart.layers if isinstance(layer, Cells)]
    if matrices:
        return _matrix(chart, matrices[0])
    shares = [layer for layer in chart.layers if isinstance(layer, Shares)]
    return _parts(chart, shares[0]) if shares else _series(chart)


MOST_ROWS = 200
"""Rows the page shows of the data of a chart; results.json holds all."""


def _caption(chart: Chart) -> Term:
    return Term("chart_data", title=chart.title)


def _of_panels(chart: Chart) -> Table:
    """Return the tables of all panels as one: beside each other where their rows are the same, else below."""
    tables = [
        data_table(replace(chart, title=panel.title, x=panel.x, y=panel.y or chart.y, layers=panel.layers, panels=()))
        for panel in chart.panels
    ]
    shared = all(panel.y is None for panel in chart.panels) and not any(
        isinstance(layer, Cells) for layer in chart.every_layer()
    )
    rows = _beside(chart, tables) if shared else _below(chart, tables)
    notes = tuple(dict.fromkeys(note for table in tables for note in table.notes))
    return Table(f"{chart.key}.data", _caption(chart), *rows, notes, max_rows=MOST_ROWS)


def _beside(chart: Chart, tables: Sequence[Table]) -> tuple[tuple[Column, ...], tuple[Row, ...]]:
    """Return columns and rows of tables with the same first column, beside each other."""
    columns = [tables[0].columns[0] if tables[0].columns else Column("position", chart.names.position)]
    found: list[dict[Cell, tuple[Cell, ...]]] = []
    for number, (table, panel) in enumerate(zip(tables, chart.panels, strict=True)):
        several = len(table.columns) > 2
        for column in table.columns[1:]:
            label = f"{panel.title}: {column.label}" if several and panel.title else panel.title or column.label
            columns.append(replace(column, key=f"panel_{number}_{column.key}", label=label))
        found.append({row.cells[0]: row.cells[1:] for row in table.rows})
    names = list(dict.fromkeys([*chart.y.categories, *(name for cells in found for name in cells)]))
    empty = [(None,) * (len(table.columns) - 1) for table in tables]
    rows = tuple(
        Row((name, *(cell for cells, blank in zip(found, empty, strict=True) for cell in cells.get(name, blank))))
        for name in names
        if any(name in cells for cells in found)
    )
    return tuple(columns), rows


def _below(chart: Chart, tables: Sequence[Table]) -> tuple[tuple[Column, ...], tuple[Row, ...]]:
    """Return columns and rows of tables below each other, the title of its panel before each row where it has one."""
    columns: dict[tuple[bool, str], Column] = {}
    for table in tables:
        for place, column in enumerate(table.columns):
            columns.setdefault((not place, column.label if place else ""), column)
    rows = []
    for table, panel in zip(tables, chart.panels, strict=True):
        labels = [(not place, column.label if place else "") for place, column in enumerate(table.columns)]
        for row in table.rows:
            cells = dict(zip(labels, row.cells, strict=True))
            rows.append((panel.title, *(cells.get(label) for label in columns)))
    head = Column("panel", chart.names.panel)
    found = (head, *(replace(each, key=f"column_{place}") for place, each in enumerate(columns.values())))
    untitled = not any(panel.title for panel in chart.panels)
    return found[untitled:], tuple(Row(cells[untitled:]) for cells in rows)


def _parts(chart: Chart, shares: Shares) -> Table:
    head = Column("row", chart.y.title or chart.names.row)
    columns = (head, *(Column(f"part_{index}", name, "count") for index, name in enumerate(shares.parts)))
    rows = tuple(Row((name, *counts)) for name, counts in zip(shares.rows, shares.counts, strict=True))
    total = tuple(Row((*row.cells, n)) for row, n in zip(rows, shares.totals, strict=True))
    return Table(
        f"{chart.key}.data", _caption(chart), (*columns, Column("n", chart.names.n, "count")), total,
        max_rows=MOST_ROWS,
    )  # fmt: skip


def _matrix(chart: Chart, cells: Cells) -> Table:
    """Return a heat map as a matrix, or as a list of its filled cells, the fullest first, when it is a large one."""
    if not printed(cells):
        return _list(chart, cells)
    head = Column("row", f"{chart.y.title} \\ {chart.x.title}")
    columns = (head, *(Column(f"column_{index}", name) for index, name in enumerate(cells.columns)))
    both = [
        [f"{text} ({small})" if small else text for text, small in zip(texts, smalls, strict=True)]
        for texts, smalls in zip(cells.texts, cells.small or [("",) * len(row) for row in cells.texts], strict=True)
    ]
    rows = tuple(Row((name, *texts)) for name, texts in zip(cells.rows, both, strict=True))
    if cells.n:
        columns = (*columns, Column("n", chart.names.n, "count"))
        rows = tuple(Row((*row.cells, n)) for row, n in zip(rows, cells.n, strict=True))
    return Table(f"{chart.key}.data", _caption(chart), columns, rows, max_rows=len(rows))


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
    return Table(f"{chart.key}.data", _caption(chart), columns, rows, max_rows=MOST_ROWS)


def _series(chart: Chart) -> Table:
    """Return one row per position and one column per layer, with a column of counts where there are any."""
    vertical = any(
        isinstance(layer, (Spans, Words)) or (isinstance(layer, (Dots, Pairs)) and layer.along == "x")
        for layer in chart.layers
    )
    across, along = (chart.y, chart.x) if vertical else (chart.x, chart.y)
    columns = [Column("position", across.title or chart.names.position)]
    values: list[dict[Position, Cell]] = []
    for layer in _told(chart):
        for label, kind, cells in _columns(layer, along, vertical):
            columns.append(Column(f"layer_{len(columns) - 1}", label, kind, along.unit if kind != "text" else ""))
            values.append(cells)
    counts = _counts(chart)
    if counts:
        columns.append(Column("n", chart.names.n, "count"))
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
    rules = (layer.label for layer in chart.layers if isinstance(layer, Rule) and layer.label)
    notes = tuple(Term("chart_line", label=label) for label in rules)
    return Table(f"{chart.key}.data", _caption(chart), tuple(columns), rows, notes, max_rows=MOST_ROWS)


Told = Dots | Bars | Line | Pairs | Spans | Words
"""Layers that have columns of their own."""


def _told(chart: Chart) -> Iterator[Told]:
    """Yield the layers that have columns: all of data but lines without a label."""
    for layer in chart.layers:
        if isinstance(layer, (Dots, Bars, Pairs, Spans, Words)) or (isinstance(layer, Line) and layer.label):
            yield layer


def _columns(layer: Told, along: Axis, vertical: bool) -> Iterator[tuple[str, Kind, dict[Position, Cell]]]:
    if isinstance(layer, Words):
        yield layer.label, "text", dict(zip(layer.positions, layer.texts, strict=True))
    elif isinstance(layer, Spans):
        ends = zip(layer.start, layer.stop, strict=True)
        texts = layer.texts or tuple(f"{point(start or 0.0)} {point(stop or 0.0)}" for start, stop in ends)
        yield layer.label, "text", dict(zip(layer.positions, texts, strict=True))
    elif isinstance(layer, Pairs):
        kind: Kind = "percent" if along.unit == "%" else "score"
        for label, values in zip(layer.labels, (layer.first, layer.second), strict=True):
            yield label, kind, dict(zip(layer.positions, values, strict=True))
        if any(layer.notes):
            yield layer.note_label, "text", dict(zip(layer.positions, layer.notes, strict=True))
    else:
        yield layer.label, _kind(layer, along.unit), _cells(layer, vertical)


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
    if unit == "%":
        return "percent"
    values = [value for value in (layer.y if isinstance(layer, Line) else layer.values) if value is not None]
    whole = isinstance(layer, Bars) and all(math.isfinite(value) and value == round(value) for value in values)
    return "count" if whole else "score"
