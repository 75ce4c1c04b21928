"""Groupings that are counted together have the sums that each has alone, whatever labels and cells come later."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.tally import OVERALL, Tally, dense, kernel
from reportgen.tally.kernel import Tallier

BOUNDS = (0.5, 4.5)
NAMES = ("sex", "grade", "place")


def batches(
    seed: int, sizes: list[int]
) -> list[tuple[np.ndarray, np.ndarray, dict[str, tuple[np.ndarray, list[str]]]]]:
    """Return batches whose scores widen and whose labels grow."""
    rng = np.random.default_rng(seed)
    made = []
    for number, size in enumerate(sizes, start=1):
        human = rng.integers(1, 3 + number, (size, 2)).astype(float)
        human[rng.random(size) < 0.4, 1] = np.nan
        system = human[:, 0] + rng.normal(0, 0.3 * number, size)
        groups = {
            name: (rng.integers(0, levels, size), [f"{name}{code}" for code in rng.permutation(levels)])
            for name, levels in zip(NAMES, (2, 1 + number, 7), strict=True)
        }
        made.append((human, system, groups))
    return made


def tallied(parts: list[tuple[np.ndarray, np.ndarray, dict[str, tuple[np.ndarray, list[str]]]]]) -> Tally:
    tallier = Tallier(BOUNDS)
    for human, system, groups in parts:
        tallier.add(human, system, groups)
    return tallier.tally()


@settings(deadline=None, max_examples=40)
@given(
    sizes=st.lists(st.integers(1, 120), min_size=1, max_size=5),
    seed=st.integers(0, 999),
    most=st.sampled_from([0, 400, 3000, 1 << 20]),
    block=st.sampled_from([16, 1000]),
)
def test_counts_and_sums(sizes: list[int], seed: int, most: int, block: int) -> None:
    parts = batches(seed, sizes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dense, "MANY_ROWS", 1 << 30)
        apart = tallied(parts)
        patch.setattr(dense, "MANY_ROWS", 8)
        patch.setattr(dense, "MOST_POSITIONS", most)
        patch.setattr(kernel, "BLOCK_ROWS", block)
        together = tallied(parts)
    np.testing.assert_array_equal(together.cells.keys(), apart.cells.keys())
    for name in (OVERALL, *NAMES):
        found, expected = together.slices[name], apart.slices[name]
        assert found.labels == expected.labels
        for field in ("level", "cell", "minimum", "maximum"):
            np.testing.assert_array_equal(getattr(found, field), getattr(expected, field))
        np.testing.assert_array_equal(found.sums[0], expected.sums[0])
        np.testing.assert_allclose(found.sums, expected.sums, rtol=0, atol=1e-11)
