"""Bootstrap intervals match resampled rows and are reproducible with the same seed."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from oracles import ends, value
from plans import one_to_six
from simulated import evaluation_of, simulated

from reportgen.evaluation import bootstrap, tally_scores
from reportgen.evaluation.tallied_scores import TalliedScores


def sample(n: int = 240) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.intp]]:
    _, human, engine, rng = simulated(n)
    human[n // 2 :, 1] = np.nan
    return np.clip(engine, 0.5002, 6.4998), human, (rng.random(n) < 0.4).astype(np.intp)


def tallied(**more: Any) -> TalliedScores:
    system, human, group = sample()
    return tally_scores(system, human, {"g": (group, ["a", "b"])}, one_to_six(), **more)


def test_bootstrap_ends_match_resampled_rows() -> None:
    system, human, group = sample()
    made = tallied(bootstrap=(400, 7))
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
    one = tallied(bootstrap=(120, 3))
    monkeypatch.setattr(bootstrap, "BLOCK_WEIGHTS", 1000)
    same, other = tallied(bootstrap=(120, 3)), tallied(bootstrap=(120, 4))
    found = [each.estimates(each.primary).estimate("true_score.prmse") for each in (one, same, other)]
    assert found[0].low == pytest.approx(found[1].low, rel=1e-12)
    assert found[0].low != pytest.approx(found[2].low, rel=1e-6)


def test_bootstrap_resamples_whole_candidates() -> None:
    made = tallied(bootstrap=(200, 1), candidates=np.repeat(np.arange(120), 2))
    assert "whole clusters" in made.estimates(made.primary).estimate("system.qwk").method


def test_bootstrap_agrees_with_jackknife() -> None:
    plain, resampled = tallied(), tallied(bootstrap=(1000, 1))
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
