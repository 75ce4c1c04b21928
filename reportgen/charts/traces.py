"""The data of a Plotly figure: each layer of a chart as traces."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from reportgen.charts import svg, theme
from reportgen.charts.layout import Frame, nudge, printed
from reportgen.charts.marks import PART_SHADES, largest
from reportgen.charts.svg import clean
from reportgen.charts.table import kind_of
from reportgen.charts.theme import Colours
from reportgen.results import Estimate
from reportgen.results.chart import (
    Bars,
    Cells,
    Chart,
    Dots,
    Ink,
    Layer,
    Line,
    Pairs,
    Rule,
    Shares,
    Spans,
    Words,
    Zone,
)
from reportgen.wording.numbers import count, fixed, num, percent, places_of, with_interval

Json = dict[str, Any]


class Traces:
    """The traces of one plot, from the lowest to the uppermost; `number` counts the plots of a chart from 1."""

    def __init__(self, chart: Chart, frame: Frame, colours: Colours, number: int = 1) -> None:
        self.chart = chart
        self.frame = frame
        self.colours = colours
        self.number = number

    def all(self) -> list[Json]:
        """Return rules and the foot of the plot, then the layers in order, then the strip of counts."""
        under = [self.rule(layer) for layer in self.chart.layers if isinstance(layer, Rule)]
        if not self.frame.y.categories:
            under.append(self.foot())
        found = under + [trace for layer in self.chart.layers for trace in self.named(layer)]
        if self.number > 1:
            found = [{**trace, "xaxis": f"x{self.number}", "yaxis": f"y{self.number}"} for trace in found]
        return found + self.strip()

    def named(self, layer: Layer) -> list[Json]:
        """Return the traces of one layer under its name, so that a reader can switch them off together."""
        label = written(layer.label) if isinstance(layer, (Dots, Bars, Line)) else ""
        return [{**trace, "name": label, "legendgroup": label} if label else trace for trace in self.layer(layer)]

    def layer(self, layer: Layer) -> list[Json]:
        """Return the traces of one layer."""
        match layer:
            case Dots():
                return [*self.whiskers(layer), *self.cut_ends(layer), self.dots(layer)]
            case Bars():
                return [self.bars(layer)]
            case Line():
                return [self.line(layer)]
            case Cells():
                return [self.cells(layer)]
            case Pairs():
                return self.pairs(layer)
            case Shares():
                return self.shares(layer)
            case Spans():
                return [self.spans(layer)]
            case Rule() | Zone() | Words():  # under everything else, and words around it
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
        values = [along.held(along.place(layer.values[index])) for index in drawn]
        aside = nudge(self.chart, self.frame, layer)
        places = [(across.place(layer.positions[index]) or 0.0) + aside for index in drawn]
        shapes = [svg.of_point(layer, index) for index in drawn]
        inks = [self.colours.of(ink) for _, _, ink in shapes]
        arrows = [svg.arrow(layer.along, along.beyond(layer.values[index] or 0.0)) for index in drawn]
        symbols = [svg.PLOTLY[arrow or shape] for arrow, (shape, _, _) in zip(arrows, shapes, strict=True)]
        x, y = (values, places) if layer.along == "x" else (places, values)
        return {
            "type": "scatter",
            "mode": "markers",
            "x": x,
            "y": y,
            "marker": {
                "size": 9,
                "symbol": symbols,
                "color": [theme.PAPER if hollow else ink for (_, hollow, _), ink in zip(shapes, inks, strict=True)],
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
            values, places = ends.setdefault(self.colours.of(svg.of_point(layer, index)[2]), ([], []))
            middle = across.place(position)
            place = None if middle is None else middle + aside
            values += [along.held(along.place(end)) for end in (layer.low[index], layer.high[index])] + [None]
            places += [place, place, None]
        return [
            straight(*((values, places) if layer.along == "x" else (places, values)), {"color": ink, "width": 1.8})
            for ink, (values, places) in ends.items()
        ]

    def cut_ends(self, layer: Dots) -> list[Json]:
        """Return arrows where the axis cuts an interval; nothing where it cuts none."""
        along, across = (self.frame.x, self.frame.y) if layer.along == "x" else (self.frame.y, self.frame.x)
        aside = nudge(self.chart, self.frame, layer)
        found: list[tuple[float, float, str, str]] = []
        for index, position in enumerate(layer.positions if layer.low and layer.high else ()):
            middle = across.place(position)
            for end in (layer.low[index], layer.high[index]):
                shape = None if end is None else svg.arrow(layer.along, along.beyond(end))
                if end is not None and middle is not None and shape:
                    ink = self.colours.of(svg.of_point(layer, index)[2])
                    found.append((along.held(end) or 0.0, middle + aside, svg.PLOTLY[shape], ink))
        if not found:
            return []
        values, places, symbols, inks = (list(each) for each in zip(*found, strict=True))
        x, y = (values, places) if layer.along == "x" else (places, values)
        marker = {"size": 8, "symbol": symbols, "color": inks}
        return [{**straight(x, y, {}), "mode": "markers", "marker": marker}]

    def hover(self, layer: Dots, index: int) -> str:
        """Return what is shown when a point is pointed at."""
        position = layer.positions[index]
        name = theme.shorten(position, 60) if isinstance(position, str) else fixed(position, 2)
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
                f"{written(theme.shorten(name, 60))}<br>{written(layer.label)}: {written(number(value))}"
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
                f"{written(theme.shorten(layer.label, 60))}<br>{written(number(x))}: {written(number(y))}"
                for x, y in zip(layer.x, layer.y, strict=True)
            ],
            "hoverinfo": "text" if layer.label else "skip",
        }
        if layer.markers:
            ink = self.colours.of(layer.ink)
            trace["marker"] = {"symbol": svg.PLOTLY[layer.markers], "size": 8, "line": {"width": 1.4, "color": ink}}
        return trace

    def cells(self, layer: Cells) -> Json:
        """Return a heat map, with what is printed in its cells where there is room."""
        with_room = printed(layer)
        texts = [[written(label) for label in row] for row in layer.texts]
        if layer.small:
            texts = [
                [f"{label}<br><sub>{written(small)}</sub>" if small else label
                 for label, small in zip(row, below, strict=True)]
                for row, below in zip(texts, layer.small, strict=True)
            ]  # fmt: skip
        gap = 2 if with_room else 0
        font = {"color": theme.TEXT, **({"size": theme.SIZE} if layer.small else {})}
        label = written(layer.value_label).replace("%{", "% {")  # not a template of Plotly's
        return {
            "type": "heatmap",
            "x": list(range(len(layer.columns))),
            "y": list(range(len(layer.rows))),
            "z": [list(row) for row in layer.values],
            "zmin": 0,
            **({"text": texts, "texttemplate": "%{text}", "textfont": font} if with_room else {}),
            "colorscale": [[0, theme.PAPER], [1, self.colours.engine]],
            **({"zmax": largest(layer) / theme.SHADE} if with_room else {}),
            "showscale": False,
            "xgap": gap,
            "ygap": gap,
            "hovertemplate": f"{label}: %{{z:,.{_places(layer)}f}}<extra></extra>",
        }

    def pairs(self, layer: Pairs) -> list[Json]:
        """Return the lines between two values, the intervals of the second ones, and both sets of points."""
        along, across = (self.frame.x, self.frame.y) if layer.along == "x" else (self.frame.y, self.frame.x)
        places = [across.place(position) for position in layer.positions]

        def drawn(values: Sequence[float | None]) -> list[float | None]:
            return [along.held(along.place(value)) for value in values]

        def both(starts: Sequence[float | None], stops: Sequence[float | None], line: Json) -> Json:
            values = [each for pair in zip(drawn(starts), drawn(stops), strict=True) for each in (*pair, None)]
            spots = [each for place in places for each in (place, place, None)]
            return straight(*((values, spots) if layer.along == "x" else (spots, values)), line)

        traces = [both(layer.first, layer.second, {"color": self.colours.muted, "width": 2.4})]
        if layer.low and layer.high:
            traces.append(both(layer.low, layer.high, {"color": self.colours.of(layer.inks[1]), "width": 1.6}))
        for which, values in enumerate((layer.first, layer.second)):
            flagged = [bool(which and layer.flagged and layer.flagged[index]) for index in range(len(values))]
            inks = [self.colours.of("flag" if flag else layer.inks[which]) for flag in flagged]
            x, y = (drawn(values), places) if layer.along == "x" else (places, drawn(values))
            traces.append(
                {
                    "type": "scatter",
                    "mode": "markers",
                    "x": x,
                    "y": y,
                    "marker": {
                        "size": 9,
                        "symbol": [
                            svg.PLOTLY[
                                svg.arrow(layer.along, along.beyond(value or 0.0)) or ("diamond" if flag else "circle")
                            ]
                            for value, flag in zip(values, flagged, strict=True)
                        ],
                        "color": [theme.PAPER] * len(inks) if layer.hollow_first and not which else inks,
                        "line": {"width": 1.6, "color": inks},
                    },
                    "hovertext": [self.hover_pair(layer, which, index) for index in range(len(values))],
                    "hoverinfo": "text",
                    "cliponaxis": False,
                }
            )
        return traces

    def hover_pair(self, layer: Pairs, which: int, index: int) -> str:
        """Return what is shown when one of two values is pointed at."""
        value = (layer.first, layer.second)[which][index]
        ends = (layer.low[index], layer.high[index]) if which and layer.low and layer.high else (None, None)
        said = with_interval(Estimate(layer.labels[which], value, 0, *ends, kind="score"))
        return (
            f"{written(theme.shorten(layer.positions[index], 60))}<br>{written(layer.labels[which])}: {written(said)}"
        )

    def shares(self, layer: Shares) -> list[Json]:
        """Return one trace for each part of a whole: bars that follow each other."""
        rows, shares = [self.frame.y.place(row) for row in layer.rows], layer.percentages()
        engine: Ink = "engine"
        inks = layer.inks or (engine,) * len(rows)
        traces = []
        for part, name in enumerate(layer.parts):
            shade = float(PART_SHADES[min(part, len(PART_SHADES) - 1)])
            whole = [(counts[part], sum(counts), percent(row[part], sum(counts)))
                     for counts, row in zip(layer.counts, shares, strict=True)]  # fmt: skip
            traces.append(
                {
                    "type": "bar",
                    "orientation": "h",
                    "x": [row[part] for row in shares],
                    "y": rows,
                    "base": [sum(row[:part]) for row in shares],
                    "width": 0.72,
                    "marker": {"color": [tint(self.colours.of(ink), shade) for ink in inks]},
                    "text": [f"{count(n)}  {share}" if n else "" for n, _, share in whole],
                    "textposition": "inside",
                    "insidetextanchor": "middle",
                    "textfont": {"color": theme.TEXT if part else theme.PAPER},
                    "hovertext": [
                        f"{written(row)}<br>{written(name)}: {count(n)} of {count(total)} ({share})"
                        for row, (n, total, share) in zip(layer.rows, whole, strict=True)
                    ],
                    "hoverinfo": "text",
                }
            )
        return traces

    def spans(self, layer: Spans) -> Json:
        """Return stretches of the x axis as bars that begin where they begin."""
        known = [(one or 0.0, other or 0.0) for one, other in zip(layer.start, layer.stop, strict=True)]
        return {
            "type": "bar",
            "orientation": "h",
            "x": [abs(stop - start) for start, stop in known],
            "base": [min(pair) for pair in known],
            "y": [self.frame.y.place(position) for position in layer.positions],
            "width": 0.6,
            "marker": {"color": self.colours.of(layer.ink)},
            "hovertext": [
                f"{written(theme.shorten(position, 60))}<br>{written(said)}"
                for position, said in zip(layer.positions, layer.texts or ("",) * len(known), strict=True)
            ],
            "hoverinfo": "text",
        }

    def strip(self) -> list[Json]:
        """Return the counts of responses as a small strip under the plot, or above it."""
        counts = [(self.frame.x.place(position), n) for position, n in self.chart.strip_counts]
        if not counts:
            return []
        span = self.frame.x.high - self.frame.x.low
        return [
            {
                "type": "bar",
                "yaxis": "y99",
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
                "hovertext": [f"{self.chart.names.n} = {count(n)}" for _, n in counts],
                "hoverinfo": "text",
            }
        ]


def tint(colour: str, share: float) -> str:
    """Return a colour with this much of it and the rest paper.

    Examples
    --------
    >>> tint("#143d66", 0.5), tint("#143d66", 1.0)
    ('#8a9eb2', '#143d66')
    """
    parts = [int(colour[place : place + 2], 16) for place in (1, 3, 5)]
    return "#" + "".join(f"{round(255 - share * (255 - part)):02x}" for part in parts)


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
