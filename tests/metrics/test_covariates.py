"""Association given the true score: it is found where it is, and only there."""

import numpy as np
import pytest
from numpy.typing import NDArray

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


def test_it_is_the_regression_on_true_scores_where_the_sample_is_large() -> None:
    system, ratings, length = drawn(np.random.default_rng(1), 400_000, 0.2)
    found = association_given_true_score(system, ratings, 50 * length + 300)
    assert found.points == pytest.approx(0.2, abs=0.01)
    rest = 0.2 * np.sqrt(1 - 0.49)
    assert found.given_true_score == pytest.approx(rest / np.hypot(rest, 0.4), abs=0.01)
    assert found.system > found.given_true_score
    none = association_given_true_score(*drawn(np.random.default_rng(2), 400_000, 0.0))
    assert none.points == pytest.approx(0, abs=0.01)
    assert none.given_human_score > 0.15  # what rater error alone makes


def test_without_rater_error_it_is_the_partial_correlation() -> None:
    system, ratings, length = drawn(np.random.default_rng(3), 60, 0.1)
    h = np.column_stack([np.ones(60), ratings[:, 0]])
    left = [y - h @ np.linalg.lstsq(h, y, rcond=None)[0] for y in (system, length)]
    found = association_given_true_score(system, ratings[:, 0], length, error_variance=0.0)
    assert found.given_true_score == pytest.approx(np.corrcoef(*left)[0, 1])
    assert found.given_human_score == pytest.approx(found.given_true_score)
    slope = np.linalg.lstsq(np.column_stack([h, length]), system, rcond=None)[0][2]
    assert found.points == pytest.approx(slope * length.std(ddof=1))


def test_its_standard_error_is_that_of_leaving_out_each_response() -> None:
    system, ratings, length = drawn(np.random.default_rng(4), 150, 0.1)
    ratings[60:, 1] = np.nan
    found = rowwise(covariate_features(system, ratings, length), covariate_statistics)
    for name in ("points", "given_true_score"):
        left_out = []
        for i in range(150):
            one, two, three = (np.delete(part, i, axis=0) for part in (system, ratings, length))
            left_out.append(getattr(association_given_true_score(one, two, three), name))
        jackknife = np.sqrt(149 / 150 * ((left_out - np.mean(left_out)) ** 2).sum())
        assert found[name].error[0] == pytest.approx(jackknife, rel=0.12)


def test_intervals_cover() -> None:
    rng, held = np.random.default_rng(5), 0
    for _ in range(300):
        numbers = rowwise(covariate_features(*drawn(rng, 250, 0.15)), covariate_statistics)["points"]
        held += abs(numbers.value[0] - 0.15) < 1.97 * numbers.error[0]
    assert 0.91 < held / 300 < 0.985


def test_what_is_undefined_says_why() -> None:
    system, ratings, length = drawn(np.random.default_rng(6), 30, 0.0)
    alone = association_given_true_score(system, ratings[:, 0], length)
    assert np.isnan(alone.points)
    assert "no response has two ratings" in alone.reason
    assert association_given_true_score(system, ratings, length, error_variance=50.0).reason.startswith("human scores")
    assert association_given_true_score(system, ratings, np.ones(30)).reason
    with pytest.raises(ValueError, match="lengths"):
        association_given_true_score(system, ratings, length[:-1])
