"""Tables as files, in the names and formats of RSMTool."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np

from reportgen.errors import OutputError
from reportgen.rsmtool.rows import RowTable
from reportgen.rsmtool.table import PeerTable

MOST_ROWS = 1_048_575
"""Rows of a worksheet below its header."""

_BATCH = 65_536
"""Rows of a table that are Python objects at a time."""

_PLAIN = (1e-4, 1e9)
"""Floats between these are written without an exponent by Python and Arrow alike."""


def write_tables(tables: Iterable[PeerTable | RowTable], folder: Path, experiment_id: str, kind: str) -> None:
    """Write every table to ``folder/<id>_<name>.<kind>``, unrounded.

    Texts are written as they are: programs join these files by ids and levels.

    Parameters
    ----------
    kind
        csv, tsv or xlsx.

    Raises
    ------
    OutputError
        The package that writes workbooks is missing, or a table does not fit into one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for table in tables:
        path = folder / f"{experiment_id}_{file_name(table.name)}.{kind}"
        if kind == "xlsx":
            _write_workbook(table, path)
        else:
            _write_delimited(table, path, "\t" if kind == "tsv" else ",")


def file_name(name: str) -> str:
    """Return the name of a table as part of a file name: subgroups may be called anything.

    Examples
    --------
    >>> file_name("eval_by_L1"), file_name("eval_by_a/b")
    ('eval_by_L1', 'eval_by_a_b')
    """
    return re.sub(r'[/\\:*?"<>|\x00-\x1f]', "_", name)[:150]


def _write_delimited(table: PeerTable | RowTable, path: Path, delimiter: str) -> None:
    """Write a table as CSV or TSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        writer.writerow(_header(table))
        if isinstance(table, PeerTable):
            writer.writerows([_plain(cell) for cell in row] for row in _rows(table))
    if isinstance(table, RowTable):
        with path.open("ab") as end:
            _append(table.data, end, delimiter)


def _append(data: Any, file: IO[bytes], delimiter: str) -> None:
    """Write the rows of an Arrow table, texts in quotes where they need them; floats keep their point, as in 3.0."""
    import pyarrow as pa
    import pyarrow.compute as pc

    end = pa.scalar("\n", pa.large_string())
    for batch in data.to_batches(_BATCH):
        columns = [_written(column, delimiter) for column in batch.columns]
        lines = pc.binary_join_element_wise(*columns, pa.scalar(delimiter, pa.large_string()))
        whole = pc.binary_join_element_wise(lines, pa.scalar("", pa.large_string()), end)
        _, ends, letters = whole.buffers()
        file.write(memoryview(letters)[: np.frombuffer(ends, np.int64)[len(whole)]])


def _written(column: Any, delimiter: str) -> Any:
    """Return a column as the text of its cells: nothing for a blank, quotes where a text needs them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    text = pc.fill_null(pc.cast(column, pa.large_string()), "")
    if pa.types.is_floating(column.type):
        return _floats(column, text)
    if pa.types.is_integer(column.type):
        return text
    needs = pc.match_substring_regex(text, f'["\\r\\n{delimiter}]')
    if not pc.any(needs).as_py():
        return text
    quote = pa.scalar('"', pa.large_string())
    doubled = pc.replace_substring(text, '"', '""')
    empty = pa.scalar("", pa.large_string())
    return pc.if_else(needs, pc.binary_join_element_wise(quote, doubled, quote, empty), text)


def _floats(column: Any, text: Any) -> Any:
    """Return floats as Python writes them, the shortest text that is the number: 3.0, 0.1, 1e-05."""
    import pyarrow as pa
    import pyarrow.compute as pc

    values = column.to_numpy(zero_copy_only=False)
    size = np.abs(np.nan_to_num(values, nan=0.0))
    if ((size != 0) & ((size < _PLAIN[0]) | (size >= _PLAIN[1]))).any():
        return pa.array(["" if each is None else repr(each) for each in column.to_pylist()], pa.large_string())
    tail = pc.if_else(
        pa.array(np.rint(values) == values), pa.scalar(".0", pa.large_string()), pa.scalar("", pa.large_string())
    )
    return pc.binary_join_element_wise(text, tail, pa.scalar("", pa.large_string()))


def _write_workbook(table: PeerTable | RowTable, path: Path) -> None:
    """Write a table as the only sheet of a workbook; text stays text, also when it looks like a formula."""
    from openpyxl import Workbook  # type: ignore[import-untyped]
    from openpyxl.cell import WriteOnlyCell  # type: ignore[import-untyped]

    if isinstance(table, RowTable) and table.data.num_rows > MOST_ROWS:
        raise OutputError(f"{table.name} has more than {MOST_ROWS:,} rows; set file_format to csv or tsv.")
    book = Workbook(write_only=True)
    sheet = book.create_sheet("Sheet1")

    def cell(value: Any) -> Any:
        """Return a value as openpyxl takes it."""
        if not isinstance(value, str):
            return None if _plain(value) == "" else value
        made = WriteOnlyCell(sheet, re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f]", "\ufffd", value))
        made.data_type = "s"
        return made

    sheet.append([cell(name) for name in _header(table)])
    for row in _rows(table):
        sheet.append([cell(value) for value in row])
    book.save(path)


def _header(table: PeerTable | RowTable) -> list[str]:
    """Return the names of the columns; that of the row names is empty."""
    if isinstance(table, RowTable):
        return list(table.data.schema.names)
    return [*([""] if table.index is not None else []), *table.columns]


def _rows(table: PeerTable | RowTable) -> Iterator[tuple[Any, ...]]:
    """Yield the rows, row names first."""
    if isinstance(table, PeerTable):
        for number, row in enumerate(table.rows):
            yield row if table.index is None else (table.index[number], *row)
        return
    for batch in table.data.to_batches(_BATCH):
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def _plain(value: Any) -> Any:
    """Return a cell without NaN, which is blank."""
    return "" if value is None or (isinstance(value, float) and math.isnan(value)) else value
