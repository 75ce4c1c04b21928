"""Statistics of the report by name, and their estimates with intervals."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from operator import attrgetter
from typing import Literal, NamedTuple, ParamSpec

import numpy as np
from numpy.typing import NDArray

from reportgen.metrics import METRICS, pair, true_score
from reportgen.metrics.catalogue import in_table, metrics_on_points, pair_statistics, table_statistics
from reportgen.metrics.pair import Formula
from reportgen.results import Cell, Estimate, Evaluation, Kind
from reportgen.tally import Floats, PairSums, Statistics, Sums, limits

RestsOn = Literal["system", "human", "multiple"]
"""Responses with a system score, with scores of the first two raters, or with scores of any two."""

PARTS: tuple[RestsOn, ...] = ("system", "human", "multiple")
"""Parts of the features of statistics, in the order of raters' degrees of freedom."""

Value = Callable[[str], Floats]  # returns another statistic of the same sums by its key

Computed = Callable[[Value, Sums, Sums, float | None], Floats]
"""(other values, sums of a slice, sums of the whole set, known rater error variance or None) -> value."""


class Statistic(NamedTuple):
    """A named statistic.

    rests_on: its responses: those with a system score, with two human scores, or with at least two human scores.
    """

    key: str  # unique name of family and metric, such as ``"human.qwk"``
    metric: str  # key of `reportgen.metrics.METRICS`
    rests_on: RestsOn
    computed: Computed

    @property
    def both_vary(self) -> bool:
        """Whether its interval requires that both scores vary."""
        return self.metric in _OF_PAIRS and _OF_PAIRS[self.metric].both_vary


AGREEMENT_METRICS = in_table("human_human.degradation")  # metrics that compare system-human with human-human agreement

_OF_PAIRS, _OF_TABLES = pair_statistics(), table_statistics()

DISCRETE_METRICS = frozenset(metrics_on_points())


def formula_of_raters(metric: str) -> Formula:
    """Return the formula of a statistic for the sums of two raters."""
    statistic = _OF_PAIRS[metric]
    return statistic.of_raters or statistic.formula_on_sums


def _dsm(own: PairSums, x: PairSums, y: PairSums) -> Floats:
    return pair.difference_of_standardized_means(own, pair.mean_x(x), pair.mean_y(y), pair.sd_x(x), pair.sd_y(y))


def _of_pairs(family: Literal["system", "human"]) -> Iterator[Statistic]:
    """Yield the statistics of a pair of scores, with DSM after the difference of means."""
    of = attrgetter(family)
    for metric, each in _OF_PAIRS.items():
        if family == "human" and not each.between_raters:
            continue
        formula = formula_of_raters(metric) if family == "human" else each.formula_on_sums

        def computed(_: Value, own: Sums, __: Sums, ___: float | None, formula: Formula = formula) -> Floats:
            return formula(of(own))

        yield Statistic(f"{family}.{metric}", metric, family, computed)
        if metric == "smd":
            yield Statistic(
                f"{family}.dsm", "dsm", family, lambda _, own, every, __: _dsm(of(own), of(every), of(every))
            )


def _degradation(metric: str) -> Statistic:
    return Statistic(
        f"degradation.{metric}", metric, "human", lambda value, *_: value(f"system.{metric}") - value(f"human.{metric}")
    )


def _disattenuated_r(value: Value, *_: object) -> Floats:
    return pair.disattenuated_r(value("system.r"), value("human.r"))


_TRUE_SCORE: Mapping[str, Computed] = {
    "true_score.prmse": lambda _, own, __, variance: true_score.prmse(own.ratings, variance),
    "true_score.error_variance": lambda _, own, *__: true_score.rater_error_variance(own.ratings),
    "true_score.true_variance": lambda _, own, __, variance: true_score.true_score_variance(own.ratings, variance),
    "true_score.mse_true": lambda _, own, __, variance: true_score.mean_squared_error_true(own.ratings, variance),
    # statistics of true scores and the human score
    "attainable.true_r": lambda _, own, __, known: true_score.true_r(own.system, own.human, own.ratings, known),
    "attainable.true_qwk": lambda _, own, __, known: true_score.true_qwk(own.system, own.human, own.ratings, known),
}

