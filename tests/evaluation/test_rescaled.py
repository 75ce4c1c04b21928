"""PRMSE, its components, and engines in units of ratings, before and after rescaling, compared with rows."""

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles import ends, jackknife_error, quadratic_kappa
from plans import tallied
from simulated import simulated

from reportgen import metrics
from reportgen.evaluation import true_scores
from reportgen.evaluation.stand_ins import exchangeability, exchanges
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.results import Estimate, Scale

Floats = NDArray[np.float64]


def sample(scale: float, n: int = 900, *, whole: bool = False) -> tuple[Floats, Floats]:
    _, human, engine, _ = simulated(n, 12)
    system = np.clip(3.5 + scale * (engine - 3.5), 0.5002, 6.4998)
    return (np.clip(np.rint(system), 1, 6) if whole else system), human


def found_of(data: TalliedScores) -> dict[str, true_scores.Rescaled]:
    return {each.key: each for each in true_scores.rescalings(data, true_scores.true_score_estimates(data))}


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
    assert true_scores.human_ends(data) is None


def test_rescalings_require_true_variance() -> None:
    rng = np.random.default_rng(2)
    data = tallied(rng.normal(3.5, 1, 200), rng.integers(1, 7, (200, 2)).astype(float))
    assert true_scores.rescalings(data, true_scores.true_score_estimates(data)) == ()


LOW, HIGH = 0.5002, 6.4998


def sample_twice(seed: int, n: int, raters: int = 2, double: float = 0.6) -> tuple[Floats, Floats]:
    """Return trimmed system scores and ratings, some of the second and later missing."""
    true, human, engine, _ = simulated(n, seed, raters, error=0.7, noise=0.45, twice=double)
    return np.clip(0.4 + 0.1 * true + engine, LOW, HIGH), human


def test_true_score_estimates_match_public_functions() -> None:
    system, human = sample_twice(1, 400)
    found = true_scores.true_score_estimates(tallied(system, human))
    parts, whole = metrics.prmse_components(system, human), metrics.prmse(system, human)
    expected = {
        "rho": parts.rho, "gamma": parts.gamma, "delta": parts.delta, "best_prmse": parts.rho**2,
        "scale_loss": parts.rho**2 * (1 - parts.gamma) ** 2, "bias_loss": parts.delta**2, "slope": parts.slope,
        "intercept": parts.intercept, "relative_error": whole.mse / whole.error_variance,
        "rating_equivalents": whole.error_variance / whole.mse,
        "human_reliability": whole.true_variance / (whole.true_variance + whole.error_variance),
        "prmse_of_ratings_2": 1 - whole.error_variance / 2 / whole.true_variance,
        "rounding_cost": whole.prmse - metrics.prmse(np.rint(system), human).prmse,
    }  # fmt: skip
    for name, value in expected.items():
        estimate = found[f"true_score.{name}"]
        assert estimate.value == pytest.approx(value, rel=1e-9), name
        low, high = ends(estimate)
        assert low <= value <= high, name
    reached = parts.rho**2 - expected["scale_loss"] - expected["bias_loss"]
    assert reached == pytest.approx(whole.prmse, abs=3 / 400)


def test_prmse_of_ratings_matches_simulation() -> None:
    """In a simulation, the mean of two further ratings has the predicted PRMSE."""
    rng = np.random.default_rng(3)
    true = rng.normal(0, 1, 10_000)
    ratings = true[:, None] + rng.normal(0, 0.8, (10_000, 4))
    foretold = true_scores.true_score_estimates(tallied(ratings[:, 2], ratings[:, :2]))[
        "true_score.prmse_of_ratings_2"
    ].value
    mean = ratings[:, 2:].mean(axis=1)
    assert 1 - ((mean - true) ** 2).mean() / true.var() == pytest.approx(foretold, abs=0.015)


@pytest.mark.parametrize("name", ["rho", "slope", "relative_error", "rounding_cost"])
def test_true_score_intervals_match_jackknife(name: str) -> None:
    system, human = sample_twice(4, 160)
    made = tallied(system, human)
    found = true_scores.rounding_cost(made, made.primary, made.primary_rounded) if name == "rounding_cost" else None
    found = found or true_scores.true_score_estimates(made)[f"true_score.{name}"]

    def again(rows: NDArray[np.bool_]) -> float:
        s, h = system[rows], human[rows]
        whole, parts = metrics.prmse(s, h), metrics.prmse_components(s, h)
        return {
            "rho": parts.rho, "slope": parts.slope, "relative_error": whole.mse / whole.error_variance,
            "rounding_cost": whole.prmse - metrics.prmse(np.rint(s), h).prmse,
        }[name]  # fmt: skip

    assert np.ptp(ends(found)) / 2 == pytest.approx(1.98 * jackknife_error(again, 160), rel=0.15)


