"""Compare statistics with published values."""

import numpy as np
import pytest
from numpy.typing import ArrayLike

from reportgen import metrics
from reportgen.metrics import worked_examples

FIVE = [1, 2, 3, 4, 5]

DIAGNOSES = np.array([[40, 4, 4, 17], [6, 25, 2, 13], [4, 1, 21, 12], [15, 5, 9, 45]])
"""Two raters' diagnoses of 223 patients (Gwet 2014; `cont4x4diagnosis` of the R package irrCAC)."""

SIX_RATERS = np.array([
    [0, 0, 0, 6, 0], [0, 3, 0, 0, 3], [0, 1, 4, 0, 1], [0, 0, 0, 0, 6], [0, 3, 0, 3, 0],
    [2, 0, 4, 0, 0], [0, 0, 4, 0, 2], [2, 0, 3, 1, 0], [2, 0, 0, 4, 0], [0, 0, 0, 0, 6],
    [1, 0, 0, 5, 0], [1, 1, 0, 4, 0], [0, 3, 3, 0, 0], [1, 0, 0, 5, 0], [0, 2, 0, 3, 1],
])  # fmt: skip
"""Counts of six raters' choices for 15 subjects (`distrib.6raters` of irrCAC)."""

FOURTEEN_RATERS = np.array([
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
])  # fmt: skip
"""Counts of 14 raters' choices for 10 subjects: the standard worked example of Fleiss's kappa, .210."""


def ratings_of_counts(counts: ArrayLike) -> np.ndarray:
    """Return (subjects, raters) labels 1..K from (subjects, K) counts."""
    counts = np.asarray(counts)
    return np.array([np.repeat(np.arange(counts.shape[1]) + 1.0, row) for row in counts])


# Yannakoudakis and Cummins (2015), tables 1 and 2; exact by arithmetic, printed to two digits
TWO_BY_TWO = {
    ((40, 10), (10, 40)): (0.6, 0.6, 0.6),
    ((64, 4), (16, 16)): (0.4897959183673469, 0.6, 0.6749024707412224),
    ((20, 0), (60, 20)): (0.11764705882352937, -0.2, -0.2),
    ((60, 15), (20, 5)): (0.0, 0.3, 0.46257197696737046),
}


@pytest.mark.parametrize("table", TWO_BY_TWO)
def test_two_raters_two_categories(table: tuple[tuple[int, int], tuple[int, int]]) -> None:
    ratings = worked_examples.ratings_of_table(table)
    kappa, uniform, ac1 = TWO_BY_TWO[table]
    assert metrics.cohen_kappa(*ratings.T).value == pytest.approx(kappa, abs=1e-12)
    assert metrics.brennan_prediger(ratings).value == pytest.approx(uniform, abs=1e-12)
    assert metrics.gwet_ac(ratings).value == pytest.approx(ac1, abs=1e-12)


# R package irrCAC, README of May 2026: value, standard error, and lower end
@pytest.mark.parametrize(("name", "value", "se", "low"), [
    ("gwet_ac", 0.77544, 0.14295, 0.461), ("fleiss_kappa", 0.76117, 0.15302, 0.424),
    ("conger_kappa", 0.76282, 0.14917, 0.435), ("brennan_prediger", 0.77273, 0.14472, 0.454),
    ("krippendorff_alpha", 0.74342, 0.14548, 0.423),
])  # fmt: skip
def test_four_raters_with_gaps(name: str, value: float, se: float, low: float) -> None:
    found = getattr(metrics, name)(worked_examples.GWET_FOUR_RATERS, categories=FIVE)
    assert (found.value, found.se) == pytest.approx((value, se), abs=6e-6)
    assert (found.low, found.high, found.n) == (pytest.approx(low, abs=6e-4), 1, 12)


# the same README, two abstractors: value, standard error
@pytest.mark.parametrize(("name", "value", "se"), [
    ("scott_pi", 0.7962397, 0.05905473),
    ("gwet_ac", 0.8493305, 0.04321747),
    ("brennan_prediger", 0.835, 0.04693346),
])  # fmt: skip
def test_two_abstractors(name: str, value: float, se: float) -> None:
    found = getattr(metrics, name)(worked_examples.ratings_of_table(worked_examples.ABSTRACTORS), categories=[1, 2, 3])
    assert found.value == pytest.approx(value, abs=6e-8)
    assert found.se == pytest.approx(se, abs=6e-9)


