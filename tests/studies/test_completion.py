"""Completion keeps given ratings and recovers hidden ratings."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from reportgen.studies import completion
from reportgen.studies.completion import (
    METHODS,
    complete,
    different_orders,
    fit,
    low_rank_ratio,
    one_rating_each,
    predictions,
    smallest_nuclear_norm,
)

Floats = NDArray[np.float64]


def sample(seed: int, n: int = 400, gaps: float = 0.3) -> tuple[Floats, Floats]:
    """Return complete ratings by three raters, and the same ratings with gaps."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(n, 1))
    full = np.array([3.0, 3.5, 2.8]) + np.array([1.0, 0.6, 1.2]) * (quality + 0.5 * rng.normal(size=(n, 3)))
    left = full.copy()
    left[rng.random(full.shape) < gaps] = np.nan
    return full, left


@given(seed=st.integers(0, 1000), method=st.sampled_from(list(METHODS)), gaps=st.floats(0, 0.6))
@settings(max_examples=40, deadline=None)
def test_complete_keeps_given_ratings(seed: int, method: str, gaps: float) -> None:
    _, left = sample(seed, 60, gaps)
    done = complete(left, method, scale=(1, 5))
    known = np.isfinite(left)
    np.testing.assert_array_equal(done.values[known], left[known])
    assert np.isfinite(done.values).all()
    assert (done.errors[known] == 0).all()
    assert done.values[~known].min(initial=1) >= 1
    assert done.values[~known].max(initial=5) <= 5


def test_fit_without_gaps_has_sample_moments() -> None:
    full, _ = sample(1)
    found = fit(full)
    np.testing.assert_allclose(found.mean, full.mean(axis=0))
    np.testing.assert_allclose(found.covariance, np.cov(full.T, ddof=0), rtol=1e-5)


def test_fit_maximizes_observed_likelihood() -> None:
    """The gradient of the observed-data log likelihood is zero at the fit."""
    from scipy.stats import multivariate_normal

    _, left = sample(2, 200)
    found = fit(left)

    def likelihood(mean: Floats, covariance: Floats) -> float:
        total = 0.0
        for row in left:
            known = np.isfinite(row)
            if known.any():
                total += multivariate_normal(mean[known], covariance[np.ix_(known, known)]).logpdf(row[known])
        return total

    best = likelihood(found.mean, found.covariance)
    step = 1e-3
    for j in range(3):
        for sign in (1, -1):
            mean, covariance = found.mean.copy(), found.covariance.copy()
            mean[j] += sign * step
            assert likelihood(mean, found.covariance) < best + 1e-6
            covariance[j, j] *= 1 + sign * step
            assert likelihood(found.mean, covariance) < best + 1e-6
    assert found.converged


def plain_em(ratings: Floats, steps: int) -> tuple[Floats, Floats, Floats]:
    """Return filled ratings, mean, and covariance by plain EM (Little and Rubin 2019, 11.2)."""
    mean, covariance = np.nanmean(ratings, axis=0), np.diag(np.nanvar(ratings, axis=0))
    for _ in range(steps):
        values, spread = ratings.copy(), np.zeros_like(covariance)
        for row in values:
            known, gaps = np.isfinite(row), ~np.isfinite(row)
            slopes = np.linalg.solve(covariance[np.ix_(known, known)], covariance[np.ix_(known, gaps)])
            row[gaps] = mean[gaps] + (row[known] - mean[known]) @ slopes
            left = covariance[np.ix_(gaps, gaps)] - covariance[np.ix_(gaps, known)] @ slopes
            spread[np.ix_(gaps, gaps)] += left
        mean = values.mean(axis=0)
        covariance = ((values - mean).T @ (values - mean) + spread) / len(values)
    return values, mean, covariance


def crowd(seed: int, n: int, raters: int, fewest: int) -> Floats:
    """Return whole ratings from 1 to 5 by at least `fewest` raters for each response."""
    rng = np.random.default_rng(seed)
    scores = 3 + rng.normal(0, 0.4, raters) + rng.normal(size=(n, 1)) + 0.7 * rng.normal(size=(n, raters))
    full = np.clip(np.rint(scores), 1, 5)
    ranks = rng.random(full.shape).argsort(axis=1).argsort(axis=1)
    return np.where(ranks < rng.integers(fewest, raters + 1, (n, 1)), full, np.nan)


@pytest.mark.slow
@given(
    seed=st.integers(0, 10_000),
    shape=st.sampled_from([(100, 3, 1), (100, 4, 3), (150, 5, 3)]),
    unit=st.sampled_from([1.0, 1e6]),
)
@settings(max_examples=6, deadline=None)
def test_fit_matches_plain_em(seed: int, shape: tuple[int, int, int], unit: float) -> None:
    left = crowd(seed, *shape) * unit
    found = fit(left)
    assume(found.converged)
    values, mean, covariance = plain_em(left, 200)
    np.testing.assert_allclose(found.values, values, atol=0.02 * unit)
    np.testing.assert_allclose(found.mean, mean, atol=0.005 * unit)
    np.testing.assert_allclose(found.covariance, covariance, atol=0.02 * unit**2)