def test_exchangeability_matches_rows_and_jackknife() -> None:
    system, human = sample_twice(5, 150)
    made = tallied(system, human)
    found = exchangeability(made, made.primary)
    both = ~np.isnan(human[:, 1])
    s, x, y = system[both], human[both, 0], human[both, 1]

    def differences(rows: NDArray[np.bool_]) -> dict[str, float]:
        result = {}
        for key, of in (("r", lambda a, b: float(np.corrcoef(a, b)[0, 1])), ("qwk", quadratic_kappa)):
            first, second = of(x[rows], s[rows]), of(y[rows], s[rows])
            result[key] = (first + second) / 2 - of(x[rows], y[rows])
            result[f"rater_gap_{key}"] = second - first
        return result

    errors = jackknife_error(lambda rows: [*differences(rows).values()], int(both.sum()))
    for (key, value), error in zip(differences(np.ones(both.sum(), bool)).items(), errors, strict=True):
        estimate = found[f"exchangeability.{key}"]
        assert estimate.value == pytest.approx(value, rel=1e-9), key
        assert estimate.n == both.sum()
        assert estimate.standard_error == pytest.approx(error, rel=0.1), key
    three = tallied(*sample_twice(6, 300, raters=3))
    pairs = exchanges(three, three.primary)
    assert list(pairs) == ["h1, h2", "h1, h3", "h2, h3"]
    mean = np.mean([each["r"]["exchange"].value or np.nan for each in pairs.values()])
    assert exchangeability(three, three.primary)["exchangeability.r"].value == pytest.approx(mean, rel=1e-9)


def test_exchangeability_takes_candidates_as_units() -> None:
    system, human = sample_twice(7, 400)
    alone, clustered = (tallied(system, human), tallied(system, human, candidates=np.repeat(np.arange(200), 2)))
    one, other = (exchangeability(each, each.primary)["exchangeability.r"] for each in (alone, clustered))
    assert one.value == pytest.approx(other.value)
    assert other.method.endswith("clusters")
    assert one.standard_error != pytest.approx(other.standard_error, rel=1e-6)


def test_rating_equivalents_of_few_double_scores_have_no_interval() -> None:
    system, human = sample_twice(8, 200)
    human[8:, 1] = np.nan
    found = true_scores.true_score_estimates(tallied(system, human))["true_score.rating_equivalents"]
    assert found.low is None
    assert found.reason or found.interval_reason


def test_rating_equivalents_with_open_end_report_known_end() -> None:
    rng = np.random.default_rng(12)
    true = rng.normal(3.5, 1, 400)
    human = true[:, None] + rng.normal(0, 1, (400, 2))
    human[120:, 1] = np.nan
    found = true_scores.true_score_estimates(tallied(true + rng.normal(0, 0.5, 400), human))
    worth, relative = (found[f"true_score.{name}"] for name in ("rating_equivalents", "relative_error"))
    assert worth.low is None
    low, high = ends(relative)
    assert low < 0 < high
    assert worth.interval_reason.startswith(f"at least {1 / high:.2f}")


UNITS = ("relative_error", "rating_equivalents")


@pytest.mark.parametrize("scored_twice", [300, 20])
def test_rating_equivalents_of_constant_rater_are_undefined(scored_twice: int) -> None:
    """The ratio of variances is defined, but a constant rating is not a unit."""
    system, human = sample_twice(11, 300)
    human[:, 1] = np.where(np.arange(300) < scored_twice, 3.0, np.nan)
    found = true_scores.true_score_estimates(tallied(system, human))
    for name in UNITS:
        each = found[f"true_score.{name}"]
        assert each.value is None
        assert "are equal" in each.reason or "estimated as 0" in each.reason
    known = true_scores.true_score_estimates(tallied(system, human, rater_error_variance=0.5))
    assert (known["true_score.rating_equivalents"].value is not None) == (known["true_score.rho"].value is not None)


def test_estimates_without_true_variance_are_undefined() -> None:
    rng = np.random.default_rng(13)
    human = rng.integers(1, 7, 300)[:, None].astype(float)
    opposed = np.hstack([human, 7 - human])
    found = true_scores.true_score_estimates(tallied(rng.uniform(1, 6, 300), opposed))
    for name in (*UNITS, "gamma", "rounding_cost", "rho"):
        assert found[f"true_score.{name}"].value is None
        assert "estimated as 0 or less" in found[f"true_score.{name}"].reason
    assert found["true_score.slope"].value is not None


def test_true_score_results_of_one_rater_are_empty() -> None:
    system, human = sample_twice(9, 50)
    assert true_scores.true_score_results(tallied(system, human[:, :1]), {}) == ([], {})


def test_true_score_results_with_given_error_variance() -> None:
    system, human = sample_twice(10, 200)
    made = tallied(system, human[:, :1], rater_error_variance=0.5)
    keys = [f"true_score.{name}" for name in ("prmse", "true_variance", "error_variance")]
    overall = {key: made.estimates(made.primary).estimate(key) for key in keys}
    tables, found = true_scores.true_score_results(made, overall)
    assert [table.key for table in tables] == ["true_score.parts", "true_score.rescaling", "human_equivalence.ratings"]
    expected = metrics.prmse_components(system, human[:, :1], error_variance=0.5)
    rho = found["true_score.rho"]
    assert isinstance(rho, Estimate)
    assert rho.value == pytest.approx(expected.rho)
    assert rho.n == 200
