"""Test the association of a covariate with scores, given the true score, and the ceiling of agreement."""

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles import jackknife_error

from reportgen.evaluation import Plan, tally_scores
from reportgen.evaluation.points import Preparation
from reportgen.metrics import association_given_true_score
from reportgen.metrics.given_true_score import covariate_features, covariate_statistics
from reportgen.results import Estimate, Scale
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


def sample(
    seed: int, n: int, human_r: float, double: float = 1.0, severity: float = 0.0
) -> tuple[Floats, Floats, Floats]:
    """Return true scores, engine scores, and two ratings, with the severity of the second rater in SDs."""
    rng = np.random.default_rng(seed)
    true, error = rng.normal(0, 1, n), np.sqrt((1 - human_r) / human_r)
    human = true[:, None] + rng.normal(0, error, (n, 2))
    human[:, 1] -= severity / np.sqrt(human_r)
    human[rng.random(n) > double, 1] = np.nan
    return true, 0.8 * true + rng.normal(0, 0.4, n), human


def estimate(system: Floats, human: Floats, key: str) -> Estimate:
    found = tally_scores(
        system,
        human,
        {},
        Plan(raters=("a", "b"), scale=Scale(-20, 20, 0, False), preparation=Preparation((-20, 20), 0.0)),
    )
    return found.estimates(found.primary).estimate(key)


def by_rows(human: Floats) -> float:
    """Return var T / var h of ratings without gaps: the covariance over the variance of the first rater."""
    return float(np.cov(human.T)[0, 1] / human[:, 0].var(ddof=1))


@pytest.mark.parametrize("severity", [0.0, 0.44])
def test_attainable_correlation_is_covariance_of_raters(severity: float) -> None:
    _, system, human = sample(1, 400, 0.6, severity=severity)
    share = by_rows(human)
    assert estimate(system, human, "attainable.true_r").value == pytest.approx(np.sqrt(share))
    assert estimate(system, human, "attainable.true_qwk").value == pytest.approx(2 * share / (1 + share))


@pytest.mark.slow
@pytest.mark.parametrize(("human_r", "double"), [(0.46, 1.0), (0.46, 0.3), (0.8, 0.5)])
def test_attainable_correlation_matches_true_scores(human_r: float, double: float) -> None:
    true, system, human = sample(2, 40_000, human_r, double)
    reached = np.corrcoef(true, human[:, 0])[0, 1]
    first = human[:, 0]
    stretched = true / true.std() * first.std() + first.mean() - true.mean() / true.std() * first.std()
    qwk = [2 * np.cov(x, first, ddof=0)[0, 1] / (x.var() + first.var() + (x.mean() - first.mean()) ** 2)
           for x in (true, stretched)]  # fmt: skip
    assert estimate(system, human, "attainable.true_r").value == pytest.approx(reached, abs=0.015)
    assert estimate(system, human, "attainable.true_qwk").value == pytest.approx(qwk[0], abs=0.015)
    assert qwk[1] == pytest.approx(reached, abs=1e-6), "the best QWK is the correlation"
    assert estimate(system, human, "system.r").value < reached


def test_attainable_correlation_error_matches_jackknife() -> None:
    _, system, human = sample(3, 300, 0.6)
    expected = jackknife_error(lambda kept: np.sqrt(by_rows(human[kept])), 300)
    assert estimate(system, human, "attainable.true_r").standard_error == pytest.approx(expected, rel=0.02)


def test_attainable_correlation_without_true_variance_is_undefined() -> None:
    rng = np.random.default_rng(4)
    human = rng.normal(0, 1, (300, 2))
    human[:, 1] = -0.3 * human[:, 0] + rng.normal(0, 1, 300)
    found = estimate(rng.normal(0, 1, 300), human, "attainable.true_r")
    assert not found.defined
    assert "rater error alone" in found.reason
