"""Undefined statistics have reasons, and conventional values of edge cases are kept."""

import math
import warnings
from collections.abc import Callable

import numpy as np
import pytest

from reportgen import metrics

PAIR_METRICS = [
    metrics.quadratic_weighted_kappa, metrics.pearson_r, metrics.spearman_rho, metrics.kendall_tau_b,
    metrics.mean_squared_error, metrics.root_mean_squared_error, metrics.mean_absolute_error, metrics.r_squared,
    metrics.macro_averaged_rmse, metrics.percent_agreement, metrics.standardized_mean_difference,
    metrics.difference_of_standardized_means,
]  # fmt: skip
RATING_METRICS = [
    metrics.brennan_prediger, metrics.conger_kappa, metrics.fleiss_kappa, metrics.gwet_ac, metrics.krippendorff_alpha,
]  # fmt: skip

PairMetric = Callable[..., float]


@pytest.mark.parametrize("metric", PAIR_METRICS)
def test_pair_statistics_without_pairs_are_nan(metric: PairMetric) -> None:
    assert math.isnan(metric([], []))
    assert math.isnan(metric([1, np.nan], [np.nan, 2]))


@pytest.mark.parametrize("metric", PAIR_METRICS)
def test_pair_statistics_ignore_incomplete_pairs(metric: PairMetric) -> None:
    complete = metric([1, 2, 4, 3], [2, 2, 5, 1])
    assert metric([1, np.nan, 2, 4, 3, 6], [2, 5, 2, 5, 1, np.nan]) == complete


@pytest.mark.parametrize("metric", PAIR_METRICS)
def test_pair_statistics_reject_infinite_scores_and_unequal_lengths(metric: PairMetric) -> None:
    with pytest.raises(ValueError, match="infinite"):
        metric([1, np.inf], [1, 2])
    with pytest.raises(ValueError, match="length"):
        metric([1, 2, 3], [1, 2])


@pytest.mark.parametrize("constant", [3.0, 0.1 + 0.2, 1e6 + 0.1, 1e-9])
def test_statistics_of_constant_scores(constant: float) -> None:
    same, other = np.full(7, constant), np.array([1.0, 2, 3, 1, 2, 3, 1])
    for first, second in ((same, other), (other, same)):
        assert math.isnan(metrics.pearson_r(first, second))
        assert math.isnan(metrics.spearman_rho(first, second))
        assert math.isnan(metrics.kendall_tau_b(first, second))
        assert metrics.quadratic_weighted_kappa(first, second) == 0
    assert metrics.r_squared(same, other) == 0
    assert metrics.r_squared(same, same) == 1
    assert math.isnan(metrics.quadratic_weighted_kappa(same, same))
    assert math.isnan(metrics.standardized_mean_difference(same, other))
    assert math.isnan(metrics.difference_of_standardized_means(other, same))
    assert metrics.root_mean_squared_error(same, same) == 0


@pytest.mark.parametrize("offset", [0.0, 3.0, 1000.0])
def test_statistics_of_nearly_constant_scores_are_defined(offset: float) -> None:
    """An SD of a ten-thousandth of a point is above zero."""
    h = offset + 1e-4 * np.array([1.0, 2, 3, 4, 5])
    s = offset + 1e-4 * np.array([2.0, 1, 4, 3, 5])
    assert metrics.pearson_r(h, s) == pytest.approx(0.8, abs=1e-6)
    assert metrics.quadratic_weighted_kappa(h, s) == pytest.approx(0.8, abs=1e-6)
    assert metrics.standardized_mean_difference(h, s + 1e-4) == pytest.approx(1 / math.sqrt(2.5), rel=1e-6)


@pytest.mark.parametrize("metric", RATING_METRICS)
def test_undefined_coefficients_have_reasons(metric: Callable[..., metrics.Coefficient]) -> None:
    for ratings, categories, reason in (
        (np.empty((0, 2)), [1, 2], "no response has a label"),
        ([[np.nan, np.nan]], [1, 2], "no response has a label"),
        ([[1, np.nan], [np.nan, 2]], [1, 2], "no response has two labels"),
        ([[1, 1], [1, 1]], None, "only one category was seen"),
    ):
        found = metric(ratings, categories=categories)
        assert math.isnan(found.value)
        assert math.isnan(found.low)
        assert reason in found.reason


