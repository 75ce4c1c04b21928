"""The agreement panel and the score levels as a reader meets them: computed from scores, then said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from report_sections.agreement_panel import AgreementPanel
from report_sections.score_distributions import ScoreDistributions
from report_sections.system_human_agreement import SystemHumanAgreement
from report_sections.true_score_evaluation.parts import parts_sentences
from reportgen.evaluation import evaluate
from reportgen.results import Evaluation, Findings
from reportgen.scores import read
from reportgen.sections import Dots, Line
from reportgen.settings import from_keywords
from reportgen.wording.numbers import MINUS

SECTIONS = (AgreementPanel(), SystemHumanAgreement(), ScoreDistributions())


def made(frame: pd.DataFrame, **settings: object) -> Evaluation:
    human = [column for column in frame if str(column).startswith("h")]
    chosen = from_keywords(system="system", human=human, **settings)
    return evaluate(read(frame, chosen), chosen, {})


def scored(raters: int = 2, n: int = 600, shrink: float = 1.0) -> pd.DataFrame:
    rng = np.random.default_rng(11)
    true = rng.normal(3.5, 1.1, n)
    human = np.clip(np.rint(true[:, None] + rng.normal(0, 0.6, (n, raters))), 1, 6)
    system = 3.5 + shrink * (true - 3.5) + rng.normal(0, 0.3, n)
    return pd.DataFrame({"system": system, **{f"h{k + 1}": human[:, k] for k in range(raters)}})


def said(findings: Findings) -> str:
    return " ".join([findings.headline, *findings.paragraphs])


def test_one_prevailing_score_is_named_as_the_reason() -> None:
    """92 % of the labels are 1: without weights kappa falls far below AC, by prevalence alone."""
    rng = np.random.default_rng(1)
    human = np.where(rng.random(2000) < 0.92, 1, 2)
    frame = pd.DataFrame({"system": np.where(rng.random(2000) < 0.06, 3 - human, human), "h1": human})
    text = said(AgreementPanel().findings(made(frame, scale="1:2")))
    assert "part without weights" in text
    assert "because one score prevails: score 1 alone has 88.9 % of the scores" in text
    assert f"unequal use of the scores {MINUS}0.003" in text
    assert "quadratic weights:" not in text, "two points leave weights nothing to grade"
    assert "two raters are not compared" in text


def test_unequal_use_is_named_as_the_reason() -> None:
    """The engine gives 80 % ones, the rater 20 %: together half and half, so that AC is Scott's pi, below kappa."""
    frame = pd.DataFrame({"system": [1] * 800 + [2] * 200, "h1": [1] * 200 + [2] * 800})
    text = said(AgreementPanel().findings(made(frame, scale="1:2")))
    assert "AC is −0.20, kappa 0.12" in text
    assert "because the two use the scores unequally: 60.0 % of responses would need another score" in text
    assert "prevalence makes 0.00 of it, unequal use of the scores −0.32" in text


def test_kappa_and_ac_that_do_not_part_are_said_to_stay_together() -> None:
    human = np.tile([1, 2, 3, 4], 100)
    system = human.copy()
    system[::7] = 5 - system[::7]
    text = said(AgreementPanel().findings(made(pd.DataFrame({"system": system, "h1": human}), scale="1:4")))
    assert "do not clearly part by more than 0.10" in text


def test_a_scale_that_is_only_seen_is_called_so() -> None:
    assert "not declared: 1 to 6 are the scores seen" in said(AgreementPanel().findings(made(scored())))
    assert "not declared" not in said(AgreementPanel().findings(made(scored(), scale="1:6")))


def test_the_picture_has_engine_and_raters_beside_each_other() -> None:
    chart = AgreementPanel().findings(made(scored(), scale="1:6")).charts[0]
    layers = [layer for layer in chart.layers if isinstance(layer, Dots)]
    assert [layer.label for layer in layers] == ["Engine and h1", "h1 and h2"]
    assert layers[0].positions[:15] == layers[1].positions
    assert chart.alt.startswith("Coefficients of agreement of Engine and h1: from 0.")


@pytest.mark.parametrize("shrink", [0.4, 0.88, 1.6])
def test_the_slope_of_calibration_is_read_the_right_way(shrink: float) -> None:
    text = said(SystemHumanAgreement().findings(made(scored(shrink=shrink), scale="1:6")))
    assert ("the engine's scores lie too close together" in text) == (shrink == 0.4)
    assert ("the engine's scores lie too far apart" in text) == (shrink > 1)


def test_regression_to_the_mean_is_told_with_or_without_double_scores() -> None:
    with_two, with_one = (SystemHumanAgreement().findings(made(scored(k), scale="1:6")) for k in (2, 1))
    assert "for an engine that gave the true score it would be −0.2" in said(with_two)
    assert "is not known without responses scored twice" in said(with_one)
    lines = [
        any(isinstance(layer, Line) for layer in chart.layers)
        for findings in (with_two, with_one)
        for chart in findings.charts
        if chart.key == "levels.by_human.chart"
    ]
    assert lines == [True, False]


