"""The catalogue says enough about every metric, in words the results know."""

import inspect
import math
import subprocess
import sys
from typing import get_args

from reportgen import metrics, results

KEYS = [
    "h_mean", "h_sd", "system_mean", "system_sd", "qwk", "r", "r_squared", "rmse", "mae", "smd", "exact_agreement",
    "adjacent_agreement", "n", "dsm", "kappa", "prmse", "error_variance", "true_variance", "mse_true",
    "disattenuated_r", "kappa_linear", "kappa_quadratic", "scott", "bp", "bp_linear", "bp_quadratic", "ac1",
    "ac2_linear", "ac2_quadratic", "alpha_nominal", "alpha_ordinal", "alpha_interval", "tau_b", "spearman",
    "ac_less_kappa", "macro_rmse", "level_rmse", "off_by_two", "recall", "precision", "mean_error", "calibration_gap",
    "calibration_slope", "error_slope", "expected_error_slope", "true_sd", "share_difference", "rho", "gamma",
    "delta", "best_prmse", "scale_loss", "bias_loss", "slope", "intercept", "rounding_cost", "relative_error",
    "rating_equivalents", "human_reliability", "prmse_of_ratings", "true_r", "true_qwk", "exchange_r", "exchange_qwk",
    "rater_gap_r", "rater_gap_qwk",
    "sensitivity", "specificity", "balanced_accuracy", "f1", "positive_predictive_value",
    "negative_predictive_value", "base_rate", "positive_share", "matthews", "positive_agreement",
    "negative_agreement",
    "trait_r_system", "trait_r_true", "trait_r_excess", "trait_r_rater", "halo", "prmse_own", "prmse_total",
    "added_value",
]  # fmt: skip


def test_every_metric_of_the_report_is_there() -> None:
    assert list(metrics.METRICS) == KEYS


def test_a_metric_is_described() -> None:
    for key in KEYS:
        metric = metrics.METRICS[key]
        assert metric.key == key
        assert metric.kind in get_args(results.Kind), key
        assert metric.transform in get_args(metrics.Transform), key
        assert metric.range[0] < metric.range[1], key
        assert not metric.label, "its name stands in the vocabulary"
        assert metric.formula, key
        assert metric.source, key


def test_an_interval_scale_fits_the_range() -> None:
    """A transform maps the inside of the range onto the whole line, so no interval leaves the range."""
    for metric in metrics.METRICS.values():
        ends = {
            "fisher": (-1, 1), "log": (0, math.inf), "log1m": (-math.inf, 1), "wilson": (0, 100), "logit": (0, 1),
        }  # fmt: skip
        if metric.transform != "none":
            assert metric.range == ends[metric.transform], metric.key


def test_every_public_name_is_documented_with_a_source() -> None:
    for name in metrics.__all__:
        if name.islower() and not name.startswith("cohen_kappa_"):
            text = inspect.getdoc(getattr(metrics, name)) or ""
            for part in ("Returns", "References", "Examples"):
                assert f"{part}\n---" in text, (name, part)


def test_importing_metrics_stays_cheap() -> None:
    """Neither scipy nor pandas is loaded before something needs it."""
    code = "import sys, reportgen.metrics; print('scipy' in sys.modules, 'pandas' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.split() == ["False", "False"]
