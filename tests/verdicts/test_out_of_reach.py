"""Requirements that no engine can meet with these raters, and those on agreement with two raters."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from simulated import evaluation_of, framed, simulated

import reportgen
from reportgen.policies import Criterion, load_policy
from reportgen.results import Check, Estimate, Evaluation, Outcome, Report, Verdict
from reportgen.storing import results_file
from reportgen.verdicts import again, check, verdict
from reportgen.verdicts.assurance import FEWEST
from reportgen.verdicts.gate import Gate, junit_xml, markdown
from reportgen.verdicts.judging import decision_of
from reportgen.wording.vocabulary import Vocabulary

QWK = Criterion(statistic="system.qwk", low=0.7)
SURELY_LOW, SURELY_HIGH = Estimate("qwk", 0.55, 900, 0.5, 0.6), Estimate("qwk", 0.8, 900, 0.76, 0.83)


def held(engine: Estimate, low: float, high: float, n: int = 400) -> Check:
    """Return the check of an engine whose ceiling has this interval."""
    ceiling = Estimate("true_r", (low + high) / 2, n, low, high)
    return check(QWK, engine, lookup={"attainable.true_r": ceiling}.get)


@cache
def scored(human_r: float, n: int = 2000) -> Evaluation:
    """Return an engine with PRMSE .80 and raters with this correlation."""
    rng = np.random.default_rng(3)
    true, error = rng.normal(0, 1, n), np.sqrt((1 - human_r) / human_r)
    engine = 0.8 * true + rng.normal(0, 0.4, n)
    ratings = true[:, None] + rng.normal(0, error, (n, 2))
    spread = 1.1 / np.sqrt(1 + error**2)
    points = np.clip(np.rint(3.5 + spread * ratings), 1, 6)
    data = pd.DataFrame({
        "id": [f"r{i}" for i in range(n)], "human1": points[:, 0], "human2": points[:, 1],
        "engine": np.clip(3.5 + spread * engine, 1, 6),
    })  # fmt: skip
    report = reportgen.evaluate(
        data, system="engine", human=["human1", "human2"], id="id", groups=[], scale="1:6", policy="williamson-2012"
    )
    return report.evaluation


@pytest.mark.parametrize(
    ("engine", "low", "high", "outcome"),
    [
        (SURELY_LOW, 0.58, 0.66, "out of reach"),
        (SURELY_LOW, 0.66, 0.74, "not met"),
        (Estimate("qwk", -0.36, 900, -0.40, -0.31), 0.66, 0.74, "not met"),
        (Estimate("qwk", -0.36, 900, -0.40, -0.31), 0.58, 0.66, "not met"),
        (SURELY_LOW, 0.80, 0.88, "not met"),
        (Estimate("qwk", 0.68, 900, 0.64, 0.72), 0.58, 0.66, "out of reach"),
        (Estimate("qwk", 0.68, 900, 0.64, 0.72), 0.66, 0.74, "not yet known"),
        (SURELY_HIGH, 0.58, 0.66, "met"),
    ],
)
def test_whole_ceiling_interval_decides(engine: Estimate, low: float, high: float, outcome: str) -> None:
    assert held(engine, low, high).outcome == outcome


def test_ceiling_of_few_responses_is_ignored() -> None:
    assert held(SURELY_LOW, 0.58, 0.66, n=20).outcome == "not met"


def test_statistic_without_ceiling_uses_interval() -> None:
    kappa = Criterion(statistic="system.kappa", low=0.7)
    beside = {"attainable.true_r": Estimate("true_r", 0.5, 400, 0.4, 0.6)}.get
    assert check(kappa, SURELY_LOW, lookup=beside).outcome == "not met"


def test_chance_agreement_is_out_of_reach() -> None:
    beside = {
        "attainable.true_r": Estimate("true_r", None, 900, reason="ratings differ by rater error alone"),
        "true_score.true_variance": Estimate("true_variance", -0.01, 900, -0.06, 0.04),
        "system.h_sd": Estimate("h_sd", 1.0, 900),
    }.get
    found = check(QWK, SURELY_LOW, lookup=beside)
    assert found.outcome == "out of reach"
    assert found.best is not None
    assert found.best.high == pytest.approx(0.2)


def test_decision_follows_outcomes() -> None:
    known: dict[str, Outcome] = {"a": "met", "b": "out of reach"}
    checks = [Check(name, SURELY_LOW, outcome) for name, outcome in known.items()]
    assert decision_of(checks) == "out of reach with these raters"
    assert decision_of([*checks, Check("c", SURELY_LOW, "not yet known")]) == "out of reach with these raters"
    assert decision_of([*checks, Check("c", SURELY_LOW, "not met")]) == "do not deploy"


def test_poor_raters_are_named_as_cause() -> None:
    found = verdict(scored(0.4), load_policy("williamson-2012"))
    outcomes = {each.statistic: each.outcome for each in found.checks}
    assert outcomes["system.qwk"] == outcomes["system.r"] == "out of reach"
    assert found.decision == "out of reach with these raters"
    assert found.sentence.startswith("Not yet: the raters agree too little.")
    open_ = next(each for each in found.checks if each.statistic == "system.qwk")
    assert "the best possible engine could reach at most 0." in str(Vocabulary().phrases("decision").check(open_))
    assert "⊘ out of reach" in markdown({"": found})


def test_good_raters_name_engine_as_cause() -> None:
    found = verdict(scored(0.85), load_policy("williamson-2012"))
    agreement = next(each for each in found.checks if each.statistic == "system.r")
    assert agreement.outcome == "met"
    assert agreement.best is not None
    assert 0.86 < (agreement.best.value or 0.0) < np.sqrt(0.85), "rounding to score points costs some"


def test_stored_verdict_has_same_text() -> None:
    base = scored(0.4)
    report = Report("t", "", "2026-01-01", base, ())
    stored = results_file.loads(results_file.dumps(report)).evaluation
    assert stored.checks == base.checks
    assert verdict(stored, load_policy("williamson-2012")).checks == base.checks


def test_gate_fails_if_out_of_reach() -> None:
    found = Verdict("ours", "", "out of reach with these raters", checks=(held(SURELY_LOW, 0.58, 0.66),))
    assert not found.passes()
    assert Gate(closed=True).report({"": found}) == 1
    assert '<failure type="out of reach"' in junit_xml({"": found})


@pytest.mark.parametrize(("low", "high"), [(0.8, 1.4), (0.5, 1.6), (1.01, 1.2)])
def test_prmse_above_one_is_not_met(low: float, high: float) -> None:
    rule = Criterion(statistic="true_score.prmse", low=0.7)
    found = check(rule, Estimate("prmse", 1.05, 60, low, high), rests_on="multiple")
    assert (found.outcome, found.doubt, found.waits_for) == ("not yet known", "impossible", "double-scored responses")
    assert "above 1, which is impossible" in str(Vocabulary().phrases("decision").check(found))


def test_prmse_of_one_is_met() -> None:
    rule = Criterion(statistic="true_score.prmse", low=0.7)
    assert check(rule, Estimate("prmse", 1.0 + 1e-12, 600, 0.98, 1.0)).outcome == "met"


# Few responses cannot show how many more would give a clear answer.


RULE = Criterion(statistic="system.qwk", low=0.7)


def judged(n: int) -> Check:
    return check(RULE, Estimate("qwk", 0.75, n, 0.6, 0.85))


def said(found: Check) -> str:
    return str(Vocabulary().phrases("decision").check(found))


def test_ten_responses_have_no_plan() -> None:
    found = judged(10)
    assert (found.outcome, found.assurance, found.cheapest) == ("not yet known", (), None)
    assert "10 responses are too few to estimate how many more" in said(found)
    assert decision_of([found]) == "collect more ratings"


@pytest.mark.parametrize("n", [FEWEST, 400])
def test_enough_responses_have_plan(n: int) -> None:
    text = "500 responses in total, the chance of a clear answer is 71" if n == FEWEST else "5,000"
    assert f"With about {text}" in said(judged(n))


POLICY = "yannakoudakis-2015"


@cache
def evaluated(noise: float, raters: int = 2, scale: str = "1:6") -> Evaluation:
    frame = framed(simulated(400, 5, raters, noise=noise), "human")
    return evaluation_of(frame, scale=scale, policy=POLICY)


def only(evaluation: Evaluation) -> Check:
    (check,) = evaluation.checks
    return check


@pytest.mark.parametrize(("noise", "outcome"), [(0.1, "met"), (0.6, "not yet known"), (1.6, "not met")])
def test_rater_agreement_is_the_limit(noise: float, outcome: str) -> None:
    check = only(evaluated(noise))
    assert (check.outcome, check.statistic, check.low) == (outcome, "degradation.ac2_quadratic", 0.0)
    assert check.target == "panel.agreement"
    assert Vocabulary().check_name(check) == "engine AC2 quadratic minus human AC2 quadratic"


def test_open_requirement_needs_double_scores() -> None:
    assert only(evaluated(0.6)).waits_for == "double-scored responses"


def test_one_rater_is_insufficient() -> None:
    check = only(evaluated(0.6, raters=1))
    assert check.outcome == "insufficient"
    assert check.estimate.reason == "no response was scored twice"
    assert check.waits_for == "double-scored responses"


def test_stored_evaluation_gives_same_verdict() -> None:
    found = evaluated(0.6)
    assert found.ruling is not None
    assert again(found, found.ruling).checks == found.checks


def test_unordered_labels_have_no_quadratic_weights() -> None:
    frame = pd.DataFrame({"system": ["a", "b"] * 40, "h1": ["a", "b"] * 40, "h2": ["b", "b"] * 40})
    found = evaluation_of(frame, system="system", human=["h1", "h2"], unordered=True, policy=POLICY)
    assert only(found).outcome == "insufficient"
