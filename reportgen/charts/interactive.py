"""A chart as a Plotly figure in plain JSON types, for the HTML; plotly itself is not imported.

Everything stands on numeric axes at the places `layout.Frame` gives, with labels of our own: so a
group called "2020-01-01" is never read as a date, and both drawings of a chart look the same.
Plotly reads a few HTML tags in labels, therefore every text is escaped.
"""

from __future__ import annotations

from typing import Any

from reportgen.charts import layout, panels, theme
from reportgen.charts.layout import ROW, SCREEN, STRIP, Sheet, line_label
from reportgen.charts.marks import names_of_parts, pair_spots, stretches
from reportgen.charts.panels import Place, axis_title, names_inside
from reportgen.charts.scales import AxisScale
from reportgen.charts.theme import Colours
from reportgen.charts.traces import Json, Traces, written
from reportgen.results.chart import Cells, Chart, Dots, Layer, Line, Pairs, Shares, Spans, Words, Zone
from reportgen.wording.numbers import count


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
    colours, placed, shared = colours or Colours(), panels.places(chart, sheet), panels.shared_axis(chart)
    whole = _Whole(placed, sheet, shared)
    data: list[Json] = []
    axes: Json = {}
    shapes: list[Json] = []
    notes: list[Json] = []
    for number, place in enumerate(placed, 1):
        data += Traces(place.chart, place.frame, colours, number).all()
        around = _Surroundings(place, colours, whole, number)
        axes |= around.axes()
        shapes += around.shapes()
        notes += around.words()
        if shared and number == len(placed):
            at: Json = {"x": 1, "y": 0, "xanchor": "right", "yanchor": "top", "yshift": -ROW - 8}
            around.note(theme.shorten(shared, 60), **around.corner, **at)
    return {"data": data, "layout": {**whole.layout(), **axes, "shapes": shapes, "annotations": notes}}


