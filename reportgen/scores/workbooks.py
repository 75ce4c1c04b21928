"""XLSX workbooks: the first sheet, every cell as the text it shows."""

from __future__ import annotations

import warnings
import zipfile
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

from reportgen.errors import InputError
from reportgen.scores.tabular import TableReader, checked_names, file_source, from_texts


def read_workbook(path: Path) -> TableReader:
    """Return the first sheet of a workbook; its first row that is not blank is the header.

    Raises
    ------
    InputError
        The package that reads workbooks is missing, or the file is no workbook or holds no rows.
    """
    try:
        import openpyxl  # type: ignore[import-untyped]
    except ImportError:
        raise InputError("reading .xlsx needs one more package; type: pip install 'reportgen[xlsx]'") from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # openpyxl warns of styles it leaves out; only values matter here
            book = openpyxl.load_workbook(path, read_only=True, data_only=True)
            rows = [[_text(cell) for cell in row] for row in book.worksheets[0].iter_rows(values_only=True)]
            book.close()
    except (zipfile.BadZipFile, KeyError, ValueError, OSError, IndexError, TypeError, AttributeError, SyntaxError):
        raise InputError("not a readable Excel workbook; save it again as .xlsx, or as .csv.") from None
    return _reader(path, rows)


def _reader(path: Path, rows: list[list[str | None]]) -> TableReader:
    """Return the reader for the cells of a sheet, blank rows and columns left out."""
    blank = [number for number, row in enumerate(rows, 1) if not any(row)]
    filled = [row for row in rows if any(row)]
    if not filled:
        raise InputError("the first sheet is empty; expected a header row and one row per response.")
    width = max(index + 1 for row in filled for index, cell in enumerate(row) if cell)
    cells = [(row + [None] * width)[:width] for row in filled]
    names = checked_names([cell or "" for cell in cells[0]])
    return TableReader(from_texts(names, cells[1:]), file_source(path, len(cells) - 1, "xlsx"), 2, blank)


def _text(cell: Any) -> str | None:
    """Return a cell as text: whole floats without ``.0``, dates in ISO form."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    if isinstance(cell, datetime | date | time):
        return cell.isoformat()
    return None if cell is None else str(cell)
