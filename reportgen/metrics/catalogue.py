"""The metrics a report prints: how each is written, where it can lie, and where it comes from.

What a metric is called, asks and means stands in the vocabulary (``templates/words/statistics.toml``) under its key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from reportgen.metrics.metric import DESCRIPTIVE, INF, Metric, Place, Transform
from reportgen.metrics.metric import DESCRIPTIVE as _DESCRIPTIVE
from reportgen.metrics.metric import INF as _INF
from reportgen.metrics.pair import OWN, pair_statistics
from reportgen.metrics.two_categories import CATEGORY_STATISTICS

AGREEMENT_METRICS = (
    Metric(
        "kappa_linear",
        "coefficient",
        (-1, 1),
        "high",
        "(po - pe) / (1 - pe) with credit 1 - |a - b| / range",
        "Cohen 1968",
        "fisher",
    ),
    Metric(
        "kappa_quadratic",
        "coefficient",
        (-1, 1),
        "high",
        "(po - pe) / (1 - pe) with credit 1 - (a - b)^2 / range^2",
        "Cohen 1968",
        "fisher",
    ),
    Metric(
        "scott",
        "coefficient",
        (-INF, 1),
        "high",
        "(po - pe) / (1 - pe), pe from the shares of both raters together",
        "Scott 1955; Fleiss 1971",
        "log1m",
    ),
    Metric(
        "bp",
        "coefficient",
        (-INF, 1),
        "high",
        "(po - 1 / K) / (1 - 1 / K)",
        "Brennan and Prediger 1981",
        "log1m",
    ),
    Metric(
        "bp_linear",
        "coefficient",
        (-INF, 1),
        "high",
        "(po - pe) / (1 - pe), pe the mean of all linear weights",
        "Brennan and Prediger 1981; Gwet 2014",
        "log1m",
    ),
    Metric(
        "bp_quadratic",
        "coefficient",
        (-INF, 1),
        "high",
        "(po - pe) / (1 - pe), pe the mean of all quadratic weights",
        "Brennan and Prediger 1981; Gwet 2014",
        "log1m",
    ),
    Metric(
        "ac1",
        "coefficient",
        (-INF, 1),
        "high",
        "(po - pe) / (1 - pe), pe = sum of share (1 - share) / (K - 1)",
        "Gwet 2008",
        "log1m",
    ),
    Metric(
        "ac2_linear",
        "coefficient",
        (-INF, 1),
        "high",
        "(po - pe) / (1 - pe), pe = mean weight x K / (K - 1) x sum of share (1 - share)",
        "Gwet 2014",
        "log1m",
    ),
    Metric(
        "ac2_quadratic",
        "coefficient",
        (-INF, 1),
        "high",
        "(po - pe) / (1 - pe), pe = mean weight x K / (K - 1) x sum of share (1 - share)",
        "Gwet 2014",
        "log1m",
    ),
    Metric(
        "alpha_nominal",
        "coefficient",
        (-INF, 1),
        "high",
        "1 - observed / expected disagreement",
        "Krippendorff 2011",
        "log1m",
    ),
    Metric(
        "alpha_ordinal",
        "coefficient",
        (-INF, 1),
        "high",
        "1 - observed / expected squared distance of mid-ranks",
        "Krippendorff 2011",
        "log1m",
    ),
    Metric(
        "alpha_interval",
        "coefficient",
        (-INF, 1),
        "high",
        "1 - observed / expected squared difference",
        "Krippendorff 2011",
        "log1m",
    ),
    Metric(
        "tau_b",
        "coefficient",
        (-1, 1),
        "high",
        "(concordant - discordant pairs) / root of (pairs not tied in h x pairs not tied in s)",
        "Kendall 1945",
        "fisher",
    ),
    Metric(
        "spearman",
        "coefficient",
        (-1, 1),
        "high",
        "Pearson correlation of the mid-ranks",
        "Spearman 1904; Kendall 1945",
        "fisher",
    ),
    Metric(
        "ac_less_kappa",
        "difference",
        (-INF, INF),
        "",
        "Gwet's coefficient less Cohen's kappa with the same weights",
        "Gwet 2008",
    ),
)


LEVEL_METRICS = (
    Metric(
        "macro_rmse",
        "score",
        (0, INF),
        "low",
        "mean over human score levels of the RMSE within the level",
        "Baccianella, Esuli and Sebastiani 2009; Yannakoudakis and Cummins 2015",
        "log",
    ),
    Metric(
        "level_rmse",
        "score",
        (0, INF),
        "low",
        "root of the mean of (h - s)^2 over responses of one human score level",
        "Haberman 2008",
        "log",
    ),
    Metric(
        "off_by_two",
        "percent",
        (0, 100),
        "low",
        "100 x share of |h - s| of two or more points (or bands) of the scale",
        "definition",
        "wilson",
    ),
    Metric(
        "recall",
        "percent",
        (0, 100),
        "high",
        "100 x share of responses of this human score that the engine gives the same",
        "definition",
        "wilson",
    ),
    Metric(
        "precision",
        "percent",
        (0, 100),
        "high",
        "100 x share of responses of this engine score that the human gives the same",
        "definition",
        "wilson",
    ),
    Metric(
        "mean_error",
        "difference",
        (-INF, INF),
        "zero",
        "mean of s - h",
        DESCRIPTIVE,
    ),
    Metric(
        "calibration_gap",
        "difference",
        (-INF, INF),
        "zero",
        "mean of h - s over responses of one engine score band",
        DESCRIPTIVE,
    ),
    Metric(
        "calibration_slope",
        "coefficient",
        (-INF, INF),
        "",
        "cov(h, s) / var s: slope of the human score on the engine score, 1 when calibrated",
        DESCRIPTIVE,
    ),
    Metric(
        "error_slope",
        "coefficient",
        (-INF, INF),
        "",
        "cov(h, s) / var h - 1",
        "Lord and Novick 1968",
    ),
    Metric(
        "expected_error_slope",
        "coefficient",
        (-INF, INF),
        "",
        "- rater error variance / var h",
        "Lord and Novick 1968",
    ),
    Metric(
        "true_sd",
        "score",
        (0, INF),
        "",
        "root of the true-score variance",
        "Loukina et al. 2020",
        "log",
    ),
    Metric(
        "share_difference",
        "percent",
        (-100, 100),
        "zero",
        "share of engine scores less share of human scores at a level, in percentage points",
        DESCRIPTIVE,
    ),
)


__all__ = ["METRICS", "Metric", "Transform", "in_table"]

_N = Metric("n", "count", (0, _INF), "", "number of responses with both scores", _DESCRIPTIVE)

_DSM = Metric("dsm", "difference", (-_INF, _INF), "zero",
              "mean over the group of z(s) - z(h), z by mean and SD of all responses",
              "Loukina, Madnani and Zechner 2019",
              tables=("by_group", "human_human.by"))  # fmt: skip

_KAPPA = Metric("kappa", "coefficient", (-1, 1), "high",
                "(po - pe) / (1 - pe) of scores rounded half to even", "Cohen 1960", "fisher",
                tables=("system_human.agreement", "by_group", "human_human.agreement", "human_human.by",
                        "human_human.degradation"))  # fmt: skip

_CATALOGUE = (
    Metric(
        "prmse",
        "coefficient",
        (-_INF, _INF),
        "high",
        "1 - MSE(s, T) / var T, T the true score",
        "Haberman 2008; Loukina et al. 2020",
        in_theory=(-_INF, 1),
    ),
    Metric(
        "error_variance",
        "number",
        (0, _INF),
        "",
        "pooled variance of human scores within responses",
        "Loukina et al. 2020",
        "log",
    ),
    Metric(
        "true_variance",
        "number",
        (-_INF, _INF),
        "",
        "variance of human means less what rater error adds",
        "Loukina et al. 2020",
    ),
    Metric(
        "mse_true",
        "number",
        (-_INF, _INF),
        "low",
        "mean (h mean - s)^2, weighted by ratings, less what rater error adds",
        "Loukina et al. 2020",
    ),
    Metric(
        "disattenuated_r",
        "coefficient",
        (-_INF, _INF),
        "high",
        "r(h, s) / root of r(h1, h2)",
        "Spearman 1904",
        in_theory=(-1, 1),
    ),
    *AGREEMENT_METRICS,
    *LEVEL_METRICS,
)

_TRUE_SCORES = (
    Metric("rho", "coefficient", (-_INF, _INF), "high",
           "cov(s, T) / (SD s x SD T)", "Casabianca et al. 2023", in_theory=(-1, 1)),
    Metric("gamma", "coefficient", (-_INF, _INF), "",
           "SD s / (rho x SD T), best at 1", "Casabianca et al. 2023"),
    Metric("delta", "difference", (-_INF, _INF), "zero",
           "(mean s - mean T) / SD T", "Casabianca et al. 2023"),
    Metric("best_prmse", "coefficient", (0, _INF), "high",
           "rho^2", "Casabianca et al. 2023; Haberman and Qian 2007", in_theory=(0, 1)),
    Metric("scale_loss", "coefficient", (0, _INF), "low",
           "rho^2 (1 - gamma)^2", "Casabianca et al. 2023"),
    Metric("bias_loss", "coefficient", (0, _INF), "low",
           "delta^2", "Casabianca et al. 2023"),
    Metric("slope", "number", (-_INF, _INF), "",
           "cov(s, T) / var s", "Haberman and Qian 2007"),
    Metric("intercept", "number", (-_INF, _INF), "",
           "mean T - slope x mean s", "Haberman and Qian 2007"),
    Metric("rounding_cost", "coefficient", (-_INF, _INF), "low",
           "PRMSE of the score - PRMSE of the rounded score", "definition"),
    Metric("relative_error", "coefficient", (-_INF, _INF),
           "low", "MSE(s, T) / rater error variance", "classical test theory"),
    Metric("rating_equivalents", "coefficient", (0, _INF), "high",
           "rater error variance / MSE(s, T)", "classical test theory"),
    Metric("human_reliability", "coefficient", (0, 1), "high",
           "var T / (var T + rater error variance)", "classical test theory"),
    Metric("prmse_of_ratings", "coefficient", (-_INF, 1), "high",
           "1 - rater error variance / (k var T)", "classical test theory"),
    Metric("true_r", "coefficient", (0, _INF), "high",
           "root of var T / var h", "Lord and Novick 1968", in_theory=(0, 1)),
    Metric("true_qwk", "coefficient", (0, _INF), "high",
           "2 var T / (var h + var T)", "Cohen 1968; classical test theory", in_theory=(0, 1)),
    Metric("exchange_r", "difference",
           (-2, 2), "high", "mean of r(h1, s) and r(h2, s), less r(h1, h2), on the same responses",
           "Williamson, Xi and Breyer 2012"),
    Metric("exchange_qwk", "difference",
           (-2, 2), "high", "mean of QWK(h1, s) and QWK(h2, s), less QWK(h1, h2), on the same responses",
           "Williamson, Xi and Breyer 2012"),
    Metric("rater_gap_r", "difference",
           (-2, 2), "zero", "r(h2, s) - r(h1, s), on the same responses", "Loukina et al. 2020"),
    Metric("rater_gap_qwk", "difference",
           (-2, 2), "zero", "QWK(h2, s) - QWK(h1, s), on the same responses", "Loukina et al. 2020"),
)  # fmt: skip

_TRAITS = (
    Metric("trait_r_system", "coefficient", (-1, 1), "",
           "cov(ms, mt) / (SD ms x SD mt)", "Pearson 1896", "fisher"),
    Metric("trait_r_true", "coefficient", (-_INF, _INF), "",
           "cov(h1s, h2t) / root of cov(h1s, h2s) cov(h1t, h2t)", "Spearman 1904", in_theory=(-1, 1)),
    Metric("trait_r_excess", "difference", (-_INF, _INF), "zero", "r(ms, mt) - r(Ts, Tt)", "Spearman 1904",
           in_theory=(-2, 2)),
    Metric("trait_r_rater", "coefficient",
           (-_INF, _INF), "", "cov(h1s, h1t) / (SD h1s x SD h1t)", "Pearson 1896", in_theory=(-1, 1)),
    Metric("halo", "coefficient", (-1, 1), "zero",
           "S[s,t] / root of S[s,s] S[t,t], S[s,t] = mean of (h1s - h2s)(h1t - h2t) / 2", "Thorndike 1920", "fisher"),
    Metric("prmse_own", "coefficient",
           (0, _INF), "high", "cov(ms, Ts)^2 / (var ms x var Ts)", "Haberman 2008", in_theory=(0, 1)),
    Metric("prmse_total", "coefficient",
           (0, _INF), "", "cov(m total, Ts)^2 / (var m total x var Ts)", "Haberman 2008", in_theory=(0, 1)),
    Metric("added_value", "difference",
           (-_INF, _INF), "high", "PRMSE from own - PRMSE from total", "Haberman 2008", in_theory=(-1, 1)),
)  # fmt: skip

_OTHERS = (_N, _DSM, _KAPPA, *_CATALOGUE, *_TRUE_SCORES, *CATEGORY_STATISTICS.values(), *_TRAITS)


class _Catalogue(Mapping[str, Metric]):
    """Every metric by key; those of installed packages are looked for when they are asked for."""

    @cached_property
    def _every(self) -> dict[str, Metric]:
        of_pairs = pair_statistics()
        return {metric.key: metric for metric in (*of_pairs.values(), *_OTHERS)}

    def __getitem__(self, key: str) -> Metric:
        return _KNOWN[key] if key in _KNOWN else self._every[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._every)

    def __len__(self) -> int:
        return len(self._every)


_KNOWN: Mapping[str, Metric] = {metric.key: metric for metric in (*OWN, *_OTHERS)}

METRICS: Mapping[str, Metric] = _Catalogue()
"""Every metric of the report by key."""


def in_table(place: Place) -> tuple[str, ...]:
    """Return the metrics of a table: association, then agreement on points, then differences of means.

    Examples
    --------
    >>> in_table("human_human.degradation")
    ('qwk', 'r', 'kappa', 'exact_agreement', 'adjacent_agreement', 'smd')
    """
    found = [metric for metric in METRICS.values() if place in metric.tables]
    return tuple(metric.key for metric in sorted(found, key=_order))


ACROSS_RATERS = ("true_score", "disattenuated", "human")
"""Families of numbers that other raters do not make better or worse: free of rater error, or of raters alone."""


def holds_across_raters(key: str) -> bool:
    """Return whether a number may be set beside the same one from other raters: free of their error, or descriptive.

    Other raters make QWK, r, RMSE, SMD and degradation better or worse of the same engine.

    Notes
    -----
    Loukina, Madnani, Cahill, Yao, Johnson, Riordan and McCaffrey (2020), sections 4.1 and 4.2.

    Examples
    --------
    >>> [holds_across_raters(key) for key in ("true_score.prmse", "system.system_mean", "system.qwk")]
    [True, True, False]
    """
    family, _, metric = key.partition(".")
    return family in ACROSS_RATERS or (metric in METRICS and not METRICS[metric].better)


def _order(metric: Metric) -> tuple[bool, bool, bool]:
    return metric.better == "zero", "system_human.agreement" in metric.tables, metric.kind == "percent"
