"""Test that a text of thousands of characters is never a group label, however often it occurs."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from simulated import evaluation_of

import reportgen
from reportgen.errors import InputError
from reportgen.sources.parquet import ParquetReader

ROWS = 40_000


def repeated(path: Path, label: str, *, kind: pa.DataType, last: bool = False) -> Path:
    """Write a file of many rows with few labels, each of which a Parquet file stores once."""
    rng = np.random.default_rng(0)
    human = rng.integers(1, 7, ROWS)
    codes = rng.integers(0, 2, ROWS)
    codes[-50 if last else 0 :] = 2
    labels = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(["a", "b", label]))
    group = labels if pa.types.is_dictionary(kind) else labels.cast(pa.string()).cast(kind)
    parquet.write_table(pa.table({"human": human, "system": human + rng.normal(0, 0.5, ROWS), "group": group}), path)
    return path


@pytest.mark.parametrize("kind", [pa.dictionary(pa.int32(), pa.string()), pa.string(), pa.large_string()], ids=str)
@pytest.mark.parametrize("last", [False, True])
def test_a_long_label_is_an_error_that_names_its_column(tmp_path: Path, kind: pa.DataType, last: bool) -> None:
    path = repeated(tmp_path / "scores.parquet", "x" * 1_001, kind=kind, last=last)
    with pytest.raises(InputError, match=r"group column 'group' has a label of 1,001 characters"):
        reportgen.evaluate(path, groups=["group"])


def test_a_column_with_a_long_label_is_not_a_group(tmp_path: Path) -> None:
    path = repeated(tmp_path / "scores.parquet", "x" * 1_000_000, kind=pa.dictionary(pa.int32(), pa.string()))
    table = parquet.read_table(path, read_dictionary=["group"]).rename_columns(["human", "system", "gender"])
    parquet.write_table(table, path)
    assert not evaluation_of(path).groups


def test_many_items_reject_a_long_label(tmp_path: Path) -> None:
    frame = parquet.read_table(repeated(tmp_path / "scores.parquet", "x" * 1_001, kind=pa.string(), last=True))
    parquet.write_table(frame.append_column("item", pa.array(["one", "two"] * (ROWS // 2))), tmp_path / "items.parquet")
    with pytest.raises(InputError, match="group column 'group' has a label of 1,001 characters"):
        reportgen.item_tables(tmp_path / "items.parquet", tmp_path / "out", by=["item"], groups=["group"])


def test_the_first_rows_of_a_long_label_take_little_memory(tmp_path: Path) -> None:
    """Ten thousand rows of 100,000 characters would be a gigabyte."""
    path = repeated(tmp_path / "scores.parquet", "x" * 100_000, kind=pa.dictionary(pa.int32(), pa.string()))
    before = pa.total_allocated_bytes()
    head = ParquetReader(path).head
    taken = pa.total_allocated_bytes() - before
    assert head.num_rows > 100
    assert head["group"].cast(pa.string()).nbytes + taken < 300_000_000
