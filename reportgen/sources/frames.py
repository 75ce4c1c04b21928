"""Frames in memory: pandas, polars, anything that speaks Arrow (DuckDB, Spark, pyarrow), lists of rows, columns."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from reportgen.errors import InputError
from reportgen.machine.memory import pass_on
from reportgen.results import Source
from reportgen.sources.digests import Digest
from reportgen.sources.tabular import TableReader, checked_names, without_views


def read_frame(frame: Any) -> TableReader:
    """Return a frame as a table; its hash is that of its values."""
    table = arrow_table(frame)
    table = table.rename_columns(checked_names(table.schema.names)).replace_schema_metadata(None).combine_chunks()
    digest = Digest(table.schema)
    for batch in table.to_batches():
        digest.add(batch)
    source = Source("data frame", digest.hexdigest(), digest.bytes, table.num_rows, "frame")
    return TableReader(table, source, first_row=1)


def arrow_table(frame: Any) -> Any:
    """Return any frame as a table of Arrow; a stream is read once.

    >>> arrow_table([{"h": 1}, {"h": 2, "m": 2.5}]).to_pydict()
    {'h': [1, 2], 'm': [None, 2.5]}
    """
    pandas, polars = sys.modules.get("pandas"), sys.modules.get("polars")  # a frame of theirs needs them imported
    try:
        if pandas is not None and isinstance(frame, pandas.DataFrame):
            return from_pandas(frame)
        if polars is not None and isinstance(frame, polars.LazyFrame):
            frame = frame.collect()
        if hasattr(frame, "__arrow_c_stream__"):
            return without_views(pa.table(frame))
        if hasattr(frame, "__arrow_c_array__"):
            return pa.Table.from_batches([pa.record_batch(frame)])
        if hasattr(frame, "toArrow"):  # Spark
            return frame.toArrow()
        if isinstance(frame, Sequence) and frame and all(isinstance(row, Mapping) for row in frame):
            names = dict.fromkeys(name for row in frame for name in row)
            frame = {name: [row.get(name) for row in frame] for name in names}
        if isinstance(frame, Mapping) and not any(isinstance(column, str) for column in frame.values()):
            return pa.table({str(name): _array(column) for name, column in frame.items()})
    except (pa.ArrowException, TypeError, ValueError) as error:
        pass_on(error)
        raise InputError(f"the frame cannot be read: {' '.join(str(error).split())[:200]}.") from None
    raise InputError(
        "expected the path of a file, a frame (pandas, polars, DuckDB, PyArrow, or another that speaks Arrow), a list "
        f"of dictionaries, or a dictionary of columns; found {type(frame).__name__}."
    )


def _array(column: Any) -> Any:
    """Return a column as an array; one of mixed objects becomes text."""
    try:
        return pa.array(column)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return pa.array([None if value is None else str(value) for value in column])


def from_pandas(frame: Any) -> Any:
    """Return a pandas frame as a table without its index; columns of mixed objects become text."""
    frame = frame.set_axis(checked_names([str(name) for name in frame.columns]), axis=1)
    arrays = {}
    for name in frame.columns:
        try:
            arrays[name] = pa.Array.from_pandas(frame[name])
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
            arrays[name] = pa.Array.from_pandas(frame[name].map(str, na_action="ignore"))
    return pa.table(arrays)
