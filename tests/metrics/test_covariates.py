"""Test the association of a covariate with scores, given the true score."""

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles import jackknife_error

from reportgen.metrics import association_given_true_score
from reportgen.metrics.given_true_score import covariate_features, covariate_statistics
from reportgen.tally.joint import rowwise

Floats = NDArray[np.float64]


def drawn(rng: np.random.Generator, n: int, bias: float) -> tuple[Floats, Floats, Floats]:
    """Return system score, two ratings and length; one SD of length adds `bias` to the system score."""
    true = rng.normal(0, 1, n)
    length = 0.7 * true + np.sqrt(1 - 0.49) * rng.normal(0, 1, n)
    ratings = true[:, None] + rng.normal(0, 0.7, (n, 2))
    return true + bias * length + rng.normal(0, 0.4, n), ratings, length


def test_association_in_large_sample_matches_regression_on_true_scores() -> None:
    system, ratings, length = drawn(np.random.default_rng(1), 400_000, 0.2)
    found = association_given_true_score(system, ratings, 50 * length + 300)
    assert found.points == pytest.approx(0.2, abs=0.01)
    rest = 0.2 * np.sqrt(1 - 0.49)
    assert found.given_true_score == pytest.approx(rest / np.hypot(rest, 0.4), abs=0.01)
    assert found.system > found.given_true_score
    none = association_given_true_score(*drawn(np.random.default_rng(2), 400_000, 0.0))
    assert none.points == pytest.approx(0, abs=0.01)
    assert none.given_human_score > 0.15  # caused by rater error


def test_association_without_rater_error_is_partial_correlation() -> None:
    system, ratings, length = drawn(np.random.default_rng(3), 60, 0.1)
    h = np.column_stack([np.ones(60), ratings[:, 0]])
    left = [y - h @ np.linalg.lstsq(h, y, rcond=None)[0] for y in (system, length)]
    found = association_given_true_score(system, ratings[:, 0], length, error_variance=0.0)
    assert found.given_true_score == pytest.approx(np.corrcoef(*left)[0, 1])
    assert found.given_human_score == pytest.approx(found.given_true_score)
    slope = np.linalg.lstsq(np.column_stack([h, length]), system, rcond=None)[0][2]
    assert found.points == pytest.approx(slope * length.std(ddof=1))


def test_association_errors_match_jackknife() -> None:
    system, ratings, length = drawn(np.random.default_rng(4), 150, 0.1)
    ratings[60:, 1] = np.nan
    found = rowwise(covariate_features(system, ratings, length), covariate_statistics)

    def left(kept: NDArray[np.bool_]) -> tuple[float, float]:
        part = association_given_true_score(system[kept], ratings[kept], length[kept])
        return part.points, part.given_true_score

    errors = [found[name].error[0] for name in ("points", "given_true_score")]
    assert errors == pytest.approx(jackknife_error(left, 150), rel=0.12)


def test_undefined_association_has_reason() -> None:
    system, ratings, length = drawn(np.random.default_rng(6), 30, 0.0)
    alone = association_given_true_score(system, ratings[:, 0], length)
    assert np.isnan(alone.points)
    assert "no response has two ratings" in alone.reason
    assert association_given_true_score(system, ratings, length, error_variance=50.0).reason.startswith("human scores")
    assert association_given_true_score(system, ratings, np.ones(30)).reason
    with pytest.raises(ValueError, match="lengths"):
        association_given_true_score(system, ratings, length[:-1])
