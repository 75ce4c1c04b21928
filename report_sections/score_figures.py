"""Figures along the scale of scores: heat maps, shares, errors; every word is given by the section."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from report_sections.figures import TOTAL, dots_of
from report_sections.lookup import number, records
from reportgen.sections import Axis, Cells, Chart, Dots, Estimate, Line, Pairs, Panel, Shares, Table
from reportgen.wording.numbers import count, fixed, interval, num

NOTHING = "·"
"""What stands in a cell without responses."""


@dataclass(frozen=True)
class Matrix:
    """Numbers of responses: a row for each score of the first rater, a column for each score of another."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, table: Table) -> Matrix:
        """Return a table of counts: the name of the row first, one column for each point of the scale, "total" last."""
        points = [column for column in table.columns[1:] if column.key != TOTAL]
        lines = tuple(tuple(int(number(row[point.key]) or 0) for point in points) for row in records(table))
        return cls(tuple(str(row.cells[0]) for row in table.rows), tuple(point.label for point in points), lines)


def heat(matrix: Matrix, value: str) -> Cells:
    """Return a heat map of percentages of each row, counts in small letters below, n at the right.

    `value`: What a cell is.

    Examples
    --------
    >>> cells = heat(Matrix(("1", "2"), ("1", "2"), ((3, 1), (0, 0))), "% of the row")
    >>> cells.texts, cells.small, cells.n
    ((('75', '25'), ('·', '·')), (('3', '1'), ('', '')), (4, 0))
    """
    totals = tuple(map(sum, matrix.counts))
    shares = tuple(
        tuple(100 * cell / total if total else None for cell in line)
        for line, total in zip(matrix.counts, totals, strict=True)
    )
    return Cells(
        matrix.rows,
        matrix.columns,
        shares,
        tuple(tuple(_percentage(share) for share in line) for line in shares),
        value,
        frame_diagonal=True,
        small=tuple(tuple(count(cell) if cell else "" for cell in line) for line in matrix.counts),
        n=totals,
        full=100.0,
    )


def _percentage(share: float | None) -> str:
    """Return a whole percentage; what is not nothing is never written as 0, nor what is not all as 100."""
    if not share:
        return NOTHING
    said = fixed(share, 0)
    return "<1" if said == "0" else ">99" if said == "100" and share < 100 else said


def heat_maps(key: str, alt: str, maps: Sequence[tuple[str, str, Matrix]], rows: str, value: str) -> Chart:
    """Return heat maps beside each other, on one shading.

    `maps`: The title, the name of the columns, and the counts of each. `rows`, `value`: What the rows are, and what a
    cell is.
    """
    panels = tuple(
        Panel(
            title,
            Axis(columns, categories=matrix.columns),
            (heat(matrix, value),),
            Axis(rows, categories=matrix.rows),
        )
        for title, columns, matrix in maps
    )
    if len(panels) == 1:
        only = panels[0]
        return Chart(key, "", alt, only.x, only.y or Axis(rows), only.layers)
    return Chart(key, "", alt, Axis(""), panels[0].y or Axis(rows), (), panels=panels)


def same_scores_chart(
    key: str, alt: str, rows: Sequence[tuple[str, tuple[int, ...], bool]], parts: Sequence[str], caption: str = ""
) -> Chart:
    """Return how many responses get the same score, one point apart, further apart: a bar for each who is compared.

    `rows`: Name, counts of the parts, and whether it is the engine. `parts`: What the parts are called, those nobody
    has left out.
    """
    shares = Shares(
        tuple(name for name, _, _ in rows),
        tuple(parts),
        tuple(counts for _, counts, _ in rows),
        tuple("engine" if engine else "human" for _, _, engine in rows),
    )
    axes = Axis("", low=0.0, high=100.0, fixed=True), Axis("", categories=shares.rows)
    return Chart(key, "", alt, *axes, (shares,), caption)


@dataclass(frozen=True)
class ShareAt:
    """The percentages of both at one score, and the difference where it is flagged."""

    score: str
    raters: float | None
    engine: float | None
    flagged: Estimate | None = None


