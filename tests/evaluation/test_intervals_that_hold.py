"""Intervals that need more than a standard error: few double scores, and engines without errors."""

import numpy as np
import pandas as pd
import pytest
from oracles import ends, value
from scripts import loaded
from simulated import evaluation_of, simulated

from reportgen.evaluation.estimates import SliceEstimates, estimate_slices
from reportgen.evaluation.intervals import MAYBE_NO_TRUE_VARIANCE, METHOD_ERRORLESS
from reportgen.sections import Term
from reportgen.tally import OVERALL, ROUNDED, tally_of
from reportgen.tally.intervals import fieller
from reportgen.verdicts import judge

BOUNDS = (0.5002, 6.4998)


def estimated(system: object, human: object, worst: tuple[float, float] | None = (5.0, 5.0)) -> SliceEstimates:
    tally = tally_of(system, human, None, BOUNDS)  # type: ignore[arg-type]
    return estimate_slices(tally, OVERALL, ROUNDED, 0.95, None, worst_errors=worst)


def test_fieller_interval_inverts_t_test() -> None:
    top, bottom, variances = 0.3, 0.8, (0.004, 0.01, 0.002)
    one = np.ones(1)
    low, high = fieller(top * one, bottom * one, tuple(v * one for v in variances), 1e9 * one, 0.95)  # type: ignore[arg-type]
    for ratio, inside in ((low[0], None), (high[0], None), (0.99 * low[0], False), (1.01 * low[0], True)):
        z = (top - ratio * bottom) / np.sqrt(variances[0] - 2 * ratio * variances[2] + ratio**2 * variances[1])
        assert abs(z) == pytest.approx(1.959964, rel=1e-4) if inside is None else (abs(z) < 1.95996) == inside


def test_prmse_of_few_double_scores_has_no_interval() -> None:
    true, human, *_ = simulated(300, 0, sd=0.3, error=1.5)
    human[8:, 1] = np.nan
    prmse = estimated(true, human).estimate("true_score.prmse")
    assert prmse.value is not None
    assert prmse.low is None
    assert prmse.interval_reason == MAYBE_NO_TRUE_VARIANCE


@pytest.mark.parametrize("n", [50, 300, 3000])
def test_errorless_engine_has_bounds(n: int) -> None:
    human = np.tile([1.0, 2, 3, 4, 5, 6], n // 6 + 1)[:n]
    found = estimated(human, np.column_stack([human, human]))
    for key in ("system.qwk", "system.r", "system.rmse", "system.smd", "human.qwk", "true_score.prmse"):
        estimate = found.estimate(key)
        assert estimate.method == METHOD_ERRORLESS, key
        low, high = ends(estimate)
        assert low <= value(estimate) <= high, key
    share = 1 - 0.025 ** (1 / n)
    assert found.estimate("system.smd").high == pytest.approx(share * 5 / found.numbers["system.h_sd"].low[0])
    assert found.estimate("system.rmse").high == pytest.approx(5 * np.sqrt(1 - 0.05 ** (1 / n)))
    degradation = found.estimate("degradation.qwk")
    assert degradation.low == pytest.approx((found.estimate("system.qwk").low or 0) - 1)
    assert (found.estimate("system.qwk").low or 0) < 0.7 if n == 50 else (found.estimate("system.qwk").low or 0) > 0.7


def test_errorless_engine_with_many_responses_is_judged() -> None:
    human = np.tile([1.0, 2, 3, 4, 5, 6], 500)
    found = estimated(human, human[:, None])
    assert judge(found.estimate("system.qwk"), 0.7, None) == "met"
    assert judge(found.estimate("system.smd"), -0.15, 0.15) == "met"


def test_errorless_engine_on_open_scale_has_no_bound() -> None:
    human = np.tile([1.0, 2, 3, 4], 50)
    assert estimated(human, np.column_stack([human, human]), None).estimate("system.qwk").low is None


def test_degradation_of_errorless_engine_has_both_uncertainties() -> None:
    rng = np.random.default_rng(5)
    human = rng.integers(1, 7, 400).astype(float)
    second = np.clip(human + rng.integers(-1, 2, 400), 1, 6)
    found = estimated(human, np.column_stack([human, second]))
    unknown_engine = found.estimate("degradation.qwk")
    known_engine = 1 - found.numbers["human.qwk"].high[0]
    assert unknown_engine.low is not None
    assert unknown_engine.low < known_engine - 0.01


@pytest.mark.slow
@pytest.mark.parametrize(("n", "double", "human_r"), [(200, 100, 0.65), (500, 100, 0.4)])
def test_nominal_intervals_cover(monkeypatch: pytest.MonkeyPatch, n: int, double: int, human_r: float) -> None:
    """In 1,000 samples, coverage of headline metrics is within 3 Monte Carlo errors of 93% to 97%."""
    benchmark = loaded("benchmarks/coverage.py")
    monkeypatch.setattr(benchmark, "POPULATION", 1_000_000)
    found = benchmark.run(benchmark.Design(n, double, human_r), 1000)["statistics"]
    for key, each in found.items():
        assert 0.93 - 0.021 <= each["coverage"] <= 0.97 + 0.021, (key, each)
        assert each["none"] < 0.05, key


@pytest.mark.parametrize(("share", "same"), [(1.0, True), (0.5, False)])
def test_phi_and_icc_have_same_interval_or_labels(share: float, same: bool) -> None:
    """If every rater rated everything, Phi of one rating and ICC(A,1) are the same."""
    rng = np.random.default_rng(6)
    true, severity = rng.normal(3, 1, 200), np.array([-0.4, 0.0, 0.4])
    ratings = np.clip(np.rint(true[:, None] + severity + rng.normal(0, 0.6, (200, 3))), 1, 6)
    ratings[rng.random(200) >= share, 2] = np.nan
    frame = pd.DataFrame(dict(zip(("h1", "h2", "h3"), ratings.T, strict=True)) | {"engine": true})
    found = evaluation_of(frame, system="engine", scale="1:6")
    icc, phi = (found.estimates[f"reliability.{key}"] for key in ("icc_a1", "dependability"))
    assert ((icc.low, icc.high) == (phi.low, phi.high)) is same
    assert found.tables["reliability.more_ratings"].notes[0] == Term("phi_of_raters", sampled=same)
