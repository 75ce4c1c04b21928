"""Every statistic of every score type and group, for policies that judge the stored evaluation later."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from reportgen.evaluation.categories import CATEGORY_KEYS
from reportgen.evaluation.estimates import SliceEstimates
from reportgen.evaluation.statistics import SUM_STATISTICS, RestsOn, rests_on
from reportgen.evaluation.tables.build import CONTINUOUS, DISCRETE_METRICS
from reportgen.evaluation.tallied_scores import ScoreForm, TalliedScores
from reportgen.metrics.panel import OF_LABELS
from reportgen.results import GIVEN_TRUE_SCORE, Estimate, GroupStatistics, Series
from reportgen.results.group_statistics import series_of
from reportgen.tally import OVERALL

HUMAN_ONLY = ("human", "attainable", "true_score.error_variance", "true_score.true_variance")
"""Families and statistics that the engine plays no part in: kept once, not for every score type."""

LEFT_OUT = ("human.dsm_rsmtool",)
"""Statistics that only tables in RSMTool's layout need."""

KAPPAS: dict[str, RestsOn] = {"system.kappa": "system", "human.kappa": "human", "degradation.kappa": "human"}
"""The statistics that come from tables instead of sums, and what they rest on."""

CATEGORIES: dict[str, RestsOn] = {key: rests_on(key) for key in CATEGORY_KEYS}
"""Those of two categories, which only scales of two points have."""


def kept_statistics(
    tallied: TalliedScores, given_true_score: Mapping[str, Sequence[Estimate]]
) -> tuple[GroupStatistics, ...]:
    """Return the statistics of all responses, then of the levels of every grouping, largest level first.

    Parameters
    ----------
    given_true_score
        Grouping -> the difference given the true score of each of its levels, largest level first.
    """
    overall = _of_grouping(tallied, OVERALL, [0])
    groups = (_of_grouping(tallied, grouping, tallied.level_order(grouping)) for grouping in tallied.groups)
    return (overall, *(_with_difference(tallied, each, given_true_score.get(each.column, ())) for each in groups))


def _with_difference(tallied: TalliedScores, kept: GroupStatistics, found: Sequence[Estimate]) -> GroupStatistics:
    """Return the statistics of a grouping with the differences given the true score, of the score that is judged."""
    if not found:
        return kept
    series = series_of(GIVEN_TRUE_SCORE, tallied.primary.type.key, "system", found, kept.counts["system"])
    return replace(kept, series=(*kept.series, series))


def _of_grouping(tallied: TalliedScores, grouping: str, order: list[int]) -> GroupStatistics:
    """Return every statistic of some levels of a grouping."""
    primary = tallied.estimates(tallied.primary, grouping)
    counts = {
        kind: tuple(primary.estimate(key, level).n for level in order)
        for kind, key in {"system": "system.r", "human": "human.r", "multiple": "true_score.prmse"}.items()
    }
    labels = tuple("" if grouping == OVERALL else primary.labels[level] for level in order)
    series = tuple(_series(tallied, grouping, order, counts)) if order else ()
    return GroupStatistics(grouping, labels, counts, series)


def _series(
    tallied: TalliedScores, grouping: str, order: list[int], counts: dict[str, tuple[int, ...]]
) -> Iterator[Series]:
    """Yield the columns of every statistic: of the raters once, of the engine for each score type."""
    of_sums = {key: statistic.rests_on for key, statistic in SUM_STATISTICS.items()}
    resting = of_sums | KAPPAS | CATEGORIES
    for score in tallied.forms:
        slices = tallied.estimates(score, grouping)
        for key, whose in resting.items():
            human_only = key.startswith(HUMAN_ONLY)
            if key in LEFT_OUT or key not in slices.numbers or (human_only and score is not tallied.primary):
                continue
            if not tallied.scale.ordered and key.partition(".")[2] not in OF_LABELS:
                continue
            if grouping == OVERALL and key.endswith(".dsm"):
                continue  # the whole set differs from itself by nothing
            estimates = [_estimate(slices, key, level, score) for level in order]
            yield series_of(key, "" if human_only else score.type.key, whose, estimates, counts[whose])


def _estimate(slices: SliceEstimates, key: str, level: int, score: ScoreForm) -> Estimate:
    """Return a statistic of a level; agreement on points has no meaning for scores between the points."""
    estimate = slices.estimate(key, level)
    family, metric = key.split(".")
    of_points = metric in DISCRETE_METRICS or key in CATEGORY_KEYS
    if score.type.continuous and of_points and family != "human":
        return Estimate(estimate.metric, None, estimate.n, level=estimate.level, kind=estimate.kind, reason=CONTINUOUS)
    return estimate
