"""XLSX workbooks: the first sheet, every cell as the text it shows."""

from __future__ import annotations

import itertools
import zipfile
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import pyarrow as pa

from reportgen.errors import InputError, SettingsError
from reportgen.machine.memory import refuse_above
from reportgen.sources.columns import texts_to_arrow
from reportgen.sources.tabular import TableReader, checked_names, file_source, from_pandas

MOST_ROWS = 1_048_576
"""Rows of a sheet in Excel."""

MOST_PARTS = 10_000
"""Files in a workbook, which has a few for each sheet and each picture."""

PACKED, MANY_BYTES = 200, 50_000_000
"""A part of so many bytes that is packed so tightly holds one thing over and over; sheets of scores are packed 20:1."""

BYTES_OF_CELL, BYTES_OF_GAP = 200, 16
"""Memory that a cell takes while a sheet is read, and one that is not there."""

BYTES_IN_MEMORY = {"worksheets": 0, "sharedStrings.xml": 8, "media": 0, "embeddings": 0}
"""Memory for each byte of a part that is not read row by row, or not at all; a tree of its elements otherwise."""

BYTES_OF_TREE = 20

INSTEAD = "save it as .csv"


def read_workbook(path: Path) -> TableReader:
    """Return the first sheet of a workbook; its first row that is not blank is the header."""
    rows = first_sheet(path)
    blank = [number for number, row in enumerate(rows, 1) if not any(row)]
    filled = [row for row in rows if any(row)]
    if not filled:
        raise InputError("the first sheet is empty; expected a header row and one row per response.")
    width = max(index + 1 for row in filled for index, cell in enumerate(row) if cell)
    header, *cells = filled
    names = checked_names([*(cell or "" for cell in header[:width]), *[""] * (width - len(header))])
    refuse_above(len(cells) * width * BYTES_OF_GAP, f"{len(cells):,} rows of {width:,} columns need", INSTEAD)
    columns = itertools.islice(itertools.zip_longest(names, *cells), width)
    table = pa.table([texts_to_arrow(column[1:]) for column in columns], names)
    return TableReader(table, file_source(path, len(cells), "xlsx"), 2, blank)


def first_sheet(path: Path) -> list[list[str | None]]:
    """Return the cells of the first sheet of a workbook, row by row, each up to its last that is not blank."""
    import openpyxl  # type: ignore[import-untyped]

    try:
        with path.open("rb") as file:  # openpyxl does not close what it refuses to read
            with zipfile.ZipFile(file) as archive:
                _check(archive)
            return _held(openpyxl.load_workbook(file, read_only=True, data_only=True).worksheets[0])
    except (InputError, MemoryError):
        raise
    except Exception:  # noqa: BLE001 - a damaged file can raise anything in what unpacks and parses it
        raise InputError("not a readable Excel workbook; save it again as .xlsx, or as .csv.") from None


def _check(archive: zipfile.ZipFile) -> None:
    """Look at the parts of a workbook before any is held: no more is unpacked of each than is declared."""
    parts = archive.infolist()
    if len(parts) > MOST_PARTS:
        raise InputError(f"holds {len(parts):,} files, where a workbook has a few; {INSTEAD}.")
    for part in parts:
        if part.file_size > MANY_BYTES and part.file_size > PACKED * part.compress_size:
            raise InputError(
                f"{part.compress_size / 1e6:.1f} MB of it unpack to {part.file_size / 1e6:,.0f} MB of one thing over "
                f"and over, which are no scores; {INSTEAD}."
            )
    refuse_above(sum(part.file_size * _factor(part.filename) for part in parts), "its texts need", INSTEAD)
    if archive.testzip() is not None:
        raise zipfile.BadZipFile


def _factor(name: str) -> int:
    return min((BYTES_IN_MEMORY[word] for word in name.split("/") if word in BYTES_IN_MEMORY), default=BYTES_OF_TREE)


def _held(sheet: Any) -> list[list[str | None]]:
    """Return the cells of a sheet, row by row, each up to its last that is not blank."""
    sheet.reset_dimensions()  # what a sheet says of its size need not be so, and rows would be filled up to it
    rows: list[list[str | None]] = []
    cells = 0
    for row in sheet.iter_rows(values_only=True):
        if len(rows) == MOST_ROWS:
            raise InputError(f"has rows beyond {MOST_ROWS:,}, the last of a sheet; {INSTEAD}.")
        rows.append(_texts(row) if row else [])
        if not row:
            continue
        cells += len(rows[-1])
        refuse_above(cells * BYTES_OF_CELL, f"its sheet has more than {cells:,} cells, which need", INSTEAD)
    return rows


def _texts(row: tuple[Any, ...]) -> list[str | None]:
    """Return the cells of a row as texts, without blanks behind the last."""
    blank = sum(1 for _ in itertools.takewhile(lambda cell: cell is None, reversed(row)))
    return [_text(cell) for cell in row[: len(row) - blank]]


def _text(cell: Any) -> str | None:
    """Return a cell as text: whole floats without ``.0``, dates in ISO form."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    if isinstance(cell, datetime | date | time):
        return cell.isoformat()
    return None if cell is None else str(cell)


def read_sas(path: Path, encoding: str | None = None) -> TableReader:
    """Return a .sas7bdat file as a table; its first row of data counts as row 1."""
    import pandas as pd

    try:
        frame = pd.read_sas(path, format="sas7bdat", encoding=encoding or "latin-1")
    except LookupError:
        raise SettingsError(f"encoding '{encoding}' is not known; examples: utf-8, latin-1, cp1252.") from None
    except (ValueError, OSError, NotImplementedError, OverflowError, MemoryError, TypeError, AttributeError) as error:
        reason = " ".join(str(error).split())[:120]
        raise InputError(f"not a readable SAS data file ({reason}); save it again, or as .csv.") from None
    return TableReader(from_pandas(frame), file_source(path, len(frame), "sas7bdat"), first_row=1)
