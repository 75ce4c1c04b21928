"""What the raters allow, and what the engine is blamed for: ceiling, harshness, rater noise, rescaling."""

import re
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from fixtures import evaluation
from simulated import evaluation_of, framed, simulated

from report_sections.judges import HumanEquivalence
from report_sections.score_distributions import ScoreDistributions
from report_sections.summary import Summary, remedies, to_know
from report_sections.system_human_agreement import SystemHumanAgreement
from report_sections.true_score_evaluation import TrueScoreEvaluation, guidelines
from reportgen.results import Estimate, Evaluation
from reportgen.sections import Term
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
    assert re.search(r"The average single-rater reliability is 0\.[34]\d", str(found))
    assert re.search(r"A second rater’s QWK \(0\.[34]\d\)", str(found))


def test_the_agreement_section_shows_ceiling_and_second_rater() -> None:
    found = str(text_of(SystemHumanAgreement(), evaluated(0.40)))
    assert re.search(r"The best possible engine would reach a QWK of 0\.6\d \[", found)
    assert re.search(r"true scores unchanged would give 0\.5\d, and a second rater reaches 0\.[34]\d\.", found)


def test_good_raters_are_reported() -> None:
    found = brief(evaluated(0.85))
    assert "could reach a correlation of only about 0.92 with the first rater’s scores" in found
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


PARTS = ("rho", "gamma", "delta", "best_prmse", "scale_loss", "bias_loss", "rating_equivalents", "human_reliability",
         "relative_error", "rounding_cost", "prmse_of_ratings_1")  # fmt: skip


evaluated_with = partial(evaluation_of, system="engine", scale="1:6")


@cache
def noise(n: int = 300) -> Evaluation:
    """Return raters who share nothing, and an engine that shares nothing with them."""
    rng = np.random.default_rng(4)
    human = rng.integers(1, 7, (n, 2))
    return evaluated_with(pd.DataFrame({"h1": human[:, 0], "h2": human[:, 1], "engine": rng.normal(3.5, 1, n)}))


def sound(n: int = 1200, *, error: float = 0.7, engine: float = 0.5, scale: float = 1.0, seed: int = 3) -> pd.DataFrame:
    """Return raters and an engine that measure the same, the engine spread more or less than true scores."""
    scores = simulated(n, seed, error=error, noise=engine)
    return framed(scores).assign(engine=3.5 + scale * (scores.engine - 3.5))


def test_without_shared_true_scores_accuracy_is_not_explained() -> None:
    found = noise()
    assert found.facts["raters_share"] == "nothing"
    for name in PARTS:
        assert found.estimates[f"true_score.{name}"].value is None, name
    assert found.estimates["disattenuated.r"].value is None
    assert found.estimates["raters.prmse_rise_by_severity"].value is None
    told = text_of(TrueScoreEvaluation(), found)
    assert (
        told.finding
        == "The raters do not agree beyond chance, so accuracy in predicting true scores is not meaningful."
    )
    for words in ("rescaling", "Rounding", "lost to", "ladder", "staircase", "new score"):
        assert words not in told.text, words
    assert "True scores spread" not in text_of(ScoreDistributions(), found).text
    assert "cannot be computed" in text_of(HumanEquivalence(), found).annex
    assert to_know(found, 5.0)[0]["case"] == "share_nothing"
    assert text_of(TrueScoreEvaluation(), found, language="es").finding.startswith("Los evaluadores no concuerdan")


def test_few_responses_that_may_share_something_are_called_few() -> None:
    data = sound(40, error=2.0, seed=4)
    data.loc[12:, "h2"] = np.nan
    found = evaluated_with(data)
    assert found.facts["raters_share"] == "unknown"
    assert text_of(TrueScoreEvaluation(), found).finding.startswith("There are too few double-scored responses")


def test_accuracy_is_explained_if_raters_share_true_scores() -> None:
    found = evaluated_with(sound())
    assert "raters_share" not in found.facts
    assert all(found.estimates[f"true_score.{name}"].defined for name in PARTS)


def test_intervals_end_at_1_if_values_cannot_exceed_it() -> None:
    found = evaluated_with(sound(150, engine=0.05))
    for name in ("rho", "best_prmse"):
        each = found.estimates[f"true_score.{name}"]
        assert each.value is not None
        assert each.high is not None
        assert each.high <= max(1.0, each.value)


