"""Files and frames of scores as Arrow tables, read in two steps: a first look, then the columns that matter."""

from __future__ import annotations

import bisect
import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from reportgen.errors import InputError
from reportgen.results import Source
from reportgen.scores.bridge import texts_to_arrow

FIRST_LOOK = 10_000
"""Rows of a table in memory that a first look takes."""


class Reader(Protocol):
    """A source of scores.

    `head` is a table of the first rows with every column; `first_row` is the number of the first data
    row in the file (the header is row 1), `blank_rows` are the numbers of rows that hold nothing.
    """

    head: Any
    first_row: int
    blank_rows: Sequence[int]

    def load(self, names: Sequence[str]) -> Any:
        """Return the Arrow table of the named columns, all rows."""

    def source(self, rows: int) -> Source:
        """Return where the scores came from."""


def open_reader(source: Any, encoding: str | None = None) -> Reader:
    """Return the reader for a file (by its extension) or for a frame (by what it is).

    Raises
    ------
    InputError
        The file is missing, a folder, empty, of unknown format, or can not be read.
    """
    if not isinstance(source, str | Path):
        from reportgen.scores.frames import read_frame

        return read_frame(source)
    path = Path(source)
    suffix = path.suffix.lower()
    _refuse_unreadable(path)
    if suffix in (".csv", ".tsv"):
        from reportgen.scores.delimited import DelimitedReader

        return DelimitedReader(path, encoding)
    if suffix == ".parquet":
        from reportgen.scores.parquet import ParquetReader

        return ParquetReader(path)
    if suffix == ".xlsx":
        from reportgen.scores.workbooks import read_workbook

        return read_workbook(path)
    if suffix in (".jsonl", ".jsonlines"):
        from reportgen.scores.jsonlines import read_json_lines

        return read_json_lines(path, encoding)
    if suffix == ".sas7bdat":
        from reportgen.scores.sas import read_sas

        return read_sas(path, encoding)
    known = ".csv, .tsv, .xlsx, .jsonl, .jsonlines, .parquet or .sas7bdat"
    raise InputError(f"format '{suffix}' is not known; expected {known}.")


class TableReader:
    """A table that is in memory already."""

    def __init__(self, table: Any, source: Source, first_row: int, blank_rows: Sequence[int] = ()) -> None:
        self.head = table.slice(0, FIRST_LOOK)
        self.first_row = first_row
        self.blank_rows = blank_rows
        self._table = table
        self._source = source

    def load(self, names: Sequence[str]) -> Any:
        """Return the named columns, and let go of the others."""
        table = self._table.select(list(names))
        self._table = self.head = None
        return table

    def source(self, rows: int) -> Source:
        """Return where the table came from."""
        return replace(self._source, rows=rows)


def file_source(path: Path, rows: int, kind: str) -> Source:
    """Return name, SHA-256, size and format of a file."""
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    return Source(name=path.name, sha256=sha256, bytes=path.stat().st_size, rows=rows, format=kind)


def checked_names(names: Sequence[str]) -> list[str]:
    """Return column names without surrounding white space; refuse empty and repeated ones."""
    clean = [name.strip() for name in names]
    if not any(clean):
        raise InputError("the file holds no column names; expected them in row 1.")
    empty = [index + 1 for index, name in enumerate(clean) if not name]
    if empty:
        raise InputError(
            f"row 1: column {empty[0]} has no name; give it one, or write the file without a row index "
            "(pandas: index=False)."
        )
    repeated = [name for name, times in Counter(clean).items() if times > 1]
    if repeated:
        raise InputError(f"row 1: {Counter(clean)[repeated[0]]} columns are named '{repeated[0]}'; rename all but one.")
    return clean


def row_number(reader: Reader, index: int) -> int:
    """Return the row of the file that holds data row `index` (counted from 0, blank rows left out)."""
    number = index + reader.first_row
    while True:
        shifted = index + reader.first_row + bisect.bisect_right(reader.blank_rows, number)
        if shifted == number:
            return number
        number = shifted


def from_texts(names: Sequence[str], rows: Sequence[Sequence[str | None]]) -> Any:
    """Return an Arrow table of strings from rows of cells."""
    columns = zip(*rows, strict=True) if rows else ((),) * len(names)
    return pa.table(dict(zip(names, map(texts_to_arrow, columns), strict=True)))


def _refuse_unreadable(path: Path) -> None:
    """Raise when there is no file to read at `path`."""
    try:
        if path.is_dir():
            raise InputError("this is a folder; name a file of scores in it.")
        with path.open("rb") as file:
            if not file.read(1):
                raise InputError("the file is empty; expected a header row and one row per response.")
    except FileNotFoundError:
        raise InputError("the file was not found; check the path.") from None
    except (OSError, ValueError) as error:
        raise InputError(f"the file can not be read: {getattr(error, 'strerror', None) or error}.") from None
