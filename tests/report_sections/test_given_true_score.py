"""What the page says of differences given the true score."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fixtures import cases

from report_sections.group_differences import GroupDifferences
from report_sections.group_differences.given_true_score import difference_sentences, rater_error_sentence
from reportgen.results import Estimate, Evaluation, Row, Table

KEY = "fairness.given_true_score.L1"


@pytest.fixture
def evaluation() -> Evaluation:
    return cases()["full"]


def points(value: float, half: float) -> Estimate:
    """Return an estimate with a symmetric interval."""
    return Estimate("difference", value, 500, value - half, value + half, half / 2, kind="difference")


def with_row(evaluation: Evaluation, key: str, level: str, **cells: object) -> Evaluation:
    """Return the evaluation with other cells in one row of a table."""
    table = evaluation.tables[key]
    names = [column.key for column in table.columns]
    rows = tuple(
        Row(tuple(cells.get(name, cell) for name, cell in zip(names, row.cells, strict=True)), row.mark)  # type: ignore[misc]
        if row.cells[0] == level
        else row
        for row in table.rows
    )
    changed: Table = replace(table, rows=rows)
    return replace(evaluation, tables={**evaluation.tables, key: changed})


def test_differences_and_what_could_be_seen_are_said(evaluation: Evaluation) -> None:
    said = difference_sentences(evaluation, "L1")
    assert "groups of L1 differ from Hindi by" in said
    assert "(Spanish)" in said
    assert "(Thai)" in said
    assert "Urdu" not in said
    assert "smaller than 0.08 would probably not be seen" in said
    far = with_row(evaluation, KEY, "Spanish", standardized=points(-0.3, 0.1))
    assert "outside 0.10 with the whole interval: Spanish" in difference_sentences(far, "L1")
    blind = with_row(evaluation, KEY, "Spanish", detectable=0.4)
    assert "would probably not be seen in 1 of 2 groups" in difference_sentences(blind, "L1")


def test_a_false_alarm_is_called_one(evaluation: Evaluation) -> None:
    alarm = with_row(evaluation, KEY, "Spanish", standardized=points(-0.02, 0.05), rater_error=points(-0.15, 0.05))
    alarm = with_row(alarm, "fairness.csd.L1", "Spanish", estimate=points(-0.2, 0.06))
    alarm = with_row(alarm, "fairness.csd.L1", "Thai", estimate=points(0.01, 0.06))
    said = rater_error_sentence(alarm, "L1")
    assert "Spanish has a mean human score 0.38 lower than Hindi" in said
    assert "rater error alone makes −0.15 points of the difference of −0.20 [−0.26, −0.14] points" in said
    assert "the one group that differs at equal human score does not differ at equal true score" in said
    true = with_row(alarm, KEY, "Spanish", standardized=points(-0.2, 0.05))
    assert "does not differ" not in rater_error_sentence(true, "L1")


def test_a_part_that_hardly_counts_is_not_called_a_mistake(evaluation: Evaluation) -> None:
    small = with_row(evaluation, KEY, "Spanish", rater_error=points(-0.05, 0.01))
    small = with_row(small, KEY, "Thai", rater_error=points(0.01, 0.05))
    small = with_row(small, "fairness.csd.L1", "Spanish", estimate=points(-0.2, 0.06))
    said = rater_error_sentence(small, "L1")
    assert "mistakes" not in said
    assert "makes little of the differences: at most −0.05 points (Spanish), where −0.20" in said
    third = with_row(small, "fairness.csd.L1", "Spanish", estimate=points(-0.149, 0.06))
    assert "mistakes rater error for bias: Spanish" in rater_error_sentence(third, "L1")


def test_groups_of_equal_level_raise_no_alarm(evaluation: Evaluation) -> None:
    for level in ("Spanish", "Thai"):
        evaluation = with_row(evaluation, KEY, level, rater_error=points(0.01, 0.05))
    assert "rater error alone makes no clear difference here" in rater_error_sentence(evaluation, "L1")


def test_without_an_error_variance_the_reason_and_the_remedy_are_said(evaluation: Evaluation) -> None:
    reasons = {"L1": "no response has two ratings and no rater error variance was given"}
    without = replace(
        evaluation,
        tables={key: table for key, table in evaluation.tables.items() if key != KEY},
        facts={**evaluation.facts, "no_difference_given_true_score": reasons},
    )
    said = difference_sentences(without, "L1")
    assert said.startswith("Differences at equal true score are not available: no response has two ratings")
    assert "rater_error_variance" in said
    assert said in GroupDifferences().findings(without).paragraphs


def test_against_all_others_has_its_own_column_and_words(evaluation: Evaluation) -> None:
    found = GroupDifferences(against="others").findings(evaluation)
    table = next(table for table in found.tables if table.key == KEY)
    assert [column.key for column in table.columns if column.shown] == ["level", "n", "from_others"]
    chart = next(chart for chart in found.charts if chart.key == f"{KEY}.chart")
    assert "against all others" in chart.title
    assert any("from all other responses" in said for said in found.paragraphs)
