"""Which statistics the report has, by name, as formulas on the sums of a slice and of the whole set."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from reportgen.metrics import attainable, pair, true_score
from reportgen.metrics.catalogue import in_table
from reportgen.metrics.pair_statistics import Formula, pair_statistics
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

    @property
    def both_vary(self) -> bool:
        """Whether it has an interval only where both scores vary."""
        return self.metric in _OF_PAIRS and _OF_PAIRS[self.metric].both_vary


AGREEMENT_METRICS = in_table("human_human.degradation")
"""What system-human and human-human agreement are compared on."""

_OF_PAIRS = pair_statistics()
_BETWEEN_RATERS = [metric for metric, each in _OF_PAIRS.items() if each.between_raters]


def _with_dsm(metrics: Iterable[str]) -> Iterator[str]:
    """Yield metrics, the difference of standardized means behind the standardized mean difference."""
    for metric in metrics:
        yield from (metric, "dsm") if metric == "smd" else (metric,)


TRUE_SCORE_METRICS = ("prmse", "error_variance", "true_variance", "mse_true")

ATTAINABLE_METRICS = ("true_r", "true_qwk")
"""What true scores themselves would reach beside the human score that the engine is held against."""

SUM_STATISTICS: Mapping[str, Statistic] = {
    statistic.key: statistic
    for statistic in (
        *(Statistic(f"system.{metric}", metric, "system") for metric in _with_dsm(_OF_PAIRS)),
        *(Statistic(f"human.{metric}", metric, "human") for metric in _with_dsm(_BETWEEN_RATERS)),
        *(Statistic(f"degradation.{metric}", metric, "human") for metric in AGREEMENT_METRICS if metric != "kappa"),
        *(Statistic(f"true_score.{metric}", metric, "multiple") for metric in TRUE_SCORE_METRICS),
        *(Statistic(f"attainable.{metric}", metric, "multiple") for metric in ATTAINABLE_METRICS),
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
        elif family == "attainable":
            found[key] = _ATTAINABLE[metric](own.system, own.human, own.ratings, variance)
        elif family == "system":
            found[key] = _pair(metric, own.system, whole.system)
        else:
            found[key] = _human(metric, own, whole)
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


def _pair(metric: str, own: PairSums, whole: PairSums) -> Floats:
    """Return a statistic of the engine beside the first human score."""
    return _dsm(own, whole) if metric == "dsm" else _OF_PAIRS[metric].formula_on_sums(own)


def _human(metric: str, own: Sums, whole: Sums) -> Floats:
    """Return a statistic of the first two raters."""
    if metric == "dsm_rsmtool":
        return _rsmtool_dsm(own, whole)
    if metric == "dsm":
        return _dsm(own.human, whole.human)
    return formula_of_raters(metric)(own.human)


def formula_of_raters(metric: str) -> Formula:
    """Return the formula of a statistic of two raters, on their sums."""
    statistic = _OF_PAIRS[metric]
    return statistic.of_raters or statistic.formula_on_sums


_TRUE_SCORE: Mapping[str, Callable[[RatingSums, float | None], Floats]] = {
    "prmse": true_score.prmse,
    "true_variance": true_score.true_score_variance,
    "mse_true": true_score.mean_squared_error_true,
    "error_variance": lambda sums, _: true_score.rater_error_variance(sums),
}

_ATTAINABLE: Mapping[str, Callable[[PairSums, PairSums, RatingSums, float | None], Floats]] = {
    "true_r": attainable.true_r,
    "true_qwk": attainable.true_qwk,
}
