"""PRMSE taken apart, the engine in units of ratings, and raters beside the engine: from the rows themselves."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from plans import one_to_six

from reportgen import metrics
from reportgen.evaluation import tally_scores
from reportgen.evaluation.stand_ins import exchangeability, exchanges
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.evaluation.true_scores import rounding_cost, true_score_estimates, true_score_results
from reportgen.results import Estimate

Floats = NDArray[np.float64]
LOW, HIGH = 0.5002, 6.4998


def sample(seed: int, n: int, raters: int = 2, double: float = 0.6) -> tuple[Floats, Floats]:
    """Return trimmed system scores and ratings, some of the second and later missing."""
    rng = np.random.default_rng(seed)
    true = rng.normal(3.5, 1.0, n)
    human = np.clip(np.rint(true[:, None] + rng.normal(0, 0.7, (n, raters))), 1, 6)
    human[:, 1:][rng.random((n, raters - 1)) > double] = np.nan
    return np.clip(0.4 + 1.1 * true + rng.normal(0, 0.45, n), LOW, HIGH), human


def tallied(
    system: Floats,
    human: Floats,
    rater_error_variance: float | None = None,
    candidates: NDArray[np.integer] | None = None,
) -> TalliedScores:
    plan = one_to_six(human.shape[1], rater_error_variance=rater_error_variance)
    return tally_scores(system, human, {}, plan, candidates=candidates)


def jackknife(statistic: Callable[[NDArray[np.intp]], float], n: int) -> float:
    values = np.array([statistic(np.delete(np.arange(n), row)) for row in range(n)])
    return float(np.sqrt((n - 1) / n * ((values - values.mean()) ** 2).sum()))


def qwk(x: Floats, y: Floats) -> float:
    return float(2 * np.cov(x, y, ddof=0)[0, 1] / (x.var() + y.var() + (x.mean() - y.mean()) ** 2))


def test_the_parts_are_those_of_the_public_function() -> None:
    system, human = sample(1, 400)
    found = true_score_estimates(tallied(system, human))
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
        assert estimate.low is not None, name
        assert estimate.high is not None, name
        assert estimate.low <= value <= estimate.high, name
    reached = parts.rho**2 - expected["scale_loss"] - expected["bias_loss"]
    assert reached == pytest.approx(whole.prmse, abs=3 / 400)


def test_the_machine_in_raters_is_that_of_test_theory() -> None:
    """k* = ((1 - r) / r) / (1 - PRMSE), and a mean of k ratings reaches 1 - (1 - r) / (k r)."""
    system, human = sample(2, 300)
    found = true_score_estimates(tallied(system, human))
    r = found["true_score.human_reliability"].value or 0
    prmse = metrics.prmse(system, human).prmse
    assert found["true_score.rating_equivalents"].value == pytest.approx((1 - r) / r / (1 - prmse), rel=1e-9)
    for k in (1, 2, 3):
        assert found[f"true_score.prmse_of_ratings_{k}"].value == pytest.approx(1 - (1 - r) / (k * r), rel=1e-9)


def test_means_of_ratings_reach_what_is_said_of_them() -> None:
    """Simulated: the mean of two further ratings has the PRMSE that is foretold from two raters."""
    rng = np.random.default_rng(3)
    true = rng.normal(0, 1, 10_000)
    ratings = true[:, None] + rng.normal(0, 0.8, (10_000, 4))
    foretold = true_score_estimates(tallied(ratings[:, 2], ratings[:, :2]))["true_score.prmse_of_ratings_2"].value
    mean = ratings[:, 2:].mean(axis=1)
    assert 1 - ((mean - true) ** 2).mean() / true.var() == pytest.approx(foretold, abs=0.015)


@pytest.mark.parametrize("name", ["rho", "slope", "relative_error", "rounding_cost"])
def test_intervals_are_as_wide_as_the_jackknife_has_them(name: str) -> None:
    system, human = sample(4, 160)
    made = tallied(system, human)
    found = rounding_cost(made, made.primary, made.primary_rounded) if name == "rounding_cost" else None
    found = found or true_score_estimates(made)[f"true_score.{name}"]

    def again(rows: NDArray[np.intp]) -> float:
        s, h = system[rows], human[rows]
        whole, parts = metrics.prmse(s, h), metrics.prmse_components(s, h)
        return {
            "rho": parts.rho, "slope": parts.slope, "relative_error": whole.mse / whole.error_variance,
            "rounding_cost": whole.prmse - metrics.prmse(np.rint(s), h).prmse,
        }[name]  # fmt: skip

    assert found.low is not None
    assert found.high is not None
    assert (found.high - found.low) / 2 == pytest.approx(1.98 * jackknife(again, 160), rel=0.15)


def test_raters_and_engine_on_the_same_responses() -> None:
    system, human = sample(5, 150)
    made = tallied(system, human)
    found = exchangeability(made, made.primary)
    both = ~np.isnan(human[:, 1])
    s, x, y = system[both], human[both, 0], human[both, 1]

    def differences(rows: NDArray[np.intp]) -> dict[str, float]:
        result = {}
        for key, of in (("r", lambda a, b: float(np.corrcoef(a, b)[0, 1])), ("qwk", qwk)):
            first, second = of(x[rows], s[rows]), of(y[rows], s[rows])
            result[key] = (first + second) / 2 - of(x[rows], y[rows])
            result[f"rater_gap_{key}"] = second - first
        return result

    everyone = np.arange(both.sum())
    for key, value in differences(everyone).items():
        estimate = found[f"exchangeability.{key}"]
        assert estimate.value == pytest.approx(value, rel=1e-9), key
        assert estimate.n == both.sum()
        error = jackknife(lambda rows, key=key: differences(rows)[key], len(everyone))  # type: ignore[misc]
        assert estimate.standard_error == pytest.approx(error, rel=0.1), key


def test_three_raters_make_three_pairs_and_their_mean() -> None:
    system, human = sample(6, 300, raters=3)
    made = tallied(system, human)
    pairs = exchanges(made, made.primary)
    assert list(pairs) == ["h1, h2", "h1, h3", "h2, h3"]
    mean = np.mean([each["r"]["exchange"].value or np.nan for each in pairs.values()])
    assert exchangeability(made, made.primary)["exchangeability.r"].value == pytest.approx(mean, rel=1e-9)


def test_candidates_are_the_units_where_they_gave_several_responses() -> None:
    system, human = sample(7, 400)
    alone, clustered = (tallied(system, human), tallied(system, human, candidates=np.repeat(np.arange(200), 2)))
    one, other = (exchangeability(each, each.primary)["exchangeability.r"] for each in (alone, clustered))
    assert one.value == pytest.approx(other.value)
    assert other.method.endswith("clusters")
    assert one.standard_error != pytest.approx(other.standard_error, rel=1e-6)


def test_too_few_double_scores_leave_the_upper_end_open_and_say_so() -> None:
    system, human = sample(8, 200)
    human[8:, 1] = np.nan
    found = true_score_estimates(tallied(system, human))["true_score.rating_equivalents"]
    assert found.low is None
    assert found.reason or found.interval_reason


def test_an_open_end_names_the_end_that_is_known() -> None:
    rng = np.random.default_rng(12)
    true = rng.normal(3.5, 1, 400)
    human = true[:, None] + rng.normal(0, 1, (400, 2))
    human[120:, 1] = np.nan
    found = true_score_estimates(tallied(true + rng.normal(0, 0.5, 400), human))
    worth, relative = (found[f"true_score.{name}"] for name in ("rating_equivalents", "relative_error"))
    assert worth.low is None
    assert relative.low is not None
    assert relative.high is not None
    assert relative.low < 0 < relative.high
    assert worth.interval_reason.startswith(f"at least {1 / relative.high:.2f}")


UNITS = ("relative_error", "rating_equivalents")


@pytest.mark.parametrize("scored_twice", [300, 20])
def test_a_constant_second_rater_is_no_unit_for_the_engine(scored_twice: int) -> None:
    """The ratio of variances has a value; it would say that the engine is worth some ratings of a constant."""
    system, human = sample(11, 300)
    human[:, 1] = np.where(np.arange(300) < scored_twice, 3.0, np.nan)
    found = true_score_estimates(tallied(system, human))
    for name in UNITS:
        assert found[f"true_score.{name}"].value is None
        assert (
            "are equal" in found[f"true_score.{name}"].reason or "estimated as 0" in found[f"true_score.{name}"].reason
        )
    known = true_score_estimates(tallied(system, human, rater_error_variance=0.5))
    assert (known["true_score.rating_equivalents"].value is not None) == (known["true_score.rho"].value is not None)


def test_nothing_is_measured_by_true_scores_that_do_not_vary() -> None:
    rng = np.random.default_rng(13)
    human = rng.integers(1, 7, 300)[:, None].astype(float)
    opposed = np.hstack([human, 7 - human])
    found = true_score_estimates(tallied(rng.uniform(1, 6, 300), opposed))
    for name in (*UNITS, "gamma", "rounding_cost", "rho"):
        assert found[f"true_score.{name}"].value is None
        assert "estimated as 0 or less" in found[f"true_score.{name}"].reason
    assert found["true_score.slope"].value is not None


def test_without_a_second_rater_there_is_nothing() -> None:
    system, human = sample(9, 50)
    assert true_score_results(tallied(system, human[:, :1]), {}) == ([], {})


def test_a_given_error_variance_needs_no_second_rater() -> None:
    system, human = sample(10, 200)
    made = tallied(system, human[:, :1], rater_error_variance=0.5)
    keys = [f"true_score.{name}" for name in ("prmse", "true_variance", "error_variance")]
    overall = {key: made.estimates(made.primary).estimate(key) for key in keys}
    tables, found = true_score_results(made, overall)
    assert [table.key for table in tables] == ["true_score.parts", "true_score.rescaling", "human_equivalence.ratings"]
    expected = metrics.prmse_components(system, human[:, :1], error_variance=0.5)
    rho = found["true_score.rho"]
    assert isinstance(rho, Estimate)
    assert rho.value == pytest.approx(expected.rho)
    assert rho.n == 200
