"""Every statistic of arrays takes options by name, weights, and missing values in the same way."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated import simulated

from reportgen import metrics
from reportgen.metrics import Coefficient
from reportgen.metrics.worked_examples import GWET_FOUR_RATERS

PAIRS: dict[str, dict[str, Any]] = {
    name: {}
    for name in (
        "exact_agreement", "percent_agreement", "quadratic_weighted_kappa", "pearson_r", "spearman_rho",
        "mean_squared_error", "root_mean_squared_error", "mean_absolute_error", "r_squared", "macro_averaged_rmse",
        "standardized_mean_difference",
    )
} | {"cohen_kappa": {"categories": range(1, 6), "weights": "linear"}, "exact_agreement": {"tolerance": 1},
     "difference_of_standardized_means": {"population": (3.0, 3.2, 1.1, 0.9)}}  # fmt: skip
"""Statistics of two scores, and their options."""

TABLES: dict[str, dict[str, Any]] = {
    name: {"categories": range(1, 6), "weights": "quadratic"}
    for name in ("brennan_prediger", "conger_kappa", "fleiss_kappa", "gwet_ac", "krippendorff_alpha")
} | {"rater_error_variance": {}, "true_score_variance": {}}
"""Statistics of ratings, and their options."""

TWO = (
    "sensitivity", "specificity", "positive_predictive_value", "negative_predictive_value", "balanced_accuracy",
    "f1_score", "matthews_correlation",
)  # fmt: skip


def numbers(found: Any) -> list[float]:
    if isinstance(found, Coefficient):
        return [found.value]
    if isinstance(found, float):
        return [found]
    parts = found if isinstance(found, tuple) else (found.prmse, found.error_variance, found.true_variance)
    return [float(each) for each in parts]


def drawn(seed: int, n: int = 40) -> tuple[np.ndarray, np.ndarray]:
    _, ratings, engine, rng = simulated(n, seed, 3, mean=3, error=0.7, ends=(1, 5))
    ratings[rng.random((n, 3)) < 0.1] = np.nan
    return ratings, np.clip(np.rint(engine), 1, 5)


def functions(seed: int) -> list[tuple[Callable[..., Any], tuple[np.ndarray, ...], dict[str, Any]]]:
    ratings, system = drawn(seed)
    pairs = [(name, (ratings[:, 0], system), options) for name, options in PAIRS.items()]
    two = [(name, ((ratings[:, 0] > 2) * 1.0, (system > 2) * 1.0), {"categories": (0, 1)}) for name in TWO]
    tables: list[tuple[str, tuple[np.ndarray, ...], dict[str, Any]]] = [
        (name, (ratings,), options) for name, options in TABLES.items()
    ]
    rated: list[tuple[str, tuple[np.ndarray, ...], dict[str, Any]]] = [("prmse", (system, ratings), {})]
    return [(getattr(metrics, name), arrays, options) for name, arrays, options in [*pairs, *two, *tables, *rated]]


@given(st.integers(0, 10_000))
@settings(max_examples=15, deadline=None)
def test_statistics_with_order_weights_and_masks_obey_contract(seed: int) -> None:
    rng = np.random.default_rng(seed)
    order, weight = rng.permutation(40), rng.integers(0, 4, 40)
    hidden = rng.random(40) < 0.2
    for function, arrays, options in functions(seed):
        plain = numbers(function(*arrays, **options))
        permuted = function(*(each[order] for each in arrays), **options)
        np.testing.assert_allclose(numbers(permuted), plain, rtol=1e-9, atol=1e-12, err_msg=function.__name__)
        once = function(*arrays, **options, sample_weight=np.ones(40))
        np.testing.assert_allclose(numbers(once), plain, rtol=1e-12, err_msg=function.__name__)
        weighted = numbers(function(*arrays, **options, sample_weight=weight))
        repeated = numbers(function(*(np.repeat(each, weight, axis=0) for each in arrays), **options))
        np.testing.assert_allclose(weighted, repeated, rtol=1e-9, atol=1e-12, err_msg=function.__name__)
        mask = hidden if arrays[0].ndim == 1 else np.repeat(hidden[:, None], 3, axis=1)
        masked = numbers(function(np.ma.masked_array(arrays[0], mask), *arrays[1:], **options))
        dropped = numbers(function(*(each[~hidden] for each in arrays), **options))
        np.testing.assert_allclose(masked, dropped, rtol=1e-9, atol=1e-12, err_msg=function.__name__)


def test_weighted_statistics_match_scikit_learn() -> None:
    rng = np.random.default_rng(3)
    human, system = rng.integers(1, 5, 80), rng.integers(1, 5, 80)
    weight = rng.random(80)
    own: dict[str, Any] = {"sample_weight": weight}
    assert metrics.mean_squared_error(human, system, **own) == pytest.approx(
        sklearn.metrics.mean_squared_error(human, system, **own)
    )
    assert metrics.mean_absolute_error(human, system, **own) == pytest.approx(
        sklearn.metrics.mean_absolute_error(human, system, **own)
    )
    assert metrics.r_squared(human, system, **own) == pytest.approx(sklearn.metrics.r2_score(human, system, **own))
    assert metrics.exact_agreement(human, system, **own) == pytest.approx(
        sklearn.metrics.accuracy_score(human, system, **own)
    )
    for weights in (None, "linear", "quadratic"):
        found = metrics.cohen_kappa(human, system, weights=weights or "identity", **own).value
        assert found == pytest.approx(sklearn.metrics.cohen_kappa_score(human, system, weights=weights, **own))
    quadratic = sklearn.metrics.cohen_kappa_score(human, system, weights="quadratic", **own)
    assert metrics.quadratic_weighted_kappa(human, system, **own) == pytest.approx(quadratic)
    passed, flagged = human > 2, system > 2
    for name, theirs in (
        ("sensitivity", sklearn.metrics.recall_score), ("positive_predictive_value", sklearn.metrics.precision_score),
        ("f1_score", sklearn.metrics.f1_score), ("matthews_correlation", sklearn.metrics.matthews_corrcoef),
        ("balanced_accuracy", sklearn.metrics.balanced_accuracy_score),
    ):  # fmt: skip
        assert getattr(metrics, name)(passed, flagged, **own) == pytest.approx(theirs(passed, flagged, **own)), name


def test_only_percent_agreement_is_a_percentage() -> None:
    human, system = [1, 0, 1, 1], [1, 0, 0, 1]
    assert (metrics.exact_agreement(human, system), metrics.percent_agreement(human, system)) == (0.75, 75.0)
    assert metrics.sensitivity(human, system) == pytest.approx(2 / 3)
    assert metrics.two_categories(human, system).sensitivity.high <= 1
    assert metrics.wilson_interval(1, 4)[1] <= 1


def test_exact_agreement_with_decimal_tolerance_ignores_rounding() -> None:
    assert metrics.exact_agreement([0.1, 0.3, 0.6], [0.3, 0.5, 0.8], tolerance=0.2) == 1


def test_standard_errors_ignore_scale_of_weights() -> None:
    plain = metrics.gwet_ac(GWET_FOUR_RATERS, categories=range(1, 6))
    n = len(GWET_FOUR_RATERS)
    for times in (1, 7):
        found = metrics.gwet_ac(GWET_FOUR_RATERS, categories=range(1, 6), sample_weight=np.full(n, times))
        assert (found.value, found.se) == pytest.approx((plain.value, plain.se))  # the scale of weights is no data
        assert found.n == plain.n
    assert float(plain) == plain.value


@pytest.mark.parametrize("weight", [[1, 1], [1, 1, -1], [1, 1, np.nan], [1, 1, np.inf]])
def test_statistics_reject_invalid_weights(weight: list[float]) -> None:
    for call in (metrics.pearson_r, metrics.cohen_kappa):
        with pytest.raises(ValueError, match="sample_weight"):
            call([1, 2, 3], [1, 2, 4], sample_weight=weight)
    with pytest.raises(ValueError, match="sample_weight"):
        metrics.krippendorff_alpha([[1, 2], [2, 2], [1, 1]], sample_weight=weight)


@pytest.mark.parametrize("name", ["kendall_tau_b", "intraclass_correlation", "cronbach_alpha", "generalizability"])
def test_statistics_without_weights_reject_them(name: str) -> None:
    with pytest.raises(TypeError, match="sample_weight"):
        getattr(metrics, name)([1, 2, 3], [1, 2, 4], sample_weight=[1, 1, 1])


def test_options_are_keyword_only() -> None:
    planning = {name for name in metrics.__all__ if name.startswith(("double_scores", "prmse_half", "prmse_power"))}
    exempt = planning | {
        "prmse_standard_error", "minimum_detectable_difference", "required_prmse", "alternative_annotator_test"
    }  # fmt: skip
    for name in set(metrics.__all__) - exempt:
        function = getattr(metrics, name)
        if not inspect.isfunction(function):
            continue
        for each in inspect.signature(function).parameters.values():
            assert each.default is each.empty or each.kind is each.KEYWORD_ONLY, (name, each.name)
