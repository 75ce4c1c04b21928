"""Replacement of raters by the engine: alternative annotator test, agreement with raters, bias by length."""

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.doubts import computed_columns
from reportgen.evaluation.measure import row_estimate
from reportgen.evaluation.points import rounding_on
from reportgen.evaluation.rater_effects import MOST_WORK, RaterFilter, numbered, pair_features, pair_sums
from reportgen.evaluation.statistics import corrected, estimate_of, interval_estimate
from reportgen.evaluation.tables.build import Results, columns_of, count_column, table
from reportgen.evaluation.tallied_scores import ScoreForm, TalliedScores
from reportgen.metrics import alternative_annotators as annotators
from reportgen.metrics import given_true_score, pair
from reportgen.metrics.alternative_annotators import LEAST_RESPONSES, AlternativeAnnotatorTest, AnnotatorComparison
from reportgen.metrics.calibrated_means import CalibratedMean, calibrated_mean, calibrated_mean_of_sums
from reportgen.results import Column, Estimate, Kind, Row, Table, Term
from reportgen.scores import Account, ScoreTable
from reportgen.settings import Settings
from reportgen.tally import OVERALL, TRIMMED, CellScores, Floats, Polynomial, limits, moments, rowwise

METHOD_T = "Student's t"


Found = tuple[Table, dict[str, Estimate], dict[str, Any]]  # a table, overall estimates by key, and plain facts


def annotator_test(scores: ScoreTable, tallied: TalliedScores, settings: Settings, hidden: RaterFilter) -> Found | None:
    """Return the test with the configured margin; None with fewer than three raters, or if it would take minutes.

    It excludes columns computed from others, and `hidden` raters, because the average over all would reveal them.
    """
    ratings, margin = scores.human, settings.statistics.annotator_margin
    least = settings.statistics.annotator_min_ratings
    if ratings.shape[1] < annotators.LEAST_RATINGS or ratings.size * ratings.shape[1] > MOST_WORK:
        return None
    rounded = settings.statistics.annotator_rounded and tallied.scale.step > 0
    system = tallied.preparation.primary(scores.system)
    if rounded:  # unrounded scores hardly ever tie with ratings, and both win ties
        system = rounding_on(tallied.scale, as_rsmtool=False).nearest(system)
    codes: NDArray[np.integer] = np.broadcast_to(np.arange(ratings.shape[1]), ratings.shape)
    names = tallied.one_by_one.raters
    if scores.rater_ids is not None:
        codes, names, _ = numbered(ratings, scores.rater_ids, settings.data.show_rater_names)
    out = hidden(np.where(np.isnan(ratings), -1, codes), len(names))
    out = out | np.isin(names, computed_columns(scores))
    ratings = np.where(out[codes], np.nan, ratings)
    if (~out).sum() < annotators.LEAST_ANNOTATORS:
        return None
    won = annotators.wins(system, ratings, least_ratings=least)
    found = annotators.judged_by_wins(won, codes, margin)
    if not found.comparisons:
        return None
    given = (~np.isnan(ratings)).sum(axis=1)
    few = int(((given > 0) & (given < least)).sum())
    rates = {
        each: annotators.judged_by_wins(won, codes, each).winning_rate
        for each in sorted({*annotators.MARGINS.values(), margin})
    }
    counted = [each for each in found.comparisons if each.won is not None]
    facts = {
        **{key: getattr(found, key) for key in ("passed", "reason", "margin")},
        "rounded": rounded,
        "left_out": few,
        "won": sum(bool(each.won) for each in counted),
        "annotators": len(counted),
        "rates": {f"{each:g}": rate for each, rate in rates.items() if np.isfinite(rate)},
    }
    answers = {True: Term("yes"), False: Term("no"), None: Term("fewer_responses", least=LEAST_RESPONSES)}
    rows = [
        Row((names[each.annotator], each.n, each.system_advantage, each.annotator_advantage,
             behind(each, tallied.level), each.p, answers[each.won]), "" if each.won is not None else "insufficient")
        for each in found.comparisons
    ]  # fmt: skip
    numbers = columns_of(engine="coefficient", own="coefficient", difference="difference", p="p", won="text")
    left_out = (Term("too_few_ratings", n=few, least=least),) if few else ()
    notes = (Term("engine_scores_compared", rounded=rounded), *left_out)
    made = table("judges.annotators", (Column("rater"), count_column(), *numbers), rows, notes)
    return made, {"judges.advantage": _advantage(found, won.system, codes, scores, tallied)}, facts


def behind(each: AnnotatorComparison, level: float) -> Estimate:
    """Return the engine's share of wins minus the annotator's, with Student's interval."""
    value = each.system_advantage - each.annotator_advantage
    square = 2 - each.system_advantage - each.annotator_advantage
    error = math.sqrt(max(square - value**2, 0.0) / (each.n - 1)) if each.n > 1 else math.nan
    low, high = limits(np.array([value]), np.array([error]), np.array([each.n - 1.0]), "none", level)
    return estimate_of("judges.share_difference", value, each.n, low[0], high[0], error, level, METHOD_T, "difference")


