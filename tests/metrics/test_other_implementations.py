"""The same numbers from independent implementations: scikit-learn, scipy, and plain loops."""

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles import jackknife_error

from reportgen import metrics

Floats = NDArray[np.float64]
SCALE = [1, 2, 3, 4, 5, 6]


@pytest.fixture(params=range(6))
def scores(request: pytest.FixtureRequest) -> tuple[Floats, Floats]:
    """Give whole human scores with many ties, and system scores that are whole every other time."""
    rng = np.random.default_rng(request.param)
    n = int(rng.integers(5, 120))
    human = rng.integers(1, 7, n).astype(float)
    system = human + rng.normal(0, 1.2, n)
    return human, np.rint(system).clip(1, 6) if request.param % 2 else system


def test_correlations_match_scipy(scores: tuple[Floats, Floats]) -> None:
    from scipy import stats

    human, system = scores
    assert metrics.pearson_r(human, system) == pytest.approx(stats.pearsonr(human, system)[0], abs=1e-12)
    assert metrics.spearman_rho(human, system) == pytest.approx(stats.spearmanr(human, system)[0], abs=1e-12)
    assert metrics.kendall_tau_b(human, system) == pytest.approx(stats.kendalltau(human, system)[0], abs=1e-12)


def test_kappa_of_tables_matches_kappa_of_scores_and_its_slopes(scores: tuple[Floats, Floats]) -> None:
    human, system = scores[0], np.rint(scores[1]).clip(1, 6)
    table = np.zeros((6, 6))
    np.add.at(table, (human.astype(int) - 1, system.astype(int) - 1), 1)
    several = metrics.cohen_kappa_of_tables(np.stack([table, table.T, np.eye(6)]))
    kappa = metrics.cohen_kappa(human, system).value
    assert several == pytest.approx([kappa, kappa, 1.0], abs=1e-12)
    gradient, step = metrics.cohen_kappa_gradient(table), 1e-5
    for cell in [(0, 0), (2, 3), (5, 1)]:
        more, less = table.copy(), table.copy()
        more[cell] += step
        less[cell] -= step
        slope = (metrics.cohen_kappa_of_tables(more) - metrics.cohen_kappa_of_tables(less)) / (2 * step)
        assert gradient[cell] == pytest.approx(float(slope), rel=1e-6, abs=1e-9)


def pairwise_agreement_by_loops(labels: Floats, weights: Floats) -> float:
    """Return the mean over responses of the mean weight over pairs of their labels."""
    means = []
    for row in labels:
        given = row[~np.isnan(row)].astype(int) - 1
        credits = [weights[a, b] for a, b in combinations(given, 2)]
        if credits:
            means.append(np.mean(credits))
    return float(np.mean(means))


def gappy_labels(seed: int) -> Floats:
    """Return (25, 4) labels 1..5, a quarter of them missing."""
    rng = np.random.default_rng(seed)
    labels: Floats = np.clip(rng.integers(1, 6, (25, 1)) + rng.integers(-1, 2, (25, 4)), 1, 5).astype(float)
    labels[rng.random(labels.shape) < 0.25] = np.nan
    return labels


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", ["identity", "quadratic", "ordinal"])
def test_coefficients_match_plain_loops(seed: int, name: str) -> None:
    from reportgen.metrics.chance_corrected import weight_matrix

    labels, scale = gappy_labels(seed), [1, 2, 3, 4, 5]
    weights = weight_matrix(name, scale)
    observed = pairwise_agreement_by_loops(labels, weights)
    rows = [row[~np.isnan(row)] for row in labels if not np.isnan(row).all()]
    shares = np.mean([[(row == k).mean() for k in scale] for row in rows], axis=0)
    by_rater = [[(column[~np.isnan(column)] == k).mean() for k in scale] for column in labels.T]
    chance = {
        metrics.fleiss_kappa: shares @ weights @ shares,
        metrics.brennan_prediger: weights.sum() / 25,
        metrics.gwet_ac: weights.sum() / 20 * (shares * (1 - shares)).sum(),
        metrics.conger_kappa: np.mean([np.array(p) @ weights @ np.array(q) for p, q in combinations(by_rater, 2)]),
    }
    for coefficient, expected in chance.items():
        found = coefficient(labels, categories=scale, weights=name)
        assert found.observed == pytest.approx(observed, abs=1e-12)
        assert found.expected == pytest.approx(expected, abs=1e-12)
        assert found.value == pytest.approx((observed - expected) / (1 - expected), abs=1e-12)


@pytest.mark.parametrize("name", ["fleiss_kappa", "conger_kappa", "gwet_ac", "brennan_prediger"])
def test_standard_errors_match_jackknife(name: str) -> None:
    coefficient = getattr(metrics, name)
    labels, scale = np.vstack([gappy_labels(seed) for seed in range(8)]), [1, 2, 3, 4, 5]
    labels = labels[~np.isnan(labels).all(axis=1)]
    expected = jackknife_error(lambda kept: coefficient(labels[kept], categories=scale).value, len(labels))
    assert coefficient(labels, categories=scale).se == pytest.approx(expected, rel=0.03)


