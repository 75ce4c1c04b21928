"""Statistics of sections, statistics of other sums, and stored statistics of every group for later policies."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from reportgen.evaluation import statistics
from reportgen.evaluation.contingency import TABLE_KEYS
from reportgen.evaluation.estimates import SliceEstimates
from reportgen.evaluation.statistics import NO_VARIATION, NOT_DEFINED, estimate_of
from reportgen.evaluation.tables.build import CONTINUOUS
from reportgen.evaluation.tallied_scores import ScoreForm, TalliedScores
from reportgen.metrics import METRICS
from reportgen.metrics.krippendorff import OF_LABELS
from reportgen.results import GIVEN_TRUE_SCORE, Estimate, GroupStatistics, Kind, Series
from reportgen.results.group_statistics import series_of
from reportgen.tally import OVERALL, Floats, JointNumbers, Sums, derivatives, limits, spread_of, standard_errors


@dataclass(frozen=True)
class Measure:
    """Estimates any smooth statistic of the sums, overall or by group, with an interval."""

    tallied: TalliedScores

    def __call__(
        self, name: str, statistic: Callable[[Sums, Sums], Floats], *, grouping: str = OVERALL, score_type: str = "",
        kind: Kind = "coefficient",
    ) -> dict[str, Estimate]:  # fmt: skip
        """Estimate the statistic of every level of `grouping` by label; overall has the label "".

        name: key of the statistic in results.json.
        statistic: function of the sums of the slices and of the whole set; must be smooth and accept complex sums, as
            the formulas of `reportgen.metrics` do.
        score_type: key of a score type; default: the primary one.
        kind: number format.
        """
        own = (score for score in self.tallied.forms if score.type.key == score_type)
        score = next(own) if score_type else self.tallied.primary
        slices, whole = (self.tallied.moments(score, name) for name in (grouping, OVERALL))
        n = slices.named().system.n
        with np.errstate(all="ignore"):
            value = np.broadcast_to(statistic(slices.named(), whole.named()), n.shape)
        influence = derivatives(lambda own, every: {name: statistic(own, every)}, slices, whole)[name]
        error = standard_errors(influence, slices, whole, slices.units.system)
        low, high = limits(value, error, slices.units.system - 1, "none", self.tallied.level)
        numbers = zip(value, n, low, high, error, strict=True)
        return {
            label: estimate_of(name, *own, self.tallied.level, self.tallied.method, kind)
            for label, own in zip(slices.labels, numbers, strict=True)
        }


def joint_estimates(
    tallied: TalliedScores, metric: str, numbers: JointNumbers, kind: Kind | None = None, transform: str = "none", *,
    reason: str = NOT_DEFINED, interval_reason: str = NO_VARIATION,
) -> list[Estimate]:  # fmt: skip
    """Return one estimate per output of a joint statistic.

    kind: number format; default: from the catalogue.
    transform: as for `reportgen.tally.limits`; "ratio" for a statistic that is already the logarithm of a ratio.
    """
    count = np.broadcast_to(numbers.n.sum(), numbers.value.shape)
    counted = np.broadcast_to(numbers.units.sum(), numbers.value.shape)
    value, error = numbers.value, numbers.error
    scale = "none" if transform == "ratio" else transform
    trials = statistics.independent_trials(value, error, count, counted) if transform == "wilson" else None
    freedom, method = counted - 1, statistics.METHOD_WILSON if transform == "wilson" else tallied.method
    if numbers.without is not None and trials is None:
        error, freedom, method = _left_out(numbers, freedom, scale)
    low, high = limits(value, error, freedom, scale, tallied.level, trials)
    if transform == "ratio":
        with np.errstate(over="ignore"):
            value, low, high, error = np.exp(value), np.exp(low), np.exp(high), np.exp(value) * error
    how = (tallied.level, method, kind or METRICS[metric].kind, reason, interval_reason)
    return [estimate_of(metric, *numbers, *how) for numbers in zip(value, count, low, high, error, strict=True)]


def _left_out(numbers: JointNumbers, freedom: Floats, scale: str) -> tuple[Floats, Floats, str]:
    """Return standard errors, degrees of freedom, and method from excluding each of few test takers."""
    error, own = np.array(numbers.error), np.array(freedom, np.float64)
    columns = np.asarray(numbers.without).T
    together, once = np.zeros(columns.shape[1], np.intp), np.ones(columns.shape[1])
    for output, column in enumerate(columns):
        spread = spread_of(column, numbers.value[[output]], scale, together, once)
        if np.isfinite(spread.error[0]) and error[output] > 0:
            error[output], own[output] = spread.error[0], min(own[output], spread.freedom[0])
    return error, own, statistics.METHOD_LEFT_OUT_CLUSTERED


def row_estimate(
    metric: str, numbers: JointNumbers, tallied: TalliedScores, kind: Kind, transform: str = "none", *, place: int = 0,
    **reasons: str,
) -> Estimate:  # fmt: skip
    """Return one output of sums over rows; if a logarithm is undefined, the interval is not transformed."""
    found = numbers._replace(value=numbers.value[[place]], error=numbers.error[[place]])
    if transform in ("log", "variance") and not found.value[0] > 0:
        transform = "none"
    return joint_estimates(tallied, metric, found, kind=kind, transform=transform, **reasons)[0]


HUMAN_ONLY = ("human", "attainable", "true_score.error_variance", "true_score.true_variance")
"""Families and statistics without the engine, which are stored once instead of per score type."""

LEFT_OUT = ("human.dsm_rsmtool",)  # statistics that only tables in RSMTool's layout use

KEPT = (*statistics.SUM_STATISTICS, *TABLE_KEYS)
"""Stored statistics of sums and of tables; last those of scales with two points."""


def kept_statistics(
    tallied: TalliedScores, given_true_score: Mapping[str, Sequence[Estimate]]
) -> tuple[GroupStatistics, ...]:
    """Return the statistics of all responses, then of every level by grouping, largest first."""
    every = (OVERALL, *tallied.groups)
    return tuple(_of_grouping(tallied, grouping, given_true_score.get(grouping, ())) for grouping in every)


def _of_grouping(tallied: TalliedScores, grouping: str, differences: Sequence[Estimate]) -> GroupStatistics:
    order = [0] if grouping == OVERALL else tallied.level_order(grouping)
    primary = tallied.estimates(tallied.primary, grouping)
    counts = {
        kind: tuple(primary.estimate(key, level).n for level in order)
        for kind, key in {"system": "system.r", "human": "human.r", "multiple": "true_score.prmse"}.items()
    }
    labels = tuple("" if grouping == OVERALL else primary.labels[level] for level in order)
    series = list(_series(tallied, grouping, order, counts)) if order else []
    if differences:
        key = tallied.primary.type.key
        series.append(series_of(GIVEN_TRUE_SCORE, key, "system", differences, counts["system"]))
    return GroupStatistics(grouping, labels, counts, tuple(series))


def _series(
    tallied: TalliedScores, grouping: str, order: list[int], counts: dict[str, tuple[int, ...]]
) -> Iterator[Series]:
    """Yield the columns of every statistic, for raters once, for the engine by score type."""
    for score in tallied.forms:
        slices = tallied.estimates(score, grouping)
        for key in KEPT:
            human_only, whose = key.startswith(HUMAN_ONLY), statistics.rests_on(key)
            if key in LEFT_OUT or key not in slices.numbers or (human_only and score is not tallied.primary):
                continue
            if not tallied.scale.ordered and key.partition(".")[2] not in OF_LABELS:
                continue
            if grouping == OVERALL and key.endswith(".dsm"):
                continue  # differences of the whole set from itself are 0
            estimates = [_estimate(slices, key, level, score) for level in order]
            yield series_of(key, "" if human_only else score.type.key, whose, estimates, counts[whose])


def _estimate(slices: SliceEstimates, key: str, level: int, score: ScoreForm) -> Estimate:
    estimate = slices.estimate(key, level)
    family, metric = key.split(".")
    if score.type.continuous and metric in statistics.DISCRETE_METRICS and family != "human":
        return Estimate(estimate.metric, None, estimate.n, level=estimate.level, kind=estimate.kind, reason=CONTINUOUS)
    return estimate
