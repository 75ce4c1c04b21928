"""Runs with different human ratings: the first page says so, and statistics of the ratings are not compared."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command import reportgen as command
from simulated import framed, simulated

import reportgen
from report_sections.comparison import changes
from reportgen import metrics
from reportgen.results import Estimate, Report
from reportgen.testing import text_of

N = 200


def frame() -> pd.DataFrame:
    """Return two ratings and an engine's score of every response."""
    scores = simulated(N, 7, sd=1.2)
    frame = framed(scores, "human_", "system").astype({"human_1": int, "human_2": int}).clip(1, 6).round(3)
    return frame.assign(id=[f"r{i}" for i in range(N)], gender=scores.rng.choice(["f", "m"], N))


DIFFER = "The human ratings of old and new differ on {} of 200 responses, by up to 2 points. {}"


def other(column: str, n: int, by: int = 2) -> pd.DataFrame:
    """Return the frame with `n` ratings of one column moved to the middle, and another engine."""
    made, rng = frame(), np.random.default_rng(8)
    rows = rng.choice(N, n, replace=False)
    made.loc[rows, column] += np.where(made.loc[rows, column] > 3, -by, by)
    return made.assign(system=np.clip(made["system"] + rng.normal(0, 0.4, N), 1, 6).round(3))


@pytest.fixture
def compared(tmp_path: Path) -> Callable[[pd.DataFrame, pd.DataFrame], Report]:
    """Return a function that compares the runs of two frames."""

    def compare(old: pd.DataFrame, new: pd.DataFrame) -> Report:
        for name, data in (("old", old), ("new", new)):
            data.to_csv(tmp_path / f"{name}.csv", index=False)
            command("evaluate", f"{name}.csv", name, "--scale", "1:6", "--tables-only", "--force", cwd=tmp_path)
        return reportgen.compare(tmp_path / "old", tmp_path / "new")

    return compare


def first_page(report: Report) -> str:
    """Return the words of the first page."""
    return text_of(report.sections[0], report.evaluation).words


def keys_with(report: Report, what: str) -> list[str]:
    """Return the keys of estimates and tables that contain a text."""
    evaluation = report.evaluation
    return [key for key in (*evaluation.estimates, *evaluation.tables) if what in key]


def readings(report: Report, table: str, metric: str) -> set[str]:
    """Return the readings of a metric in a table of changes."""
    rows = changes(report.evaluation, table)
    assert rows
    return {row.reading for row in rows if row.metric == metric}


@pytest.mark.slow
def test_different_first_ratings_compare_engines_only(compared: Any) -> None:
    old, new = frame(), other("human_1", 40)
    report = compared(old, new)
    told = "Therefore, agreement with raters is not compared, but the engines' scores are compared with each other."
    assert DIFFER.format(40, told) in first_page(report)
    for what in ("confusion", "by_group"):
        assert keys_with(report, what) == [], what
    for metric in ("qwk", "r", "r_squared", "rmse", "mae", "smd", "kappa", "exact_agreement"):
        change = report.evaluation.estimates[f"change2.system.{metric}"]
        assert change.value is None, metric
    for key in ("overall", "score_types", "degradation"):
        assert readings(report, f"comparison.{key}", "qwk") == {"not comparable: different raters"}
    assert report.evaluation.checks == ()
    value = report.evaluation.tables["comparison.engines"].rows[0].cells[2]
    assert isinstance(value, Estimate)
    expected = metrics.quadratic_weighted_kappa(np.rint(old["system"]), np.rint(new["system"]))
    assert value.value == pytest.approx(expected)
    change = report.evaluation.estimates["change2.system.system_mean"]
    assert change.value == pytest.approx((new["system"] - old["system"]).mean(), abs=1e-9)
    assert not any(section.error for section in report.sections)


@pytest.mark.slow
def test_different_second_ratings_compare_first_ratings(compared: Any) -> None:
    report = compared(frame(), other("human_2", 40))
    told = "The first ratings are the same; results based on the other ratings are not judged."
    assert DIFFER.format(40, told) in first_page(report)
    assert report.evaluation.estimates["change2.system.qwk"].value is not None
    assert readings(report, "comparison.degradation", "qwk") == {"not comparable: different raters"}
    for key, metric in (("true_score", "prmse"), ("raters", "qwk"), ("disattenuated", "disattenuated_r")):
        assert readings(report, f"comparison.{key}", metric) <= {"higher", "lower", "not distinguishable"}
    assert {each.statistic.split(".")[0] for each in report.evaluation.checks} == {"system"}
    assert not any(section.error for section in report.sections)


@pytest.mark.slow
def test_equal_engines_are_never_better(compared: Any) -> None:
    for column in ("human_1", "human_2"):
        new = other(column, 40).assign(system=frame()["system"])
        report = compared(frame(), new)
        assert " better " not in first_page(report)
        assert " worse " not in first_page(report)


@pytest.mark.slow
@pytest.mark.parametrize("column", ["human_1", "human_2"])
def test_few_responses_that_were_rated_otherwise_are_left_out(column: str, compared: Any) -> None:
    report = compared(frame(), other(column, 4))
    assert DIFFER.format(4, "These responses are excluded.") in first_page(report)
    assert report.evaluation.estimates["change2.system.qwk"].n == 196
    assert report.evaluation.estimates["change2.true_score.prmse"].value is not None


@pytest.mark.slow
def test_the_order_of_further_raters_is_no_difference(compared: Any) -> None:
    old, rng = frame(), np.random.default_rng(3)
    old["human_3"] = np.clip(old["human_2"] + rng.integers(-1, 2, N), 1, 6)
    new = old.assign(human_2=old["human_3"], human_3=old["human_2"])
    report = compared(old, new)
    assert "ratings of old and new differ" not in first_page(report)
    assert report.evaluation.facts["pairs"][0].get("ratings_differ") is None


@pytest.mark.slow
def test_rating_in_one_run_only_is_different(compared: Any) -> None:
    report = compared(frame(), frame().assign(human_2=np.repeat([np.nan, 3.0], N // 2)))
    assert "differ on " in first_page(report)
    assert readings(report, "comparison.true_score", "prmse") <= {"higher", "lower", "not distinguishable"}
