"""Test the policy that compares AC of the engine with AC of two raters."""

from functools import cache

import pandas as pd
import pytest
from simulated import evaluation_of, framed, simulated

from reportgen.results import Check, Evaluation
from reportgen.verdicts import again
from reportgen.wording.vocabulary import Vocabulary

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
