"""Draw estimates against limits, and pairs of scores, on fixed scales; the section provides the words."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist, median
from typing import Any, Literal, Self

from report_sections.lookup import distinct
from reportgen.results import Kind, Outcome
from reportgen.results.chart import Layer, Line, Pairs, Shares, Spans, Zone, scale_ends
from reportgen.sections import Axis, Cells, Chart, Dots, Estimate, Panel, Rule, Table, Term
from reportgen.wording.numbers import count, fixed, places_needed

TOTAL = "total"  # key of the column that is not a score point

LEAST_REACH = 0.05
"""Minimum length of an axis of differences on both sides of 0, so that a negligible difference looks negligible."""

UNDECIDED: tuple[Outcome, ...] = ("out of reach", "not yet known", "insufficient")


def dots_of(
    label: str, positions: Sequence[str | float], estimates: Sequence[Estimate | None], *,
    n: Sequence[int] | None = None, outcomes: Sequence[str] = (), hollow: Iterable[bool] = (),
    flagged: Iterable[bool] = (), pale: Iterable[bool] = (), along: Literal["x", "y"] = "x", ink: str = "engine",
) -> Dots:  # fmt: skip
    """Return estimates as dots with their intervals and n, hollow and flagged as given or by their `outcomes`."""
    value, low, high = (
        tuple(getattr(each, end) if each else None for each in estimates) for end in ("value", "low", "high")
    )
    return Dots(
        label,
        tuple(positions),
        value,
        low,
        high,
        tuple(each.n if each else 0 for each in estimates) if n is None else tuple(n),
        hollow=tuple(hollow) or tuple(each in UNDECIDED for each in outcomes),
        flagged=tuple(flagged) or tuple(each == "not met" for each in outcomes),
        pale=tuple(pale),
        along=along,
        ink="human" if ink == "human" else "engine",
    )


def estimates_chart(
    key: str, title: str, alt: str, axis: Axis, names: str, found: Sequence[tuple[str, Estimate]], label: str,
    *rules: Rule, along: Literal["x", "y"] = "x", caption: str = "", hollow: Iterable[bool] = (),
    flagged: Iterable[bool] = (),
) -> Chart:  # fmt: skip
    """Draw named estimates as dots along an axis, with rules at given values.

    `axis`, `label`: Names of the numbers and of the dots. `names`, `found`: Name of the rows, and each estimate with a
    unique name.
    """
    labels, estimates = zip(*found, strict=True)
    dots = dots_of(label, labels, estimates, along=along, hollow=hollow, flagged=flagged)
    x, y = (axis, Axis(names, labels)) if along == "x" else (Axis(names, labels), axis)
    return Chart(key, title, alt, x, y, (*rules, dots), caption)


def shortened(found: Sequence[tuple[str, Estimate]]) -> list[tuple[str, Estimate]]:
    """Return named estimates with names that are short enough for an axis."""
    return list(zip(distinct(name for name, _ in found), [estimate for _, estimate in found], strict=True))


Limits = tuple[float | None, float | None]  # lowest and highest accepted value; None for no limit on that side

NONE: Limits = (None, None)


def fixed_axis(kind: Kind, limits: Iterable[float | None] = (), title: str = "") -> Axis:
    """Return the axis of a kind of statistic, the same in every report.

    >>> fixed_axis("coefficient", (0.7,)).low, fixed_axis("difference").high
    (0.4, 0.2)
    """
    low, high = scale_ends(kind, limits)
    return Axis(title, low=low, high=high, fixed=True)


def zones(limits: Limits, label: str = "") -> tuple[Zone, ...]:
    """Return the part of an axis where values are accepted; None without a limit."""
    return () if limits == NONE else (Zone(*limits, label),)


Rung = tuple[str, Estimate, Literal["human", "engine"], Outcome | Literal[""]]
"""One row of a ladder: the predictor of the true score, its accuracy, its owner, and the outcome of its requirement."""


def ladder(key: str, alt: str, rungs: Sequence[Rung], axis: str, limits: Limits = NONE, required: str = "") -> Chart:
    """Draw the accuracy of ratings in gray and of the engine in blue, stacked.

    `axis`: Name of the numbers. `limits`, `required`: Accepted values, and the name of the shaded part.
    """
    layers: list[Zone | Dots] = list(zones(limits, required))
    for ink in ("human", "engine"):
        if own := [rung for rung in rungs if rung[2] == ink]:
            labels, estimates, _, outcomes = zip(*own, strict=True)
            layers.append(dots_of(axis, labels, estimates, n=(), outcomes=outcomes, ink=ink))
    names = Axis("", categories=tuple(label for label, *_ in rungs))
    return Chart(key, "", alt, fixed_axis("coefficient", limits, axis), names, tuple(layers))


Stair = tuple[str, Estimate, bool]  # one row of a staircase: a level or a loss, and whether it is a loss


def staircase(key: str, alt: str, stairs: Sequence[Stair], axis: str, lost: str) -> Chart:
    """Draw how a level is reached from a higher one, step by step, with each number next to its step.

    >>> best, scale = Estimate("prmse", 0.77, 90), Estimate("prmse", 0.0625, 90)
    >>> chart = staircase("k", "a", (("best", best, False), ("minus scale", scale, True)), "PRMSE", "lost")
    >>> chart.layers[0].stop
    (0.77, 0.7075)
    """
    spans: list[tuple[float, float, str]] = []
    at = 0.0
    places = (
        3 if any(is_lost and loss.value and 0.0005 <= abs(loss.value) < 0.005 for _, loss, is_lost in stairs) else 2
    )
    for _, estimate, is_lost in stairs:
        value = estimate.value or 0.0
        start, at = (at, round(at - value, 12)) if is_lost else (value, value)
        spans.append((start, at, fixed(-value if is_lost else value, places, signed=is_lost)))
    names, (starts, stops, texts) = tuple(label for label, *_ in stairs), zip(*spans, strict=True)
    levels = [stair for stair in stairs if not stair[2]]
    dots = dots_of(axis, [label for label, *_ in levels], [level for _, level, _ in levels], n=())
    dots = replace(dots, low=(), high=())  # the ladder shows the intervals; here they would cover the steps
    return Chart(key, "", alt, Axis(axis), Axis("", categories=names), (Spans(lost, names, starts, stops, texts), dots))


def funnel(
    key: str, alt: str, names: Sequence[str], found: Sequence[Estimate], outcomes: Sequence[Outcome | Literal[""]],
    axes: tuple[str, str], zone: tuple[Zone, ...] = (), caption: str = "",
) -> Chart:  # fmt: skip
    """Draw differences of groups from all responses by the sizes of the groups, with what chance alone would show.

    The inner shade contains each group of an engine without differences with the level of the intervals, and the outer
    one contains all groups at once. `axes`: Names of the sizes and of the differences.
    """
    limits = [end for each in zone for end in (each.low, each.high)]
    x, y = Axis(axes[0], ratio=True), replace(fixed_axis("difference", limits), title=axes[1])
    reach = max(y.high or 0.0, *(1.15 * abs(each.value or 0.0) for each in found))
    dots = dots_of(axes[1], [each.n for each in found], found, outcomes=outcomes, along="y",
                   pale=[each == "insufficient" for each in outcomes])  # fmt: skip
    layers: tuple[Layer, ...] = (*_chance(found, reach), *zone, replace(dots, names=tuple(names)))
    return Chart(key, "", alt, x, y, layers, caption, height=FUNNEL)


def _chance(found: Sequence[Estimate], reach: float) -> Iterator[Line]:
    """Yield the differences that chance alone would show at each size, for all groups at once and for each."""
    normal, ends = NormalDist(), sorted(each.n for each in found)
    known = [(each.n**0.5 * (each.high - each.low) / 2, each.level) for each in found
             if each.low is not None and each.high is not None]  # fmt: skip
    if not known:
        return
    level = known[0][1]
    spread = median(half for half, _ in known) / normal.inv_cdf((1 + level) / 2)
    around = max(1.0, (LEAST_RATIO * ends[0] / ends[-1]) ** 0.5)
    sizes = [ends[0] / around * (ends[-1] / ends[0] * around**2) ** (step / STEPS) for step in range(STEPS + 1)]
    for groups in (len(found), 1):
        edge = [min(reach, normal.inv_cdf(1 - (1 - level) / 2 / groups) * spread / n**0.5) for n in sizes]
        outline = (*sizes, *reversed(sizes)), (*edge, *(-each for each in reversed(edge)))
        yield Line("", *outline, ink="muted", filled=True)


STEPS, FUNNEL, LEAST_RATIO = 40, 230, 9.0  # parts of a funnel, its height in pixels, and the ratio of its ends


def beside(key: str, title: str, alt: str, panels: tuple[Panel, ...], x: Axis, y: Axis, caption: str = "") -> Chart:
    """Place plots side by side with shared rows or values on `y`; a single plot needs no title."""
    if len(panels) != 1:
        return Chart(key, title, alt, x, y, (), caption, panels=panels)
    (only,) = panels
    return Chart(key, title, alt, replace(only.x, title=only.x.title or x.title), only.y or y, only.layers, caption)


def dumbbell(
    label: str, old: Estimate, new: Estimate, names: tuple[str, str], limits: Limits = NONE, better: str = "high",
    *, missed: bool = False,
) -> Panel:  # fmt: skip
    """Draw a statistic of an earlier and a later engine on its own axis, with better values on the right.

    `names`: The earlier engine, a hollow dot, and the later one, a filled dot. `better`: The better direction: "high",
    "low", or "zero" if only the size matters. `missed`: Whether the later engine misses the requirement.
    """
    kind, sized, (low, high) = old.kind, better == "zero", limits
    drawn = [abs(each.value) if sized and each.value is not None else each.value for each in (old, new)]
    if sized:
        low, high = None, max((abs(each) for each in limits if each is not None), default=None)
    # an axis in score points is as long as the data
    reach = [abs(value) for value in drawn if value is not None] if kind in ("score", "number") else []
    ends = scale_ends(kind, (low, high, max(reach, default=None)))
    label = Term("size_of", name=label) if sized else label
    axis = Axis("", low=0.0 if sized else ends[0], high=ends[1], fixed=True, turned=sized or better == "low")
    places = max((places_needed(each, kind) or 0 for each in (old, new)), default=0)
    note = " → ".join(fixed(value or 0.0, places) for value in drawn)
    pair = Pairs(
        names, (label,), (drawn[0],), (drawn[1],), notes=(note,), along="x",
        inks=("engine", "engine"), hollow_first=True, flagged=(missed,), note_label=Term("both_values"),
    )  # fmt: skip
    return Panel("", axis, (*zones((low, high)), pair), Axis("", categories=(label,)))


def stacked(key: str, alt: str, panels: Iterable[Panel]) -> Chart:
    """Stack plots, each with separate axes."""
    return Chart(key, "", alt, Axis(""), Axis(""), (), panels=tuple(panels), stacked=True)


MOST_POINTS = 20  # scales of more points are shown in bands, without a picture of their confusion matrix

NOTHING = "·"  # shown in a cell without responses


@dataclass(frozen=True)
class Matrix:
    """Numbers of responses: a row for each score of the first rater, a column for each score of another."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, table: Table) -> Self:
        """Return a table of counts: the name of the row first, one column for each point of the scale, "total" last."""
        points = [column for column in table.columns[1:] if column.key != TOTAL]
        lines = tuple(tuple(row.count(point.key) for point in points) for row in table.records())
        return cls(tuple(str(row.cells[0]) for row in table.rows), tuple(point.label for point in points), lines)

    def told(self, *, last: bool = False) -> list[dict[str, Any]]:
        """Return each row's size, unchanged scores, and most frequent other score; `last` resolves ties by name."""
        found = []
        for score, line in zip(self.rows, self.counts, strict=True):
            cells = dict(zip(self.columns, line, strict=True))
            same = cells.pop(score, 0)
            other = max(cells, key=lambda each: (cells[each], each if last else ""), default="")
            found.append({"score": score, "n": sum(line), "same": same, "other": other if cells.get(other) else ""})
        return found