def test_dots_of_few_responses_are_hollow_and_have_no_interval() -> None:
    findings = SystemHumanAgreement().findings(made(scored(n=60), scale="1:6"))
    (chart,) = [chart for chart in findings.charts if chart.key == "levels.by_human.chart"]
    (dots,) = [layer for layer in chart.layers if isinstance(layer, Dots)]
    few = [n < 10 for n in dots.n]
    assert any(few)
    assert not all(few)
    assert list(dots.hollow) == few
    assert all(low is None for low, small in zip(dots.low, few, strict=True) if small)
    assert "Hollow dots: fewer than 10 responses" in chart.caption


def test_means_that_cannot_be_told_apart_are_not_called_higher_or_lower() -> None:
    evaluation = made(scored(), scale="1:6")
    smd = replace(evaluation.estimates["system.smd"], value=0.003, low=-0.04, high=0.05)
    alike = said(
        SystemHumanAgreement().findings(replace(evaluation, estimates={**evaluation.estimates, "system.smd": smd}))
    )
    assert "The engine mean cannot be told from the human mean" in alike
    clear = replace(smd, value=0.2, low=0.1, high=0.3)
    far = said(
        SystemHumanAgreement().findings(replace(evaluation, estimates={**evaluation.estimates, "system.smd": clear}))
    )
    assert "The engine mean is 0.20 human standard deviations higher than the human mean" in far


def test_the_ends_of_the_scale_are_in_the_words() -> None:
    findings = SystemHumanAgreement().findings(made(scored(), scale="1:6"))
    assert "of responses are off by two points or more" in said(findings)
    assert "the engine keeps the lowest" in said(findings)
    assert [table.key for table in findings.tables][-3:] == ["calibration", "levels.by_human", "levels.overall"]
    without = SystemHumanAgreement(levels=False).findings(made(scored(), scale="1:6"))
    assert not any(table.key.startswith("levels.") for table in without.tables)


def test_the_spread_of_true_scores_stands_beside_the_engines() -> None:
    findings = ScoreDistributions().findings(made(scored(), scale="1:6"))
    assert "True scores, without rater error, have a standard deviation of 1.0" in said(findings)
    squeezed = ScoreDistributions().findings(made(scored(shrink=0.3), scale="1:6"))
    assert "percentage points at score" in squeezed.headline
    assert "[" in squeezed.headline, "a difference of shares has its interval"


@pytest.mark.parametrize(
    ("step", "scale"), [(0.5, "0.5:3:0.5"), (10.0, "10:60:10"), (16.0, "0:100"), (1.0, "0:7:0")], ids=str
)
def test_every_scale_can_be_said(step: float, scale: str) -> None:
    frame = step * scored(3)
    frame["h3"] = frame["h3"].where(frame.index % 3 == 0)
    if scale == "0:7:0":
        frame = (frame + np.random.default_rng(5).uniform(-0.3, 0.3, frame.shape)).clip(0, 7)
    found = made(frame, scale=scale)
    for section in SECTIONS:
        findings = section.findings(found)
        assert findings.headline.endswith(".")
        assert "nan" not in said(findings)
        assert "None" not in said(findings)
        for chart in findings.charts:
            assert chart.alt.endswith(".")
        for table in findings.tables:
            assert sum(column.shown for column in table.columns) <= 7 or table.key in (
                "distribution",
                "confusion.system",
            )


def test_hostile_names_of_raters_stay_on_one_line() -> None:
    frame = scored().rename(columns={"h1": "h\nline\tbreak", "h2": "h" + "x" * 200})
    for section in SECTIONS:
        for text in (said(section.findings(made(frame, scale="1:6"))),):
            assert "\n" not in text
            assert "\t" not in text
            assert "x" * 100 not in text


def test_without_tables_a_section_still_stands() -> None:
    found = replace(made(scored(), scale="1:6"), tables={}, estimates={})
    for section in SECTIONS:
        assert section.findings(found).headline.endswith(".")


def test_a_sure_but_small_slope_is_called_small() -> None:
    frame = pd.concat([scored(shrink=1)] * 60, ignore_index=True)
    slope = np.cov(frame["system"], frame["h1"])[0, 1] / frame["system"].var()
    center = frame["system"].mean()
    frame["system"] = frame["h1"].mean() + (frame["system"] - center) * slope * 1.03  # now rises by 1 / 1.03
    evaluation = made(frame, scale="-50:60")
    found = evaluation.estimates["levels.calibration_slope"]
    assert found.high is not None
    assert found.high < 1
    text = said(SystemHumanAgreement().findings(evaluation))
    assert "less than one for one, but by so little that it hardly matters" in text
    assert "lie too far apart" not in text
    regained = "\n".join(parts_sentences(evaluation))
    assert "too little to be worth it" in regained
    assert "right, or off by little" in regained
