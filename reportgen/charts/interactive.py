"""A chart as a Plotly figure in plain JSON types, for the HTML; plotly itself is not imported.

Everything stands on numeric axes at the places `layout.Frame` gives, with labels of our own: so a
group called "2020-01-01" is never read as a date, and both drawings of a chart look the same.
Plotly reads a few HTML tags in labels, therefore every text is escaped.
"""

from __future__ import annotations

from typing import Any

from reportgen.charts import layout, text, theme
from reportgen.charts.layout import ROW, STRIP, Frame
from reportgen.charts.scales import AxisScale
from reportgen.charts.static import axis_title
from reportgen.charts.theme import Colours
from reportgen.charts.traces import Json, Traces, written
from reportgen.results.chart import Bars, Cells, Chart, Dots, Line, Rule
from reportgen.wording.numbers import count


def figure(chart: Chart, colours: Colours | None = None) -> Json:
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
    frame, colours = layout.frame(chart), colours or Colours()
    return {"data": Traces(chart, frame, colours).all(), "layout": Surroundings(chart, frame, colours).layout()}


class Surroundings:
    """Everything but the data: size, axes, and the words around the plot."""

    def __init__(self, chart: Chart, frame: Frame, colours: Colours) -> None:
        self.chart = chart
        self.frame = frame
        self.colours = colours
        self.notes: list[Json] = []

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
                "r": round(frame.outer - frame.right) if not self.has(Cells) else 14,
                "t": round(frame.top),
                "b": round(below - (STRIP if strip else 0)),
            },
            **axes,
            "shapes": [*self.diagonal(), *self.samples()],
            "annotations": self.words(),
            "font": {"family": theme.SCREEN_FONTS, "size": theme.SIZE, "color": theme.TEXT},
            "hoverlabel": {"font": {"family": theme.SCREEN_FONTS, "size": theme.SIZE}, "align": "left"},
            "paper_bgcolor": theme.PAPER,
            "plot_bgcolor": theme.PAPER,
            "showlegend": False,
            "dragmode": False,
            "barmode": "overlay",
            "uniformtext": {"minsize": 9, "mode": "hide"},
        }

    def has(self, kind: type) -> bool:
        """Return whether the chart has a layer of this kind."""
        return any(isinstance(layer, kind) for layer in self.chart.layers)

    def axis(self, scale: AxisScale) -> Json:
        """Return one axis with the ticks of our scale."""
        ends = [scale.low, scale.high]
        upside_down = scale is self.frame.y and bool(scale.categories)
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
        self.rule_labels()
        self.column_of_n()
        return self.notes

    def note(self, content: str, **place: Any) -> None:
        """Add one line of text."""
        colour = place.pop("colour", theme.QUIET)
        font = {"color": colour, "size": theme.SIZE}
        self.notes.append({"text": written(content), "showarrow": False, "font": font, **place})

    def titles(self) -> None:
        """Name the axes, head the n column, and explain the layers in a key above."""
        frame, chart = self.frame, self.chart
        y_name = axis_title(chart.y)
        x_name = axis_title(chart.x)
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
        if frame.for_n:
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
        """Name each line, and each rule across, at its right end."""
        for line, y in self.frame.line_labels:
            self.note(
                layout.line_label(line),
                xref="paper",
                yref="y",
                x=1,
                y=self.height_of(y),
                xanchor="left",
                xshift=8 + layout.sampled(self.frame),
                colour=theme.TEXT,
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
                "xanchor": 1,
                "yref": "y",
                "x0": 8,
                "x1": 3 + layout.SAMPLE,
                "y0": self.height_of(y),
                "y1": self.height_of(y),
                "line": {
                    "color": self.colours.of(line.ink),
                    "width": 1.8,
                    "dash": line.dashes if isinstance(line, Line) else "dash",
                },
            }
            for line, y in self.frame.line_labels
        ]

    def height_of(self, y: float) -> float:
        """Return the value at so many pixels from the top of the plot."""
        return self.frame.y.low + (self.frame.y.high - self.frame.y.low) * (1 - y / self.frame.height)

    def rule_labels(self) -> None:
        """Name each upright rule above the plot."""
        levels = iter(self.frame.rule_levels)
        for rule in (layer for layer in self.chart.layers if isinstance(layer, Rule) and layer.axis == "x"):
            label, above = text.shorten(rule.label, 60), ROW * next(levels)
            aside = self.frame.rule_middle(rule) - self.frame.across(rule.at)
            self.note(label, xref="x", yref="paper", x=rule.at, y=1, yanchor="bottom", xshift=aside, yshift=above)

    def column_of_n(self) -> None:
        """Write n at the right edge of each row."""
        for layer in self.chart.layers:
            if isinstance(layer, Dots) and layer.along == "x":
                for position, n in zip(layer.positions, layer.n, strict=False):
                    place = self.frame.y.place(position)
                    if place is not None:
                        gap = frame_gap(self.frame)
                        self.note(count(n), xref="paper", yref="y", x=1, y=place, xanchor="right", xshift=gap)

    def diagonal(self) -> list[Json]:
        """Return frames around the cells whose row and column have the same name."""
        line = {"color": theme.TEXT, "width": 1.6}
        return [
            {"type": "rect", "x0": j - 0.5, "x1": j + 0.5, "y0": i - 0.5, "y1": i + 0.5, "line": line}
            for layer in self.chart.layers
            if isinstance(layer, Cells) and layer.frame_diagonal and layout.printed(layer)
            for i, row in enumerate(layer.rows)
            for j, column in enumerate(layer.columns)
            if column == row
        ]


def frame_gap(frame: Frame) -> float:
    """Return the pixels from the plot's right edge to the picture's."""
    return frame.outer - frame.right - 4
