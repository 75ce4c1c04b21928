"""Identities between two statistics, or between a statistic and plain algebra, for random scores."""

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from reportgen import metrics
from reportgen.metrics import true_score
from reportgen.metrics._arrays import rating_sums
from reportgen.metrics.chance_corrected import weight_matrix

Floats = NDArray[np.float64]

quick = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])

SCALE = [1, 2, 3, 4, 5, 6]


@st.composite
def whole_scores(draw: st.DrawFn, columns: int = 2, top: int = 6) -> Floats:
    """Draw (n, columns) whole scores, none of the columns constant."""
    n = draw(st.integers(4, 40))
    scores = draw(arrays(np.int64, (n, columns), elements=st.integers(1, top))).astype(float)
    assume((np.ptp(scores, axis=0) > 0).all())
    return scores


@st.composite
def engine(draw: st.DrawFn, raters: int = 2) -> tuple[Floats, Floats]:
    """Draw continuous system scores and whole ratings of a shared true score."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(20, 60))
    true = rng.normal(3.5, 1.2, n)
    ratings = np.rint(true[:, None] + rng.normal(0, 0.5, (n, raters)))
    return 0.5 + 0.8 * true + rng.normal(0, 0.4, n), ratings


@quick
@given(whole_scores())
def test_continuous_qwk_is_table_qwk_on_whole_scores(scores: Floats) -> None:
    h, s = scores.T
    table = metrics.cohen_kappa(h, s, categories=SCALE, weights="quadratic").value
    assert metrics.quadratic_weighted_kappa(h, s) == pytest.approx(table, abs=1e-12)


@quick
@given(whole_scores())
def test_interval_alpha_is_quadratic_scott_pi_in_small_samples(scores: Floats) -> None:
    pi = metrics.scott_pi(scores, categories=SCALE, weights="quadratic").value
    n = len(scores)
    expected = 1 - (1 - pi) * (2 * n - 1) / (2 * n)
    assert metrics.krippendorff_alpha(scores, categories=SCALE, level="interval").value == pytest.approx(
        expected, abs=1e-12
    )


@quick
@given(whole_scores(columns=3, top=2), st.sampled_from(["linear", "quadratic", "ordinal", "radical"]))
def test_two_categories_make_all_weights_equal(scores: Floats, weights: str) -> None:
    for coefficient in (metrics.conger_kappa, metrics.fleiss_kappa, metrics.gwet_ac, metrics.brennan_prediger):
        plain = coefficient(scores, categories=[1, 2]).value
        assert coefficient(scores, categories=[1, 2], weights=weights).value == pytest.approx(plain, abs=1e-12)


@given(st.integers(2, 30))
def test_uniform_chance_in_closed_form(q: int) -> None:
    scale = np.arange(q, dtype=float)
    assert weight_matrix("linear", scale).mean() == pytest.approx(1 - (q + 1) / (3 * q), abs=1e-12)
    assert weight_matrix("quadratic", scale).mean() == pytest.approx(1 - (q + 1) / (6 * (q - 1)), abs=1e-12)


@quick
@given(whole_scores(), st.sampled_from(["identity", "linear", "quadratic"]))
def test_ac_is_brennan_prediger_when_labels_are_uniform(scores: Floats, weights: str) -> None:
    every_label_alike = np.vstack([(scores + shift - 1) % 6 + 1 for shift in range(6)])
    ac = metrics.gwet_ac(every_label_alike, categories=SCALE, weights=weights).value
    assert ac == pytest.approx(
        metrics.brennan_prediger(every_label_alike, categories=SCALE, weights=weights).value, abs=1e-12
    )


@quick
@given(engine())
def test_prmse_is_sum_of_correlation_scale_and_bias(scores: tuple[Floats, Floats]) -> None:
    system, ratings = scores
    human, error = ratings[:, 0], 0.2
    parts = metrics.prmse_components(system, human, error_variance=error)
    by_hand = 1 - (((system - human) ** 2).mean() - error) / (human.var() - error)
    assert parts.prmse == pytest.approx(by_hand, abs=1e-12, rel=1e-10)
    assert parts.prmse == pytest.approx(
        parts.rho**2 - parts.rho**2 * (1 - parts.gamma) ** 2 - parts.delta**2, abs=1e-12
    )


@quick
@given(engine())
def test_r_squared_is_attenuated_prmse(scores: tuple[Floats, Floats]) -> None:
    system, ratings = scores
    human, error = ratings[:, 0], 0.2
    parts = metrics.prmse_components(system, human, error_variance=error)
    diluted = parts.prmse * (human.var() - error) / human.var()
    assert metrics.r_squared(human, system) == pytest.approx(diluted, abs=1e-12, rel=1e-10)


@quick
@given(engine(raters=3), st.floats(-5, 5), st.floats(0.1, 4))
def test_rho_and_best_prmse_ignore_rescaling(scores: tuple[Floats, Floats], shift: float, slope: float) -> None:
    system, ratings = scores
    parts, rescaled = (metrics.prmse_components(s, ratings) for s in (system, shift + slope * system))
    assert rescaled.rho == pytest.approx(parts.rho, abs=1e-10)
    assert rescaled.best_prmse == pytest.approx(parts.best_prmse, abs=1e-10)


@quick
@given(engine(), st.floats(-0.3, 0.3), st.floats(0.8, 1.25))
def test_qwk_is_largest_at_human_mean_and_sd(scores: tuple[Floats, Floats], shift: float, slope: float) -> None:
    system, ratings = scores
    human = ratings[:, 0]
    z = (system - system.mean()) / system.std()
    matched = metrics.quadratic_weighted_kappa(human, human.mean() + human.std() * z)
    moved = metrics.quadratic_weighted_kappa(human, human.mean() + shift + slope * human.std() * z)
    assert moved <= matched + 1e-12


@quick
@given(engine(raters=3), st.floats(-0.3, 0.3), st.floats(0.8, 1.25))
def test_prmse_is_largest_after_best_rescaling(scores: tuple[Floats, Floats], shift: float, slope: float) -> None:
    system, ratings = scores
    parts = metrics.prmse_components(system, ratings)
    best = parts.intercept + parts.slope * system
    reached = metrics.prmse_components(best, ratings)
    assert reached.prmse == pytest.approx(parts.best_prmse, abs=1e-10)
    assert (reached.gamma, reached.delta) == pytest.approx((1, 0), abs=1e-9)
    moved = metrics.prmse_components(shift + slope * (best - best.mean()) + best.mean(), ratings)
    assert moved.prmse <= reached.prmse + 1e-12


@quick
@given(engine(raters=3))
def test_prmse_and_components_differ_only_in_divisor(scores: tuple[Floats, Floats]) -> None:
    system, ratings = scores
    sums = rating_sums(system, ratings)
    mse = true_score.mean_squared_error_true(sums)[0]
    parts = metrics.prmse_components(system, ratings)
    n, c = sums.n[0], 3
    variance = metrics.true_score_variance(ratings) * (n - 1) / n - metrics.rater_error_variance(ratings) / (n * c)
    assert parts.prmse == pytest.approx(1 - mse / variance, rel=1e-9)
