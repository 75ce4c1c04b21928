"""What needs the rows of the responses, and cannot be counted batch by batch."""

from __future__ import annotations

from reportgen.design.readings import ColumnRoles, LongColumns
from reportgen.evaluation.rater_effects import MOST_WORK
from reportgen.metrics.alternative_annotators import LEAST_ANNOTATORS
from reportgen.settings import Settings


class NeedsRowsError(Exception):
    """Something that is asked for cannot be counted batch by batch; the message says what, and why."""


BY_ROLE = {
    "rater": "who gave each rating is compared row by row",
    "run": "repeated runs of the system are compared row by row",
    "item score": "reported scores are computed row by row",
    "length": "scores are set against lengths row by row",
}
"""Parts of columns -> why they need rows."""


def refuse_rows_of_settings(settings: Settings) -> None:
    """Raise for what settings ask for.

    Raises
    ------
    NeedsRowsError
        It needs rows.
    """
    if settings.data.only:
        raise NeedsRowsError("the rows that 'only' names are picked out of all")
    if settings.data.labels_file is not None:
        raise NeedsRowsError("labels are joined to all rows")
    if settings.data.without:
        raise NeedsRowsError("ratings are left out rater by rater")
    if settings.data.unordered and settings.data.labels is None:
        raise NeedsRowsError("labels without an order are found among all rows")
    if settings.reading.read is not None:
        raise NeedsRowsError("responses to read are picked from all rows")
    if settings.statistics.intervals == "bootstrap":
        raise NeedsRowsError("a bootstrap draws rows")
    if settings.impact.weight is not None:
        raise NeedsRowsError(BY_ROLE["item score"])
    if settings.preparation.min_items_per_candidate is not None:
        raise NeedsRowsError("which candidates have few responses is known when all rows are read, not before")


def refuse_rows_of_layout(long: LongColumns | None) -> None:
    """Raise for one row per rating, whose columns are given.

    Raises
    ------
    NeedsRowsError
        These need rows.
    """
    if long is not None:
        raise NeedsRowsError("a file with one row per rating is packed into one row per response")


def refuse_rows_late(cast: ColumnRoles, n: int, raters: int | None = None) -> None:
    """Raise for what the columns ask for.

    Parameters
    ----------
    cast
        Which column plays which part.
    n, raters
        Responses, at most, and columns of human scores; those of `cast` when left out.

    Raises
    ------
    NeedsRowsError
        It needs rows.
    """
    for role, why in BY_ROLE.items():
        if cast.columns(role):
            raise NeedsRowsError(f"{why} (column '{cast.columns(role)[0]}')")
    k = len(cast.columns("human")) if raters is None else raters
    if k >= LEAST_ANNOTATORS and n * k * k <= MOST_WORK:
        raise NeedsRowsError("the engine is set beside each of three raters or more response by response")
