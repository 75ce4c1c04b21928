"""Planning double scores: the formula against samples, and what the command says."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from command import invoked
from simulated import framed, simulated

from reportgen.evaluation.estimates import estimate_slices
from reportgen.metrics import prmse
from reportgen.metrics.double_scoring import (
    PrmsePlan,
    double_scores_for_half_width,
    double_scores_for_power,
    double_scores_for_threshold,
    plan_from_data,
    prmse_half_width,
    prmse_power,
    prmse_standard_error,
    prospects,
)
from reportgen.tally import TRIMMED, tally_of


@pytest.mark.parametrize(("human_r", "n", "double"), [(0.8, 500, 500), (0.65, 400, 100), (0.65, 500, 250)])
def test_the_standard_error_matches_samples(human_r: float, n: int, double: int) -> None:
    rng = np.random.default_rng(11)
    found = []
    for _ in range(400):
        system = rng.normal(0, np.sqrt(0.8), n)
        true = system + rng.normal(0, np.sqrt(0.2), n)
        human = true[:, None] + rng.normal(0, np.sqrt((1 - human_r) / human_r), (n, 2))
        human[double:, 1] = np.nan
        found.append(prmse(system, human).prmse)
    low, high = np.quantile(found, [0.1587, 0.8413])  # PRMSE is skewed: its middle, not its SD
    assert prmse_standard_error(0.8, human_r, double, n) == pytest.approx((high - low) / 2, rel=0.13)


def test_published_and_simulated_values() -> None:
    assert prmse_standard_error(0.8, 0.65, 100) == pytest.approx(0.0609, abs=1e-4)
    assert prmse_standard_error(0.8, 0.40, 500) == pytest.approx(0.0759, abs=1e-4)
    for human_r, about in ((0.8, 125), (0.65, 570), (0.4, 4400)):
        assert double_scores_for_half_width(0.05, 0.8, human_r) == pytest.approx(about, rel=0.02)


def test_the_smallest_number_that_is_enough() -> None:
    for n in (None, 2000):
        needed = double_scores_for_half_width(0.06, 0.8, 0.65, n)
        assert needed is not None
        assert prmse_half_width(0.8, 0.65, needed, n) <= 0.06 < prmse_half_width(0.8, 0.65, needed - 1, n)


def test_unreachable_numbers_are_none() -> None:
    assert double_scores_for_threshold(0.8, 0.8, 0.65) is None
    assert double_scores_for_half_width(1e-6, 0.8, 0.4) is None


def test_more_responses_are_added_when_all_are_scored_twice() -> None:
    few = double_scores_for_half_width(0.02, 0.8, 0.65, 300)
    assert few is not None
    assert few > 300
    assert PrmsePlan(0.8, 0.65, 300).responses(few) == few


@pytest.mark.parametrize("wrong", [{"prmse": 1.2}, {"human_r": 0.0}, {"double_scored": 0}, {"n": 50}])
def test_impossible_plans_are_errors(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="found"):
        prmse_standard_error(**{"prmse": 0.8, "human_r": 0.65, "double_scored": 100, **wrong})


def test_a_plan_from_data_starts_at_their_interval() -> None:
    plan = plan_from_data(0.8, 0.65, 0.35, 1000, 200, 0.13, 0.95)
    assert plan is not None
    now, twice, four, aim = prospects(plan, thresholds=(0.7,))
    assert now.half_width == pytest.approx(0.065)
    assert 0.065 > (twice.half_width or 1) > (four.half_width or 1)
    assert aim.double is not None
    assert plan.half_width(aim.double) <= 0.1 < plan.half_width(aim.double - 1)
    assert plan_from_data(1.2, 0.65, 0.35, 1000, 200, 0.13, 0.95) is None
    assert plan_from_data(0.8, 0.65, 0.35, 1000, 4, None, 0.95) is None


run = partial(invoked, "plan")


def test_the_command_prints_the_number() -> None:
    said = run("--prmse", 0.8, "--human-r", 0.65, "--half-width", 0.05, "--threshold", 0.7).stdout
    assert "573" in said
    assert "145" in said
    found = json.loads(run("--prmse", 0.8, "--human-r", 0.65, "--n2", 570, "--json").stdout)
    assert found["prospects"][0]["half_width"] == pytest.approx(0.05, abs=5e-4)


def test_power_is_printed_and_can_be_set() -> None:
    given = ("--prmse", 0.8, "--human-r", 0.65, "--threshold", 0.7)
    (half,) = json.loads(run(*given, "--json").stdout)["prospects"]
    assert half["double"] == 145
    assert half["power"] == pytest.approx(0.61, abs=0.005)
    assert "61%" in run(*given).stdout
    assert "probability that the interval excludes 0.70 if PRMSE is 0.80" in run(*given).stdout
    (asked,) = json.loads(run(*given, "--power", 80, "--json").stdout)["prospects"]
    assert json.loads(run(*given, "--power", 0.8, "--json").stdout)["prospects"] == [asked]
    assert asked["double"] == 225
    assert prmse_power(0.8, 0.7, 0.65, 224) < 0.8 <= prmse_power(0.8, 0.7, 0.65, 225) == asked["power"]
    (certain,) = json.loads(run("--prmse", 0.7, *given[2:], "--power", 80, "--json").stdout)["prospects"]
    assert certain["double"] is None


@pytest.mark.slow
@pytest.mark.parametrize(("prmse_", "human_r", "n"), [(0.8, 0.65, 500), (0.6, 0.65, 500), (0.8, 0.8, 500)])
def test_the_power_matches_samples(prmse_: float, human_r: float, n: int) -> None:
    double = double_scores_for_power(0.8, 0.7, prmse_, human_r, n)
    assert double is not None
    rng, all_, samples = np.random.default_rng(5), max(n, double), 600
    system = rng.normal(0, np.sqrt(prmse_), (samples, all_))
    true = system + rng.normal(0, np.sqrt(1 - prmse_), (samples, all_))
    human = np.round(true[..., None] + rng.normal(0, np.sqrt((1 - human_r) / human_r), (samples, all_, 2)), 2)
    human[:, double:, 1] = np.nan
    names = {"sample": (np.repeat(np.arange(samples), all_), [f"{each:03}" for each in range(samples)])}
    tally = tally_of(system.ravel(), human.reshape(-1, 2), names, (-99, 99))
    found = estimate_slices(tally, "sample", TRIMMED, 0.95, None).numbers["true_score.prmse"]
    clear = found.low > 0.7 if prmse_ > 0.7 else found.high < 0.7
    assert clear.mean() == pytest.approx(0.8, abs=0.05)  # Monte Carlo error 1.6 points


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("--prmse", 0.8, "--human-r", 0), "--human-r"),
        (("--prmse", 0.8, "--human-r", 0.65, "--confidence", 0.9999999999999999), "up to 0.9999"),
        (("--prmse", 0.8, "--human-r", 0.65, "--threshold", 0.7, "--power", 100), "--power: must be between"),
        (("--prmse", 0.8, "--human-r", 0.65, "--threshold", 0.7, "--power", "nan"), "--power: must be between"),
        (("--from", "nowhere.json"), "nowhere.json"),
        (("--from", "nowhere.json", "--n", 900), "--n: --from provides it"),
        (("--from", "nowhere.json", "--human-r", 0), "--human-r: --from provides it"),
    ],
)
def test_impossible_plans_are_errors_in_one_sentence(arguments: tuple[object, ...], word: str) -> None:
    sentence = run(*arguments, code=2).stderr
    assert word in sentence
    assert sentence.count("\n") <= 2


def test_a_plan_from_scores_and_from_their_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    framed(simulated(300, noise=0.4), "human", "system").round(2).to_csv("scores.csv", index=False)
    from_scores = json.loads(run("--from", "scores.csv", "--threshold", 0.7, "--json").stdout)
    invoked("evaluate", "scores.csv", "out", "--tables-only", "--quiet")
    assert json.loads(run("--from", "out/results.json", "--threshold", 0.7, "--json").stdout) == from_scores
    assert json.loads(run("--from", "out", "--threshold", 0.7, "--json").stdout) == from_scores
    assert from_scores["plan"]["double"] == 300


@pytest.mark.parametrize(
    ("twice", "noise", "why"),
    [(4, 0.3, "only 4 responses are double-scored, but at least 10 are"), (300, 9.0, "or one of its variances is")],
)
def test_a_file_without_a_plan_gets_the_true_reason(twice: int, noise: float, why: str, tmp_path: Path) -> None:
    frame = framed(simulated(300, 4, error=0.3, noise=noise), "human", "system").clip(0, 7)
    frame.loc[twice:, "human2"] = np.nan
    frame.to_csv(tmp_path / "s.csv", index=False)
    result = invoked("plan", "--from", tmp_path / "s.csv", code=2)
    assert why in result.stderr
