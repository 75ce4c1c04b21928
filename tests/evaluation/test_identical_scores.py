"""Rounding error of an engine that equals its raters counts as 0, and scales may have decimal points."""

import numpy as np
import oracles
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from oracles import kappa
from simulated import evaluation_of, framed, simulated

import reportgen
from reportgen.results import Evaluation, Report
from reportgen.results.term import Term
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


Scores = NDArray[np.float64]


def made(low: float, high: float, step: float) -> tuple[Evaluation, Scores, Scores, Scores]:
    """Return the evaluation of simulated scores, both ratings, and the engine scores."""
    rng = np.random.default_rng(3)
    true = rng.normal((low + high) / 2, (high - low) / 5, 500)

    def rated(error: float) -> Scores:
        return np.asarray(np.clip(low + step * np.rint((true + rng.normal(0, error, 500) - low) / step), low, high))

    first, second, engine = rated(0.8 * step), rated(0.8 * step), true + rng.normal(0, 0.6 * step, 500)
    table = pa.table({"id": [str(i) for i in range(500)], "h1": first, "h2": second, "engine": engine})
    report = reportgen.evaluate(
        table, human=["h1", "h2"], system="engine", groups=[], scale=f"{low:g}:{high:g}:{step:g}"
    )
    return report.evaluation, first, second, engine


def value(evaluation: Evaluation, key: str) -> float:
    return oracles.value(evaluation.estimates[key])


@pytest.mark.parametrize(("low", "high", "step"), [(1, 5, 0.5), (0.5, 6.5, 1), (0, 40, 5), (0, 1, 0.25), (1, 6, 1)])
def test_agreement_uses_points_of_scale(low: float, high: float, step: float) -> None:
    found, first, second, engine = made(low, high, step)
    trimmed = np.clip(engine, low - 0.4998 * step, high + 0.4998 * step)
    on_points = np.clip(low + step * np.rint((trimmed - low) / step), low, high)
    assert value(found, "system.kappa") == pytest.approx(kappa(first, on_points), abs=1e-12)
    assert value(found, "human.kappa") == pytest.approx(kappa(first, second), abs=1e-12)
    for family, other in (("system", on_points), ("human", second)):
        apart = np.abs(first - other)
        assert value(found, f"{family}.exact_agreement") == pytest.approx(100 * np.mean(apart == 0))
        assert value(found, f"{family}.adjacent_agreement") == pytest.approx(100 * np.mean(apart < 1.5 * step))
    for key, power in (("kappa", None), ("kappa_linear", 1.0), ("kappa_quadratic", 2.0)):
        assert value(found, f"panel.{key}") == pytest.approx(kappa(first, on_points, power), abs=1e-12)
        assert value(found, f"panel.human.{key}") == pytest.approx(kappa(first, second, power), abs=1e-12)
    assert value(found, "panel.exact_agreement") == pytest.approx(100 * np.mean(first == on_points))
    notes = () if step == 1 else (Term("points_apart", step=float(step), whole=False),)
    for key in ("system_human.agreement", "human_human.agreement", "human_human.degradation"):
        assert found.tables[key].notes == notes


@pytest.mark.parametrize("step", [0.1, 0.5, 10.0])
def test_estimates_do_not_depend_on_step(step: float) -> None:
    one, other = scaled(1.0), scaled(step)
    free = [key for key, estimate in one.estimates.items() if estimate.kind in ("coefficient", "difference", "percent")]
    assert len(free) > 60
    on_scale = {"raters.mean_difference", "levels.mean_error", "levels.true_sd"}
    for key in free:
        if key in on_scale:
            continue
        mine, theirs = one.estimates[key], other.estimates[key]
        for part in ("value", "low", "high", "n"):
            assert getattr(theirs, part) == pytest.approx(getattr(mine, part), rel=1e-7, abs=1e-9), (key, part)
    assert [check.outcome for check in one.checks] == [check.outcome for check in other.checks]


def scaled(step: float) -> Evaluation:
    """Return the evaluation of scores on a scale of five points with this step."""
    scores = simulated(400, 8, mean=3, twice=0.6, ends=(1, 5))
    frame = (step * framed(scores).round(3)).assign(
        id=[str(i) for i in range(400)], sex=scores.rng.choice(["f", "m"], 400)
    )
    scale = f"{step:g}:{5 * step:g}:{step:g}"
    return reportgen.evaluate(frame, human=["h1", "h2"], system="engine", groups=["sex"], scale=scale).evaluation
