"""Withheld groups cannot be computed from shown groups, compared with brute force on responses."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.privacy import NONE, Partition, withheld

LEAST = 10


def everyone(n: int) -> Partition:
    return Partition(np.zeros(n, np.intp), 1, always_shown=True)


def sets(partitions: list[Partition], hidden: list[np.ndarray], *, shown: bool) -> list[frozenset[int]]:
    """Return the shown or the withheld levels as sets of responses."""
    return [
        frozenset(np.flatnonzero(partition.codes == level).tolist())
        for partition, mask in zip(partitions, hidden, strict=True)
        for level in range(partition.levels)
        if mask[level] != shown and (partition.codes == level).any()
    ]


def recovered(partitions: list[Partition], hidden: list[np.ndarray]) -> list[frozenset[int]]:
    """Return small withheld levels in the span of shown levels, by least squares."""
    n = len(partitions[0].codes)

    def column(members: frozenset[int]) -> np.ndarray:
        made = np.zeros(n)
        made[list(members)] = 1.0
        return made

    matrix = np.column_stack([column(members) for members in sets(partitions, hidden, shown=True)])
    hiding = [members for members in sets(partitions, hidden, shown=False) if len(members) < LEAST]
    if not hiding:
        return []
    targets = np.column_stack([column(members) for members in hiding])
    left = np.abs(matrix @ np.linalg.lstsq(matrix, targets, rcond=None)[0] - targets).max(axis=0)
    return [members for members, rest in zip(hiding, left, strict=True) if rest < 1e-8]


@settings(max_examples=90, deadline=None)
@given(st.integers(0, 10**6), st.integers(20, 150), st.integers(1, 3))
def test_small_groups_cannot_be_recovered(seed: int, n: int, groupings: int) -> None:
    rng = np.random.default_rng(seed)
    partitions = [everyone(n)]
    for _ in range(groupings):
        levels = int(rng.integers(2, 7))
        codes = rng.choice(levels, n, p=rng.dirichlet(np.full(levels, 0.7)))
        partitions.append(Partition(np.where(rng.random(n) < 0.05, NONE, codes), levels))
    if groupings > 1:
        a, b = partitions[1], partitions[2]
        both = np.where((a.codes < 0) | (b.codes < 0), NONE, a.codes * b.levels + b.codes)
        partitions.append(Partition(both, a.levels * b.levels))
    hidden = withheld(partitions, LEAST)
    for partition, mask in zip(partitions[1:], hidden[1:], strict=True):
        sizes = np.bincount(partition.codes[partition.codes >= 0], minlength=partition.levels)
        assert not ((sizes > 0) & (sizes < LEAST) & ~mask).any()
    assert not recovered(partitions, hidden)
    whole = [frozenset(np.flatnonzero(p.codes == level)) for p, m in zip(partitions, hidden, strict=True)
             for level in range(p.levels) if not m[level]]  # fmt: skip
    for outer in whole:
        for partition, mask in zip(partitions, hidden, strict=True):
            rest = set(outer)
            for level in np.flatnonzero(~mask):
                inner = set(np.flatnonzero(partition.codes == level))
                if inner <= outer:
                    rest -= inner
            assert rest == set(outer) or not rest or len(rest) >= LEAST


def test_small_group_withholds_another_if_alone() -> None:
    one = np.repeat([0, 1, 2], [30, 20, 4])
    assert withheld([everyone(54), Partition(one, 3)], LEAST)[1].tolist() == [False, True, True]
    two = np.repeat([0, 1, 2], [30, 6, 4])
    assert withheld([everyone(40), Partition(two, 3)], LEAST)[1].tolist() == [False, True, True]
    few = np.repeat([0, 1, 2, 3], [30, 20, 3, 4])  # both together are seven, which is too few
    assert withheld([everyone(57), Partition(few, 4)], LEAST)[1].tolist() == [False, True, True, True]


def test_nested_group_is_protected_from_parent() -> None:
    district = np.repeat([0, 1], [43, 57])
    school = np.repeat([0, 1, 2, 3], [40, 3, 30, 27])
    hidden = withheld([everyone(100), Partition(district, 2), Partition(school, 4)], LEAST)
    assert not hidden[1].any()
    assert hidden[2].tolist() == [True, True, False, False]


def test_combination_of_three_groupings_is_protected() -> None:
    """p = (pq + pr - qr) / 2, although no shown level is a subset of another."""
    place = np.repeat(np.arange(4), [5, 20, 21, 22])

    def pairs(codes: list[int]) -> Partition:
        return Partition(np.array(codes)[place], 2)

    single = Partition(np.where(place == 0, 0, NONE), 1)
    partitions = [everyone(len(place)), pairs([0, 0, 1, 1]), pairs([0, 1, 0, 1]), pairs([0, 1, 1, 0]), single]
    shown = [np.zeros(p.levels, bool) for p in partitions]
    shown[-1][0] = True
    assert recovered(partitions, shown)
    hidden = withheld(partitions, LEAST)
    assert hidden[-1].all()
    assert not recovered(partitions, hidden)


@pytest.mark.parametrize("least", [1, 2])
def test_groups_at_the_minimum_are_shown(least: int) -> None:
    codes = np.repeat([0, 1, 2], [least, least, 5])
    assert not any(mask.any() for mask in withheld([everyone(len(codes)), Partition(codes, 3)], least))


def test_combination_of_scores_and_groups_is_protected() -> None:
    """Groups are crossed with a small grouping and with scores, whose totals are public."""
    rng = np.random.default_rng(8)
    group, half = np.repeat(np.arange(5), 50), rng.integers(0, 2, 250)
    score = rng.choice(4, 250, p=[0.1, 0.2, 0.5, 0.2])
    partitions = [everyone(250), Partition(score, 4, always_shown=True)]
    partitions += [Partition(codes, levels) for codes, levels in (
        (group, 5), (half, 2), (group * 2 + half, 10), (group * 4 + score, 20), (half * 4 + score, 8),
        ((group * 2 + half) * 4 + score, 40),
    )]  # fmt: skip
    small = [np.bincount(p.codes, minlength=p.levels) < LEAST for p in partitions]
    assert recovered(partitions, small)
    hidden = withheld(partitions, LEAST)
    assert not recovered(partitions, hidden)
    assert 0 < sum(mask.sum() for mask in hidden) < sum(mask.size for mask in hidden)


def test_ten_thousand_groups_take_seconds() -> None:
    rng = np.random.default_rng(3)
    sizes = np.where(rng.random(10_000) < 0.3, 1, rng.integers(10, 30, 10_000))
    codes = np.repeat(np.arange(10_000), sizes)
    score, twice = rng.integers(0, 6, len(codes)), rng.random(len(codes)) < 0.2
    partitions = [
        everyone(len(codes)), Partition(np.where(twice, 0, NONE), 1, always_shown=True),
        Partition(score, 6, always_shown=True), Partition(codes, 10_000),
        Partition(np.where(twice, codes, NONE), 10_000), Partition(codes * 6 + score, 60_000),
    ]  # fmt: skip
    begun = time.process_time()
    hidden = withheld(partitions, LEAST)
    assert time.process_time() - begun < 10
    assert hidden[3][sizes < LEAST].all()
    assert not hidden[3][sizes >= LEAST].all()
