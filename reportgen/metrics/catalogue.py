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
)

METRICS: Mapping[str, Metric] = MappingProxyType({metric.key: metric for metric in _CATALOGUE})
"""Every metric of the report by key, in the order tables print them."""
