"""Weighted statistics describe the population of unequal samples, and intervals use classes as units."""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from plans import one_to_six
from scripts import loaded
from simulated import evaluation_of, simulated

import reportgen
from reportgen.errors import InputError, SettingsError
from reportgen.evaluation import TalliedScores, tally_scores
from reportgen.scores.table import SampleWeights
from reportgen.tally.sums import Floats

KEYS = (
    "system.qwk", "system.rmse", "system.exact_agreement", "system.kappa", "human.qwk", "human.kappa",
    "degradation.r", "true_score.error_variance",
)  # fmt: skip


def drawn(n: int = 240, seed: int = 1) -> tuple[Floats, Floats, Floats]:
    """Return engine scores, two ratings, and whole weights."""
    _, human, engine, rng = simulated(n, seed, twice=0.5)
    return engine, human, rng.integers(1, 4, n).astype(float)


def values(tallied: TalliedScores, grouping: str = "", level: int = 0) -> list[float]:
    return [float(tallied.headline(key, grouping, level).value or np.nan) for key in KEYS]


@pytest.mark.parametrize("interchangeable", [False, True])
def test_whole_weights_match_repeated_responses(interchangeable: bool) -> None:
    system, human, weight = drawn()
    groups = {"half": (np.arange(len(system)) % 2, ("even", "odd"))}
    weights = SampleWeights(weight, np.ones(len(weight)))
    times = np.repeat(np.arange(len(system)), weight.astype(int))
    repeated = {"half": (groups["half"][0][times], ("even", "odd"))}
    plan = one_to_six()
    found = tally_scores(system, human, groups, plan, weights=weights, interchangeable=interchangeable)
    expected = tally_scores(system[times], human[times], repeated, plan, interchangeable=interchangeable)
    assert values(found) == pytest.approx(values(expected), nan_ok=True)
    assert values(found, "half", 1) == pytest.approx(values(expected, "half", 1), nan_ok=True)
    assert [found.headline(key).n for key in ("system.qwk", "human.qwk")] == [240, np.isfinite(human).all(axis=1).sum()]
    assert found.headline("system.qwk", "half", 1).n == 120


def test_double_weight_applies_to_double_scores() -> None:
    system, human, weight = drawn()
    twice = np.isfinite(human[:, 1])
    found = tally_scores(system, human, {}, one_to_six(), weights=SampleWeights(np.ones(len(weight)), weight))
    plain = tally_scores(system, human, {}, one_to_six())
    gap, own = (human[:, 0] - human[:, 1])[twice], weight[twice]
    assert found.headline("true_score.error_variance").value == pytest.approx((own * gap**2).sum() / (2 * own.sum()))
    for key in ("system.qwk", "system.smd", "system.kappa", "system.rmse"):
        one, other = found.headline(key), plain.headline(key)
        assert (one.value, one.standard_error) == pytest.approx((other.value, other.standard_error))


