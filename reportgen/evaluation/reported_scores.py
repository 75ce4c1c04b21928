"""Scale scores of every test taker twice: with the first human score of the item, and with the engine's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.points import in_whole_points
from reportgen.evaluation.preparation import rounding_on
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.results.term import Term
from reportgen.scale_scores import (
    FEWEST_CALIBRATED,
    MOST_CALIBRATED_SCORE,
    Reported,
    Reporting,
    base_items,
    report_scores,
)
from reportgen.scores import ScoreTable
from reportgen.settings import ImpactSettings
from reportgen.tally.cells import Floats

ABILITY_ENDS = (-4.0, 4.0)
"""Lowest and highest ability that is reported, unless ends are given."""


@dataclass(frozen=True)
class TwiceReported:
    """The test takers whose reported scores are compared.

    Parameters
    ----------
    here
        (responses,): which responses they are.
    items
        (n, k - 1): scores of the other items; no columns where only the item's weight is known.
    human, other
        (n,): two scores of the item, weighted.
    by_human, by_other
        What is reported with either.
    candidates
        (n,): codes of the candidates where these are the units.
    reporting
        How scale scores are reported.
    problem
        Why there are no scale scores; empty otherwise.
    """

    here: NDArray[np.bool_]
    items: Floats
    human: Floats
    other: Floats
    by_human: Reported
    by_other: Reported
    candidates: NDArray[np.integer] | None
    reporting: Reporting
    problem: str = ""

    @property
    def n(self) -> int:
        """The number of test takers."""
        return len(self.human)


def operational_scores(system: Floats, tallied: TalliedScores) -> Floats:
    """Return engine scores as they would be reported: rescaled if asked for, trimmed, on the points of the scale."""
    trimmed = np.clip(tallied.preparation.families(system)[tallied.primary.family], *tallied.preparation.bounds)
    scale = tallied.scale
    if scale.step == 0:
        return trimmed
    low, high = tallied.preparation.trim
    nearest = rounding_on(scale, as_rsmtool=False).nearest(trimmed)
    return nearest if in_whole_points(scale) else np.clip(nearest, low, high)


def reported_twice(scores: ScoreTable, tallied: TalliedScores, impact: ImpactSettings) -> TwiceReported | None:
    """Return scale scores with the human and with the engine score; None when nothing is known of the test."""
    if scores.item_scores is None and impact.weight is None:
        return None
    here = scores.with_all_items
    return _reported(scores, tallied, impact, here, operational_scores(scores.system, tallied))


def reported_by_raters(scores: ScoreTable, tallied: TalliedScores, impact: ImpactSettings) -> TwiceReported | None:
    """Return scale scores with the first and with the second human score; None where they cannot be told.

    Item response theory would calibrate all items anew on the few who were scored twice: it is left out.
    """
    if scores.human.shape[1] < 2 or impact.scoring == "irt":
        return None
    here = scores.with_all_items & np.isfinite(scores.human[:, 1])
    return _reported(scores, tallied, impact, here, scores.human[:, 1]) if here.sum() > 1 else None


def _reported(
    scores: ScoreTable, tallied: TalliedScores, impact: ImpactSettings, here: NDArray[np.bool_], other: Floats
) -> TwiceReported:
    """Return both reported scores of some responses."""
    items = np.empty((int(here.sum()), 0)) if scores.item_scores is None else scores.item_scores[here]
    weight = impact.weight or 1.0
    human, other = weight * scores.human[here, 0], weight * other[here]
    reporting, none = _reporting(impact), Reported.none(len(items), "")
    candidates = scores.candidates[here] if tallied.by_candidate and scores.candidates is not None else None
    twice = TwiceReported(here, items, human, other, none, none, candidates, reporting)
    if not reporting.summed:
        names = (*scores.columns("item score"), scores.raters[0])
        return _calibrated(twice, names)
    if len(items) < 2:
        return replace(twice, problem=Term("problem.few_with_every_item", n=len(items), of=scores.kept))
    most = [0] * (items.shape[1] + 1)
    found = (report_scores(np.column_stack([items, own]), most, reporting) for own in (human, other))
    return replace(twice, by_human=next(found), by_other=next(found))


def _reporting(impact: ImpactSettings) -> Reporting:
    """Return how scores are reported; ends that are not given are none, or those of `ABILITY_ENDS`."""
    summed = impact.scoring == "summed"
    ends = (-np.inf, np.inf) if summed else tuple(impact.slope * end + impact.intercept for end in ABILITY_ENDS)
    low, high = (end if given is None else given for given, end in zip((impact.low, impact.high), ends, strict=True))
    return Reporting(impact.slope, impact.intercept, low, high, impact.cuts, summed=summed)


def _calibrated(twice: TwiceReported, names: Sequence[str]) -> TwiceReported:
    """Return scale scores by item response theory: calibrated with either score, linked by the other items."""
    problem = _cannot_be_calibrated(twice, names)
    if problem:
        return replace(twice, problem=problem)
    starts = twice.items.min(axis=0)
    items = (twice.items - starts).astype(np.int64)
    start = min(twice.human.min(), twice.other.min())
    human, other = ((own - start).astype(np.int64) for own in (twice.human, twice.other))
    most = [*items.max(axis=0).tolist(), int(max(human.max(), other.max()))]
    by_human = report_scores(np.column_stack([items, human]), most, twice.reporting)
    if by_human.problem or by_human.calibration is None:
        return replace(twice, problem=by_human.problem)
    base = base_items(by_human.calibration, twice.reporting)
    scores = np.column_stack([items, other])
    by_other = report_scores(scores, most, twice.reporting, base, by_human.calibration.items)
    return replace(twice, by_human=by_human, by_other=by_other, problem=by_other.problem)


def _cannot_be_calibrated(twice: TwiceReported, names: Sequence[str]) -> str:
    """Return why the items cannot be calibrated; nothing when they can."""
    if twice.n < FEWEST_CALIBRATED:
        return Term("problem.few_to_calibrate", n=twice.n, least=FEWEST_CALIBRATED)
    for name, column in zip(names[:-1], twice.items.T, strict=True):
        if problem := _unfit(name, column, column):
            return problem
    both = np.concatenate([twice.human, twice.other])
    return _unfit(names[-1], twice.human, both) or _unfit("", twice.other, both)


def _unfit(column: str, scores: Floats, points: Floats) -> str:
    """Return why the scores of an item cannot be calibrated, its scale being from least to most of `points`.

    Without a column the scores are the engine's, rounded.
    """
    if (points != np.rint(points)).any():
        return Term("problem.between_whole_numbers", column=column)
    low, high = float(points.min()), float(points.max())
    if low == high:
        return Term("problem.same_for_everybody", column=column, score=low)
    if high - low > MOST_CALIBRATED_SCORE:
        return Term("problem.too_many_steps", column=column, most=MOST_CALIBRATED_SCORE)
    unused = sorted(set(range(int(low), int(high) + 1)) - set(scores.astype(int).tolist()))
    return Term("problem.unused_score", column=column, score=unused[0]) if unused else ""
