"""Compare statistics of two categories, of several labels, and of the agreement panel with definitions."""

import itertools
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import binomtest

from reportgen import metrics
from reportgen.metrics.chance_corrected import Linearised, patterns_of
from reportgen.metrics.krippendorff import FOR_PAIRS, PANEL, pattern_shares
from reportgen.metrics.tables import CATEGORY_STATISTICS, MOVED, OWN
from reportgen.metrics.two_scores import kendall_tau_b_of_table, spearman_rho_of_table

COUNTS = st.tuples(*[st.integers(0, 60)] * 4)


def scores(tn: int, fp: int, fn: int, tp: int) -> tuple[np.ndarray, np.ndarray]:
    """Return human and engine scores, 0 and 1, whose table has these counts."""
    return np.repeat([0, 0, 1, 1], [tn, fp, fn, tp]), np.repeat([0, 1, 0, 1], [tn, fp, fn, tp])


def test_wilson_interval_matches_scipy() -> None:
    for count, n, level in [(0, 20, 0.95), (3, 11, 0.9), (231, 258, 0.99), (54, 86, 0.95), (29, 29, 0.95)]:
        theirs = binomtest(count, n).proportion_ci(level, method="wilson")
        assert metrics.wilson_interval(count, n, level=level) == pytest.approx([*theirs], abs=1e-10)


def test_wilson_interval_rejects_invalid_count() -> None:
    with pytest.raises(ValueError, match="found 5 of 4"):
        metrics.wilson_interval(5, 4)
    assert np.isnan(metrics.wilson_interval(0, 0)).all()


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1))
def test_scored_lower_and_higher_count_the_cells_beside_the_diagonal(pairs: list[tuple[int, int]]) -> None:
    human, system = np.array(pairs).T
    table = np.zeros((5, 5))
    np.add.at(table, (human, system), 1)
    found = [float(OWN[f"scored_{side}"].of(table)) for side in ("lower", "higher")]
    assert found == pytest.approx([100 * np.mean(system < human), 100 * np.mean(system > human)])
    for statistic in MOVED:
        assert statistic.gradient(table) == pytest.approx(replace(statistic, slopes=None).gradient(table + 1e-300))


@given(COUNTS)
def test_two_categories_match_definitions(counts: tuple[int, int, int, int]) -> None:
    tn, fp, fn, tp = counts
    human, system = scores(*counts)
    if not human.size:
        return
    with np.errstate(all="ignore"):
        recall = (system[human == 1] == 1).mean() if tp + fn else np.nan
        true_negative = (system[human == 0] == 0).mean() if tn + fp else np.nan
        precision = (human[system == 1] == 1).mean() if tp + fp else np.nan
        harmonic = 2 / (1 / recall + 1 / precision) if tp else 0.0 if fp + fn else np.nan
        phi = np.corrcoef(human, system)[0, 1] if 0 < human.mean() < 1 and 0 < system.mean() < 1 else np.nan
    found = metrics.two_categories(human, system, categories=(0, 1))
    expected = {
        "sensitivity": recall, "specificity": true_negative, "positive_predictive_value": precision, "f1": harmonic,
        "balanced_accuracy": (recall + true_negative) / 2, "positive_agreement": harmonic, "matthews": phi,
        "base_rate": human.mean(), "positive_share": system.mean(),
    }  # fmt: skip
    found_values = {key: getattr(found, key).value for key in expected}
    assert found_values == pytest.approx(expected, nan_ok=True, abs=1e-12)
    for key in CATEGORY_STATISTICS:
        each = getattr(found, key)
        assert bool(each.reason) == np.isnan(each.value)
        if np.isfinite(each.low):
            assert each.low - 1e-9 <= each.value <= each.high + 1e-9


@given(COUNTS)
def test_two_categories_reversed_mirror_statistics(counts: tuple[int, int, int, int]) -> None:
    """With the categories reversed, sensitivity is specificity. Balanced accuracy and the correlation stay."""
    human, system = scores(*counts)
    one = metrics.two_categories(human, system, categories=(0, 1))
    other = metrics.two_categories(1 - human, 1 - system, categories=(0, 1))
    for key, twin in {"sensitivity": "specificity", "positive_predictive_value": "negative_predictive_value",
                      "balanced_accuracy": "balanced_accuracy", "matthews": "matthews",
                      "positive_agreement": "negative_agreement"}.items():  # fmt: skip
        ours, theirs = getattr(one, key), getattr(other, twin)
        assert (ours.value, ours.low, ours.high) == pytest.approx((theirs.value, theirs.low, theirs.high), nan_ok=True)


@pytest.mark.parametrize("key", CATEGORY_STATISTICS)
def test_gradients_match_finite_differences(key: str) -> None:
    statistic, table = CATEGORY_STATISTICS[key], np.array([[54.0, 32.0], [27.0, 231.0]])
    slopes = statistic.gradient(table)
    for cell in np.ndindex(2, 2):
        step = np.zeros((2, 2))
        step[cell] = 1e-4
        assert slopes[cell] == pytest.approx((statistic.of(table + step) - statistic.of(table - step)) / 2e-4, abs=1e-9)
    assert (slopes * table).sum() == pytest.approx(0, abs=1e-12)  # twice as many of each change nothing


def test_matthews_of_large_counts_does_not_overflow() -> None:
    table = np.array([[540_000, 320_000], [270_000, 2_310_000]])
    assert CATEGORY_STATISTICS["matthews"].of(table) == pytest.approx(CATEGORY_STATISTICS["matthews"].of(table / 1e4))


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=60))
def test_label_agreement_compares_label_with_others(pairs: list[tuple[int, int]]) -> None:
    human, system = np.array(pairs).T
    found = metrics.label_agreement(human, system)
    assert sum(each.share.value for each in found) == pytest.approx(1)
    assert sum(each.share_second.value for each in found) == pytest.approx(1)
    for each in found:
        alone = metrics.two_categories(human == each.label, system == each.label, categories=(0, 1))
        ours = (each.recall, each.precision, each.f1)
        theirs = (alone.sensitivity, alone.positive_predictive_value, alone.f1)
        assert [one.value for one in ours] == pytest.approx([one.value for one in theirs], nan_ok=True)
        assert each.recall.n == (human == each.label).sum()


def test_two_category_statistics_reject_other_numbers_of_categories() -> None:
    with pytest.raises(ValueError, match="found 3"):
        metrics.sensitivity([0, 1, 2], [0, 1, 2])
    with pytest.raises(ValueError, match="name both"):
        metrics.sensitivity([1, 1], [1, 1])
    with pytest.raises(ValueError, match="2 is not one of the categories"):
        metrics.sensitivity([0, 1, 2], [0, 1, 1], categories=(0, 1))
    assert metrics.sensitivity([1, 1, np.nan], [1, 0, 1], categories=(0, 1)) == 0.5


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
