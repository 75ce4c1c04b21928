"""The section on human raters: its sentences follow the intervals, planted faults are named, names are not."""

from __future__ import annotations

import random
from typing import Any

import pytest
from test_newcomers_questions import evaluated, said, simulated

from report_sections.human_raters import HumanRaters
from reportgen.errors import SettingsError
from reportgen.results import Evaluation
from reportgen.sections import Dots


def states(evaluation: Evaluation, **options: Any) -> dict[str, str]:
    """Return the state of every condition."""
    table = HumanRaters(**options).findings(evaluation).tables[0]
    return {str(row.cells[0]): str(row.cells[2]) for row in table.rows}


def named(n: int = 500) -> dict[str, list[Any]]:
    """Return two ratings of each response, by eight raters of whom Ann is lenient."""
    draw = random.Random(2)
    columns = simulated(n, 1, 6, 0.6)
    who = [draw.sample(["Ann", "Bob", "Cem", "Dee", "Eve", "Fay", "Gus", "Hal"], 2) for _ in range(n)]
    for place in (0, 1):
        column = f"human{place + 1}"
        columns[f"{column}_rater"] = [pair[place] for pair in who]
        columns[f"{column}_date"] = [f"2026-03-{1 + draw.randrange(28):02d}" for _ in range(n)]
        columns[column] = [
            min(6, score + (pair[place] == "Ann")) for score, pair in zip(columns[column], who, strict=True)
        ]
    return columns


@pytest.fixture(scope="module")
def with_names() -> Evaluation:
    return evaluated(named(), scale="1:6")


def test_alike_raters_meet_the_conditions_on_them() -> None:
    found = states(evaluated(simulated(900, 1, 6, 0.5), scale="1:6"))
    assert found["Raters have the same mean"] == "met"
    assert found["Raters spread their scores alike"] == "met"
    assert found["Raters agree alike with the engine"] == "met"
    assert found["Responses scored again are like the rest"] == "not needed"


def test_a_severe_second_rater_is_said() -> None:
    columns = simulated(400, 1, 6, 0.5)
    columns["human2"] = [max(1, score - 1) for score in columns["human2"]]
    evaluation = evaluated(columns, scale="1:6")
    findings = HumanRaters().findings(evaluation)
    assert states(evaluation)["Raters have the same mean"] == "not met"
    assert "not met: raters have the same mean" in findings.headline
    assert "is higher for it by +0." in said(findings)


def test_a_choice_of_weak_responses_is_said() -> None:
    columns: dict[str, list[Any]] = simulated(600, 1, 6, 0.5)
    columns["human2"] = [
        score if system < 3.5 else None for score, system in zip(columns["human2"], columns["system"], strict=True)
    ]
    assert states(evaluated(columns, scale="1:6"))["Responses scored again are like the rest"] == "not met"


def test_margins_are_options(with_names: Evaluation) -> None:
    strict = states(with_names, mean_margin=0.0001, spread_ratio=1.0001)
    assert strict["Raters have the same mean"] != "met"
    assert strict["Raters spread their scores alike"] != "met"


def test_several_comparisons_come_with_a_sentence_on_chance(with_names: Evaluation) -> None:
    text = said(HumanRaters().findings(with_names))
    assert "4 comparisons with 95 % intervals; did nothing differ, about 0.2 of them" in text


def test_raters_stand_as_codes_and_the_lenient_one_is_found(with_names: Evaluation) -> None:
    findings = HumanRaters().findings(with_names)
    text = said(findings) + str(findings.tables) + str(findings.charts)
    for name in ("Ann", "Bob", "Hal"):
        assert name not in text
    assert "(lenient)" in text
    assert "8 raters gave the scores." in text
    assert states(with_names)["Single raters are equally severe"] == "not met"
    assert "Drift is relative to the other raters" in text


def test_raters_are_named_when_asked() -> None:
    text = said(HumanRaters().findings(evaluated(named(), scale="1:6", show_rater_names=True)))
    assert "excludes 0 for" in text
    assert "Ann +0." in text


def test_reliability_is_drawn_with_intervals(with_names: Evaluation) -> None:
    chart = next(
        chart for chart in HumanRaters().findings(with_names).charts if chart.key == "reliability.more_ratings.chart"
    )
    layers = [layer for layer in chart.layers if isinstance(layer, Dots)]
    assert len(layers) == 2
    for layer in layers:
        assert len(layer.values) == 5
        assert all(low is not None for low in layer.low)


def test_one_rater_is_no_yardstick() -> None:
    columns = simulated(60, 1, 6, 0.5)
    del columns["human2"]
    findings = HumanRaters().findings(evaluated(columns, scale="1:6"))
    assert "is not known: no response has a second human score" in findings.headline
    assert not findings.tables


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"rater_ids": ["human1_rater"]}, "2 columns of human scores and 1 of rater_ids"),
        ({"rater_ids": ["nobody", "human2_rater"]}, "rater column 'nobody' does not exist"),
        ({"human": ["human1", "human2"], "rater_ids": ["human1", "human2"]}, "cannot be both human and rater"),
    ],
)
def test_columns_of_raters_that_do_not_fit_are_refused(keywords: dict[str, Any], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        evaluated(named(40), scale="1:6", **keywords)


def test_one_column_of_times_serves_all_ratings() -> None:
    columns = named(200)
    del columns["human1_date"]
    columns["when"] = columns.pop("human2_date")
    evaluation = evaluated(columns, scale="1:6", rating_times=["when"])
    assert "Drift" in [column.label for column in evaluation.tables["human_raters.raters"].columns]


LEVELS = "Rater errors are as large at every level"


def test_an_arch_of_rater_errors_without_a_trend_is_not_alike() -> None:
    draw = random.Random(11)
    true = [draw.uniform(1, 6) for _ in range(12_000)]
    columns: dict[str, list[Any]] = {
        f"human{k}": [round(min(6, max(1, t + draw.gauss(0, 0.9)))) for t in true] for k in (1, 2)
    }
    columns["system"] = [min(6, max(1, t + draw.gauss(0, 0.2))) for t in true]
    evaluation = evaluated(columns, scale="1:6")
    (row,) = (row for row in HumanRaters().findings(evaluation).tables[0].rows if row.cells[0] == LEVELS)
    shown = str(row.cells[1])
    assert row.cells[2] == "not met"
    assert "smaller at both ends of the scale, as rounding" in shown
    assert "change per SD of the engine's score" in shown
    alone = HumanRaters(level_ratio=4).findings(evaluation).tables[0]
    assert [row.cells[2] for row in alone.rows if row.cells[0] == LEVELS] == ["met"]  # the trend alone sees nothing


def test_few_responses_do_not_show_that_errors_are_alike() -> None:
    assert states(evaluated(simulated(120, 1, 6, 0.6), scale="1:6"))[LEVELS] == "not yet known"