SUM_STATISTICS: Mapping[str, Statistic] = {
    statistic.key: statistic
    for statistic in (
        *_of_pairs("system"),
        *_of_pairs("human"),
        *(_degradation(metric) for metric in AGREEMENT_METRICS if metric not in _OF_TABLES),
        *(Statistic(key, key.partition(".")[2], "multiple", formula) for key, formula in _TRUE_SCORE.items()),
        # RSMTool uses the first rater's mean and SD of all responses, so a group that both raters score
        # equally differs if the double-scored responses differ from the others
        Statistic(
            "human.dsm_rsmtool", "dsm", "human", lambda _, own, whole, __: _dsm(own.human, whole.system, whole.human)
        ),
        Statistic("disattenuated.r", "disattenuated_r", "human", _disattenuated_r),
    )
}
"""Statistics of sums; those of tables are in `contingency`."""


def rests_on(key: str) -> RestsOn:
    """Return the kind of responses of a statistic of sums or tables."""
    if key in SUM_STATISTICS:
        return SUM_STATISTICS[key].rests_on
    return "system" if key.startswith("system.") else "human"


THROUGH_WHOLE = frozenset(key for key in SUM_STATISTICS if key.split(".")[1] in ("dsm", "dsm_rsmtool"))
"""Statistics that standardize by the whole set; all others depend only on a slice's sums."""


def sum_statistics(rater_error_variance: float | None, keys: Collection[str] | None = None) -> Statistics:
    """Return the function that computes `SUM_STATISTICS`, by default all and with estimated rater error."""
    wanted = [key for key in SUM_STATISTICS if keys is None or key in keys]

    def compute(own: Sums, whole: Sums) -> dict[str, Floats]:
        found: dict[str, Floats] = {}

        def value(key: str) -> Floats:
            if key not in found:  # or already computed for another
                found[key] = SUM_STATISTICS[key].computed(value, own, whole, rater_error_variance)
            return found[key]

        return {key: value(key) for key in wanted}

    return compute


METHOD = "infinitesimal jackknife on whole responses"
METHOD_CLUSTERED = "infinitesimal jackknife on whole clusters"
AND_RATERS = " and on whole raters"
METHOD_LEFT_OUT = "delete-one jackknife over responses"
METHOD_LEFT_OUT_CLUSTERED = "delete-one jackknife over clusters"
METHOD_WILSON = "Wilson score interval"


def interval_estimate(
    metric: str, value: float, error: float, n: float, units: float, level: float, *, clustered: bool = False,
    reason: str = "", interval_reason: str = "",
) -> Estimate:  # fmt: skip
    """Return an estimate with the interval of its metric, or with the reasons if value or interval is missing."""
    entry, count = METRICS[metric], round(n)
    if not np.isfinite(value):
        return Estimate(metric, None, count, kind=entry.kind, level=level, reason=reason or no_value(count))
    wilson = entry.transform == "wilson"
    at, spread = np.array([value]), np.array([error])
    trials = independent_trials(at, spread, np.array([n]), np.array([units])) if wilson else None
    low, high = (float(end[0]) for end in limits(at, spread, np.array([units - 1]), entry.transform, level, trials))
    method = METHOD_WILSON if wilson else METHOD_CLUSTERED if clustered else METHOD
    why = interval_reason or no_interval(count)
    return bounded(metric, value, count, low, high, error, level, method, entry.kind, interval_reason=why)


Told = ParamSpec("Told")
NOT_DEFINED = "not defined for these scores"
NO_VARIATION = "the scores do not vary enough for an interval"


