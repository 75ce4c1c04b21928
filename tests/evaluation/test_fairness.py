"""Compare fairness analyses with published coefficients, least squares on the rows, and a simulation."""

import runpy
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from reportgen.evaluation.differences import parts, two_way
from reportgen.evaluation.fairness import Analysis, analyses
from reportgen.tally import AS_GIVEN, tally_of
from reportgen.tally.contingency_tables import error_sums

Floats = NDArray[Any]


def run(human: Floats, system: Floats, codes: Floats, labels: list[str], order: list[int]) -> dict[str, Analysis]:
    return analyses(error_sums(tally_of(system, human, {"g": (codes, labels)}), "g", AS_GIVEN), order)


def test_fairness_coefficients_match_published_values() -> None:
    """Worked example of RSMTool's test suite (Apache-2.0): base group E, other group K."""
    found = run(np.array([2.0, 3, 2, 3]), np.array([1, 1.5, 3, 3.5]), np.array([1, 1, 0, 0]), ["E", "K"], [0, 1])
    np.testing.assert_allclose(found["osa"].coefficients, [0.625, 1.0], atol=1e-12)
    np.testing.assert_allclose(found["osd"].coefficients, [0.75, -2.0], atol=1e-12)
    np.testing.assert_allclose(found["csd"].coefficients[:2], [1.0, -2.0], atol=1e-12)


def test_equal_groups_have_p_of_one() -> None:
    found = run(np.array([1.0, 1, 4, 4]), np.array([0.9, 0.99, 3.99, 3.9]), np.array([1, 0, 1, 0]), ["E", "K"], [0, 1])
    assert [found[key].p for key in ("osa", "osd", "csd")] == pytest.approx([1.0, 1.0, 1.0], abs=1e-9)


def least_squares(design: Floats, outcome: Floats) -> tuple[Floats, Floats, float, float]:
    """Return coefficients, standard errors, adjusted R squared and residual sum of squares, from the rows."""
    coefficients, *_ = np.linalg.lstsq(design, outcome, rcond=None)
    rank = np.linalg.matrix_rank(design)
    residual = ((outcome - design @ coefficients) ** 2).sum()
    freedom = len(outcome) - rank
    errors = np.sqrt(np.diag(np.linalg.inv(design.T @ design)) * residual / freedom)
    total = ((outcome - outcome.mean()) ** 2).sum()
    return coefficients, errors, 1 - (residual / freedom) / (total / (len(outcome) - 1)), residual


def test_fairness_matches_least_squares() -> None:
    from scipy import stats

    rng = np.random.default_rng(4)
    n = 700
    human = rng.integers(1, 7, n).astype(float)
    codes = rng.choice(4, n, p=[0.5, 0.3, 0.15, 0.05])
    system = human + rng.normal(0.1, 0.7, n) - 0.3 * (codes == 2)
    found = run(human, system, codes, list("abcd"), [0, 1, 2, 3])
    error = system - human
    groups = np.column_stack([np.ones(n), *(codes == level for level in (1, 2, 3))]).astype(float)
    for key, outcome in (("osa", error**2), ("osd", error)):
        coefficients, errors, adjusted, residual = least_squares(groups, outcome)
        np.testing.assert_allclose(found[key].coefficients, coefficients, atol=1e-10)
        np.testing.assert_allclose(found[key].errors, errors, rtol=1e-9)
        assert found[key].r_squared == pytest.approx(adjusted, abs=1e-10)
        total = ((outcome - outcome.mean()) ** 2).sum()
        f = ((total - residual) / 3) / (residual / (n - 4))
        assert found[key].p == pytest.approx(stats.f.sf(f, 3, n - 4), rel=1e-7)
    most = int(np.bincount(human.astype(int)).argmax())
    scores = np.column_stack([human == score for score in range(1, 7) if score != most]).astype(float)
    full = np.column_stack([groups, scores])
    coefficients, errors, adjusted, residual = least_squares(full, error)
    null = least_squares(np.column_stack([np.ones(n), scores]), error)
    np.testing.assert_allclose(found["csd"].coefficients[:4], coefficients[:4], atol=1e-10)
    np.testing.assert_allclose(found["csd"].errors[:4], errors[:4], rtol=1e-9)
    assert found["csd"].r_squared == pytest.approx(adjusted - null[2], abs=1e-10)
    f = ((null[3] - residual) / 3) / (residual / (n - full.shape[1]))
    assert found["csd"].p == pytest.approx(stats.f.sf(f, 3, n - full.shape[1]), rel=1e-7)


def test_fairness_of_single_level() -> None:
    found = run(np.array([1.0, 2, 3]), np.array([1.2, 2.1, 2.7]), np.zeros(3, int), ["only"], [0])
    assert found["osd"].r_squared == 0.0
    assert np.isnan(found["osd"].p)


def test_human_score_of_small_groups_only_is_ignored() -> None:
    rng = np.random.default_rng(4)
    human = np.append(rng.integers(2, 5, 60), [1.0, 1.0]).astype(float)
    system = human + rng.normal(0, 0.5, 62)
    codes = np.append(np.arange(60) % 2, [2, 2])
    found = run(human, system, codes, ["a", "b", "small"], [0, 1])["csd"]
    alone = run(human[:60], system[:60], codes[:60], ["a", "b"], [0, 1])["csd"]
    assert np.isfinite(found.p)
    assert (found.r_squared, found.p) == pytest.approx((alone.r_squared, alone.p), abs=1e-12)


