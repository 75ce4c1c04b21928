"""Values, standard errors, and intervals of every statistic in every slice, in one pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from reportgen.evaluation import intervals, statistics
from reportgen.evaluation.contingency import CATEGORY_KEYS, NO_TABLE, POINT_KEYS, TABLE_KEYS, Crossing
from reportgen.metrics import METRICS, pair, true_score
from reportgen.results import CONSTANT, WITHHELD, Estimate, Kind
from reportgen.tally import ClusteredRows, Moments, Sums, moments
from reportgen.tally.cells import OVERALL, ROUNDED, Form, LevelSums, Tally, formed_scores, totals
from reportgen.tally.intervals import Statistics, all_standard_errors, between_raters, derivatives, widened
from reportgen.tally.left_out import FEW_UNITS, Spread, left_out, single_units
from reportgen.tally.raters import SampledRaters
from reportgen.tally.sums import Floats, Integers

NO_POINTS = "not applicable: the scale is continuous and has no points to agree on"

FEWEST_OF_A_CEILING = 100  # double-scored responses required to estimate the ceiling of an engine without error

OF_A_FIRST_RATER = ("human.smd", "human.dsm", "degradation.smd")
"""Statistics that compare a second rater with a first one."""


NO_FIRST_RATER = "not applicable: the raters are interchangeable, so none of them is the first"


@dataclass(frozen=True)
class SliceEstimates:
    """Every statistic in every level of one grouping, for one form of the system score.

    `withheld`: levels without statistics of certain responses. `few`: levels with too few responses of a human score to
    show the engine's scores of them. `not_applicable`: why a statistic has no meaning in this design, by key.
    """

    labels: tuple[str, ...]
    sums: Sums
    numbers: dict[str, intervals.Numbers]
    level: float
    method: str = statistics.METHOD
    withheld: Mapping[statistics.RestsOn, frozenset[str]] = field(default_factory=dict)
    few: frozenset[str] = frozenset()
    not_applicable: Mapping[str, str] = field(default_factory=dict)
    has_table: bool = True
    counts: Mapping[statistics.RestsOn, Floats] = field(default_factory=dict)

    def n(self, of: statistics.RestsOn) -> Floats:
        """Return (levels,): number of responses of this kind of statistic."""
        sums = self.sums
        own = {"system": sums.system.n, "human": sums.human.n, "multiple": sums.ratings.multiple}
        return self.counts.get(of, own[of])

    def counting(self, sizes: LevelSums, *, error_known: bool) -> SliceEstimates:
        """Return the estimates of a weighted sample with unweighted numbers of responses."""
        places = [sizes.labels.index(label) for label in self.labels]
        system, human, multiple = sizes.sums[:3, places]
        multiple = system if error_known else multiple
        counts: dict[statistics.RestsOn, Floats] = {"system": system, "human": human, "multiple": multiple}
        numbers = {key: replace(each, n=counts[statistics.rests_on(key)]) for key, each in self.numbers.items()}
        return replace(self, counts=counts, numbers=numbers)

    def on_continuous_scale(self) -> SliceEstimates:
        """Return the estimates without agreement on points."""
        return self.without(
            {key: NO_POINTS for key, each in self.numbers.items() if each.metric in statistics.DISCRETE_METRICS}
        )

    def without(self, reasons: Mapping[str, str]) -> SliceEstimates:
        """Return the estimates without some statistics, with the reason by key."""
        blank = {key: self.numbers[key].without() for key in reasons}
        return replace(self, numbers={**self.numbers, **blank}, not_applicable={**self.not_applicable, **reasons})

    def estimate(self, key: str, index: int = 0) -> Estimate:
        """Return one statistic of one level, with the reason if it is undefined."""
        numbers = self.numbers[key]
        metric = METRICS[numbers.metric]
        signed = key.startswith("degradation.") and metric.kind != "percent"
        kind: Kind = "difference" if signed else metric.kind
        of_each = key in TABLE_KEYS and TABLE_KEYS[key].of_each
        hidden = self.withheld.get(statistics.rests_on(key), frozenset()) | (self.few if of_each else frozenset())
        if self.labels[index] in hidden:
            return Estimate(metric.key, None, 0, kind=kind, reason=WITHHELD, level=self.level)
        n = round(numbers.n[index])
        if not np.isfinite(numbers.value[index]) or (key == "true_score.prmse" and not self._true_scores_vary(index)):
            return Estimate(metric.key, None, n, kind=kind, reason=self._reason(key, index), level=self.level)
        if key.startswith("attainable.") and self._ceiling_is_open(index, n):
            return Estimate(metric.key, None, n, kind=kind, reason=true_score.CEILING_OPEN, level=self.level)
        found = numbers.estimate(index, self.level, self.method, kind)
        constant = found.interval_reason == statistics.NO_VARIATION and not pair.squares_y(self.sums.system)[index]
        return replace(found, interval_reason=CONSTANT) if constant and not key.startswith("human") else found

    def _true_scores_vary(self, index: int) -> bool:
        return bool(self.numbers["true_score.true_variance"].value[index] > 0)

    def _ceiling_is_open(self, index: int, n: int) -> bool:
        if n < FEWEST_OF_A_CEILING:
            return True
        reached, best = (self.numbers.get(key) for key in ("system.r", "attainable.true_r"))
        return bool(reached is not None and best is not None and best.value[index] < reached.value[index])

    def _reason(self, key: str, index: int) -> str:
        if key in self.not_applicable:
            return self.not_applicable[key]
        family = key.split(".")[0]
        n = round(self.numbers[key].n[index])
        if family in ("human", "degradation", "disattenuated") and n < 2:
            if n == 0 and self.sums.ratings.multiple[index]:
                return "no response with an engine score was scored twice"
            return "no response was scored twice" if n == 0 else "only one response was scored twice"
        if key in CATEGORY_KEYS:
            return CATEGORY_KEYS[key].nothing
        of_true_scores = family in ("true_score", "attainable")
        if of_true_scores and self.sums.ratings.multiple[index] == 0:
            return "no response was scored twice, so rater error cannot be estimated"
        if n < 2:
            return "no responses" if n == 0 else "only one response"
        sums = self.sums.human if family == "human" else self.sums.system
        if pair.squares_x(sums)[index] == 0:
            return "all human scores are equal to within rounding"
        if family == "attainable" and n < FEWEST_OF_A_CEILING:
            return true_score.CEILING_OPEN
        if family == "attainable" or (of_true_scores and not self._true_scores_vary(index)):
            return true_score.NO_TRUE_VARIANCE
        if pair.squares_y(sums)[index] == 0:
            return CONSTANT if family != "human" else "all scores of the second rater are equal to within rounding"
        if key in POINT_KEYS and not self.has_table:
            return NO_TABLE
        if family == "disattenuated":
            return "the human-human correlation may be 0 or negative"
        return (POINT_KEYS[key].nothing if key in POINT_KEYS else "") or "the statistic is not defined for these scores"


def estimate_slices(
    tally: Tally, grouping: str, form: Form, level: float, rater_error_variance: float | None,
    rows: ClusteredRows | None = None, worst_errors: tuple[float, float] | None = None,
    inside: tuple[str, Integers] | None = None, raters: SampledRaters | None = None,
) -> SliceEstimates:  # fmt: skip
    """Compute every statistic of every level of `grouping`.

    worst_errors: largest possible difference of a system score, and of a second human score, from the first, for bounds
        of scores that never differ; None if unlimited.
    inside: a grouping, and (levels,) its level that contains each level, if differences of standardized means refer to
        it instead of all responses.
    raters: the raters, if they are a sample.
    """
    slices, whole = (
        replace(made, between=None if raters is None else raters.between(each, form))
        for each in (grouping, inside[0] if inside else OVERALL)
        for made in (moments(tally, each, form) if rows is None else rows.moments(each, form),)
    )
    whole = whole.at(inside[1]) if inside else whole
    compute = statistics.sum_statistics(rater_error_variance)
    sums = slices.named()
    with np.errstate(all="ignore"):
        values = compute(sums, whole.named())
    influences = derivatives(
        compute, slices, whole, statistics.sum_statistics(rater_error_variance, statistics.THROUGH_WHOLE)
    )
    known = rater_error_variance is not None
    resting: dict[statistics.RestsOn, tuple[Floats, Floats]] = {
        "system": (sums.system.n, slices.units.system),
        "human": (sums.human.n, slices.units.human),
        "multiple": (sums.system.n, slices.units.system) if known else (sums.ratings.multiple, slices.units.multiple),
    }
    errors = all_standard_errors(
        influences, slices, whole, {key: resting[statistics.SUM_STATISTICS[key].rests_on][1] for key in influences}
    )
    added, reach, most = intervals.severity_of_raters(
        slices, whole.named(), compute, values, between_raters(influences, slices, whole), level
    )
    by_candidate = rows is not None and rows.by_candidate
    left_out_method = statistics.METHOD_LEFT_OUT_CLUSTERED if by_candidate else statistics.METHOD_LEFT_OUT
    few = _of_few_units(tally, grouping, form, slices, compute, {key: each[1] for key, each in resting.items()}, rows)
    numbers = {}
    for key in influences:
        statistic = statistics.SUM_STATISTICS[key]
        n, units = resting[statistic.rests_on]
        of_share = intervals.transform_of(key, statistic.metric) == "wilson"
        error, freedom, where = errors[key], units - 1, np.zeros(units.shape, bool)
        if (spread := few.get(key)) is not None:  # for few units, by excluding each
            by_wilson = of_share & statistics.are_units(n, units)
            where = (units < FEW_UNITS) & np.isfinite(spread.error) & (error > 0) & ~by_wilson
            freedom = np.where(where, np.minimum(freedom, spread.freedom), freedom)
            error = np.where(where, spread.error, error)
        if statistic.both_vary:
            # for a constant score it is always 0, so its derivative is meaningless
            pairs = {"system": [sums.system], "human": [sums.human]}.get(key.split(".")[0], [sums.human, sums.system])
            varies = [(pair.squares_x(each) > 0) & (pair.squares_y(each) > 0) for each in pairs]
            error = np.where(np.logical_and.reduce(varies), error, np.nan)
        if slices.between is not None:
            part = statistics.PARTS.index(statistic.rests_on)
            error, freedom = widened(error, freedom, added[key], slices.between.freedom[:, part])
            units = np.minimum(units, freedom + 1)
        made = intervals.interval_numbers(key, statistic.metric, values[key], error, n, units, level, freedom)
        if key in reach:
            made = made.reaching(key, *reach[key])
        method = statistics.METHOD_WILSON if of_share else left_out_method
        numbers[key] = replace(made, method=np.where(where, method, made.method))
    crossing = Crossing.of(tally, grouping, form, rows, raters)
    numbers |= crossing.numbers(POINT_KEYS, level, resting, most)
    first_order = {key: replace(numbers[key], error=error) for key, error in errors.items()}
    fiellers = intervals.ratio_to_true_variance(
        first_order, influences, slices, whole, resting["multiple"][1], level, by_candidate, added
    )
    key = "true_score.prmse"
    prmse = numbers[key].with_ends(fiellers)
    numbers[key] = prmse.reaching(key, *reach[key]) if key in reach else prmse
    for key, ends in (
        *intervals.sd_of_two_points(tally, form, numbers, slices, level),
        *intervals.degradation_of_shares(numbers, slices, level),
        *intervals.degradation_of_few(numbers, slices.units.human),
        *intervals.disattenuated_of_few(numbers, slices.units.human),
        *intervals.of_copies(sums),
        *(intervals.of_few_candidates(slices.units.system) if by_candidate else ()),
    ):
        numbers[key] = numbers[key].with_ends(ends)
    if worst_errors is not None and not by_candidate:
        bounds = dict(intervals.without_error(sums, numbers, *worst_errors, level))
        bounds |= dict(intervals.widened_degradation(numbers, bounds))
        numbers |= {key: numbers[key].with_ends(ends) for key, ends in bounds.items() if key in numbers}
    # if raters possibly do not agree at all, its denominator can be 0
    numbers["disattenuated.r"] = numbers["disattenuated.r"].without(numbers["human.r"].low <= 0)
    for key, each in numbers.items():
        if statistics.needs_several(each.metric):
            numbers[key] = replace(each, value=np.where(each.n < 2, np.nan, each.value))
    has_table = bool(len(crossing.tables["system"].points))
    method = statistics.METHOD_CLUSTERED if by_candidate else statistics.METHOD
    method += statistics.AND_RATERS if raters is not None else ""
    return SliceEstimates(slices.labels, sums, numbers, level, method, has_table=has_table)


def _of_few_units(
    tally: Tally, grouping: str, form: Form, slices: Moments, compute: Statistics, units: Mapping[str, Floats],
    rows: ClusteredRows | None,
) -> dict[str, Spread]:  # fmt: skip
    among = np.logical_or.reduce([(each > 1) & (each < FEW_UNITS) for each in units.values()])
    if not among.any():
        return {}

    transforms = {
        key: intervals.transform_of(key, statistic.metric) for key, statistic in statistics.SUM_STATISTICS.items()
    }
    # shares of independent responses use Wilson's interval, which requires no standard error
    shares = [key for key, transform in transforms.items() if transform == "wilson"] if rows is None else []
    without = statistics.THROUGH_WHOLE.union(shares)

    def own(sums: Sums, _: Sums) -> dict[str, Floats]:
        return {key: value for key, value in compute(sums, sums).items() if key not in without}

    return left_out(own, slices, single_units(tally, grouping, form, among, rows), transforms)


def rounded_agreement(
    tally: Tally, grouping: str, trimmed: SliceEstimates, level: float
) -> dict[str, intervals.Numbers]:
    """Return the agreement on points of trimmed and rounded scores; their kappa is in `trimmed`."""
    slices, scores = tally.slices[grouping], formed_scores(tally, ROUNDED)
    n = trimmed.sums.system.n
    numbers = {key: trimmed.numbers[key] for key in POINT_KEYS if key.startswith("system.")}
    for metric, agrees in (("exact_agreement", scores.exact), ("adjacent_agreement", scores.adjacent)):
        share = 100 * totals(slices.level, slices.sums[0] * agrees[slices.cell], len(n)) / n
        numbers[f"system.{metric}"] = intervals.interval_numbers(
            f"system.{metric}", metric, share, np.zeros_like(n), n, n, level
        )
    return numbers
