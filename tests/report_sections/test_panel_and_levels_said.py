"""The agreement panel and the score levels as a reader meets them: computed from scores, then said."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from simulated import framed, simulated

from report_sections.agreement_panel import DIVERGENCE, AgreementPanel
from report_sections.score_distributions import ScoreDistributions
from report_sections.system_human_agreement import SystemHumanAgreement
from report_sections.true_score_evaluation import TrueScoreEvaluation
from reportgen.evaluation import evaluate
from reportgen.results import Estimate, Evaluation
from reportgen.scores import read
from reportgen.sections import Dots, Line, Section
from reportgen.settings import from_keywords
from reportgen.testing import text_of as shown
from reportgen.wording.vocabulary import Vocabulary

SECTIONS = (AgreementPanel(), SystemHumanAgreement(), ScoreDistributions())


def made(frame: pd.DataFrame, **settings: object) -> Evaluation:
    human = [column for column in frame if str(column).startswith("h")]
    chosen = from_keywords(system="system", human=human, **settings)
    return evaluate(read(frame, chosen), chosen, {})


def scored(raters: int = 2, n: int = 600, shrink: float = 1.0) -> pd.DataFrame:
    scores = simulated(n, 11, raters, sd=1.1, noise=0.3)
    return framed(scores, engine="system").assign(system=scores.engine + (shrink - 1) * (scores.true - 3.5))


def words(section: Section, evaluation: Evaluation) -> str:
    """Return what a section says on its pages."""
    return shown(section, evaluation).words


def test_one_prevailing_score_is_named_as_the_reason() -> None:
    """92% of the labels are 1: unweighted kappa falls far below AC, only by prevalence."""
    rng = np.random.default_rng(1)
    human = np.where(rng.random(2000) < 0.92, 1, 2)
    frame = pd.DataFrame({"system": np.where(rng.random(2000) < 0.06, 3 - human, human), "h1": human})
    evaluation = made(frame, scale="1:2")
    text = words(AgreementPanel(), evaluation)
    assert "differ without weights: kappa is 0." in text
    assert "because one score is very common: 88.9% of all scores are 1, the most common one." in text
    assert "For two raters" not in text
    (why,) = AgreementPanel().findings(evaluation).values["differ"]
    assert why["why"] == "prevalence"
    assert why["weights"] == "identity", "two points leave weights nothing to grade"
    assert evaluation.records(DIVERGENCE)[0].number("by_unequal_use") == pytest.approx(-0.003, abs=0.001)


def test_unequal_use_is_named_as_the_reason() -> None:
    """The engine gives 80% ones, the rater 20%: half overall, so AC is Scott's pi, below kappa."""
    frame = pd.DataFrame({"system": [1] * 800 + [2] * 200, "h1": [1] * 200 + [2] * 800})
    evaluation = made(frame, scale="1:2")
    text = words(AgreementPanel(), evaluation)
    assert "kappa is 0.12, and AC is 0.32" in text
    assert " lower. Kappa expects" in text
    assert "because the two use the scores unequally: 60.0% of responses would need a different score" in text
    row = evaluation.records(DIVERGENCE)[0]
    assert row.number("by_prevalence") == pytest.approx(0)
    assert row.number("by_unequal_use") == pytest.approx(-0.32, abs=0.005)


def test_kappa_and_ac_that_do_not_differ_are_reported_as_equal() -> None:
    human = np.tile([1, 2, 3, 4], 100)
    system = human.copy()
    system[::7] = 5 - system[::7]
    text = words(AgreementPanel(), made(pd.DataFrame({"system": system, "h1": human}), scale="1:4"))
    assert "do not clearly differ by more than 0.10." in text


def test_an_inferred_scale_is_described_as_such() -> None:
    assert "not declared; the observed scores range from 1 to 6" in words(AgreementPanel(), made(scored()))
    assert "not declared" not in words(AgreementPanel(), made(scored(), scale="1:6"))


