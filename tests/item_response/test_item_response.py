"""Calibration, linking, and scoring, compared with known items and independent formulas."""

import numpy as np
import pytest
from numpy.typing import NDArray

from reportgen.item_response import (
    Item,
    calibrate,
    characteristic_curve,
    characteristic_curve_abilities,
    conditional_standard_error,
    log_probabilities,
    stocking_lord,
)

Floats = NDArray[np.float64]

ITEMS = [
    Item(0.6, (0.4,)), Item(1.1, (-0.7,)), Item(0.9, (1.2,)), Item(1.4, (0.1,)), Item(0.8, (-1.3,)), Item(1.0, (0.6,)),
    Item(0.7, (-0.9, 0.8)), Item(0.9, (-1.2, 0.1, 1.4)), Item(0.55, (-1.0, 0.2, 0.9, 2.0)),
]  # fmt: skip
MOST = [item.most for item in ITEMS]


def draw(items: list[Item], ability: Floats, rng: np.random.Generator) -> NDArray[np.int64]:
    columns = []
    for item in items:
        below = np.exp(log_probabilities(item, ability)).cumsum(axis=0)
        columns.append((rng.random(len(ability)) > below).sum(axis=0).clip(max=item.most))
    return np.column_stack(columns)


def test_probabilities_match_definition() -> None:
    item, ability = Item(0.8, (-0.5, 0.7, 1.1)), np.linspace(-3, 3, 7)
    raw = np.array([[np.exp(sum(0.8 * (t - b) for b in item.steps[:k])) for t in ability] for k in range(4)])
    np.testing.assert_allclose(np.exp(log_probabilities(item, ability)), raw / raw.sum(axis=0))
    logistic = 1 / (1 + np.exp(-1.3 * (ability - 0.4)))
    np.testing.assert_allclose(np.exp(log_probabilities(Item(1.3, (0.4,)), ability))[1], logistic)


def test_calibration_maximizes_marginal_likelihood() -> None:
    """With many more points of ability, no change of a parameter increases the likelihood."""
    rng = np.random.default_rng(1)
    items = [ITEMS[k] for k in (1, 3, 6, 7)]
    scores = draw(items, rng.normal(size=1500), rng)
    found = calibrate(scores, [item.most for item in items])
    assert found.converged
    ability = np.linspace(-6, 6, 241)
    weight = np.exp(-(ability**2) / 2)
    weight /= weight.sum()

    def likelihood(candidates: list[Item]) -> float:
        total = sum(log_probabilities(item, ability)[scores[:, j]] for j, item in enumerate(candidates))
        return float(np.log(np.exp(total) @ weight).sum())

    best = likelihood(list(found.items))
    assert found.log_likelihood == pytest.approx(best, abs=0.05)
    for j, item in enumerate(found.items):
        for move in (0.03, -0.03):
            slope = [*found.items]
            slope[j] = Item(item.slope + move, item.steps)
            assert likelihood(slope) < best
            for k in range(item.most):
                step = [*found.items]
                step[j] = Item(item.slope, tuple(b + move * (i == k) for i, b in enumerate(item.steps)))
                assert likelihood(step) < best


def test_calibration_recovers_items() -> None:
    rng = np.random.default_rng(2)
    found = calibrate(draw(ITEMS, rng.normal(size=12_000), rng), MOST)
    for item, true in zip(found.items, ITEMS, strict=True):
        assert item.slope == pytest.approx(true.slope, abs=0.1)
        np.testing.assert_allclose(item.steps, true.steps, atol=0.2)


def test_calibration_with_start_takes_fewer_steps() -> None:
    rng = np.random.default_rng(3)
    scores = draw(ITEMS, rng.normal(size=3000), rng)
    cold = calibrate(scores, MOST)
    warm = calibrate(scores, MOST, start=cold.items)
    assert warm.steps < cold.steps / 3
    np.testing.assert_allclose([i.slope for i in warm.items], [i.slope for i in cold.items], atol=2e-3)


def test_linking_recovers_scale() -> None:
    rng = np.random.default_rng(4)
    found = calibrate(draw(ITEMS, rng.normal(0.8, 1.3, 15_000), rng), MOST)
    slope, intercept = stocking_lord(found.items, ITEMS)
    assert slope == pytest.approx(1.3, abs=0.05)
    assert intercept == pytest.approx(0.8, abs=0.06)
    with pytest.raises(ValueError, match="same items"):
        stocking_lord([], [])
    with pytest.raises(ValueError, match="same number of scores"):
        stocking_lord(ITEMS[:1], ITEMS[-1:])


def test_characteristic_curve_is_invertible() -> None:
    ability = np.linspace(-2.5, 2.5, 11)
    totals = characteristic_curve(ITEMS, ability).mean
    np.testing.assert_allclose(characteristic_curve_abilities(ITEMS, totals, -8, 8), ability, atol=1e-6)
    assert characteristic_curve_abilities(ITEMS, [0, sum(MOST)], -3, 3).tolist() == [-3, 3]
    with pytest.raises(ValueError, match="below the highest"):
        characteristic_curve_abilities(ITEMS, [1], 3, -3)


def test_standard_error_matches_repeated_tests() -> None:
    rng = np.random.default_rng(5)
    ability = np.full(40_000, 0.3)
    totals = draw(ITEMS, ability, rng).sum(axis=1)
    curve = characteristic_curve(ITEMS, np.array([0.299, 0.3, 0.301]))
    assert totals.mean() == pytest.approx(float(curve.mean[1]), abs=0.05)
    assert totals.var() == pytest.approx(float(curve.variance[1]), rel=0.03)
    expected = np.sqrt(curve.variance[1]) / ((curve.mean[2] - curve.mean[0]) / 0.002)
    assert conditional_standard_error(ITEMS, [0.3])[0] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    ("scores", "most", "words"),
    [
        ([[0, 1], [1, 1], [0, 1]], [1, 1], "item 2: score 0 does not occur"),
        ([[0, 2], [1, 1], [0, 0]], [1, 1], "item 2: scores must be between 0 and 1"),
        ([[0.5], [1], [0]], [1], "whole numbers"),
        ([[np.nan], [1], [0]], [1], "without missing"),
        ([[0], [1]], [1, 1], "one column of scores for each of 2 items"),
    ],
)
def test_invalid_scores_raise(scores: list[list[float]], most: list[int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        calibrate(scores, most)
