"""Items that hide nothing are told at once; whoever asks item by item finds the same."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from reportgen.evaluation.many_items import counted
from reportgen.evaluation.many_items.counted import BY_ITEM, hidden_levels, items_as_groups
from reportgen.evaluation.suppression import Combinations
from reportgen.tally import tally_of


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 9999),
    rows=st.integers(5, 150),
    raters=st.integers(1, 3),
    nested=st.booleans(),
    least=st.integers(2, 8),
    rare=st.floats(0.02, 0.5),
)
def test_the_quick_answer(seed: int, rows: int, raters: int, nested: bool, least: int, rare: float) -> None:
    rng = np.random.default_rng(seed)
    human = rng.integers(1, 5, (rows, raters)).astype(float)
    human[:, 1:][rng.random((rows, raters - 1)) < 0.5] = np.nan
    item = rng.integers(0, 4, rows)
    sex = rng.choice(3, rows, p=[0.6 - rare / 2, 0.4 - rare / 2, rare])
    school = rng.integers(0, 2, rows) + (2 * sex if nested else 0)
    items = (item, [f"i{code}" for code in range(4)])
    groups: dict[str, tuple[NDArray[np.integer], list[str]]] = {
        "sex": (sex, ["f", "m", "x"]),
        "school": (school, [f"s{code}" for code in range(6)]),
    }
    tally = tally_of(human[:, 0] + rng.normal(0, 0.4, rows), human, items_as_groups(items, groups))
    found = Combinations.of(np.where(np.isnan(human), np.nan, 1.0), {BY_ITEM: items, **groups})
    quick = hidden_levels(tally, ("sex", "school"), found, least)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counted, "_doubtful", lambda found, _: np.ones(len(found.labels["by item"]), bool))
        asked = hidden_levels(tally, ("sex", "school"), found, least)
    for grouping, mask in asked.items():
        np.testing.assert_array_equal(quick[grouping].levels, mask.levels)
        np.testing.assert_array_equal(quick[grouping].twice, mask.twice)
