"""Intervals of few candidates, double scores, or score points hold or have a reason; bootstrap intervals."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from oracles import ends, value
from plans import one_to_six
from scripts import loaded
from simulated import evaluation_of, simulated

from reportgen.evaluation import Preparation, TalliedScores, intervals, tally_scores
from reportgen.evaluation.differences import differences
from reportgen.evaluation.estimates import estimate_slices
from reportgen.evaluation.intervals import FEW_CANDIDATES, MAYBE_NO_TRUE_VARIANCE, METHOD_OF_PARTS, NEARLY_ALL_THE_SAME
from reportgen.evaluation.levels import FEW_AT_A_LEVEL, level_results, slopes
from reportgen.evaluation.reliability import intraclass
from reportgen.evaluation.statistics import METHOD, METHOD_LEFT_OUT, METHOD_LEFT_OUT_CLUSTERED
from reportgen.results import Estimate
from reportgen.tally import OVERALL, ROUNDED, TRIMMED, ClusteredRows, tally_of
from reportgen.tally.kernel import Groups


@pytest.fixture(scope="module")
def benchmark() -> Any:
    module = loaded("benchmarks/coverage_small.py")
    module.CANDIDATES, module.POPULATION = 20_000, 300_000
    return module


@pytest.mark.slow
@pytest.mark.parametrize(("design", "least"), [
    ("20 candidates", {"qwk": 0.92, "r": 0.92, "human.r": 0.91, "h_sd": 0.92}),
    ("n 50, 20 % twice", {"human.r": 0.93, "degradation.r": 0.91, "group.qwk": 0.93, "group.r": 0.93}),
    ("n 200, 20 % twice", {"degradation.adjacent_agreement": 0.92}),
    ("pass/fail, n 200", {"h_sd": 0.93}),
])  # fmt: skip
def test_intervals_of_small_samples_cover(benchmark: Any, design: str, least: dict[str, float]) -> None:
    """With 300 samples, one Monte Carlo error is 1.3 points."""
    found = benchmark.run(next(each for each in benchmark.DESIGNS if each.name == design), 300)["statistics"]
    for key, share in least.items():
        assert found[key]["coverage"] >= share, (key, found[key])
        assert found[key]["none"] < 0.05 or "adjacent" in key, (key, found[key])


def left_out(system: np.ndarray, human: np.ndarray, units: np.ndarray) -> tuple[float, float]:
    """Return the jackknife standard error of atanh r and its degrees of freedom."""
    each = [np.corrcoef(system[units != unit], human[units != unit])[0, 1] for unit in np.unique(units)]
    influence = np.arctanh(each) - np.arctanh(each).mean()
    n, second, fourth = len(each), (influence**2).sum(), (influence**4).sum()
    return float(np.sqrt((n - 1) / n * second)), min(n - 1, 2 * second**2 / (fourth - second**2 / n))


@pytest.mark.parametrize("clustered", [False, True])
def test_intervals_of_few_units_use_jackknife(clustered: bool) -> None:
    from scipy.stats import t

    rng = np.random.default_rng(4)
    n = 90 if clustered else 30
    units = np.repeat(np.arange(15), 6) if clustered else np.arange(n)
    true = rng.normal(3.5, 0.8, 15)[units] + rng.normal(0, 0.5, n) if clustered else rng.normal(3.5, 1, n)
    human, system = np.clip(np.rint(true + rng.normal(0, 0.5, n)), 1, 6), np.clip(true + rng.normal(0, 0.5, n), 1, 6)
    tally = tally_of(system, human[:, None], {}, (0.5002, 6.4998))
    rows = ClusteredRows.of(tally, system, human[:, None], {}, units) if clustered else None
    found = estimate_slices(tally, OVERALL, TRIMMED, 0.95, None, rows).estimate("system.r")
    error, freedom = left_out(system, human, units)
    assert found.value is not None
    assert found.low == pytest.approx(np.tanh(np.arctanh(found.value) - t.ppf(0.975, freedom) * error), rel=2e-3)
    assert found.method == (METHOD_LEFT_OUT_CLUSTERED if clustered else METHOD_LEFT_OUT)


def test_reliability_of_few_candidates_uses_jackknife() -> None:
    rng = np.random.default_rng(8)
    units = np.repeat(np.arange(12), 6)
    true = rng.normal(3.5, 0.8, 12)[units] + rng.normal(0, 0.5, 72)
    human = np.clip(np.rint(true[:, None] + rng.normal(0, 0.5, (72, 2))), 1, 6)

    def icc(kept: np.ndarray) -> Estimate:
        plan = one_to_six(preparation=Preparation((1, 6), 0.4998, None, True))
        return intraclass(tally_scores(true[kept], human[kept], {}, plan, candidates=units[kept]))["icc_1"]

    found = icc(units >= 0)
    each = np.arctanh(np.array([icc(units != unit).value for unit in range(12)], np.float64))
    assert found.method == METHOD_LEFT_OUT_CLUSTERED
    assert found.value is not None
    error = np.sqrt(11 / 12 * ((each - each.mean()) ** 2).sum()) * (1 - found.value**2)
    assert found.standard_error == pytest.approx(error, rel=1e-6)


@pytest.mark.parametrize(("candidates", "printed"), [(20, False), (49, False), (50, True), (0, True)])
def test_the_spread_of_true_scores_has_no_interval_by_few_candidates(candidates: int, printed: bool) -> None:
    rng = np.random.default_rng(5)
    units = np.arange(200) % candidates if candidates else np.arange(200)
    true = rng.normal(3.5, 0.8, 200)[units] + rng.normal(0, 0.4, 200)
    human = np.clip(np.rint(true[:, None] + rng.normal(0, 0.5, (200, 2))), 1, 6)
    tally = tally_of(true, human, {}, (0.5002, 6.4998))
    rows = ClusteredRows.of(tally, true, human, {}, units) if candidates else None
    found = estimate_slices(tally, OVERALL, TRIMMED, 0.95, None, rows).estimate("true_score.true_variance")
    assert found.value is not None
    assert (found.low is not None) == (found.high is not None) == printed
    assert (found.interval_reason == FEW_CANDIDATES) != printed


def test_intervals_of_many_units_use_infinitesimal_jackknife() -> None:
    rng = np.random.default_rng(1)
    human = rng.integers(1, 7, 100).astype(float)
    tally = tally_of(np.clip(human + rng.normal(0, 1, 100), 1, 6), human[:, None], {}, (0.5002, 6.4998))
    assert estimate_slices(tally, OVERALL, TRIMMED, 0.95, None).estimate("system.r").method == METHOD


def tallied(system: np.ndarray, human: np.ndarray, groups: Groups | None = None) -> TalliedScores:
    return tally_scores(system, human, groups or {}, one_to_six(preparation=Preparation((1, 6), 0.4998, None, True)))


def test_macro_rmse_interval_requires_ten_responses_per_level() -> None:
    rng = np.random.default_rng(2)
    for least, known in ((0, False), (9, False), (10, True)):
        human = np.repeat([1.0, 2, 3, 4, 5, 6], [least, 20, 20, 20, 20, 20])
        scores = tallied(np.clip(human + rng.normal(0, 0.5, len(human)), 1, 6), human[:, None])
        found = level_results(scores)[1]["levels.macro_rmse"]
        assert (found.low is not None) == known
        assert found.interval_reason == ("" if known else FEW_AT_A_LEVEL)


def test_nearly_errorless_engine_has_no_interval() -> None:
    human = simulated(200, 3).human
    for differing, known in ((6, False), (60, True)):
        system = human[:, 0].copy()
        system[:differing] += np.where(system[:differing] > 3, -1, 1)
        scores = tallied(system, human)
        prmse = scores.estimates(scores.primary).estimate("true_score.prmse")
        slope = slopes(scores)["levels.calibration_slope"]
        for found in (prmse, slope):
            assert found.value is not None
            assert (found.low is not None) == known
            assert (found.interval_reason == NEARLY_ALL_THE_SAME) != known


def test_nearly_errorless_engine_has_no_macro_rmse_interval() -> None:
    human = np.repeat([1.0, 2, 3, 4, 5, 6], 30)
    for differing, known in ((12, False), (60, True)):
        system = human.copy()
        system[:: len(human) // differing] += 0.4
        found = level_results(tallied(system, human[:, None]))[1]["levels.macro_rmse"]
        assert (found.low is not None) == known
        assert found.interval_reason == ("" if known else NEARLY_ALL_THE_SAME)


def test_disattenuated_interval_of_few_double_scores_combines_parts() -> None:
    _, human, engine, _ = simulated(200, 6, sd=0.8, error=0.7, noise=0.4)
    human[40:, 1] = np.nan
    scores = tallied(engine, human)
    found = scores.estimates(scores.primary)
    one, other, corrected = (found.estimate(key) for key in ("system.r", "human.r", "disattenuated.r"))
    assert corrected.method == METHOD_OF_PARTS
    assert corrected.high is not None
    # the uncertainty of the correlation between raters dominates
    assert corrected.high > one.value / np.sqrt(other.low + 0.1)  # type: ignore[operator]
    assert corrected.high - corrected.value > corrected.value - corrected.low  # type: ignore[operator]


def test_sd_interval_of_two_points_follows_share() -> None:
    human = np.repeat([0.0, 1.0], [52, 48])
    tally = tally_of(human[::-1].copy(), human[:, None], {}, (-0.4998, 1.4998))
    found = estimate_slices(tally, OVERALL, TRIMMED, 0.95, None).estimate("system.h_sd")
    assert found.high == pytest.approx(0.5 * np.sqrt(100 / 99))
    wilson = 0.3846  # the lower end of the share of ones is farther from a half than the upper end
    assert found.low == pytest.approx(np.sqrt(wilson * (1 - wilson) * 100 / 99), abs=2e-3)


def test_difference_given_true_score_requires_true_variance() -> None:
    rng = np.random.default_rng(9)
    group = {"g": ((np.arange(50) < 15).astype(int), ["a", "b"])}
    withheld = 0
    for _ in range(60):
        true = rng.normal(3.8, 0.74, 50)
        human = np.clip(np.rint(true[:, None] + rng.normal(0, 0.6, (50, 2))), 1, 6)
        human[rng.permutation(50)[10:], 1] = np.nan
        found = differences(tallied(np.clip(true + rng.normal(0, 0.33, 50), 1, 6), human, group), "g")
        withheld += found.reason == MAYBE_NO_TRUE_VARIANCE
        assert found.reason or np.abs(found.standardized.value).max() < 1.5
    assert 5 < withheld < 50


def test_group_intervals_do_not_depend_on_other_groups() -> None:
    rng, found = np.random.default_rng(7), []
    human, units = rng.integers(1, 7, (90, 2)).astype(float), np.r_[np.arange(30), 30 + np.arange(60) // 3]
    system, codes = np.clip(human[:, 0] + rng.normal(0, 0.7, 90), 1, 6), np.minimum(np.arange(90) // 30, 1)
    for n, levels in ((30, 1), (90, 2)):
        scores = system[:n], human[:n], {"g": (codes[:n], ["a", "b"])}
        tally, inside = tally_of(*scores, (0.5002, 6.4998)), ("g", np.arange(levels))
        rows = ClusteredRows.of(tally, *scores, units[:n])
        found.append(estimate_slices(tally, "g", ROUNDED, 0.95, None, rows, inside=inside))
    for (key, one), other in zip(found[0].numbers.items(), found[1].numbers.values(), strict=True):
        np.testing.assert_allclose((*one.low, *one.high), (other.low[0], other.high[0]), rtol=1e-9, err_msg=key)


def test_level_intervals_do_not_depend_on_other_levels() -> None:
    rng, ends = np.random.default_rng(3), []
    human, units = np.repeat([2.0, 4.0], [40, 60])[:, None], np.r_[np.arange(40), np.arange(60) // 2]
    system = np.clip(human[:, 0] + rng.normal(0, 0.8, 40)[units], 1, 6)
    for each in (units, np.arange(100)):
        recall = level_results(tally_scores(system, human, {}, one_to_six(), candidates=each))[0][1].column("recall")
        ends.append([(cell.low, cell.high) for cell in recall if isinstance(cell, Estimate) and cell.low is not None])
    (at_2, at_4), (alone_at_2, alone_at_4) = ends[0][:2], ends[1][:2]
    assert at_2 == pytest.approx(alone_at_2, rel=1e-9)
    assert at_4 != pytest.approx(alone_at_4, rel=1e-2)


def sample(n: int = 240) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.intp]]:
    _, human, engine, rng = simulated(n)
    human[n // 2 :, 1] = np.nan
    return np.clip(engine, 0.5002, 6.4998), human, (rng.random(n) < 0.4).astype(np.intp)


def tallied_groups(**more: Any) -> TalliedScores:
    system, human, group = sample()
    return tally_scores(system, human, {"g": (group, ["a", "b"])}, one_to_six(), **more)


def test_bootstrap_ends_match_resampled_rows() -> None:
    system, human, group = sample()
    made = tallied_groups(bootstrap=(400, 7))
    correlation, largest = [], []
    for index in range(400):
        draw = np.random.default_rng([7, index]).integers(0, len(system), len(system))
        s, h, g = system[draw], human[draw, 0], group[draw]
        correlation.append(np.corrcoef(s, h)[0, 1])
        z = (s - s.mean()) / s.std(ddof=1) - (h - h.mean()) / h.std(ddof=1)
        largest.append(z[g == 1].mean())
    overall = made.estimates(made.primary).estimate("system.r")
    in_group = made.estimates(made.primary, "g").estimate("system.dsm", 1)
    for found, values in ((overall, correlation), (in_group, largest)):
        assert (found.low, found.high) == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])), rel=1e-9)
        assert found.method == "percentile bootstrap of whole responses, 400 replicates"


def test_bootstrap_with_seed_does_not_depend_on_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    one = tallied_groups(bootstrap=(120, 3))
    monkeypatch.setattr(intervals, "BLOCK_WEIGHTS", 1000)
    same, other = tallied_groups(bootstrap=(120, 3)), tallied_groups(bootstrap=(120, 4))
    found = [each.estimates(each.primary).estimate("true_score.prmse") for each in (one, same, other)]
    assert found[0].low == pytest.approx(found[1].low, rel=1e-12)
    assert found[0].low != pytest.approx(found[2].low, rel=1e-6)


def test_bootstrap_resamples_whole_candidates() -> None:
    made = tallied_groups(bootstrap=(200, 1), candidates=np.repeat(np.arange(120), 2))
    assert "whole clusters" in made.estimates(made.primary).estimate("system.qwk").method


def test_bootstrap_agrees_with_jackknife() -> None:
    plain, resampled = tallied_groups(), tallied_groups(bootstrap=(1000, 1))
    for key in ("system.qwk", "system.rmse", "degradation.r", "true_score.prmse", "system.smd"):
        one, other = (each.estimates(each.primary).estimate(key) for each in (plain, resampled))
        assert one.value == other.value
        assert np.ptp(ends(other)) == pytest.approx(np.ptp(ends(one)), rel=0.2), key


def test_bootstrap_of_engine_without_error_keeps_bound() -> None:
    human = np.tile([1.0, 2, 3, 4, 5, 6], 50)
    made = tally_scores(human, human[:, None], {}, one_to_six(1), bootstrap=(100, 1))
    found = made.estimates(made.primary).estimate("system.qwk")
    assert found.low is not None
    assert found.low < 1
    assert "resampl" not in found.method


@pytest.mark.slow
def test_bootstrap_with_distant_scores_contains_values() -> None:
    """Sums of the engine have a separate center."""
    rng = np.random.default_rng(0)
    truth = rng.normal(size=300)
    human = np.clip(np.rint(3.5 + truth + rng.normal(0, 0.5, 300)), 1, 6)
    table = pa.table({"human": human, "engine": 1000 + truth + rng.normal(0, 0.4, 300)})
    settings: dict[str, Any] = {"scale": "1:6", "system_scale": "1:6", "trim_min": 900, "trim_max": 1100}
    settings |= {"replicates": 100, "intervals": "bootstrap"}
    found = evaluation_of(table, system="engine", human=["human"], **settings).estimates
    for key, widest in {"system.smd": 200, "system.rmse": 0.5, "system.r": 0.2}.items():
        low, high = ends(found[key])
        assert low < value(found[key]) < high, key
        assert high - low < widest, key
