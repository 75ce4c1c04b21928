"""A chart as a Plotly figure in plain JSON types, for the HTML; plotly itself is not imported.

Everything stands on numeric axes at the places `layout.Frame` gives, with labels of our own: so a
group called "2020-01-01" is never read as a date, and both drawings of a chart look the same.
Plotly reads a few HTML tags in labels, therefore every text is escaped.
"""

from __future__ import annotations

from typing import Any

from reportgen.charts import layout, markers, text, theme
from reportgen.charts.layout import ROW, STRIP, Frame
from reportgen.charts.scales import Scale
from reportgen.charts.spec import Bars, Cells, Chart, Dots, Layer, Line, Rule
from reportgen.charts.static import axis_title
from reportgen.charts.svg import clean
from reportgen.charts.theme import Colours
from reportgen.numbers import DASH, count, fixed

Json = dict[str, Any]


def figure(chart: Chart, colours: Colours | None = None) -> Json:
    """Return `chart` as ``{"data": [...], "layout": {...}}``.

    Examples
    --------
    >>> from reportgen.charts.spec import Axis, Chart, Line
    >>> line = Line("identity", (1.0, 6.0), (1.0, 6.0))
    >>> chart = Chart("k", "Title", "They are the same.", Axis("Engine"), Axis("Human"), (line,))
    >>> figure(chart)["data"][0]["mode"]
    'lines'
    """
    chart, _ = layout.trimmed(chart)
    return Drawing(chart, colours or Colours()).figure()


