"""Convert charts to Plotly figures in plain JSON types, for the HTML report.

Each mark becomes part of a trace, a shape, or an annotation. All positions are numbers computed by `layout.Frame`, so
Plotly never reads a group called "2020-01-01" as a date, and the SVG and the Plotly figure look the same. This module
does not import Plotly. Plotly interprets a few HTML tags in labels, so all text is escaped.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from reportgen.charts import layout, panels, theme
from reportgen.charts.layout import SCREEN, Frame, Sheet, printed
from reportgen.charts.marks import Box, Dot, Mark, Path, Plot, Text, largest
from reportgen.charts.scales import layers_of
from reportgen.charts.svg import clean
from reportgen.charts.table import kind_of
from reportgen.charts.theme import Colours
from reportgen.results.chart import Bars, Cells, Chart, Dots, Layer, Line
from reportgen.wording.numbers import STYLE, places_of

Json = dict[str, Any]

Kind = TypeVar("Kind")

SHAPES, PLOTLY = theme.LOOK["shapes"], theme.LOOK["plotly"]

ANCHORS = {"start": "left", "middle": "center", "end": "right"}

MIDDLE = 4.0  # pixels from the baseline of a text to its middle


def figure(chart: Chart, colours: Colours | None = None, sheet: Sheet = SCREEN) -> Json:
    """Convert `chart` to ``{"data": [...], "layout": {...}}``.

    >>> from reportgen.results.chart import Axis, Chart, Line
    >>> line = Line("identity", (1.0, 6.0), (1.0, 6.0))
    >>> chart = Chart("k", "Title", "They are the same.", Axis("Engine"), Axis("Human"), (line,))
    >>> figure(chart)["data"][0]["mode"]
    'lines'
    """
    chart, _ = layout.trimmed(chart)
    drawn = _Figure(panels.places(chart, sheet), panels.shared_axis(chart), colours or Colours())
    return {"data": list(drawn.traces()), "layout": drawn.layout(sheet)}


class _Figure:
    """Build the Plotly figure of all plots: size, margins, traces, and annotations."""

    def __init__(self, plots: Sequence[Plot], shared: str, colours: Colours) -> None:
        self.plots, self.shared, self.colours = plots, shared, colours
        self.height = panels.total(plots, shared)
        self.left = min(plot.x + plot.frame.left for plot in plots)
        self.right = max(plot.x + plot.frame.right for plot in plots)
        self.top = min(plot.y + plot.frame.top for plot in plots)
        self.bottom = max(plot.y + plot.frame.bottom + layout.strip_below(plot.chart) for plot in plots)

    def layout(self, sheet: Sheet) -> Json:
        """Return size, margins, axes, shapes, and annotations, with animation and zoom turned off."""
        font = {"family": theme.FONTS, "size": theme.SIZE}
        marks = [(plot, mark) for plot in self.plots for mark in _around(plot)]
        if self.shared:
            last = self.plots[-1]
            text = Text(theme.shorten(self.shared, 60), last.frame.right, self.height - 6 - last.y, "end")
            marks.append((last, text))
        return {
            **PLOTLY["layout"],
            "separators": STYLE.get()["decimal"] + STYLE.get()["thousands"],
            "height": round(self.height),
            "margin": {
                "l": round(self.left),
                "r": max(14, round(sheet.width - self.right)),
                "t": round(self.top),
                "b": round(self.height - self.bottom),
            },
            "font": {**font, "color": theme.TEXT},
            "hoverlabel": {"font": font, "align": "left"},
            "paper_bgcolor": theme.PAPER,
            "plot_bgcolor": theme.PAPER,
            **{key: axis for number, plot in enumerate(self.plots, 1) for key, axis in self._axes(plot, _end(number))},
            "shapes": [self._shape(plot, mark) for plot, mark in marks if isinstance(mark, (Path, Box))],
            "annotations": [self._note(plot, mark) for plot, mark in marks if isinstance(mark, (Text, Dot))],
        }

    def _axes(self, plot: Plot, end: str) -> Iterator[tuple[str, Json]]:
        frame, bare, below = plot.frame, layout.bare(plot.chart), layout.strip_below(plot.chart)
        read = not bare and not layers_of(plot.chart, Cells)
        across, up = (plot.x + frame.left, plot.x + frame.right), (plot.y + frame.bottom, plot.y + frame.top)
        for axis, ends, scale, grid, labels, length in (
            ("x", across, frame.x, bool(frame.y.categories), frame.sheet.measured and not bare, 2 + below),
            ("y", up, frame.y, True, frame.sheet.named, 6),
        ):
            backwards = scale.turned or (axis == "y" and bool(scale.categories))
            yield (
                f"{axis}axis{end}",
                {
                    **PLOTLY["axis"],
                    "range": [*map(scale.at, (scale.high, scale.low) if backwards else (scale.low, scale.high))],
                    **({"type": "log"} if scale.ratio else {}),
                    "tickvals": list(scale.ticks),
                    "ticktext": [written(label) for label in scale.labels],
                    "tickfont": {"color": theme.TEXT if scale.categories else theme.QUIET, "size": theme.SIZE},
                    "gridcolor": theme.GRID,
                    "domain": sorted(min(1.0, max(0.0, self._share(axis, edge))) for edge in ends),
                    "anchor": f"{'y' if axis == 'x' else 'x'}{end}",
                    "showgrid": grid and read,
                    "showticklabels": labels,
                    "ticklen": length,
                },
            )

    def _share(self, axis: str, pixels: float) -> float:
        if axis == "x":
            return (pixels - self.left) / max(1.0, self.right - self.left)
        return (self.bottom - pixels) / max(1.0, self.bottom - self.top)

    def _held(self, axis: str, plot: Plot, pixels: float, aside: float = 0.0) -> tuple[float, float]:
        """Split a pixel position into a fraction of the plot and a pixel offset that does not depend on page width."""
        if axis == "x":
            low, high, moved = plot.x + plot.frame.left, plot.x + plot.frame.right, plot.x + pixels
        else:
            low, high, moved = self.top, self.bottom, plot.y + pixels
        held = min(max(moved - aside, low), high)
        return self._share(axis, held), moved - held if axis == "x" else held - moved

    def _note(self, plot: Plot, mark: Text | Dot) -> Json:
        if isinstance(mark, Dot):
            letter = "○" if mark.hollow else SHAPES[mark.shape].get("letter", "●")
            mark = Text(letter, mark.x, mark.y + MIDDLE, "middle", mark.ink, aside=mark.aside)
        x, right = self._held("x", plot, mark.x, mark.aside)
        y, up = self._held("y", plot, mark.y - MIDDLE)
        return {
            "text": written(mark.said), "showarrow": False, "xref": "paper", "yref": "paper",
            "x": x, "y": y, "xshift": right, "yshift": up, "xanchor": ANCHORS[mark.anchor], "yanchor": "middle",
            "font": {"color": self.colours.of(mark.ink), "size": mark.size or theme.SIZE},
        }  # fmt: skip

    def _shape(self, plot: Plot, mark: Path | Box) -> Json:
        ink, level = self.colours.of(mark.ink), "below"
        if isinstance(mark, Path):
            (x0, y0), (x1, y1) = mark.points
            look: Json = {"type": "line", "line": {"color": ink, "width": mark.width, "dash": _dashes(mark)}}
        else:
            x0, y0, x1, y1 = mark.x, mark.y, mark.x + mark.width, mark.y + mark.height
            look = {"type": "rect", "fillcolor": ink, "line": {"width": 0}, "opacity": float(mark.opacity or 1)}
            if mark.framed:
                look, level = {"type": "rect", "line": {"color": ink, "width": mark.framed}}, "above"
        aside = mark.aside if isinstance(mark, Box) else 0.0
        ends = self._ends("x", plot, x0, x1, aside) | self._ends("y", plot, y0, y1)
        return {"xref": "paper", "yref": "paper", "layer": level} | ends | look

    def _ends(self, axis: str, plot: Plot, start: float, stop: float, aside: float = 0.0) -> Json:
        held, before = self._held(axis, plot, start, aside)
        other, after = self._held(axis, plot, stop, aside + (stop - start if aside else 0.0))
        if held == other and (before or after):
            return {f"{axis}sizemode": "pixel", f"{axis}anchor": held, f"{axis}0": before, f"{axis}1": after}
        moved = plot.x if axis == "x" else plot.y
        return {f"{axis}0": self._share(axis, moved + start), f"{axis}1": self._share(axis, moved + stop)}

    def traces(self) -> Iterator[Json]:
        """Yield the traces of each plot: the base line, then the layers from bottom to top."""
        for number, plot in enumerate(self.plots, 1):
            frame, end = plot.frame, _end(number)
            axes = {"xaxis": f"x{end}", "yaxis": f"y{end}"} if end else {}
            if not frame.y.categories:  # base line of columns
                yield (
                    self._lines(plot, [Path(((frame.left, frame.bottom), (frame.right, frame.bottom)), "quiet")]) | axes
                )
            for layer in plot.chart.layers:
                label = written(layer.label) if isinstance(layer, (Dots, Bars, Line)) else ""
                # the legend switches them on and off together
                named = {"name": label, "legendgroup": label} if label else {}
                for trace in [_heat(layer, self.colours)] if isinstance(layer, Cells) else self._layer(plot, layer):
                    yield trace | named | axes

    def _layer(self, plot: Plot, layer: Layer) -> Iterator[Json]:
        """Yield one trace for each group of marks with the same look."""
        marks = list(plot.layer(layer))
        boxes = [mark for mark in marks if isinstance(mark, Box)]
        paths = [mark for mark in marks if isinstance(mark, Path)]
        dots = [mark for mark in marks if isinstance(mark, Dot)]
        yield from (self._bars(plot, same) for same in _alike(boxes, lambda box: (box.ink, box.opacity)))
        yield from (self._lines(plot, same) for same in _alike(paths, lambda path: path._replace(points=(), hover=())))
        yield from (self._points(plot, same) for same in _alike(dots, lambda dot: bool(dot.hover)))

    def _lines(self, plot: Plot, paths: Sequence[Path]) -> Json:
        points = [point for path in paths for point in (*path.points, None)]
        texts = [_text(said) for path in paths for said in (*path.hover, "")]
        line = {"color": self.colours.of(paths[0].ink), "width": paths[0].width, "dash": _dashes(paths[0])}
        hover: Json = {"hovertext": texts, "hoverinfo": "text"} if any(texts) else {"hoverinfo": "skip"}
        places = _at(plot.frame, points[:-1])
        fill = {"fill": "toself", "fillcolor": line["color"], "line": {"width": 0}}
        area = fill | {"opacity": float(paths[0].filled)} if paths[0].filled else {}
        return {"type": "scatter", "mode": "lines", **places, "line": line, "cliponaxis": False, **hover, **area}

    def _points(self, plot: Plot, dots: Sequence[Dot]) -> Json:
        inks = [self.colours.of(dot.ink) for dot in dots]
        marker = {
            "size": 9,
            "symbol": [SHAPES[dot.shape].get("symbol", dot.shape) for dot in dots],
            "color": [theme.PAPER if dot.hollow else ink for dot, ink in zip(dots, inks, strict=True)],
            "line": {"width": 1.6, "color": inks},
        }
        places = _at(plot.frame, [(dot.x, dot.y) for dot in dots])
        hover = {"hovertext": [_text(dot.hover) for dot in dots], "hoverinfo": "text" if dots[0].hover else "skip"}
        return {"type": "scatter", "mode": "markers", **places, "marker": marker, "cliponaxis": False, **hover}

    def _bars(self, plot: Plot, boxes: Sequence[Box]) -> Json:
        low = _at(plot.frame, [(box.x, box.y + box.height) for box in boxes])
        high = _at(plot.frame, [(box.x + box.width, box.y) for box in boxes])
        return {
            "type": "bar",
            "x": [(left + right) / 2 for left, right in zip(low["x"], high["x"], strict=True)],
            "width": [abs(right - left) for left, right in zip(low["x"], high["x"], strict=True)],
            "y": [top - base for base, top in zip(low["y"], high["y"], strict=True)],
            "base": low["y"],
            "marker": {"color": theme.PAPER if boxes[0].framed else self.colours.of(boxes[0].ink),
                       "opacity": float(boxes[0].opacity or 1),
                       "line": {"width": boxes[0].framed, "color": self.colours.of(boxes[0].ink)}},
            "hovertext": [_text(box.hover) for box in boxes],
            "hoverinfo": "text",
        }  # fmt: skip


def _alike(marks: Iterable[Kind], look: Callable[[Kind], object]) -> Iterable[list[Kind]]:
    found: dict[object, list[Kind]] = {}
    for mark in marks:
        found.setdefault(look(mark), []).append(mark)
    return found.values()


def _end(number: int) -> str:
    return str(number) if number > 1 else ""


def _around(plot: Plot) -> Iterator[Mark]:
    yield from (*plot.zones(), *plot.rules(), *plot.names(), *plot.above())
    for layer in plot.chart.layers:
        yield from plot.beside(layer)
        if not isinstance(layer, Cells):
            yield from (mark for mark in plot.layer(layer) if isinstance(mark, Text))


def _at(frame: Frame, points: Sequence[tuple[float, float] | None]) -> Json:
    across = [None if each is None else frame.x.value((each[0] - frame.left) / frame.width) for each in points]
    shares = [None if each is None else (each[1] - frame.top) / frame.height for each in points]
    up = [None if each is None else frame.y.value(each if frame.y.categories else 1 - each) for each in shares]
    return {"x": across, "y": up}


def _heat(layer: Cells, colours: Colours) -> Json:
    """Return the heat map trace, with cell labels if they fit."""
    known = [value for row in layer.values for value in row if value is not None and math.isfinite(value)]
    # enough decimals to keep the smallest value from being written as 0
    places = max((places_of(value, kind_of(layer)) for value in known), default=0)
    label = written(layer.value_label).replace("%{", "% {")  # keeps Plotly from reading a template
    trace: Json = {
        **PLOTLY["heat"],
        "x": list(range(len(layer.columns))),
        "y": list(range(len(layer.rows))),
        "z": [list(row) for row in layer.values],
        "colorscale": [[0, theme.PAPER], [1, colours.engine]],
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


def _text(hover: str) -> str:
    return written(hover).replace("\n", "<br>")


def _dashes(path: Path) -> str:
    return {"rule": "dash"}.get(path.dashes, path.dashes)


def written(label: str) -> str:
    """Escape text so that Plotly shows it literally; Plotly interprets tags and a few named entities.

    >>> written('a "quoted" <b>')
    'a "quoted" &lt;b&gt;'
    """
    return clean(label).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
