"""The fairness analyses against published coefficients and against least squares on the rows."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from reportgen.evaluation.fairness import Analysis, analyses
from reportgen.tally import AS_GIVEN, tally_of
from reportgen.tally.contingency_tables import error_sums

Floats = NDArray[Any]


def run(human: Floats, system: Floats, codes: Floats, labels: list[str], order: list[int]) -> dict[str, Analysis]:
    tally = tally_of(system, human, {"g": (codes, labels)})
    return analyses(error_sums(tally, "g", AS_GIVEN), order)


def test_coefficients_published_with_the_method() -> None:
    """Worked example of RSMTool's test suite (Apache-2.0): base group E, other group K."""
    found = run(np.array([2.0, 3, 2, 3]), np.array([1, 1.5, 3, 3.5]), np.array([1, 1, 0, 0]), ["E", "K"], [0, 1])
    np.testing.assert_allclose(found["osa"].coefficients, [0.625, 1.0], atol=1e-12)
    np.testing.assert_allclose(found["osd"].coefficients, [0.75, -2.0], atol=1e-12)
    np.testing.assert_allclose(found["csd"].coefficients[:2], [1.0, -2.0], atol=1e-12)


def test_no_difference_at_all_has_p_of_one() -> None:
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


def test_agrees_with_least_squares_on_rows() -> None:
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


def test_one_level_has_nothing_to_explain() -> None:
    found = run(np.array([1.0, 2, 3]), np.array([1.2, 2.1, 2.7]), np.zeros(3, int), ["only"], [0])
    assert found["osd"].r_squared == 0.0
    assert np.isnan(found["osd"].p)


def test_a_human_score_that_only_small_groups_were_given_is_no_level_of_the_model() -> None:
    rng = np.random.default_rng(4)
    human = np.append(rng.integers(2, 5, 60), [1.0, 1.0]).astype(float)
    system = human + rng.normal(0, 0.5, 62)
    codes = np.append(np.arange(60) % 2, [2, 2])
    found = run(human, system, codes, ["a", "b", "small"], [0, 1])["csd"]
    alone = run(human[:60], system[:60], codes[:60], ["a", "b"], [0, 1])["csd"]
    assert np.isfinite(found.p)
    assert (found.r_squared, found.p) == pytest.approx((alone.r_squared, alone.p), abs=1e-12)
