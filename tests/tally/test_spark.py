"""A Spark data frame counted in its partitions: the cells of the same rows in memory."""

from __future__ import annotations

import os
import shutil
import sys

import numpy as np
import pyarrow as pa
import pytest

from reportgen.tally import Columns, tally_batches
from reportgen.tally.spark import tally_spark

pytest.importorskip("pyspark")


@pytest.mark.skipif(shutil.which("java") is None, reason="no Java")
@pytest.mark.filterwarnings("ignore")
def test_counts_are_identical(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark.sql import SparkSession

    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
    rng = np.random.default_rng(4)
    n = 3000
    true = rng.normal(3.5, 1, n)
    human = [np.clip(np.rint(true + rng.normal(0, 0.5, n)), 1, 6) for _ in range(2)]
    system = np.round(true + rng.normal(0, 0.4, n), 3)
    gender = np.array(["f", "m", "x"])[rng.integers(0, 3, n)]
    table = pa.table(
        {"h1": human[0], "h2": pa.array(human[1], mask=rng.random(n) < 0.4), "engine": system, "gender": gender}
    )
    columns = Columns("engine", ("h1", "h2"), ("gender",))
    expected = tally_batches(table.to_batches(), columns)
    spark = (
        SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1").getOrCreate()
    )  # fmt: skip
    try:
        rows = [tuple(row.values()) for row in table.to_pylist()]
        frame = spark.createDataFrame(rows, "h1 double, h2 double, engine double, gender string").repartition(5)
        found = tally_spark(frame, columns)
    finally:
        spark.stop()
    assert found.n == expected.n == n
    assert np.array_equal(found.cells.keys(), expected.cells.keys())
    for name, slices in expected.slices.items():
        assert found.slices[name].labels == slices.labels
        assert np.array_equal(found.slices[name].sums[0], slices.sums[0])  # counts
        np.testing.assert_allclose(found.slices[name].sums, slices.sums, rtol=0, atol=1e-12)
