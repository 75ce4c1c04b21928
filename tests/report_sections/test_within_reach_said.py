"""Page one says what the raters allow: reliability, ceiling, a second rater, a PRMSE that cannot be, harshness."""

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from fixtures import evaluation
from simulated import evaluation_of, framed, simulated

from report_sections.score_distributions import ScoreDistributions
from report_sections.summary import Summary
from report_sections.system_human_agreement import SystemHumanAgreement
from report_sections.true_score_evaluation import TrueScoreEvaluation
from reportgen.results import Estimate, Evaluation
from reportgen.testing import Prose, text_of
from reportgen.wording.names import pattern_of, together
from reportgen.wording.vocabulary import Vocabulary


@cache
def evaluated(
    human_r: float, *, severity: float = 0.0, n: int = 1500, noise: float = 0.4, raters: int = 2
) -> Evaluation:
    """Evaluate an engine with raters of this correlation, the second harsher by this many SDs of ratings."""
    rng = np.random.default_rng(5)
    true, error = rng.normal(0, 1, n), np.sqrt((1 - human_r) / human_r)
    shift = severity / np.sqrt(human_r)
    ratings = true[:, None] + rng.normal(0, error, (n, raters))
    ratings[:, 1] -= shift
    engine = 0.8 * true + rng.normal(0, noise, n) - shift / 2
    data = pd.DataFrame({"id": [f"r{i}" for i in range(n)], "engine": np.round(50 + 10 * engine, 3)})
    names = [f"human{k + 1}" for k in range(raters)]
    data[names] = np.round(50 + 10 * ratings, 3)
    return evaluation_of(data, system="engine", human=names, id="id", groups=[], scale="-50:150:0")


def brief(found: Evaluation) -> Prose:
    return text_of(Summary(), found)


def test_poor_raters_are_named_as_the_remedy() -> None:
    found = brief(evaluated(0.40))
    assert "Not yet: the raters agree too little." in found
    assert "even the best possible engine would reach only 0.6" in found
    assert "Improve the ratings first" in found
    assert re.search(r"Averaged over raters, the reliability of a single rating is 0\.[34]\d", str(found))
    assert re.search(r"a second rater’s QWK is 0\.[34]\d \(not met\)", str(found))


def test_the_agreement_section_shows_ceiling_and_second_rater() -> None:
    found = str(text_of(SystemHumanAgreement(), evaluated(0.40)))
    assert re.search(r"The best possible engine would reach a QWK of 0\.6\d \[", found)
    assert re.search(r"true scores unchanged would give 0\.5\d, and a second rater reaches 0\.[34]\d\.", found)


def test_good_raters_are_reported() -> None:
    found = brief(evaluated(0.85))
    assert "the best possible engine’s correlation with the first rater’s scores would be at most about 0.92" in found
    assert "A second rater’s QWK" not in found


@pytest.mark.slow
def test_removing_severity_from_prmse_is_accurate() -> None:
    """Raters .44 SD apart at .72, true PRMSE 1 - (.2^2 + .304) = .656; with severity as error it reads .70."""
    evaluation = evaluated(0.724, severity=0.44, n=20_000, noise=np.sqrt(0.304))
    assert evaluation.estimates["true_score.prmse"].value == pytest.approx(0.703, abs=0.01)
    assert evaluation.estimates["raters.prmse_without_severity"].value == pytest.approx(0.656, abs=0.01)
    assert re.search(r"Raters differ in severity by 0\.4[345] standard deviations", str(brief(evaluation)))
    assert re.search(r"and 0\.6\d+ without them", str(brief(evaluation)))
    assert "PRMSE counts differences in severity as rater error; without them, PRMSE is 0.6" in text_of(
        TrueScoreEvaluation(), evaluation
    )


def test_raters_who_do_not_differ_are_not_reported_as_different() -> None:
    assert "differ in severity" not in brief(evaluated(0.85))


def test_a_prmse_above_one_is_on_page_one() -> None:
    base = evaluated(0.85)
    above = replace(base.estimates["true_score.prmse"], value=1.04, low=0.9, high=1.2)
    found = brief(replace(base, estimates={**base.estimates, "true_score.prmse": above}))
    assert "The estimated accuracy (PRMSE) is 1.04, although 1 is the maximum" in found
    assert "The estimate does not meet any requirement." in found


@pytest.mark.slow
def test_a_judge_is_compared_with_raters_one_by_one() -> None:
    assert "(alternative annotator test)" in brief(evaluated(0.6, raters=3))


def test_the_strip_shows_the_ceiling_in_words() -> None:
    check = next(each for each in evaluated(0.40).checks if each.statistic == "system.qwk")
    from reportgen.results.term import Term

    assert "; the best possible engine: 0.6" in Vocabulary().say(Term("strip_said", check=check))
    assert isinstance(check.best, Estimate)


# Sentences that the numbers next to them support.


def scored(step: float) -> Evaluation:
    """Return the evaluation of an engine whose scores are multiples of a step."""
    scores = simulated(400, 5)
    frame = framed(scores, "human", system=np.clip(step * np.rint(scores.engine / step), 1, 6)).drop(columns="engine")
    return evaluation_of(frame, scale="1:6")


@pytest.mark.parametrize(("step", "told"), [(1.0, False), (0.01, True)])
def test_cost_of_rounding_is_shown_only_for_unrounded_scores(step: float, told: bool) -> None:
    assert ("Rounding to score points" in text_of(TrueScoreEvaluation(), scored(step))) is told


def test_the_name_of_trimmed_scores_matches_their_bounds() -> None:
    assert [form.label for form in scored(1.0).score_types][1] == "Trimmed"


@pytest.mark.parametrize(("spread", "told"), [(0.2, True), (9.0, False)])
def test_true_scores_vary_less_only_if_reported_so(spread: float, told: bool) -> None:
    found = evaluation()
    true, seen = Estimate("true_sd", spread, 300, spread / 2, 2 * spread), Estimate("h_sd", 0.9, 300, kind="score")
    estimates = {**found.estimates, "levels.true_sd": true, "system.h_sd": seen}
    text = text_of(ScoreDistributions(), replace(found, estimates=estimates))
    assert ("so a perfect engine would use the ends of the scale less often than a rater." in text) is told


def test_ten_students_allow_no_plan_on_page_one() -> None:
    rng = np.random.default_rng(2)
    human = np.arange(10) % 5 + 1.0
    columns = {"human": human, "human2": np.roll(human, 1), "system": human + rng.normal(0, 0.7, 10)}
    found = evaluation_of(pd.DataFrame(columns), scale="1:5")
    text = " ".join(each.text for each in Summary().findings(found).highlights)
    assert "further responses" not in " ".join([text, *(check.sentence for check in found.checks)])


@pytest.mark.parametrize("sentences", [("r is 0.5 in 'a'.", "r is 0.5 in 'b'."), ("h1 is it.", "h2 is it.")])
def test_doubts_about_different_names_stay_separate(sentences: tuple[str, str]) -> None:
    assert pattern_of(sentences[0]) != pattern_of(sentences[1])


def test_doubts_that_differ_by_numbers_are_merged_with_a_range() -> None:
    assert together(["1,200 of 'p1' (0.61).", "300 of 'p1' (0.5).", "300 of 'p1' (0.7)."]) == (
        "300 to 1,200 of 'p1' (0.5 to 0.7)."
    )
