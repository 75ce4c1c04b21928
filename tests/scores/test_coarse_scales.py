"""Scores are on the points of a scale whose step they share: times any factor, no agreement changes."""

from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated import evaluation_of, framed, simulated

import reportgen
from reportgen.metrics import krippendorff_alpha
from reportgen.results import Evaluation
from reportgen.scores.scale import Span, score_scale


def scores(times: float, engine_step: float = 0.0) -> pd.DataFrame:
    frame = framed(simulated(300, 9, sd=1.2))
    if engine_step:
        frame["engine"] = np.rint(frame["engine"] / engine_step) * engine_step
    return (times * frame).assign(group=["a", "b", "c"] * 100)


@cache
def evaluated(times: float, engine_step: float = 0.0, **declared: Any) -> Evaluation:
    frame = scores(times, engine_step)
    return evaluation_of(frame, system="engine", groups=["group"], **declared)


def same_agreement(one: Evaluation, many: Evaluation) -> int:
    """Compare whatever has no unit of the scale; return how many estimates."""
    compared = 0
    for key, each in one.estimates.items():
        other = many.estimates[key]
        if each.kind in ("percent", "coefficient", "difference") and not key.startswith(("raters.mean", "levels.true")):
            assert other.value == pytest.approx(each.value, rel=1e-6, abs=1e-6), key
            compared += 1
    return compared


@pytest.mark.parametrize("times", [0.1, 0.25, 1 / 3, 3, 10, 25])
def test_all_scores_times_ten_change_no_agreement(times: float) -> None:
    whole, many = evaluated(1), evaluated(times)
    assert many.scale.step == pytest.approx(times)
    assert many.scale.assumed
    assert same_agreement(whole, many) > 50
    assert (whole.facts["level_unit"], many.facts["level_unit"]) == ("point", "step")
    for key in ("system_human.agreement", "human_human.agreement", "by_group.group", "human_human.by.group"):
        for row, twin in zip(whole.tables[key].rows, many.tables[key].rows, strict=True):
            for name in ("exact_agreement", "adjacent_agreement"):
                place = [column.key for column in whole.tables[key].columns]
                if name in place:
                    assert value(twin.cells[place.index(name)]) == value(row.cells[place.index(name)]), (key, name)


def value(cell: Any) -> Any:
    found = getattr(cell, "value", cell)
    return pytest.approx(found, abs=1e-9) if isinstance(found, float) else found


@pytest.mark.parametrize("times", [0.1, 0.25, 3])
def test_an_engine_between_points_is_rounded_the_same_on_every_scale(times: float) -> None:
    """Half points on a whole scale: halfway, the even point is nearest, whatever the last digits of a product."""
    declared = {"scale": f"{times:.15g}:{6 * times:.15g}:{times:.15g}"}
    assert same_agreement(evaluated(1, 0.5, scale="1:6"), evaluated(times, 0.5, **declared)) > 50


def agreement(path: Path, key: str = "system_human.agreement") -> list[list[Any]]:
    table = evaluation_of(path).tables[key]
    place = [column.key for column in table.columns]
    wanted = [place.index(name) for name in ("exact_agreement", "adjacent_agreement")]
    return [[getattr(row.cells[each], "value", row.cells[each]) for each in wanted] for row in table.rows]


@pytest.mark.parametrize("step", [0.5, 0.25, 10])
def test_adjacent_scores_are_a_step_apart_in_every_form(tmp_path: Path, step: float) -> None:
    rng = np.random.default_rng(4)
    human = rng.integers(2, 11, 200)
    engine = np.clip(human + rng.integers(-3, 4, 200), 2, 10)
    pd.DataFrame({"human": step * human, "system": step * engine}).to_csv(tmp_path / "scores.csv", index=False)
    gap = np.abs(human - engine)
    expected = [100 * float((gap == 0).mean()), 100 * float((gap <= 1).mean())]
    found = agreement(tmp_path / "scores.csv")
    assert len(found) == 3  # as given, trimmed, rounded
    assert all(row == pytest.approx(expected) for row in found)


def test_a_step_other_than_one_is_shown(tmp_path: Path) -> None:
    frame = scores(0.5, 1)
    frame.to_csv(tmp_path / "scores.csv", index=False)
    sections = ["summary", "system_human_agreement"]
    reportgen.evaluate(
        tmp_path / "scores.csv", tmp_path / "report", system="engine", sections=sections, formats=["html"]
    )
    page = (tmp_path / "report" / "report.html").read_text()
    assert "Points of the scale are 0.5 apart, and so are adjacent scores" in page
    assert "0.5 apart" in page
    assert "one point apart" not in page


