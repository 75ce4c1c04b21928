"""Rounding error of an engine that equals its raters counts as 0."""

import numpy as np
import pyarrow as pa
import pytest
from simulated import evaluation_of

import reportgen
from reportgen.results import Report
from reportgen.verdicts.judging import judge


def report_of(step: float, noise: float = 0.0) -> Report:
    """Return the report of 301 responses in two group columns. The engine equals the raters, except for noise."""
    draws = np.random.default_rng(1)
    human = draws.integers(1, 7, 301) * step
    rows = np.arange(301)
    scores = pa.table({
        "id": [str(i) for i in rows], "h1": human, "h2": human, "engine": human + noise * draws.normal(size=301),
        "g": [("a", "b", "c", "d", "e")[i % 5] for i in rows], "k": [("x", "y", "z")[i % 3] for i in rows],
    })  # fmt: skip
    return reportgen.evaluate(scores, human=["h1", "h2"], system="engine", groups=["g", "k"], id="id")


@pytest.mark.parametrize("step", [1.0, 0.1, 0.37, 1000 / 7])
def test_groups_of_identical_scores_have_same_outcome(step: float) -> None:
    """Sums that cancel to 1e-17 in one group and to 0 in another must have the same outcome."""
    verdict = report_of(step).verdict
    assert verdict is not None
    groups = [each for each in verdict.checks if each.column]
    assert len(groups) == 8
    assert {each.doubt for each in groups} == {"reading"}  # the columns are copies of each other
    assert {judge(each.estimate, each.low, each.high, strict=each.strict) for each in groups} == {"not yet known"}
    assert {each.estimate.standard_error for each in verdict.checks} == {0.0}


def test_small_errors_are_kept() -> None:
    found = report_of(1.0, noise=1e-4).evaluation
    error = found.estimates["system.smd"].standard_error
    assert error == pytest.approx(1e-4 / np.sqrt(301) / 1.7, rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("score", [0.1, 3.3, 50.0])
@pytest.mark.parametrize("high", [6, 100])
def test_constant_engine_has_no_group_contrasts(score: float, high: int) -> None:
    """Contrasts of 1e-16 with an error of 0 must not have p = 0."""
    for seed in range(4):
        draws = np.random.default_rng(seed)
        human, group = draws.integers(1, high + 1, 160), draws.choice(["a", "b", "c"], 160)
        scores = pa.table({"h1": human, "engine": np.full(160, score), "g": group, "item": ["x"] * 160})
        report = reportgen.evaluate(scores, human="h1", system="engine", groups=["g"], missing="none")
        _, *rows = report.evaluation.tables["fairness.csd.g"].rows
        values = [(row.cells[2].value, row.cells[3]) for row in rows]  # type: ignore[union-attr]
        assert values == [(0.0, None)] * 2


@pytest.mark.parametrize("score", [0.1, 1 / 3, 3.3])
@pytest.mark.parametrize("candidates", [False, True])
def test_rounding_error_of_constant_engine_is_ignored(score: float, candidates: bool) -> None:
    """Differences of 0 must not have intervals of 1e-9."""
    draws = np.random.default_rng(3)
    human, group = draws.integers(1, 6, (120, 1)) + draws.choice([0.0, 0, 1], (120, 2)), draws.choice(["a", "b"], 120)
    human[draws.random(120) < 0.5, 1] = np.nan
    scores = {"h1": human[:, 0], "h2": pa.array(human[:, 1], from_pandas=True), "engine": np.full(120, score)}
    scores |= {"g": group, "person": [f"p{row // 2}" for row in range(120)]}
    who = "person" if candidates else None
    found = evaluation_of(
        pa.table(scores), human=["h1", "h2"], system="engine", groups=["g"], scale="0:6", candidate=who
    ).tables
    _, row = found["fairness.given_true_score.g"].rows
    for cell in (row.cells[3], row.cells[5], row.cells[7]):
        assert (cell.value, cell.low, cell.standard_error) == (0.0, None, None)  # type: ignore[union-attr]
    again = next(row.cells[4] for row in found["human_raters.double_scoring"].rows if row.cells[0] == "score_of_engine")
    assert again.value is None  # type: ignore[union-attr]
    assert again.reason == "the scores do not vary"  # type: ignore[union-attr]