def test_fit_of_many_raters_converges_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain EM takes hundreds of steps, each with an inverse for every pattern of gaps."""
    monkeypatch.setattr(completion, "MOST_STEPS", 60)
    assert all(fit(crowd(seed, 400, 8, 3)).converged for seed in range(3))


def test_complete_fills_identical_and_constant_raters() -> None:
    ratings = crowd(7, 80, 3, 2)
    same = np.column_stack([ratings[:, 0], ratings[:, 0], np.where(np.isfinite(ratings[:, 1]), 3.0, np.nan)])
    same[::7, 1] = np.nan
    done = complete(same)
    gaps = np.isnan(same[:, 1]) & np.isfinite(same[:, 0])
    assert gaps.any()
    np.testing.assert_allclose(done.values[gaps, 1], same[gaps, 0], atol=1e-3)
    np.testing.assert_allclose(done.values[:, 2], 3.0, atol=1e-6)


def test_reported_error_matches_error() -> None:
    squared, stated = [], []
    for seed in range(20):
        full, left = sample(seed)
        done = complete(left)
        gaps = done.filled
        squared.append(((done.values - full)[gaps] ** 2).mean())
        stated.append((done.errors[gaps] ** 2).mean())
    assert np.mean(stated) == pytest.approx(np.mean(squared), rel=0.05)


def test_smallest_nuclear_norm_matches_optimizer() -> None:
    from scipy.optimize import minimize

    rng = np.random.default_rng(3)
    matrix = np.outer(rng.uniform(1, 3, 6), [1.0, 1.5]) + 0.1 * rng.normal(size=(6, 2))
    matrix[[1, 4], [0, 1]] = np.nan
    gaps = ~np.isfinite(matrix)

    def norm(values: Floats) -> float:
        filled = matrix.copy()
        filled[gaps] = values
        return float(np.linalg.svd(filled, compute_uv=False).sum())

    best = minimize(norm, np.zeros(2), method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-12})
    np.testing.assert_allclose(smallest_nuclear_norm(matrix)[gaps], best.x, atol=1e-4)


def test_low_rank_ratio_is_distance_to_rank_one() -> None:
    full, _ = sample(4, 50)
    two = full[:, :2]
    u, s, v = np.linalg.svd(two, full_matrices=False)
    near = s[0] * np.outer(u[:, 0], v[0])
    assert low_rank_ratio(two) == pytest.approx(np.linalg.norm(two - near) / np.linalg.norm(two))
    assert low_rank_ratio(np.outer([1, 2, 3], [1, 2])) == pytest.approx(0, abs=1e-12)


def test_complete_rejects_too_few_ratings() -> None:
    with pytest.raises(ValueError, match="rater 2 gave fewer than two ratings"):
        complete([[1.0, np.nan], [2.0, 3.0], [3.0, np.nan]])
    with pytest.raises(ValueError, match="require a scale"):
        complete([[1.0, 2.0], [2.0, np.nan], [2.0, 1.0]], "random")


def test_different_orders_and_one_rating_each() -> None:
    systems = ["a", "a", "b", "b", "c", "c"]
    first = np.array([1.0, 3, 2, 4, 5, 5])
    assert different_orders(first, -first, systems) == (3, 3)
    assert different_orders(first, first, systems) == (0, 3)
    assert different_orders(first, np.ones(6), systems) == (0, 3)
    ratings = np.array([[1.0, np.nan], [np.nan, 2.0], [np.nan, np.nan]])
    np.testing.assert_array_equal(one_rating_each(ratings, np.random.default_rng(0)), [1, 2, np.nan])


def test_predictions_match_regression() -> None:
    """Predictions match the regression of a rater on the others. A single rating has none."""
    rng = np.random.default_rng(3)
    ratings = rng.normal(3, 1, (400, 1)) + rng.normal(0, (0.3, 0.5, 0.7), (400, 3))
    found = predictions(ratings)
    design = np.column_stack([np.ones(400), ratings[:, [0, 2]]])
    fitted = design @ np.linalg.lstsq(design, ratings[:, 1], rcond=None)[0]
    np.testing.assert_allclose(found.values[:, 1], fitted, atol=1e-4)
    np.testing.assert_allclose(found.errors[0, 1], (ratings[:, 1] - fitted).std(), rtol=1e-4)
    gappy = ratings.copy()
    gappy[:50, 1:] = np.nan
    alone = predictions(gappy)
    assert not alone.checked[:50].any()
    assert alone.checked[50:].all()
