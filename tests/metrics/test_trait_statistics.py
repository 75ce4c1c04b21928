"""Compare composite, halo, and added value with statistics of one trait and with simulated values."""

import numpy as np
import pytest
from trait_files import ERRORS, NOISE, TRUE, drawn

from reportgen import metrics


@pytest.fixture(scope="module")
def gappy() -> tuple[np.ndarray, np.ndarray]:
    """Return engine scores and ratings with gaps."""
    _, ratings, system = drawn(300, 11)
    ratings[::3, 1] = np.nan
    ratings[1::7, 0, 2] = np.nan
    system[5, 1] = np.nan
    return system, ratings


def test_composite_prmse_is_prmse_of_weighted_sums(gappy: tuple[np.ndarray, np.ndarray]) -> None:
    system, ratings = gappy
    weights = np.array([1.0, 2.5, 0.5])
    summed = metrics.prmse(system @ weights, ratings @ weights).prmse
    assert metrics.composite_prmse(system, ratings, weights=weights) == pytest.approx(summed, rel=1e-12)


def test_error_covariance_has_error_variances_on_diagonal(gappy: tuple[np.ndarray, np.ndarray]) -> None:
    ratings = gappy[1]
    whole = np.where(np.isnan(ratings).any(axis=2)[:, :, None], np.nan, ratings)
    found = np.diag(metrics.rater_error_covariance(ratings))
    assert found == pytest.approx([metrics.rater_error_variance(whole[:, :, trait]) for trait in range(3)], rel=1e-12)


def test_error_covariance_of_two_raters_is_half_mean_product_of_differences() -> None:
    ratings = drawn(200, 3).ratings
    gaps = ratings[:, 0] - ratings[:, 1]
    expected = (gaps[:, :, None] * gaps[:, None, :]).mean(axis=0) / 2
    assert metrics.rater_error_covariance(ratings) == pytest.approx(expected, rel=1e-10)


def test_trait_statistics_match_simulated_values() -> None:
    """With 20,000 responses, standard errors are near .007 for correlations and .004 for PRMSE."""
    _, ratings, system = drawn(20_000, 1)
    found = metrics.trait_correlations(system, ratings)
    halo, true = ERRORS[0, 1] / ERRORS[0, 0], TRUE[0, 1] / TRUE[0, 0]
    engine = TRUE[0, 1] / (TRUE[0, 0] + NOISE**2)
    upper = np.triu_indices(3, 1)
    assert found.errors[upper] == pytest.approx(halo, abs=0.025)
    assert found.true[upper] == pytest.approx(true, abs=0.025)
    assert found.system[upper] == pytest.approx(engine, abs=0.025)
    assert found.rater[upper] == pytest.approx((TRUE + ERRORS)[0, 1] / (TRUE + ERRORS)[0, 0], abs=0.025)
    assert metrics.composite_prmse(system, ratings) == pytest.approx(1 - 3 * NOISE**2 / TRUE.sum(), abs=0.01)
    total = TRUE[0].sum() ** 2 / ((TRUE.sum() + 3 * NOISE**2) * TRUE[0, 0])
    value = metrics.added_value(system, ratings)
    assert value.own == pytest.approx(TRUE[0, 0] / (TRUE[0, 0] + NOISE**2), abs=0.02)
    assert value.total == pytest.approx(total, abs=0.02)


def test_trait_statistics_without_double_scores_are_undefined() -> None:
    _, ratings, system = drawn(50, 2)
    ratings[:, 1] = np.nan
    assert np.isnan(metrics.rater_error_covariance(ratings)).all()
    assert np.isnan(metrics.composite_prmse(system, ratings))
    assert np.isnan(metrics.added_value(system, ratings).own).all()


def test_trait_correlation_of_constant_trait_is_undefined() -> None:
    _, ratings, system = drawn(60, 2)
    system[:, 1] = 3.0
    found = metrics.trait_correlations(system, ratings).system
    assert np.isnan(found[0, 1])
    assert np.isfinite(found[0, 2])


@pytest.mark.parametrize(
    ("system", "ratings", "weights"),
    [
        ([[1, 2]], [[1, 2]], None), ([[1, 2, 3]], [[[1, 2], [2, 2]]], None), ([[1, 2]], [[[1, np.inf], [2, 2]]], None),
        ([[1, np.inf]], [[[1, 2], [2, 2]]], None), ([[1, 2]], [[[1, 2], [2, 2]]], [1, 2, 3]),
        ([[1, 2]], [[[1, 2], [2, 2]]], [1, np.nan]),
    ],
)  # fmt: skip
def test_composite_prmse_rejects_invalid_input(system: object, ratings: object, weights: object) -> None:
    with pytest.raises(ValueError, match=r"must"):
        metrics.composite_prmse(system, ratings, weights=weights)  # type: ignore[arg-type]
