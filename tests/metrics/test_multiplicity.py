"""Compare adjusted p-values with published examples and scipy, and p-values with Student's t."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from reportgen.metrics import benjamini_hochberg, holm
from reportgen.metrics.many_groups import simultaneous_end, tail_probability

PUBLISHED = [
    0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0,
]  # fmt: skip
"""Benjamini and Hochberg (1995), section 3.2: at .05 their method rejects four, Holm's method three."""


def test_adjusted_p_values_match_published_example() -> None:
    assert int((benjamini_hochberg(PUBLISHED) <= 0.05).sum()) == 4
    assert int((holm(PUBLISHED) <= 0.05).sum()) == 3


def test_benjamini_hochberg_matches_scipy() -> None:
    p = np.random.default_rng(1).random(40) ** 3
    assert benjamini_hochberg(p) == pytest.approx(stats.false_discovery_control(p))


def test_holm_is_bonferroni_for_smallest_and_monotone() -> None:
    p = np.random.default_rng(2).random(30) ** 4
    found = holm(p)
    assert found.min() == pytest.approx(30 * p.min())
    assert (np.diff(found[np.argsort(p)]) >= 0).all()


def test_adjusted_p_values_ignore_nan() -> None:
    assert holm([0.01, np.nan, 0.02]).tolist() == pytest.approx([0.02, np.nan, 0.02], nan_ok=True)
    assert benjamini_hochberg([0.01, np.nan, 0.04]).tolist() == pytest.approx([0.02, np.nan, 0.04], nan_ok=True)


@pytest.mark.parametrize("freedom", [3, 12, 400])
@pytest.mark.parametrize("value", [-0.41, 0.33])
def test_p_and_simultaneous_ends_match_student_t(freedom: float, value: float) -> None:
    error, side = 0.07, np.sign(value)
    end = value - side * stats.t.ppf(0.975, freedom) * error
    p = stats.t.sf((abs(value) - 0.1) / error, freedom)
    assert float(tail_probability(value, end, side * 0.1, error)) == pytest.approx(p, rel=1e-6)
    wider = value - side * stats.t.ppf(1 - 0.025 / 21, freedom) * error
    assert float(simultaneous_end(value, end, error, 21)) == pytest.approx(wider, rel=1e-6)


def test_tail_probability_without_interval_or_error() -> None:
    assert np.isnan(float(tail_probability(0.3, np.nan, 0.1, 0.07)))
    end = 0.3 - stats.norm.ppf(0.975) * 0.07
    assert float(tail_probability(0.3, end, 0.1, np.nan)) == pytest.approx(stats.norm.sf(0.2 / 0.07))


@pytest.mark.parametrize("adjusted", [holm, benjamini_hochberg])
def test_adjustments_reject_invalid_p_values(adjusted: Callable[[list[float]], object]) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        adjusted([0.2, 1.5])