def test_coefficients_of_one_label_on_declared_scale() -> None:
    same = [[2, 2], [2, 2], [2, 2]]
    for metric in (metrics.fleiss_kappa, metrics.conger_kappa, metrics.krippendorff_alpha):
        assert math.isnan(metric(same, categories=[1, 2, 3]).value)
        assert "every label is the same" in metric(same, categories=[1, 2, 3]).reason
    for metric in (metrics.gwet_ac, metrics.brennan_prediger):
        assert metric(same, categories=[1, 2, 3]).value == 1


def test_kappa_of_one_label_is_undefined_with_a_reason() -> None:
    for categories in (None, [1, 2, 3]):
        found = metrics.cohen_kappa([2, 2], [2, 2], categories=categories)
        assert math.isnan(found.value)
        assert math.isnan(found.se)
        assert found.reason
    assert math.isnan(metrics.cohen_kappa_of_tables(np.diag([5.0, 0.0])))


def test_a_single_response_has_no_standard_error() -> None:
    found = metrics.gwet_ac([[1, 2]], categories=[1, 2, 3])
    assert math.isfinite(found.value)
    assert math.isnan(found.se)
    assert math.isnan(found.high)


def test_statistics_of_one_pair() -> None:
    assert (metrics.mean_absolute_error([2], [3]), metrics.percent_agreement([2], [3], tolerance=1)) == (1, 100)
    undefined = (metrics.pearson_r, metrics.r_squared, metrics.standardized_mean_difference)
    assert np.isnan([metric([2], [3]) for metric in undefined]).all()


def test_perfect_agreement_has_an_error_of_zero() -> None:
    found = metrics.cohen_kappa([1, 2, 3, 1], [1, 2, 3, 1], categories=[1, 2, 3])
    assert found.value == pytest.approx(1)
    assert found.se == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("metric", RATING_METRICS)
def test_coefficients_reject_labels_outside_declared_scale(metric: Callable[..., object]) -> None:
    with pytest.raises(ValueError, match=r"not among the categories: 7, 9"):
        metric([[1, 9], [7, 2]], categories=[1, 2, 3])


def test_coefficients_reject_invalid_weights() -> None:
    ratings = [[1, 2], [2, 2]]
    refused: tuple[tuple[str, Callable[..., object], object, dict[str, object]], ...] = (
        ("symmetric", metrics.gwet_ac, ratings, {"categories": [1, 2], "weights": np.array([[1, 0.5], [0, 1]])}),
        ("shape", metrics.gwet_ac, ratings, {"categories": [1, 2, 3], "weights": np.eye(2)}),
        ("unknown", metrics.gwet_ac, ratings, {"weights": "cubic"}),
        ("at least 0", metrics.gwet_ac, [[-1, 1], [0, 1]], {"weights": "ratio"}),
        ("twice", metrics.gwet_ac, ratings, {"categories": [1, 2, 2]}),
        ("not both", metrics.krippendorff_alpha, ratings, {"weights": "linear", "level": "ordinal"}),
        ("unknown", metrics.krippendorff_alpha, ratings, {"level": "cardinal"}),
    )
    for message, metric, labels, options in refused:
        with pytest.raises(ValueError, match=message):
            metric(labels, **options)
    with pytest.raises(ValueError, match="two raters"):
        metrics.scott_pi([[1, 2, 3]])


def test_weights_can_be_a_matrix() -> None:
    ratings = [[1, 2], [2, 2], [3, 1], [3, 3]]
    linear = [[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]]
    assert metrics.gwet_ac(ratings, weights=linear).value == metrics.gwet_ac(ratings, weights="linear").value


def test_prmse_without_double_scoring() -> None:
    system, ratings = [1, 2, 3, 4, 5], [[1, np.nan], [2, np.nan], [3, np.nan], [np.nan, 2], [np.nan, 3]]
    found = metrics.prmse(system, ratings)
    assert math.isnan(found.prmse)
    assert "no response has two ratings" in found.reason
    assert (found.n, found.n_single, found.n_multiple) == (5, 5, 0)
    known = metrics.prmse(system, ratings, error_variance=0.1)
    assert math.isfinite(known.prmse)
    assert known.reason == ""


def test_prmse_ignores_responses_without_score() -> None:
    ratings = np.array([[1.0, 2], [3, 3], [4, 5], [2, 2]])
    system = np.array([1.0, 3, 4, 2.5])
    poisoned = np.vstack([ratings, [np.nan, np.nan], [3, 3]])
    assert metrics.prmse(np.append(system, [3, np.nan]), poisoned) == metrics.prmse(system, ratings)
    assert metrics.true_score_variance(poisoned[:-1]) == pytest.approx(metrics.true_score_variance(ratings))


