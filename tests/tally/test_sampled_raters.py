"""Variances with raters as a sample."""

from typing import Any

import numpy as np
import pytest

from reportgen.evaluation import Plan, Preparation, TalliedScores, tally_scores
from reportgen.evaluation.tallied_scores import RATERS_NESTED
from reportgen.results import Scale
from reportgen.tally.sums import Floats

PLAN = Plan(raters=("a", "b"), scale=Scale(0, 100, 0, False), preparation=Preparation((-1e3, 1e3), 0))


def sample(raters: int, n: int, severity: float, seed: int = 1) -> tuple[Floats, Floats, Any, Floats]:
    """Return engine scores, two ratings of each response, rater codes, and severities."""
    rng = np.random.default_rng(seed)
    true, of_raters = rng.normal(50, 10, n), rng.normal(0, severity, raters)
    who = np.argsort(rng.random((n, raters)), axis=1)[:, :2]
    return true + rng.normal(0, 4, n), true[:, None] + of_raters[who] + rng.normal(0, 4, (n, 2)), who, of_raters


def tallied(system: Floats, human: Floats, who: Any, *, drawn: bool = True, half: bool = False) -> TalliedScores:
    groups = {"school": ((who[:, 0] % 2 if half else np.arange(len(system)) % 2), ("x", "y"))}
    return tally_scores(system, human, groups, PLAN, interchangeable=drawn, raters=who)


@pytest.mark.parametrize("drawn", [True, False])
@pytest.mark.parametrize("raters", [4, 20])
def test_mean_with_sampled_raters_has_variance_of_rater_means(raters: int, drawn: bool) -> None:
    ratios = []
    for seed in range(6):
        system, human, who, severity = sample(raters, 4000, 3.0, seed)
        columns = slice(2 if drawn else 1)
        mean = tallied(system, human[:, columns], who[:, columns], drawn=drawn).headline("system.h_mean")
        ratios.append((mean.standard_error or 0.0) / (severity.std(ddof=1) / np.sqrt(raters)))
    assert np.mean(ratios) == pytest.approx(1, abs=0.1)


def test_equal_raters_barely_widen_intervals() -> None:
    ratios = []
    for seed in range(20):
        system, human, who, _ = sample(8, 300, 0.0, seed)
        one, other = (tallied(system, human, each).headline("system.smd") for each in (None, who))
        assert one.value == other.value
        ratios.append((other.standard_error or 0.0) / (one.standard_error or 1.0))
    assert min(ratios) == 1.0
    assert np.mean(ratios) < 1.15


def test_sampled_raters_ignore_order() -> None:
    system, human, who, _ = sample(6, 200, 3.0)
    order = np.random.default_rng(2).permutation(200)
    one, other = tallied(system, human, who), tallied(system[order], human[order, ::-1], who[order, ::-1])
    for key in ("system.smd", "system.rmse", "true_score.prmse", "human.qwk"):
        assert one.headline(key).low == pytest.approx(other.headline(key).low, rel=1e-9)


def test_groups_without_common_raters_are_not_compared() -> None:
    system, human, who, _ = sample(8, 400, 1.0)
    apart = np.stack([who[:, 0], (who[:, 0] + 2) % 8], axis=1)
    found = tallied(system, human, apart, half=True)
    assert found.estimates(found.primary, "school").estimate("system.dsm").reason == RATERS_NESTED
    found = tallied(system, human, who, half=True)
    assert found.estimates(found.primary, "school").estimate("system.dsm").defined
