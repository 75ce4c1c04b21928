"""Composite, halo and added value: identities with the statistics of one trait, and what was planted is found."""

import numpy as np
import pytest
from trait_files import ERRORS, NOISE, TRUE, drawn

from reportgen import metrics


@pytest.fixture(scope="module")
def gappy() -> tuple[np.ndarray, np.ndarray]:
    """Return engine scores and ratings of which some are missing."""
    _, ratings, system = drawn(300, 11)
    ratings[::3, 1] = np.nan
    ratings[1::7, 0, 2] = np.nan
    system[5, 1] = np.nan
    return system, ratings


def test_the_composite_is_the_prmse_of_weighted_sums(gappy: tuple[np.ndarray, np.ndarray]) -> None:
    system, ratings = gappy
    weights = np.array([1.0, 2.5, 0.5])
    summed = metrics.prmse(system @ weights, ratings @ weights).prmse
    assert metrics.composite_prmse(system, ratings, weights=weights) == pytest.approx(summed, rel=1e-12)


def test_the_diagonal_is_the_error_variance_of_each_trait(gappy: tuple[np.ndarray, np.ndarray]) -> None:
    ratings = gappy[1]
    whole = np.where(np.isnan(ratings).any(axis=2)[:, :, None], np.nan, ratings)
    found = np.diag(metrics.rater_error_covariance(ratings))
    assert found == pytest.approx([metrics.rater_error_variance(whole[:, :, trait]) for trait in range(3)], rel=1e-12)


def test_with_two_raters_it_is_half_the_mean_product_of_their_differences() -> None:
    ratings = drawn(200, 3).ratings
    gaps = ratings[:, 0] - ratings[:, 1]
    expected = (gaps[:, :, None] * gaps[:, None, :]).mean(axis=0) / 2
    assert metrics.rater_error_covariance(ratings) == pytest.approx(expected, rel=1e-10)


def test_one_rating_with_errors_from_elsewhere_gives_the_formula_of_one_rating() -> None:
    """``1 - [E (v'(m - h))^2 - v'Sv] / [var v'h - v'Sv]``, errors as estimated from the responses rated twice."""
    _, ratings, system = drawn(4000, 9)
    weights = np.ones(3)
    error = weights @ metrics.rater_error_covariance(ratings) @ weights
    first = ratings[:, 0] @ weights
    formula = 1 - (((system @ weights - first) ** 2).mean() - error) / (first.var(ddof=1) - error)
    assert metrics.composite_prmse(system, ratings) == pytest.approx(formula, abs=0.01)


def test_what_was_planted_is_found() -> None:
    """20,000 responses: standard errors of correlations are near .007, of PRMSE near .004."""
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


def test_halo_is_what_one_rater_shares_beyond_two() -> None:
    """``cov(h1s, h1t) - cov(h1s, h2t)``, both ways round, but for the difference of severity."""
    ratings = drawn(500, 4).ratings
    ratings = ratings - ratings.mean(axis=0)
    same = sum(np.cov(ratings[:, rater].T, ddof=0) for rater in range(2)) / 2
    across = ratings[:, 0].T @ ratings[:, 1] / len(ratings)
    expected = same - (across + across.T) / 2
    assert metrics.rater_error_covariance(ratings) == pytest.approx(expected, rel=1e-10)


def test_without_double_scores_nothing_is_said_of_errors() -> None:
    _, ratings, system = drawn(50, 2)
    ratings[:, 1] = np.nan
    assert np.isnan(metrics.rater_error_covariance(ratings)).all()
    assert np.isnan(metrics.composite_prmse(system, ratings))
    assert np.isnan(metrics.added_value(system, ratings).own).all()


def test_a_trait_that_does_not_vary_has_no_correlation() -> None:
    _, ratings, system = drawn(60, 2)
    system[:, 1] = 3.0
    found = metrics.trait_correlations(system, ratings).system
    assert np.isnan(found[0, 1])
    assert np.isfinite(found[0, 2])


@pytest.mark.parametrize(
    ("system", "ratings", "weights"),
    [
        ([[1, 2]], [[1, 2]], None),
        ([[1, 2, 3]], [[[1, 2], [2, 2]]], None),
        ([[1, 2]], [[[1, np.inf], [2, 2]]], None),
        ([[1, np.inf]], [[[1, 2], [2, 2]]], None),
        ([[1, 2]], [[[1, 2], [2, 2]]], [1, 2, 3]),
        ([[1, 2]], [[[1, 2], [2, 2]]], [1, np.nan]),
    ],
)
def test_what_does_not_fit_is_refused(system: object, ratings: object, weights: object) -> None:
    with pytest.raises(ValueError, match=r"must"):
        metrics.composite_prmse(system, ratings, weights=weights)  # type: ignore[arg-type]
