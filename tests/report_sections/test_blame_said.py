"""What an engine is blamed for: raters who share nothing, rater noise at the ends, rescaling with its price."""

import re
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from simulated import evaluation_of, framed, simulated

from report_sections.judges import HumanEquivalence
from report_sections.score_distributions import ScoreDistributions
from report_sections.summary import remedies, to_know
from report_sections.true_score_evaluation import TrueScoreEvaluation, guidelines
from reportgen.results import Evaluation
from reportgen.sections import Term
from reportgen.testing import text_of
from reportgen.wording.vocabulary import Vocabulary

PARTS = ("rho", "gamma", "delta", "best_prmse", "scale_loss", "bias_loss", "rating_equivalents", "human_reliability",
         "relative_error", "rounding_cost", "prmse_of_ratings_1")  # fmt: skip


evaluated = partial(evaluation_of, system="engine", scale="1:6")


@cache
def noise(n: int = 300) -> Evaluation:
    """Return raters who share nothing, and an engine that shares nothing with them."""
    rng = np.random.default_rng(4)
    human = rng.integers(1, 7, (n, 2))
    return evaluated(pd.DataFrame({"h1": human[:, 0], "h2": human[:, 1], "engine": rng.normal(3.5, 1, n)}))


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
    found = evaluated(data)
    assert found.facts["raters_share"] == "unknown"
    assert text_of(TrueScoreEvaluation(), found).finding.startswith("There are too few double-scored responses")


def test_accuracy_is_explained_if_raters_share_true_scores() -> None:
    found = evaluated(sound())
    assert "raters_share" not in found.facts
    assert all(found.estimates[f"true_score.{name}"].defined for name in PARTS)


def test_intervals_end_at_1_if_values_cannot_exceed_it() -> None:
    found = evaluated(sound(150, engine=0.05))
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
    rows = rows_of(evaluated(sound()))
    assert rows["guideline.random_sample"] == (Term("all_double_scored"), Term("state.met"))
    assert rows["guideline.many_raters"] == (None, Term("state.not_in_data"))


@pytest.mark.parametrize(("chosen", "state"), [("low", "state.not met"), ("any", "state.met")])
def test_samples_are_compared_with_the_rest(chosen: str, state: str) -> None:
    data = sound(6000)
    twice = data["engine"] < 3.5 if chosen == "low" else np.arange(len(data)) % 2 == 0
    data["h2"] = data["h2"].where(twice)
    assert rows_of(evaluated(data))["guideline.random_sample"][1] == Term(state)


def test_named_raters_are_counted() -> None:
    rng = np.random.default_rng(1)
    data = sound(400)
    data["rater1"], data["rater2"] = (rng.permutation(np.arange(400) % 10) for _ in range(2))
    data["rater2"] = np.where(data["rater2"] == data["rater1"], (data["rater1"] + 1) % 10, data["rater2"])
    data[["rater1", "rater2"]] = data[["rater1", "rater2"]].map(lambda each: f"r{each}")
    found = evaluated(data, human=["h1", "h2"], rater_ids=["rater1", "rater2"])
    shown, state = rows_of(found)["guideline.many_raters"]
    assert (Vocabulary().said(shown), state) == ("10 raters gave the scores", Term("state.met"))


def test_rescaling_is_advised_with_its_cost() -> None:
    found = evaluated(sound(scale=1.4))
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
    price = [each for each in remedies(found) if each["case"] == "rescale"]
    assert price[0]["qwk_then"] < price[0]["qwk"]


def test_rescaling_that_changes_little_has_no_cost() -> None:
    text = text_of(TrueScoreEvaluation(), evaluated(sound(scale=0.8))).annex
    assert "Rescaling would make little difference" in text
    assert "would fall" not in text


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("error", [0.6, 1.0])
def test_an_engine_that_gives_true_scores_is_blamed_for_nothing(error: float, seed: int) -> None:
    """Raters use the ends more often than it does, by their noise alone."""
    found = evaluated(sound(1500, error=error, engine=0.0, seed=seed))
    assert not {"rare_end", "shares"} & {each["case"] for each in to_know(found, 5.0)}
    told = text_of(ScoreDistributions(), found)
    assert not told.finding.startswith("The engine gives")
    assert "as the human score" not in told.text


def test_effects_of_rater_error_are_described_as_such() -> None:
    told = text_of(ScoreDistributions(), evaluated(sound(3000, error=1.2, engine=0.0)))
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
        found = evaluated(pd.DataFrame({"h1": human[:, 0], "h2": human[:, 1], "engine": true}))
        assert not {"rare_end", "shares", "error_at_score"} & {each["case"] for each in to_know(found, 5.0)}


def test_an_engine_that_avoids_the_ends_is_blamed() -> None:
    found = evaluated(sound(3000, error=0.7, engine=0.0, scale=0.4))
    ends = [each for each in to_know(found, 5.0) if each["case"] == "rare_end"]
    assert ends
    assert all(each["seldom"] < each["often"] for each in ends)
