"""The metrics a report prints: what each is called, how it is written, and where it comes from.

Everything that talks about a metric (tables, charts, interval code, the definitions page) reads this
catalogue, so a name or a source is changed in one place.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Transform = Literal["none", "fisher", "log", "log1m", "wilson"]
"""The scale on which an interval is symmetric.

none: the statistic itself; fisher: atanh x; log: log x; log1m: log(1 - x); wilson: Wilson's score
interval for a proportion.
"""

_INF = math.inf


@dataclass(frozen=True)
class Metric:
    """One printed statistic.

    Parameters
    ----------
    key
        Its name in settings, results.json and tables.
    label, abbreviation
        How it is written out, and in a narrow column.
    kind
        How its number is written; the words of `reportgen.results.Kind`.
    range
        The lowest and highest value it can take.
    better
        Where a good system lies: "high", "low", "zero", or "" for a description.
    formula
        In plain text; h is the human score, s the system score, n the number of responses.
    source
        Author and year; docs/metrics.md has the full reference.
    transform
        The scale on which its interval is symmetric.
    """

    key: str
    label: str
    abbreviation: str
    kind: Literal["count", "coefficient", "difference", "score", "percent", "number"]
    range: tuple[float, float]
    better: Literal["high", "low", "zero", ""]
    formula: str
    source: str
    transform: Transform = "none"


_DESCRIPTIVE = "descriptive statistic"

_CATALOGUE = (
    Metric("n", "Responses", "n", "count", (0, _INF), "", "number of responses with both scores", _DESCRIPTIVE),
    Metric("h_mean", "Human mean", "H mean", "score", (-_INF, _INF), "", "sum of h / n", _DESCRIPTIVE),
    Metric(
        "h_sd",
        "Human SD",
        "H SD",
        "score",
        (0, _INF),
        "",
        "root of sum of (h - mean h)^2 / (n - 1)",
        _DESCRIPTIVE,
        "log",
    ),
    Metric("system_mean", "Engine mean", "E mean", "score", (-_INF, _INF), "", "sum of s / n", _DESCRIPTIVE),
    Metric(
        "system_sd",
        "Engine SD",
        "E SD",
        "score",
        (0, _INF),
        "",
        "root of sum of (s - mean s)^2 / (n - 1)",
        _DESCRIPTIVE,
        "log",
    ),
    Metric(
        "r",
        "Pearson correlation",
        "r",
        "coefficient",
        (-1, 1),
        "high",
        "cov(h, s) / (SD h x SD s)",
        "Pearson 1896",
        "fisher",
    ),
    Metric(
        "qwk",
        "Quadratic weighted kappa",
        "QWK",
        "coefficient",
        (-1, 1),
        "high",
        "2 cov(h, s) / (var h + var s + (mean h - mean s)^2), divisor n",
        "Cohen 1968; Lin 1989; Haberman 2019",
        "fisher",
    ),
    Metric(
        "kappa",
        "Cohen's kappa",
        "\N{GREEK SMALL LETTER KAPPA}",
        "coefficient",
        (-1, 1),
        "high",
        "(po - pe) / (1 - pe) of scores rounded half to even",
        "Cohen 1960",
        "fisher",
    ),
    Metric(
        "exact_agreement",
        "Exact agreement",
        "Exact",
        "percent",
        (0, 100),
        "high",
        "100 x share of h = s",
        "Williamson, Xi and Breyer 2012",
        "wilson",
    ),
    Metric(
        "adjacent_agreement",
        "Exact or adjacent agreement",
        "Adjacent",
        "percent",
        (0, 100),
        "high",
        "100 x share of |h - s| <= 1",
        "Williamson, Xi and Breyer 2012",
        "wilson",
    ),
    Metric(
        "smd",
        "Standardized mean difference",
        "SMD",
        "difference",
        (-_INF, _INF),
        "zero",
        "(mean s - mean h) / SD h; between two humans the SDs are pooled",
        "Williamson, Xi and Breyer 2012",
    ),
    Metric(
        "dsm",
        "Difference of standardized means",
        "DSM",
        "difference",
        (-_INF, _INF),
        "zero",
        "mean over the group of z(s) - z(h), z by mean and SD of all responses",
        "Loukina, Madnani and Zechner 2019",
    ),
    Metric(
        "r_squared",
        "R squared",
        "R\N{SUPERSCRIPT TWO}",
        "coefficient",
        (-_INF, 1),
        "high",
        "1 - sum of (h - s)^2 / sum of (h - mean h)^2",
        "Haberman 2008",
        "log1m",
    ),
    Metric(
        "rmse",
        "Root mean squared error",
        "RMSE",
        "score",
        (0, _INF),
        "low",
        "root of sum of (h - s)^2 / n",
        "Haberman 2008",
        "log",
    ),
    Metric(
        "mae",
        "Mean absolute error",
        "MAE",
        "score",
        (0, _INF),
        "low",
        "sum of |h - s| / n",
        "Willmott and Matsuura 2005",
        "log",
    ),
    Metric(
        "prmse",
        "Proportional reduction in mean squared error",
        "PRMSE",
        "coefficient",
        (-_INF, _INF),
        "high",
        "1 - MSE(s, T) / var T, T the true score",
        "Haberman 2008; Loukina et al. 2020",
    ),
    Metric(
        "error_variance",
        "Rater error variance",
        "var E",
        "number",
        (0, _INF),
        "",
        "pooled variance of human scores within responses",
        "Loukina et al. 2020",
        "log",
    ),
    Metric(
        "true_variance",
        "True-score variance",
        "var T",
        "number",
        (-_INF, _INF),
        "",
        "variance of human means less what rater error adds",
        "Loukina et al. 2020",
    ),
    Metric(
        "mse_true",
        "Mean squared error against the true score",
        "MSE true",
        "number",
        (-_INF, _INF),
        "low",
        "mean (h mean - s)^2, weighted by ratings, less what rater error adds",
        "Loukina et al. 2020",
    ),
    Metric(
        "disattenuated_r",
        "Disattenuated correlation",
        "r true",
        "coefficient",
        (-_INF, _INF),
        "high",
        "r(h, s) / root of r(h1, h2)",
        "Spearman 1904",
    ),
    Metric(
        "kappa_linear",
        "Linear weighted kappa",
        "\N{GREEK SMALL LETTER KAPPA} linear",
        "coefficient",
        (-1, 1),
        "high",
        "(po - pe) / (1 - pe) with credit 1 - |a - b| / range",
        "Cohen 1968",
        "fisher",
    ),
    Metric(
        "kappa_quadratic",
        "Quadratic kappa, score points",
        "\N{GREEK SMALL LETTER KAPPA} quadratic",
        "coefficient",
        (-1, 1),
        "high",
        "(po - pe) / (1 - pe) with credit 1 - (a - b)^2 / range^2",
        "Cohen 1968",
        "fisher",
    ),
    Metric(
        "scott",
        "Scott's pi",
        "\N{GREEK SMALL LETTER PI}",
        "coefficient",
        (-_INF, 1),
        "high",
        "(po - pe) / (1 - pe), pe from the shares of both raters together",
        "Scott 1955; Fleiss 1971",
        "log1m",
    ),
    Metric(
        "bp",
        "Brennan-Prediger",
        "BP",
        "coefficient",
        (-_INF, 1),
        "high",
        "(po - 1 / K) / (1 - 1 / K)",
        "Brennan and Prediger 1981",
        "log1m",
    ),
    Metric(
        "bp_linear",
        "Brennan-Prediger, linear",
        "BP linear",
        "coefficient",
        (-_INF, 1),
        "high",
        "(po - pe) / (1 - pe), pe the mean of all linear weights",
        "Brennan and Prediger 1981; Gwet 2014",
        "log1m",
    ),
    Metric(
        "bp_quadratic",
        "Brennan-Prediger, quadratic",
        "BP quadratic",
        "coefficient",
        (-_INF, 1),
        "high",
        "(po - pe) / (1 - pe), pe the mean of all quadratic weights",
        "Brennan and Prediger 1981; Gwet 2014",
        "log1m",
    ),
    Metric(
        "ac1",
        "Gwet's AC1",
        "AC1",
        "coefficient",
        (-_INF, 1),
        "high",
        "(po - pe) / (1 - pe), pe = sum of share (1 - share) / (K - 1)",
        "Gwet 2008",
        "log1m",
    ),
    Metric(
        "ac2_linear",
        "Gwet's AC2, linear",
        "AC2 linear",
        "coefficient",
        (-_INF, 1),
        "high",
        "(po - pe) / (1 - pe), pe = mean weight x K / (K - 1) x sum of share (1 - share)",
        "Gwet 2014",
        "log1m",
    ),
    Metric(
        "ac2_quadratic",
        "Gwet's AC2, quadratic",
        "AC2 quadratic",
        "coefficient",
        (-_INF, 1),
        "high",
        "(po - pe) / (1 - pe), pe = mean weight x K / (K - 1) x sum of share (1 - share)",
        "Gwet 2014",
        "log1m",
    ),
    Metric(
        "alpha_nominal",
        "Krippendorff's alpha, nominal",
        "\N{GREEK SMALL LETTER ALPHA} nominal",
        "coefficient",
        (-_INF, 1),
        "high",
        "1 - observed / expected disagreement",
        "Krippendorff 2011",
        "log1m",
    ),
    Metric(
        "alpha_ordinal",
        "Krippendorff's alpha, ordinal",
        "\N{GREEK SMALL LETTER ALPHA} ordinal",
        "coefficient",
        (-_INF, 1),
        "high",
        "1 - observed / expected squared distance of mid-ranks",
        "Krippendorff 2011",
        "log1m",
    ),
    Metric(
        "alpha_interval",
        "Krippendorff's alpha, interval",
        "\N{GREEK SMALL LETTER ALPHA} interval",
        "coefficient",
        (-_INF, 1),
        "high",
        "1 - observed / expected squared difference",
        "Krippendorff 2011",
        "log1m",
    ),
    Metric(
        "tau_b",
        "Kendall's tau-b",
        "\N{GREEK SMALL LETTER TAU}-b",
        "coefficient",
        (-1, 1),
        "high",
        "(concordant - discordant pairs) / root of (pairs not tied in h x pairs not tied in s)",
        "Kendall 1945",
        "fisher",
    ),
    Metric(
        "spearman",
        "Spearman's rank correlation",
        "\N{GREEK SMALL LETTER RHO}",
        "coefficient",
        (-1, 1),
        "high",
        "Pearson correlation of the mid-ranks",
        "Spearman 1904; Kendall 1945",
        "fisher",
    ),
    Metric(
        "ac_less_kappa",
        "AC less kappa",
        "AC \N{MINUS SIGN} \N{GREEK SMALL LETTER KAPPA}",
        "difference",
        (-_INF, _INF),
        "",
        "Gwet's coefficient less Cohen's kappa with the same weights",
        "Gwet 2008",
    ),
    Metric(
        "macro_rmse",
        "Macro-averaged RMSE",
        "Macro RMSE",
        "score",
        (0, _INF),
        "low",
        "mean over human score levels of the RMSE within the level",
        "Baccianella, Esuli and Sebastiani 2009; Yannakoudakis and Cummins 2015",
        "log",
    ),
    Metric(
        "level_rmse",
        "RMSE within a human score level",
        "RMSE",
        "score",
        (0, _INF),
        "low",
        "root of the mean of (h - s)^2 over responses of one human score level",
        "Haberman 2008",
        "log",
    ),
    Metric(
        "off_by_two",
        "Off by two or more",
        "Off by 2+",
        "percent",
        (0, 100),
        "low",
        "100 x share of |h - s| of two or more points (or bands) of the scale",
        "definition",
        "wilson",
    ),
    Metric(
        "recall",
        "Recall of a human score",
        "Recall",
        "percent",
        (0, 100),
        "high",
        "100 x share of responses of this human score that the engine gives the same",
        "definition",
        "wilson",
    ),
    Metric(
        "precision",
        "Precision of an engine score",
        "Precision",
        "percent",
        (0, 100),
        "high",
        "100 x share of responses of this engine score that the human gives the same",
        "definition",
        "wilson",
    ),
    Metric(
        "mean_error",
        "Mean error",
        "Engine \N{MINUS SIGN} human",
        "difference",
        (-_INF, _INF),
        "zero",
        "mean of s - h",
        _DESCRIPTIVE,
    ),
    Metric(
        "calibration_gap",
        "Mean human minus mean engine score",
        "Human \N{MINUS SIGN} engine",
        "difference",
        (-_INF, _INF),
        "zero",
        "mean of h - s over responses of one engine score band",
        _DESCRIPTIVE,
    ),
    Metric(
        "calibration_slope",
        "Calibration slope",
        "Slope",
        "coefficient",
        (-_INF, _INF),
        "",
        "cov(h, s) / var s: slope of the human score on the engine score, 1 when calibrated",
        _DESCRIPTIVE,
    ),
    Metric(
        "error_slope",
        "Slope of the error on the human score",
        "Slope",
        "coefficient",
        (-_INF, _INF),
        "",
        "cov(h, s) / var h - 1",
        "Lord and Novick 1968",
    ),
    Metric(
        "expected_error_slope",
        "Slope of the error of a perfect engine",
        "Slope expected",
        "coefficient",
        (-_INF, _INF),
        "",
        "- rater error variance / var h",
        "Lord and Novick 1968",
    ),
    Metric(
        "true_sd",
        "SD of true scores",
        "SD true",
        "score",
        (0, _INF),
        "",
        "root of the true-score variance",
        "Loukina et al. 2020",
        "log",
    ),
    Metric(
        "share_difference",
        "Difference of shares",
        "E \N{MINUS SIGN} H",
        "percent",
        (-100, 100),
        "zero",
        "share of engine scores less share of human scores at a level, in percentage points",
        _DESCRIPTIVE,
    ),
)

METRICS: Mapping[str, Metric] = MappingProxyType({metric.key: metric for metric in _CATALOGUE})
"""Every metric of the report by key, in the order tables print them."""