def test_cohen_and_krippendorff_of_two_abstractors() -> None:
    ratings = worked_examples.ratings_of_table(worked_examples.ABSTRACTORS)
    kappa = metrics.cohen_kappa(*ratings.T)
    assert (kappa.value, kappa.se) == pytest.approx((0.7964094, 0.05891072), abs=6e-8)
    assert metrics.krippendorff_alpha(ratings).value == pytest.approx(0.7972585, abs=6e-8)


# the same README, six raters: value, standard error (none in print for this alpha by this formula)
@pytest.mark.parametrize(("name", "value", "se"), [
    ("gwet_ac", 0.4448007, 0.08418757),
    ("fleiss_kappa", 0.4139265, 0.08119291),
    ("brennan_prediger", 0.4388889, 0.08312142),
    ("krippendorff_alpha", 0.4204384, None),
])  # fmt: skip
def test_six_raters(name: str, value: float, se: float | None) -> None:
    found = getattr(metrics, name)(ratings_of_counts(SIX_RATERS), categories=FIVE)
    assert found.value == pytest.approx(value, abs=6e-8)
    assert se is None or found.se == pytest.approx(se, abs=6e-9)


# unit tests of irrCAC 0.4.4 (Python), which restate Gwet (2014): value, standard error
@pytest.mark.parametrize(("name", "weights", "value", "se"), [
    ("gwet_ac", "bipolar", 0.900, 0.106), ("gwet_ac", "circular", 0.830, 0.133),
    ("gwet_ac", "linear", 0.859, 0.117), ("gwet_ac", "quadratic", 0.914, 0.104),
    ("gwet_ac", "radical", 0.820, 0.128), ("fleiss_kappa", "ordinal", 0.850, 0.147),
    ("fleiss_kappa", "linear", 0.818, 0.149), ("conger_kappa", "circular", 0.805, 0.147),
    ("conger_kappa", "bipolar", 0.845, 0.142), ("brennan_prediger", "ratio", 0.840, 0.132),
    ("brennan_prediger", "quadratic", 0.902, 0.111),
])  # fmt: skip
def test_weights_with_four_raters(name: str, weights: str, value: float, se: float) -> None:
    found = getattr(metrics, name)(worked_examples.GWET_FOUR_RATERS, categories=FIVE, weights=weights)
    assert (found.value, found.se) == pytest.approx((value, se), abs=5.1e-4)


@pytest.mark.parametrize(("weights", "value", "low", "high"), [
    ("identity", 0.432, 0.341, 0.522), ("ordinal", 0.390, 0.269, 0.512), ("ratio", 0.413, 0.288, 0.538),
])  # fmt: skip
def test_weighted_kappa_of_diagnoses(weights: str, value: float, low: float, high: float) -> None:
    first, second = worked_examples.ratings_of_table(DIAGNOSES).T
    found = metrics.cohen_kappa(first, second, categories=[1, 2, 3, 4], weights=weights)
    assert (found.value, found.low, found.high) == pytest.approx((value, low, high), abs=5.1e-4)


# Krippendorff (2011), example C; printed .743 .815 .849 .797
@pytest.mark.parametrize(("level", "value"), [
    ("nominal", 0.7434210526315791), ("ordinal", 0.8153875037548814),
    ("interval", 0.8491071428571428), ("ratio", 0.7974027747116121),
])  # fmt: skip
def test_alpha_by_level_of_measurement(level: str, value: float) -> None:
    found = metrics.krippendorff_alpha(worked_examples.KRIPPENDORFF_C, level=level)  # type: ignore[arg-type]
    assert found.value == pytest.approx(value, abs=1e-12)


def test_fleiss_of_fourteen_raters() -> None:
    found = metrics.fleiss_kappa(ratings_of_counts(FOURTEEN_RATERS), categories=FIVE)
    assert found.value == pytest.approx(0.20993070442195522, abs=1e-12)


def test_intraclass_correlations_of_six_targets() -> None:
    """Shrout and Fleiss (1979), table 4: .17 .29 .71 .44 .62 .91."""
    icc = metrics.intraclass_correlation(worked_examples.SHROUT_FLEISS)
    found = (icc.icc11, icc.icc21, icc.icc31, icc.icc1k, icc.icc2k, icc.icc3k)
    assert found == pytest.approx((0.166, 0.290, 0.715, 0.443, 0.620, 0.909), abs=6e-4)


