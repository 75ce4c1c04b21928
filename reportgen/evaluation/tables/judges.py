"""What is asked of judges: could they stand in for a rater, do they reward length, what is the mean of all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from reportgen.evaluation.alternative_annotator import AnnotatorTest, behind, primary_scores
from reportgen.evaluation.jointly import estimate_of
from reportgen.evaluation.tables.build import count_column, table
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.metrics import covariates
from reportgen.metrics.alternative_annotators import LEAST_RESPONSES
from reportgen.metrics.calibrated_means import CalibratedMean, calibrated_mean, calibrated_mean_of_sums
from reportgen.results import Column, Estimate, Kind, Row, Table
from reportgen.results.term import Term
from reportgen.scores import Account, ScoreTable
from reportgen.tally import OVERALL, TRIMMED, limits, moments
from reportgen.tally.rowwise import RowNumbers, rowwise

Results = tuple[list[Table], dict[str, Estimate]]

ASSOCIATIONS: Mapping[str, tuple[Kind, str]] = {
    "system": ("coefficient", "fisher"),
    "human": ("coefficient", "fisher"),
    "given_human_score": ("coefficient", "fisher"),
    "given_true_score": ("coefficient", "fisher"),
    "points": ("difference", "none"),
}
"""What is said of length: kind, and the scale on which its interval is symmetric."""

UNDEFINED = (
    "needs responses with two human scores that vary more than rater error alone, or a known rater error variance"
)


def judge_results(scores: ScoreTable | None, tallied: TalliedScores, test: AnnotatorTest | None) -> Results:
    """Return the tables and overall estimates of what is asked of judges; none where nothing can be.

    Without rows, lengths are not known, and the mean human score comes from what was counted.
    """
    tables: list[Table] = []
    estimates: dict[str, Estimate] = {}
    length = _length(scores, tallied) if scores else ([], {})
    for made, found in (_test(test, tallied.level), length, _calibrated(scores, tallied)):
        tables += made
        estimates |= found
    return tables, estimates


def judge_facts(scores: Account, test: AnnotatorTest | None) -> dict[str, Any]:
    """Return what sections put into sentences."""
    facts: dict[str, Any] = {"position": next(iter(scores.columns("position")), None)}
    if test is None:
        return facts
    counted = [each for each in test.found.comparisons if each.won is not None]
    facts["annotator_test"] = {
        "passed": test.found.passed,
        "reason": test.found.reason,
        "margin": test.found.margin,
        "rounded": test.rounded,
        "least_ratings": test.least_ratings,
        "left_out": test.left_out,
        "won": sum(bool(each.won) for each in counted),
        "annotators": len(counted),
        "rates": {f"{margin:g}": rate for margin, rate in test.rates.items() if np.isfinite(rate)},
    }
    return facts


def _test(test: AnnotatorTest | None, level: float) -> Results:
    """Return every annotator beside the engine."""
    if test is None:
        return [], {}
    won = {True: Term("yes"), False: Term("no"), None: Term("fewer_responses", least=LEAST_RESPONSES)}
    rows = [
        Row((test.names[each.annotator], each.n, each.system_advantage, each.annotator_advantage,
             behind(each, level), each.p,
             won[each.won]), "" if each.won is not None else "insufficient")
        for each in test.found.comparisons
    ]  # fmt: skip
    columns = (
        Column("rater"), count_column(), Column("engine", kind="coefficient"), Column("own", kind="coefficient"),
        Column("difference", kind="difference"), Column("p", kind="p"), Column("won"),
    )  # fmt: skip
    left_out = (Term("too_few_ratings", n=test.left_out, least=test.least_ratings),) if test.left_out else ()
    notes = (Term("engine_scores_compared", rounded=test.rounded), *left_out)
    return [table("judges.annotators", "", columns, rows, notes)], {"judges.advantage": test.advantage}


def _length(scores: ScoreTable, tallied: TalliedScores) -> Results:
    """Return how engine and human scores go with length."""
    if scores.length is None:
        return [], {}
    system = primary_scores(scores.system, tallied)
    here = covariates.usable(system, scores.human, scores.length)
    candidates = scores.candidates[here] if tallied.by_candidate and scores.candidates is not None else None
    given = tallied.rater_error_variance
    if here.sum() < 3:
        return [], {}
    features = covariates.features(system[here], scores.human[here], scores.length[here])
    numbers = rowwise(features, lambda sums: covariates.statistics(sums, given), candidates)
    n = int(here.sum())
    found = {
        key: _estimate(f"judges.length_{key}", numbers[key], n, tallied, kind, transform)
        for key, (kind, transform) in ASSOCIATIONS.items()
    }
    rows = [Row((Term(f"judges.length_{key}"), n, estimate)) for key, estimate in found.items()]
    columns = (Column("what"), count_column(), Column("value", kind="coefficient"))
    made = table("judges.length", "", columns, rows)
    return [made], {f"judges.length_{key}": estimate for key, estimate in found.items()}


def _estimate(metric: str, numbers: RowNumbers, n: int, tallied: TalliedScores, kind: Kind, transform: str) -> Estimate:
    """Return one number as an estimate."""
    low, high = limits(numbers.value, numbers.error, np.array([numbers.units - 1.0]), transform, tallied.level)
    method = tallied.method
    return estimate_of(
        metric, numbers.value[0], n, low[0], high[0], numbers.error[0], tallied.level, method, kind, UNDEFINED
    )


def _calibrated(scores: ScoreTable | None, tallied: TalliedScores) -> Results:
    """Return the mean human score of all responses, with those that only the engine scored."""
    found = _of_counts(tallied) if scores is None else _of_rows(scores, tallied)
    if found is None:
        return [], {}
    mean, own, theirs, by_candidate = found
    value = _mean(mean, tallied, by_candidate=by_candidate)
    everyone = mean.n + mean.n_unscored
    rows = [
        Row((Term("human_of_scored"), mean.n, mean.human)),
        Row((Term("engine_of_scored"), mean.n, own)),
        Row((Term("engine_of_unscored"), mean.n_unscored, theirs)),
        Row((Term("human_of_all"), everyone, value), "overall"),
    ]
    columns = (Column("what"), count_column(), Column("value", kind="score"))
    return [table("judges.means", "", columns, rows)], {"judges.calibrated_mean": value}


def _of_rows(scores: ScoreTable, tallied: TalliedScores) -> tuple[CalibratedMean, float, float, bool] | None:
    """Return the calibrated mean, the engine's means where people scored and elsewhere, and what the units are."""
    if scores.unscored is None or len(scores.unscored.system) < 2:
        return None
    ours, theirs = (primary_scores(part, tallied) for part in (scores.system, scores.unscored.system))
    by_candidate = scores.candidates is not None and scores.unscored.candidates is not None
    clusters = (scores.candidates, scores.unscored.candidates) if by_candidate else None
    found = calibrated_mean(ours, scores.expected_rating, theirs, level=tallied.level, clusters=clusters)  # type: ignore[arg-type]
    return found, float(ours.mean()), float(theirs.mean()), by_candidate


def _of_counts(tallied: TalliedScores) -> tuple[CalibratedMean, float, float, bool] | None:
    """Return the same from what was counted."""
    if tallied.unscored is None or tallied.unscored.n < 2:
        return None
    own, alone = (moments(tally, OVERALL, TRIMMED).named().system for tally in (tallied.tally, tallied.unscored))
    ours, theirs = (float(sums.y[0] / sums.n[0]) + sums.centre for sums in (own, alone))
    by_candidate = tallied.candidates is not None
    products = None
    if tallied.candidates is not None:
        human = float(own.x[0] / own.n[0]) + own.centre
        products = tallied.candidates.products(tallied.tally, tallied.unscored, (human, ours, theirs))
    return calibrated_mean_of_sums(own, alone, tallied.level, products), ours, theirs, by_candidate


def _mean(found: CalibratedMean, tallied: TalliedScores, *, by_candidate: bool) -> Estimate:
    """Return the calibrated mean as an estimate."""
    method = "two-sample influence on whole candidates" if by_candidate else "two-sample influence on whole responses"
    return estimate_of(
        "judges.calibrated_mean", found.value, found.n + found.n_unscored, found.low, found.high, found.standard_error,
        tallied.level, method, "score", found.reason,
    )  # fmt: skip
