"""A chart as a Plotly figure in plain JSON types, for the HTML; plotly itself is not imported.

Everything stands on numeric axes at the places `layout.Frame` gives, with labels of our own: so a
group called "2020-01-01" is never read as a date, and both drawings of a chart look the same.
Plotly reads a few HTML tags in labels, therefore every text is escaped.
"""

from __future__ import annotations

from typing import Any

from reportgen.charts import layout, panels, theme
from reportgen.charts.layout import ROW, SCREEN, STRIP, Frame, Sheet
from reportgen.charts.marks import names_of_parts
from reportgen.charts.panels import Place, axis_title, name_place
from reportgen.charts.scales import AxisScale
from reportgen.charts.theme import Colours
from reportgen.charts.traces import Json, Traces, written
from reportgen.results.chart import Cells, Chart, Dots, Line, Pairs, Shares, Spans, Words, Zone
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
    colours, placed = colours or Colours(), panels.places(chart, sheet)
    shared = panels.shared_axis(chart)
    whole = Whole(placed, sheet, shared)
    data: list[Json] = []
    axes: Json = {}
    shapes: list[Json] = []
    notes: list[Json] = []
    for number, place in enumerate(placed, 1):
        data += Traces(place.chart, place.frame, colours, number).all()
        around = Surroundings(place, colours, whole, number)
        axes |= around.axes()
        shapes += [*around.zones(), *around.diagonal(), *around.samples()]
        notes += around.words()
        if shared and number == len(placed):
            around.note(
                theme.shorten(shared, 60), **around.corner, x=1, y=0, xanchor="right", yanchor="top", yshift=-ROW - 8
            )
    return {"data": data, "layout": {**whole.layout(), **axes, "shapes": shapes, "annotations": notes}}


class Whole:
    """The picture that one plot or several stand in: its size, and the margins around all plots."""

    def __init__(self, placed: tuple[Place, ...], sheet: Sheet, shared: str) -> None:
        self.height = panels.total(placed, shared)
        self.left = min(place.x + place.frame.left for place in placed)
        self.right = max(place.x + place.frame.right for place in placed)
        self.top = min(_head(place) for place in placed)
        self.bottom = max(_foot(place) for place in placed)
        self.alone = len(placed) == 1
        self.width = sheet.width

    def layout(self) -> Json:
        """Return size, margins and our own small template; nothing moves or zooms by itself."""
        return {
            "height": round(self.height),
            "autosize": True,
            "margin": {
                "l": round(self.left),
                "r": max(14, round(self.width - self.right)),
                "t": round(self.top),
                "b": round(self.height - self.bottom),
            },
            "font": {"family": theme.FONTS, "size": theme.SIZE, "color": theme.TEXT},
            "hoverlabel": {"font": {"family": theme.FONTS, "size": theme.SIZE}, "align": "left"},
            "paper_bgcolor": theme.PAPER,
            "plot_bgcolor": theme.PAPER,
            "showlegend": False,
            "dragmode": False,
            "barmode": "overlay",
            "uniformtext": {"minsize": 9, "mode": "hide"},
        }

    def across(self, pixels: float) -> float:
        """Return a horizontal place as a share of the room between the margins."""
        return (pixels - self.left) / max(1.0, self.right - self.left)

    def up(self, pixels: float) -> float:
        """Return a vertical place as a share of the room between the margins, from below."""
        return (self.bottom - pixels) / max(1.0, self.bottom - self.top)


def _head(place: Place) -> float:
    """Return the upper end of a plot with its strip of counts, in the picture."""
    return place.y + place.frame.top - (STRIP if place.chart.strip_counts and place.chart.counts_above else 0.0)


def _foot(place: Place) -> float:
    """Return the lower end of a plot with its strip of counts, in the picture."""
    below = place.chart.strip_counts and not place.chart.counts_above
    return place.y + place.frame.bottom + (STRIP if below else 0.0)


