"""Bounds for engines without observed errors hold for every possible distribution."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from reportgen.metrics import pearson_r, quadratic_weighted_kappa
from reportgen.metrics.true_score import largest_error_share, least_correlation, least_prmse, least_qwk

Floats = NDArray[np.float64]


@st.composite
def nearly_equal(draw: st.DrawFn) -> tuple[Floats, Floats]:
    """Return human scores and system scores that are mostly equal."""
    human = np.array(draw(st.lists(st.integers(1, 6), min_size=8, max_size=60)), np.float64)
    system = human.copy()
    for place in draw(st.lists(st.integers(0, len(human) - 1), max_size=len(human) // 2)):
        system[place] = draw(st.integers(1, 6))
    return human, system


@given(nearly_equal())
def test_agreement_is_above_bound(scores: tuple[Floats, Floats]) -> None:
    human, system = scores
    mse, variance = np.asarray(((human - system) ** 2).mean()), np.asarray(human.var())
    if variance == 0 or system.var() == 0:
        return
    assert quadratic_weighted_kappa(human, system) >= least_qwk(mse, variance) - 1e-12
    assert least_qwk(np.asarray(9.0), np.asarray(0.1)) == -1, "the lowest possible kappa"
    if mse < variance:
        assert pearson_r(human, system) >= least_correlation(mse, variance) - 1e-12
    else:
        assert least_correlation(mse, variance) == 0


@given(st.integers(1, 10_000), st.floats(0.5, 0.999))
def test_largest_error_share_matches_binomial(n: int, level: float) -> None:
    assert (1 - float(largest_error_share(n, level))) ** n == pytest.approx(1 - level, rel=1e-9)


def test_least_prmse_requires_true_variance() -> None:
    found = least_prmse(np.full(2, 0.1), np.array([1.0, 0.5]), np.array([0.5, 0.5]))
    assert found[0] == pytest.approx(0.8)
    assert np.isnan(found[1])
