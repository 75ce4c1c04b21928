"""Compare the ceiling of agreement with the covariance of raters, a simulation, and the jackknife."""

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles import jackknife_error

from reportgen.evaluation import Plan, tally_scores
from reportgen.evaluation.points import Preparation
from reportgen.results import Estimate, Scale

Floats = NDArray[np.float64]


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