def _advantage(
    found: AlternativeAnnotatorTest, won: Floats, codes: NDArray[np.integer], scores: ScoreTable, tallied: TalliedScores
) -> Estimate:
    """Return the average advantage probability, with its interval from influences of responses or test takers."""
    counted = [each for each in found.comparisons if each.n >= LEAST_RESPONSES]
    moved = np.zeros(len(won))
    for each in counted:
        own = (codes == each.annotator) & ~np.isnan(won)
        moved += np.where(own, won - each.system_advantage, 0.0).sum(axis=1) / each.n / len(counted)
    here = (~np.isnan(won)).any(axis=1)
    units: Floats = moved[here]
    if tallied.by_candidate and scores.candidates is not None:
        units = np.bincount(np.unique(scores.candidates[here], return_inverse=True)[1], units).astype(np.float64)
    error, n = float(corrected(float((units**2).sum()), len(units))), int(here.sum())
    at, spread = np.array([found.advantage]), np.array([error])
    low, high = limits(at, spread, np.array([len(units) - 1.0]), "none", tallied.level)
    ends = max(low[0], 0.0), min(high[0], 1.0)
    return estimate_of(
        "judges.advantage", found.advantage, n, *ends, error, tallied.level, tallied.method, "coefficient", found.reason
    )


FORMULAS = {"r": pair.pearson_r, "qwk": pair.quadratic_weighted_kappa}  # the compared statistics

OUTPUTS = ("raters", "first", "second", "exchange", "rater_gap")
"""Two raters, first and second rater with the engine; their mean minus the raters', second minus first."""

MOST_RATERS = 8  # largest number of raters that are paired; eight make 28 pairs


def exchanges(tallied: TalliedScores, score: ScoreForm) -> dict[str, dict[str, dict[str, Estimate]]]:
    """Return estimates by pair of raters with enough shared responses, statistic, and output."""
    names = tallied.raters
    return {f"{names[i]}, {names[j]}": found for (i, j), found in _of_pairs(tallied, score).items()}


def exchangeability(tallied: TalliedScores, score: ScoreForm) -> dict[str, Estimate]:
    """Return the overall differences, as means of all pairs: keys ``exchangeability.r``, ``.qwk``, ``.raters_r`` ..."""
    pairs = _pairs(tallied)
    found = _exchange(tallied, score, (list(_of_pairs(tallied, score)) if len(pairs) > 1 else []) or pairs)
    numbers = {f"exchangeability.{metric}": each["exchange"] for metric, each in found.items()}
    if len(tallied.raters) == 2 and not tallied.drawn:
        numbers |= {f"exchangeability.rater_gap_{metric}": each["rater_gap"] for metric, each in found.items()}
    return numbers


def _pairs(tallied: TalliedScores) -> list[tuple[int, int]]:
    return list(itertools.combinations(range(min(len(tallied.raters), MOST_RATERS)), 2))


def _of_pairs(tallied: TalliedScores, score: ScoreForm) -> dict[tuple[int, int], dict[str, dict[str, Estimate]]]:
    every = {pair: _exchange(tallied, score, [pair]) for pair in _pairs(tallied)}
    return {pair: found for pair, found in every.items() if found["r"]["raters"].n >= tallied.min_n}


def _exchange(tallied: TalliedScores, score: ScoreForm, pairs: list[tuple[int, int]]) -> dict[str, dict[str, Estimate]]:
    """Return the outputs of every statistic as means over the pairs."""

    def features(scores: CellScores) -> dict[str, Polynomial]:
        together = np.any([scores.present[i] & scores.present[j] for i, j in pairs], axis=0)
        return pair_features(scores, pairs) | {"any": scores.one * (together * 1.0)}

    def statistics(sums: Mapping[str, Floats], centre: float) -> dict[str, Floats]:
        return {metric: np.mean([_outputs(sums, centre, two, metric) for two in pairs], axis=0) for metric in FORMULAS}

    made: dict[str, dict[str, Estimate]] = {}
    for metric, found in tallied.joint(score, features, statistics, rests_on="any").items():
        n, units = float(found.n[0]), float(found.units[0])
        value = found.value if n > 1 else np.full_like(found.value, np.nan)
        reason = "a score is constant on the responses scored twice"
        if n < 2:
            reason = "no response was scored twice" if n == 0 else "only one response was scored twice"
        kinds = (metric, metric, metric, f"exchange_{metric}", f"rater_gap_{metric}")
        made[metric] = {
            output: interval_estimate(
                kind, one, error, n, units, tallied.level, clustered=tallied.by_candidate, reason=reason
            )
            for output, kind, one, error in zip(OUTPUTS, kinds, value.tolist(), found.error.tolist(), strict=True)
        }
    return made