def test_the_chart_has_engine_and_raters_next_to_each_other() -> None:
    evaluation = made(scored(), scale="1:6")
    (chart,) = AgreementPanel().findings(evaluation).charts
    drawn = [
        (str(place), str(layer.label))
        for layer in chart.every_layer()
        if isinstance(layer, Dots)
        for place in layer.positions
    ]
    keys = {str(row.cells[0]) for row in evaluation.tables["panel.agreement"].rows} - {"exact_agreement"}
    assert {place for place, who in drawn if who == "engine_and_first_rater"} == keys
    unrounded = {"tau_b_unrounded", "spearman_unrounded"}
    assert {place for place, who in drawn if who == "two_raters"} == keys - unrounded
    assert Vocabulary().say(chart.alt).startswith("Coefficients of engine and rater run from 0.")


@pytest.mark.parametrize("shrink", [0.4, 0.88, 1.6])
def test_the_slope_of_calibration_is_interpreted_correctly(shrink: float) -> None:
    text = words(ScoreDistributions(), made(scored(shrink=shrink), scale="1:6"))
    assert ("less spread out than their accuracy warrants" in text) == (shrink == 0.4)
    assert ("more spread out than their accuracy warrants" in text) == (shrink > 1)


def test_regression_to_the_mean_is_reported_with_or_without_double_scores() -> None:
    two, one = (made(scored(raters), scale="1:6") for raters in (2, 1))
    assert "Rater error alone would cause −0.2" in words(ScoreDistributions(), two)
    assert "because no response was scored by two raters" in words(ScoreDistributions(), one)
    lines = [
        any(isinstance(layer, Line) for layer in chart.layers)
        for evaluation in (two, one)
        for chart in ScoreDistributions().findings(evaluation).charts
        if chart.key == "levels.by_human.chart"
    ]
    assert lines == [True, False]


def test_dots_of_few_responses_are_hollow_and_have_no_interval() -> None:
    evaluation = made(scored(n=60), scale="1:6")
    findings = ScoreDistributions().findings(evaluation)
    (chart,) = [chart for chart in findings.charts if chart.key == "levels.by_human.chart"]
    (dots,) = [layer for layer in chart.layers if isinstance(layer, Dots)]
    few = [n < 10 for n in dots.n]
    assert any(few)
    assert not all(few)
    assert list(dots.hollow) == few
    assert all(low is None for low, small in zip(dots.low, few, strict=True) if small)
    assert "Hollow: fewer than 10 responses." in words(ScoreDistributions(), evaluation)


@pytest.mark.parametrize(
    ("value", "low", "high", "words_of_it"),
    [
        (0.003, -0.04, 0.05, "does not differ detectably from the mean human score"),
        (0.2, 0.1, 0.3, "On average, engine scores are 0.20 [0.10, 0.30] SD higher than human scores."),
        (-0.2, -0.3, -0.1, "On average, engine scores are 0.20 [0.10, 0.30] SD lower than human scores."),
    ],
)
def test_means_that_may_be_equal_are_not_called_higher_or_lower(
    value: float, low: float, high: float, words_of_it: str
) -> None:
    evaluation = made(scored(), scale="1:6")
    smd = replace(evaluation.estimates["system.smd"], value=value, low=low, high=high)
    changed = replace(evaluation, estimates={**evaluation.estimates, "system.smd": smd})
    assert words_of_it in words(ScoreDistributions(), changed)


def test_the_ends_of_the_scale_are_in_the_words() -> None:
    evaluation = made(scored(), scale="1:6")
    text = words(ScoreDistributions(), evaluation)
    kept = [(end["n"], end["same"]) for end in ScoreDistributions().findings(evaluation).values["kept"]]
    for (n, same), score in zip(kept, (1, 6), strict=True):
        many = "all" if n == same else "none" if not same else str(same)
        assert f"Of {n} responses with a human score of {score}, the engine scored {many}" in text
    assert "differ by two points or more" in words(SystemHumanAgreement(), evaluation)


