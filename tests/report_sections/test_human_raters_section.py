"""The section on human raters: its sentences follow the intervals, planted faults are named, names are not."""

import random
import re
from typing import Any

import pytest
from test_newcomers_questions import evaluated, simulated

from report_sections.human_raters import HumanRaters
from reportgen.errors import SettingsError
from reportgen.results import Evaluation
from reportgen.sections import Dots
from reportgen.testing import text_of
from reportgen.wording.vocabulary import Vocabulary


def states(evaluation: Evaluation, **options: Any) -> dict[str, str]:
    """Return the state of every condition."""
    table = HumanRaters(**options).findings(evaluation).tables[0]
    conditions, found = table.column("condition"), table.column("state")
    return {str(key)[10:]: str(state)[6:] for key, state in zip(conditions, found, strict=True)}


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


def test_similar_raters_meet_the_conditions_on_them() -> None:
    found = states(evaluated(simulated(900, 1, 6, 0.5), scale="1:6"))
    assert found["same_mean"] == "met"
    assert found["same_spread"] == "met"
    assert found["same_agreement"] == "met"
    assert "random_sample" not in found, "every response is double-scored"


def test_a_severe_second_rater_is_reported() -> None:
    columns = simulated(400, 1, 6, 0.5)
    columns["human2"] = [max(1, score - 1) for score in columns["human2"]]
    evaluation = evaluated(columns, scale="1:6")
    assert states(evaluation)["same_mean"] == "not_met"
    page = text_of(HumanRaters(), evaluation)
    assert "Not met: Raters have the same mean." in page
    assert re.search(r"PRMSE is 0\.\d+ \[.*\] higher because of it", page.words)


def test_a_selection_of_weak_responses_is_reported() -> None:
    columns: dict[str, list[Any]] = simulated(600, 1, 6, 0.5)
    columns["human2"] = [
        score if system < 3.5 else None for score, system in zip(columns["human2"], columns["system"], strict=True)
    ]
    assert states(evaluated(columns, scale="1:6"))["random_sample"] == "not_met"


def test_margins_are_options(with_names: Evaluation) -> None:
    strict = states(with_names, mean_margin=0.0001, spread_ratio=1.0001)
    assert strict["same_mean"] != "met"
    assert strict["same_spread"] != "met"


def test_multiple_comparisons_have_a_sentence_on_chance(with_names: Evaluation) -> None:
    assert "Of 4 intervals tested against equality, about 0.2 would exclude it" in text_of(HumanRaters(), with_names)


def test_raters_are_shown_as_codes_and_the_lenient_one_is_found(with_names: Evaluation) -> None:
    findings, page = HumanRaters().findings(with_names), text_of(HumanRaters(), with_names)
    for name in ("Ann", "Bob", "Hal"):
        assert name not in page.words + repr(findings)
    assert "points more lenient)" in page
    assert "8 raters gave the scores." in page
    assert states(with_names)["same_severity"] == "not_met"
    assert "compared with other raters" in page


def test_raters_are_named_if_requested() -> None:
    page = text_of(HumanRaters(), evaluated(named(), scale="1:6", show_rater_names=True))
    assert re.search(
        r"clearly more severe or more lenient than the others: Ann \(0\.\d+ \[.*?\] points more lenient\)", page.words
    )


def test_reliability_is_drawn_with_intervals(with_names: Evaluation) -> None:
    chart = next(
        chart for chart in HumanRaters().findings(with_names).charts if chart.key == "reliability.more_ratings.chart"
    )
    layers = [layer for layer in chart.layers if isinstance(layer, Dots)]
    assert len(layers) == 2
    for layer in layers:
        assert len(layer.values) == 5
        assert all(low is not None for low in layer.low)


def test_one_rater_is_not_a_standard() -> None:
    columns = simulated(60, 1, 6, 0.5)
    del columns["human2"]
    evaluation = evaluated(columns, scale="1:6")
    assert "No response has a second rating" in text_of(HumanRaters(), evaluation)
    assert not HumanRaters().findings(evaluation).tables


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"rater_ids": ["human1_rater"]}, "2 columns of human scores and 1 of rater_ids"),
        ({"rater_ids": ["nobody", "human2_rater"]}, "rater column 'nobody' does not exist"),
        ({"human": ["human1", "human2"], "rater_ids": ["human1", "human2"]}, "cannot be both human and rater"),
    ],
)
def test_inconsistent_rater_columns_are_errors(keywords: dict[str, Any], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        evaluated(named(40), scale="1:6", **keywords)


def test_one_column_of_times_serves_all_ratings() -> None:
    columns = named(200)
    del columns["human1_date"]
    columns["when"] = columns.pop("human2_date")
    evaluation = evaluated(columns, scale="1:6", rating_times=["when"])
    assert "drift" in [column.key for column in evaluation.tables["human_raters.raters"].columns]


def test_an_arch_of_rater_errors_without_a_trend_is_not_constant() -> None:
    draw = random.Random(11)
    true = [draw.uniform(1, 6) for _ in range(12_000)]
    columns: dict[str, list[Any]] = {
        f"human{k}": [round(min(6, max(1, t + draw.gauss(0, 0.9)))) for t in true] for k in (1, 2)
    }
    columns["system"] = [min(6, max(1, t + draw.gauss(0, 0.2))) for t in true]
    evaluation = evaluated(columns, scale="1:6")
    assert states(evaluation)["even_levels"] == "not_met"
    assert "Rater errors are smaller at both ends of the scale" in text_of(HumanRaters(), evaluation)
    loose = states(evaluation, level_ratio=4)
    assert (loose["even_levels"], loose["no_trend"]) == ("met", "met")  # the trend alone sees nothing


def test_few_responses_do_not_show_that_errors_are_constant() -> None:
    assert states(evaluated(simulated(120, 1, 6, 0.6), scale="1:6"))["even_levels"] == "undecided"


def test_limits_and_farthest_cases_are_in_words(with_names: Evaluation) -> None:
    table = Vocabulary().table(HumanRaters().findings(with_names).tables[0])
    assert table.columns[0].label == "Condition"
    first = dict(zip((column.key for column in table.columns), table.rows[0].cells, strict=True))
    assert (first["condition"], first["limit"]) == ("Raters have the same mean", "±0.15 SD")
    assert first["where"] == "human2 − human1"