def _outputs(sums: Mapping[str, Floats], centre: float, pair: tuple[int, int], metric: str) -> Floats:
    raters, first, second = (FORMULAS[metric](pair_sums(sums, centre, pair, *names)) for names in ("xy", "xm", "ym"))
    return np.stack([raters, first, second, (first + second) / 2 - raters, second - first], axis=-1)


Result = tuple[Table, dict[str, Estimate]]

_PARTIAL = ("system", "human", "given_human_score", "given_true_score")
ASSOCIATIONS: Mapping[str, tuple[Kind, str]] = {
    **dict.fromkeys(_PARTIAL, ("coefficient", "fisher")), "points": ("difference", "none"),
}  # fmt: skip
"""Number format and interval scale of statistics of length."""

UNDEFINED = (
    "needs responses with two human scores that vary more than rater error alone, or a known rater error variance"
)


def judge_results(scores: ScoreTable | None, tallied: TalliedScores, test: Found | None) -> Results:
    """Return the tables and overall estimates for judges, if there are any; without rows, not those of length."""
    every = [*([test[:2]] if test else []), *_length(scores, tallied), *_calibrated(scores, tallied)]
    return [made for made, _ in every], {key: each for _, found in every for key, each in found.items()}


def judge_facts(scores: Account, test: Found | None) -> dict[str, Any]:
    """Return numbers and words for the sentences of sections."""
    position = {"position": next(iter(scores.columns("position")), None)}
    return position | ({"annotator_test": test[2]} if test else {})


def _length(scores: ScoreTable | None, tallied: TalliedScores) -> Iterator[Result]:
    if scores is None or scores.length is None:
        return
    system = tallied.preparation.primary(scores.system)
    here = given_true_score.usable(system, scores.human, scores.length)
    candidates = scores.candidates[here] if tallied.by_candidate and scores.candidates is not None else None
    given = tallied.rater_error_variance
    if here.sum() < 3:
        return
    features = given_true_score.covariate_features(system[here], scores.human[here], scores.length[here])
    numbers = rowwise(features, lambda sums: given_true_score.covariate_statistics(sums, given), candidates)
    n = int(here.sum())
    found = {
        f"judges.length_{key}": row_estimate(f"judges.length_{key}", numbers[key], tallied, *how, reason=UNDEFINED)
        for key, how in ASSOCIATIONS.items()
    }
    rows = [Row((Term(key), n, estimate)) for key, estimate in found.items()]
    columns = (Column("what"), count_column(), Column("value", kind="coefficient"))
    yield table("judges.length", columns, rows), found


def _calibrated(scores: ScoreTable | None, tallied: TalliedScores) -> Iterator[Result]:
    found = _of_counts(tallied) if scores is None else _of_rows(scores, tallied)
    if found is None:
        return
    mean, own, theirs, by_candidate = found
    everyone = mean.n + mean.n_unscored
    method = f"two-sample influence on whole {'clusters' if by_candidate else 'responses'}"
    value = estimate_of(
        "judges.calibrated_mean", mean.value, everyone, mean.low, mean.high, mean.standard_error, tallied.level, method,
        "score", mean.reason,
    )  # fmt: skip
    rows = [
        Row((Term("human_of_scored"), mean.n, mean.human)),
        Row((Term("engine_of_scored"), mean.n, own)),
        Row((Term("engine_of_unscored"), mean.n_unscored, theirs)),
        Row((Term("human_of_all"), everyone, value), "overall"),
    ]
    columns = (Column("what"), count_column(), Column("value", kind="score"))
    yield table("judges.means", columns, rows), {"judges.calibrated_mean": value}


def _of_rows(scores: ScoreTable, tallied: TalliedScores) -> tuple[CalibratedMean, float, float, bool] | None:
    if scores.unscored is None or len(scores.unscored.system) < 2:
        return None
    ours, theirs = map(tallied.preparation.primary, (scores.system, scores.unscored.system))
    by_candidate = scores.candidates is not None and scores.unscored.candidates is not None
    clusters = (scores.candidates, scores.unscored.candidates) if by_candidate else None
    found = calibrated_mean(ours, scores.expected_rating, theirs, level=tallied.level, clusters=clusters)  # type: ignore[arg-type]
    return found, float(ours.mean()), float(theirs.mean()), by_candidate


def _of_counts(tallied: TalliedScores) -> tuple[CalibratedMean, float, float, bool] | None:
    if tallied.counts.unscored is None or tallied.counts.unscored.n < 2:
        return None
    own, alone = (moments(tally, OVERALL, TRIMMED).named().system for tally in (tallied.tally, tallied.counts.unscored))
    ours, theirs = (float(sums.y[0] / sums.n[0]) + sums.centre for sums in (own, alone))
    products = None
    if tallied.candidates is not None:
        human = float(own.x[0] / own.n[0]) + own.centre
        products = tallied.candidates.products(tallied.tally, tallied.counts.unscored, (human, ours, theirs))
    return calibrated_mean_of_sums(own, alone, tallied.level, products), ours, theirs, products is not None
