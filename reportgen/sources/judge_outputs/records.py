"""Rows of a foreign table as objects: of JSON, JSON lines, CSV and Parquet files."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from reportgen.errors import InputError
from reportgen.machine.memory import pass_on, refuse_above
from reportgen.sources.delimited import delimited_rows
from reportgen.sources.json_texts import json_of
from reportgen.sources.judge_outputs.values import opening, parsed

MEMORY_OF_VALUE = 300
"""Bytes of memory that a value of a Parquet file takes as an object, with its share of lists and objects around it."""

LINES = (".jsonl", ".jsonlines")
DELIMITERS = {".csv": ",", ".tsv": "\t"}


def names_of(path: Path) -> Collection[str]:
    """Return the names of the columns of a table, or the words in quotes near the beginning of a JSON file; cheap."""
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        return _schema(path)
    start = opening(path)
    if suffix in DELIMITERS:
        try:
            return next(csv.reader([start.split("\n", 1)[0].rstrip("\r")], delimiter=DELIMITERS[suffix]), [])
        except csv.Error:
            return ()
    return set(start.split('"')[1::2]) | set(start.split('"')[2::2]) if suffix in (".json", *LINES) else ()


def rows_of(path: Path, key: str, inside: Sequence[str] = (), columns: Sequence[str] | None = None) -> Iterable[Any]:
    """Return the rows of a table; each should be an object, which whoever takes it checks.

    Parameters
    ----------
    key
        A column that every row has, by which JSON written by columns is known.
    inside
        Names under which JSON may hold the list of rows.
    columns
        What is read of a Parquet file; None for all.

    Raises
    ------
    InputError
        The file is not readable, or takes more memory than a run may.
    """
    suffix = path.suffix.lower()
    if suffix == ".json":
        return _records(parsed(path), key, inside)
    if suffix == ".parquet":
        return _parquet(path, columns)
    if suffix in DELIMITERS:
        return _delimited(path, DELIMITERS[suffix])
    return _lines(path)


def field(row: Mapping[str, Any], *names: str) -> Any:
    """Return the first of some fields that says something; None where none does.

    Examples
    --------
    >>> field({"traceId": "", "trace_id": "t1"}, "traceId", "trace_id", "sessionId")
    't1'
    """
    return next((row[name] for name in names if row.get(name) not in (None, "")), None)


def _schema(path: Path) -> Sequence[str]:
    """Return the names of the columns of a Parquet file, none when it is not readable."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        names: Sequence[str] = pq.read_schema(path).names
    except (pa.ArrowException, OSError, ValueError):  # a ValueError is a name that is not UTF-8
        return ()
    return names


def _parquet(path: Path, columns: Sequence[str] | None) -> list[Any]:
    """Return the rows of a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        values = _values(pq.read_metadata(path), columns)
        refuse_above(values * MEMORY_OF_VALUE, "reading it needs", "export fewer responses")
        rows: list[Any] = pq.read_table(path, columns=None if columns is None else list(columns)).to_pylist()
    except (pa.ArrowException, OSError, ValueError) as error:
        pass_on(error)
        expected = f" with the columns {' and '.join(map(repr, columns))}" if columns else ""
        raise InputError(f"not a readable Parquet file{expected}.") from None
    return rows


def _values(metadata: Any, columns: Sequence[str] | None) -> int:
    """Return how many values columns of a Parquet file hold, those within lists and objects counted."""
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    chunks = (group.column(number) for group in groups for number in range(group.num_columns))
    wanted = (chunk for chunk in chunks if columns is None or chunk.path_in_schema.split(".")[0] in columns)
    return sum(chunk.num_values for chunk in wanted)


def _records(content: Any, key: str, inside: Sequence[str]) -> list[Any]:
    """Return the rows of a frame written as JSON, by rows or by columns, or those under a name of their own."""
    if isinstance(content, dict):
        content = next((content[name] for name in inside if isinstance(content.get(name), list)), content)
    if isinstance(content, dict) and isinstance(content.get(key), dict):
        columns = {name: column for name, column in content.items() if isinstance(column, dict)}
        return [{name: column.get(place) for name, column in columns.items()} for place in content[key]]
    return content if isinstance(content, list) else [content]


def _lines(path: Path) -> Iterator[Any]:
    """Yield the objects of a file of JSON lines."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                try:
                    yield json_of(line)
                except ValueError:
                    raise InputError(f"line {number}: expected one JSON object, as UTF-8 text.") from None


def _delimited(path: Path, delimiter: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a CSV file."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = filter(None, delimited_rows(file, delimiter=delimiter))
            names = next(rows, [])
            for number, row in enumerate(rows, 2):
                if len(row) > len(names):
                    raise InputError(f"row {number} has more cells than the header; check its quotes.")
                yield dict(zip_longest(names, row))
    except (csv.Error, UnicodeError) as error:
        raise InputError(f"not a readable table: {str(error).rstrip('.')}.") from None
