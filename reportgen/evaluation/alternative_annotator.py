"""The alternative annotator test on counted scores, with the raters named as the report names them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.estimating import corrected
from reportgen.evaluation.jointly import estimate_of
from reportgen.evaluation.preparation import rounding_on
from reportgen.evaluation.rater_effects import MOST_WORK, numbered
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.metrics.alternative_annotators import (
    LEAST_ANNOTATORS,
    LEAST_RATINGS,
    LEAST_RESPONSES,
    MARGINS,
    AlternativeAnnotatorTest,
    AnnotatorComparison,
    judged_by_wins,
    wins,
)
from reportgen.results import Estimate
from reportgen.scores import ScoreTable
from reportgen.settings import Settings
from reportgen.sources.columns import Codes
from reportgen.tally import limits
from reportgen.tally.cells import Floats

METHOD_T = "Student's t"


@dataclass(frozen=True)
class AnnotatorTest:
    """The test over the raters.

    Parameters
    ----------
    names, advantage, rates
        What each annotator is called, the average advantage with its interval, winning rates by margin.
    rounded
        Whether the engine's scores were rounded to score points, as raters' are.
    least_ratings, left_out
        Ratings that a response needs, and how many responses have some, but fewer.
    """

    found: AlternativeAnnotatorTest
    names: dict[int, str]
    advantage: Estimate
    rates: dict[float, float]
    rounded: bool
    least_ratings: int
    left_out: int


def annotator_test(
    scores: ScoreTable,
    tallied: TalliedScores,
    settings: Settings,
    hidden: Callable[[Codes, int], NDArray[np.bool_]] | None = None,
) -> AnnotatorTest | None:
    """Return the test with the margin that is set; None without three raters, or where it would take minutes.

    Raters who are `hidden` are left out: the average over all raters would give them away.
    """
    ratings, margin, show_names = scores.human, settings.statistics.annotator_margin, settings.data.show_rater_names
    least = settings.statistics.annotator_min_ratings
    if ratings.shape[1] < LEAST_RATINGS or ratings.size * ratings.shape[1] > MOST_WORK:
        return None
    rounded = settings.statistics.annotator_rounded and tallied.scale.step > 0
    system = (rounded_scores if rounded else primary_scores)(scores.system, tallied)
    if scores.rater_ids is not None:
        codes: NDArray[np.integer]
        codes, order, _ = numbered(ratings, scores.rater_ids)
        names = {
            row: scores.rater_ids.names[rater] if show_names else f"Rater {row + 1}" for row, rater in enumerate(order)
        }
    else:
        codes = np.broadcast_to(np.arange(ratings.shape[1]), ratings.shape)
        names = dict(enumerate(tallied.one_by_one.raters))
    if hidden is not None:
        out = hidden(np.where(np.isnan(ratings), -1, codes), len(names))
        ratings = np.where(out[codes], np.nan, ratings)
        names = {rater: name for rater, name in names.items() if not out[rater]}
    if len(names) < LEAST_ANNOTATORS:
        return None
    won = wins(system, ratings, least_ratings=least)
    found = judged_by_wins(won, codes, margin)
    if not found.comparisons:
        return None
    given = (~np.isnan(ratings)).sum(axis=1)
    rates = {each: judged_by_wins(won, codes, each).winning_rate for each in sorted({*MARGINS.values(), margin})}
    advantage = _advantage(found, won.system, codes, scores, tallied)
    few = int(((given > 0) & (given < least)).sum())
    return AnnotatorTest(found, names, advantage, rates, rounded, least, few)


def behind(each: AnnotatorComparison, level: float) -> Estimate:
    """Return the engine's share of responses less the annotator's, with Student's interval.

    The differences are 1 where only the engine wins and -1 where only the annotator does, so their squares
    sum to the shares that the other does not win.
    """
    value = each.system_advantage - each.annotator_advantage
    square = 2 - each.system_advantage - each.annotator_advantage
    error = math.sqrt(max(square - value**2, 0.0) / (each.n - 1)) if each.n > 1 else math.nan
    low, high = limits(np.array([value]), np.array([error]), np.array([each.n - 1.0]), "none", level)
    return estimate_of(
        "judges.share_difference", value, each.n, low[0], high[0], error, level, METHOD_T, "difference",
    )  # fmt: skip


def primary_scores(system: Floats, tallied: TalliedScores) -> Floats:
    """Return system scores as the primary score is: rescaled where that is, and trimmed."""
    return np.asarray(
        np.clip(tallied.preparation.families(system)[tallied.primary.family], *tallied.preparation.bounds)
    )


def rounded_scores(system: Floats, tallied: TalliedScores) -> Floats:
    """Return system scores as the primary score is, rounded to the points of a scale that has steps, as raters' are.

    A score between points ties with a rater's almost never, and ties count as wins of both.
    """
    return rounding_on(tallied.scale, as_rsmtool=False).nearest(primary_scores(system, tallied))


def _advantage(
    found: AlternativeAnnotatorTest, won: Floats, codes: NDArray[np.integer], scores: ScoreTable, tallied: TalliedScores
) -> Estimate:
    """Return the average advantage probability, its interval by the influence of whole responses or candidates."""
    counted = [each for each in found.comparisons if each.n >= LEAST_RESPONSES]
    moved = np.zeros(len(won))
    for each in counted:
        own = (codes == each.annotator) & ~np.isnan(won)
        moved += np.where(own, won - each.system_advantage, 0.0).sum(axis=1) / each.n / len(counted)
    here = (~np.isnan(won)).any(axis=1)
    units: Floats = moved[here]
    if tallied.by_candidate and scores.candidates is not None:
        units = np.bincount(np.unique(scores.candidates[here], return_inverse=True)[1], units).astype(np.float64)
    error, n = corrected(float((units**2).sum()), len(units)), int(here.sum())
    at, spread = np.array([found.advantage]), np.array([error])
    low, high = limits(at, spread, np.array([len(units) - 1.0]), "none", tallied.level)
    method = tallied.method
    return estimate_of(
        "judges.advantage", found.advantage, n, max(low[0], 0.0), min(high[0], 1.0), error, tallied.level, method,
        "coefficient", found.reason,
    )  # fmt: skip
