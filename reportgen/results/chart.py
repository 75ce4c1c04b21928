"""Charts as data: their content, not how they are drawn.

Each `Chart` is drawn twice, by `reportgen.charts.interactive` (Plotly JSON for the HTML) and by
`reportgen.charts.static` (SVG for the PDF), and written as a plain table for readers without JavaScript. Charts are
stored in results.json, so a report can be rebuilt without the scores.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, cast

from reportgen.results.term import UNLESS_DEFAULT, Term, shown

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from reportgen.results import Kind

Number = float | None  # a coordinate; None leaves a gap

Ink = Literal["engine", "human", "flag", "muted"]
"""Role of a color: dark blue, gray, orange, light gray; the theme maps roles to colors."""


@dataclass(frozen=True)
class Axis:
    """One axis: a number line, or a list of categories in drawing order (first at the top or left).

    A `fixed` axis always ends at `low` and `high`; values beyond it are arrows at its ends. A `turned` axis runs from
    its high end to its low end, so that right is better if low numbers are good. On a `ratio` axis, equal distances are
    equal ratios; its numbers are positive.

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
    fixed: bool = field(default=False, metadata=UNLESS_DEFAULT)
    turned: bool = field(default=False, metadata=UNLESS_DEFAULT)
    ratio: bool = field(default=False, metadata=UNLESS_DEFAULT)


@dataclass(frozen=True)
class Dots:
    """Points with intervals. `along` names the axis of the values; the other axis has the positions.

    `hollow` marks undecided points, `flagged` those beyond a limit; both have their own marker shape, so color is never
    the only signal. `pale` points are gray: too small to interpret, or without weight. Points with `names` are named
    next to them if there is room, and only flagged ones have an interval.

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
    pale: tuple[bool, ...] = field(default=(), metadata=UNLESS_DEFAULT)
    names: tuple[str, ...] = field(default=(), metadata=UNLESS_DEFAULT)


@dataclass(frozen=True)
class Bars:
    """Columns from zero over the categories of the x axis; several layers are drawn side by side, `hollow` as outlines.

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
    hollow: bool = field(default=False, metadata=UNLESS_DEFAULT)


