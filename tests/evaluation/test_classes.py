"""Intervals use classes as units, and reports warn if classes are ignored."""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from simulated import evaluation_of

from reportgen.errors import SettingsError


def classes(seed: int, spread: float, name: str = "class") -> pd.DataFrame:
    """Return responses of 20 students per class, two each. Engine errors in a class are similar by `spread`."""
    rng = np.random.default_rng(seed)
    n, room = 1200, np.repeat(np.arange(30), 40)
    truth = rng.normal(3.5, 1, n)
    engine = truth + rng.normal(0, spread, 30)[room] + rng.normal(0, 0.5, n)
    human = [np.clip(np.rint(truth + rng.normal(0, 0.6, n)), 1, 6) for _ in range(2)]
    return pd.DataFrame(
        {"student": [f"s{each}" for each in np.arange(n) // 2], name: [f"room {each}" for each in room],
         "human1": human[0], "human2": human[1], "engine": np.clip(engine, 0.5, 6.5).round(3)}
    )  # fmt: skip


evaluated = partial(evaluation_of, scale="1:6")


def test_intervals_take_clusters_as_units() -> None:
    data = classes(1, 0.5)
    by_student, by_class = (evaluated(data, **each) for each in ({}, {"cluster": "class"}))
    by_name = evaluated(data.drop(columns="student").rename(columns={"class": "student"}))
    assert (by_class.facts["units"], by_class.facts["unit"], by_class.facts["design"]["unit"]) == (
        30,
        "cluster",
        "cluster",
    )
    assert by_student.facts["units"] == 600
    for key, estimate in by_class.estimates.items():
        assert estimate.value == pytest.approx(by_student.estimates[key].value, abs=1e-12), key
        assert estimate.low == pytest.approx(by_name.estimates[key].low, abs=1e-9), key
    narrow, wide = (each.estimates["system.smd"].standard_error or 0.0 for each in (by_student, by_class))
    assert wide > 2 * narrow


def test_ignored_classes_are_doubted_if_similar() -> None:
    def doubts(spread: float, **options: Any) -> list[str]:
        return [each.key for each in evaluated(classes(2, spread), groups=["class"], **options).facts["doubts"]]

    assert "doubt.clusters" in doubts(0.5)
    assert "doubt.clusters" not in doubts(0.0)
    assert "doubt.clusters" not in doubts(0.5, cluster="class")


def test_students_in_several_classes_raise() -> None:
    data = classes(3, 0.5)
    data.loc[0, "class"] = "room 29"
    with pytest.raises(SettingsError, match="1 of the test takers in 'student' has several values of 'class'"):
        evaluated(data, cluster="class")
    assert evaluated(data, cluster="class", candidate="").facts["units"] == 30


def test_double_scores_without_engine_are_counted() -> None:
    data = classes(4, 0.0).drop(columns=["class", "student"])
    data.loc[50:, "human2"] = np.nan
    data.loc[:40, "engine"] = np.nan
    row = evaluated(data).records("true_score.prmse")[0]
    assert (row["n"], row["n_single"], row["n_multiple"]) == (1159, 1150, 50)
