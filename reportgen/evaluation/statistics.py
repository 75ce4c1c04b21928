"""Which statistics the report has, by name, as formulas on the sums of a slice and of the whole set."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from reportgen.metrics import pair, true_score
from reportgen.tally import PairSums, RatingSums, Statistics, Sums
from reportgen.tally.cells import Floats

RestsOn = Literal["system", "human", "multiple"]
"""Responses with a system score, with scores of the first two raters, with scores of any two."""


@dataclass(frozen=True)
class Statistic:
    """A named statistic.

    Parameters
    ----------
    key
        Unique name: family and metric, such as ``"human.qwk"``.
    metric
        Entry of `reportgen.metrics.METRICS`.
    rests_on
        Which responses it rests on: those with a system score, those with two human scores, or
        those with at least two human scores.
    """

    key: str
    metric: str
    rests_on: RestsOn


AGREEMENT_METRICS = ("qwk", "r", "kappa", "exact_agreement", "adjacent_agreement", "smd")
"""What system-human and human-human agreement are compared on."""

SYSTEM_METRICS = (
    "h_mean", "h_sd", "system_mean", "system_sd", "qwk", "r", "r_squared", "rmse", "mae", "smd", "dsm",
    "exact_agreement", "adjacent_agreement",
)  # fmt: skip
HUMAN_METRICS = ("h_mean", "h_sd", "system_mean", "system_sd", "qwk", "r", "smd", "dsm", "exact_agreement",
                 "adjacent_agreement")  # fmt: skip
TRUE_SCORE_METRICS = ("prmse", "error_variance", "true_variance", "mse_true")

SUM_STATISTICS: Mapping[str, Statistic] = {
    statistic.key: statistic
    for statistic in (
        *(Statistic(f"system.{metric}", metric, "system") for metric in SYSTEM_METRICS),
        *(Statistic(f"human.{metric}", metric, "human") for metric in HUMAN_METRICS),
        *(Statistic(f"degradation.{metric}", metric, "human") for metric in AGREEMENT_METRICS if metric != "kappa"),
        *(Statistic(f"true_score.{metric}", metric, "multiple") for metric in TRUE_SCORE_METRICS),
        Statistic("human.dsm_rsmtool", "dsm", "human"),
        Statistic("disattenuated.r", "disattenuated_r", "human"),
    )
}
"""Every statistic that is algebra on sums; kappa comes from tables (see `estimates`)."""


def rests_on(key: str) -> RestsOn:
    """Return which responses a statistic rests on, kappa included."""
    if key in SUM_STATISTICS:
        return SUM_STATISTICS[key].rests_on
    return "system" if key.startswith("system.") else "human"


THROUGH_WHOLE = frozenset(key for key in SUM_STATISTICS if key.split(".")[1] in ("dsm", "dsm_rsmtool"))
"""Statistics that standardize by the whole set; all others rest on a slice's own sums."""


def sum_statistics(rater_error_variance: float | None, keys: Collection[str] | None = None) -> Statistics:
    """Return the function that computes every statistic of `SUM_STATISTICS`, or some of them.

    Parameters
    ----------
    rater_error_variance
        Known from elsewhere, or None to estimate it from the responses scored more than once.
    keys
        Which statistics; all when left out.
    """
    wanted = [key for key in SUM_STATISTICS if keys is None or key in keys]

    def compute(own: Sums, whole: Sums) -> dict[str, Floats]:
        found: dict[str, Floats] = {}
        return {key: _statistic(key, own, whole, rater_error_variance, found) for key in wanted}

    return compute


def _statistic(key: str, own: Sums, whole: Sums, variance: float | None, found: dict[str, Floats]) -> Floats:
    """Return a statistic, or take it from those that were `found` on the way to another."""
    if key not in found:
        family, metric = key.split(".")
        if family == "degradation":
            pairs = (f"{scores}.{metric}" for scores in ("system", "human"))
            one, other = (_statistic(each, own, whole, variance, found) for each in pairs)
            found[key] = one - other
        elif family == "disattenuated":
            one, other = (_statistic(each, own, whole, variance, found) for each in ("system.r", "human.r"))
            found[key] = pair.disattenuated_r(one, other)
        elif family == "true_score":
            found[key] = _TRUE_SCORE[metric](own.ratings, variance)
        elif family == "system":
            found[key] = _PAIR[metric](own.system, whole.system)
        else:
            found[key] = _HUMAN[metric](own, whole)
    return found[key]


def _rsmtool_dsm(own: Sums, whole: Sums) -> Floats:
    """Return RSMTool's difference of standardized means of two raters.

    It takes the first rater's mean and SD from all responses, so that a group that both raters judge alike differs as
    soon as the responses scored twice differ from the others.
    """
    return pair.difference_of_standardized_means(
        own.human, pair.mean_x(whole.system), pair.mean_y(whole.human), pair.sd_x(whole.system),
        pair.sd_y(whole.human),
    )  # fmt: skip


def _dsm(own: PairSums, whole: PairSums) -> Floats:
    """Return the difference of standardized means of two scores."""
    return pair.difference_of_standardized_means(
        own, pair.mean_x(whole), pair.mean_y(whole), pair.sd_x(whole), pair.sd_y(whole)
    )


def _of_slice(formula: Callable[..., Floats]) -> Callable[[PairSums, PairSums], Floats]:
    """Return a formula that the whole set does not matter to."""
    return lambda own, _: formula(own)


_PAIR: Mapping[str, Callable[[PairSums, PairSums], Floats]] = {
    "h_mean": _of_slice(pair.mean_x),
    "h_sd": _of_slice(pair.sd_x),
    "system_mean": _of_slice(pair.mean_y),
    "system_sd": _of_slice(pair.sd_y),
    "qwk": _of_slice(pair.quadratic_weighted_kappa),
    "r": _of_slice(pair.pearson_r),
    "r_squared": _of_slice(pair.r_squared),
    "rmse": _of_slice(pair.root_mean_squared_error),
    "mae": _of_slice(pair.mean_absolute_error),
    "smd": _of_slice(pair.standardized_mean_difference),
    "dsm": _dsm,
    "exact_agreement": _of_slice(pair.exact_agreement),
    "adjacent_agreement": _of_slice(pair.adjacent_agreement),
}
"""Metric of two scores -> its formula on the sums of a slice and of the whole set."""


def _of_humans(metric: str) -> Callable[[Sums, Sums], Floats]:
    """Return the formula of a metric on the sums of two raters."""
    if metric == "smd":
        return lambda own, _: pair.standardized_mean_difference_pooled(own.human)
    return lambda own, whole: _PAIR[metric](own.human, whole.human)


_HUMAN = {metric: _of_humans(metric) for metric in _PAIR} | {"dsm_rsmtool": _rsmtool_dsm}

_TRUE_SCORE: Mapping[str, Callable[[RatingSums, float | None], Floats]] = {
    "prmse": true_score.prmse,
    "true_variance": true_score.true_score_variance,
    "mse_true": true_score.mean_squared_error_true,
    "error_variance": lambda sums, _: true_score.rater_error_variance(sums),
}
