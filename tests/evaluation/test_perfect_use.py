"""How often an engine without error would use each point: beside true scores that are known."""

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.evaluation.true_scores import ROUNDING, drawn_together
from reportgen.results import Evaluation


def evaluated(true: np.ndarray, error: float, seed: int) -> Evaluation:
    rng = np.random.default_rng(seed)
    human = np.clip(np.rint(true[:, None] + rng.normal(0, error, (len(true), 2))), 1, 6)
    frame = pd.DataFrame({"h1": human[:, 0], "h2": human[:, 1], "engine": true})
    return reportgen.evaluate(frame, system="engine", scale="1:6", sections=[]).evaluation


def columns(found: Evaluation) -> dict[str, np.ndarray]:
    table = found.tables["distribution"]
    keys = [column.key for column in table.columns]
    return {key: np.array([row.cells[keys.index(key)] for row in table.rows], float)
            for key in ("human_percent", "perfect_percent", "perfect_low", "perfect_high")}  # fmt: skip


@pytest.mark.parametrize("mean", [3.5, 4.5])
@pytest.mark.parametrize("error", [0.5, 0.9])
def test_the_use_of_the_ends_is_that_of_true_scores(mean: float, error: float) -> None:
    true = np.random.default_rng(1).normal(mean, 1.1, 40_000)
    found = columns(evaluated(true, error, 2))
    actual = 100 * np.bincount(np.clip(np.rint(true), 1, 6).astype(int) - 1, minlength=6) / len(true)
    ends = [0, -1]
    assert found["perfect_percent"][ends] == pytest.approx(actual[ends], abs=2.5)
    assert found["perfect_percent"] == pytest.approx(actual, abs=4.0)
    assert (found["perfect_percent"][ends] < found["human_percent"][ends]).all()
    assert (found["perfect_low"] <= found["perfect_percent"]).all()
    assert (found["perfect_percent"] <= found["perfect_high"]).all()
    assert found["perfect_percent"].sum() == pytest.approx(100)


def test_shares_keep_their_mean_and_have_the_variance_asked_for() -> None:
    shares = np.array([0.0, 0.05, 0.2, 0.4, 0.2, 0.15, 0.0])
    at = np.arange(7)
    mean = shares @ at
    made = drawn_together(shares, 0.6)
    assert made @ at == pytest.approx(mean, abs=0.02)
    assert made @ (at - made @ at) ** 2 == pytest.approx(0.6 + 2 * ROUNDING, abs=0.1)
    assert drawn_together(shares, float(shares @ (at - mean) ** 2)) == pytest.approx(shares)


def test_without_a_second_rating_it_is_not_known() -> None:
    true = np.random.default_rng(1).normal(3.5, 1.0, 200)
    frame = pd.DataFrame({"h1": np.clip(np.rint(true), 1, 6), "engine": true})
    found = reportgen.evaluate(frame, system="engine", scale="1:6", sections=[]).evaluation
    assert np.isnan(columns(found)["perfect_percent"]).all()
