"""Combinations counted in parts and merged are those of all responses at once, and decide the same."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.evaluation.suppression import HUMAN, MOST_SCORES, MULTIPLE, REPORTED, Combinations, merged, suppression
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
    """Return the combinations among some responses, whose levels were numbered as they were met."""
    human, groups, all_items = rows
    coded = {}
    for name, (codes, labels) in groups.items():
        met = list(dict.fromkeys(labels[code] for code in codes[chosen]))
        coded[name] = (np.array([met.index(labels[code]) for code in codes[chosen]], np.intp), tuple(met))
    return Combinations.of(human[chosen], coded, all_items[chosen])


def counted(found: Combinations) -> Counter[tuple[object, ...]]:
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
def test_parts_merged_in_any_order_are_the_whole(seed: int, n: int, points: int, cuts: list[float]) -> None:
    rows = responses(seed, n, points)
    pieces = np.split(np.random.default_rng(seed).permutation(n), sorted(int(cut * n) for cut in cuts))
    parts = [part_of(rows, piece) for piece in pieces if len(piece)]
    together, whole = merged(parts[::-1]), part_of(rows, np.arange(n))
    assert counted(together) == counted(whole)
    assert together.labels == whole.labels
    assert suppression(together, 10) == suppression(whole, 10)


def test_combinations_are_the_rows_counted_one_by_one() -> None:
    human, groups, all_items = rows = responses(7, 90, 4)
    expected: Counter[tuple[object, ...]] = Counter()
    for place in range(90):
        given_ = np.isfinite(human[place])
        levels = (groups[name][1][groups[name][0][place]] for name in ("place", "sex"))
        expected[(*levels, bool(given_[1]), bool(given_.sum() > 1), bool(all_items[place]), human[place, 0])] += 1
    found = part_of(rows, np.arange(90))
    assert sorted(found.kinds) == [HUMAN, MULTIPLE, REPORTED]
    assert counted(found) == expected


def test_more_scores_than_are_shown_by_group_are_not_kept() -> None:
    group = {"g": (np.zeros(MOST_SCORES, np.intp), ("all",))}
    few = np.arange(MOST_SCORES, dtype=float)[:, np.newaxis]
    assert merged([Combinations.of(few, group)] * 2).scores is not None
    many = merged([Combinations.of(few, group), Combinations.of(few + 0.5, group)])
    assert many.scores is None
    assert many.counts.tolist() == [2 * MOST_SCORES]
    assert merged([many, Combinations.of(few, group)]).scores is None


def test_what_cannot_be_merged_is_refused() -> None:
    one = Combinations.of(np.ones((2, 1)), {"g": (np.zeros(2, np.intp), ("a",))})
    with pytest.raises(ValueError, match="must be some"):
        merged([])
    with pytest.raises(ValueError, match="same groupings"):
        merged([one, Combinations.of(np.ones((2, 2)), {"g": (np.zeros(2, np.intp), ("a",))})])
