"""What the line in the terminal says while rows are read: every row once, whoever reads it, and long before the end."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reportgen.machine.progress import Silent
from reportgen.passes import count
from reportgen.reports.item_tables import tables
from reportgen.settings import from_keywords

N = 40_000


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scores") / "scores.parquet"
    rng = np.random.default_rng(1)
    human = rng.integers(1, 6, N)
    table = {"human": human, "system": human + rng.normal(0, 0.5, N), "item": rng.integers(0, 5, N)}
    pq.write_table(pa.table(table), path, row_group_size=10_000)
    return path


class Heard(Silent):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.of: list[tuple[int, int]] = []
        self.stages: list[str] = []

    def stage(self, what: str) -> None:
        self.stages.append(what)

    def rows(self, done: int, total: int) -> None:
        self.of.append((done, total))


def test_a_count_in_batches_is_told_from_the_first_row_to_the_last(scores: Path) -> None:
    heard, settings = Heard(), from_keywords(system="system", human="human", scale="1:5", groups=[])
    count(scores, settings, heard, rows=1_000)
    done = [rows for rows, _ in heard.of]
    assert done[0] == 0
    assert done[-1] == N
    assert done == sorted(done)
    assert {total for _, total in heard.of} == {N}
    assert set(done) >= set(range(0, N, 1_000))


@pytest.mark.parametrize(("scale", "groups", "passes"), [("1:5", [], 1), (None, [], 2), (None, None, 2)])
def test_tables_of_items_are_told_of_every_pass(
    scale: str | None, groups: list[str] | None, passes: int, scores: Path
) -> None:
    alone, shared = Heard(), Heard()
    settings = from_keywords(by="item", system="system", human="human", groups=groups, scale=scale)
    made = tables(scores, settings, status=alone)
    for heard, found in ((alone, made), (shared, tables(scores, settings, workers=2, status=shared))):
        assert [rows for rows, _ in heard.of].count(0) == [rows for rows, _ in heard.of].count(N) == passes
        assert max(rows for rows, _ in heard.of) == N
        assert heard.stages == ["making the tables"]
        assert found.table("items").frame().equals(made.table("items").frame())
