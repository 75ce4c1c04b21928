"""The shape of rater errors along the scale: an arch has no trend."""

from __future__ import annotations

from typing import Literal

from report_sections.lookup import number, records
from reportgen.sections import Evaluation

Shape = Literal["", "ends_of_scale_smaller", "outer_smaller", "outer_larger"]


def shape_along_the_scale(evaluation: Evaluation) -> Shape:
    """Return whether both outer bands are smaller, or larger, than all between them, where bands differ at all."""
    ratio = evaluation.estimates.get("raters.error_variance_ratio")
    bands = bands_of(evaluation)
    if ratio is None or ratio.low is None or ratio.low <= 1 or len(bands) < 4:
        return ""
    values = [value for _, value in bands]
    outer, inner = (values[0], values[-1]), values[1:-1]
    ends = {f"{end:g}" for end in (evaluation.scale.low, evaluation.scale.high)}
    if max(outer) < min(inner):
        return "ends_of_scale_smaller" if ends == {bands[0][0], bands[-1][0]} else "outer_smaller"
    return "outer_larger" if min(outer) > max(inner) else ""


def bands_of(evaluation: Evaluation) -> list[tuple[str, float]]:
    """Return the error variance of every band that is large enough to be judged."""
    table = evaluation.tables.get("human_raters.error_variance")
    rows = zip(table.rows, records(table), strict=True) if table else ()
    found = ((str(cells["band"]), number(cells["variance"]), row.mark) for row, cells in rows)
    return [(band, value) for band, value, mark in found if value is not None and mark != "insufficient"]
