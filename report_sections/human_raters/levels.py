"""Are rater errors as large at every level: no trend along the scale, and no band far from another."""

from __future__ import annotations

from dataclasses import dataclass

from report_sections.lookup import number, records
from report_sections.words import name, stated
from reportgen.results import Outcome
from reportgen.sections import Evaluation
from reportgen.verdicts import judge


@dataclass(frozen=True)
class AlongTheScale:
    """What the data shows of rater errors along the scale, and the outcome of every test of it."""

    shown: str
    outcomes: tuple[Outcome, ...]


def along_the_scale(evaluation: Evaluation, margin: float, most: float) -> AlongTheScale | None:
    """Return what is found of rater errors along the engine's score; None where nothing was computed.

    Parameters
    ----------
    margin
        The largest change per standard deviation of the engine's score, as a share.
    most
        The largest ratio of the largest band to the smallest: an arch has no trend.
    """
    trend, ratio = (evaluation.estimates.get(f"raters.error_variance_{key}") for key in ("trend", "ratio"))
    if trend is None or ratio is None:
        return None
    bands = _bands(evaluation)
    which = ""
    if bands and ratio.defined:
        largest, smallest = (choose(bands, key=lambda band: band[1]) for choose in (max, min))
        which = f" ({name(largest[0])} to {name(smallest[0])})"
    shape = _shape(evaluation, bands) if ratio.low is not None and ratio.low > 1 else ""
    even = trend.low is not None and trend.high is not None and trend.low <= 0 <= trend.high
    shown = (
        f"ratio of the largest band to the smallest{which}: {stated(ratio, most)}; "
        f"{'no trend: ' if even else ''}change per SD of the engine's score, as a share: "
        f"{stated(trend, -margin, margin)}{shape}"
    )
    outcomes: list[Outcome] = []
    for estimate, low, high in ((trend, -margin, margin), (ratio, None, most)):
        outcomes.append(judge(estimate, low, high) if estimate.defined else "not yet known")
    return AlongTheScale(shown, tuple(outcomes))


def _bands(evaluation: Evaluation) -> list[tuple[str, float]]:
    """Return the error variance of every band that is large enough to be judged."""
    table = evaluation.tables.get("human_raters.error_variance")
    rows = zip(table.rows, records(table), strict=True) if table else ()
    found = ((str(cells["band"]), number(cells["variance"]), row.mark) for row, cells in rows)
    return [(band, value) for band, value, mark in found if value is not None and mark != "insufficient"]


def _shape(evaluation: Evaluation, bands: list[tuple[str, float]]) -> str:
    """Say that both outer bands are smaller, or larger, than all between them; nothing of another shape."""
    values = [value for _, value in bands]
    if len(values) < 4:
        return ""
    outer, inner = (values[0], values[-1]), values[1:-1]
    ends = {f"{end:g}" for end in (evaluation.scale.low, evaluation.scale.high)}
    if max(outer) < min(inner):
        if ends == {bands[0][0], bands[-1][0]}:
            return (
                "; smaller at both ends of the scale, as rounding to a scale makes it: beyond its ends nobody can err"
            )
        return "; smaller in both outer bands than in all others"
    return "; larger in both outer bands than in all others" if min(outer) > max(inner) else ""
