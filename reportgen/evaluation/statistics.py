"""Which statistics the report has, by name, as formulas on the sums of a slice and of the whole set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from reportgen.metrics import pair, true_score
from reportgen.tally import PairSums, Statistics, Sums
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


def sum_statistics(rater_error_variance: float | None) -> Statistics:
    """Return the function that computes every statistic of `SUM_STATISTICS`.

    Parameters
    ----------
    rater_error_variance
        Known from elsewhere, or None to estimate it from the responses scored more than once.
    """

    def compute(own: Sums, whole: Sums) -> dict[str, Floats]:
        system = _pair_statistics(own.system, whole.system)
        human = _pair_statistics(own.human, whole.human)
        human["smd"] = pair.standardized_mean_difference_pooled(own.human)
        # RSMTool takes the first rater's mean and SD from all responses, so that a group that both
        # raters judge alike differs as soon as the responses scored twice differ from the others
        rsmtool_dsm = pair.difference_of_standardized_means(
            own.human, pair.mean_x(whole.system), pair.mean_y(whole.human), pair.sd_x(whole.system),
            pair.sd_y(whole.human),
        )  # fmt: skip
        result = {f"system.{metric}": system[metric] for metric in SYSTEM_METRICS}
        result |= {f"human.{metric}": human[metric] for metric in HUMAN_METRICS}
        result |= {
            f"degradation.{metric}": system[metric] - human[metric] for metric in AGREEMENT_METRICS if metric in human
        }
        result["human.dsm_rsmtool"] = rsmtool_dsm
        result["disattenuated.r"] = pair.disattenuated_r(system["r"], human["r"])
        for metric, formula in _TRUE_SCORE.items():
            result[f"true_score.{metric}"] = formula(own.ratings, rater_error_variance)
        result["true_score.error_variance"] = true_score.rater_error_variance(own.ratings)
        return result

    return compute


_TRUE_SCORE = {
    "prmse": true_score.prmse,
    "true_variance": true_score.true_score_variance,
    "mse_true": true_score.mean_squared_error_true,
}


def _pair_statistics(own: PairSums, whole: PairSums) -> dict[str, Floats]:
    """Return every statistic of two scores, by the name of its metric."""
    return {
        "h_mean": pair.mean_x(own),
        "h_sd": pair.sd_x(own),
        "system_mean": pair.mean_y(own),
        "system_sd": pair.sd_y(own),
        "qwk": pair.quadratic_weighted_kappa(own),
        "r": pair.pearson_r(own),
        "r_squared": pair.r_squared(own),
        "rmse": pair.root_mean_squared_error(own),
        "mae": pair.mean_absolute_error(own),
        "smd": pair.standardized_mean_difference(own),
        "dsm": pair.difference_of_standardized_means(
            own, pair.mean_x(whole), pair.mean_y(whole), pair.sd_x(whole), pair.sd_y(whole)
        ),
        "exact_agreement": pair.exact_agreement(own),
        "adjacent_agreement": pair.adjacent_agreement(own),
    }
