"""Test reports on unusual data: long scales, copies, zeros, three raters, items, rare ends, close values."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from report_sections.data import Data
from report_sections.group_differences import GroupDifferences
from report_sections.human_human_agreement import HumanHumanAgreement
from report_sections.judges import Judges
from report_sections.score_distributions import ScoreDistributions
from report_sections.summary import Summary, remedies
from report_sections.system_human_agreement import SystemHumanAgreement
from report_sections.true_score_evaluation import TrueScoreEvaluation
from reportgen import testing
from reportgen.evaluation import evaluate
from reportgen.policies import load_policy
from reportgen.results import Estimate, Evaluation
from reportgen.scores import read
from reportgen.sections import Cells, Dots
from reportgen.settings import from_keywords
from reportgen.verdicts import check


def evaluated(columns: Mapping[str, Sequence[Any]], **keywords: Any) -> Evaluation:
    settings = from_keywords(**keywords)
    n = len(next(iter(columns.values())))
    frame = pa.table({"id": [f"r{i}" for i in range(n)], **columns})
    return evaluate(read(frame, settings), settings, {"versions": {}, "command": "test"})


def simulated(n: int, low: int, high: int, spread: float, raters: int = 2) -> dict[str, list[Any]]:
    """Return human scores and an engine with an error of half the spread of a rater's."""
    draw = random.Random(3)
    true = [draw.gauss((low + high) / 2, (high - low) / 5) for _ in range(n)]
    columns = {
        f"human{k}": [round(min(high, max(low, t + draw.gauss(0, spread)))) for t in true] for k in range(1, raters + 1)
    }
    return {**columns, "system": [min(high, max(low, t + draw.gauss(0, spread / 2))) for t in true]}


@pytest.fixture(scope="module")
def long_scale() -> Evaluation:
    return evaluated(simulated(400, 0, 100, 5), scale="0:100")


def test_a_long_scale_has_bands_and_no_heat_map(long_scale: Evaluation) -> None:
    for section in (SystemHumanAgreement(), HumanHumanAgreement()):
        findings = section.findings(long_scale)
        assert not any(isinstance(layer, Cells) for chart in findings.charts for layer in chart.layers)
    text = "The scale has 101 points; the file `tables/confusion.human.csv` counts the scores of both raters."
    assert text in testing.text_of(HumanHumanAgreement(), long_scale)
    text = "The scale has 101 points; the file `tables/confusion.system.csv` counts the scores of the engine and the"
    assert f"{text} rater." in testing.text_of(SystemHumanAgreement(), long_scale)
    findings = ScoreDistributions().findings(long_scale)
    (table,) = [each for each in findings.tables if each.key == "distribution.bands"]
    assert len(table.rows) <= 12
    assert sum(int(str(cell)) for cell in table.column("human_n")) == 400
    assert sum(float(str(cell)) for cell in table.column("system_percent")) == pytest.approx(100)
    assert "The scale has 101 points and is shown in bands." in testing.text_of(ScoreDistributions(), long_scale)


