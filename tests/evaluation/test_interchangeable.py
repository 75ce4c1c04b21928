"""Interchangeable raters: every statistic is the expectation over ratings drawn at random."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles import kappa

from reportgen.evaluation import Plan, Preparation, TalliedScores, tally_scores
from reportgen.metrics import prmse
from reportgen.results import Scale
from reportgen.tally.left_out import FEW_UNITS

Floats = NDArray[np.float64]
SCALE = Scale(1.0, 5.0, 1.0, assumed=False)
BOUNDS = (0.5002, 5.4998)


def made(n: int = 120, raters: int = 5, seed: int = 3, step: float = 1.0) -> tuple[Floats, Floats]:
    """Return engine scores, and ratings with one to all raters for each response."""
    rng = np.random.default_rng(seed)
    ability = rng.normal(3, 1, n)
    rated = ability[:, None] + rng.normal(0, 0.7, (n, raters)) + rng.normal(0, 0.3, raters)
    human = np.clip(np.rint(rated / step) * step, 1, 5)
    human[rng.random((n, raters)) < 0.5] = np.nan
    human[np.isnan(human).all(axis=1), 0] = 3.0
    return np.clip(ability + rng.normal(0, 0.5, n), 0.6, 5.4), human


def tallied(system: Floats, human: Floats, **more: Any) -> TalliedScores:
    raters = tuple(f"r{index}" for index in range(human.shape[1]))
    plan = Plan(raters=raters, scale=SCALE, preparation=Preparation((1.0, 5.0), 0.4998))
    return tally_scores(system, human, {}, plan, interchangeable=True, **more)


def expected(system: Floats, human: Floats, weights: Floats) -> dict[str, float]:
    """Return statistics of drawn ratings, pair by pair in plain loops; `weights` of the responses."""
    rows, pairs = [], []
    for s, ratings, weight in zip(np.clip(system, *BOUNDS), human, weights, strict=True):
        given = ratings[np.isfinite(ratings)]
        rows += [(h, s, weight / len(given)) for h in given]
        if len(given) > 1:
            every = list(itertools.permutations(given, 2))
            pairs += [(a, b, weight / len(every)) for a, b in every]
    h, s, w = np.array(rows).T
    a, b, v = np.array(pairs).T
    found = {f"system.{key}": value for key, value in _pair(h, s, w).items()}
    found |= {f"human.{key}": value for key, value in _pair(a, b, v).items()}
    return found | {"system.kappa": kappa(h, np.rint(s), weights=w), "human.kappa": kappa(a, b, weights=v)}


def _pair(x: Floats, y: Floats, w: Floats) -> dict[str, float]:
    n = w.sum()
    mx, my = w @ x / n, w @ y / n
    vx, vy, cov = w @ (x - mx) ** 2 / n, w @ (y - my) ** 2 / n, w @ ((x - mx) * (y - my)) / n
    return {"r": cov / np.sqrt(vx * vy), "qwk": 2 * cov / (vx + vy + (mx - my) ** 2), "mae": w @ np.abs(x - y) / n}


def error_of(statistic: Callable[[Floats], float], n: int, counted: Floats) -> float:
    """Return the infinitesimal-jackknife standard error of a function of weights, by differences."""
    one, step = np.ones(n), 1e-5
    moved = [(statistic(one + step * row) - statistic(one - step * row)) / (2 * step) for row in np.eye(n)]
    units = counted.sum()
    return float(np.sqrt(np.sum(np.square(moved)) * units / (units - 1)))


@pytest.mark.slow
@pytest.mark.parametrize("step", [1.0, 0.25])
def test_interchangeable_statistics_are_expectations(step: float) -> None:
    system, human = made(step=step)
    found = tallied(system, human)
    slices = found.estimates(found.primary)
    keys = [key for key in expected(system, human, np.ones(len(system))) if not (step < 1 and key.endswith("kappa"))]
    several = (np.isfinite(human).sum(axis=1) > 1) * 1.0
    for key in keys:
        if key not in slices.numbers:
            continue
        estimate = slices.estimate(key)
        assert estimate.value == pytest.approx(expected(system, human, np.ones(len(system)))[key], rel=1e-12), key
        counted = several if key.startswith("human") else np.ones(len(system))
        error = error_of(lambda w, key=key: expected(system, human, w)[key], len(system), counted)  # type: ignore[misc]
        assert estimate.standard_error == pytest.approx(error, rel=1e-6), key
        assert estimate.n == counted.sum()
        assert estimate.method == "infinitesimal jackknife on whole responses"


def test_interchangeable_prmse_uses_all_ratings() -> None:
    system, human = made()
    found = tallied(system, human)
    value = found.estimates(found.primary).estimate("true_score.prmse").value
    assert value == pytest.approx(prmse(np.clip(system, *BOUNDS), human).prmse, rel=1e-12)


def test_interchangeable_statistics_ignore_order() -> None:
    system, human = made()
    rng = np.random.default_rng(1)
    order = rng.permutation(len(system))
    shuffled = np.stack([rng.permutation(row) for row in human])[order]
    one, other = tallied(system, human), tallied(system[order], shuffled)
    for score in one.forms:
        for key, numbers in one.estimates(score).numbers.items():
            same = other.estimates(score).numbers[key]
            for part in ("value", "error", "low", "high", "n"):
                mine, theirs = getattr(numbers, part), getattr(same, part)
                np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-12, err_msg=f"{key} {part}")


def test_interchangeable_errors_take_candidates_as_units() -> None:
    system, human = made(FEW_UNITS * 4)
    candidates = np.arange(len(system)) // 4
    found = tallied(system, human, candidates=candidates)
    estimate = found.estimates(found.primary).estimate("system.r")

    def by_candidate(weights: Floats) -> float:
        return expected(system, human, weights[candidates])["system.r"]

    units = int(candidates.max()) + 1
    assert estimate.standard_error == pytest.approx(error_of(by_candidate, units, np.ones(units)), rel=1e-6)
    assert estimate.method == "infinitesimal jackknife on whole clusters"


def test_interchangeable_statistics_ignore_copied_raters() -> None:
    system, human = made()
    twice = np.concatenate([human, human], axis=1)
    one, other = tallied(system, human), tallied(system, twice)
    for key in ("system.qwk", "system.r", "system.kappa"):
        values = [each.estimates(each.primary).estimate(key).value for each in (one, other)]
        assert values[0] == pytest.approx(values[1], rel=1e-12)
