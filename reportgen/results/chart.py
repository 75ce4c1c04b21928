"""A chart as data: what it shows, not how it is drawn.

One `Chart` is drawn twice, by `reportgen.charts.interactive` (Plotly JSON for
the HTML) and by `reportgen.charts.static` (SVG for the PDF), and a third time
as a plain table for readers without scripts.  It is stored in results.json, so
a report can be drawn again without the scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Number = float | None
"""A coordinate; None leaves a gap."""

Ink = Literal["engine", "human", "flag", "muted"]
"""Role of a colour: dark blue, grey, orange, light grey; the theme maps roles to colours."""


@dataclass(frozen=True)
class Axis:
    """One axis: a number line, or a list of categories in drawing order (first at the top or left).

    Examples
    --------
    >>> Axis("Score", low=1, high=6).title
    'Score'
    """

    title: str
    categories: tuple[str, ...] = ()
    low: Number = None
    high: Number = None
    unit: str = ""


@dataclass(frozen=True)
class Dots:
    """Points with intervals.  `along` names the axis of the values; the other axis holds the positions.

    `hollow` marks points that rest on too few responses, `flagged` those that exceed a threshold;
    both are drawn with their own marker shape, never by colour alone.

    Examples
    --------
    >>> Dots("QWK", ("a", "b"), (0.71, 0.68), (0.66, 0.60), (0.75, 0.74), n=(320, 95)).along
    'x'
    """

    label: str
    positions: tuple[str | float, ...]
    values: tuple[Number, ...]
    low: tuple[Number, ...] = ()
    high: tuple[Number, ...] = ()
    n: tuple[int, ...] = ()
    hollow: tuple[bool, ...] = ()
    flagged: tuple[bool, ...] = ()
    along: Literal["x", "y"] = "x"
    ink: Ink = "engine"
    kind: Literal["dots"] = "dots"


@dataclass(frozen=True)
class Bars:
    """Columns from zero over the categories of the x axis; several layers stand side by side.

    Examples
    --------
    >>> Bars("engine", ("1", "2"), (40.0, 60.0)).kind
    'bars'
    """

    label: str
    positions: tuple[str | float, ...]
    values: tuple[Number, ...]
    ink: Ink = "engine"
    kind: Literal["bars"] = "bars"


@dataclass(frozen=True)
class Line:
    """A connected line, for instance the identity in a calibration chart; `dashes` tells lines apart in grey.

    A line without a label is background: thin, not pointed at, not in the data table.

    Examples
    --------
    >>> Line("identity", (1, 6), (1, 6), dashes="dash").ink
    'engine'
    """

    label: str
    x: tuple[Number, ...]
    y: tuple[Number, ...]
    ink: Ink = "engine"
    dashes: Literal["solid", "dash", "dot", "dashdot"] = "solid"
    markers: Literal["", "circle", "square", "diamond", "triangle", "cross"] = ""
    kind: Literal["line"] = "line"


@dataclass(frozen=True)
class Rule:
    """A labelled straight line at one value of an axis, such as a threshold.

    Examples
    --------
    >>> Rule(0.7, "at least 0.70").axis
    'x'
    """

    at: float
    label: str
    axis: Literal["x", "y"] = "x"
    ink: Ink = "flag"
    kind: Literal["rule"] = "rule"


@dataclass(frozen=True)
class Cells:
    """A heat map: rows (y axis) by columns (x axis); `values` shade, `texts` are printed.

    `frame_diagonal` frames the cells whose row and column have the same name.

    Examples
    --------
    >>> Cells(("1",), ("1", "2"), ((75.0, 25.0),), (("3", "1"),), "% of the row").rows
    ('1',)
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[tuple[Number, ...], ...]
    texts: tuple[tuple[str, ...], ...]
    value_label: str
    frame_diagonal: bool = False
    kind: Literal["cells"] = "cells"


Layer = Dots | Bars | Line | Rule | Cells


@dataclass(frozen=True)
class Chart:
    """One question, answered by one picture.

    Parameters
    ----------
    key
        Unique in the report, such as ``"true_score.prmse"``.
    title
        The subject of the answer ("Engine mean minus human mean, by first language").
    alt
        The answer in a sentence, for readers who cannot see the picture.  Required.
    x, y
        The axes.
    layers
        Drawn in order.
    strip_counts
        Optional counts per x category or position, drawn as a small strip under the chart.

    Examples
    --------
    >>> chart = Chart("share", "Scores", "6 of 10 responses score 2.", Axis("Score", ("1", "2")), Axis("%"),
    ...               (Bars("engine", ("1", "2"), (40.0, 60.0)),))
    >>> chart.layers[0].values
    (40.0, 60.0)
    """

    key: str
    title: str
    alt: str
    x: Axis
    y: Axis
    layers: tuple[Layer, ...]
    caption: str = ""
    strip_counts: tuple[tuple[float | str, int], ...] = ()
    height: int | None = None

    def __post_init__(self) -> None:
        """Refuse a chart that a screen reader could not tell."""
        if not self.alt.strip():
            raise ValueError(f"chart {self.key!r} has no alt text: say its answer in a sentence")
