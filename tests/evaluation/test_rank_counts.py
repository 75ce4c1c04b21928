"""Pairs of scores counted batch by batch are those counted one by one, whether batches are small or large."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from reportgen.evaluation import counting
from reportgen.evaluation.counting import RankTable


def counted(seed: int, sizes: tuple[int, ...], scores: int) -> tuple[RankTable, np.ndarray, np.ndarray]:
    """Return the table of batches of random scores, and their scores."""
    rng = np.random.default_rng(seed)
    parts = [(rng.integers(0, 4, n).astype(float), rng.integers(0, scores, n) / scores * 3) for n in sizes]
    reference, judged = (np.concatenate(each) for each in zip(*parts, strict=True))
    return RankTable.merged([RankTable.of(*part, (0.0, 3.0)) for part in parts]), reference, judged


@pytest.mark.parametrize("sizes", [(1, 1, 5), (3000, 2, 700), (40, 40, 40)])
@pytest.mark.parametrize("scores", [3, 50])
def test_distinct_scores_are_counted_one_by_one(sizes: tuple[int, ...], scores: int) -> None:
    found, reference, judged = counted(4, sizes, scores)
    expected = Counter(zip(reference.tolist(), judged.tolist(), strict=True))
    rows, columns = np.unique(reference), np.unique(judged)
    assert found.width == 0
    assert found.counts.shape == (len(rows), len(columns))
    assert [[expected[row, column] for column in columns.tolist()] for row in rows.tolist()] == found.counts.tolist()


@pytest.mark.parametrize("sizes", [(1, 1, 5), (3000, 2, 700)])
def test_grouped_scores_keep_every_response(monkeypatch: pytest.MonkeyPatch, sizes: tuple[int, ...]) -> None:
    monkeypatch.setattr(counting, "MOST_CELLS", 1 << 6)
    found, reference, judged = counted(5, sizes, 1000)
    if found.width:
        group = np.minimum((judged / found.width).astype(int), int(3 / found.width) - 1)
        expected = Counter(zip(reference.tolist(), group.tolist(), strict=True))
        used = range(found.counts.shape[1])
        assert [[expected[row, g] for g in used] for row in np.unique(reference).tolist()] == found.counts.tolist()
    assert (found.width > 0) == (len(judged) > 100)
    assert found.counts.sum() == len(judged)