def test_order_of_responses_and_raters_does_not_matter() -> None:
    labels = gappy_labels(1)
    rng = np.random.default_rng(0)
    shuffled = labels[rng.permutation(25)][:, rng.permutation(4)]
    for name in ("fleiss_kappa", "conger_kappa", "gwet_ac", "krippendorff_alpha"):
        found, again = (
            getattr(metrics, name)(x, categories=[1, 2, 3, 4, 5], weights="linear") for x in (labels, shuffled)
        )
        assert (again.value, again.se) == pytest.approx((found.value, found.se), abs=1e-12)


def test_fleiss_kappa_with_many_raters_counts_each() -> None:
    """With 30 raters and 7 categories, a pattern does not fit one integer. The last rater must still count."""
    scale = np.arange(1.0, 8.0)
    labels = np.ones((7, 30))
    labels[:, -1] = scale
    shares = np.array([[(row == k).mean() for k in scale] for row in labels])
    expected = (shares.mean(axis=0) ** 2).sum()
    assert metrics.fleiss_kappa(labels, categories=scale).expected == pytest.approx(expected, abs=1e-12)


def test_weights_follow_order_of_categories() -> None:
    """The rows of a weight matrix are in the order of the declared categories."""
    ratings = gappy_labels(2)
    weights = np.array([[1.0, 0.9, 0.2], [0.9, 1.0, 0.4], [0.2, 0.4, 1.0]])
    ratings = np.where(ratings > 3, np.nan, ratings)
    order = [2, 0, 1]
    found = metrics.fleiss_kappa(ratings, categories=[1, 2, 3], weights=weights)
    again = metrics.fleiss_kappa(ratings, categories=np.array([1, 2, 3])[order], weights=weights[order][:, order])
    assert (again.value, again.se) == pytest.approx((found.value, found.se), abs=1e-12)


@pytest.mark.parametrize("ddof", [0, 1])
def test_qwk_matches_moments(scores: tuple[Floats, Floats], ddof: int) -> None:
    human, system = scores
    covariance = np.cov(human, system, ddof=ddof)
    expected = 2 * covariance[0, 1] / (np.trace(covariance) + (human.mean() - system.mean()) ** 2)
    assert metrics.quadratic_weighted_kappa(human, system, ddof=ddof) == pytest.approx(expected, abs=1e-12)


def test_prmse_matches_plain_loops() -> None:
    rng = np.random.default_rng(3)
    ratings = np.rint(rng.normal(3, 1, (40, 1)) + rng.normal(0, 0.5, (40, 4)))
    ratings[rng.random(ratings.shape) < 0.5] = np.nan
    system = rng.normal(3, 1, 40)
    system[3] = np.nan
    rows = [(s, r[~np.isnan(r)]) for s, r in zip(system, ratings, strict=True) if not np.isnan(s)]
    rows = [(s, r) for s, r in rows if len(r)]
    n, total = len(rows), sum(len(r) for _, r in rows)
    error = sum(((r - r.mean()) ** 2).sum() for _, r in rows) / sum(len(r) - 1 for _, r in rows)
    mean = sum(r.sum() for _, r in rows) / total
    between = sum(len(r) * (r.mean() - mean) ** 2 for _, r in rows)
    variance = (between - (n - 1) * error) / (total - sum(len(r) ** 2 for _, r in rows) / total)
    mse = (sum(len(r) * (r.mean() - s) ** 2 for s, r in rows) - n * error) / total
    found = metrics.prmse(system, ratings)
    assert (found.error_variance, found.true_variance, found.mse) == pytest.approx((error, variance, mse), rel=1e-10)
    assert found.prmse == pytest.approx(1 - mse / variance, rel=1e-10)
    assert (found.n, found.n_raters) == (n, max(len(r) for _, r in rows))
    assert found.n_single + found.n_multiple == n


def test_cronbach_alpha_is_icc3k() -> None:
    ratings = np.random.default_rng(4).normal(size=(30, 3)).cumsum(axis=1)
    assert metrics.cronbach_alpha(ratings).value == pytest.approx(metrics.intraclass_correlation(ratings).icc3k)


def test_generalizability_without_gaps_matches_icc() -> None:
    ratings = np.random.default_rng(5).normal(size=(20, 4)) + np.arange(4)
    icc, found = metrics.intraclass_correlation(ratings), metrics.generalizability(ratings)
    assert found.coefficient(4) == pytest.approx(icc.icc3k, abs=1e-12)
    assert found.coefficient(1) == pytest.approx(icc.icc31, abs=1e-12)
    assert found.dependability(1) == pytest.approx(icc.icc21, abs=1e-12)
    assert found.dependability(4) == pytest.approx(icc.icc2k, abs=1e-12)


def test_macro_averaged_rmse_is_mean_over_levels(scores: tuple[Floats, Floats]) -> None:
    human, system = scores
    levels = [np.sqrt(((system - human)[human == level] ** 2).mean()) for level in np.unique(human)]
    assert metrics.macro_averaged_rmse(human, system) == pytest.approx(np.mean(levels))