def bounded(
    metric: str, value: float, n: float, low: float, high: float, error: float, level: float, method: str, kind: Kind,
    reason: str = NOT_DEFINED, interval_reason: str = NO_VARIATION,
) -> Estimate:  # fmt: skip
    """Return numbers as an estimate: nan becomes a missing value, or missing limits, with its reason."""
    if not np.isfinite(value):
        return Estimate(metric, None, round(n), kind=kind, level=level, reason=reason)
    made = Estimate(
        metric, float(value), round(n), standard_error=float(error) if np.isfinite(error) else None, level=level,
        method=method, kind=kind,
    )  # fmt: skip
    if np.isfinite(low) and np.isfinite(high):
        return replace(made, low=float(low), high=float(high))
    return replace(made, interval_reason=interval_reason)


def _without_idle_method(made: Callable[Told, Estimate]) -> Callable[Told, Estimate]:
    def found(*numbers: Told.args, **reasons: Told.kwargs) -> Estimate:
        estimate = made(*numbers, **reasons)
        return replace(estimate, method="") if estimate.low is None else estimate

    return found


estimate_of = _without_idle_method(bounded)  # returns `bounded` numbers, without a method if there is no interval


def undefined(estimate: Estimate, reason: str) -> Estimate:
    """Return an estimate without its value, with a reason."""
    return Estimate(estimate.metric, None, estimate.n, kind=estimate.kind, level=estimate.level, reason=reason)


def are_units(n: Floats, units: Floats) -> NDArray[np.bool_]:
    """Whether every response is a unit; numbers of weighted responses are sums with rounding errors."""
    return np.isclose(n, units, rtol=1e-9, atol=0.0)


def independent_trials(value: Floats, error: Floats, n: Floats, units: Floats) -> Floats:
    """Return the number of independent responses that a percentage of each slice is worth.

    It is below n for clustered responses, and above n if multiple ratings count. If all responses agree, or none, it is
    the number of clusters.
    """
    share = value / 100
    with np.errstate(all="ignore"):
        effective = np.where(error > 0, share * (1 - share) * 100**2 / error**2, units)
    return np.where(are_units(n, units), np.maximum(effective, n), np.minimum(effective, n))


def corrected(square: Floats | float, units: Floats | float) -> Floats:
    """Return standard errors from sums of squared influences: times n / (n - 1), nan for a single unit."""
    with np.errstate(all="ignore"):
        return np.where(np.asarray(units) > 1, np.sqrt(np.maximum(square, 0.0) * units / (units - 1.0)), np.nan)


def no_value(n: int) -> str:
    """Return why there is no value."""
    if n < 2:
        return "no responses" if n == 0 else "only one response"
    return "the statistic is not defined for these scores"


def no_interval(n: int) -> str:
    """Return why there is a value but no interval."""
    return "one response is too few to estimate uncertainty" if n < 2 else NO_VARIATION


def needs_several(metric: str) -> bool:
    """Return whether a statistic describes the association of two scores, which requires multiple responses."""
    known = METRICS.get(metric)
    return (known is not None and known.kind == "coefficient") or metric.endswith("_agreement")


def without_single_responses(evaluation: Evaluation) -> Evaluation:
    """Return an evaluation without coefficients and agreement of single responses."""

    def kept(cell: Cell) -> Cell:
        if not isinstance(cell, Estimate) or not cell.defined or cell.n > 1:
            return cell
        relates = cell.kind == "coefficient" or needs_several(cell.metric)
        return undefined(cell, no_value(1)) if relates else cell

    tables = {
        key: replace(table, rows=tuple(replace(row, cells=tuple(map(kept, row.cells))) for row in table.rows))
        for key, table in evaluation.tables.items()
    }
    estimates = {
        key: each if kept(each) is each else undefined(each, no_value(1)) for key, each in evaluation.estimates.items()
    }
    return replace(evaluation, tables=tables, estimates=estimates)
