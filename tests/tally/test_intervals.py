"""Standard errors and intervals, compared with the jackknife and simulations."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from simulated import simulated

from reportgen.evaluation.estimates import SliceEstimates, estimate_slices
from reportgen.evaluation.statistics import METHOD_LEFT_OUT
from reportgen.metrics import METRICS
from reportgen.tally import AS_GIVEN, OVERALL, ROUNDED, TRIMMED, ClusteredRows, Form, limits, tally_of
from reportgen.tally.intervals import SCALES

Floats = NDArray[Any]


def sample(seed: int, n: int, double: float = 0.4) -> tuple[Floats, Floats, Floats]:
    _, human, engine, rng = simulated(n, seed, error=0.55, noise=0.45, twice=double)
    return engine, human, (rng.random(n) < 0.3).astype(int)


def estimates(system: Floats, human: Floats, codes: Floats, form: Form = TRIMMED) -> SliceEstimates:
    tally = tally_of(system, human, {"g": (codes, ["a", "b"])}, (0.5002, 6.4998))
    return estimate_slices(tally, "g", form, 0.95, None)


def test_errors_match_jackknife() -> None:
    """With 400 responses, both differ by a few parts in a thousand. Small levels use the scale of the interval."""
    n, times = 400, 5
    system, human, codes = (np.concatenate([each] * times) for each in sample(1, n // times))
    full = estimates(system, human, codes)
    left_out = []  # equal rows have equal results
    for row in range(n // times):
        keep = np.arange(n) != row
        left_out += [estimates(system[keep], human[keep], codes[keep])] * times
    for key, numbers in full.numbers.items():
        values = np.array([other.numbers[key].value for other in left_out])
        jackknife = np.sqrt((n - 1) / n * ((values - values.mean(axis=0)) ** 2).sum(axis=0))
        few = np.array([METHOD_LEFT_OUT in numbers.method[level : level + 1] for level in range(len(jackknife))])
        scale = "none" if key.startswith("degradation.") else METRICS[numbers.metric].transform
        with np.errstate(all="ignore"):
            scaled = SCALES[scale].forward(values)
            own = np.sqrt((n - 1) / n * ((scaled - scaled.mean(axis=0)) ** 2).sum(axis=0))
            own *= np.abs(SCALES[scale].slope(numbers.value))
        np.testing.assert_allclose(numbers.error[~few], jackknife[~few], rtol=0.06, atol=1e-9, err_msg=key)
        np.testing.assert_allclose(numbers.error[few], own[few], rtol=0.02, atol=1e-9, err_msg=key)


@pytest.mark.slow
@pytest.mark.parametrize("form", [TRIMMED, ROUNDED])
def test_intervals_cover(form: Form) -> None:
    """In 150 samples of 600, 95% intervals must cover the mean of the estimates in 89% to 100%."""
    runs = [estimates(*sample(seed, 600), form=form) for seed in range(150)]
    for key in ("system.qwk", "system.r", "system.smd", "system.dsm", "system.kappa", "degradation.qwk",
                "human.qwk", "true_score.prmse", "system.rmse", "system.exact_agreement"):  # fmt: skip
        numbers = [run.numbers[key] for run in runs]
        truth = np.mean([one.value[1] for one in numbers])
        if key == "system.exact_agreement" and form is TRIMMED:
            continue  # unrounded scores never agree exactly
        covered = np.mean([one.low[1] <= truth <= one.high[1] for one in numbers])
        assert covered >= 0.89, f"{key}: {covered}"


def test_overall_errors_do_not_depend_on_groups() -> None:
    system, human, codes = sample(2, 500)
    tally = tally_of(system, human, {"g": (codes, ["a", "b"])}, (0.5002, 6.4998))
    overall = estimate_slices(tally, OVERALL, TRIMMED, 0.95, None)
    one_level = tally_of(system, human, {"g": (np.zeros(500, int), ["all"])}, (0.5002, 6.4998))
    same = estimate_slices(one_level, "g", TRIMMED, 0.95, None)
    for key, numbers in overall.numbers.items():
        if not key.endswith("dsm"):
            np.testing.assert_allclose(numbers.error, same.numbers[key].error, rtol=1e-9, err_msg=key)


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize(("far", "digits"), [(128.0, 1e-10), (8192.0, 1e-6)])
def test_intervals_of_shifted_engine_match(far: float, digits: float, clustered: bool) -> None:
    system, human, codes = sample(4, 200)
    system = np.rint(system * 64) / 64  # so that the shift is exact
    found = []
    for moved in (system, system + far):
        groups = {"g": (codes, ["a", "b"])}
        tally = tally_of(moved, human, groups)
        rows = ClusteredRows.of(tally, moved, human, groups, np.arange(200) // 2) if clustered else None
        found.append(estimate_slices(tally, "g", AS_GIVEN, 0.95, None, rows).numbers)
    near, away = found
    for key in ("system.r", "system.system_sd", "system.system_mean", "human.qwk"):
        if key in near:
            few = np.array([bool(way) for way in near[key].method]) & (not clustered)
            # ties round to even numbers, so other responses share a cell
            np.testing.assert_allclose(away[key].error[few], near[key].error[few], rtol=1e-3, err_msg=key)
            np.testing.assert_allclose(away[key].error[~few], near[key].error[~few], rtol=digits, err_msg=key)
            assert np.isfinite(away[key].low).all(), key
    assert {"system.r"} <= near.keys()


def test_intervals_of_few_responses_stay_in_range() -> None:
    clipped = 0
    for seed in range(60):
        system, human, codes = sample(seed, 3 + seed % 4, double=1.0)
        found = estimates(system, human, codes * 0)
        for key, numbers in found.numbers.items():
            low, high = METRICS[numbers.metric].range
            if key.startswith("degradation."):
                low, high = low - high, high - low
            known = np.isfinite(numbers.low)
            assert (numbers.low[known] >= low).all(), (key, seed)
            assert (numbers.high[known] <= high).all(), (key, seed)
            clipped += int((numbers.low[known] == low).sum())
    assert clipped > 0


def test_limits_by_transform() -> None:
    one = np.ones(1)
    low, high = limits(0.5 * one, 0.1 * one, 1e6 * one, "none", 0.95)
    np.testing.assert_allclose([low[0], high[0]], [0.304, 0.696], atol=1e-3)
    low, high = limits(0.95 * one, 0.1 * one, 1e6 * one, "fisher", 0.95)
    assert -1 < low[0] < 0.95 < high[0] < 1
    # Wilson (1927) at 7 of 10, z = 1.96: .397 to .892
    low, high = limits(70 * one, 0 * one, 1e6 * one, "wilson", 0.95, 10 * one)
    np.testing.assert_allclose([low[0], high[0]], [39.7, 89.2], atol=0.1)
    # at 9 of 10 the upper end assumes a Poisson count of 1: 1 + log(.95) / 10
    low, high = limits(90 * one, 0 * one, 1e6 * one, "wilson", 0.95, 10 * one)
    np.testing.assert_allclose([low[0], high[0]], [59.6, 100 + 10 * np.log(0.95)], atol=0.1)
    assert np.isnan(limits(0.5 * one, 0 * one, 10 * one, "none", 0.95)[0][0])
