"""Two-way least squares from cell sums: against the rows, with parts that cannot be compared, with many levels."""

from time import process_time
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from reportgen.evaluation.differences import parts, two_way

Floats = NDArray[Any]


def cells(level: Floats, score: Floats, outcome: Floats, shape: tuple[int, int]) -> tuple[Floats, Floats, Floats]:
    """Return counts, sums and the sum of squares of an outcome, as a stack of one."""
    n, total = np.zeros(shape), np.zeros(shape)
    np.add.at(n, (level, score), 1.0)
    np.add.at(total, (level, score), outcome)
    return n[None], total[None], (outcome**2).sum()[None]


def design(level: Floats, score: Floats) -> Floats:
    """Return intercept, contrasts of levels, contrasts of scores."""
    levels, scores = range(1, level.max() + 1), range(1, score.max() + 1)
    return np.column_stack([np.ones(len(level)), *(level == k for k in levels), *(score == k for k in scores)])


@pytest.mark.parametrize("seed", range(4))
def test_is_least_squares_on_the_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    level = np.r_[np.arange(9), rng.integers(0, 9, 300)]
    score = np.clip(rng.integers(0, 3, 309) + level // 3, 0, 4)
    outcome = rng.normal(size=309) + 0.3 * level
    fit = two_way(*cells(level, score, outcome, (9, 5)))
    x = design(level, score)
    beta, *_ = np.linalg.lstsq(x, outcome, rcond=None)
    residual = ((outcome - x @ beta) ** 2).sum()
    errors = np.sqrt(np.diag(np.linalg.inv(x.T @ x)) * residual / (309 - 13))
    np.testing.assert_allclose(fit.coefficients[0], beta[:9], atol=1e-10)
    np.testing.assert_allclose(fit.errors[0], errors[:9], rtol=1e-9)
    assert (fit.rank[0], fit.freedom[0]) == (13, 296)
    assert fit.residual[0] == pytest.approx(residual, rel=1e-10)


def test_levels_without_a_score_in_common_take_the_shortest_solution() -> None:
    level, score = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 1, 2, 2, 3])
    outcome = np.array([1.0, 2, 3, 5, 7, 6])
    fit = two_way(*cells(level, score, outcome, (2, 4)))
    expected = np.linalg.pinv(design(level, score)) @ outcome
    np.testing.assert_allclose(fit.coefficients[0], expected[:2], atol=1e-12)
    assert fit.rank[0] == np.linalg.matrix_rank(design(level, score)) == 4


def test_thousands_of_levels_take_moments_and_parts_apart_are_undefined() -> None:
    rng = np.random.default_rng(1)
    level = np.r_[np.arange(10_000), rng.integers(0, 10_000, 40_000)]
    score = np.where(level == 9_999, 6, rng.integers(0, 6, 50_000))
    outcome = rng.normal(size=50_000)
    sums = cells(level, score, outcome, (10_000, 7))
    began = process_time()
    fit = two_way(*sums)
    assert process_time() - began < 2
    assert parts(sums[0][0]).max() == 1
    assert np.isnan(fit.coefficients[0, 9_999])
    few = level < 3
    gap = outcome[few & (level == 1)].mean() - outcome[few & (level == 0)].mean()
    assert abs(fit.coefficients[0, 1] - gap) < 3
    assert fit.rank[0] == 10_000 + 7 - 2


def test_items_of_a_stack_are_fitted_as_each_alone() -> None:
    rng = np.random.default_rng(3)
    n = rng.integers(1, 9, (4, 3, 5)).astype(float)
    n[1] = np.where(np.eye(3, 5) + np.eye(3, 5, 3) > 0, n[1], 0.0)  # levels without a score in common
    n[2, 0, :4] = 0.0
    total = rng.normal(size=n.shape) * n
    square = (total**2).sum((1, 2)) + 9
    stack = two_way(n, total, square)
    for item in range(4):
        alone = two_way(n[item : item + 1], total[item : item + 1], square[item : item + 1])
        for name in ("coefficients", "errors", "freedom", "residual", "total", "rank", "n"):
            np.testing.assert_allclose(getattr(stack, name)[item], getattr(alone, name)[0], rtol=1e-12, atol=1e-12)
