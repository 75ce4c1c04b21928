"""Functions for tables: columns named after metrics, and rows of estimates."""

from collections.abc import Collection, Iterable, Sequence
from typing import Literal

from reportgen.evaluation.estimates import SliceEstimates
from reportgen.evaluation.points import in_whole_points
from reportgen.evaluation.statistics import DISCRETE_METRICS
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.metrics import METRICS
from reportgen.results import Cell, Column, Estimate, Kind, Row, Table, Term

Results = tuple[list[Table], dict[str, Estimate]]  # tables, and overall estimates by key

CONTINUOUS = "not applicable: continuous scores"  # reason if exact agreement of unrounded scores is not meaningful


def metric_column(metric: str, key: str = "", *, shown: bool = True) -> Column:
    """Return a column for a metric; its heading is in the vocabulary or from a package."""
    entry = METRICS[metric]
    unit = "%" if entry.kind == "percent" else ""
    return Column(key or metric, entry.abbreviation or entry.label, entry.kind, unit, shown=shown)


def columns_of(*, hidden: Collection[str] = (), **kinds: Kind) -> tuple[Column, ...]:
    """Return columns by key with headings from the vocabulary; `hidden` ones are only in the CSV file."""
    return tuple(
        Column(key, "", kind, "%" if kind == "percent" else "", shown=key not in hidden) for key, kind in kinds.items()
    )


def called(metric: str) -> str:
    """Return the name of a metric for a cell: a term, or the name from a package."""
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


def table(
    key: str, columns: Iterable[Column], rows: Iterable[Row], notes: Sequence[str] = (), *, caption: str = "",
    max_rows: int = 25,
) -> Table:  # fmt: skip
    """Return a table; reasons for undefined cells are printed below it."""
    return Table(key, caption, tuple(columns), tuple(rows), tuple(notes), max_rows)


Who = Literal["engine", "raters", "both"]
"""The agreement in a table: of engine and rater, of two raters, or of the engine minus that of raters."""


def rounding_notes(tallied: TalliedScores, who: Who) -> tuple[str, ...]:
    """Return a note on the distance of points, and on rounding if it differs from RSMTool's."""
    scale = tallied.scale
    if in_whole_points(scale) or (tallied.preparation.rounding.both and scale.step in (0, 1)):
        return ()
    if tallied.preparation.rounding.both:
        return (Term("points_apart", step=scale.step, whole=False),)
    return (Term(f"rounding.{who}", step=scale.step or 0),)
