"""Frames in memory: pandas, and anything that speaks Arrow (polars, DuckDB, Spark, pyarrow itself)."""

from __future__ import annotations

import sys
from typing import Any

import pyarrow as pa

from reportgen.errors import InputError
from reportgen.machine.memory import pass_on
from reportgen.results import Source
from reportgen.sources.digests import Digest
from reportgen.sources.tabular import TableReader, checked_names


def read_frame(frame: Any) -> TableReader:
    """Return a frame as a table; its hash is that of its values.

    Raises
    ------
    InputError
        The object is no frame, or a column of it has no Arrow type.
    """
    pandas = sys.modules.get("pandas")  # a pandas frame can only come from a pandas that is imported
    try:
        if pandas is not None and isinstance(frame, pandas.DataFrame):
            table = from_pandas(frame)
        elif hasattr(frame, "__arrow_c_stream__"):
            table = pa.table(frame)
        elif hasattr(frame, "toArrow"):  # Spark
            table = frame.toArrow()
        else:
            raise InputError(
                "expected the path of a file, or a frame (pandas, or any that speaks Arrow); "
                f"found {type(frame).__name__}."
            )
    except (pa.ArrowException, TypeError, ValueError) as error:
        pass_on(error)
        raise InputError(f"the frame cannot be read: {' '.join(str(error).split())[:200]}.") from None
    table = table.rename_columns(checked_names(table.schema.names)).replace_schema_metadata(None).combine_chunks()
    digest = Digest(table.schema)
    for batch in table.to_batches():
        digest.add(batch)
    source = Source("data frame", digest.hexdigest(), digest.bytes, table.num_rows, "frame")
    return TableReader(table, source, first_row=1)


def from_pandas(frame: Any) -> Any:
    """Return a pandas frame as a table without its index; columns of mixed objects become text."""
    frame = frame.set_axis(checked_names([str(name) for name in frame.columns]), axis=1)
    arrays = {}
    for name in frame.columns:
        try:
            arrays[name] = pa.Array.from_pandas(frame[name])
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            arrays[name] = pa.Array.from_pandas(frame[name].map(str, na_action="ignore"))
    return pa.table(arrays)
