"""Scores in fives or tens lie on the points of such a scale: times ten, no agreement changes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.results import Evaluation
from reportgen.scores.scale import Span, score_scale

SCORES = ("system.h_mean", "system.system_mean", "system.h_sd", "system.system_sd", "system.rmse", "system.mae")


def evaluated(times: float) -> Evaluation:
    rng = np.random.default_rng(9)
    true = rng.normal(3.5, 1.2, 300)
    human = np.clip(np.rint(true[:, None] + rng.normal(0, 0.6, (300, 2))), 1, 6)
    engine = true + rng.normal(0, 0.5, 300)
    frame = pd.DataFrame({"h1": times * human[:, 0], "h2": times * human[:, 1], "engine": times * engine})
    return reportgen.evaluate(frame, system="engine", sections=[]).evaluation


@pytest.mark.parametrize("times", [5, 10, 25])
def test_all_scores_times_ten_change_no_agreement(times: int) -> None:
    one, many = evaluated(1), evaluated(times)
    assert many.scale.step == times
    assert many.scale.assumed
    changed = 0
    for key, each in one.estimates.items():
        other = many.estimates[key]
        if each.kind in ("percent", "coefficient", "difference") and not key.startswith(("raters.mean", "levels.true")):
            assert other.value == pytest.approx(each.value, rel=1e-6, abs=1e-6), key
            changed += 1
    assert changed > 50
    assert (one.facts["level_unit"], many.facts["level_unit"]) == ("point", "step")


@pytest.mark.parametrize(
    ("human", "engine", "step"),
    [
        ([10, 20, 40], [12.5, 33.0], 10.0),
        ([10, 20, 40], [10.0, 50.0], 10.0),  # the engine gives the same points, and one more
        ([10, 20, 40], [10.0, 33.0], 1.0),  # the engine gives points between
        ([0, 5, 100], [12.5, 33.0], 5.0),
        ([10, 20], [12.5, 18.0], 1.0),  # two points alone tell no step
        ([2, 4, 6], [2.5, 4.4], 1.0),  # so may they by chance
        ([10, 20, 25.5], [12.5, 33.0], 0.5),
        ([1e17, 2e17, 3e17], [1e17], 0.0),
    ],
)
def test_the_step_that_scores_share(human: list[float], engine: list[float], step: float) -> None:
    assert score_scale(None, np.array([human]), engine=Span.of(np.array(engine))).step == step


def test_spans_of_two_tables_share_their_divisor() -> None:
    one, two = Span.of(np.array([10.0, 20.0])), Span.of(np.array([15.0]))
    assert (one.common, (one + two).common, (one + Span()).common) == (10, 5, 10)
    assert (one + Span.of(np.array([0.5]))).common == 0.5
    assert (one + Span.of(np.array([0.5, 2**0.5]))).common is None
