"""Every kind of data that the README names, in every function that takes scores."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from score_files import two_hundred
from simulated import evaluation_of

import reportgen

COLUMNS = two_hundred()
KNOWN: dict[str, Any] = {"id": "id", "system": "engine", "human": ["h1", "h2"], "scale": (1, 6)}


def from_pandas() -> Any:
    import pandas as pd

    return pd.DataFrame(COLUMNS)


def from_polars() -> Any:
    return pytest.importorskip("polars").DataFrame(COLUMNS)


def from_polars_with_categories() -> Any:
    polars = pytest.importorskip("polars")
    return from_polars().with_columns(polars.col("group").cast(polars.Categorical))


def from_polars_lazily() -> Any:
    return from_polars().lazy()


def from_duckdb() -> Any:
    return pytest.importorskip("duckdb").connect().from_arrow(pa.table(COLUMNS))


def table() -> Any:
    return pa.table(COLUMNS)


def reader() -> Any:
    return pa.table(COLUMNS).to_reader(max_chunksize=50)


def batch() -> Any:
    return pa.record_batch(COLUMNS)


def rows() -> Any:
    return pa.table(COLUMNS).to_pylist()


def columns() -> Any:
    return COLUMNS


FRAMES = (
    from_pandas, from_polars, from_polars_with_categories, from_polars_lazily, from_duckdb, table, reader, batch, rows,
    columns,
)  # fmt: skip


@pytest.fixture(scope="module")
def kappa() -> float:
    return evaluation_of(table(), groups=[], **KNOWN).estimates["system.qwk"].value or 0.0


@pytest.mark.parametrize("frame", FRAMES)
def test_frame_is_evaluated(frame: Callable[[], Any], kappa: float) -> None:
    found = reportgen.evaluate(frame(), groups=[], **KNOWN)
    assert found.evaluation.estimates["system.qwk"].value == kappa


@pytest.mark.parametrize("frame", FRAMES)
def test_look_accepts_a_frame(frame: Callable[[], Any]) -> None:
    found = reportgen.look(frame(), **KNOWN)
    assert (found.source.rows, found.columns("system"), found.questions) == (200, ("engine",), ())


@pytest.mark.slow
@pytest.mark.parametrize("frame", FRAMES)
def test_frame_makes_a_batch(frame: Callable[[], Any], tmp_path: Path) -> None:
    made = reportgen.batch(frame(), tmp_path, by="group", tables_only=True, **KNOWN)
    assert {row.cells[0] for row in made.evaluation.tables["summary.items"].rows} == {"a", "b"}


@pytest.mark.slow
@pytest.mark.parametrize("frame", [from_pandas, reader, rows])
def test_systems_in_a_frame_are_compared(frame: Callable[[], Any]) -> None:
    known = {key: value for key, value in KNOWN.items() if key != "system"}
    made = reportgen.compare(frame(), systems=["engine", "h2"], **(known | {"human": "h1"}))
    assert "comparison.overall" in made.evaluation.tables


def test_rows_may_lack_values() -> None:
    lacking = [dict(row) for row in rows()]
    for row in lacking[:20]:
        del row["h2"]
    found = reportgen.evaluate(lacking[::-1], groups=[], **KNOWN)
    assert found.evaluation.estimates["human.qwk"].n == 180


@pytest.mark.parametrize("source", [42, None, object(), {"id": "text"}, [1, 2]])
def test_other_objects_are_errors_that_list_accepted_types(source: Any) -> None:
    with pytest.raises(reportgen.errors.ReportgenError):
        reportgen.look(source)


def test_numbers_beyond_any_scale_are_errors() -> None:
    with pytest.raises(reportgen.errors.InputError, match="column 'h1'"):
        reportgen.evaluate({**COLUMNS, "h1": [10**30] * 200}, groups=[], **KNOWN)
