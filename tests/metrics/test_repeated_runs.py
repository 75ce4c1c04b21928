"""Repeated runs: variance components, and PRMSE of the mean of several."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles import jackknife_error

from reportgen.metrics import prmse, prmse_of_mean_of_runs, run_variance
from reportgen.metrics.reliability import generalizability_of_columns, prmse_features, prmse_of_runs
from reportgen.tally import limits
from reportgen.tally.joint import JointNumbers, rowwise

Floats = NDArray[np.float64]


def simulated(seed: int, n: int = 150, k: int = 3, spread: float = 0.4, gaps: float = 0.0) -> tuple[Floats, Floats]:
    """Return (n, k) runs and (n, 2) human scores; half of the responses have one rating only."""
    random = np.random.default_rng(seed)
    true = random.normal(0, 1, n)
    human = true[:, None] + random.normal(0, 0.6, (n, 2))
    human[random.random(n) < 0.5, 1] = np.nan
    own = 0.9 * true + random.normal(0, 0.3, n)
    runs = own[:, None] + random.normal(0, spread, (n, k))
    runs[random.random((n, k)) < gaps] = np.nan
    return runs, human


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("error_variance", [None, 0.36])
def test_prmse_of_mean_of_runs_matches_prmse(k: int, error_variance: float | None) -> None:
    runs, human = simulated(k, k=k)
    of_each = [prmse(run, human, error_variance=error_variance).prmse for run in runs.T]
    assert prmse_of_mean_of_runs(runs, human, 1, error_variance=error_variance) == pytest.approx(
        np.mean(of_each), abs=1e-12
    )
    of_mean = prmse(runs.mean(axis=1), human, error_variance=error_variance).prmse
    assert prmse_of_mean_of_runs(runs, human, k, error_variance=error_variance) == pytest.approx(of_mean, abs=1e-12)


def test_run_variance_of_two_runs_matches_formula() -> None:
    """Compare with the variance of differences and with the difference of means."""
    runs, _ = simulated(8, k=2)
    runs[:, 1] += 0.3
    difference = runs[:, 0] - runs[:, 1]
    found, n = run_variance(runs), len(runs)
    residual = difference.var(ddof=1) / 2
    assert found.residual == pytest.approx(residual)
    assert found.run == pytest.approx(difference.mean() ** 2 / 2 - residual / n)
    assert found.response == pytest.approx(runs.mean(axis=1).var(ddof=1) - residual / 2)
    assert found.run_to_run == pytest.approx(found.run + residual)
    assert found.reliability(2) == pytest.approx(found.response / (found.response + found.run_to_run / 2))


def test_run_variance_with_gaps_is_unbiased() -> None:
    found = [run_variance(simulated(seed, gaps=0.2)[0]) for seed in range(200)]
    for name, true in (("response", 0.81 + 0.09), ("run", 0.0), ("residual", 0.16)):
        values = np.array([getattr(each, name) for each in found])
        assert abs(values.mean() - true) < 3.5 * values.std(ddof=1) / math.sqrt(len(values)), name


def test_run_variance_of_equal_runs_is_zero() -> None:
    runs, human = simulated(1)
    runs = np.repeat(runs[:, :1], 3, axis=1)
    found = run_variance(runs)
    assert found.run_to_run == pytest.approx(0, abs=1e-14)
    assert found.reliability(1) == pytest.approx(1)
    assert prmse_of_mean_of_runs(runs, human, 5) == pytest.approx(prmse_of_mean_of_runs(runs, human, 1))


def test_run_statistics_without_data_are_undefined() -> None:
    runs, human = simulated(2)
    assert run_variance(runs[:, :1]).reason
    assert math.isnan(run_variance(runs[:1]).residual)
    apart = np.array([[1.0, np.nan], [np.nan, 2.0], [3.0, np.nan]])
    assert "overlap" in run_variance(apart).reason
    assert math.isnan(prmse_of_mean_of_runs(apart, human[:3], 2))
    assert math.isnan(prmse_of_mean_of_runs(runs, human[:, :1], 2))
    with pytest.raises(ValueError, match="1 or more"):
        prmse_of_mean_of_runs(runs, human, 0)
    with pytest.raises(ValueError, match="lengths differ"):
        prmse_of_mean_of_runs(runs, human[:3], 1)


def residual_of(runs: np.ndarray, codes: np.ndarray | None = None) -> JointNumbers:
    """Return the residual variance with its standard error."""
    found = generalizability_of_columns(runs)
    moved = found.influence[:, 2]
    return rowwise({"x": moved}, lambda sums: {"x": found.at(sums["x"] - moved.sum()).residual}, codes)["x"]


@pytest.mark.parametrize("clustered", [False, True])
def test_residual_variance_error_matches_jackknife(clustered: bool) -> None:
    runs, _ = simulated(5, n=300, gaps=0.1)
    runs = runs[(~np.isnan(runs)).any(axis=1)]
    codes = np.arange(len(runs)) // 2 if clustered else np.arange(len(runs))
    found = residual_of(runs, codes)
    assert found.units == len(np.unique(codes))
    expected = jackknife_error(lambda kept: run_variance(runs[kept]).residual, codes)
    assert found.error[0] == pytest.approx(expected, rel=0.03)


@pytest.mark.slow
def test_intervals_of_runs_cover() -> None:
    """In 400 samples, 95% intervals cover the residual variance and the gain in PRMSE."""
    true_residual, gain = 0.16, 0.16 * (1 - 1 / 3)  # the variance of true scores is 1
    hits = np.zeros(2)
    for seed in range(400):
        runs, human = simulated(1000 + seed)
        parts = residual_of(runs)
        gains = rowwise(prmse_features(runs, human), lambda s: {"x": prmse_of_runs(s, 3) - prmse_of_runs(s, 1)})["x"]
        for place, (numbers, true, scale) in enumerate(((parts, true_residual, "log"), (gains, gain, "none"))):
            low, high = limits(numbers.value, numbers.error, numbers.units - 1.0, scale, 0.95)
            hits[place] += low[0] <= true <= high[0]
    assert (np.abs(hits / 400 - 0.95) < 0.035).all(), hits / 400