@dataclass(frozen=True)
class Line:
    """A connected line, such as the identity line in a calibration chart; `dashes` distinguish lines in grayscale.

    A line without a label is background: thin, without hover text, and not in the data table. A label is at the right
    end of the line outside the plot. A `filled` line is the outline of a shaded part of the plot.

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
    filled: bool = field(default=False, metadata=UNLESS_DEFAULT)


@dataclass(frozen=True)
class Rule:
    """A labeled straight line at one value of an axis, such as a threshold.

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
    """A heat map: rows (y axis) by columns (x axis); `values` determine the shades, `texts` are printed.

    `frame_diagonal` frames the cells whose row and column have the same name. `small` is printed below the texts in a
    small font, `n` to the right of each row. `full` is the value of the darkest shade (default: the largest value), so
    that two heat maps can be compared.

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
    small: tuple[tuple[str, ...], ...] = field(default=(), metadata=UNLESS_DEFAULT)
    n: tuple[int, ...] = field(default=(), metadata=UNLESS_DEFAULT)
    full: Number = field(default=None, metadata=UNLESS_DEFAULT)


@dataclass(frozen=True)
class Zone:
    """A shaded part of an axis where an estimate should be; an end that is None is the end of the axis.

    Its ends are marked on the axis with their numbers.

    Examples
    --------
    >>> Zone(-0.1, 0.1, "limit ±0.10").axis
    'x'
    """

    low: Number
    high: Number
    label: str = ""
    axis: Literal["x", "y"] = "x"
    kind: Literal["zone"] = "zone"


@dataclass(frozen=True)
class Pairs:
    """Two values of each category, joined by a line: raters and engine, or an engine before and after a change.

    `low` and `high` are the interval of the second value. Notes are next to the pairs, and in the data as `note_label`.

    Examples
    --------
    >>> Pairs(("raters", "engine"), ("1", "2"), (40.0, 60.0), (35.0, 65.0)).labels
    ('raters', 'engine')
    """

    labels: tuple[str, str]
    positions: tuple[str, ...]
    first: tuple[Number, ...]
    second: tuple[Number, ...]
    low: tuple[Number, ...] = ()
    high: tuple[Number, ...] = ()
    notes: tuple[str, ...] = ()
    note_label: str = ""
    flagged: tuple[bool, ...] = ()
    along: Literal["x", "y"] = "y"
    inks: tuple[Ink, Ink] = ("human", "engine")
    hollow_first: bool = False
    kind: Literal["pairs"] = "pairs"


@dataclass(frozen=True)
class Shares:
    """Counts of a few parts, one bar for each row from 0 to all of its responses, with counts and percentages.

    With `middle`, that part is pale and the parts around it are dark; otherwise the first part is the darkest.

    Examples
    --------
    >>> shares = Shares(("second rater", "engine"), ("same score", "one apart"), ((145, 55), (129, 71)))
    >>> shares.totals
    (200, 200)
    """

    rows: tuple[str, ...]
    parts: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    inks: tuple[Ink, ...] = ()
    kind: Literal["shares"] = "shares"
    middle: int = field(default=0, metadata=UNLESS_DEFAULT)

    @property
    def totals(self) -> tuple[int, ...]:
        """Number of responses in each row."""
        return tuple(sum(row) for row in self.counts)

    def percentages(self) -> tuple[tuple[float, ...], ...]:
        """Return the counts as percentages of their rows; 0 for an empty row."""
        return tuple(
            tuple(100 * cell / total if total else 0.0 for cell in row)
            for row, total in zip(self.counts, self.totals, strict=True)
        )


@dataclass(frozen=True)
class Spans:
    """Stretches of the x axis, one for each category, such as the steps of a staircase, each with a text next to it.

    Examples
    --------
    >>> Spans("lost", ("scale",), (0.77,), (0.71,), ("−0.06",)).ink
    'muted'
    """

    label: str
    positions: tuple[str, ...]
    start: tuple[Number, ...]
    stop: tuple[Number, ...]
    texts: tuple[str, ...] = ()
    ink: Ink = "muted"
    kind: Literal["spans"] = "spans"


Layer = Dots | Bars | Line | Rule | Cells | Zone | Pairs | Shares | Spans


@dataclass(frozen=True)
class Panel:
    """One of several plots in a chart, with its own x axis; without a `y`, it has the rows of the chart.

    Examples
    --------
    >>> Panel("As seen", Axis("Difference"), (Dots("d", ("a",), (0.1,)),)).y is None
    True
    """

    title: str
    x: Axis
    layers: tuple[Layer, ...]
    y: Axis | None = None


@dataclass(frozen=True)
class Names:
    """The words that a drawing needs.

    Examples
    --------
    >>> Names().n
    Term('n')
    """

    n: str = Term("n")
    position: str = Term("position")
    row: str = Term("row")
    panel: str = Term("part")


@dataclass(frozen=True)
class Chart:
    """One question, answered by one chart.

    Parameters
    ----------
    key
        Unique in the report, such as ``"true_score.prmse"``.
    title
        The subject of the answer ("Engine mean minus human mean, by first language").
    alt
        The answer in a sentence, for readers who cannot see the chart. Required.
    x, y
        The axes.
    layers
        Drawn in order.
    strip_counts
        Optional counts per x category or position, in a small strip under the plot, or with `counts_above` at its top
        edge.
    panels
        Several plots instead of the layers, side by side if there is room and `stacked` is False, otherwise stacked.
    square
        Whether a unit has the same length on both axes.
    names
        The words that the drawing needs.

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
    panels: tuple[Panel, ...] = field(default=(), metadata=UNLESS_DEFAULT)
    stacked: bool = field(default=False, metadata=UNLESS_DEFAULT)
    square: bool = field(default=False, metadata=UNLESS_DEFAULT)
    counts_above: bool = field(default=False, metadata=UNLESS_DEFAULT)
    names: Names = field(default=Names(), metadata=UNLESS_DEFAULT)

    def __post_init__(self) -> None:
        """Reject a chart that a screen reader could not describe."""
        if not self.alt.strip():
            raise ValueError(f"chart {self.key!r} has no alt text: describe its answer in a sentence")
        if self.panels and self.layers:
            raise ValueError(f"chart {self.key!r} has layers and panels: put the layers into a panel")

    def every_layer(self) -> tuple[Layer, ...]:
        """Return the layers of the chart, or of all its panels."""
        return (*self.layers, *(layer for panel in self.panels for layer in panel.layers))

    def figure(self) -> go.Figure:
        """Return the chart as a Plotly figure with the template ``plotly.io.templates["reportgen"]``.

        Examples
        --------
        >>> line = Line("identity", (1.0, 6.0), (1.0, 6.0))
        >>> chart = Chart("k", "Title", "They are the same.", Axis("Engine"), Axis("Human"), (line,))
        >>> chart.figure().data[0].mode
        'lines'
        """
        return cast("go.Figure", shown(self, "figure_of_chart"))

    def _repr_html_(self) -> str:
        return str(shown(self, "html_of_chart"))


