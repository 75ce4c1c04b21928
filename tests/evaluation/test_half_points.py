"""Agreement on scales with decimal points, compared with plain numpy."""

import numpy as np
import oracles
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from oracles import kappa
from simulated import framed, simulated

import reportgen
from reportgen.results import Evaluation
from reportgen.results.term import Term

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
