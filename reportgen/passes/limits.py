"""What needs the rows of the responses, and cannot be counted batch by batch."""

from __future__ import annotations

from reportgen.design.readings import ColumnRoles
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
    """Raise NeedsRowsError for what settings ask for."""
    data = settings.data
    asked = {
        "the rows that 'only' names are picked out of all": data.only,
        "labels are joined to all rows": data.labels_file is not None,
        "ratings are left out rater by rater": data.without,
        "labels without an order are found among all rows": data.unordered and data.labels is None,
        "responses to read are picked from all rows": settings.reading.read is not None,
        "a bootstrap draws rows": settings.statistics.intervals == "bootstrap",
        BY_ROLE["item score"]: settings.impact.weight is not None,
        "which candidates have few responses is known when all rows are read, not before":
            settings.preparation.min_items_per_candidate is not None,
    }  # fmt: skip
    for why, needed in asked.items():
        if needed:
            raise NeedsRowsError(why)


def refuse_rows_late(cast: ColumnRoles, n: int, raters: int | None = None) -> None:
    """Raise NeedsRowsError for what the columns ask for.

    n, raters: Responses, at most, and columns of human scores; those of `cast` when left out.
    """
    for role, why in BY_ROLE.items():
        if cast.columns(role):
            raise NeedsRowsError(f"{why} (column '{cast.columns(role)[0]}')")
    k = len(cast.columns("human")) if raters is None else raters
    if k >= LEAST_ANNOTATORS and n * k * k <= MOST_WORK:
        raise NeedsRowsError("the engine is set beside each of three raters or more response by response")
