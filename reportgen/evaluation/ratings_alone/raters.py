"""Each rater beside the others: severity, spread, agreement, use of the scale; and whose ratings say nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from reportgen.evaluation.rater_effects import RaterRows, rater_rows
from reportgen.evaluation.ratings_alone.agreement import any_two, on_points
from reportgen.evaluation.ratings_alone.sheet import RatingSheet
from reportgen.metrics import UnlikeRater, unlike_raters
from reportgen.results import Estimate
from reportgen.tally.cells import Floats


@dataclass(frozen=True)
class Doubted:
    """Raters whose ratings say nothing of the responses, by name, and the agreement of the others without them."""

    raters: tuple[tuple[str, UnlikeRater], ...]
    others: Estimate | None


def each_rater(sheet: RatingSheet) -> RaterRows | None:
    """Return every rater beside the others, as pages call them; labels without an order tell nothing of severity."""
    if not sheet.scale.ordered:
        return None
    found = rater_rows(sheet, sheet.ratings, sheet.ids, True, sheet.units, lambda *_: sheet.raters_withheld)
    if found is None or not found.rows:
        return found
    rows = tuple(replace(row, name=name) for row, name in zip(found.rows, sheet.shown_raters.values(), strict=True))
    return replace(found, rows=rows)


def shares_of_points(sheet: RatingSheet) -> list[Floats]:
    """Return for each rater the percentage of ratings on every point of the scale; nothing where it has none."""
    places = on_points(sheet, sheet.ratings)
    points = len(sheet.scale.points())
    if not np.isfinite(places[sheet.given]).all():
        return []
    found = []
    for rater in range(len(sheet.names)):
        own = places[sheet.given & (sheet.codes == rater)].astype(np.intp).clip(0, points - 1)
        found.append(100 * np.bincount(own, minlength=points) / len(own))
    return found


def doubted(sheet: RatingSheet) -> Doubted:
    """Return the raters whose ratings say nothing of the responses, by the rule of `unlike_raters`."""
    found: list[UnlikeRater] = []
    if sheet.scale.ordered:
        every = unlike_raters(sheet.ratings, sheet.codes, units=sheet.units, level=sheet.level)
        found = [each for each in every if each.rater in sheet.shown_raters]
    if not found:
        return Doubted((), None)
    out = np.isin(sheet.codes, [each.rater for each in found])
    rest = replace(sheet, ratings=np.where(out, np.nan, sheet.ratings))
    others = any_two(rest, rest.everyone)["qwk"]
    return Doubted(tuple((sheet.names[each.rater], each) for each in found), others if others.defined else None)