SCALES: dict[str, tuple[float, float]] = {
    "coefficient": (0.4, 1.0), "difference": (-0.2, 0.2), "percent": (0.0, 100.0), "p": (0.0, 1.0),
}  # fmt: skip
"""Ends of the scale for each kind of statistic, so that two charts of a kind can be compared."""


def scale_ends(kind: Kind, limits: Iterable[float | None] = ()) -> tuple[float, float]:
    """Return the ends of the scale of a statistic, by its kind unless a limit is outside.

    They depend only on the kind of the statistic and its limits, never on the findings.

    >>> scale_ends("coefficient", (0.7, None)), scale_ends("difference", (-0.3, 0.3)), scale_ends("score", (None, 0.8))
    ((0.4, 1.0), (-0.4, 0.4), (0.0, 1.5))
    """
    known = [limit for limit in limits if limit is not None]
    low, high = SCALES.get(kind, (0.0, 0.0))
    if low < high and all(low < limit < high for limit in known):
        return low, high
    if kind == "coefficient" and all(-1 <= limit <= 1 for limit in known):
        return (0.0, 1.0) if all(limit >= 0 for limit in known) else (-1.0, 1.0)
    reach = 1.3 * (max((abs(limit) for limit in known), default=0.0) or 0.75)
    step = round_step(0.0, reach, 4)
    high = step * math.ceil(reach / step - 1e-9)
    return (-high if low < 0 or any(limit < 0 for limit in known) else 0.0), high


def contain(ends: tuple[float, float], values: Iterable[float | None]) -> tuple[float, float]:
    """Extend a scale by whole steps until it contains every value that is known.

    >>> [round(end, 9) for end in contain((0.4, 1.0), (0.31, 0.8))]
    [0.3, 1.0]
    """
    known = (*ends, *(value for value in values if value is not None))
    if min(known) == max(known):  # one value has no step
        return ends
    step = round_step(min(known), max(known), 8)
    low, high = (step * way(end / step) for way, end in ((math.floor, min(known)), (math.ceil, max(known))))
    return (ends[0] if min(known) == ends[0] else low), (ends[1] if max(known) == ends[1] else high)


def round_step(low: float, high: float, most: int = 7) -> float:
    """Return the smallest of 1, 2, or 5 times a power of ten that makes at most about `most` steps."""
    raw = (high - low) / most
    power = 10.0 ** math.floor(math.log10(raw))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw * 0.999)
