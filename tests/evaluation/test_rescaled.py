"""The engine before and after rescaling, compared with rescaled rows."""

import numpy as np
import pytest
from numpy.typing import NDArray
from plans import tallied
from simulated import simulated

from reportgen import metrics
from reportgen.evaluation.rescaled import Rescaled, human_ends, rescalings
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.evaluation.true_scores import true_score_estimates
from reportgen.results import Scale

Floats = NDArray[np.float64]


def sample(scale: float, n: int = 900, *, whole: bool = False) -> tuple[Floats, Floats]:
    _, human, engine, _ = simulated(n, 12)
    system = np.clip(3.5 + scale * (engine - 3.5), 0.5002, 6.4998)
    return (np.clip(np.rint(system), 1, 6) if whole else system), human


def found_of(data: TalliedScores) -> dict[str, Rescaled]:
    return {each.key: each for each in rescalings(data, true_score_estimates(data))}


@pytest.mark.parametrize("scale", [0.6, 1.0, 1.5])
@pytest.mark.parametrize("whole", [False, True])
def test_rescaled_statistics_match_rows(scale: float, whole: bool) -> None:
    system, human = sample(scale, whole=whole)
    for each in found_of(tallied(system, human)).values():
        moved = each.intercept + each.slope * system
        rounded = np.clip(np.rint(moved), 1, 6)
        assert each.prmse == pytest.approx(metrics.prmse(moved, human).prmse, rel=1e-9)
        assert each.qwk == pytest.approx(metrics.quadratic_weighted_kappa(human[:, 0], moved, ddof=0), rel=1e-9)
        assert each.sd == pytest.approx(moved.std(ddof=1), rel=1e-9)
        exact = whole or each.key == "as_it_is"
        qwk = metrics.quadratic_weighted_kappa(human[:, 0], rounded, ddof=0)
        assert each.rounded_qwk == pytest.approx(qwk, abs=1e-9 if exact else 0.012)
        ends = 100 * np.isin(rounded, (1, 6)).mean()
        assert each.ends == pytest.approx(ends, abs=1e-9 if exact else 1.0)


def test_rescalings_have_best_prmse_or_human_moments() -> None:
    system, human = sample(1.5)
    found = found_of(tallied(system, human))
    assert max(found.values(), key=lambda each: each.prmse).key == "to_true_scores"
    matched = found["to_raters"]
    assert matched.sd == pytest.approx(human[:, 0].std(ddof=1))
    assert matched.intercept + matched.slope * system.mean() == pytest.approx(human[:, 0].mean())
    assert matched.qwk > found["to_true_scores"].qwk


def test_rescaled_continuous_scale_has_no_rounded_scores() -> None:
    system, human = sample(1.2)
    data = tallied(system, human, scale=Scale(1, 6, 0, False))
    assert all(each.rounded_qwk is None and each.ends is None for each in found_of(data).values())
    assert human_ends(data) is None


def test_rescalings_require_true_variance() -> None:
    rng = np.random.default_rng(2)
    data = tallied(rng.normal(3.5, 1, 200), rng.integers(1, 7, (200, 2)).astype(float))
    assert rescalings(data, true_score_estimates(data)) == ()
