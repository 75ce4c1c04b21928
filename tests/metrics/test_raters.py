"""Compare rater statistics and reliability with rows, published output, and simulations."""

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles import jackknife_error
from scipy import stats

from reportgen import metrics
from reportgen.metrics.worked_examples import SHROUT_FLEISS

Floats = NDArray[np.float64]


def pairs(seed: int, n: int = 80, severity: float = 0.3, spread: float = 1.2) -> tuple[Floats, Floats, Floats]:
    """Return an engine score and two ratings of a shared true score."""
    rng = np.random.default_rng(seed)
    true = rng.normal(3.5, 1, n)
    first = true + rng.normal(0, 0.5, n)
    second = 3.5 + spread * (true - 3.5) + severity + rng.normal(0, 0.6, n)
    return true + rng.normal(0, 0.4, n), first, second


# --- reliability -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("icc11", -0.133, 0.723), ("icc21", 0.019, 0.761), ("icc31", 0.342, 0.946),
        ("icc1k", -0.884, 0.912), ("icc2k", 0.071, 0.927), ("icc3k", 0.676, 0.986),
    ],
)  # fmt: skip
def test_icc_intervals_match_r_package_psych(name: str, low: float, high: float) -> None:
    found = metrics.intraclass_correlation(SHROUT_FLEISS).intervals[name]
    assert found == pytest.approx((low, high), abs=6e-4)


def test_generalizability_with_gaps_matches_linear_model() -> None:
    rng = np.random.default_rng(8)
    x = rng.normal(0, 1, (60, 1)) + np.array([0.4, 0.0, -0.5]) + rng.normal(0, 0.5, (60, 3))
    x[rng.random((60, 3)) < 0.35] = np.nan
    x = x[~np.isnan(x).all(axis=1)]
    response, rater = np.nonzero(~np.isnan(x))
    y = x[response, rater]

    def rest(*blocks: Floats) -> float:
        design = np.column_stack(blocks)
        fitted = design @ np.linalg.lstsq(design, y, rcond=None)[0]
        return float(((y - fitted) ** 2).sum())

    persons, raters = np.eye(len(x))[response], np.eye(3)[rater]
    residual = rest(persons, raters) / (len(y) - len(x) - 2)
    # the expected reduction of each model is a trace of its projection
    without = np.eye(len(y)) - persons @ np.linalg.pinv(persons)
    severity = (rest(persons) - rest(persons, raters) - 2 * residual) / np.trace(raters.T @ without @ raters)
    centred = np.eye(len(y)) - 1 / len(y)
    projection = centred - without
    spread = y @ projection @ y - np.trace(raters.T @ projection @ raters) * severity - (len(x) - 1) * residual
    person = spread / np.trace(persons.T @ projection @ persons)
    found = metrics.generalizability(x)
    assert (found.person, found.rater, found.residual) == pytest.approx((person, severity, residual), rel=1e-10)


def test_generalizability_of_unlinked_raters_is_undefined() -> None:
    ratings = np.full((20, 4), np.nan)
    ratings[:10, :2] = np.arange(20).reshape(10, 2)
    ratings[10:, 2:] = np.arange(20).reshape(10, 2) % 7
    assert "overlap" in metrics.generalizability(ratings).reason


# --- two raters --------------------------------------------------------------------------------------


def test_paired_mean_difference_matches_scipy() -> None:
    _, first, second = pairs(1)
    found, other = metrics.paired_mean_difference(first, second), stats.ttest_rel(second, first)
    assert (found.statistic, found.p) == pytest.approx((other.statistic, other.pvalue))
    assert (found.low, found.high) == pytest.approx(tuple(other.confidence_interval(0.95)))


def test_pitman_morgan_is_correlation_of_sum_and_difference() -> None:
    _, first, second = pairs(2)
    found, other = metrics.pitman_morgan(first, second), stats.pearsonr(first + second, second - first)
    assert found.p == pytest.approx(other.pvalue, rel=1e-8)
    assert found.value == pytest.approx(second.std(ddof=1) / first.std(ddof=1))


def test_pitman_morgan_interval_inverts_test() -> None:
    _, first, second = pairs(3)
    found = metrics.pitman_morgan(first, second)
    for limit in (found.low, found.high):
        assert metrics.pitman_morgan(first * limit, second).p == pytest.approx(0.05, abs=1e-9)