# tests of RSMTool 12, on its small pair of score vectors
def test_small_pair_of_rsmtool() -> None:
    assert metrics.quadratic_weighted_kappa(worked_examples.HUMAN, worked_examples.SYSTEM) == pytest.approx(
        -0.09210526315789469, abs=1e-12
    )
    assert metrics.standardized_mean_difference(
        worked_examples.HUMAN, worked_examples.SYSTEM, method="pooled", ddof=0
    ) == pytest.approx(0.8523247028586811, abs=1e-12)
    assert metrics.standardized_mean_difference(worked_examples.HUMAN, worked_examples.SYSTEM, ddof=0) == pytest.approx(
        1.171700198827415, abs=1e-12
    )
    assert metrics.standardized_mean_difference(
        worked_examples.HUMAN, worked_examples.SYSTEM, method="johnson", population_human_sd=2.3
    ) == pytest.approx(0.9782608695652175, abs=1e-12)
    assert metrics.standardized_mean_difference(
        [8], [9], method="williamson", population_human_sd=4, population_system_sd=4
    ) == pytest.approx(0.25, abs=1e-12)
    assert metrics.difference_of_standardized_means(
        worked_examples.HUMAN, worked_examples.SYSTEM, population=(4.5, 5.1, 1.2, 1.8)
    ) == pytest.approx(0.7083333333333336, abs=1e-12)


def test_one_rater_with_a_known_error_variance() -> None:
    """RSMTool 12, benchmark by M. Johnson."""
    found = metrics.prmse(worked_examples.PRMSE_SYSTEM, worked_examples.PRMSE_HUMAN, error_variance=0.5)
    assert found.prmse == pytest.approx(10 / 11, abs=1e-12)
    assert (found.n, found.n_raters, found.n_single, found.n_multiple) == (3, 1, 3, 0)


# Casabianca et al. (2023), table 2: rho, delta, gamma, PRMSE of manipulated scores, three digits
MANIPULATED = [
    (0.993, 0.022, 1.014, 0.986), (0.940, 0.022, 1.019, 0.882), (0.889, 0.035, 1.025, 0.788),
    (0.838, 0.030, 1.027, 0.701), (0.778, 0.038, 1.037, 0.603), (0.729, 0.042, 1.045, 0.528),
    (0.684, 0.054, 1.046, 0.464), (0.993, -0.057, 1.014, 0.983), (0.993, -0.175, 1.014, 0.955),
    (0.993, -0.373, 1.014, 0.847), (0.993, -0.570, 1.014, 0.661), (0.993, -0.005, 1.559, 0.678),
    (0.993, 0.024, 0.977, 0.985), (0.993, 0.019, 1.082, 0.979), (0.993, -0.007, 1.082, 0.980),
]  # fmt: skip


@pytest.mark.parametrize(("rho", "delta", "gamma", "published"), MANIPULATED)
def test_prmse_of_manipulated_scores(rho: float, delta: float, gamma: float, published: float) -> None:
    """Scores built to have these three parts have the published PRMSE."""
    rng = np.random.default_rng(5)
    noise = rng.normal(size=(400, 2))
    z = np.linalg.qr(noise - noise.mean(axis=0))[0] * 20  # two uncorrelated columns, mean 0, SD 1
    system = delta + gamma * rho * (rho * z[:, 0] + np.sqrt(1 - rho**2) * z[:, 1])
    parts = metrics.prmse_components(system, z[:, 0], error_variance=0)
    assert (parts.rho, parts.delta, parts.gamma) == pytest.approx((rho, delta, gamma), abs=1e-9)
    assert parts.prmse == pytest.approx(published, abs=9e-4)
    assert parts.best_prmse == pytest.approx(rho**2, abs=1e-9)


def test_the_declared_scale_decides() -> None:
    """Six pairs have a quadratic AC of .536 on the labels seen, .551 on 1 to 4 and .850 on 1 to 6."""
    pairs = [[1, 1], [1, 1], [1, 4], [2, 2], [2, 2], [4, 4]]
    seen = metrics.gwet_ac(pairs, weights="quadratic")
    four = metrics.gwet_ac(pairs, categories=[1, 2, 3, 4], weights="quadratic")
    six = metrics.gwet_ac(pairs, categories=range(1, 7), weights="quadratic")
    assert [seen.value, four.value, six.value] == pytest.approx([0.536, 0.551, 0.850], abs=6e-4)
    assert (seen.categories, seen.categories_declared) == ((1, 2, 4), False)
    assert (six.categories, six.categories_declared) == ((1, 2, 3, 4, 5, 6), True)
