"""The data of a Plotly figure: each layer of a chart as traces."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from reportgen.charts import theme
from reportgen.charts.layout import Frame, printed
from reportgen.charts.marks import PART_SHADES, Spot, largest, pair_spots, spots
from reportgen.charts.svg import SHAPES, arrow, clean
from reportgen.charts.table import kind_of
from reportgen.charts.theme import Colours
from reportgen.results import Estimate
from reportgen.results.chart import Bars, Cells, Chart, Dots, Ink, Layer, Line, Number, Pairs, Rule, Shares, Spans
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
        x, y = self.frame.x, self.frame.y
        found = [self._rule(layer) for layer in self.chart.layers if isinstance(layer, Rule)]
        if not y.categories:  # the line on which columns stand and from which heights are read
            found.append(straight([x.low, x.high], [y.low, y.low], {"color": theme.QUIET, "width": 0.8}))
        for layer in self.chart.layers:
            label = written(layer.label) if isinstance(layer, (Dots, Bars, Line)) else ""
            named = {"name": label, "legendgroup": label} if label else {}  # a reader switches them off together
            found += [{**trace, **named} for trace in self._layer(layer)]
        if self.number > 1:
            found = [{**trace, "xaxis": f"x{self.number}", "yaxis": f"y{self.number}"} for trace in found]
        return found + self._strip()

    def _layer(self, layer: Layer) -> list[Json]:
        match layer:
            case Dots():
                return self._dots(layer)
            case Bars():
                return [self._bars(layer)]
            case Line():
                return [self._line(layer)]
            case Cells():
                return [self._cells(layer)]
            case Pairs():
                return self._pairs(layer)
            case Shares():
                return self._shares(layer)
            case Spans():
                return [self._spans(layer)]
            case _:  # under everything else, and words around it
                return []

    def _rule(self, layer: Rule) -> Json:
        line = {"color": self.colours.of(layer.ink), "width": 1.3, "dash": "dot" if layer.ink == "muted" else "dash"}
        across = self.frame.axes(layer.axis)[1]
        return straight(**_xy(layer.axis, [layer.at, layer.at], [across.low, across.high]), line=line)

    def _dots(self, layer: Dots) -> list[Json]:
        """Return the intervals, one trace for each ink; arrows where the axis cuts them; and the points."""
        along, found = self.frame.axes(layer.along)[0], spots(self.chart, self.frame, layer)
        whiskers: dict[str, list[Spot]] = {}
        cut: list[tuple[Number, float, str, str]] = []
        for spot in found if layer.low and layer.high else ():
            ink = self.colours.of(spot.ink)
            whiskers.setdefault(ink, []).append(spot)
            for end in spot.ends:
                shape = None if end is None else arrow(layer.along, along.beyond(end))
                if end is not None and spot.at is not None and shape:
                    cut.append((along.held(end) or 0.0, spot.at, SHAPES[shape][1], ink))
        traces = [
            self._joined(layer.along, [(spot.at, *spot.ends) for spot in own], {"color": ink, "width": 1.8})
            for ink, own in whiskers.items()
        ]
        if cut:
            values, places, symbols, inks = (list(each) for each in zip(*cut, strict=True))
            marker = {"size": 8, "symbol": symbols, "color": inks}
            traces.append(
                {**straight(**_xy(layer.along, values, places), line={}), "mode": "markers", "marker": marker}
            )
        drawn = [(index, spot) for index, spot in enumerate(found) if spot.at is not None]
        texts = [self._hover(layer, index) for index, _ in drawn]
        return [*traces, self._points(layer.along, [spot for _, spot in drawn], texts)]

    def _joined(self, along: str, lines: Iterable[tuple[Number, Number, Number]], line: Json) -> Json:
        scale = self.frame.axes(along)[0]
        values: list[Number] = []
        places: list[Number] = []
        for at, start, stop in lines:
            values += [scale.held(scale.place(start)), scale.held(scale.place(stop)), None]
            places += [at, at, None]
        return straight(**_xy(along, values, places), line=line)

    def _points(self, along: str, found: Sequence[Spot], texts: list[str]) -> Json:
        inks = [self.colours.of(spot.ink) for spot in found]
        return {
            "type": "scatter",
            "mode": "markers",
            **_xy(along, [spot.value for spot in found], [spot.at for spot in found]),
            "marker": {
                "size": 9,
                "symbol": [SHAPES[spot.shape][1] for spot in found],
                "color": [theme.PAPER if spot.hollow else ink for spot, ink in zip(found, inks, strict=True)],
                "line": {"width": 1.6, "color": inks},
            },
            "hovertext": texts,
            "hoverinfo": "text",
            "cliponaxis": False,
        }

    def _hover(self, layer: Dots, index: int) -> str:
        position = layer.positions[index]
        name = theme.shorten(position, 60) if isinstance(position, str) else fixed(position, 2)
        ends = (layer.low[index], layer.high[index]) if layer.low and layer.high else (None, None)
        n = f", n = {count(layer.n[index])}" if layer.n else ""
        return f"{written(name)}<br>{written(_measured(layer.label, layer.values[index], ends) + n)}"

    def _bars(self, layer: Bars) -> Json:
        group = [other for other in self.chart.layers if isinstance(other, Bars)]
        width = 0.76 / len(group)
        offset = -0.38 + group.index(layer) * width + width / 2
        places = [self.frame.x.place(position) for position in layer.positions]
        return {
            "type": "bar",
            "x": [None if place is None else place + offset for place in places],
            "y": [self.frame.y.place(value) for value in layer.values],
            "width": width * 0.97,
            "marker": {"color": self.colours.of(layer.ink), "line": {"width": 0}},
            "hovertext": [
                f"{written(theme.shorten(str(name), 60))}<br>{written(layer.label)}: {written(num(value, 'score'))}"
                for name, value in zip(layer.positions, layer.values, strict=True)
            ],
            "hoverinfo": "text",
        }

    def _line(self, layer: Line) -> Json:
        ink = self.colours.of(layer.ink)
        marker = (
            {"symbol": SHAPES[layer.markers][1], "size": 8, "line": {"width": 1.4, "color": ink}}
            if layer.markers
            else None
        )
        return {
            "type": "scatter",
            "mode": "lines+markers" if layer.markers else "lines",
            "x": [self.frame.x.place(value) for value in layer.x],
            "y": [self.frame.y.place(value) for value in layer.y],
            "connectgaps": False,
            "cliponaxis": False,
            "line": {"color": ink, "width": 1.8 if layer.label else 0.8, "dash": layer.dashes},
            "hovertext": [
                f"{written(theme.shorten(layer.label, 60))}<br>{written(num(x, 'score'))}: {written(num(y, 'score'))}"
                for x, y in zip(layer.x, layer.y, strict=True)
            ],
            "hoverinfo": "text" if layer.label else "skip",
            **({"marker": marker} if marker else {}),
        }

    def _cells(self, layer: Cells) -> Json:
        """Return a heat map, with what is printed in its cells where there is room."""
        texts = [[written(label) for label in row] for row in layer.texts]
        if layer.small:
            texts = [
                [f"{label}<br><sub>{written(small)}</sub>" if small else label
                 for label, small in zip(row, below, strict=True)]
                for row, below in zip(texts, layer.small, strict=True)
            ]  # fmt: skip
        known = [value for row in layer.values for value in row if value is not None and math.isfinite(value)]
        # as many decimals as keep the smallest value from being written as 0
        places = max((places_of(value, kind_of(layer)) for value in known), default=0)
        label = written(layer.value_label).replace("%{", "% {")  # not a template of Plotly's
        trace: Json = {
            "type": "heatmap",
            "x": list(range(len(layer.columns))),
            "y": list(range(len(layer.rows))),
            "z": [list(row) for row in layer.values],
            "zmin": 0,
            "colorscale": [[0, theme.PAPER], [1, self.colours.engine]],
            "showscale": False,
            "xgap": 0,
            "ygap": 0,
            "hovertemplate": f"{label}: %{{z:,.{places}f}}<extra></extra>",
        }
        if not printed(layer):
            return trace
        font = {"color": theme.TEXT, **({"size": theme.SIZE} if layer.small else {})}
        room = {"xgap": 2, "ygap": 2, "zmax": largest(layer) / theme.SHADE}
        return trace | room | {"text": texts, "texttemplate": "%{text}", "textfont": font}

    def _pairs(self, layer: Pairs) -> list[Json]:
        """Return the lines between two values, the intervals of the second ones, and both sets of points."""
        both = pair_spots(self.frame, layer)
        places = [first.at for first, _ in both]
        lines = zip(places, layer.first, layer.second, strict=True)
        traces = [self._joined(layer.along, lines, {"color": self.colours.muted, "width": 2.4})]
        if layer.low and layer.high:
            ends = zip(places, layer.low, layer.high, strict=True)
            traces.append(self._joined(layer.along, ends, {"color": self.colours.of(layer.inks[1]), "width": 1.6}))
        for which, label in enumerate(layer.labels):
            own = [pair[which] for pair in both]
            values = (layer.first, layer.second)[which]
            texts = [
                f"{written(theme.shorten(position, 60))}<br>{written(label)}: "
                f"{written(_measured(label, value, spot.ends))}"
                for position, value, spot in zip(layer.positions, values, own, strict=True)
            ]
            traces.append(self._points(layer.along, own, texts))
        return traces

    def _shares(self, layer: Shares) -> list[Json]:
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

    def _spans(self, layer: Spans) -> Json:
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

    def _strip(self) -> list[Json]:
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


def _xy(along: str, values: Sequence[Number], places: Sequence[Number]) -> Json:
    x, y = (values, places) if along == "x" else (places, values)
    return {"x": list(x), "y": list(y)}


def _measured(label: str, value: Number, ends: tuple[Number, Number]) -> str:
    return with_interval(Estimate(label, value, 0, *ends, kind="score"))


def tint(colour: str, share: float) -> str:
    """Return a colour with this much of it and the rest paper.

    Examples
    --------
    >>> tint("#143d66", 0.5), tint("#143d66", 1.0)
    ('#8a9eb2', '#143d66')
    """
    parts = [int(colour[place : place + 2], 16) for place in (1, 3, 5)]
    return "#" + "".join(f"{round(255 - share * (255 - part)):02x}" for part in parts)


def straight(x: Sequence[Number], y: Sequence[Number], line: Json) -> Json:
    """Return a trace of straight lines that do not answer to the pointer."""
    return {"type": "scatter", "mode": "lines", "x": x, "y": y, "line": line, "hoverinfo": "skip", "cliponaxis": False}


def written(label: str) -> str:
    """Return a text so that Plotly shows it letter for letter; it reads tags, and few named entities.

    Examples
    --------
    >>> written('a "quoted" <b>')
    'a "quoted" &lt;b&gt;'
    """
    return clean(label).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
