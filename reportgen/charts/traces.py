"""The data of a Plotly figure: each layer of a chart as traces."""

from __future__ import annotations

import math
from typing import Any

from reportgen.charts import markers, text, theme
from reportgen.charts.layout import Frame, nudge, printed
from reportgen.charts.svg import clean
from reportgen.charts.table import kind_of
from reportgen.charts.theme import Colours
from reportgen.results import Estimate
from reportgen.results.chart import Bars, Cells, Chart, Dots, Layer, Line, Rule
from reportgen.wording.numbers import count, fixed, num, places_of, with_interval

Json = dict[str, Any]


class Traces:
    """The traces of one chart, from the lowest to the uppermost."""

    def __init__(self, chart: Chart, frame: Frame, colours: Colours) -> None:
        self.chart = chart
        self.frame = frame
        self.colours = colours

    def all(self) -> list[Json]:
        """Return rules and the foot of the plot, then the layers in order, then the strip of counts."""
        under = [self.rule(layer) for layer in self.chart.layers if isinstance(layer, Rule)]
        if not self.frame.y.categories:
            under.append(self.foot())
        return under + [trace for layer in self.chart.layers for trace in self.layer(layer)] + self.strip()

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

    def foot(self) -> Json:
        """Return the line on which columns stand and from which heights are read."""
        x, y = self.frame.x, self.frame.y
        return straight([x.low, x.high], [y.low, y.low], {"color": theme.QUIET, "width": 0.8})

    def rule(self, layer: Rule) -> Json:
        """Return a straight line across the plot."""
        line = {"color": self.colours.of(layer.ink), "width": 1.3, "dash": "dot" if layer.ink == "muted" else "dash"}
        x, y = self.frame.x, self.frame.y
        if layer.axis == "x":
            return straight([layer.at, layer.at], [y.low, y.high], line)
        return straight([x.low, x.high], [layer.at, layer.at], line)

    def dots(self, layer: Dots) -> Json:
        """Return points with intervals; n stands at the right edge."""
        along, across = (self.frame.x, self.frame.y) if layer.along == "x" else (self.frame.y, self.frame.x)
        drawn = [index for index, position in enumerate(layer.positions) if across.place(position) is not None]
        values = [along.place(layer.values[index]) for index in drawn]
        aside = nudge(self.chart, self.frame, layer)
        places = [(across.place(layer.positions[index]) or 0.0) + aside for index in drawn]
        shapes = [markers.of_point(layer, index) for index in drawn]
        inks = [self.colours.of("flag" if shape == "diamond" else layer.ink) for shape, _ in shapes]
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
        aside = nudge(self.chart, self.frame, layer)
        ends: dict[str, tuple[list[float | None], list[float | None]]] = {}
        for index, position in enumerate(layer.positions if layer.low and layer.high else ()):
            shape, _ = markers.of_point(layer, index)
            values, places = ends.setdefault(self.colours.of("flag" if shape == "diamond" else layer.ink), ([], []))
            middle = across.place(position)
            place = None if middle is None else middle + aside
            values += [along.place(layer.low[index]), along.place(layer.high[index]), None]
            places += [place, place, None]
        return [
            straight(*((values, places) if layer.along == "x" else (places, values)), {"color": ink, "width": 1.8})
            for ink, (values, places) in ends.items()
        ]

    def hover(self, layer: Dots, index: int) -> str:
        """Return what is shown when a point is pointed at."""
        position = layer.positions[index]
        name = text.shorten(position, 60) if isinstance(position, str) else fixed(position, 2)
        ends = (layer.low[index], layer.high[index]) if layer.low and layer.high else (None, None)
        said = with_interval(Estimate(layer.label, layer.values[index], 0, *ends, kind="score"))
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
            "line": {"color": self.colours.of(layer.ink), "width": 1.8 if layer.label else 0.8, "dash": layer.dashes},
            "hovertext": [
                f"{written(text.shorten(layer.label, 60))}<br>{written(number(x))}: {written(number(y))}"
                for x, y in zip(layer.x, layer.y, strict=True)
            ],
            "hoverinfo": "text" if layer.label else "skip",
        }
        if layer.markers:
            ink = self.colours.of(layer.ink)
            trace["marker"] = {"symbol": markers.PLOTLY[layer.markers], "size": 8, "line": {"width": 1.4, "color": ink}}
        return trace

    def cells(self, layer: Cells) -> Json:
        """Return a heat map, with what is printed in its cells where there is room."""
        texts = [[written(label) for label in row] for row in layer.texts]
        with_room = printed(layer)
        gap = 2 if with_room else 0
        label = written(layer.value_label).replace("%{", "% {")  # not a template of Plotly's
        return {
            "type": "heatmap",
            "x": list(range(len(layer.columns))),
            "y": list(range(len(layer.rows))),
            "z": [list(row) for row in layer.values],
            "zmin": 0,
            **({"text": texts, "texttemplate": "%{text}", "textfont": {"color": theme.TEXT}} if with_room else {}),
            "colorscale": [[0, theme.PAPER], [1, self.colours.engine]],
            **({"zmax": _most(layer) / theme.SHADE} if with_room else {}),
            "showscale": False,
            "xgap": gap,
            "ygap": gap,
            "hovertemplate": f"{label}: %{{z:,.{_places(layer)}f}}<extra></extra>",
        }

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
                "constraintext": "none",
                "textfont": {"color": theme.QUIET, "size": theme.SIZE - 1},
                "hovertext": [f"n = {count(n)}" for _, n in counts],
                "hoverinfo": "text",
            }
        ]


def _most(layer: Cells) -> float:
    """Return the largest value of a heat map, 1 where there is none above 0."""
    return max((value for row in layer.values for value in row if value is not None), default=1.0) or 1.0


def _places(layer: Cells) -> int:
    """Return the decimals of the values of a heat map: as many as keep the smallest of them from being written as 0."""
    known = [value for row in layer.values for value in row if value is not None and math.isfinite(value)]
    return max((places_of(value, kind_of(layer)) for value in known), default=0)


def straight(x: list[float | None], y: list[float | None], line: Json) -> Json:
    """Return a trace of straight lines that do not answer to the pointer."""
    return {"type": "scatter", "mode": "lines", "x": x, "y": y, "line": line, "hoverinfo": "skip", "cliponaxis": False}


def number(value: float | None) -> str:
    """Return a value as it is shown where a point is pointed at."""
    return num(value, "score")


def written(label: str) -> str:
    """Return a text so that Plotly shows it letter for letter; it reads tags, and few named entities.

    Examples
    --------
    >>> written('a "quoted" <b>')
    'a "quoted" &lt;b&gt;'
    """
    return clean(label).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
