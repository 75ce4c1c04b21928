"""Regressions of stacked items are those of each item alone."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.evaluation.fairness import analyses
from reportgen.evaluation.many_items.regressions import stacked_analyses
from reportgen.tally.tables import ErrorSums


def error_sums(seed: int, items: int, levels: int, scores: int, dense: float, perfect: bool) -> np.ndarray:
    """Return sums of drawn errors; every level and score has a response, others come and go."""
    rng = np.random.default_rng(seed)
    sums = np.zeros((5, items, levels, scores))
    for item in range(items):
        n = rng.integers(1, 9, (levels, scores)) * (rng.random((levels, scores)) < dense)
        n[np.arange(levels), rng.permutation(max(levels, scores))[:levels] % scores] += 1
        n[rng.permutation(max(levels, scores))[:scores] % levels, np.arange(scores)] += 1
        for level, score in zip(*np.nonzero(n), strict=True):
            errors = np.zeros(n[level, score]) if perfect else rng.normal(0.1 * level, 0.6, n[level, score])
            sums[:, item, level, score] = [(errors**power).sum() for power in range(5)]
    return sums


@settings(deadline=None, max_examples=80)
@given(
    seed=st.integers(0, 9999),
    items=st.integers(1, 4),
    levels=st.integers(2, 5),
    scores=st.integers(1, 5),
    dense=st.sampled_from([0.0, 0.3, 1.0]),
    perfect=st.booleans(),
    continuous=st.booleans(),
)
def test_every_item(
    seed: int, items: int, levels: int, scores: int, dense: float, perfect: bool, continuous: bool
) -> None:
    sums = error_sums(seed, items, levels, scores, dense, perfect)
    human = np.tile(np.where(continuous, np.nan, np.arange(scores, dtype=float)), (items, 1))
    found = stacked_analyses(sums, human)
    for item in range(items):
        expected = analyses(ErrorSums(("",) * levels, human[item], sums[:, item]), list(range(levels)))
        for mine, theirs in zip(found, expected, strict=True):
            for value, wanted in (
                (mine.coefficients[item], theirs.fit.coefficients[:levels]),
                (mine.errors[item], theirs.fit.errors[:levels]),
                (mine.freedom[item], theirs.fit.freedom),
                (mine.r_squared[item], theirs.r_squared),
                (mine.p[item], theirs.p),
            ):
                np.testing.assert_allclose(value, wanted, rtol=1e-9, atol=1e-11, err_msg=theirs.key)