def test_prmse_of_too_few_responses_is_undefined() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "no response" in metrics.prmse([], np.empty((0, 2))).reason
        assert metrics.prmse([3], [[3, 4]]).reason == "one response has no variance"
        assert math.isnan(metrics.prmse([3], [[3, 4]]).prmse)
        assert math.isnan(metrics.rater_error_variance([[1, np.nan]]))
        assert math.isnan(metrics.prmse_components([1, 2], [[1, 1], [1, 1]]).rho)


def test_prmse_can_be_negative() -> None:
    """If raters differ more within responses than between them, the true-score variance is negative."""
    found = metrics.prmse([1, 2, 3, 4], [[1, 4], [4, 1], [1, 4], [4, 1]])
    assert found.true_variance < 0
    assert "0 or less" in found.reason
    assert metrics.prmse([9, 9, 1, 1], [[1, 1], [2, 2], [3, 3], [4, 4]]).prmse < -5


def test_undefined_prmse_components_have_reasons() -> None:
    ratings = [[1, 1], [2, 3], [4, 4]]
    constant = metrics.prmse_components([2, 2, 2], ratings)
    assert math.isnan(constant.rho)
    assert constant.reason == "every system score is the same"
    assert constant.delta < 0
    noise = metrics.prmse_components([1, 2], [[1, 2], [2, 1]])
    assert math.isnan(noise.rho)
    assert "0 or less" in noise.reason
    assert metrics.prmse_components([1, 2, 4], ratings).reason == ""


def test_prmse_rejects_invalid_error_variance() -> None:
    for wrong in (-0.1, math.nan, math.inf):
        with pytest.raises(ValueError, match="error_variance"):
            metrics.prmse([1, 2], [1, 2], error_variance=wrong)


def test_reliability_of_too_few_ratings_is_undefined() -> None:
    assert "two complete rows" in metrics.intraclass_correlation([[1, 2]]).reason
    assert "every rating is the same" in metrics.intraclass_correlation(np.ones((3, 2))).reason
    assert math.isnan(metrics.cronbach_alpha([[1.0, 2.0], [2.0, 1.0], [1.5, 1.5]]).value)
    lonely = metrics.generalizability([[1, np.nan], [np.nan, 2], [3, np.nan]])
    assert math.isnan(lonely.person)
    assert lonely.reason


def test_difference_of_standardized_means_with_population() -> None:
    human, system = np.array([1.0, 2, 3, 4, 5, 6]), np.array([2.0, 2, 3, 5, 5, 6])
    by_arrays = metrics.difference_of_standardized_means(human[:3], system[:3], population=(human, system))
    by_moments = metrics.difference_of_standardized_means(
        human[:3], system[:3], population=metrics.Population.of(human, system)
    )
    assert by_arrays == by_moments
    assert metrics.difference_of_standardized_means(human, system) == pytest.approx(0, abs=1e-15)
    assert math.isnan(metrics.difference_of_standardized_means([1, 2], [1, 2], population=(2, 2, 0, 1)))
    with pytest.raises(ValueError, match="3 items"):
        metrics.difference_of_standardized_means([1, 2], [1, 2], population=(2, 2, 0))  # type: ignore[arg-type]


def test_standardized_mean_difference_requires_population_sds() -> None:
    with pytest.raises(ValueError, match="population_human_sd"):
        metrics.standardized_mean_difference([1, 2], [1, 2], method="johnson")
    with pytest.raises(ValueError, match="population_system_sd"):
        metrics.standardized_mean_difference([1, 2], [1, 2], method="williamson", population_human_sd=1)
    with pytest.raises(ValueError, match="unknown"):
        metrics.standardized_mean_difference([1, 2], [1, 2], method="cohen")  # type: ignore[arg-type]
    assert math.isnan(metrics.standardized_mean_difference([1, 2], [1, 3], method="johnson", population_human_sd=0))


@pytest.mark.parametrize("seed", range(40))
def test_perfect_correlation_is_at_most_one(seed: int) -> None:
    """The square root of two sums of squares can be rounded below their product."""
    human = np.random.default_rng(seed).normal(3, 1, 37)
    assert abs(metrics.pearson_r(human, 0.1 * human + 0.7)) <= 1
    assert metrics.quadratic_weighted_kappa(human, human) <= 1
