"""Small builders that every table uses: columns named after metrics, rows of estimates."""

from collections.abc import Collection, Iterable, Sequence
from typing import Literal

from reportgen.evaluation.estimates import SliceEstimates
from reportgen.evaluation.points import in_whole_points
from reportgen.evaluation.statistics import DISCRETE_METRICS
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.metrics import METRICS
from reportgen.results import Cell, Column, Estimate, Kind, Row, Table, Term

CONTINUOUS = "not applicable: continuous scores"
"""Why exact agreement of unrounded scores is not a finding."""


def metric_column(metric: str, key: str = "", *, shown: bool = True) -> Column:
    """Return a column for a metric of the catalogue; the vocabulary has its heading, unless a package brings it."""
    entry = METRICS[metric]
    unit = "%" if entry.kind == "percent" else ""
    return Column(key or metric, entry.abbreviation or entry.label, entry.kind, unit, shown=shown)


def columns_of(*, hidden: Collection[str] = (), **kinds: Kind) -> tuple[Column, ...]:
    """Return plain columns, key by key, whose headings the vocabulary has; those that are `hidden` are in the CSV."""
    return tuple(
        Column(key, kind=kind, unit="%" if kind == "percent" else "", shown=key not in hidden)
        for key, kind in kinds.items()
    )


def called(metric: str) -> str:
    """Return the name of a metric as a cell holds it: a term, unless a package brings a name of its own."""
    return METRICS[metric].label or Term(metric)


def count_column(key: str = "n", label: str = "n") -> Column:
    """Return a column of numbers of responses."""
    return Column(key, label, "count")


def estimate_cells(
    slices: SliceEstimates, keys: Iterable[str], level: int = 0, *, continuous: bool = False
) -> tuple[Cell, ...]:
    """Return one cell per statistic; discrete metrics of continuous scores are marked as not applicable."""
    cells: list[Cell] = []
    for key in keys:
        estimate = slices.estimate(key, level)
        if continuous and estimate.metric in DISCRETE_METRICS:
            estimate = Estimate(estimate.metric, None, estimate.n, kind=estimate.kind, reason=CONTINUOUS)
        cells.append(estimate)
    return tuple(cells)


def table(key: str, caption: str, columns: Sequence[Column], rows: Sequence[Row], notes: Sequence[str] = ()) -> Table:
    """Return a table; the reasons for undefined cells are in the cells, and are printed below it."""
    return Table(key, caption, tuple(columns), tuple(rows), tuple(notes))


Who = Literal["engine", "raters", "both"]
"""Whose agreement a table holds: of the engine and a rater, of two raters, of the engine minus that of raters."""


def told_of_rounding(tallied: TalliedScores, who: Who) -> tuple[str, ...]:
    """Return as a note how far apart points are, and how scores are rounded where RSMTool's points are not those."""
    scale = tallied.scale
    if in_whole_points(scale) or (tallied.preparation.rounding.both and scale.step in (0, 1)):
        return ()
    if tallied.preparation.rounding.both:
        return (Term("points_apart", step=scale.step, whole=False),)
    return (Term(f"rounding.{who}", step=scale.step or 0),)
