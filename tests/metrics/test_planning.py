"""Chances of a clear answer follow the normal model and never fall with more data."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.metrics.double_scoring import LEAST_TIMES, MOST, MOST_TIMES, chances, sizes


@pytest.mark.parametrize(
    ("above", "below", "shrink"), [(0.5, math.inf, 0.5), (-1.2, math.inf, 0.3), (1.5, 1.0, 0.4), (2.5, -0.8, 0.6)]
)
def test_chances_match_simulation(above: float, below: float, shrink: float) -> None:
    """Draw the truth, draw new data from the truth, and pool the data, without the formula."""
    rng = np.random.default_rng(7)
    truth = rng.normal(0, 1, 400_000)  # around an estimate of 0 with a standard error of 1
    new_error = shrink / math.sqrt(1 - shrink**2)  # so that both together have the standard error `shrink`
    pooled = shrink**2 * (0 / 1 + rng.normal(truth, new_error) / new_error**2)
    low, high = -above, below
    met = (pooled - 1.96 * shrink > low) & (pooled + 1.96 * shrink < high)
    not_met = (pooled + 1.96 * shrink < low) | (pooled - 1.96 * shrink > high)
    assert chances(above, below, shrink, 1.96) == pytest.approx((met.mean(), not_met.mean()), abs=0.004)


@given(st.floats(-1.9, 1.9), st.floats(0, 1), st.floats(0, 1))
def test_chances_never_fall_with_more_data(above: float, one: float, other: float) -> None:
    less, more = (sum(chances(above, math.inf, shrink, 1.96)) for shrink in sorted((one, other)))
    assert less >= more - 1e-12


def test_chances_without_and_with_all_data() -> None:
    assert chances(1.0, math.inf, 1.0, 1.96) == (0.0, 0.0)
    assert chances(2.5, math.inf, 1.0, 1.96) == (1.0, 0.0)
    assert chances(-2.5, math.inf, 1.0, 1.96) == (0.0, 1.0)
    assert sum(chances(0.0, math.inf, 0.0, 1.96)) == pytest.approx(1)


@pytest.mark.parametrize("wrong", [(1.2, 1.96), (-0.1, 1.96), (0.5, -1)])
def test_chances_reject_invalid_arguments(wrong: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="found"):
        chances(0.5, math.inf, *wrong)


@given(st.integers(2, 10**7))
def test_sizes_are_larger_than_sample_and_bounded(n: int) -> None:
    found = sizes(n)
    assert found or n < 100 / MOST_TIMES
    assert all(n < each <= max(LEAST_TIMES * n, min(MOST_TIMES * n, MOST)) for each in found)
