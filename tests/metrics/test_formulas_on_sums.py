"""Formulas work on several slices at once, on sums of a tally, and on complex numbers."""

import dataclasses
from collections.abc import Callable
from typing import TypeVar

import numpy as np
import pytest
from numpy.typing import NDArray

from reportgen.metrics import cohen_kappa_gradient, cohen_kappa_of_tables, pair, true_score
from reportgen.metrics._arrays import pair_sums, rating_sums
from reportgen.tally import AS_GIVEN, OVERALL, PairSums, RatingSums, moments, tally_of

Floats = NDArray[np.float64]

PAIR_FORMULAS = [
    pair.mean_x, pair.mean_y, pair.sd_x, pair.sd_y, pair.covariance, pair.pearson_r, pair.quadratic_weighted_kappa,
    pair.mean_squared_error, pair.root_mean_squared_error, pair.mean_absolute_error, pair.r_squared,
    pair.exact_agreement, pair.adjacent_agreement, pair.standardized_mean_difference,
    pair.standardized_mean_difference_pooled,
]  # fmt: skip
RATING_FORMULAS = [
    true_score.rater_error_variance, true_score.true_score_variance, true_score.mean_squared_error_true,
    true_score.prmse, true_score.true_score_correlation, true_score.scale_ratio, true_score.standardized_bias,
    true_score.best_slope, true_score.best_intercept,
]  # fmt: skip


def sample(seed: int, n: int = 30) -> tuple[Floats, Floats]:
    """Return system scores and two columns of ratings with gaps in the second."""
    rng = np.random.default_rng(seed)
    true = rng.normal(3.5, 1, n)
    ratings = np.rint(true[:, None] + rng.normal(0, 0.6, (n, 2))).clip(1, 6)
    ratings[rng.random(n) < 0.4, 1] = np.nan
    return true + rng.normal(0, 0.5, n), ratings


def named_sums(sums: Floats) -> PairSums:
    """Return a (9, slices) matrix of sums about 0 by name."""
    return PairSums(0.0, *sums)


def sums_about_zero(x: Floats, y: Floats) -> list[float]:
    """Return the nine sums of one slice."""
    gap = np.abs(x - y)
    parts = (len(x), x.sum(), y.sum(), x @ x, y @ y, x @ y, gap.sum(), (gap == 0).sum(), (gap <= 1).sum())
    return [float(part) for part in parts]


@pytest.mark.parametrize("formula", PAIR_FORMULAS)
def test_pair_formulas_of_slices_are_independent(formula: Callable[[PairSums], Floats]) -> None:
    """Combine empty, single, and constant slices with two ordinary ones."""
    (s1, r1), (s2, r2) = sample(1), sample(2)
    three = np.full(5, 3.0)
    data = [(r1[:, 0], s1), (np.empty(0), np.empty(0)), (r2[:, 0], s2), (three[:1], three[:1]), (three, three)]
    slices = np.array([sums_about_zero(x, y) for x, y in data]).T
    alone = np.array([formula(named_sums(slices[:, [i]]))[0] for i in range(len(data))])
    assert formula(named_sums(slices)) == pytest.approx(alone, abs=0, nan_ok=True)
    assert np.isnan(alone[1])
    assert np.isfinite(alone[[0, 2]]).all()


@pytest.mark.parametrize("formula", PAIR_FORMULAS)
def test_pair_formulas_match_for_arrays_and_tally(formula: Callable[[PairSums], Floats]) -> None:
    system, ratings = sample(3)
    named = moments(tally_of(system, ratings), OVERALL, AS_GIVEN).named()
    both = ~np.isnan(ratings[:, 1])
    assert formula(named.system) == pytest.approx(formula(pair_sums(ratings[:, 0], system)), rel=1e-10)
    assert formula(named.human) == pytest.approx(formula(pair_sums(*ratings[both].T)), rel=1e-10)


@pytest.mark.parametrize("formula", RATING_FORMULAS)
def test_rating_formulas_match_for_arrays_and_tally(formula: Callable[[RatingSums], Floats]) -> None:
    system, ratings = sample(4)
    named = moments(tally_of(system, ratings), OVERALL, AS_GIVEN).named()
    assert formula(named.ratings) == pytest.approx(formula(rating_sums(system, ratings)), rel=1e-9)


AnySums = TypeVar("AnySums", PairSums, RatingSums)


def check_complex_step(formula: Callable[[AnySums], Floats], sums: AnySums) -> None:
    """Compare the complex step with a central difference, for every sum in turn."""
    for field in dataclasses.fields(sums):
        if field.name == "centre":
            continue
        value = getattr(sums, field.name)
        step = 1e-6 * max(1.0, abs(float(value[0])))
        more, less, turned = (
            formula(dataclasses.replace(sums, **{field.name: moved}))
            for moved in (value + step, value - step, value + 1e-30j)
        )
        slope = np.imag(turned) / 1e-30
        assert slope == pytest.approx((more - less) / (2 * step), rel=1e-5, abs=1e-7)
        assert np.real(turned) == pytest.approx(formula(sums), rel=1e-14)


@pytest.mark.parametrize("formula", PAIR_FORMULAS)
def test_pair_formulas_support_complex_step(formula: Callable[[PairSums], Floats]) -> None:
    system, ratings = sample(5)
    check_complex_step(formula, pair_sums(ratings[:, 0], system))


@pytest.mark.parametrize("formula", RATING_FORMULAS)
def test_rating_formulas_support_complex_step(formula: Callable[[RatingSums], Floats]) -> None:
    system, ratings = sample(6, n=60)
    check_complex_step(formula, rating_sums(system, ratings))


@pytest.mark.parametrize("n", [2, 1000, 300_000])
@pytest.mark.parametrize("constant", [0.1 + 0.2, 4.0, 17.3])
def test_sd_of_constant_is_zero_for_any_center(n: int, constant: float) -> None:
    """Detect a constant even in sums added in sequence, which have the largest rounding error."""
    x = np.full(n, constant)
    varied = np.resize([1.0, 2.0], n)
    one_by_one = [np.cumsum(terms)[-1] for terms in (x, varied, x * x, varied * varied, x * varied)]
    sums = named_sums(np.array([[n, *one_by_one, 0, 0, 0]], float).T)
    assert pair.sd_x(sums)[0] == 0
    assert np.isnan(pair.pearson_r(sums)[0])
    assert pair.sd_y(sums)[0] == pytest.approx(np.std([1, 2] * (n // 2), ddof=1), rel=1e-6)


def test_prmse_uses_given_error_variance() -> None:
    system, ratings = sample(7)
    sums = rating_sums(system, ratings)
    free = true_score.prmse(sums)
    assert true_score.prmse(sums, true_score.rater_error_variance(sums)) == pytest.approx(free)
    assert true_score.prmse(sums, 0.0)[0] < free[0]


def test_disattenuated_r() -> None:
    assert pair.disattenuated_r(np.array([0.6, 0.6, 0.6, 0.6]), np.array([0.64, 0.25, 0.0, -0.1])) == pytest.approx(
        [0.75, 1.2, np.nan, np.nan], nan_ok=True
    )


def test_kappa_of_degenerate_tables() -> None:
    tables = np.array([np.zeros((2, 2)), [[3, 0], [0, 0]], [[0, 4], [0, 0]], [[1, 1], [1, 1]]])
    assert cohen_kappa_of_tables(tables) == pytest.approx([np.nan, np.nan, 0, 0], nan_ok=True)
    gradient = cohen_kappa_gradient(tables)
    assert np.isnan(gradient[:2]).all()
    assert np.isfinite(gradient[2:]).all()
