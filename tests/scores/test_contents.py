"""What a long column holds is found block by block, and is what all of it together holds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reportgen.scores import contents
from reportgen.scores.contents import MOST_SCORES, Contents

CELLS = st.one_of(
    st.none(), st.sampled_from(["", " ", "x", "nan", "inf", "1e400", "a longer text"]),
    st.floats(-50, 50).map(repr), st.integers(-60, 60).map(str), st.integers(-9, 9).map(lambda n: str(n / 2)),
)  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(cells=st.lists(CELLS, max_size=80), rows=st.integers(1, 9), dictionary=st.booleans())
def test_blocks_say_what_the_whole_column_says(
    cells: list[str | None], rows: int, dictionary: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    column: Any = pa.chunked_array([pa.array(cells[: len(cells) // 2], pa.string()),
                                    pa.array(cells[len(cells) // 2 :], pa.string())])  # fmt: skip
    column = column.dictionary_encode() if dictionary else column
    monkeypatch.setattr(contents, "BLOCK_ROWS", rows)
    monkeypatch.setattr(contents, "MANY_ROWS", 0)
    found = Contents(column, "c")
    numbers = np.array([float(cell) for cell in cells if cell not in (None, "", " ", "x", "a longer text")])
    numbers = numbers[np.isfinite(numbers)]
    assert found.n_numbers == numbers.size
    assert found.has_fractions == bool(np.any(2 * numbers != np.rint(2 * numbers)))
    distinct = np.unique(numbers).size
    assert found.n_distinct_numbers == distinct or found.n_distinct_numbers > MOST_SCORES < distinct
    assert found.n_blank == sum(not (cell or "").strip() for cell in cells)
    assert found.is_unique == (len(set(cells)) == len(cells) and None not in cells)