def test_tenths_as_multiplication_writes_them_are_points(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    human = rng.integers(1, 7, 150)
    engine = np.clip(human + rng.integers(-1, 2, 150), 1, 6)
    frame = pd.DataFrame({"human": human * 0.1, "system": np.float32(engine * 0.1)})
    assert 0.30000000000000004 in frame["human"].to_numpy()
    frame.to_csv(tmp_path / "scores.csv", index=False)
    choices: tuple[dict[str, Any], ...] = ({}, {"scale": "0.1:0.6:0.1"})
    for declared in choices:
        made = evaluation_of(tmp_path / "scores.csv", **declared)
        assert (made.scale.low, made.scale.high, made.scale.step) == (0.1, 0.6, 0.1)
        assert made.estimates["system.exact_agreement"].value == pytest.approx(100 * (human == engine).mean())
        assert "between the points" not in str(made.facts.get("warnings"))


@pytest.mark.parametrize(
    ("human", "scale"),
    [
        ([0, 0.25, 0.5, 0.75, 1], (0, 1, 0.25)),
        ([k * 0.1 for k in range(1, 58)], (0.1, 5.7, 0.1)),
        ([1, 4 / 3, 5 / 3, 2, 3], (1, 3, 1 / 3)),
        ([3, 6, 9, 12, 18], (3, 18, 3)),
        ([2.5, 5, 7.5, 12.5], (2.5, 12.5, 2.5)),
        ([0.37, 0.37], (0.37, 0.37, 0)),  # one number does not show a step
        ([0.37, 0.74], (0, 1, 0)),  # rates
        (list(range(101)), (0, 100, 1)),
    ],
)
def test_the_step_is_shared_by_human_scores(human: list[float], scale: tuple[float, float, float]) -> None:
    found = score_scale(None, np.array([human], float))
    assert (found.low, found.high, found.step) == pytest.approx(scale)


@given(st.integers(0, 10_000), st.sampled_from([20, 300, 3000]), st.sampled_from([(1, 6), (0, 1), (0, 100)]))
@settings(deadline=None)
def test_measurements_with_two_decimals_are_continuous(seed: int, n: int, ends: tuple[float, float]) -> None:
    low, high = ends
    human = np.round(low + (high - low) * np.random.default_rng(seed).beta(4, 3, n), 2)
    assert score_scale(None, human[:, None]).step == 0


@given(st.integers(0, 10_000), st.sampled_from([0.1, 0.125, 0.2, 0.25, 1 / 3, 0.5, 1]), st.integers(4, 10))
@settings(deadline=None)
def test_points_are_found_from_any_batches(seed: int, step: float, points: int) -> None:
    rng = np.random.default_rng(seed)
    human = step * np.concatenate([np.arange(points), rng.integers(0, points, 200)])
    assert score_scale(None, human[:, None]).step == pytest.approx(step)
    cut = rng.integers(1, 200)
    assert Span.of(human[:cut]) + Span.of(human[cut:]) == Span.of(human)


def test_continuous_scores_have_an_interval_alpha() -> None:
    rng = np.random.default_rng(6)
    true = rng.normal(3, 1, 100)
    human, engine = true[:, None] + rng.normal(0, 0.5, (100, 3)), true + rng.normal(0, 0.4, 100)
    frame = pd.DataFrame({f"human{rater + 1}": human[:, rater] for rater in range(3)})
    made = evaluation_of(frame.assign(system=engine))
    trimmed = np.clip(engine, human.min(), human.max())
    both = np.column_stack([human[:, 0], trimmed])
    assert made.scale.step == 0
    assert made.estimates["panel.alpha_interval"].value == pytest.approx(
        krippendorff_alpha(both, level="interval").value
    )
    everyone = krippendorff_alpha(human, level="interval").value
    assert made.estimates["panel.raters.alpha_interval"].value == pytest.approx(everyone)
    alone = evaluation_of(frame, ratings_only=True).estimates["raters.alpha_interval"]
    assert alone.value == pytest.approx(everyone)
    assert everyone is not None
    assert alone.low is not None
    assert alone.high is not None
    assert alone.low < everyone < alone.high
    assert made.estimates["panel.kappa"].value is None


@pytest.mark.parametrize(
    ("human", "engine", "step"),
    [
        ([10, 20, 40], [12.5, 33.0], 10.0),
        ([10, 20, 40], [10.0, 50.0], 10.0),  # the engine gives the same points, and one more
        ([10, 20, 40], [10.0, 33.0], 1.0),  # the engine gives points between
        ([0, 5, 100], [12.5, 33.0], 5.0),
        ([10, 20], [12.5, 18.0], 1.0),  # two points do not show a step
        ([2, 4, 6], [2.5, 4.4], 1.0),  # so can chance
        ([10, 20, 25.5], [12.5, 33.0], 0.5),
        ([1e17, 2e17, 3e17], [1e17], 0.0),
    ],
)
def test_the_step_that_scores_share(human: list[float], engine: list[float], step: float) -> None:
    assert score_scale(None, np.array([human]), engine=Span.of(np.array(engine))).step == step


def test_spans_of_two_tables_share_their_divisor() -> None:
    one, two = Span.of(np.array([10.0, 20.0])), Span.of(np.array([15.0]))
    assert (one.common, (one + two).common, (one + Span()).common) == tuple(map(Fraction, (10, 5, 10)))
    assert (one + Span.of(np.array([0.5]))).common == 0.5
    assert (one + Span.of(np.array([0.5, 2**0.5]))).common is None