rejections = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "false_alarms.py"))["rejections"]


@pytest.mark.slow
@pytest.mark.parametrize(("reliability", "gap", "candidates"), [(0.65, 0.5, 0), (0.65, 0.5, 600), (0.5, 0.5, 0)])
def test_differences_given_true_score_keep_error_rate(reliability: float, gap: float, candidates: int) -> None:
    """In 300 samples, 5% is 15. Fewer than 6 or more than 25 indicates wrong errors."""
    csd, true = rejections(300, reliability, gap, rounded=True, candidates=candidates)
    assert 0.02 < true < 0.083
    assert csd > 0.9


def test_both_analyses_without_gap_keep_error_rate() -> None:
    csd, true = rejections(300, 0.65, 0.0, rounded=True)
    assert 0.02 < csd < 0.083
    assert 0.02 < true < 0.083


def cells(level: Floats, score: Floats, outcome: Floats, shape: tuple[int, int]) -> tuple[Floats, Floats, Floats]:
    """Return counts, sums, and the sum of squares of an outcome, as a stack of one."""
    n, total = np.zeros(shape), np.zeros(shape)
    np.add.at(n, (level, score), 1.0)
    np.add.at(total, (level, score), outcome)
    return n[None], total[None], (outcome**2).sum()[None]


def design(level: Floats, score: Floats) -> Floats:
    """Return intercept, contrasts of levels, contrasts of scores."""
    levels, scores = range(1, level.max() + 1), range(1, score.max() + 1)
    return np.column_stack([np.ones(len(level)), *(level == k for k in levels), *(score == k for k in scores)])


@pytest.mark.parametrize("seed", range(4))
def test_two_way_matches_least_squares(seed: int) -> None:
    rng = np.random.default_rng(seed)
    level = np.r_[np.arange(9), rng.integers(0, 9, 300)]
    score = np.clip(rng.integers(0, 3, 309) + level // 3, 0, 4)
    outcome = rng.normal(size=309) + 0.3 * level
    fit = two_way(*cells(level, score, outcome, (9, 5)))
    x = design(level, score)
    beta, *_ = np.linalg.lstsq(x, outcome, rcond=None)
    residual = ((outcome - x @ beta) ** 2).sum()
    errors = np.sqrt(np.diag(np.linalg.inv(x.T @ x)) * residual / (309 - 13))
    np.testing.assert_allclose(fit.coefficients[0], beta[:9], atol=1e-10)
    np.testing.assert_allclose(fit.errors[0], errors[:9], rtol=1e-9)
    assert (fit.rank[0], fit.freedom[0]) == (13, 296)
    assert fit.residual[0] == pytest.approx(residual, rel=1e-10)


def test_two_way_of_unlinked_levels_is_shortest_solution() -> None:
    level, score = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 1, 2, 2, 3])
    outcome = np.array([1.0, 2, 3, 5, 7, 6])
    fit = two_way(*cells(level, score, outcome, (2, 4)))
    expected = np.linalg.pinv(design(level, score)) @ outcome
    np.testing.assert_allclose(fit.coefficients[0], expected[:2], atol=1e-12)
    assert fit.rank[0] == np.linalg.matrix_rank(design(level, score)) == 4


def test_two_way_of_many_levels_is_fast() -> None:
    rng = np.random.default_rng(1)
    level = np.r_[np.arange(10_000), rng.integers(0, 10_000, 40_000)]
    score = np.where(level == 9_999, 6, rng.integers(0, 6, 50_000))
    outcome = rng.normal(size=50_000)
    sums = cells(level, score, outcome, (10_000, 7))
    began = process_time()
    fit = two_way(*sums)
    assert process_time() - began < 2
    assert parts(sums[0][0]).max() == 1
    assert np.isnan(fit.coefficients[0, 9_999])
    few = level < 3
    gap = outcome[few & (level == 1)].mean() - outcome[few & (level == 0)].mean()
    assert abs(fit.coefficients[0, 1] - gap) < 3
    assert fit.rank[0] == 10_000 + 7 - 2


def test_two_way_of_stack_matches_single_fits() -> None:
    rng = np.random.default_rng(3)
    n = rng.integers(1, 9, (4, 3, 5)).astype(float)
    n[1] = np.where(np.eye(3, 5) + np.eye(3, 5, 3) > 0, n[1], 0.0)  # levels without a score in common
    n[2, 0, :4] = 0.0
    total = rng.normal(size=n.shape) * n
    square = (total**2).sum((1, 2)) + 9
    stack = two_way(n, total, square)
    for item in range(4):
        alone = two_way(n[item : item + 1], total[item : item + 1], square[item : item + 1])
        for name in ("coefficients", "errors", "freedom", "residual", "total", "rank", "n"):
            np.testing.assert_allclose(getattr(stack, name)[item], getattr(alone, name)[0], rtol=1e-12, atol=1e-12)
