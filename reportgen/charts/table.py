"""Write charts as tables, for screen readers and for names that a label had to shorten."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from reportgen.charts.layout import alone, printed
from reportgen.charts.scales import layers_of, values_along
from reportgen.results import Cell, Column, Estimate, Kind, Row, Table, Term
from reportgen.results.chart import Bars, Cells, Chart, Dots, Layer, Line, Pairs, Rule, Shares, Spans, Zone
from reportgen.wording.numbers import point

Position = str | float | None

MOST_ROWS = 200  # most rows of chart data in the report; results.json has all

Content = tuple[Sequence[Column], Sequence[Row]]


def data_table(chart: Chart) -> Table:
    """Return the numbers of `chart`, one row per category or position; a heat map as a matrix.

    >>> from reportgen.results.chart import Axis, Bars, Chart
    >>> bars = Bars("Raters", ("1", "2"), (4.1, 16.2))
    >>> table = data_table(Chart("k", "Shares", "Most get a 2.", Axis("Score"), Axis("Share", unit="%"), (bars,)))
    >>> [row.cells for row in table.rows]
    [('1', 4.1), ('2', 16.2)]
    """
    most, notes = MOST_ROWS, dict[str, None]()
    if chart.panels:
        tables, heat = [data_table(each) for each in alone(chart)], layers_of(chart, Cells)
        shared = all(panel.y is None for panel in chart.panels) and not heat
        columns, rows = _beside(chart, tables) if shared else _below(chart, tables)
        notes = dict.fromkeys(note for table in tables for note in table.notes)
    elif heat := layers_of(chart, Cells):
        columns, rows = _matrix(chart, heat[0]) if printed(heat[0]) else _list(chart, heat[0])
        most = len(rows) if printed(heat[0]) else MOST_ROWS
    elif shares := layers_of(chart, Shares):
        columns, rows = _parts(chart, shares[0])
    else:
        columns, rows = _series(chart)
        notes = dict.fromkeys(Term("chart_line", label=rule.label) for rule in layers_of(chart, Rule) if rule.label)
    caption = Term("chart_data", title=chart.title)
    return Table(f"{chart.key}.data", caption, tuple(columns), tuple(rows), tuple(notes), max_rows=most)


def _beside(chart: Chart, tables: Sequence[Table]) -> Content:
    """Join tables with the same first column side by side."""
    columns = [tables[0].columns[0] if tables[0].columns else Column("position", chart.names.position)]
    found: list[dict[Cell, tuple[Cell, ...]]] = []
    for number, (table, panel) in enumerate(zip(tables, chart.panels, strict=True)):
        several = len(table.columns) > 2
        for column in table.columns[1:]:
            label = f"{panel.title}: {column.label}" if several and panel.title else panel.title or column.label
            columns.append(replace(column, key=f"panel_{number}_{column.key}", label=label))
        found.append({row.cells[0]: row.cells[1:] for row in table.rows})
    names = dict.fromkeys([*chart.y.categories, *(name for cells in found for name in cells)])
    empty = [(None,) * (len(table.columns) - 1) for table in tables]
    rows = [
        Row((name, *(cell for cells, blank in zip(found, empty, strict=True) for cell in cells.get(name, blank))))
        for name in names
        if any(name in cells for cells in found)
    ]
    return columns, rows


def _below(chart: Chart, tables: Sequence[Table]) -> Content:
    """Stack tables, each after a row with its panel's title, if it has one."""
    columns: dict[str | None, Column] = {}
    rows: list[tuple[str, dict[str | None, Cell]]] = []
    for table, panel in zip(tables, chart.panels, strict=True):
        labels = [column.label if place else None for place, column in enumerate(table.columns)]
        for label, column in zip(labels, table.columns, strict=True):
            columns.setdefault(label, column)
        rows += [(panel.title, dict(zip(labels, row.cells, strict=True))) for row in table.rows]
    untitled = not any(panel.title for panel in chart.panels)
    named = (replace(each, key=f"column_{place}") for place, each in enumerate(columns.values()))
    head = [Column("panel", chart.names.panel), *named]
    return head[untitled:], [Row((title, *map(cells.get, columns))[untitled:]) for title, cells in rows]


def _parts(chart: Chart, shares: Shares) -> Content:
    head = Column("row", chart.y.title or chart.names.row)
    columns = [head, *(Column(f"part_{index}", name, "count") for index, name in enumerate(shares.parts))]
    every = zip(shares.rows, shares.counts, shares.totals, strict=True)
    return [*columns, Column("n", chart.names.n, "count")], [Row((name, *counts, n)) for name, counts, n in every]


