"""Compare the alternative annotator test with a plain implementation, simulate it, and check edge cases."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from reportgen.metrics import alternative_annotator_test
from reportgen.metrics.alternative_annotators import Alignment, benjamini_yekutieli

Floats = NDArray[np.float64]


def plain(
    system: Floats, ratings: Floats, margin: float, alignment: str, least: int = 2
) -> list[tuple[int, float, float, float]]:
    """Return n, both advantages and p of every column, response by response."""
    rows = []
    for j in range(ratings.shape[1]):
        by_system, by_annotator = [], []
        for i in range(len(system)):
            rest = [ratings[i, k] for k in range(ratings.shape[1]) if k != j and not math.isnan(ratings[i, k])]
            if math.isnan(ratings[i, j]) or math.isnan(system[i]) or len(rest) < least - 1:
                continue
            if alignment == "rmse":
                one, other = (
                    -math.sqrt(sum((x - r) ** 2 for r in rest) / len(rest)) for x in (system[i], ratings[i, j])
                )
            else:
                one, other = (sum(x == r for r in rest) / len(rest) for x in (system[i], ratings[i, j]))
            by_system.append(float(one >= other))
            by_annotator.append(float(other >= one))
        gap = np.array(by_annotator) - np.array(by_system)
        p = float(stats.ttest_1samp(gap, margin, alternative="less").pvalue)
        rows.append((len(gap), float(np.mean(by_system)), float(np.mean(by_annotator)), p))
    return rows


def exchangeable(rng: np.random.Generator, n: int, k: int) -> tuple[Floats, Floats]:
    """Return scores of a system and of k annotators who all err alike."""
    true = rng.normal(3, 1, n)
    scores = np.clip(np.rint(true[:, None] + rng.normal(0, 0.8, (n, k + 1))), 1, 5)
    return scores[:, 0], scores[:, 1:]


@pytest.mark.parametrize("least", [2, 3, 4])
@pytest.mark.parametrize("alignment", ["rmse", "accuracy"])
def test_alternative_annotator_test_matches_plain_implementation(alignment: Alignment, least: int) -> None:
    rng = np.random.default_rng(5)
    system, ratings = exchangeable(rng, 120, 5)
    ratings[rng.random(ratings.shape) < 0.3] = np.nan
    system[:4] = np.nan
    found = alternative_annotator_test(system, ratings, margin=0.1, alignment=alignment, least_ratings=least)
    expected = plain(system, ratings, 0.1, alignment, least)
    for each, row in zip(found.comparisons, expected, strict=True):
        assert (each.n, each.system_advantage, each.annotator_advantage, each.p) == pytest.approx(row, abs=1e-12)
    corrected = stats.false_discovery_control([row[3] for row in expected], method="by")
    assert [each.won for each in found.comparisons] == (corrected <= 0.05).tolist()
    assert found.winning_rate == pytest.approx(np.mean(corrected <= 0.05))
    assert found.advantage == pytest.approx(np.mean([row[1] for row in expected]))


def test_alternative_annotator_test_accepts_raters_in_any_column() -> None:
    rng = np.random.default_rng(6)
    system, ratings = exchangeable(rng, 90, 4)
    wide = alternative_annotator_test(system, ratings, margin=0.15)
    order = np.argsort(rng.random(ratings.shape), axis=1)
    packed = alternative_annotator_test(
        system, np.take_along_axis(ratings, order, axis=1), order.astype(np.int32), margin=0.15
    )
    assert packed == wide


def test_alternative_annotator_test_keeps_nominal_error_rate() -> None:
    rng = np.random.default_rng(7)
    found = [alternative_annotator_test(*exchangeable(rng, 60, 3), margin=0.0) for _ in range(400)]
    assert 0.03 < np.mean([each.p < 0.05 for test in found for each in test.comparisons]) < 0.07
    # the system must beat half of three annotators, at a false discovery rate of 5%
    assert np.mean([test.passed is True for test in found]) < 0.05


def test_alternative_annotator_test_with_margin_fails_worse_system() -> None:
    rng = np.random.default_rng(8)
    system, ratings = exchangeable(rng, 300, 3)
    assert alternative_annotator_test(system, ratings, margin=0.2).passed
    noise = rng.integers(1, 6, 300).astype(float)
    worse = alternative_annotator_test(noise, ratings, margin=0.2)
    assert worse.passed is False
    assert worse.winning_rate == 0


def test_alternative_annotator_test_with_few_responses_is_undecided() -> None:
    rng = np.random.default_rng(9)
    system, ratings = exchangeable(rng, 29, 4)
    found = alternative_annotator_test(system, ratings, margin=0.1)
    assert found.passed is None
    assert "0 annotators have 30 responses" in found.reason
    assert math.isnan(found.winning_rate)
    assert all(each.won is None and each.test == "wilcoxon" for each in found.comparisons)
    two = alternative_annotator_test(*exchangeable(rng, 80, 2), margin=0.1)
    assert [each.n for each in two.comparisons] == [80, 80]
    assert two.passed is None
    assert two.reason.startswith("2 annotators have 30 responses")


def test_signed_ranks_match_scipy_and_exact_ties() -> None:
    from reportgen.metrics.alternative_annotators import _signed_ranks

    rng = np.random.default_rng(10)
    gap = rng.normal(0.1, 1, 18)
    assert _signed_ranks(gap) == pytest.approx(stats.wilcoxon(gap, alternative="less", method="exact").pvalue)
    tied = np.array([-0.8, 0.2, 0.2, 1.2, -0.2])
    ranks = stats.rankdata(np.abs(tied))
    signs = np.array(np.meshgrid(*[(0, 1)] * 5)).reshape(5, -1)
    assert _signed_ranks(tied) == pytest.approx(np.mean(ranks @ signs <= ranks[tied > 0].sum() + 1e-9))


@pytest.mark.parametrize("p", [[0.5], [0.01] * 7, [0.0001, 0.03, 0.02, 0.01, 0.2, 0.5, 0.9, 0.04]])
def test_benjamini_yekutieli_matches_scipy(p: list[float]) -> None:
    assert benjamini_yekutieli(p, 0.05) == (stats.false_discovery_control(p, method="by") <= 0.05).tolist()


@pytest.mark.parametrize(
    "wrong", [{"margin": 1.0}, {"margin": 0.1, "significance": 0.0}, {"margin": 0.1, "alignment": "f1"}]
)
def test_alternative_annotator_test_rejects_invalid_arguments(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"margin|alignment"):
        alternative_annotator_test(np.ones(5), np.ones((5, 3)), **wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="lengths"):
        alternative_annotator_test(np.ones(4), np.ones((5, 3)), margin=0.1)
    with pytest.raises(ValueError, match="annotators"):
        alternative_annotator_test(np.ones(5), np.ones((5, 3)), np.ones((5, 3)), margin=0.1)