def test_an_error_differs_from_rater_error_only_if_its_interval_excludes_it() -> None:
    evaluation = made(scored(n=3000, shrink=0.5), scale="1:6")
    errors = ScoreDistributions().findings(evaluation).values["errors"]
    table = evaluation.tables["levels.by_human"]
    beyond = 0
    for error, expected in zip(table.column("mean_error"), table.column("expected_error"), strict=True):
        if isinstance(error, Estimate) and error.low is not None and error.high is not None and error.n >= 10:
            assert isinstance(expected, Estimate)
            assert expected.value is not None
            beyond += not error.low <= expected.value <= error.high
    assert errors["beyond"] == beyond > 0
    assert f"At a human score of {errors['worst']['level']}, the engine scores" in words(
        ScoreDistributions(), evaluation
    )


def test_the_spread_of_true_scores_is_next_to_the_ratings() -> None:
    assert "True scores vary less than ratings (SD 1.0" in words(ScoreDistributions(), made(scored(), scale="1:6"))


def test_a_score_is_named_only_if_chance_is_excluded() -> None:
    evaluation = made(scored(n=6000, shrink=0.3), scale="1:6")
    values = ScoreDistributions().findings(evaluation).values
    cells = dict(zip(evaluation.tables["distribution"].column("score"),
                     evaluation.tables["distribution"].column("difference"), strict=True))  # fmt: skip
    assert values["more"]
    assert values["fewer"]
    for side, scores in ((1, values["more"]), (-1, values["fewer"])):
        for score in scores:
            found = cells[score]
            assert isinstance(found, Estimate)
            assert found.low is not None and found.high is not None  # noqa: PT018
            assert min(side * found.low, side * found.high) > 0
            assert side * (found.value or 0) > 5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("step", "scale"), [(0.5, "0.5:3:0.5"), (10.0, "10:60:10"), (16.0, "0:100"), (1.0, "0:7:0")], ids=str
)
def test_every_scale_can_be_described(step: float, scale: str) -> None:
    frame = step * scored(3)
    frame["h3"] = frame["h3"].where(frame.index % 3 == 0)
    if scale == "0:7:0":
        frame = (frame + np.random.default_rng(5).uniform(-0.3, 0.3, frame.shape)).clip(0, 7)
    found = made(frame, scale=scale)
    for section in SECTIONS:
        findings, text = section.findings(found), words(section, found)
        assert "nan" not in text
        assert "None" not in text
        for chart in findings.charts:
            assert Vocabulary().say(chart.alt).strip().endswith(".")
        for table in findings.tables:
            assert sum(column.shown for column in table.columns) <= 7 or table.key in (
                "distribution",
                "confusion.system",
            )


def test_hostile_names_of_raters_stay_on_one_line() -> None:
    frame = scored().rename(columns={"h1": "h\nline\tbreak", "h2": "h" + "x" * 200})
    for section in SECTIONS:
        text = words(section, made(frame, scale="1:6"))
        assert "\t" not in text
        assert "x" * 100 not in text


def test_without_tables_a_section_is_complete() -> None:
    found = replace(made(scored(), scale="1:6"), tables={}, estimates={})
    for section in SECTIONS:
        assert words(section, found)


def test_a_certain_but_small_slope_is_called_small() -> None:
    frame = pd.concat([scored(shrink=1)] * 60, ignore_index=True)
    slope = np.cov(frame["system"], frame["h1"])[0, 1] / frame["system"].var()
    center = frame["system"].mean()
    frame["system"] = frame["h1"].mean() + (frame["system"] - center) * slope * 1.03  # now rises by 1 / 1.03
    evaluation = made(frame, scale="-50:60")
    found = evaluation.estimates["levels.calibration_slope"]
    assert found.high is not None
    assert found.high < 1
    text = words(ScoreDistributions(), evaluation)
    assert "slightly less than 1, which hardly matters" in text
    assert "more spread out" not in text
    assert "Rescaling would make little difference" in shown(TrueScoreEvaluation(), evaluation)
