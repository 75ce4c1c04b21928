"""Compare the agreement panel with public functions, influences with derivatives, and ranks with pairs."""

import itertools
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from reportgen import metrics
from reportgen.metrics.chance_corrected import Linearised, patterns_of
from reportgen.metrics.krippendorff import FOR_PAIRS, PANEL, pattern_shares
from reportgen.metrics.two_scores import kendall_tau_b_of_table, spearman_rho_of_table

Floats = NDArray[np.float64]
SCALE = [1.0, 2.0, 3.0, 4.0]


def labels(raters: int, n: int = 60, seed: int = 4) -> Floats:
    rng = np.random.default_rng(seed)
    true = rng.choice(SCALE, n, p=[0.1, 0.2, 0.5, 0.2])
    given: Floats = np.clip(true[:, None] + rng.choice([-1, 0, 0, 0, 1], (n, raters)), 1, 4)
    if raters > 2:
        given[rng.random((n, raters)) < 0.3] = np.nan
    return given


def by_public_function(x: Floats, y: Floats) -> dict[str, float]:
    both = np.column_stack([x, y])
    return {
        "exact_agreement": metrics.percent_agreement(x, y),
        "kappa": metrics.cohen_kappa(x, y, categories=SCALE).value,
        "kappa_linear": metrics.cohen_kappa(x, y, categories=SCALE, weights="linear").value,
        "kappa_quadratic": metrics.quadratic_weighted_kappa(x, y),
        "scott": metrics.scott_pi(both, categories=SCALE).value,
        "bp": metrics.brennan_prediger(both, categories=SCALE).value,
        "bp_linear": metrics.brennan_prediger(both, categories=SCALE, weights="linear").value,
        "bp_quadratic": metrics.brennan_prediger(both, categories=SCALE, weights="quadratic").value,
        "ac1": metrics.gwet_ac(both, categories=SCALE).value,
        "ac2_linear": metrics.gwet_ac(both, categories=SCALE, weights="linear").value,
        "ac2_quadratic": metrics.gwet_ac(both, categories=SCALE, weights="quadratic").value,
        "alpha_nominal": metrics.krippendorff_alpha(both, categories=SCALE).value,
        "alpha_ordinal": metrics.krippendorff_alpha(both, categories=SCALE, level="ordinal").value,
        "alpha_interval": metrics.krippendorff_alpha(both, categories=SCALE, level="interval").value,
        "tau_b": metrics.kendall_tau_b(x, y),
        "spearman": metrics.spearman_rho(x, y),
    }


def test_panel_matches_public_functions() -> None:
    given = labels(2)
    patterns = patterns_of(given, SCALE)
    expected = by_public_function(*given.T)
    assert list(expected) == list(PANEL)
    for key, of in PANEL.items():
        assert of(patterns).value == pytest.approx(expected[key], abs=1e-12), key


@pytest.mark.parametrize("raters", [2, 4])
@pytest.mark.parametrize("key", list(PANEL))
def test_panel_influences_are_derivatives(key: str, raters: int) -> None:
    """The small-sample term of alpha is of order 1 / n and is not smooth in n. Large counts make it negligible."""
    patterns = patterns_of(labels(raters), SCALE)
    many = replace(patterns, count=1e6 * patterns.count)
    found = PANEL[key](many)
    if raters > 2 and key in ("tau_b", "spearman"):
        assert found.reason == FOR_PAIRS
        return
    assert many.count @ found.influence == pytest.approx(0, abs=1e-6 * many.count.sum())
    for at in range(len(many.codes)):
        step = np.zeros(len(many.codes))
        step[at] = 100.0
        up, down = (PANEL[key](replace(many, count=many.count + sign * step)).value for sign in (1, -1))
        assert (up - down) / 200 * many.count.sum() == pytest.approx(found.influence[at], abs=1e-4, rel=1e-4)


def test_panel_of_one_label() -> None:
    """AC is 1 because chance agreement is 0. Kappa and alpha are 0 / 0."""
    patterns = patterns_of([[3, 3], [3, 3]], SCALE)
    assert PANEL["ac1"](patterns).value == 1
    for key in ("kappa", "scott", "alpha_nominal", "tau_b", "spearman"):
        found = PANEL[key](patterns)
        assert np.isnan(found.value)
        assert found.reason


def test_pattern_shares_of_raters() -> None:
    pooled, own = pattern_shares(patterns_of([[1, 1], [1, 2], [1, 2], [1, 1]], [1, 2]))
    assert pooled.tolist() == [0.75, 0.25]
    assert own.tolist() == [[1, 0], [0.5, 0.5]]


# --- rank correlations of a table ---------------------------------------------------------------


def rows_of(table: Floats) -> tuple[Floats, Floats]:
    i, j = np.nonzero(table)
    times = table[i, j].astype(int)
    return np.repeat(i, times).astype(float), np.repeat(j, times).astype(float)


def tau_by_pairs(x: Floats, y: Floats) -> float:
    signs = [(np.sign(x[i] - x[j]), np.sign(y[i] - y[j])) for i, j in itertools.combinations(range(len(x)), 2)]
    surplus = sum(a * b for a, b in signs)
    return float(surplus / np.sqrt(sum(a != 0 for a, _ in signs) * sum(b != 0 for _, b in signs)))


tables = st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=2, max_size=4).map(np.array)


@settings(max_examples=60, deadline=None)
@given(tables)
def test_rank_correlations_of_table_match_rows(table: NDArray[np.int64]) -> None:
    counts = table.astype(float)
    x, y = rows_of(counts)
    tau, rho = kendall_tau_b_of_table(counts), spearman_rho_of_table(counts)
    if len(np.unique(x)) < 2 or len(np.unique(y)) < 2:
        assert np.isnan(tau.value)
        assert np.isnan(rho.value)
        assert tau.reason
        assert rho.reason
        return
    assert tau.value == pytest.approx(tau_by_pairs(x, y), abs=1e-12)
    assert rho.value == pytest.approx(metrics.spearman_rho(x, y), abs=1e-12)
    assert kendall_tau_b_of_table(counts[::-1]).value == pytest.approx(-tau.value, abs=1e-12)
    for of_table in (kendall_tau_b_of_table, spearman_rho_of_table):
        assert_derivative(of_table, 1e3 * counts + 10)


def assert_derivative(of_table: Callable[[Floats], Linearised], counts: Floats) -> None:
    found = of_table(counts)
    for place in np.ndindex(*counts.shape):
        step = np.zeros_like(counts)
        step[place] = 0.01
        slope = (of_table(counts + step).value - of_table(counts - step).value) / 0.02
        assert slope * counts.sum() == pytest.approx(found.influence[place], abs=1e-3)


def test_scott_pi_with_gaps_counts_all_labels() -> None:
    given = np.array([[1, 1], [2, np.nan], [2, 2], [1, 2]])
    assert PANEL["scott"](patterns_of(given, [1, 2])).value == pytest.approx(
        metrics.scott_pi(given, categories=[1, 2]).value
    )
