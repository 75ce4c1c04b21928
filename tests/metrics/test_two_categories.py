"""Compare statistics of two categories and of several labels with definitions and other implementations."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from reportgen import metrics
from reportgen.metrics.tables import CATEGORY_STATISTICS, MOVED, OWN

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
