"""Pairs of scores counted in batches match pairs counted in one pass."""

from collections import Counter

import numpy as np
import pytest

from reportgen.evaluation import counting
from reportgen.evaluation.counting import RankTable, ScoreCounter
from reportgen.evaluation.points import Preparation
from reportgen.results import Scale


def counted(seed: int, sizes: tuple[int, ...], scores: int) -> tuple[RankTable, np.ndarray, np.ndarray]:
    """Return the merged table of batches of random scores, and the scores."""
    rng = np.random.default_rng(seed)
    parts = [(rng.integers(0, 4, n).astype(float), rng.integers(0, scores, n) / scores * 3) for n in sizes]
    reference, judged = (np.concatenate(each) for each in zip(*parts, strict=True))
    return RankTable.merged([RankTable.of(*part, (0.0, 3.0)) for part in parts]), reference, judged


@pytest.mark.parametrize("sizes", [(1, 1, 5), (3000, 2, 700), (40, 40, 40)])
@pytest.mark.parametrize("scores", [3, 50, 1000])
def test_rank_table_counts_every_response(monkeypatch: pytest.MonkeyPatch, sizes: tuple[int, ...], scores: int) -> None:
    monkeypatch.setattr(counting, "MOST_CELLS", 1 << (6 if scores == 1000 else 30))
    found, reference, judged = counted(5, sizes, scores)
    group = np.minimum((judged / found.width).astype(int), int(3 / found.width) - 1) if found.width else judged
    expected = Counter(zip(reference.tolist(), group.tolist(), strict=True))
    columns = range(found.counts.shape[1]) if found.width else np.unique(judged).tolist()
    assert [[expected[row, g] for g in columns] for row in np.unique(reference).tolist()] == found.counts.tolist()
    assert (found.width > 0) == (scores == 1000 and len(judged) > 100)


def test_score_counter_detects_too_many_scores_in_any_batches() -> None:
    """The limit applies to all scores so far."""
    rng = np.random.default_rng(6)
    human = rng.permutation(np.linspace(1, 5, 4000))[:, None]
    for batches in (1, 4, 8, 10):
        counter = ScoreCounter(Scale(1, 5, 0, assumed=False), Preparation((1, 5), 0), withholds=False, ranks=True)
        for part in np.array_split(human, batches):
            counter.add(part[:, 0], part, {})
        assert counter.too_many_scores