def paired_shares(
    key: str, alt: str, shares: Sequence[ShareAt], names: tuple[str, str], axes: tuple[str, str], difference: str
) -> Chart:
    """Return the percentage of responses at each score as pairs of dots; a flagged difference is written above.

    `names`, `axes`: Raters and engine, which stand beside the first pair; the names of both axes. `difference`: What
    the note above a pair is.
    """
    points = tuple(each.score for each in shares)
    notes = tuple(_noted(each.flagged) for each in shares)
    pairs = Pairs(
        names,
        points,
        tuple(each.raters for each in shares),
        tuple(each.engine for each in shares),
        notes=notes if any(notes) else (),
        note_label=difference,
    )
    return Chart(key, "", alt, Axis(axes[0], categories=points), Axis(axes[1], low=0.0, unit="%"), (pairs,))


def _noted(difference: Estimate | None) -> str:
    if difference is None or difference.value is None:
        return ""
    said = num(difference, signed=True)
    return said if difference.low is None else f"{said} {interval(difference, signed=True)}"


@dataclass(frozen=True)
class ErrorAt:
    """The engine's mean error at one human score, and the error that rater error alone would give."""

    score: float
    error: Estimate
    expected: float | None = None
    beyond: bool = False

    @property
    def stands_out(self) -> bool:
        """Whether it is beyond what rater error alone would give; where that is not known, surely not 0."""
        low, high = self.error.low, self.error.high
        if self.expected is not None:
            return self.beyond
        return low is not None and high is not None and not low <= 0.0 <= high


def errors_at_scores(
    key: str, alt: str, levels: Sequence[ErrorAt], least: int, axes: tuple[str, str], line: str
) -> Chart:
    """Return the mean error at each human score, in colour only where rater error alone does not explain it.

    `least`: A level of fewer responses has a hollow dot and no interval. `axes`, `line`: The names of both axes, and of
    the line of rater error alone, which is written along it.
    """
    known = [(each.score, each.expected) for each in levels if each.expected is not None]
    places = tuple(each.score for each in levels)
    at, expected = zip(*known, strict=True) if known else ((), ())
    lines = (Line(line, at, expected, "human", "dash", named_inside=True),) if len(known) > 1 else ()
    dots = _level_dots(axes[1], places, [each.error for each in levels], least)
    pale = tuple(not each.stands_out for each in levels)
    counts = tuple((each.score, each.error.n) for each in levels)
    return Chart(
        key, "", alt, Axis(axes[0]), Axis(axes[1]), (*lines, replace(dots, pale=pale)), strip_counts=counts,
        counts_above=True,
    )  # fmt: skip


def calibration_square(
    key: str,
    alt: str,
    engine: Sequence[float],
    human: Sequence[Estimate],
    least: int,
    ends: tuple[float, float],
    axes: tuple[str, str],
    line: str,
) -> Chart:
    """Return the mean human score where the engine gives a score, on a square over the whole scale.

    Parameters
    ----------
    engine, human
        Mean engine score and mean human score of each band of engine scores, with the n of the band.
    least
        A band of fewer responses has a hollow dot and no interval.
    ends
        Lowest and highest score of the declared scale.
    axes, line
        The names of both axes, and of the line on which both are equal.
    """
    low, high = min(ends[0], *engine), max(ends[1], *engine)
    x, y = (Axis(title, low=low, high=high, fixed=True) for title in axes)
    layers = (
        Line(line, (low, high), (low, high), "human", "dash", named_inside=True),
        _level_dots(axes[1], engine, human, least),
    )
    counts = tuple((at, each.n) for at, each in zip(engine, human, strict=True))
    return Chart(key, "", alt, x, y, layers, strip_counts=counts, square=True, counts_above=True)


def _level_dots(label: str, places: Sequence[float], estimates: Sequence[Estimate], least: int) -> Dots:
    """Return estimates at scores; of fewer than `least` responses hollow and without an interval."""
    few = tuple(each.n < least for each in estimates)
    dots = dots_of(label, places, estimates, hollow=few, along="y")
    low, high = (
        tuple(None if small else end for end, small in zip(ends, few, strict=True)) for ends in (dots.low, dots.high)
    )
    return replace(dots, low=low, high=high)