def test_correlation_difference_matches_jackknife() -> None:
    engine, first, second = pairs(5, n=300)
    scores = np.column_stack([engine, first, second])

    def difference(rows: Floats) -> float:
        r = np.asarray(np.corrcoef(rows.T))
        return float(r[0, 2] - r[0, 1])

    jackknife = jackknife_error(lambda kept: difference(scores[kept]), 300)
    found = metrics.correlation_difference(engine, first, second)
    assert found.value == pytest.approx(difference(scores))
    assert (found.high - found.low) / 2 / stats.t.ppf(0.975, 299) == pytest.approx(jackknife, rel=0.02)


@pytest.mark.parametrize("compare", [metrics.paired_mean_difference, metrics.pitman_morgan])
def test_rater_comparisons_without_data_have_reasons(compare: object) -> None:
    found = compare([1.0, np.nan], [np.nan, 2.0])  # type: ignore[operator]
    assert np.isnan(found.value)
    assert found.reason


# --- many raters ---------------------------------------------------------------------------------------


def design(seed: int, raters: int, n: int, sd: float) -> tuple[Floats, NDArray[np.int64], Floats]:
    """Return ratings, raters and severities of a random double-scoring design."""
    rng = np.random.default_rng(seed)
    severity = rng.normal(0, sd, raters)
    who = np.array([rng.choice(raters, 2, replace=False) for _ in range(n)])
    return rng.normal(3, 1, (n, 1)) + severity[who] + rng.normal(0, 0.5, (n, 2)), who, severity


def test_severity_is_least_squares_fit() -> None:
    ratings, who, _ = design(1, 7, 60, 0.3)
    response, rater = np.eye(60).repeat(2, axis=0), np.eye(7)[who.ravel()]
    effects = np.linalg.lstsq(np.column_stack([response, rater]), ratings.ravel(), rcond=None)[0][60:]
    found = metrics.rater_severity(ratings, who)
    assert found.observed == pytest.approx(effects - effects.mean(), abs=1e-10)


def test_expected_severity_is_closer_and_covers() -> None:
    covered, closer = [], []
    for seed in range(60):
        ratings, who, severity = design(seed, 12, 120, 0.15)
        found = metrics.rater_severity(ratings, who)
        severity = severity - severity.mean()  # only differences show
        covered.append(np.mean((found.expected_low <= severity) & (severity <= found.expected_high)))
        closer.append(np.mean((found.observed - severity) ** 2) - np.mean((found.expected - severity) ** 2))
    assert 0.93 <= np.mean(covered) <= 0.99
    assert np.mean(closer) > 0


def test_severity_of_few_raters_is_not_shrunken() -> None:
    ratings, who, _ = design(4, 3, 50, 0.3)
    found = metrics.rater_severity(ratings, who)
    assert np.isnan(found.expected).all()
    assert np.isfinite(found.observed_low).all()
    assert found.reason


def test_severity_without_shared_responses_is_undefined() -> None:
    found = metrics.rater_severity(np.array([[1, 2], [3, np.nan], [2, 2]]), [[0, 1], [2, 1], [0, 1]])
    assert np.isnan(found.observed[2])
    assert found.n.tolist() == [2, 2, 0]


def test_rater_profiles_match_pairs_and_jackknife() -> None:
    ratings, who, _ = design(5, 4, 600, 0.2)
    ratings = np.rint(ratings)
    found = metrics.rater_profiles(ratings, who)
    rows = np.flatnonzero((who == 1).any(axis=1))
    own = np.where(who[rows, 0] == 1, ratings[rows, 0], ratings[rows, 1])
    other = np.where(who[rows, 0] == 1, ratings[rows, 1], ratings[rows, 0])
    assert np.exp(found.log_sd_ratio[1]) == pytest.approx(own.std() / other.std())
    assert found.qwk[1] == pytest.approx(metrics.quadratic_weighted_kappa(other, own))
    assert found.exact[1] == pytest.approx(100 * (own == other).mean())
    jackknife = jackknife_error(lambda kept: np.log(own[kept].std() / other[kept].std()), len(rows))
    assert found.log_sd_ratio_error[1] == pytest.approx(jackknife, rel=0.05)


def test_rater_drift_finds_drifting_rater() -> None:
    rng = np.random.default_rng(6)
    ratings, who, _ = design(6, 5, 800, 0.2)
    times = np.repeat(rng.uniform(0, 10, (800, 1)), 2, axis=1)
    ratings = ratings + np.where(who == 2, 0.1 * times, 0.0)
    found = metrics.rater_drift(ratings, who, times)
    z = found.slope / found.error
    assert z[2] > 4
    assert found.slope[2] == pytest.approx(0.1, abs=4 * found.error[2])
    assert np.abs(np.delete(z, 2)).max() < 5  # the slope of rater 2 moves the other slopes by a quarter
