"""Dependencies found once and searches made anew give the same answer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen import privacy
from reportgen.privacy import NONE, Partition
from reportgen.privacy.dependencies import Dependencies
from reportgen.privacy.partitions import atoms
from reportgen.privacy.search import Search


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(8, 300), st.integers(1, 4), st.floats(0.02, 0.6))
def test_both_ways_tell_the_same_levels_by_the_same_sums(seed: int, n: int, groupings: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    partitions = [Partition(np.zeros(n, np.intp), 1, always_shown=True)]
    for _ in range(groupings):
        levels = int(rng.integers(2, 9))
        codes = rng.choice(levels, n, p=rng.dirichlet(np.full(levels, 0.7)))
        partitions.append(Partition(np.where(rng.random(n) < 0.1, NONE, codes), levels))
    first, last = partitions[1], partitions[-1]
    both = np.where((first.codes < 0) | (last.codes < 0), NONE, first.codes * last.levels + last.codes)
    partitions, _ = atoms([*partitions, Partition(both, first.levels * last.levels)], np.ones(n))
    hidden = [(rng.random(p.levels) < share) & ~np.bool_(p.always_shown) for p in partitions]
    hidden = [mask & (p.sums(np.ones(len(p.codes))) > 0) for mask, p in zip(hidden, partitions, strict=True)]
    found, searched = Dependencies(partitions), Search(partitions)
    told = found.told(hidden)
    assert told == searched.told(hidden)
    wanted = {place: float(rng.uniform(1, 2)) for place in told}
    if not wanted:
        return
    for one, other in zip(found.weights(hidden, wanted), searched.weights(hidden, wanted), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-7)
    left = np.zeros(len(partitions[0].codes))
    for index, partition in enumerate(partitions):
        weights = found.weights(hidden, wanted)[index]
        assert not weights[hidden[index]].any()
        left += np.append(weights, 0.0)[partition.codes]
        left -= sum(amount * (partition.codes == level) for (of, level), amount in wanted.items() if of == index)
    assert np.abs(left).max() < 1e-9


def test_what_is_withheld_does_not_depend_on_which_way_is_taken() -> None:
    rng = np.random.default_rng(2)
    place, score, sex = rng.choice(9, 600), rng.choice(5, 600, p=[0.04, 0.3, 0.3, 0.3, 0.06]), rng.integers(0, 2, 600)
    partitions = [
        Partition(score, 5, always_shown=True),
        Partition(place * 5 + score, 45),
        Partition(sex * 5 + score, 10),
    ]
    once = privacy.withheld(partitions, 12)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(privacy, "FEW_LEVELS", 0)
        searched = privacy.withheld(partitions, 12)
    assert [mask.tolist() for mask in once] == [mask.tolist() for mask in searched]
    assert 0 < sum(mask.sum() for mask in once) < 55