def heat(matrix: Matrix, value: str) -> Cells:
    """Draw a heat map of counts, shaded by row percentages.

    `value`: Name of a cell's value.

    >>> cells = heat(Matrix(("1", "2"), ("1", "2"), ((3, 1), (0, 0))), "% of the row")
    >>> cells.texts, cells.values
    ((('3', '1'), ('·', '·')), ((75.0, 25.0), (None, None)))
    """
    shares = tuple(tuple(100 * cell / sum(line) if any(line) else None for cell in line) for line in matrix.counts)
    texts = tuple(tuple(count(cell) if cell else NOTHING for cell in line) for line in matrix.counts)
    return Cells(matrix.rows, matrix.columns, shares, texts, value, frame_diagonal=True, full=100.0)


def heat_maps(key: str, alt: str, maps: Sequence[tuple[str, str, Matrix]], rows: str, value: str) -> Chart:
    """Draw heat maps side by side, or stacked if names of columns are long, with one shading.

    `maps`: The title, the name of the columns, and the counts of each. `rows`, `value`: Names of the rows and of a
    cell's value.
    """
    panels = tuple(
        Panel(title, Axis(columns, matrix.columns), (heat(matrix, value),), Axis(rows, matrix.rows))
        for title, columns, matrix in maps
    )
    # about five letters fit below a cell of two heat maps side by side
    long = len(maps) > 1 and max(len(name) for *_, matrix in maps for name in matrix.columns) > 5
    return replace(beside(key, "", alt, panels, Axis(""), panels[0].y or Axis(rows)), stacked=long)


def same_scores_chart(
    key: str, alt: str, rows: Sequence[tuple[str, tuple[int, ...], Any]], parts: Sequence[str]
) -> Chart:
    """Draw how many responses get a lower, the same, or a higher score; `rows` are (name, counts by part, color)."""
    names, counts, inks = zip(*rows, strict=True)
    shares = Shares(names, tuple(parts), counts, inks, middle=1 if len(parts) > 2 else 0)
    return Chart(key, "", alt, Axis("", low=0.0, high=100.0, fixed=True), Axis("", categories=names), (shares,))