def test_a_value_without_interval_is_not_reported_on_both_sides() -> None:
    # every candidate has the same four scores: candidates do not differ, so no interval can be computed
    human, engine, candidates = [1, 2, 3, 4] * 10, [1, 2, 3, 3] * 10, [row // 4 for row in range(40)]
    alike = evaluated({"human1": human, "system": engine, "candidate": candidates}, scale="1:4")
    brief, section = testing.text_of(Summary(), alike), testing.text_of(SystemHumanAgreement(), alike)
    why = "the scores vary too little for an interval"
    doubt = (
        "The data cannot show whether agreement with raters is high enough and whether scores are too high or too low"
    )
    assert f"{doubt}: {why}." in brief
    assert "includes the limit" not in brief, "more responses of this kind would not help"
    assert f"The requirement is inconclusive because {why}." in section


def test_an_engine_with_one_score_is_described_as_such() -> None:
    given: dict[str, list[Any]] = {"human1": [1, 2, 3, 4] * 15, "human2": [1, 2, 4, 3] * 15, "system": [3] * 60}
    assert "Every engine score rounds to 3." in testing.text_of(ScoreDistributions(), evaluated(given, scale="1:4"))


def test_questionable_columns_are_reported_before_few_responses() -> None:
    first, second = [1, 2, 3, 4, 5, 6] * 100, [1, 2, 3, 4, 6, 5] * 100
    groups = ["a", "b"] * 300
    given: dict[str, list[Any]] = {"human1": first, "human2": second, "system": first, "language": groups}
    copy = evaluated(given, scale="1:6", groups=["language"])
    brief = testing.text_of(Summary(), copy)
    assert "Not yet: it is unclear what the columns contain." in brief
    assert "“system” and “human1” are identical in all 600 responses" in brief
    for section in (SystemHumanAgreement(), TrueScoreEvaluation(), GroupDifferences()):
        told = testing.text_of(section, copy)
        assert told.finding.endswith("cannot be evaluated until it is clear what the columns contain.")
        assert "not tested" not in told.text


def test_the_symbol_r_stays_small() -> None:
    constant = evaluated({"human1": [1, 2, 3, 4] * 5, "system": [2.0] * 20}, scale="1:4")
    assert " R " not in testing.text_of(Summary(), constant).words


def test_zeros_that_count_are_on_page_one() -> None:
    human = [0, 1, 2, 3] * 10
    found = evaluated({"human1": human, "system": [score + 0.2 for score in human]})
    text = "10 human scores are 0 and are treated as valid scores. If 0 means “not scored”, they should be excluded."
    assert text in testing.text_of(Summary(), found)
    assert "10 human scores are 0, and 0 is used as a score like any other." in testing.text_of(Data(), found)
    declared = evaluated({"human1": human, "system": [score + 0.2 for score in human]}, scale="0:3")
    assert "scores are 0" not in testing.text_of(Summary(), declared)


def test_three_raters_are_named_for_what_they_enter() -> None:
    found = evaluated(simulated(120, 1, 6, 0.6, raters=3), scale="1:6")
    page = testing.text_of(HumanHumanAgreement(), found)
    assert "uses the first two raters, human1 and human2. All raters count in PRMSE" in page
    assert "Engine scores are compared with the human scores in “human1”" in testing.text_of(Summary(), found)


def test_groups_are_counted_equally_on_both_pages_without_prompts() -> None:
    columns = simulated(300, 1, 6, 0.6)
    columns["gender"] = ["F", "M"] * 148 + ["X"] * 4
    columns["prompt"] = ["P1", "P2", "P3"] * 100
    found = evaluated(columns, scale="1:6", groups=["gender", "prompt"], withhold_small_groups=False)
    first = testing.text_of(Summary(), found)
    section = GroupDifferences(contrasts=("csd",)).findings(found)
    assert "Of 3 groups, 2 are within the limit and 1 was not tested." in first
    assert "All 3 items are inconclusive." in first
    assert "Whether 3 items are scored like the others" in first
    words = testing.text_of(GroupDifferences(), found)
    assert "Of 3 groups (gender)," in words
    assert "1 was not tested. A group needs at least 10 responses." in words
    assert "Of 3 in prompt," in words
    contrast = next(chart for chart in section.charts if chart.key == "fairness.csd.gender.chart")
    dots = next(layer for layer in contrast.layers if isinstance(layer, Dots))
    assert dict(zip(dots.positions, dots.hollow, strict=True))["X"]


@pytest.mark.parametrize(("value", "said_of_it"), [
    (0.703, "10,000 responses in total and have about 1,000 of them scored twice: this gives a 65% chance of a clear"),
    (0.73, "about 3,600 responses in total and have about 1,000 of them scored twice: this gives an 80% chance of a"),
])  # fmt: skip
def test_the_data_that_would_settle_an_open_criterion_are_shown(value: float, said_of_it: str) -> None:
    criterion = load_policy("williamson-2012").criteria[0]
    opened = check(criterion, Estimate("qwk", value, 500, value - 0.04, value + 0.04))
    base = evaluated(simulated(60, 1, 6, 0.6), scale="1:6")
    assert said_of_it in testing.text_of(Summary(), replace(base, checks=(opened,)))


def test_few_double_scores_are_a_step() -> None:
    found = replace(evaluated(simulated(120, 1, 6, 0.6), scale="1:6"), checks=())
    assert "Add about 380 randomly chosen responses with two ratings each: Lou" in testing.text_of(Summary(), found)


def test_a_clear_shift_is_corrected_before_more_data_are_collected() -> None:
    columns = simulated(300, 1, 6, 0.6)
    found = evaluated(columns | {"system": [each + 0.12 for each in columns["system"]]}, scale="1:6")
    assert [each["case"] for each in remedies(found)][:2] == ["shift", "group_column"]


def test_a_rounded_score_with_another_outcome_is_highlighted() -> None:
    columns = simulated(1500, 1, 4, 0.3)
    found = evaluated(columns, scale="1:4")
    plain = next(check for check in found.checks if check.statistic == "system.qwk")
    table = found.tables["system_human.association"]
    rounded = next(row.cells[2] for row in table.rows if row.cells[0] == "Trimmed and rounded")
    assert isinstance(rounded, Estimate)
    assert rounded.high is not None
    assert plain.estimate.low is not None
    between = (rounded.high + plain.estimate.low) / 2
    strict = replace(plain, low=between, outcome="met")
    told = testing.text_of(Summary(), replace(found, checks=(strict,)))
    assert rounded.high < plain.estimate.low, "rounding costs agreement here"
    assert "Reporting rounded scores would reduce accuracy. Quadratic weighted kappa would drop from" in told
    assert "which does not meet the requirement." in told


def test_a_better_rounded_score_is_not_a_cost() -> None:
    human = [0, 1, 2, 3] * 10
    found = evaluated({"human1": human, "system": [score + 0.2 for score in human]}, scale="0:3")
    rounded = next(row.cells[2] for row in found.tables["system_human.association"].rows if "rounded" in str(row.cells))
    assert isinstance(rounded, Estimate)
    assert (rounded.value or 0) > (found.estimates["system.qwk"].value or 1)
    assert "would cost accuracy" not in testing.text_of(Summary(), found)


def test_an_end_point_that_the_engine_hardly_gives_is_named() -> None:
    human = [1] * 5 + [2, 3] * 190 + [4] * 15
    engine = [1] * 5 + [2, 3] * 190 + [3] * 12 + [4] * 3
    found = evaluated({"human1": human, "system": engine}, scale="1:4")
    told = testing.text_of(ScoreDistributions(), found)
    assert "Of 400 responses, 3 have the highest score, 4, from the engine, and 15 have it as the human score." in told
    assert "the lowest score" not in told
    brief = testing.text_of(Summary(), found)
    assert "The engine rarely gives 4: it does so 3 times, and the rater gives it 15 times." in brief
    assert "gives 1:" not in brief


def test_responses_that_only_the_engine_scored_are_those_with_a_blank_not_with_words() -> None:
    for instead, told in (("BLANK", False), ("", True)):
        columns = simulated(300, 1, 6, 0.5)
        columns["human1"] = [instead if i % 30 == 0 else str(score) for i, score in enumerate(columns["human1"])]
        evaluation = evaluated(columns, scale="1:6")
        assert ("judges.means" in evaluation.tables) == told
        if told:
            assert "if raters scored a random sample of the responses" in testing.text_of(Judges(), evaluation)


def test_trimmed_scores_are_described_in_plain_words() -> None:
    columns = simulated(300, 1, 6, 0.6)
    columns["system"] = [7.2, *columns["system"][1:-1], -1.0]
    found = evaluated(columns, scale="1:6")
    moved = found.facts["scores_trimmed"]
    assert f"{moved} engine scores were trimmed because" in testing.text_of(Summary(), found)


def test_raters_are_counted_once_and_named_briefly() -> None:
    found = evaluated(simulated(300, 1, 6, 0.6), scale="1:6")
    said = testing.text_of(HumanHumanAgreement(), found)
    assert "Raters: “human1” and “human2”." in said
    assert "as people" not in said


def test_the_table_on_double_scoring_has_widths_only() -> None:
    table = evaluated(simulated(300, 1, 6, 0.6), scale="1:6").tables["true_score.double_scoring"]
    assert [row.cells[0] for row in table.rows] == ["plan.now", "plan.twice_as_many", "plan.four_times_as_many"]
