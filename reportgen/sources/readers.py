"""Files and frames of scores as Arrow tables, read in two steps: a first look, then the columns that matter."""

from __future__ import annotations

import os
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from reportgen.errors import InputError, nearest, shortened
from reportgen.settings.kinds import is_text
from reportgen.sources.columns import texts_to_arrow
from reportgen.sources.databases import Fetched, Query
from reportgen.sources.delimited import DelimitedReader
from reportgen.sources.files import SUFFIXES, parts_of, paths_of
from reportgen.sources.jsonlines import read_json_lines
from reportgen.sources.judge_readers import ReadScores
from reportgen.sources.several import SeveralReader
from reportgen.sources.tabular import Reader, TableReader, checked_names, file_source, read_frame
from reportgen.sources.workbooks import read_sas, read_workbook

MOST_COMPARED = 1000
"""Names in a folder that a misspelled path is compared with."""


def open_reader(source: Any, encoding: str | None = None) -> Reader:
    """Return the reader for a file (by its extension), for several files, or for a frame (by what it is).

    source: The path of a file, a pattern such as ``part-*.csv``, a folder of Parquet files, a list of paths, or a
        frame.
    """
    if isinstance(source, Query):
        return Fetched(source, sys.maxsize).reader()
    if isinstance(source, Fetched):
        return source.reader()
    paths = paths_of(source)
    if paths is None:
        return read_frame(source)
    parts = parts_of(paths)
    return (
        SeveralReader(*parts, lambda path: _open_file(path, encoding)) if parts else _open_file(Path(source), encoding)
    )


def _open_file(path: Path, encoding: str | None) -> Reader:
    """Return the reader for one file, by its extension."""
    suffix = path.suffix.lower()
    refuse_unreadable(path)
    match suffix:
        case ".csv" | ".tsv":
            return DelimitedReader(path, encoding)
        case ".parquet":
            from reportgen.sources.parquet import ParquetReader  # loads much that other formats do not need

            return ParquetReader(path)
        case ".xlsx":
            return read_workbook(path)
        case ".jsonl" | ".jsonlines":
            return read_json_lines(path, encoding)
        case ".sas7bdat":
            return read_sas(path, encoding)
    known = f"{', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"
    others = "outputs of judges have readers of their own (`reportgen readers`)"
    raise InputError(f"format '{suffix}' is not known; expected {known}; {others}.")


def table_of(found: ReadScores, path: Path, kind: str) -> TableReader:
    """Return what a reader of judge outputs found as a table; its first row is row 1."""
    names, lengths = checked_names(list(found.columns)), {len(column) for column in found.columns.values()}
    if len(lengths) != 1:
        raise InputError(f"the reader '{kind}' gives columns of different lengths, {sorted(lengths)}; expected one.")
    table = pa.table([*map(texts_to_arrow, found.columns.values())], names)
    return TableReader(table, file_source(path, lengths.pop(), kind))


def refuse_unreadable(path: Path) -> None:
    """Raise when there is no file to read at `path`, or no report could say what it is called."""
    if not is_text(str(path)):
        raise InputError("the name of this file, or of its folder, is not UTF-8 text; rename it.")
    try:
        if path.is_dir():
            raise InputError("this is a folder; name the files in it, or the folder alone.")
        if path.exists() and not path.is_file():
            raise InputError("this is no ordinary file; write the scores to a file first.")
        with path.open("rb") as file:
            if not file.read(1):
                raise InputError("the file is empty; expected a header row and one row per response.")
    except FileNotFoundError:
        near = nearest(path.name, _names_beside(path))
        hint = f"did you mean '{shortened(path.with_name(near))}'?" if near else "check the path."
        raise InputError(f"the file was not found; {hint}") from None
    except (OSError, ValueError) as error:
        raise InputError(f"the file cannot be read: {getattr(error, 'strerror', None) or error}.") from None


def _names_beside(path: Path) -> list[str]:
    """Return names of files in the folder where a file should be; of many the first."""
    try:
        with os.scandir(path.parent) as entries:
            return [entry.name for entry in islice(entries, MOST_COMPARED) if entry.is_file()]
    except OSError:
        return []
