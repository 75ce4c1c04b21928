"""A chart as a Plotly figure in plain JSON types, for the HTML: each mark as part of a trace, a shape or an annotation.

Everything stands on numeric axes at the places `layout.Frame` gives, so a group called "2020-01-01" is never read as a
date, and both drawings of a chart look the same. Plotly itself is not imported. It reads a few HTML tags in labels,
therefore every text is escaped.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from reportgen.charts import layout, panels, theme
from reportgen.charts.layout import SCREEN, Sheet, printed
from reportgen.charts.marks import Box, Dot, Mark, Path, Plot, Text, largest
from reportgen.charts.panels import Place
from reportgen.charts.scales import AxisScale
from reportgen.charts.svg import clean
from reportgen.charts.table import kind_of
from reportgen.charts.theme import Colours
from reportgen.results.chart import Bars, Cells, Chart, Dots, Layer, Line, Words
from reportgen.wording.numbers import places_of

Json = dict[str, Any]

SYMBOLS = {
    "triangle": "triangle-up", "cross": "x-thin-open", "left": "triangle-left", "right": "triangle-right",
    "up": "triangle-up", "down": "triangle-down",
}  # fmt: skip
"""The names of shapes in Plotly, where they differ from ours."""

LETTERS = {"square": "■", "diamond": "◆", "triangle": "▲", "cross": "✕"}
"""What stands for a point outside the plots; a circle otherwise."""

ANCHORS = {"start": "left", "middle": "center", "end": "right"}

MIDDLE = 4.0
"""Pixels from the baseline of a text up to its middle."""


def figure(chart: Chart, colours: Colours | None = None, sheet: Sheet = SCREEN) -> Json:
    """Return `chart` as ``{"data": [...], "layout": {...}}``.

    Examples
    --------
    >>> from reportgen.results.chart import Axis, Chart, Line
    >>> line = Line("identity", (1.0, 6.0), (1.0, 6.0))
    >>> chart = Chart("k", "Title", "They are the same.", Axis("Engine"), Axis("Human"), (line,))
    >>> figure(chart)["data"][0]["mode"]
    'lines'
    """
    chart, _ = layout.trimmed(chart)
    placed = panels.places(chart, sheet)
    whole = _Whole(placed, sheet, panels.shared_axis(chart), colours or Colours())
    return {"data": [trace for plot in whole.plots for trace in plot.traces()], "layout": whole.layout()}


class _Whole:
    """The picture of all plots: its size, the margins around them, and what stands at places of the whole."""

    def __init__(self, placed: tuple[Place, ...], sheet: Sheet, shared: str, colours: Colours) -> None:
        self.placed, self.sheet, self.shared, self.colours = placed, sheet, shared, colours
        self.height = panels.total(placed, shared)
        self.left = min(place.x + place.frame.left for place in placed)
        self.right = max(place.x + place.frame.right for place in placed)
        self.top = min(place.y + place.frame.top for place in placed)
        self.bottom = max(place.y + place.frame.bottom + layout.strip_below(place.chart) for place in placed)
        self.plots = [_Plot(place, colours, number) for number, place in enumerate(placed, 1)]

    def layout(self) -> Json:
        """Return size, margins, axes, and what stands around the data; nothing moves or zooms by itself."""
        font = {"family": theme.FONTS, "size": theme.SIZE}
        marks = [(plot, mark) for plot in self.plots for mark in plot.around()]
        if self.shared:
            last = self.placed[-1]
            text = Text(theme.shorten(self.shared, 60), last.frame.right, self.height - 6 - last.y, "end")
            marks.append((self.plots[-1], text))
        return {
            "height": round(self.height),
            "autosize": True,
            "margin": {
                "l": round(self.left),
                "r": max(14, round(self.sheet.width - self.right)),
                "t": round(self.top),
                "b": round(self.height - self.bottom),
            },
            "font": {**font, "color": theme.TEXT},
            "hoverlabel": {"font": font, "align": "left"},
            "paper_bgcolor": theme.PAPER,
            "plot_bgcolor": theme.PAPER,
            "showlegend": False,
            "dragmode": False,
            "barmode": "overlay",
            "uniformtext": {"minsize": 9, "mode": "hide"},
            **{name: axis for plot in self.plots for name, axis in self._axes(plot)},
            "shapes": [self._shape(plot.place, mark) for plot, mark in marks if isinstance(mark, (Path, Box))],
            "annotations": [self._note(plot.place, mark) for plot, mark in marks if isinstance(mark, (Text, Dot))],
        }

    def _axes(self, plot: _Plot) -> Iterator[tuple[str, Json]]:
        place, frame, chart = plot.place, plot.place.frame, plot.place.chart
        bare, heat = layout.bare(chart), any(isinstance(layer, Cells) for layer in chart.layers)
        for axis, ends, scale, grid, ticks in (
            ("x", (place.x + frame.left, place.x + frame.right), frame.x, frame.y.categories, frame.sheet.measured),
            ("y", (place.y + frame.bottom, place.y + frame.top), frame.y, True, frame.sheet.named),
        ):
            other = "y" if axis == "x" else "x"
            yield (
                f"{axis}axis{plot.end}",
                _axis(scale, upside_down=axis == "y" and bool(scale.categories))
                | {
                    "domain": sorted(min(1.0, max(0.0, self._share(axis, end))) for end in ends),
                    "anchor": f"{other}{plot.end}",
                    "showgrid": bool(grid) and not bare and not heat,
                    "showticklabels": bool(ticks) and not (bare and axis == "x"),
                    "ticklen": 2 + layout.strip_below(chart) if axis == "x" else 6,
                },
            )

    def _share(self, axis: str, pixels: float) -> float:
        """Return a place as a share of the room that all plots take; Plotly counts heights from below."""
        if axis == "x":
            return (pixels - self.left) / max(1.0, self.right - self.left)
        return (self.bottom - pixels) / max(1.0, self.bottom - self.top)

    def _held(self, axis: str, place: Place, pixels: float, aside: float = 0.0) -> tuple[float, float]:
        """Return a place in the plot as a share, and the pixels from there, which no width of the page changes."""
        frame = place.frame
        if axis == "x":
            low, high, moved = place.x + frame.left, place.x + frame.right, place.x + pixels
        else:
            low, high, moved = self.top, self.bottom, place.y + pixels
        held = min(max(moved - aside, low), high)
        return self._share(axis, held), moved - held if axis == "x" else held - moved

    def _note(self, place: Place, mark: Text | Dot) -> Json:
        if isinstance(mark, Dot):
            letter = "○" if mark.hollow else LETTERS.get(mark.shape, "●")
            mark = Text(letter, mark.x, mark.y + MIDDLE, "middle", mark.ink, aside=mark.aside)
        x, right = self._held("x", place, mark.x, mark.aside)
        y, up = self._held("y", place, mark.y - MIDDLE)
        return {
            "text": written(mark.said), "showarrow": False, "xref": "paper", "yref": "paper",
            "x": x, "y": y, "xshift": right, "yshift": up, "xanchor": ANCHORS[mark.anchor], "yanchor": "middle",
            "font": {"color": self.colours.of(mark.ink), "size": mark.size or theme.SIZE},
        }  # fmt: skip

    def _shape(self, place: Place, mark: Path | Box) -> Json:
        ink, aside = self.colours.of(mark.ink), 0.0
        look: Json = {"type": "rect", "fillcolor": ink, "line": {"width": 0}}
        if isinstance(mark, Path):
            (x0, y0), (x1, y1) = mark.points
            look = {"type": "line", "line": {"color": ink, "width": mark.width, "dash": _dashes(mark)}}
        else:
            x0, y0, x1, y1, aside = mark.x, mark.y, mark.x + mark.width, mark.y + mark.height, mark.aside
            look["opacity"] = float(mark.opacity or 1)
            if mark.framed:
                look = {"type": "rect", "line": {"color": ink, "width": mark.framed}}
        ends = self._ends("x", place, x0, x1, aside) | self._ends("y", place, y0, y1)
        level = "above" if isinstance(mark, Box) and mark.framed else "below"
        return {"xref": "paper", "yref": "paper", "layer": level} | ends | look

    def _ends(self, axis: str, place: Place, start: float, stop: float, aside: float = 0.0) -> Json:
        """Return where a shape begins and ends: in pixels where it stands beside the plot."""
        held, before = self._held(axis, place, start, aside)
        other, after = self._held(axis, place, stop, aside + (stop - start if aside else 0.0))
        if held == other and (before or after):
            return {f"{axis}sizemode": "pixel", f"{axis}anchor": held, f"{axis}0": before, f"{axis}1": after}
        moved = place.x if axis == "x" else place.y
        return {f"{axis}0": self._share(axis, moved + start), f"{axis}1": self._share(axis, moved + stop)}


class _Plot:
    """The data of one plot as traces, from the lowest to the uppermost."""

    def __init__(self, place: Place, colours: Colours, number: int) -> None:
        self.place, self.colours = place, colours
        self.end = str(number) if number > 1 else ""
        self.plot = Plot(place.chart, place.frame, place.title)

    def around(self) -> Iterator[Mark]:
        """Yield everything but the data: Plotly draws its own axes."""
        yield from (*self.plot.zones(), *self.plot.rules(), *self.plot.names(), *self.plot.above())
        for layer in self.place.chart.layers:
            yield from self.plot.beside(layer)
            if not isinstance(layer, Cells):
                yield from (mark for mark in self.plot.layer(layer) if isinstance(mark, Text))

    def traces(self) -> Iterator[Json]:
        """Yield the foot of the plot, then the layers in order."""
        frame = self.place.frame
        axes = {"xaxis": f"x{self.end}", "yaxis": f"y{self.end}"} if self.end else {}
        if not frame.y.categories:  # the line on which columns stand and from which heights are read
            yield self._lines([Path(((frame.left, frame.bottom), (frame.right, frame.bottom)), "quiet")]) | axes
        for layer in self.place.chart.layers:
            label = written(layer.label) if isinstance(layer, (Dots, Bars, Line)) else ""
            named = {"name": label, "legendgroup": label} if label else {}  # a reader switches them off together
            for trace in [_heat(layer, self.colours)] if isinstance(layer, Cells) else self._layer(layer):
                yield trace | named | axes

    def _layer(self, layer: Layer) -> Iterator[Json]:
        """Yield one trace for all marks of a kind that look alike."""
        lines: dict[object, list[Path]] = {}
        boxes: dict[object, list[Box]] = {}
        dots: dict[object, list[Dot]] = {}
        for mark in self.plot.layer(layer):
            match mark:
                case Path():
                    lines.setdefault((mark.ink, mark.width, mark.dashes), []).append(mark)
                case Box():
                    boxes.setdefault((mark.ink, mark.opacity), []).append(mark)
                case Dot():
                    dots.setdefault(bool(mark.hover), []).append(mark)
        if isinstance(layer, Words):  # Plotly draws no axis without a trace
            corner = (self.place.frame.left, self.place.frame.bottom)
            yield self._lines([Path((corner, corner), "quiet")])
        yield from map(self._bars, boxes.values())
        yield from map(self._lines, lines.values())
        yield from map(self._points, dots.values())

    def _lines(self, paths: Sequence[Path]) -> Json:
        points = [point for path in paths for point in (*path.points, None)]
        texts = [_said(said) for path in paths for said in (*path.hover, "")]
        line = {"color": self.colours.of(paths[0].ink), "width": paths[0].width, "dash": _dashes(paths[0])}
        hover: Json = {"hovertext": texts, "hoverinfo": "text"} if any(texts) else {"hoverinfo": "skip"}
        return {"type": "scatter", "mode": "lines", **self._at(points[:-1]), "line": line, "cliponaxis": False, **hover}

    def _points(self, dots: Sequence[Dot]) -> Json:
        inks = [self.colours.of(dot.ink) for dot in dots]
        marker = {
            "size": 9,
            "symbol": [SYMBOLS.get(dot.shape, dot.shape) for dot in dots],
            "color": [theme.PAPER if dot.hollow else ink for dot, ink in zip(dots, inks, strict=True)],
            "line": {"width": 1.6, "color": inks},
        }
        places = self._at([(dot.x, dot.y) for dot in dots])
        hover = {"hovertext": [_said(dot.hover) for dot in dots], "hoverinfo": "text" if dots[0].hover else "skip"}
        return {"type": "scatter", "mode": "markers", **places, "marker": marker, "cliponaxis": False, **hover}

    def _bars(self, boxes: Sequence[Box]) -> Json:
        low, high = (self._at([(box.x, box.y + box.height) for box in boxes]),
                     self._at([(box.x + box.width, box.y) for box in boxes]))  # fmt: skip
        return {
            "type": "bar",
            "x": [(left + right) / 2 for left, right in zip(low["x"], high["x"], strict=True)],
            "width": [abs(right - left) for left, right in zip(low["x"], high["x"], strict=True)],
            "y": [top - base for base, top in zip(low["y"], high["y"], strict=True)],
            "base": low["y"],
            "marker": {"color": self.colours.of(boxes[0].ink), "opacity": float(boxes[0].opacity or 1),
                       "line": {"width": 0}},
            "hovertext": [_said(box.hover) for box in boxes],
            "hoverinfo": "text",
        }  # fmt: skip

    def _at(self, points: Sequence[tuple[float, float] | None]) -> Json:
        """Return points as values on the axes."""
        frame = self.place.frame
        across = [None if each is None else frame.x.value((each[0] - frame.left) / frame.width) for each in points]
        shares = [None if each is None else (each[1] - frame.top) / frame.height for each in points]
        up = [None if each is None else frame.y.value(each if frame.y.categories else 1 - each) for each in shares]
        return {"x": across, "y": up}


def _axis(scale: AxisScale, *, upside_down: bool) -> Json:
    ends = [scale.low, scale.high]
    return {
        "range": ends[::-1] if upside_down or scale.turned else ends,
        "tickmode": "array",
        "tickvals": list(scale.ticks),
        "ticktext": [written(label) for label in scale.labels],
        "tickangle": 0,
        "tickfont": {"color": theme.TEXT if scale.categories else theme.QUIET, "size": theme.SIZE},
        "gridcolor": theme.GRID,
        "zeroline": False,
        "fixedrange": True,
        "ticks": "outside",
        "tickcolor": "rgba(0,0,0,0)",  # room between labels and axis
        "showline": False,
    }


def _heat(layer: Cells, colours: Colours) -> Json:
    """Return a heat map, with what is printed in its cells where there is room."""
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
        "colorscale": [[0, theme.PAPER], [1, colours.engine]],
        "showscale": False,
        "hovertemplate": f"{label}: %{{z:,.{places}f}}<extra></extra>",
    }
    if not printed(layer):
        return trace
    small = layer.small or [[""] * len(layer.columns)] * len(layer.rows)
    texts = [
        [written(text) + (f"<br><sub>{written(below)}</sub>" if below else "")
         for text, below in zip(row, smalls, strict=True)]
        for row, smalls in zip(layer.texts, small, strict=True)
    ]  # fmt: skip
    font = {"color": theme.TEXT, **({"size": theme.SIZE} if layer.small else {})}
    room = {"xgap": 2, "ygap": 2, "zmax": largest(layer) / theme.SHADE}
    return trace | room | {"text": texts, "texttemplate": "%{text}", "textfont": font}


def _said(hover: str) -> str:
    return written(hover).replace("\n", "<br>")


def _dashes(path: Path) -> str:
    return {"rule": "dash"}.get(path.dashes, path.dashes)


def written(label: str) -> str:
    """Return a text so that Plotly shows it letter for letter; it reads tags, and few named entities.

    Examples
    --------
    >>> written('a "quoted" <b>')
    'a "quoted" &lt;b&gt;'
    """
    return clean(label).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
