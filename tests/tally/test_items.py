"""Slices of many items match tallies of the same responses."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.evaluation.many_items.counted import BY_ITEM, Inside, items_as_groups, within
from reportgen.tally import OVERALL, Tallier, Tally, kernel, tally_of

BOUNDS = (0.5002, 4.4998)


def responses(rows: int, seed: int, step: float = 1.0) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return engine scores, ratings, items, and groups. The last item and the last group are rare."""
    rng = np.random.default_rng(seed)
    human = np.rint(rng.uniform(1, 4, (rows, 2)) / step) * step
    human[rng.random(rows) < 0.6, 1] = np.nan
    system = human[:, 0] + rng.normal(0, 0.8, rows)
    return system, human, rng.choice(4, rows, p=[0.5, 0.3, 0.19, 0.01]), rng.choice(3, rows, p=[0.6, 0.38, 0.02])


def tallied(batches: Sequence[tuple[np.ndarray, ...]], bounds: tuple[float, float] = BOUNDS) -> Tally:
    tallier = Tallier(bounds)
    for number, (system, human, item, group) in enumerate(batches):
        order = np.roll(np.arange(4), number)  # every batch has another order of labels
        labels = np.array(["d", "b", "a", "c"])[order]
        codes = np.argsort(order)[item]
        tallier.add(human, system, items_as_groups((codes, labels.tolist()), {"sex": (group, ["m", "f", "x"])}))
    return tallier.tally()


def check(found: Tally, batches: Sequence[tuple[np.ndarray, ...]]) -> None:
    """Compare every slice with a tally of its rows."""
    system, human, item, group = (np.concatenate([batch[place] for batch in batches]) for place in range(4))
    items, groups = np.array(["d", "b", "a", "c"])[item], np.array(["m", "f", "x"])[group]
    inside = Inside.of(found, "sex")
    by_item, by_both = found.slices[BY_ITEM], found.slices[within("sex")]
    assert by_item.labels == tuple(sorted(set(items)))
    assert len(by_both.labels) == len({*zip(items, groups, strict=True)})
    wanted = [(by_item, place, items == label) for place, label in enumerate(by_item.labels)]
    wanted += [
        (by_both, place, (items == by_item.labels[inside.item[place]]) & (groups == label))
        for place, label in enumerate(inside.labels)
    ]
    wanted.append((found.slices[OVERALL], 0, np.ones(len(items), bool)))
    for slices, place, rows in wanted:
        alone = tally_of(system[rows], human[rows], None, found.bounds)
        mine = slices.level == place
        np.testing.assert_array_equal(found.cells.keys()[slices.cell[mine]], alone.cells.keys())
        np.testing.assert_array_equal(slices.sums[0, mine], alone.slices[OVERALL].sums[0])
        np.testing.assert_allclose(slices.sums[:, mine], alone.slices[OVERALL].sums, rtol=0, atol=1e-9)
        assert slices.minimum[place] == system[rows].min()
        assert slices.maximum[place] == system[rows].max()


@pytest.mark.parametrize("rows", [50, 1 << 20])
def test_item_slices_match_tallies_of_rows(monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    monkeypatch.setattr(kernel, "ROWS_AT_A_TIME", rows)
    batches = [responses(400, 1), responses(900, 2), responses(30, 3)]
    check(tallied(batches), batches)


def test_item_slices_with_half_points_and_distant_scores_match(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "ROWS_AT_A_TIME", 300)
    far = responses(300, 5)
    far[0][:] += 40
    batches = [responses(300, 4), far, responses(300, 6, 0.5), responses(300, 7)]
    check(tallied(batches), batches)


@settings(deadline=None, max_examples=30)
@given(sizes=st.lists(st.integers(1, 40), min_size=1, max_size=4), seed=st.integers(0, 99))
def test_item_slices_of_small_batches_match(sizes: list[int], seed: int) -> None:
    batches = [responses(size, seed + place) for place, size in enumerate(sizes)]
    check(tallied(batches, (-np.inf, np.inf)), batches)
