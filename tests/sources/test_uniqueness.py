"""Test that IDs in two rows are found by their values, whatever their fingerprints."""

import sys
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from reportgen.machine.memory import VARIABLE, NeedsMemoryError
from reportgen.sources.digests import Repeats, Rows, Seen, fingerprints


def repeats(rows: list[Rows]) -> dict[str, Repeats]:
    seen = Seen()
    for each in rows:
        seen.add("id", each)
    return seen.repeats("id", lambda: iter(rows))


def test_repeats_are_reported_with_their_first_two_rows() -> None:
    assert repeats([Rows(pa.array(["a", "b"])), Rows(pa.array(["c"]))]) == {}
    assert repeats([Rows(pa.array([3, 1])), Rows(pa.array([2, 1, 3, 1]))]) == {"": Repeats(3, "3", (0, 4))}
    assert repeats([Rows(pa.array(["a", None])), Rows(pa.array([None, "b"]))]) == {"": Repeats(1, "", (1, 2))}


def test_values_are_compared_within_their_units() -> None:
    units, ids = [["A", "A", "B"], ["C", "B", "A", "C"]], [[1, 2, 1], [1, 1, 1, 2]]
    rows = [Rows(pa.array(own), pa.array(unit).dictionary_encode()) for own, unit in zip(ids, units, strict=True)]
    assert repeats(rows) == {"A": Repeats(1, "1", (0, 5)), "B": Repeats(1, "1", (2, 4))}


@pytest.mark.parametrize("different", [1, 3, 97])
def test_equal_fingerprints_are_not_repeats(different: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def few(column: Any, *_: Any) -> Any:
        return fingerprints(column) % np.uint64(different)

    monkeypatch.setattr(sys.modules["reportgen.sources.digests"], "fingerprints", few)
    texts = [f"r{row}" for row in range(300)]
    assert repeats([Rows(pa.array(texts[:100])), Rows(pa.array(texts[100:]))]) == {}
    assert repeats([Rows(pa.array(texts)), Rows(pa.array(["r7", "r8", "r7"]))]) == {"": Repeats(3, "r7", (7, 300))}


def test_more_fingerprints_than_fit_in_memory_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "0.000001")
    with pytest.raises(NeedsMemoryError, match=r"^comparing IDs requires about "):
        repeats([Rows(pa.array([*range(1000)]))])
