"""Counts of two systems together match sums over rows for any batches."""

import pickle
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from reportgen.tally import TRIMMED, tally_of
from reportgen.tally.features import moments
from reportgen.tally.kernel import MONOMIALS, PairedTallier, PairedTally, merge_paired, state_of

BOUNDS = ((0.5, 6.5), (1.0, 6.0))
LABELS = ("x", "y", "z")


def drawn(n: int, seed: int, *, step: float = 1.0, spread: float = 0.4) -> tuple[Any, ...]:
    """Return scores of two systems, ratings of two raters, and group codes."""
    rng = np.random.default_rng(seed)
    true = rng.normal(3.5, 1, n)
    human = np.rint((true[:, None] + rng.normal(0, 0.5, (n, 2))) / step) * step
    human[rng.random(n) < 0.4, 1] = np.nan
    return *(true + rng.normal(0, spread, n) for _ in range(2)), human, rng.integers(0, 3, n)


def plainly(first: Any, second: Any, human: Any, codes: Any) -> dict[Any, Any]:
    """Return the sums, computed row by row."""
    sums: dict[Any, Any] = defaultdict(lambda: np.zeros(len(MONOMIALS)))
    states = [state_of(scores, human[:, 0], bounds) for scores, bounds in zip((first, second), BOUNDS, strict=True)]
    for row in range(len(first)):
        r, s = np.rint(first[row]), np.rint(second[row])
        u = first[row] - r
        w = (second[row] - s) - u
        ratings = tuple(np.where(np.isnan(human[row]), -np.inf, human[row]).tolist())
        key = (LABELS[codes[row]], *ratings, r, states[0][row], s, states[1][row])
        sums[key] += [u**i * w**j for i, j in MONOMIALS]
    return sums


def listed(tally: PairedTally, grouping: str) -> dict[Any, Any]:
    """Return the entries of a grouping by label and scores."""
    slices, keys = tally.slices[grouping], tally.keys().tolist()
    return {
        (slices.labels[level], *keys[cell]): slices.sums[:, place]
        for place, (level, cell) in enumerate(zip(slices.level.tolist(), slices.cell.tolist(), strict=True))
    }


def in_batches(size: int, first: Any, second: Any, human: Any, codes: Any) -> PairedTally:
    tallier = PairedTallier(BOUNDS)
    for start in range(0, len(first), size):
        rows = slice(start, start + size)
        tallier.add(human[rows], first[rows], second[rows], {"g": (codes[rows], LABELS)})
    return tallier.tally()


@pytest.mark.parametrize("step", [1.0, 0.5, 0.01])
@pytest.mark.parametrize("size", [1000, 37])
def test_paired_sums_match_rows(step: float, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reportgen.tally.kernel.ROWS_AT_A_TIME", 90)
    made = drawn(400, 3, step=step)
    made[0][200:] *= 1 + (np.arange(200) > 150)  # far outside the range of the first rows
    tally, expected = in_batches(size, *made), plainly(*made)
    found = listed(tally, "g")
    assert found.keys() == expected.keys()
    for key, sums in expected.items():
        np.testing.assert_allclose(found[key], sums, rtol=1e-13, atol=1e-13, err_msg=str(key))
    overall = listed(tally, "")
    assert sum(sums[0] for sums in overall.values()) == tally.n == 400
    for key, sums in overall.items():
        np.testing.assert_allclose(sums, sum(expected.get((label, *key[1:]), 0) for label in LABELS), atol=1e-13)


def test_paired_parts_add_up_after_pickling() -> None:
    made = drawn(500, 5)
    parts = [in_batches(100, *(column[start : start + 125] for column in made)) for start in range(0, 500, 125)]
    whole, again = merge_paired(pickle.loads(pickle.dumps(parts))), merge_paired(parts[::-1])
    assert listed(whole, "g").keys() == listed(again, "g").keys()
    np.testing.assert_allclose(whole.slices["g"].sums, again.slices["g"].sums, rtol=1e-13, atol=1e-13)


def test_side_of_paired_tally_matches_tally() -> None:
    first, second, human, codes = drawn(300, 7)
    groups = {"g": (codes, LABELS)}
    own = moments(tally_of(first, human, groups, BOUNDS[0]), "g", TRIMMED)
    side = in_batches(300, first, second, human, codes).side(0)
    slices = side.slices["g"]
    assert slices.labels == own.labels
    np.testing.assert_array_equal(np.bincount(slices.level, slices.sums[0]), own.sums[:, 0])
    np.testing.assert_allclose(slices.sums[1].sum(), (first - np.rint(first)).sum(), atol=1e-12)
