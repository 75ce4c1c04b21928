"""The scale is read off all ratings and the engine; trimming follows its step; other units say the same."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated import evaluation_of, simulated

from reportgen.results import Evaluation
from reportgen.scores import read, read_systems
from reportgen.settings import from_keywords


def table(**columns: Any) -> Any:
    return pa.table({name: list(values) for name, values in columns.items()})


@pytest.mark.parametrize(
    ("human", "second", "engine", "expected"),
    [
        ([2, 3, 4], [1, 3, 5], [2.2, 3.1, 4.4], (1, 5, 1)),
        ([2, 3, 4], [2, 3, 5], [1, 3, 6], (1, 6, 1)),
        ([2, 3, 4], [2, 3, 5], [-1, 3, 4], (2, 5, 1)),  # -1 is not a score if raters begin above 0
        ([2, 3, 4], [2, 3, 5], [2, 3, 99], (2, 5, 1)),  # another scale
        ([2, 3, 4], [2, 3, 5], [1, 3, 5.5], (2, 5, 1)),  # not the same points
        ([2, 3.5, 4], [2, 3, 5], [1, 3, 5.5], (1, 5.5, 0.5)),
        ([-2, 0, 1], [0, 1, 2], [-3, 0, 2], (-3, 2, 1)),
        ([3, 3, 3], [3, 3, 3], [1, 2, 5], (1, 5, 1)),
    ],
)
def test_a_scale_is_inferred_from_all_ratings_and_an_engine_on_its_points(
    human: list[float], second: list[float], engine: list[float], expected: tuple[float, float, float]
) -> None:
    for order in ([0, 1, 2], [2, 0, 1]):
        rows = [[column[place] for place in order] for column in (human, second, engine)]
        scale = read(table(human1=rows[0], human2=rows[1], system=rows[2])).scale
        assert (scale.low, scale.high, scale.step, scale.assumed) == (*expected, True)


def test_systems_of_one_file_share_a_scale() -> None:
    found = read_systems(table(human=[2, 3, 4, 5], model=[1, 3, 4, 5], judge=[2, 3, 4, 6]), from_keywords())
    assert {(each.scale.low, each.scale.high, each.trim_min, each.trim_max) for each in found} == {(1, 6, 1, 6)}


@pytest.mark.parametrize(
    ("scale", "tolerance"), [("1:6", 0.4998), ("1:6:0.5", 0.2499), ("10:60:10", 4.998), ("1:6:0", 0)]
)
def test_trimming_goes_beyond_the_ends_by_a_share_of_the_step(scale: str, tolerance: float) -> None:
    human = [10, 20, 60] if scale.startswith("10") else [1, 2, 6]
    found = read(table(human=human, system=[1.1, 2.1, 3.1]), from_keywords(scale=scale))
    assert found.trim_tolerance == pytest.approx(tolerance)


def evaluated(human: np.ndarray[Any, Any], engine: np.ndarray[Any, Any], scale: str) -> Evaluation:
    columns = table(human1=human[:, 0], human2=human[:, 1], system=engine, group=["a", "b"] * (len(engine) // 2))
    return evaluation_of(columns, scale=scale, groups=["group"], seed=1)


FREE = ("qwk", "r", "smd", "prmse", "r_squared")


@pytest.mark.slow
@given(st.integers(0, 1000), st.sampled_from([2.0, 10.0, 0.5]))
@settings(max_examples=5, deadline=None)
def test_multiplying_all_scores_and_the_scale_changes_no_number_that_is_not_on_it(seed: int, factor: float) -> None:
    _, human, engine, _ = simulated(80, seed, sd=1.2, noise=0.9)
    one = evaluated(human, engine, "1:6")
    other = evaluated(human * factor, engine * factor, f"{factor:g}:{6 * factor:g}:{factor:g}")
    assert one.facts["scores_trimmed"] == other.facts["scores_trimmed"]
    compared = 0
    for key, estimate in one.estimates.items():
        if key.partition(".")[2] in FREE:
            again = other.estimates[key]
            assert estimate.value == pytest.approx(again.value, rel=1e-9, abs=1e-12), key
            # two points stand for several responses of a cell, and cells are cut at whole scores too
            for a, b in ((estimate.low, again.low), (estimate.high, again.high)):
                assert a == pytest.approx(b, rel=2e-3, abs=1e-12), key
            compared += 1
    assert compared >= 6
    for check, twin in zip(one.checks, other.checks, strict=True):
        if check.statistic.partition(".")[2] in (*FREE, "dsm"):
            assert check.outcome == twin.outcome
