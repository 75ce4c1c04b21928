"""What a cluster sends and adds: tallies of many parts, merged two by two, beside the tally of all rows at once.

    python benchmarks/merge_tree.py [PARTS] [ROWS_PER_PART]

Prints the bytes of a part's tally, CPU time of counting and of merging, and the arithmetic for a billion rows in 4,000
parts; fails unless the counts of the tree are those of one pass.
"""

from __future__ import annotations

import pickle
import sys
import time

import numpy as np

from reportgen.tally import Tallier, Tally, merge

BILLION, PARTS_OF_A_BILLION = 1_000_000_000, 4_000


def rows(number: int, n: int) -> tuple[np.ndarray, np.ndarray, dict[str, tuple[np.ndarray, list[str]]]]:
    """Return human scores, system scores and 69 groups of a part, always the same for its number."""
    rng = np.random.default_rng([7, number])
    true = rng.normal(3.5, 1, n)
    human = np.clip(np.rint(true[:, None] + rng.normal(0, 0.6, (n, 2))), 1, 6)
    human[rng.random(n) < 0.5, 1] = np.nan
    groups = {
        name: (rng.integers(0, k, n), [f"{name}{i:02d}" for i in range(k)])
        for name, k in (("item", 50), ("language", 10), ("gender", 3), ("grade", 6))
    }
    return human, true + rng.normal(0, 0.4, n), groups


def main() -> None:
    """Count, merge, compare, and say what it took."""
    parts, n = int(sys.argv[1]) if len(sys.argv) > 1 else 64, int(sys.argv[2]) if len(sys.argv) > 2 else 250_000
    whole, sent, counting = Tallier(), [], 0.0
    for number in range(parts):
        data = rows(number, n)
        began = time.process_time()
        alone = Tallier()
        alone.add(*data)
        sent.append(pickle.dumps(alone.tally()))
        counting += time.process_time() - began
        whole.add(*data)
    sizes = [len(text) for text in sent]
    began = time.process_time()
    level: list[Tally] = [pickle.loads(text) for text in sent]
    merges = 0
    while len(level) > 1:
        pairs = [level[i : i + 2] for i in range(0, len(level), 2)]
        merges += sum(len(pair) == 2 for pair in pairs)
        level = [merge(pair) if len(pair) == 2 else pair[0] for pair in pairs]
    merging = time.process_time() - began
    once, tree = whole.tally(), level[0]
    assert tree.n == once.n == parts * n
    assert np.array_equal(tree.cells.keys(), once.cells.keys())
    worst = 0.0
    for name, slices in once.slices.items():
        assert np.array_equal(tree.slices[name].sums[0], slices.sums[0])
        worst = max(worst, float(np.abs(tree.slices[name].sums - slices.sums).max()))
    size, per_merge = max(sizes), merging / max(merges, 1)
    print(f"{parts} parts of {n:,} rows: counts identical, power sums differ by {worst:.1e} at most")
    print(f"tally of a part {size / 1e6:.2f} MB at most, of all {len(pickle.dumps(tree)) / 1e6:.2f} MB")
    print(f"counting {counting / parts / n * 1e9:.0f} ns a row, a merge {per_merge * 1e3:.1f} ms")
    print(
        f"a billion rows in {PARTS_OF_A_BILLION:,} parts: {BILLION * counting / parts / n:.0f} s of counting, "
        f"{PARTS_OF_A_BILLION * size / 1e9:.2f} GB sent, "
        f"{(PARTS_OF_A_BILLION - 1) * per_merge:.0f} s of merging in all, "
        f"{np.ceil(np.log2(PARTS_OF_A_BILLION)) * per_merge:.2f} s along the longest way of the tree"
    )


main()