def rows_of(found: Evaluation) -> dict[str, tuple[Any, Any]]:
    """Return the guidelines by key: the value in the data, and the state."""
    table, _ = guidelines(found)
    rows = {}
    for guideline, shown, state in (row.cells for row in table.rows):
        assert isinstance(guideline, Term)
        assert isinstance(guideline.values["text"], Term)
        rows[guideline.values["text"].key] = (shown, state)
    return rows


def test_guidelines_are_answered_from_the_data() -> None:
    rows = rows_of(evaluated_with(sound()))
    assert rows["guideline.many_raters"] == (None, Term("state.not_in_data"))


def test_named_raters_are_counted() -> None:
    rng = np.random.default_rng(1)
    data = sound(400)
    data["rater1"], data["rater2"] = (rng.permutation(np.arange(400) % 10) for _ in range(2))
    data["rater2"] = np.where(data["rater2"] == data["rater1"], (data["rater1"] + 1) % 10, data["rater2"])
    data[["rater1", "rater2"]] = data[["rater1", "rater2"]].map(lambda each: f"r{each}")
    found = evaluated_with(data, human=["h1", "h2"], rater_ids=["rater1", "rater2"])
    shown, state = rows_of(found)["guideline.many_raters"]
    assert (Vocabulary().said(shown), state) == ("10 raters gave the scores", Term("state.met"))


def test_rescaling_is_advised_with_its_cost() -> None:
    found = evaluated_with(sound(scale=1.4))
    told = text_of(TrueScoreEvaluation(), found)
    text = told.words
    assert "A linear rescaling would raise PRMSE" in text
    assert re.search(
        r"Agreement with one rater \(QWK\) would drop from 0\.\d\d to 0\.\d\d; with rounded scores, it would drop", text
    )
    assert re.search(
        r"The SD of engine scores would drop from 1\.\d\d to 0\.\d\d; the SD of human scores is 1\.\d\d", text
    )
    assert re.search(r"The share of lowest and highest scores would drop from [\d.]+ to [\d.]+%", text)
    assert "Rescaling to the mean and SD of human scores instead would give PRMSE" in text
    assert "The scale does not matter if engine scores are equated" in text
    assert "true_score.rescaling" in told.annex
    assert "rescale" not in {each["case"] for each in remedies(found)}  # QWK would fall below its limit


def test_rescaling_that_changes_little_has_no_cost() -> None:
    text = text_of(TrueScoreEvaluation(), evaluated_with(sound(scale=0.8))).annex
    assert "Rescaling would make little difference" in text
    assert "would fall" not in text


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("error", [0.6, 1.0])
def test_an_engine_that_gives_true_scores_is_blamed_for_nothing(error: float, seed: int) -> None:
    """Raters use the ends more often than it does, by their noise alone."""
    found = evaluated_with(sound(1500, error=error, engine=0.0, seed=seed))
    assert not {"rare_end", "shares"} & {each["case"] for each in to_know(found, 5.0)}
    told = text_of(ScoreDistributions(), found)
    assert not told.finding.startswith("The engine gives")
    assert "as the human score" not in told.text


def test_effects_of_rater_error_are_described_as_such() -> None:
    told = text_of(ScoreDistributions(), evaluated_with(sound(3000, error=1.2, engine=0.0)))
    assert (
        told.finding == "At no human score does the engine's error clearly differ from what rater error alone explains."
    )
    assert "percentage points, but rater error could explain this." in told.annex


@pytest.mark.parametrize("kind", ["skewed", "two peaks"])
def test_an_engine_that_gives_true_scores_of_any_shape_is_blamed_for_nothing(kind: str) -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        peaks = np.where(rng.random(1000) < 0.5, 2.0, 5.0) + rng.normal(0, 0.4, 1000)
        true = np.clip(1.5 + rng.gamma(1.5, 0.8, 1000) if kind == "skewed" else peaks, 1, 6)
        human = np.clip(np.rint(true[:, None] + rng.normal(0, 0.7, (1000, 2))), 1, 6)
        found = evaluated_with(pd.DataFrame({"h1": human[:, 0], "h2": human[:, 1], "engine": true}))
        assert not {"rare_end", "shares", "error_at_score"} & {each["case"] for each in to_know(found, 5.0)}


def test_an_engine_that_avoids_the_ends_is_blamed() -> None:
    found = evaluated_with(sound(3000, error=0.7, engine=0.0, scale=0.4))
    ends = [each for each in to_know(found, 5.0) if each["case"] == "rare_end"]
    assert ends
    assert all(each["seldom"] < each["often"] for each in ends)
