"""Test rows by part: the file returns the rows of the table, in order."""

import pickle
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.scores import items
from reportgen.scores.items import PartedRows
from reportgen.sources.columns import slim


def table_of(n: int, seed: int) -> Any:
    """Return columns of every kind, in chunks whose dictionaries differ."""
    rng = np.random.default_rng(seed)
    labels = [[str(rng.choice(["a", "b", "ä", ""])) if rng.random() < 0.8 else None for _ in range(n)] for _ in "xy"]
    cuts = sorted({0, n // 3, n // 2, n})
    return pa.table({"id": [f"r{row}" for row in range(n)], "score": pa.array([int(row % 7) if row % 5 else None
        for row in range(n)], pa.int64()), "engine": rng.normal(size=n), "": labels[0],
        "coded": pa.chunked_array([pa.array(labels[1][start:stop], pa.string()).dictionary_encode() for start,
        stop in pairwise(cuts)] or [pa.array([], pa.string()).dictionary_encode()])})  # fmt: skip


@pytest.mark.parametrize("run_rows", [1, 7, 1_000])
@pytest.mark.parametrize("n", [1, 40])
def test_the_file_returns_the_rows_of_the_table(
    n: int, run_rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(items, "RUN_ROWS", run_rows)
    codes = np.random.default_rng(n).integers(0, 4, n).astype(np.uint16)
    codes[0] = 2
    sizes = np.bincount(codes, minlength=5).tolist()
    table = table_of(n, 3)
    rows = PartedRows.of(table, codes, sizes)
    held = [rows.part(number)() for number in np.flatnonzero(sizes).tolist()]
    assert rows.nbytes > 0
    rows.lay_down(tmp_path / "rows.arrow")
    assert rows.nbytes == 0
    for (own, places), number in zip(held, np.flatnonzero(sizes).tolist(), strict=True):
        read, read_places = pickle.loads(pickle.dumps(rows.part(number)))()
        assert read.schema.names == table.schema.names
        assert read.to_pydict() == own.to_pydict() == table.take(pa.array(np.flatnonzero(codes == number))).to_pydict()
        assert read_places.tolist() == places.tolist() == np.flatnonzero(codes == number).tolist()


@given(st.lists(st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1), st.integers(-200, 200)), max_size=9))
def test_integers_become_narrower_and_keep_their_values(values: list[int | None]) -> None:
    column = pa.chunked_array([pa.array(values, pa.int64())])
    found = slim(column)
    assert found.to_pylist() == values
    given = [value for value in values if value is not None]
    widths = [width for width in (8, 16, 32) if all(-(2 ** (width - 1)) <= v < 2 ** (width - 1) for v in given)]
    assert found.type.bit_width == (widths or [64])[0]