def test_weighted_mean_has_survey_standard_error() -> None:
    """Compare with the linearized variance of a Hájek mean, by response and by candidate."""
    system, human, weight = drawn(450)
    w = SampleWeights(weight, np.ones(len(weight)))
    for candidates in (None, np.arange(len(system)) // 3):
        tallied = tally_scores(system, human, {}, one_to_six(), weights=w, candidates=candidates)
        units = np.arange(len(system)) if candidates is None else candidates
        mean = np.average(human[:, 0], weights=weight)
        influence = np.bincount(units, weight * (human[:, 0] - mean)) / weight.sum()
        effective = np.bincount(units, weight).sum() ** 2 / (np.bincount(units, weight) ** 2).sum()
        expected = np.sqrt((influence**2).sum() * effective / (effective - 1))
        found = tallied.headline("system.h_mean")
        assert (found.value, found.standard_error) == pytest.approx((mean, expected))


def test_equal_weights_change_nothing_and_invalid_weights_raise() -> None:
    system, human, weight = drawn()
    columns = {"id": [f"r{n}" for n in range(len(system))], "rater_1": human[:, 0], "rater_2": human[:, 1]}
    table: dict[str, Any] = {**columns, "engine": system, "stands_for": np.full(len(system), 4.0)}
    plain = reportgen.evaluate(table, scale="1:6").evaluation
    weighted = reportgen.evaluate(table, scale="1:6", weight="stands_for").evaluation
    assert weighted.estimates == plain.estimates
    assert "effective" not in weighted.facts["design"]["first"]
    table["stands_for"] = np.where(np.arange(len(system)) == 7, 0.0, weight)
    with pytest.raises(InputError, match=r"column 'stands_for' has no weight above 0 for .* .first: row 8"):
        reportgen.evaluate(table, scale="1:6", weight="stands_for")
    found = []
    for size in (1.0, 1e307, 1e-310):
        table |= {"stands_for": weight * size, "again": weight[::-1] * size}
        made = reportgen.evaluate(table, scale="1:6", weight="stands_for", double_weight="again")
        found.append([made.evaluation.estimates[key].value for key in ("system.qwk", "human.qwk")])
    assert found[1:] == [pytest.approx(found[0])] * 2


CHOSEN: dict[str, Any] = {
    "at random": (lambda s, h: np.full(len(s), 0.3), ("part", "part")),
    "where engine and rater differ": (lambda s, h: np.where(np.abs(h - s) > 1, 1, 0.05), ("part", "chosen")),
    "at both ends": (lambda s, h: np.where((h == 1) | (h == 6), 1, 0.1), ("part", "chosen")),
    "scored by confidence": (lambda s, h: np.full(len(s), 0.3), ("chosen", "part")),
    "by the engine's score": (lambda s, h: np.where(np.abs(s - 3.5) > 1.3, 0.8, 0.1), ("part", "chosen")),
}


@pytest.mark.parametrize("name", CHOSEN)
def test_selected_responses_are_detected(name: str) -> None:
    probability, (first, second) = CHOSEN[name]
    truth, human, system, rng = simulated(3000, 8, noise=0.4)
    human[rng.random(3000) >= probability(system, human[:, 0]), 1] = np.nan
    sure = rng.random(3000)
    human[(sure if first == "chosen" else rng.random(3000)) < 0.5] = np.nan
    table = {"rater_1": human[:, 0], "rater_2": human[:, 1], "engine": system, "w": 2.0 - (truth > 4), "sure": sure}
    # the engine's score if people gave none shows nothing about the selection
    table["final"] = np.where(np.isfinite(human[:, 0]), human[:, 0] - 3, system)
    found = reportgen.evaluate(table, system="engine", scale="1:6").evaluation
    weighted = reportgen.evaluate(table, system="engine", scale="1:6", weight="w").evaluation
    assert [weighted.facts["design"][phase]["how"] for phase in ("first", "second")] == ["weighted", second]
    design, verdict = found.facts["design"], found.verdict
    assert verdict is not None
    assert (design["first"]["how"], design["second"]["how"]) == (first, second)
    assert design["first"].get("column") == ("sure" if first == "chosen" else None)
    judged = {check.statistic: check for check in verdict.checks}
    assert judged["system.qwk"].outcome == "met"
    assert (judged["system.qwk"].second is None) == (second == "chosen")
    assert [judged[key].doubt for key in ("true_score.prmse", "degradation.qwk")] == (
        ["second ratings"] * 2 if second == "chosen" else ["", ""]
    )
    assert ("doubt.second_ratings" in [each.key for each in found.facts["doubts"]]) == (second == "chosen")


def test_verdict_scope_is_share_of_scored_responses() -> None:
    scores = simulated(3000, 8, 1, noise=0.4)
    human, system, rng = scores.human[:, 0], scores.engine, scores.rng
    human[(system < 4) & (rng.random(3000) < 0.9)] = np.nan
    table = {"rater_1": human, "engine": system}
    found = reportgen.evaluate(table, system="engine", scale="1:6").evaluation
    share = 100 * np.isfinite(human).mean()
    assert found.verdict is not None
    assert found.verdict.scope == {"people": pytest.approx(share)}
    assert f"These results apply to responses like the {share:.1f}% that people scored." in found.verdict.sentence
    weight = np.where(system < 4, 10.0, 1.0)
    weighted = reportgen.evaluate({**table, "w": weight}, system="engine", scale="1:6", weight="w").evaluation
    assert weighted.verdict is not None
    assert weighted.verdict.scope == {}


def test_design_of_labels_names_avoided_label() -> None:
    words, place = np.random.default_rng(8).choice(["narrative", "essay", "letter"], 900), np.arange(900)
    for scored, first in (((words != "letter") | (place > 800), "letter"), (place < 895, None)):
        table = {"rater_1": np.where(scored, words, ""), "rater_2": np.where(place < 3, words, ""), "engine": words}
        design = reportgen.evaluate(table, system="engine", unordered=True).evaluation.facts["design"]
        assert (design["first"].get("level"), design["second"]["how"]) == (first, "unknown")


@pytest.mark.slow
@pytest.mark.parametrize("design", ["rare scores, w", "weights of both phases", "4 raters", "two to five", "0 to 100"])
def test_weighted_intervals_cover(design: str) -> None:
    """With 100 samples, one Monte Carlo error is 2.2 points."""
    benchmark = loaded("benchmarks/designs.py")
    found = benchmark.run(next(each for name, each in benchmark.DESIGNS.items() if name.startswith(design)), 100)
    assert 0.88 <= min(found.covered.values()) < 1, found.covered
    assert found.told["wrong"] <= 0.05


def classes(seed: int, spread: float, name: str = "class") -> pd.DataFrame:
    """Return responses of 20 students per class, two each. Engine errors in a class are similar by `spread`."""
    rng = np.random.default_rng(seed)
    n, room = 1200, np.repeat(np.arange(30), 40)
    truth = rng.normal(3.5, 1, n)
    engine = truth + rng.normal(0, spread, 30)[room] + rng.normal(0, 0.5, n)
    human = [np.clip(np.rint(truth + rng.normal(0, 0.6, n)), 1, 6) for _ in range(2)]
    return pd.DataFrame(
        {"student": [f"s{each}" for each in np.arange(n) // 2], name: [f"room {each}" for each in room],
         "human1": human[0], "human2": human[1], "engine": np.clip(engine, 0.5, 6.5).round(3)}
    )  # fmt: skip


evaluated = partial(evaluation_of, scale="1:6")


def test_intervals_take_clusters_as_units() -> None:
    data = classes(1, 0.5)
    by_student, by_class = (evaluated(data, **each) for each in ({}, {"cluster": "class"}))
    by_name = evaluated(data.drop(columns="student").rename(columns={"class": "student"}))
    assert (by_class.facts["units"], by_class.facts["unit"], by_class.facts["design"]["unit"]) == (
        30,
        "cluster",
        "cluster",
    )
    assert by_student.facts["units"] == 600
    for key, estimate in by_class.estimates.items():
        assert estimate.value == pytest.approx(by_student.estimates[key].value, abs=1e-12), key
        assert estimate.low == pytest.approx(by_name.estimates[key].low, abs=1e-9), key
    narrow, wide = (each.estimates["system.smd"].standard_error or 0.0 for each in (by_student, by_class))
    assert wide > 2 * narrow


def test_ignored_classes_are_doubted_if_similar() -> None:
    def doubts(spread: float, **options: Any) -> list[str]:
        return [each.key for each in evaluated(classes(2, spread), groups=["class"], **options).facts["doubts"]]

    assert "doubt.clusters" in doubts(0.5)
    assert "doubt.clusters" not in doubts(0.0)
    assert "doubt.clusters" not in doubts(0.5, cluster="class")


def test_students_in_several_classes_raise() -> None:
    data = classes(3, 0.5)
    data.loc[0, "class"] = "room 29"
    with pytest.raises(SettingsError, match="1 of the test takers in 'student' has several values of 'class'"):
        evaluated(data, cluster="class")
    assert evaluated(data, cluster="class", candidate="").facts["units"] == 30


def test_double_scores_without_engine_are_counted() -> None:
    data = classes(4, 0.0).drop(columns=["class", "student"])
    data.loc[50:, "human2"] = np.nan
    data.loc[:40, "engine"] = np.nan
    row = evaluated(data).records("true_score.prmse")[0]
    assert (row["n"], row["n_single"], row["n_multiple"]) == (1159, 1150, 50)


def test_judges_of_labels_are_compared_by_all_of_their_spread() -> None:
    """Random gaps in PASS/FAIL labels of a judge with a continuous score are not selection; small scores are."""
    for seed in range(6):
        ability = np.random.default_rng(seed).normal(size=140)
        judge = 1 / (1 + np.exp(-2 * ability))
        human = [None if n % 7 == seed % 7 else float(one > 0.2) for n, one in enumerate(ability)]
        at_random = {"human": human, "judge": judge}
        chosen = {"human": [None if one > 0.6 else float(one > 0.4) for one in judge], "judge": judge}
        hows = [
            evaluation_of(pd.DataFrame(each), scale="0:1", system_scale="0:1").facts["design"]["first"]["how"]
            for each in (at_random, chosen)
        ]
        assert hows == ["part", "chosen"]