def _matrix(chart: Chart, cells: Cells) -> Content:
    head = Column("row", f"{chart.y.title} \\ {chart.x.title}")
    columns = [head, *(Column(f"column_{index}", name) for index, name in enumerate(cells.columns))]
    rows = []
    for place, (name, texts) in enumerate(zip(cells.rows, cells.texts, strict=True)):
        small = cells.small[place] if cells.small else ("",) * len(texts)
        lines = (f"{text} ({below})" if below else text for text, below in zip(texts, small, strict=True))
        rows.append(Row((name, *lines, *cells.n[place : place + 1])))
    return [*columns, Column("n", chart.names.n, "count")] if cells.n else columns, rows


def _list(chart: Chart, cells: Cells) -> Content:
    """List the filled cells of a large heat map, largest first."""
    last = Column("cell", cells.value_label, kind_of(cells))
    filled = [
        (value, Row((row, column, text or value)))
        for row, values, texts in zip(cells.rows, cells.values, cells.texts, strict=True)
        for column, value, text in zip(cells.columns, values, texts, strict=True)
        if value
    ]
    rows = [row for _, row in sorted(filled, key=lambda pair: pair[0], reverse=True)]
    return [Column("row", chart.y.title), Column("column", chart.x.title), last], rows


def _series(chart: Chart) -> Content:
    """Return one row per position and one column per layer, with a column of counts if there are any."""
    data = [layer for layer in chart.layers if not isinstance(layer, (Rule, Zone))]
    vertical = any(values_along(layer) == "x" for layer in data)
    across, along = (chart.y, chart.x) if vertical else (chart.x, chart.y)
    named = any(isinstance(layer, Dots) and layer.names for layer in data)
    columns = [Column("position", chart.names.row if named else across.title or chart.names.position)]
    values: list[dict[Position, Cell]] = []
    counts: dict[Position, Cell] = dict(chart.strip_counts)
    for layer in data:
        for label, kind, positions, cells in _columns(layer, along.unit, vertical):
            columns.append(Column(f"layer_{len(values)}", label, kind, along.unit if kind != "text" else ""))
            values.append(dict(zip(positions, cells, strict=True)))
        if isinstance(layer, Dots) and layer.n:
            counts |= dict(zip(layer.names or layer.positions, layer.n, strict=True))
    if counts:
        columns.append(Column("n", chart.names.n, "count"))
        values.append(counts)
    rank = {name: index for index, name in enumerate(across.categories)}

    def order(position: Position) -> tuple[int, float]:
        if rank:
            return rank.get(_name(position), len(rank)), 0.0
        return (0, position) if isinstance(position, (int, float)) else (1, 0.0)

    seen = dict.fromkeys(position for cells in values for position in cells if position is not None)
    return columns, [Row((_name(each), *(cells.get(each) for cells in values))) for each in sorted(seen, key=order)]


def _columns(layer: Layer, unit: str, vertical: bool) -> Iterator[tuple[str, Kind, Sequence[Position], Sequence[Cell]]]:
    plain: Kind = "percent" if unit == "%" else "score"
    match layer:
        case Spans():
            ends = zip(layer.start, layer.stop, strict=True)
            texts = layer.texts or tuple(f"{point(start or 0.0)} {point(stop or 0.0)}" for start, stop in ends)
            yield layer.label, "text", layer.positions, texts
        case Pairs():
            for label, values in zip(layer.labels, (layer.first, layer.second), strict=True):
                yield label, plain, layer.positions, values
            if any(layer.notes):
                yield layer.note_label, "text", layer.positions, layer.notes
        case Line() if layer.label:
            places = (layer.y, layer.x) if vertical else (layer.x, layer.y)
            yield layer.label, plain, *places
        case Bars():
            known = [value for value in layer.values if value is not None]
            whole = all(math.isfinite(value) and value == round(value) for value in known)
            yield layer.label, "count" if whole and unit != "%" else plain, layer.positions, layer.values
        case Dots():
            cells: Sequence[Cell] = layer.values
            if layer.low and layer.high:
                every = zip(layer.values, layer.n or (0,) * len(layer.values), layer.low, layer.high, strict=True)
                cells = [Estimate(layer.label, *each, kind="score") for each in every]
            yield layer.label, plain, layer.names or layer.positions, cells


def _name(position: Position) -> str:
    return point(position) if isinstance(position, (int, float)) else position or ""


def kind_of(cells: Cells) -> Kind:
    """Return the format of a heat map's values: percentages if the value label starts like one."""
    return "percent" if cells.value_label.startswith("%") else "score"
