"""Sentences that say only what the numbers beside them bear out."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from fixtures import evaluation

import reportgen
from report_sections.score_distributions import ScoreDistributions
from report_sections.summary import Summary
from report_sections.true_score_evaluation import TrueScoreEvaluation
from reportgen.results import Estimate, Evaluation
from reportgen.testing import said
from reportgen.wording.names import pattern_of, together


def scored(step: float) -> Evaluation:
    """Return the evaluation of an engine whose scores are multiples of a step."""
    rng = np.random.default_rng(5)
    true = rng.normal(3.5, 1, 400)
    columns = {f"human{k}": np.clip(np.rint(true + rng.normal(0, 0.6, 400)), 1, 6) for k in (1, 2)}
    columns["system"] = np.clip(step * np.rint((true + rng.normal(0, 0.5, 400)) / step), 1, 6)
    return reportgen.evaluate(pd.DataFrame(columns), scale="1:6").evaluation


@pytest.mark.parametrize(("step", "told"), [(1.0, False), (0.01, True)])
def test_what_rounding_costs_is_asked_only_of_scores_that_are_not_whole(step: float, told: bool) -> None:
    assert ("Rounding to score points" in said(TrueScoreEvaluation(), scored(step))) is told


def test_the_name_of_trimmed_scores_claims_no_bounds_that_they_are_not_kept_to() -> None:
    assert [form.label for form in scored(1.0).score_types][1] == "Trimmed"


@pytest.mark.parametrize(("spread", "told"), [(0.2, True), (9.0, False)])
def test_true_scores_are_said_to_spread_less_only_where_they_do(spread: float, told: bool) -> None:
    found = evaluation()
    true, seen = Estimate("true_sd", spread, 300, spread / 2, 2 * spread), Estimate("h_sd", 0.9, 300, kind="score")
    estimates = {**found.estimates, "levels.true_sd": true, "system.h_sd": seen}
    text = said(ScoreDistributions(), replace(found, estimates=estimates))
    assert ("A perfect engine would therefore use the ends of the scale less often than a rater." in text) is told


def test_ten_students_allow_no_plan_on_page_one() -> None:
    rng = np.random.default_rng(2)
    human = np.arange(10) % 5 + 1.0
    columns = {"human": human, "human2": np.roll(human, 1), "system": human + rng.normal(0, 0.7, 10)}
    found = reportgen.evaluate(pd.DataFrame(columns), scale="1:5").evaluation
    said = " ".join(each.text for each in Summary().findings(found).highlights)
    assert "further responses" not in " ".join([said, *(check.sentence for check in found.checks)])


@pytest.mark.parametrize("sentences", [("r is 0.5 in 'a'.", "r is 0.5 in 'b'."), ("h1 is it.", "h2 is it.")])
def test_doubts_about_different_names_stay_apart(sentences: tuple[str, str]) -> None:
    assert pattern_of(sentences[0]) != pattern_of(sentences[1])


def test_doubts_that_differ_by_numbers_are_told_with_their_range() -> None:
    assert together(["1,200 of 'p1' (0.61).", "300 of 'p1' (0.5).", "300 of 'p1' (0.7)."]) == (
        "300 to 1,200 of 'p1' (0.5 to 0.7)."
    )
