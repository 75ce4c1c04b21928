"""Differences of groups at equal true score, as the section states them, by response or by candidate."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from fixtures import cases

import reportgen
from report_sections.group_differences import GroupDifferences, at_equal_true_score, rater_error, unseen
from reportgen.results import Estimate, Evaluation, Mark, Row, Table
from reportgen.testing import text_of

KEY = "fairness.given_true_score.L1"


def points(value: float, half: float) -> Estimate:
    """Return an estimate with a symmetric interval."""
    return Estimate("difference", value, 500, value - half, value + half, half / 2, kind="difference")


def with_row(evaluation: Evaluation, key: str, level: str, mark: Mark | None = None, **cells: object) -> Evaluation:
    """Return the evaluation with other cells, and perhaps another mark, in one row of a table."""
    table = evaluation.tables[key]
    names = [column.key for column in table.columns]
    rows = tuple(
        Row(
            tuple(cells.get(name, cell) for name, cell in zip(names, row.cells, strict=True)),  # type: ignore[misc]
            row.mark if mark is None else mark,
        )
        if row.cells[0] == level
        else row
        for row in table.rows
    )
    changed: Table = replace(table, rows=rows)
    return replace(evaluation, tables={**evaluation.tables, key: changed})


@pytest.fixture
def evaluation() -> Evaluation:
    """Return an evaluation whose groups differ by less than the limit at equal true score."""
    found = with_row(cases()["full"], KEY, "Thai", detectable=0.08, rater_error=points(0.01, 0.05))
    return with_row(found, KEY, "Spanish", "", standardized=points(-0.09, 0.05), gap=-0.38, detectable=0.08,
                    rater_error=points(-0.01, 0.05))  # fmt: skip


def told(evaluation: Evaluation, **options: object) -> str:
    """Return all that the section says."""
    return text_of(GroupDifferences(**options), evaluation).words  # type: ignore[arg-type]


def test_differences_and_detectable_differences_are_reported(evaluation: Evaluation) -> None:
    assert "At equal true score, no group of L1 is clearly beyond 0.10." in told(evaluation)
    found = at_equal_true_score(evaluation, "L1")
    assert (found["base"], found["low"]["level"], found["high"]["level"]) == ("Hindi", "Spanish", "Thai")
    assert "could be missed" not in told(evaluation), "0.08 is seen, and the limit is 0.10"
    far = with_row(evaluation, KEY, "Spanish", standardized=points(-0.3, 0.1), mark="flagged")
    assert (
        "At equal true score, the Spanish group is 0.30 [0.20, 0.40] standard deviations lower than the Hindi group, "
        "beyond 0.10." in told(far)
    )
    blind = with_row(evaluation, KEY, "Spanish", detectable=0.4)
    assert unseen(blind)["n"] == 1
    assert (
        "The Spanish group (499 responses) has too few responses to reliably detect a difference of 0.10. "
        "Even a difference of 0.40 could be missed."
    ) in told(blind)


def test_a_false_alarm_is_described_as_such(evaluation: Evaluation) -> None:
    alarm = with_row(evaluation, KEY, "Spanish", standardized=points(-0.02, 0.05), rater_error=points(-0.15, 0.05))
    alarm = with_row(alarm, "fairness.csd.L1", "Spanish", estimate=points(-0.2, 0.06))
    alarm = with_row(alarm, "fairness.csd.L1", "Thai", estimate=points(0.01, 0.06))
    words = told(alarm)
    assert "The rater mean for the Spanish group is 0.38 lower than for the Hindi group." in words
    assert "rater error alone explains 0.15 of the 0.20 [0.14, 0.26] points found" in words
    assert "1 of 1 group that differs at equal human score does not differ at equal true score." in words
    true = with_row(alarm, KEY, "Spanish", standardized=points(-0.2, 0.05))
    assert "does not differ" not in told(true)
    reverse = with_row(alarm, "fairness.csd.L1", "Spanish", estimate=points(0.1, 0.06))
    assert "makes it 0.15 points lower; the difference found is 0.10 [0.04, 0.16] higher." in told(reverse)


def test_a_part_that_hardly_counts_is_not_called_a_mistake(evaluation: Evaluation) -> None:
    small = with_row(evaluation, KEY, "Spanish", rater_error=points(-0.05, 0.01))
    small = with_row(small, KEY, "Thai", rater_error=points(0.01, 0.05))
    small = with_row(small, "fairness.csd.L1", "Spanish", estimate=points(-0.2, 0.06))
    assert rater_error(small, "L1")["case"] == "little"
    assert "at most 0.05 points (Spanish, where the difference found is 0.20 [0.14, 0.26])" in told(small)
    third = with_row(small, "fairness.csd.L1", "Spanish", estimate=points(-0.149, 0.06))
    assert rater_error(third, "L1")["case"] == "mistakes"


def test_groups_of_equal_level_raise_no_alarm(evaluation: Evaluation) -> None:
    for level in ("Spanish", "Thai"):
        evaluation = with_row(evaluation, KEY, level, rater_error=points(0.01, 0.05))
    assert "rater error alone makes no clear difference here" in told(evaluation)


def test_without_an_error_variance_the_reason_is_shown(evaluation: Evaluation) -> None:
    reasons = {"L1": "no response has two ratings and no rater error variance was given"}
    without = replace(
        evaluation,
        tables={key: table for key, table in evaluation.tables.items() if key != KEY},
        facts={**evaluation.facts, "no_difference_given_true_score": reasons},
    )
    assert "A comparison at equal true score is not available: no response has two ratings" in told(without)


@pytest.mark.parametrize(("candidates", "said"), [(120, True), (240, False)])
def test_regressions_by_response_are_noted_if_candidates_are_units(candidates: int, said: bool) -> None:
    rng = np.random.default_rng(3)
    number = np.arange(240) % candidates
    human = rng.integers(1, 7, 240)
    data = pd.DataFrame({
        "candidate_id": [f"C{each}" for each in number], "gender": np.where(number % 2, "f", "m"),
        "rater_1": human, "engine": np.round(human + rng.normal(0, 0.8, 240), 2),
    })  # fmt: skip
    report = reportgen.evaluate(data, scale="1:6")
    section = next(each for each in report.sections if each.name == "group_differences")
    assert ("Responses are clustered here" in text_of(section, report.evaluation)) is said
