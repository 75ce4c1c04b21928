"""Combinations counts_of in parts and merged are the same as combinations of all responses."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from reportgen.evaluation.many_items import counted
from reportgen.evaluation.many_items.counted import BY_ITEM, hidden_levels, items_as_groups
from reportgen.evaluation.suppression import HUMAN, MOST_SCORES, MULTIPLE, REPORTED, Combinations, merged, suppression
from reportgen.tally import tally_of
from reportgen.tally.sums import Floats, Integers

Rows = tuple[Floats, dict[str, tuple[Integers, tuple[str, ...]]], np.ndarray]


def responses(seed: int, n: int, points: int) -> Rows:
    rng = np.random.default_rng(seed)
    human = rng.integers(0, points, (n, 3)).astype(float)
    human[:, 1:][rng.random((n, 2)) < 0.6] = np.nan
    place = rng.choice(5, n, p=rng.dirichlet(np.full(5, 0.7)))
    groups = {"place": (place, ("e", "d", "c", "b", "a")), "sex": (rng.integers(0, 2, n), ("f", "m"))}
    return human, groups, rng.random(n) < 0.8


def part_of(rows: Rows, chosen: Integers) -> Combinations:
    """Return the combinations of some responses, with levels in order of appearance."""
    human, groups, all_items = rows
    coded = {}
    for name, (codes, labels) in groups.items():
        met = list(dict.fromkeys(labels[code] for code in codes[chosen]))
        coded[name] = (np.array([met.index(labels[code]) for code in codes[chosen]], np.intp), tuple(met))
    return Combinations.of(human[chosen], coded, all_items[chosen])


def counts_of(found: Combinations) -> Counter[tuple[object, ...]]:
    """Return the responses of each combination by names."""
    return Counter({
        (
            *(found.labels[name][found.codes[name][place]] for name in sorted(found.codes)),
            *(bool(found.kinds[kind][place]) for kind in sorted(found.kinds)),
            None if found.scores is None else float(found.points[found.scores[place]]),
        ): int(found.counts[place])
        for place in range(len(found.counts))
    })  # fmt: skip


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(5, 120),
    points=st.sampled_from([1, 4, 26, 60]),
    cuts=st.lists(st.floats(0, 1), max_size=4),
)
def test_merged_parts_match_all_responses(seed: int, n: int, points: int, cuts: list[float]) -> None:
    rows = responses(seed, n, points)
    pieces = np.split(np.random.default_rng(seed).permutation(n), sorted(int(cut * n) for cut in cuts))
    parts = [part_of(rows, piece) for piece in pieces if len(piece)]
    together, whole = merged(parts[::-1]), part_of(rows, np.arange(n))
    assert counts_of(together) == counts_of(whole)
    assert together.labels == whole.labels
    assert suppression(together, 10) == suppression(whole, 10)


def test_combinations_match_rows() -> None:
    human, groups, all_items = rows = responses(7, 90, 4)
    expected: Counter[tuple[object, ...]] = Counter()
    for place in range(90):
        given_ = np.isfinite(human[place])
        levels = (groups[name][1][groups[name][0][place]] for name in ("place", "sex"))
        expected[(*levels, bool(given_[1]), bool(given_.sum() > 1), bool(all_items[place]), human[place, 0])] += 1
    found = part_of(rows, np.arange(90))
    assert sorted(found.kinds) == [HUMAN, MULTIPLE, REPORTED]
    assert counts_of(found) == expected


def test_combinations_with_many_scores_keep_none() -> None:
    group = {"g": (np.zeros(MOST_SCORES, np.intp), ("all",))}
    few = np.arange(MOST_SCORES, dtype=float)[:, np.newaxis]
    assert merged([Combinations.of(few, group)] * 2).scores is not None
    many = merged([Combinations.of(few, group), Combinations.of(few + 0.5, group)])
    assert many.scores is None
    assert many.counts.tolist() == [2 * MOST_SCORES]
    assert merged([many, Combinations.of(few, group)]).scores is None


def test_merged_rejects_different_groupings() -> None:
    one = Combinations.of(np.ones((2, 1)), {"g": (np.zeros(2, np.intp), ("a",))})
    with pytest.raises(ValueError, match="must be some"):
        merged([])
    with pytest.raises(ValueError, match="same groupings"):
        merged([one, Combinations.of(np.ones((2, 2)), {"g": (np.zeros(2, np.intp), ("a",))})])


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
def test_quick_hidden_levels_match_full_search(
    seed: int, rows: int, raters: int, nested: bool, least: int, rare: float
) -> None:
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
