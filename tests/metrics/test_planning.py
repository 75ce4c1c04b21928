"""Planning: the promised number of responses does what it promises, and no smaller one does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.metrics.planning import MOST_TIMES, further_double_scored, further_responses


@given(st.integers(2, 10_000), st.floats(0.01, 1), st.floats(0.01, 1))
def test_the_plan_is_enough_and_one_less_is_not(n: int, half: float, distance: float) -> None:
    more = further_responses(n, half, distance)
    if more is None:
        assert (half / distance) ** 2 > MOST_TIMES
        return
    assert half * (n / (n + more)) ** 0.5 <= distance * (1 + 1e-6)
    if more:
        assert half * (n / (n + more - 1)) ** 0.5 > distance * (1 - 1e-6)


def test_the_interval_of_a_mean_narrows_as_planned() -> None:
    rng = np.random.default_rng(1)
    n, half, distance = 50, 1.96 / 50**0.5, 0.15
    more = further_responses(n, half, distance)
    assert more is not None
    means = rng.standard_normal((4000, n + more)).mean(axis=1)
    assert 1.96 * means.std() == pytest.approx(distance, rel=0.05)


@given(st.integers(2, 5000), st.floats(0.3, 1.0), st.floats(0.05, 1.5), st.floats(0, 0.05), st.floats(0.01, 0.2))
def test_double_scoring_shrinks_its_own_part_alone(
    n: int, prmse: float, ratio: float, fixed: float, wanted: float
) -> None:
    def error(doubles: float) -> float:
        return float(np.hypot(prmse * ratio * (2 / doubles) ** 0.5, fixed))

    more = further_double_scored(n, prmse, ratio, error(n), wanted)
    if more is None:
        assert wanted <= fixed or error(n * MOST_TIMES) > wanted * (1 - 1e-9)
        return
    assert error(n + more) <= wanted * (1 + 1e-6)
    if more:
        assert error(n + more - 1) > wanted * (1 - 1e-6)


@pytest.mark.parametrize(("r", "asked"), [(0.8, 125), (0.65, 570), (0.4, 4400)])
def test_half_width_of_five_hundredths_at_prmse_eight_tenths(r: float, asked: int) -> None:
    """The leading term: 1.96 x .8 x (1 - r) / r x sqrt(2 / n) = .05, to the two digits that are quoted."""
    ratio = (1 - r) / r
    now = 0.8 * ratio * (2 / 100) ** 0.5
    more = further_double_scored(100, 0.8, ratio, now, 0.05 / 1.96)
    assert more is not None
    assert 100 + more == pytest.approx(asked, rel=0.02)


@pytest.mark.parametrize("n", [0, -3])
def test_a_plan_needs_responses_to_start_from(n: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        further_responses(n, 0.1, 0.05)
    with pytest.raises(ValueError, match="at least one"):
        further_double_scored(n, 0.8, 0.5, 0.1, 0.05)