class Surroundings:
    """Everything of one plot but the data: its axes, and the words around it."""

    def __init__(self, place: Place, colours: Colours, whole: Whole, number: int) -> None:
        self.place = place
        self.chart = place.chart
        self.frame = place.frame
        self.colours = colours
        self.whole = whole
        self.end = str(number) if number > 1 else ""
        self.notes: list[Json] = []
        self.corner: Json = {"xref": f"x{self.end} domain", "yref": f"y{self.end} domain"}

    def axes(self) -> Json:
        """Return the axes of the plot at their place in the picture."""
        frame, place, whole = self.frame, self.place, self.whole
        shown = not layout.bare(self.chart)
        across = [whole.across(place.x + frame.left), whole.across(place.x + frame.right)]
        up = [whole.up(place.y + frame.bottom), whole.up(place.y + frame.top)]
        lines = shown and not self.has(Cells)
        x: Json = {**self.axis(frame.x), "domain": held(across), "anchor": f"y{self.end}"}
        y: Json = {**self.axis(frame.y), "domain": held(up), "anchor": f"x{self.end}", "showgrid": lines}
        x |= {"showgrid": bool(frame.y.categories) and lines, "showticklabels": shown and frame.sheet.measured}
        y["showticklabels"] = frame.sheet.named
        if self.has(Cells) and any(isinstance(each, Cells) and each.frame_diagonal for each in self.chart.layers):
            y |= {"scaleanchor": f"x{self.end}", "constrain": "domain"}
            x |= {"constrain": "domain", "constraintoward": "left"}
        axes = {f"xaxis{self.end}": x, f"yaxis{self.end}": y}
        if not self.chart.strip_counts:
            return axes
        most = max(n for _, n in self.chart.strip_counts) or 1
        top = frame.top if self.chart.counts_above else frame.bottom + STRIP
        strip = [whole.up(place.y + top - 2), whole.up(place.y + top - STRIP + 2)]
        if not self.chart.counts_above:  # the labels of the x axis stand under the strip
            x |= {"anchor": "free", "position": 0}
        axes["yaxis99"] = {
            "domain": held(strip),
            "visible": False,
            "range": [0, most * 1.7],
            "fixedrange": True,
            "anchor": f"x{self.end}",
        }
        return axes

    def has(self, kind: type) -> bool:
        """Return whether the plot has a layer of this kind."""
        return any(isinstance(layer, kind) for layer in self.chart.layers)

    def axis(self, scale: AxisScale) -> Json:
        """Return one axis with the ticks of our scale."""
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
        """Return every text around and in the plot."""
        self.titles()
        self.line_labels()
        self.names_inside()
        self.labels_above()
        self.column_of_n()
        for layer in self.chart.layers:
            if isinstance(layer, Pairs):
                self.of_pairs(layer)
            if isinstance(layer, Spans):
                self.of_spans(layer)
            if isinstance(layer, Words):
                self.of_words(layer)
            if isinstance(layer, Shares):
                self.of_shares(layer)
        return self.notes

    def note(self, content: str, **place: Any) -> None:
        """Add one line of text."""
        colour = place.pop("colour", theme.QUIET)
        font = {"color": colour, "size": theme.SIZE}
        self.notes.append({"text": written(content), "showarrow": False, "font": font, **place})

    def titles(self) -> None:
        """Name the panel and the axes, head the n column, and explain the layers in a key above."""
        frame, chart = self.frame, self.chart
        titled = len(self.place.title)
        above = frame.top - ROW * ((1 if frame.key else 0) + titled) - 9
        at: Json = {**self.corner, "x": 0, "y": 1, "xanchor": "left", "yanchor": "middle"}
        for row, line in enumerate(self.place.title):
            self.note(line, **at, yshift=frame.top - 8 - ROW * row, colour=theme.TEXT)
        if frame.sheet.named and chart.y.title and not self.has(Shares):
            self.note(theme.shorten(axis_title(chart.y), 50), **at, xshift=-frame.left, yshift=above)
        if not layout.bare(chart) and chart.x.title and frame.sheet.measured:
            below: Json = {**self.corner, "x": 1, "y": 0, "xanchor": "right", "yanchor": "top"}
            down = -ROW - 8 - (_foot(self.place) - self.place.y - frame.bottom)
            self.note(theme.shorten(axis_title(chart.x), 50), **below, yshift=down)
        if frame.for_n:
            edge: Json = {**self.corner, "x": 1, "y": 1, "xanchor": "right", "yanchor": "bottom"}
            self.note(chart.names.n, **edge, xshift=frame_gap(frame))
        x = -frame.left
        for entry in frame.key:
            label = theme.shorten(entry.label, 40)
            sign = {"box": "■", "hollow": "○"}.get(entry.sign, "●")
            place = {**at, "yshift": frame.top - 8 - ROW * titled}
            self.note(sign, **place, xshift=x, colour=self.colours.of(entry.ink))
            self.note(label, **place, xshift=x + 16, colour=theme.TEXT)
            x += 32 + theme.width(label, theme.SIZE)

    def line_labels(self) -> None:
        """Name each line, and each rule and zone across, at its right end."""
        for line, y in self.frame.line_labels:
            self.note(
                layout.line_label(line, self.frame.sheet),
                xref=f"x{self.end} domain",
                yref=f"y{self.end}",
                x=1,
                y=self.height_of(y),
                xanchor="left",
                xshift=8 + layout.sampled(self.frame),
                colour=theme.TEXT,
            )

    def names_inside(self) -> None:
        """Name lines in the plot, where the static drawing has their names."""
        frame = self.frame
        for line in self.chart.layers:
            if isinstance(line, Line) and line.named_inside and line.label:
                place = name_place(self.chart, frame, line)
                if place:
                    x, y = (place[0] - frame.left) / frame.width, 1 - (place[1] - frame.top) / frame.height
                    self.note(
                        layout.line_label(line, self.frame.sheet),
                        **self.corner,
                        x=x,
                        y=y,
                        xanchor="center",
                        yanchor="bottom",
                    )

    def samples(self) -> list[Json]:
        """Return a short piece of each named line before its name, where there are several."""
        if not layout.sampled(self.frame):
            return []
        return [
            {
                "type": "line",
                "xref": "paper",
                "xsizemode": "pixel",
                "xanchor": self.whole.across(self.place.x + self.frame.right),
                "yref": f"y{self.end}",
                "x0": 8,
                "x1": 3 + layout.SAMPLE,
                "y0": self.height_of(y),
                "y1": self.height_of(y),
                "line": {
                    "color": self.colours.of("muted" if isinstance(line, Zone) else line.ink),
                    "width": 8 if isinstance(line, Zone) else 1.8,
                    "dash": line.dashes if isinstance(line, Line) else "solid" if isinstance(line, Zone) else "dash",
                },
            }
            for line, y in self.frame.line_labels
        ]

    def height_of(self, y: float) -> float:
        """Return the value at so many pixels from the top of the plot."""
        return self.frame.y.low + (self.frame.y.high - self.frame.y.low) * (1 - y / self.frame.height)

    def labels_above(self) -> None:
        """Name each upright rule and each zone above the plot."""
        levels = iter(self.frame.rule_levels)
        for _, at, label in layout.upright(self.chart, self.frame.x):
            above = ROW * next(levels)
            aside = self.frame.label_middle(at, label) - self.frame.across(at)
            place: Json = {"xref": f"x{self.end}", "yref": f"y{self.end} domain", "x": at, "y": 1, "yanchor": "bottom"}
            self.note(theme.shorten(label, 60), **place, xshift=aside, yshift=above)

    def column_of_n(self) -> None:
        """Write n at the right edge of each row."""
        if not self.frame.for_n:
            return
        at: Json = {"xref": f"x{self.end} domain", "yref": f"y{self.end}", "x": 1, "xanchor": "right"}
        for layer in self.chart.layers:
            found: list[tuple[str | float, int]] = []
            if isinstance(layer, Dots) and layer.along == "x":
                found = list(zip(layer.positions, layer.n, strict=False))
            if isinstance(layer, Cells):
                found = list(zip(layer.rows, layer.n, strict=False))
            for position, n in found:
                place = self.frame.y.place(position)
                if place is not None:
                    self.note(count(n), **at, y=place, xshift=frame_gap(self.frame))

    def of_pairs(self, layer: Pairs) -> None:
        """Write the notes of pairs, and the names of both values beside the first."""
        frame = self.frame
        along, across = (frame.x, frame.y) if layer.along == "x" else (frame.y, frame.x)
        refs: Json = {"xref": f"x{self.end}", "yref": f"y{self.end}"}
        for index, position in enumerate(layer.positions):
            place = across.place(position)
            known = [held for value in (layer.first[index], layer.second[index])
                     if (held := along.held(along.place(value))) is not None]  # fmt: skip
            if place is None or not known or not layer.notes or not layer.notes[index]:
                continue
            at: Json = {"x": max(known, key=along.fraction), "y": place, "xanchor": "left", "xshift": 8}
            if layer.along == "y":
                at = {"x": place, "y": max(known), "yanchor": "bottom", "yshift": 6}
            self.note(layer.notes[index], **refs, **at, colour=theme.TEXT)
        if layout.named_beside(layer, frame.x, frame.width, frame.sheet):
            first, second = layer.first[0] or 0.0, layer.second[0] or 0.0
            apart = max(0.0, theme.SIZE + 1 - abs(frame.down(first) - frame.down(second))) / 2
            up = 1.0 if first >= second else -1.0
            x = across.place(layer.positions[0])
            for label, value, shift in zip(layer.labels, (first, second), (up * apart, -up * apart), strict=True):
                at = {"x": x, "y": value, "xanchor": "left", "xshift": 7, "yshift": shift}
                self.note(label, **refs, **at, colour=theme.TEXT)

    def of_spans(self, layer: Spans) -> None:
        """Write the text of each stretch at its right."""
        refs: Json = {"xref": f"x{self.end}", "yref": f"y{self.end}", "xanchor": "left", "xshift": 5}
        for position, start, stop, said in zip(layer.positions, layer.start, layer.stop, layer.texts, strict=False):
            place = self.frame.y.place(position)
            if place is not None and start is not None and stop is not None:
                self.note(said, **refs, x=max(start, stop), y=place, colour=theme.TEXT)

    def of_words(self, layer: Words) -> None:
        """Write a column of words beside the rows, under its heading."""
        at: Json = {"xref": f"x{self.end} domain", "x": 0, "xanchor": "left"}
        if not self.place.title:
            self.note(theme.shorten(layer.label, 40), **at, yref=f"y{self.end} domain", y=1, yanchor="bottom")
        for position, said in zip(layer.positions, layer.texts, strict=True):
            place = self.frame.y.place(position)
            if place is not None:
                self.note(theme.shorten(said, 60), **at, yref=f"y{self.end}", y=place, colour=theme.TEXT)

    def of_shares(self, layer: Shares) -> None:
        """Write the names of the parts above the first row."""
        for name, left in names_of_parts(layer, self.frame):
            x = (left - self.frame.left) / self.frame.width
            self.note(name, **self.corner, x=x, y=1, xanchor="left", yanchor="bottom")

    def zones(self) -> list[Json]:
        """Return the shaded parts where values should lie, each with a thin line at its limits."""
        shapes: list[Json] = []
        for layer in self.chart.layers:
            if isinstance(layer, Zone):
                scale, across = (self.frame.x, self.frame.y) if layer.axis == "x" else (self.frame.y, self.frame.x)
                spots = [spot for row in layer.rows if (spot := across.place(row)) is not None]
                some = [(spot - 0.42, spot + 0.42) for spot in spots]
                for stretch in some if layer.rows else [(across.low, across.high)]:
                    shapes += self.zone(layer, layout.zone_ends(layer, scale), stretch)
        return shapes

    def zone(self, layer: Zone, ends: tuple[float, float], stretch: tuple[float, float]) -> list[Json]:
        """Return one shaded part and its limits."""
        along, across = ("x", "y") if layer.axis == "x" else ("y", "x")
        refs: Json = {"xref": f"x{self.end}", "yref": f"y{self.end}", "layer": "below"}
        other = {f"{across}0": stretch[0], f"{across}1": stretch[1]}
        fill: Json = {"fillcolor": self.colours.engine, "opacity": theme.BAND, "line": {"width": 0}}
        shapes: list[Json] = [{"type": "rect", **refs, **other, f"{along}0": ends[0], f"{along}1": ends[1], **fill}]
        for limit in (layer.low, layer.high):
            if limit is not None and limit in ends:
                line = {"color": theme.QUIET, "width": 0.9}
                shapes.append({"type": "line", **refs, **other, f"{along}0": limit, f"{along}1": limit, "line": line})
        return shapes

    def diagonal(self) -> list[Json]:
        """Return frames around the cells whose row and column have the same name."""
        line = {"color": theme.TEXT, "width": 1.6}
        refs = {"type": "rect", "xref": f"x{self.end}", "yref": f"y{self.end}", "line": line}
        return [
            {**refs, "x0": j - 0.5, "x1": j + 0.5, "y0": i - 0.5, "y1": i + 0.5}
            for layer in self.chart.layers
            if isinstance(layer, Cells) and layer.frame_diagonal and layout.printed(layer)
            for i, row in enumerate(layer.rows)
            for j, column in enumerate(layer.columns)
            if column == row
        ]


def held(domain: list[float]) -> list[float]:
    """Return the ends of a domain, within what Plotly takes."""
    return [min(1.0, max(0.0, end)) for end in sorted(domain)]


def frame_gap(frame: Frame) -> float:
    """Return the pixels from the plot's right edge to that of the column of n."""
    return frame.edge_of_n - frame.right
