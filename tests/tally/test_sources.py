"""Parquet row groups shared out among workers give the tally of all rows, whatever types and gaps the columns have."""

from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

from reportgen.errors import InputError
from reportgen.sources import byte_ranges
from reportgen.tally import Columns, Tally, tally_batches, tally_csv_files, tally_of, tally_parquet_files

BOUNDS = (0.5002, 6.4998)
COLUMNS = Columns("system", ("human1", "human2"), ("gender",))


def table(rows: int, seed: int) -> pa.Table:
    """Return responses with gaps everywhere, and some that do not count."""
    rng = np.random.default_rng(seed)
    system = rng.normal(3.5, 1.2, rows)
    system[rng.random(rows) < 0.02] = np.nan
    system[rng.random(rows) < 0.02] = np.inf
    gender = pa.array(rng.choice(["f", "m", "x"], rows), mask=rng.random(rows) < 0.1)
    return pa.table(
        {
            "system": pa.array(system, mask=rng.random(rows) < 0.05),
            "human1": pa.array(rng.integers(1, 7, rows), pa.int8(), mask=rng.random(rows) < 0.1),
            "human2": pa.array(rng.integers(1, 7, rows).astype(float), mask=rng.random(rows) < 0.6),
            "gender": gender.dictionary_encode(),
        }
    )


def by_rows(data: pa.Table) -> Tally:
    """Return the tally of the rows as Python reads them, one value at a time."""
    rows = [row for row in data.to_pylist() if row["human1"] is not None and np.isfinite(row["system"] or np.nan)]
    ratings = [[np.nan if row[name] is None else row[name] for name in COLUMNS.human] for row in rows]
    labels = ["f", "m", "x", "No info"]
    codes = np.array([labels.index(row["gender"] or "No info") for row in rows])
    return tally_of([row["system"] for row in rows], ratings, {"gender": (codes, labels)}, BOUNDS)


def check_same(found: Tally, expected: Tally) -> None:
    np.testing.assert_array_equal(found.cells.keys(), expected.cells.keys())
    for name, part in expected.slices.items():
        assert found.slices[name].labels == part.labels
        np.testing.assert_array_equal(found.slices[name].level, part.level)
        np.testing.assert_array_equal(found.slices[name].cell, part.cell)
        np.testing.assert_array_equal(found.slices[name].sums[0], part.sums[0])
        np.testing.assert_allclose(found.slices[name].sums, part.sums, rtol=0, atol=1e-10)
        np.testing.assert_array_equal(found.slices[name].minimum, part.minimum)
        np.testing.assert_array_equal(found.slices[name].maximum, part.maximum)


@pytest.mark.parametrize(("pool", "workers"), [(None, 1), (None, 3), (ThreadPoolExecutor, 2), (ProcessPoolExecutor, 2)])
def test_any_number_of_workers(tmp_path: Path, pool: Callable[[int], Executor] | None, workers: int) -> None:
    parts = [table(4000, 1), table(700, 2), table(0, 3)]
    paths = [tmp_path / f"{number}.parquet" for number in range(len(parts))]
    for path, part in zip(paths, parts, strict=True):
        pq.write_table(part, path, row_group_size=900)
    place: Any = nullcontext() if pool is None else pool(2)
    with place as executor:
        found = tally_parquet_files(paths, COLUMNS, BOUNDS, executor, workers)
    check_same(found, by_rows(pa.concat_tables(parts)))


@pytest.mark.parametrize(("pool", "workers"), [(None, 1), (ThreadPoolExecutor, 3), (ProcessPoolExecutor, 2)])
def test_ranges_of_csv_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pool: Callable[[int], Executor] | None, workers: int
) -> None:
    monkeypatch.setattr(byte_ranges.byte_ranges, "__defaults__", (None, 20_000))
    parts = [table(4000, 1), table(700, 2)]
    paths = [tmp_path / f"{number}.csv" for number in range(len(parts))]
    for path, part in zip(paths, parts, strict=True):
        pc.write_csv(part, path)
    paths[1].write_text(paths[1].read_text().replace("nan", "refused"))
    place: Any = nullcontext() if pool is None else pool(2)
    with place as executor:
        found = tally_csv_files(paths, COLUMNS, BOUNDS, executor, workers)
    check_same(found, by_rows(pa.concat_tables(parts)))


def test_csv_files_that_cannot_be_counted(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("system,human1,gender\n1,2,f\n")
    with pytest.raises(InputError, match=r"rows.csv: there is no column 'human2'; columns are system, human1, gender"):
        tally_csv_files([path], COLUMNS)
    path.write_text("system,human1,human2,gender\n1,2,2\n")
    with pytest.raises(InputError, match=r"rows.csv: row 2: expected 4 values as in the header, found 3"):
        tally_csv_files([path], COLUMNS)
    path.write_text("system,human1,human2,gender\nx,2,2,f\n")
    with pytest.raises(ValueError, match="no response has a system score"):
        tally_csv_files([path], COLUMNS)


def test_a_share_without_a_response(tmp_path: Path) -> None:
    blank = table(500, 4).set_column(1, "human1", pa.nulls(500, pa.int8()))
    for name, part in (("a", blank), ("b", table(500, 5))):
        pq.write_table(part, tmp_path / name)
    found = tally_parquet_files([tmp_path / "a", tmp_path / "b"], COLUMNS, BOUNDS, workers=2)
    check_same(found, by_rows(table(500, 5)))
    with pytest.raises(ValueError, match="no response has a system score"):
        tally_parquet_files([tmp_path / "a"], COLUMNS, BOUNDS, workers=2)


@pytest.mark.parametrize("kind", [pa.float32(), pa.uint16(), pa.int64(), pa.decimal128(5, 1)])
def test_slices_of_batches_of_any_number_type(kind: pa.DataType) -> None:
    data = table(3000, 6)
    typed = data.set_column(1, "human1", data["human1"].cast(pa.int64()).cast(pa.float64()).cast(kind))
    batches = [typed.slice(start, 1000).combine_chunks().to_batches()[0] for start in (0, 1000, 2000)]
    sliced = [batch.slice(start, 333) for batch in batches for start in (0, 333, 666)]
    check_same(tally_batches(sliced, COLUMNS, BOUNDS), by_rows(pa.Table.from_batches(sliced)))