class Drawing:
    """The figure of one chart: traces, then shapes and annotations."""

    def __init__(self, chart: Chart, colours: Colours) -> None:
        self.chart = chart
        self.colours = colours
        self.frame: Frame = layout.frame(chart)
        self.shapes: list[Json] = []
        self.notes: list[Json] = []

    def figure(self) -> Json:
        """Return the whole figure."""
        under = [self.rule(layer) for layer in self.chart.layers if isinstance(layer, Rule)]
        if not self.frame.y.categories:
            under.append(self.foot())
        traces = under + [trace for layer in self.chart.layers for trace in self.layer(layer)] + self.strip()
        self.titles()
        self.line_labels()
        return {"data": traces, "layout": self.layout()}

    def layout(self) -> Json:
        """Return size, axes and our own small template; nothing moves or zooms by itself."""
        frame = self.frame
        below = frame.total - frame.bottom
        strip = STRIP / (frame.height + STRIP) if self.chart.strip_counts else 0.0
        axes: Json = {"xaxis": self.axis(frame.x), "yaxis": {**self.axis(frame.y), "domain": [strip, 1]}}
        axes["yaxis"]["showgrid"] = not self.has(Cells)
        if strip:  # the labels of the x axis stand under the strip
            axes["xaxis"] |= {"anchor": "free", "position": 0}
        axes["xaxis"]["showgrid"] = bool(frame.y.categories) and not self.has(Cells)
        if strip:
            most = max(n for _, n in self.chart.strip_counts) or 1
            axes["yaxis2"] = {
                "domain": [0, strip * 0.9],
                "visible": False,
                "range": [0, most * 1.7],
                "fixedrange": True,
            }
        return {
            "height": round(frame.total),
            "autosize": True,
            "margin": {
                "l": round(frame.left),
                "r": round(theme.WIDTH - frame.right) if not self.has(Cells) else 14,
                "t": round(frame.top),
                "b": round(below - (STRIP if strip else 0)),
            },
            **axes,
            "shapes": self.shapes,
            "annotations": self.notes,
            "font": {"family": theme.SCREEN_FONTS, "size": theme.SIZE, "color": theme.TEXT},
            "hoverlabel": {"font": {"family": theme.SCREEN_FONTS, "size": theme.SIZE}, "align": "left"},
            "paper_bgcolor": theme.PAPER,
            "plot_bgcolor": theme.PAPER,
            "showlegend": False,
            "dragmode": False,
            "barmode": "overlay",
            "uniformtext": {"minsize": 9, "mode": "hide"},
        }

    def foot(self) -> Json:
        """Return the line on which columns stand and from which heights are read."""
        x, y = self.frame.x, self.frame.y
        return straight([x.low, x.high], [y.low, y.low], {"color": theme.QUIET, "width": 0.8})

    def has(self, kind: type) -> bool:
        """Return whether the chart has a layer of this kind."""
        return any(isinstance(layer, kind) for layer in self.chart.layers)

    def axis(self, scale: Scale) -> Json:
        """Return one axis with the ticks of our scale."""
        ends = [scale.low, scale.high]
        upside_down = scale is self.frame.y and bool(scale.categories)
        return {
            "range": ends[::-1] if upside_down else ends,
            "tickmode": "array",
            "tickvals": list(scale.ticks),
            "ticktext": [written(label) for label in scale.labels],
            "tickfont": {"color": theme.TEXT if scale.categories else theme.QUIET, "size": theme.SIZE},
            "gridcolor": theme.GRID,
            "zeroline": False,
            "fixedrange": True,
            "ticks": "outside",
            "ticklen": 6,
            "tickcolor": "rgba(0,0,0,0)",  # room between labels and axis
            "showline": False,
        }

    # --- words -----------------------------------------------------------------------------------

    def note(self, content: str, **place: Any) -> None:
        """Add one line of text."""
        colour = place.pop("colour", theme.QUIET)
        font = {"color": colour, "size": theme.SIZE}
        self.notes.append({"text": written(content), "showarrow": False, "font": font, **place})

    def titles(self) -> None:
        """Name the axes, head the n column, and explain the layers in a key above."""
        frame, chart = self.frame, self.chart
        y_name = axis_title(chart.y.title, chart.y.unit)
        x_name = axis_title(chart.x.title, chart.x.unit)
        above = frame.top - ROW * (1 if frame.key else 0) - 9
        corner: Json = {"xref": "paper", "yref": "paper"}
        self.note(
            text.shorten(y_name, 50),
            **corner,
            x=0,
            y=1,
            xanchor="left",
            yanchor="middle",
            xshift=-frame.left,
            yshift=above,
        )
        self.note(text.shorten(x_name, 50), **corner, x=1, y=0, xanchor="right", yanchor="top", yshift=-ROW - 12)
        if frame.with_n:
            self.note("n", **corner, x=1, y=1, xanchor="right", yanchor="bottom", xshift=frame_gap(frame))
        x = -frame.left
        for layer in frame.key:
            ink = self.colours.of(layer.ink)
            label = text.shorten(layer.label, 40)
            sign = "■" if isinstance(layer, Bars) else "●"
            place = {**corner, "x": 0, "y": 1, "xanchor": "left", "yanchor": "middle", "yshift": frame.top - 8}
            self.note(sign, **place, xshift=x, colour=ink)
            self.note(label, **place, xshift=x + 16, colour=theme.TEXT)
            x += 32 + text.width(label, theme.SIZE)

    def line_labels(self) -> None:
        """Name each line at its right end."""
        for line, y in self.frame.line_labels:
            self.note(
                layout.line_label(line),
                xref="paper",
                yref="y",
                x=1,
                y=self.frame.y.low + (self.frame.y.high - self.frame.y.low) * (1 - y / self.frame.height),
                xanchor="left",
                xshift=8,
                colour=theme.TEXT,
            )

    # --- layers ----------------------------------------------------------------------------------

    def layer(self, layer: Layer) -> list[Json]:
        """Return the traces of one layer."""
        match layer:
            case Dots():
                return [*self.whiskers(layer), self.dots(layer)]
            case Bars():
                return [self.bars(layer)]
            case Line():
                return [self.line(layer)]
            case Cells():
                return [self.cells(layer)]
            case Rule():  # under everything else
                return []

    def dots(self, layer: Dots) -> Json:
        """Return points with intervals; n stands at the right edge."""
        along, across = (self.frame.x, self.frame.y) if layer.along == "x" else (self.frame.y, self.frame.x)
        drawn = [index for index, position in enumerate(layer.positions) if across.place(position) is not None]
        values = [along.place(layer.values[index]) for index in drawn]
        places = [across.place(layer.positions[index]) for index in drawn]
        shapes = [markers.of_point(layer, index) for index in drawn]
        inks = [self.colours.of("flag" if shape == "diamond" else layer.ink) for shape, _ in shapes]
        if layer.n and layer.along == "x":
            self.column_of_n([(place, layer.n[index]) for place, index in zip(places, drawn, strict=True)])
        x, y = (values, places) if layer.along == "x" else (places, values)
        return {
            "type": "scatter",
            "mode": "markers",
            "x": x,
            "y": y,
            "marker": {
                "size": 9,
                "symbol": [shape for shape, _ in shapes],
                "color": [theme.PAPER if hollow else ink for (_, hollow), ink in zip(shapes, inks, strict=True)],
                "line": {"width": 1.6, "color": inks},
            },
            "hovertext": [self.hover(layer, index) for index in drawn],
            "hoverinfo": "text",
            "cliponaxis": False,
        }

    def whiskers(self, layer: Dots) -> list[Json]:
        """Return the intervals, one trace for each ink: lines with gaps, under the points."""
        along, across = (self.frame.x, self.frame.y) if layer.along == "x" else (self.frame.y, self.frame.x)
        ends: dict[str, tuple[list[float | None], list[float | None]]] = {}
        for index, position in enumerate(layer.positions if layer.low and layer.high else ()):
            shape, _ = markers.of_point(layer, index)
            values, places = ends.setdefault(self.colours.of("flag" if shape == "diamond" else layer.ink), ([], []))
            values += [along.place(layer.low[index]), along.place(layer.high[index]), None]
            places += [across.place(position), across.place(position), None]
        return [
            straight(*((values, places) if layer.along == "x" else (places, values)), {"color": ink, "width": 1.8})
            for ink, (values, places) in ends.items()
        ]

    def column_of_n(self, counts: list[tuple[float | None, int]]) -> None:
        """Write n at the right edge of each row."""
        for place, n in counts:
            self.note(count(n), xref="paper", yref="y", x=1, y=place, xanchor="right", xshift=frame_gap(self.frame))

    def hover(self, layer: Dots, index: int) -> str:
        """Return what is shown when a point is pointed at."""
        position = layer.positions[index]
        name = text.shorten(position, 60) if isinstance(position, str) else fixed(position, 2)
        said = number(layer.values[index])
        if layer.low and layer.high and layer.low[index] is not None:
            said += f" [{number(layer.low[index])}, {number(layer.high[index])}]"
        if layer.n:
            said += f", n = {count(layer.n[index])}"
        return f"{written(name)}<br>{written(said)}"

    def bars(self, layer: Bars) -> Json:
        """Return columns from zero, side by side with those of the other layers."""
        group = [other for other in self.chart.layers if isinstance(other, Bars)]
        width = 0.76 / len(group)
        offset = -0.38 + group.index(layer) * width + width / 2
        places = [self.frame.x.place(position) for position in layer.positions]
        names = [str(position) for position in layer.positions]
        return {
            "type": "bar",
            "x": [None if place is None else place + offset for place in places],
            "y": [self.frame.y.place(value) for value in layer.values],
            "width": width * 0.97,
            "marker": {"color": self.colours.of(layer.ink), "line": {"width": 0}},
            "hovertext": [
                f"{written(text.shorten(name, 60))}<br>{written(layer.label)}: {written(number(value))}"
                for name, value in zip(names, layer.values, strict=True)
            ],
            "hoverinfo": "text",
        }

    def line(self, layer: Line) -> Json:
        """Return a line with its markers; a value that is missing leaves a gap."""
        trace: Json = {
            "type": "scatter",
            "mode": "lines+markers" if layer.markers else "lines",
            "x": [self.frame.x.place(value) for value in layer.x],
            "y": [self.frame.y.place(value) for value in layer.y],
            "connectgaps": False,
            "cliponaxis": False,
            "line": {"color": self.colours.of(layer.ink), "width": 1.8, "dash": layer.dashes},
            "hovertext": [
                f"{written(text.shorten(layer.label, 60))}<br>{written(number(x))}: {written(number(y))}"
                for x, y in zip(layer.x, layer.y, strict=True)
            ],
            "hoverinfo": "text",
        }
        if layer.markers:
            ink = self.colours.of(layer.ink)
            trace["marker"] = {"symbol": markers.PLOTLY[layer.markers], "size": 8, "line": {"width": 1.4, "color": ink}}
        return trace

    def cells(self, layer: Cells) -> Json:
        """Return a heat map with what is printed in its cells."""
        if layer.frame_diagonal:
            line = {"color": theme.TEXT, "width": 1.6}
            for i, row in enumerate(layer.rows):
                for j in (j for j, column in enumerate(layer.columns) if column == row):
                    self.shapes.append(
                        {"type": "rect", "x0": j - 0.5, "x1": j + 0.5, "y0": i - 0.5, "y1": i + 0.5, "line": line}
                    )
        return {
            "type": "heatmap",
            "x": list(range(len(layer.columns))),
            "y": list(range(len(layer.rows))),
            "z": [list(row) for row in layer.values],
            "zmin": 0,
            "text": [[written(label) for label in row] for row in layer.texts],
            "texttemplate": "%{text}",
            "colorscale": [[0, theme.PAPER], [1, self.colours.engine]],
            "showscale": False,
            "xgap": 2,
            "ygap": 2,
            "hovertext": [[f"{written(layer.value_label)}: {written(number(v))}" for v in row] for row in layer.values],
            "hoverinfo": "text",
        }

    def rule(self, layer: Rule) -> Json:
        """Return a straight line across the plot, and write its label."""
        line = {"color": self.colours.of(layer.ink), "width": 1.3, "dash": "dot" if layer.ink == "muted" else "dash"}
        label = text.shorten(layer.label, 60)
        if layer.axis == "x":
            rules = [other for other in self.chart.layers if isinstance(other, Rule) and other.axis == "x"]
            level = self.frame.rule_levels[rules.index(layer)]
            self.note(label, xref="x", yref="paper", x=layer.at, y=1, yanchor="bottom", yshift=ROW * level)
            return straight([layer.at, layer.at], [self.frame.y.low, self.frame.y.high], line)
        self.note(label, xref="paper", yref="y", x=1, y=layer.at, xanchor="right", yanchor="bottom")
        return straight([self.frame.x.low, self.frame.x.high], [layer.at, layer.at], line)

    def strip(self) -> list[Json]:
        """Return the counts of responses as a small strip under the plot."""
        counts = [(self.frame.x.place(position), n) for position, n in self.chart.strip_counts]
        if not counts:
            return []
        span = self.frame.x.high - self.frame.x.low
        return [
            {
                "type": "bar",
                "yaxis": "y2",
                "x": [place for place, _ in counts],
                "y": [n for _, n in counts],
                "width": min(0.05, 0.7 / len(counts)) * span,
                "marker": {"color": self.colours.muted},
                "text": [count(n) for _, n in counts] if len(counts) <= 16 else None,
                "textposition": "outside",
                "textangle": 0,
                "cliponaxis": False,
                "textfont": {"color": theme.QUIET, "size": theme.SIZE - 1},
                "hovertext": [f"n = {count(n)}" for _, n in counts],
                "hoverinfo": "text",
            }
        ]


def straight(x: list[float | None], y: list[float | None], line: Json) -> Json:
    """Return a trace of straight lines that do not answer to the pointer."""
    return {"type": "scatter", "mode": "lines", "x": x, "y": y, "line": line, "hoverinfo": "skip", "cliponaxis": False}


def frame_gap(frame: Frame) -> float:
    """Return the pixels from the plot's right edge to the picture's."""
    return theme.WIDTH - frame.right - 4


def number(value: float | None) -> str:
    """Return a value as it is shown where a point is pointed at."""
    return DASH if value is None else fixed(value, 2)


def written(label: str) -> str:
    """Return a text so that Plotly shows it letter for letter; it reads tags, and few named entities.

    Examples
    --------
    >>> written('a "quoted" <b>')
    'a "quoted" &lt;b&gt;'
    """
    return clean(label).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
