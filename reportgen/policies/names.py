"""What statistics are called that are no metric of the catalogue, for a criterion that names none itself."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from reportgen.metrics import METRICS

NAMES: Mapping[str, str] = MappingProxyType({
    "judges.advantage": "Average advantage probability over raters",
    "judges.calibrated_mean": "Mean human score of all responses, calibrated",
    "judges.length_system": "Correlation of engine scores with length",
    "judges.length_human": "Correlation of human scores with length",
    "judges.length_given_human_score": "Correlation of engine scores with length, given the human score",
    "judges.length_given_true_score": "Correlation of engine scores with length, given the true score",
    "judges.length_points": "Engine points per standard deviation of length, given the true score",
    "largest_group_difference": "Largest difference of standardized means among groups",
    "levels.lowest_kept": "Lowest human scores kept by the engine",
    "levels.highest_kept": "Highest human scores kept by the engine",
    "levels.extremes_kept": "Lowest or highest human scores kept by the engine",
    "raters.mean_difference": "Difference of the two raters' means",
    "raters.sd_ratio": "Ratio of the two raters' standard deviations",
    "raters.r_first": "Correlation of engine and first rater",
    "raters.r_second": "Correlation of engine and second rater",
    "raters.r_difference": "Difference of the two raters' correlations with the engine",
    "raters.error_variance_trend": "Trend of rater error variance over the scale",
    "raters.error_variance_ratio": "Ratio of rater error variances",
    "raters.error_variance_without_severity": "Rater error variance without severity",
    "raters.prmse_rise_by_severity": "Rise of PRMSE by differences in severity",
    "reliability.icc_1": "Intraclass correlation ICC(1)",
    "reliability.icc_a1": "Intraclass correlation ICC(A,1)",
    "reliability.icc_c1": "Intraclass correlation ICC(C,1)",
    "reliability.icc_k": "Intraclass correlation ICC(k)",
    "reliability.icc_ak": "Intraclass correlation ICC(A,k)",
    "reliability.icc_ck": "Intraclass correlation ICC(C,k)",
    "reliability.generalizability": "Generalizability of one rating",
    "reliability.dependability": "Dependability of one rating",
    "reliability.generalizability_2": "Generalizability of the mean of two ratings",
    "reliability.dependability_2": "Dependability of the mean of two ratings",
    "runs.response": "Variance of engine scores between responses",
    "runs.run": "Variance of engine scores between runs",
    "runs.residual": "Variance of engine scores from run to run within responses",
    "runs.run_to_run": "Variance of engine scores from run to run",
    "runs.sd": "Standard deviation of engine scores from run to run",
    "runs.reliability": "Reliability of one run",
    "runs.prmse_one": "PRMSE of one run",
    "runs.prmse_mean": "PRMSE of the mean of runs",
    "runs.prmse_gain": "Gain in PRMSE from the mean of runs",
})  # fmt: skip

WHOSE = (("panel.human.", " of two raters"), ("panel.raters.", " of all raters"), ("panel.", ""), ("true_score.", ""))
"""How keys of metrics begin that stand below a family, and how their names end."""


def name_of(statistic: str) -> str:
    """Return what a statistic is called; its key when it has no name.

    Examples
    --------
    >>> name_of("judges.advantage")
    'Average advantage probability over raters'
    >>> name_of("panel.human.kappa_linear"), name_of("panel.tau_b_unrounded"), name_of("own.thing")
    ('Linear weighted kappa of two raters', "Kendall's tau-b, engine unrounded", 'own.thing')
    >>> name_of("true_score.prmse_of_ratings_2")
    'PRMSE of the mean of ratings (2)'
    """
    if statistic in NAMES:
        return NAMES[statistic]
    for start, end in WHOSE:
        key = statistic.removeprefix(start)
        metric, _, last = key.rpartition("_")
        if key == statistic:
            continue
        if key in METRICS:
            return METRICS[key].label + end
        if metric in METRICS:
            return METRICS[metric].label + (f" ({last})" if last.isdigit() else f", engine {last}")
    return statistic
