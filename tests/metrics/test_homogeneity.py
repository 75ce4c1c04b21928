"""Test the ratio of the largest to the smallest of several estimates."""

import numpy as np
import pytest

from reportgen.metrics.many_groups import largest_ratio


def test_largest_ratio_of_equal_variances_rarely_excludes_one() -> None:
    rng = np.random.default_rng(8)
    out = 0
    for _ in range(400):
        drawn = rng.normal(0, 1, (6, 200)).var(axis=1, ddof=1)
        found = largest_ratio(drawn, drawn * np.sqrt(2 / 199), [200] * 6)
        assert found is not None
        assert found[0] == pytest.approx(drawn.max() / drawn.min())
        out += found[1] > 1
    assert out <= 0.05 * 400 + 3 * np.sqrt(400 * 0.05 * 0.95)


def test_largest_ratio_is_detected_and_covered() -> None:
    rng = np.random.default_rng(9)
    held = []
    for _ in range(200):
        drawn = (rng.normal(0, 1, (3, 400)) * np.array([[1.0], [1.5], [1.0]])).var(axis=1, ddof=1)
        found = largest_ratio(drawn, drawn * np.sqrt(2 / 399), [400] * 3)
        assert found is not None
        _, low, high = found
        assert low > 1
        held.append(low <= 2.25 <= high)
    assert np.mean(held) >= 0.93


def test_largest_ratio_with_dependence_is_wider_and_ignores_undefined() -> None:
    alone = largest_ratio([1.0, 2.0], [0.1, 0.2], [900, 900])
    tied = largest_ratio([1.0, 2.0, 9.0, np.nan], [0.1, 0.2, np.nan, 1.0], [900] * 4, independent=False)
    assert alone is not None
    assert tied is not None
    assert tied[0] == alone[0]
    assert np.log(tied[2] / tied[0]) == pytest.approx(np.log(alone[2] / alone[0]) * np.sqrt(2))
    assert largest_ratio([1.0, 0.0], [0.1, 0.1], [9, 9]) is None
    with pytest.raises(ValueError, match="same length"):
        largest_ratio([1.0], [0.1, 0.2], [3])


def test_largest_ratio_of_two_observations_is_unbounded() -> None:
    found = largest_ratio([1.0, 2.0, 9.0], [14.0, 28.0, 120.0], [2, 2, 2])
    assert found is not None
    assert found[0] == pytest.approx(9.0)
    assert found[1:] == (1.0, np.inf)