class _Whole:
    """The picture that one plot or several stand in: its size, and the margins around all plots."""

    def __init__(self, placed: tuple[Place, ...], sheet: Sheet, shared: str) -> None:
        self.height = panels.total(placed, shared)
        self.width = sheet.width
        self.left = min(place.x + place.frame.left for place in placed)
        self.right = max(place.x + place.frame.right for place in placed)
        self.top = min(
            place.y + place.frame.top - STRIP * bool(place.chart.strip_counts and place.chart.counts_above)
            for place in placed
        )
        self.bottom = max(place.y + place.frame.bottom + layout.strip_below(place.chart) for place in placed)

    def layout(self) -> Json:
        """Return size, margins and our own small template; nothing moves or zooms by itself."""
        font = {"family": theme.FONTS, "size": theme.SIZE}
        return {
            "height": round(self.height),
            "autosize": True,
            "margin": {
                "l": round(self.left),
                "r": max(14, round(self.width - self.right)),
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
        }

    def across(self, pixels: float) -> float:
        return (pixels - self.left) / max(1.0, self.right - self.left)

    def up(self, *pixels: float) -> list[float]:
        return _domain([(self.bottom - each) / max(1.0, self.bottom - self.top) for each in pixels])


def _domain(ends: list[float]) -> list[float]:
    return [min(1.0, max(0.0, end)) for end in sorted(ends)]


class _Surroundings:
    """Everything of one plot but the data: its axes, and the words around it."""

    def __init__(self, place: Place, colours: Colours, whole: _Whole, number: int) -> None:
        self.place = place
        self.chart = place.chart
        self.frame = place.frame
        self.colours = colours
        self.whole = whole
        self.notes: list[Json] = []
        self.end = str(number) if number > 1 else ""
        x, y = f"x{self.end}", f"y{self.end}"
        self.inside: Json = {"xref": x, "yref": y}
        self.corner: Json = {"xref": f"{x} domain", "yref": f"{y} domain"}
        self.row: Json = {"xref": f"{x} domain", "yref": y}

    def axes(self) -> Json:
        frame, place, whole, chart = self.frame, self.place, self.whole, self.chart
        shown = not layout.bare(chart)
        heat = [layer for layer in chart.layers if isinstance(layer, Cells)]
        across = _domain([whole.across(place.x + frame.left), whole.across(place.x + frame.right)])
        x = self._axis(frame.x) | {
            "domain": across,
            "anchor": f"y{self.end}",
            "showgrid": bool(frame.y.categories) and shown and not heat,
            "showticklabels": shown and frame.sheet.measured,
        }
        y = self._axis(frame.y) | {
            "domain": whole.up(place.y + frame.bottom, place.y + frame.top),
            "anchor": f"x{self.end}",
            "showgrid": shown and not heat,
            "showticklabels": frame.sheet.named,
        }
        if any(layer.frame_diagonal for layer in heat):
            y |= {"scaleanchor": f"x{self.end}", "constrain": "domain"}
            x |= {"constrain": "domain", "constraintoward": "left"}
        axes = {f"xaxis{self.end}": x, f"yaxis{self.end}": y}
        if chart.strip_counts:
            if not chart.counts_above:  # the labels of the x axis stand under the strip
                x |= {"anchor": "free", "position": 0}
            top = place.y + (frame.top if chart.counts_above else frame.bottom + STRIP)
            axes["yaxis99"] = {
                "domain": whole.up(top - 2, top - STRIP + 2),
                "visible": False,
                "range": [0, (max(n for _, n in chart.strip_counts) or 1) * 1.7],
                "fixedrange": True,
                "anchor": f"x{self.end}",
            }
        return axes

    def _axis(self, scale: AxisScale) -> Json:
        ends = [scale.low, scale.high]
        upside_down = (scale is self.frame.y and bool(scale.categories)) or scale.turned
        return {
            "range": ends[::-1] if upside_down else ends,
            "tickmode": "array",
            "tickvals": list(scale.ticks),
            "ticktext": [written(label) for label in scale.labels],
            "tickangle": 0,
            "tickfont": {"color": theme.TEXT if scale.categories else theme.QUIET, "size": theme.SIZE},
            "gridcolor": theme.GRID,
            "zeroline": False,
            "fixedrange": True,
            "ticks": "outside",
            "ticklen": 6,
            "tickcolor": "rgba(0,0,0,0)",  # room between labels and axis
            "showline": False,
        }

    def words(self) -> list[Json]:
        self._titles()
        for line, y in self.frame.line_labels:  # at the right end of lines, and of rules and zones across
            at: Json = {"x": 1, "y": self._height_of(y), "xanchor": "left", "xshift": 8 + layout.sampled(self.frame)}
            self.note(line_label(line, self.frame.sheet), **self.row, **at, colour=theme.TEXT)
        self._names_inside()
        levels = iter(self.frame.rule_levels)
        for _, at_x, label in layout.upright(self.chart, self.frame.x):  # above the plot
            aside = self.frame.label_middle(at_x, label) - self.frame.across(at_x)
            at = {"xref": f"x{self.end}", "yref": f"y{self.end} domain", "x": at_x, "y": 1, "yanchor": "bottom"}
            self.note(theme.shorten(label, 60), **at, xshift=aside, yshift=ROW * next(levels))
        for layer in self.chart.layers if self.frame.for_n else ():
            self._column_of_n(layer)
        for layer in self.chart.layers:
            self._words_of(layer)
        return self.notes

    def _words_of(self, layer: Layer) -> None:
        frame = self.frame
        match layer:
            case Pairs():
                self._of_pairs(layer)
            case Spans():
                for position, start, stop, said in zip(
                    layer.positions, layer.start, layer.stop, layer.texts, strict=False
                ):
                    place = frame.y.place(position)
                    if place is not None and start is not None and stop is not None:
                        at: Json = {"xanchor": "left", "xshift": 5, "x": max(start, stop), "y": place}
                        self.note(said, **self.inside, **at, colour=theme.TEXT)
            case Words():
                left: Json = {"x": 0, "xanchor": "left"}
                if not self.place.title:
                    self.note(theme.shorten(layer.label, 40), **self.corner, **left, y=1, yanchor="bottom")
                for position, said in zip(layer.positions, layer.texts, strict=True):
                    place = frame.y.place(position)
                    if place is not None:
                        self.note(theme.shorten(said, 60), **self.row, **left, y=place, colour=theme.TEXT)
            case Shares():
                for name, pixels in names_of_parts(layer, frame):
                    x = (pixels - frame.left) / frame.width
                    self.note(name, **self.corner, x=x, y=1, xanchor="left", yanchor="bottom")

    def note(self, content: str, *, colour: str = theme.QUIET, **place: Any) -> None:
        font = {"color": colour, "size": theme.SIZE}
        self.notes.append({"text": written(content), "showarrow": False, "font": font, **place})

    def _titles(self) -> None:
        frame, chart = self.frame, self.chart
        titled = len(self.place.title)
        at: Json = {**self.corner, "x": 0, "y": 1, "xanchor": "left", "yanchor": "middle"}
        for row, line in enumerate(self.place.title):
            self.note(line, **at, yshift=frame.top - 8 - ROW * row, colour=theme.TEXT)
        if frame.sheet.named and chart.y.title and not any(isinstance(layer, Shares) for layer in chart.layers):
            above = frame.top - ROW * ((1 if frame.key else 0) + titled) - 9
            self.note(theme.shorten(axis_title(chart.y), 50), **at, xshift=-frame.left, yshift=above)
        if not layout.bare(chart) and chart.x.title and frame.sheet.measured:
            below: Json = {**self.corner, "x": 1, "y": 0, "xanchor": "right", "yanchor": "top"}
            self.note(theme.shorten(axis_title(chart.x), 50), **below, yshift=-ROW - 8 - layout.strip_below(chart))
        if frame.for_n:
            edge: Json = {**self.corner, "x": 1, "y": 1, "xanchor": "right", "yanchor": "bottom"}
            self.note(chart.names.n, **edge, xshift=frame.edge_of_n - frame.right)
        x, up = -frame.left, frame.top - 8 - ROW * titled
        for entry in frame.key:
            label, sign = theme.shorten(entry.label, 40), {"box": "■", "hollow": "○"}.get(entry.sign, "●")
            self.note(sign, **at, yshift=up, xshift=x, colour=self.colours.of(entry.ink))
            self.note(label, **at, yshift=up, xshift=x + 16, colour=theme.TEXT)
            x += 32 + frame.sheet.measure(label)

    def _names_inside(self) -> None:
        """Name lines in the plot, where the static drawing has their names."""
        frame = self.frame
        for name, (middle, baseline) in names_inside(self.chart, frame):
            x, y = (middle - frame.left) / frame.width, 1 - (baseline - frame.top) / frame.height
            self.note(name, **self.corner, x=x, y=y, xanchor="center", yanchor="bottom")

    def _height_of(self, y: float) -> float:
        """Return the value at so many pixels from the top of the plot."""
        return self.frame.y.low + (self.frame.y.high - self.frame.y.low) * (1 - y / self.frame.height)

    def _column_of_n(self, layer: Layer) -> None:
        rows: tuple[str | float, ...] = ()
        if isinstance(layer, Cells):
            rows = layer.rows
        elif isinstance(layer, Dots) and layer.along == "x":
            rows = layer.positions
        for position, n in zip(rows, layer.n if isinstance(layer, (Cells, Dots)) else (), strict=False):
            place = self.frame.y.place(position)
            if place is not None:
                at: Json = {"x": 1, "xanchor": "right", "y": place, "xshift": self.frame.edge_of_n - self.frame.right}
                self.note(count(n), **self.row, **at)

    def _of_pairs(self, layer: Pairs) -> None:
        """Write the notes of pairs, and the names of both values beside the first."""
        frame = self.frame
        along, across = frame.axes(layer.along)
        for (first, second), note in zip(pair_spots(frame, layer), layer.notes, strict=False):
            known = [spot.value for spot in (first, second) if spot.value is not None]
            if first.at is not None and known and note:
                at: Json = {"x": max(known, key=along.fraction), "y": first.at, "xanchor": "left", "xshift": 8}
                if layer.along == "y":
                    at = {"x": first.at, "y": max(known), "yanchor": "bottom", "yshift": 6}
                self.note(note, **self.inside, **at, colour=theme.TEXT)
        if layout.named_beside(layer, frame.x, frame.width, frame.sheet):
            values = layer.first[0] or 0.0, layer.second[0] or 0.0
            apart = max(0.0, theme.SIZE + 1 - abs(frame.down(values[0]) - frame.down(values[1]))) / 2
            up = apart if values[0] >= values[1] else -apart
            at = {"x": across.place(layer.positions[0]), "xanchor": "left", "xshift": 7}
            for label, value, shift in zip(layer.labels, values, (up, -up), strict=True):
                self.note(label, **self.inside, **at, y=value, yshift=shift, colour=theme.TEXT)

    def shapes(self) -> list[Json]:
        shapes: list[Json] = []
        for layer in self.chart.layers:
            if isinstance(layer, Zone):
                shapes += self._zone(layer)
        for layer in self.chart.layers:
            if isinstance(layer, Cells) and layer.frame_diagonal and layout.printed(layer):
                line = {"color": theme.TEXT, "width": 1.6}
                shapes += [
                    {
                        "type": "rect",
                        **self.inside,
                        "line": line,
                        "x0": j - 0.5,
                        "x1": j + 0.5,
                        "y0": i - 0.5,
                        "y1": i + 0.5,
                    }
                    for i, row in enumerate(layer.rows)
                    for j, column in enumerate(layer.columns)
                    if column == row
                ]
        return [*shapes, *(self._samples() if layout.sampled(self.frame) else [])]

    def _zone(self, layer: Zone) -> list[Json]:
        """Return the parts where values should lie, each shaded and with a thin line at its limits."""
        along, across = ("x", "y") if layer.axis == "x" else ("y", "x")
        ends = layout.zone_ends(layer, self.frame.axes(layer.axis)[0])
        refs: Json = {**self.inside, "layer": "below"}
        fill: Json = {"fillcolor": self.colours.engine, "opacity": theme.BAND, "line": {"width": 0}}
        line = {"color": theme.QUIET, "width": 0.9}
        shapes: list[Json] = []
        for start, stop in stretches(self.frame, layer):
            other = {f"{across}0": start, f"{across}1": stop}
            shapes.append({"type": "rect", **refs, **other, f"{along}0": ends[0], f"{along}1": ends[1], **fill})
            shapes += [
                {"type": "line", **refs, **other, f"{along}0": limit, f"{along}1": limit, "line": line}
                for limit in (layer.low, layer.high)
                if limit is not None and limit in ends
            ]
        return shapes

    def _samples(self) -> list[Json]:
        found = []
        for line, pixels in self.frame.line_labels:
            y = self._height_of(pixels)
            zone = isinstance(line, Zone)
            look = {
                "color": self.colours.of("muted" if isinstance(line, Zone) else line.ink),
                "width": 8 if zone else 1.8,
                "dash": line.dashes if isinstance(line, Line) else "solid" if zone else "dash",
            }
            right = self.whole.across(self.place.x + self.frame.right)
            place = {"xref": "paper", "xsizemode": "pixel", "xanchor": right, "yref": f"y{self.end}"}
            found.append({"type": "line", **place, "x0": 8, "x1": 3 + layout.SAMPLE, "y0": y, "y1": y, "line": look})
        return found
