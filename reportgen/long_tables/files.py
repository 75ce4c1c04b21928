"""Long tables as files: CSV that no spreadsheet will run, Parquet, and an account of what was done."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from reportgen.evaluation.many_items import LongTable
from reportgen.evaluation.many_items.tables import CAPTIONS
from reportgen.machine.worker_processes import ahead
from reportgen.sources.bridge import floats_to_arrow, integers_to_arrow, mask_to_arrow, texts_to_arrow
from reportgen.storing import replaced
from reportgen.storing.csv_tables import harmless

FORMATS = ("csv", "parquet")

MANIFEST = "items.json"

OWN_FILES = frozenset(
    (
        MANIFEST,
        *(f"{key}.{kind}" for key in ("items", "data.exclusions", "privacy.withheld", *CAPTIONS) for kind in FORMATS),
    )
)
"""What a run of tables may write into its folder."""


def write_item_tables(
    tables: Sequence[LongTable],
    account: dict[str, Any],
    folder: Path,
    formats: Sequence[str],
    check: Callable[[], None],
    threads: ThreadPoolExecutor | None = None,
) -> None:
    """Write every table, and the account, into a folder: all of them, or none.

    Parameters
    ----------
    check
        Raises when the folder may not be written to any more.
    threads
        Who writes tables; None for this thread.

    Raises
    ------
    OutputError
        The disk refuses a file, or the folder has changed meanwhile.
    """
    with replaced(folder, _is_own, check) as aside:

        def write(table: LongTable) -> None:
            if "csv" in formats:
                pa_csv.write_csv(arrow_table(table, harmless=True), aside / f"{table.key}.csv")
            if "parquet" in formats:
                pq.write_table(arrow_table(table), aside / f"{table.key}.parquet")

        for _ in ahead(threads, write, tables):
            pass
        text = json.dumps({**account, "formats": list(formats)}, indent=1, ensure_ascii=False, allow_nan=False)
        (aside / MANIFEST).write_text(text + "\n", encoding="utf-8")


def arrow_table(table: LongTable, *, harmless: bool = False) -> Any:
    """Return a long table as an Arrow table, null where a number is not defined."""
    names = [_harmless(name) if harmless else name for name in table.columns]
    columns = [_arrow(column, harmless=harmless) for column in table.columns.values()]
    return pa.Table.from_arrays(columns, names=names)


def _arrow(column: NDArray[Any], *, harmless: bool) -> Any:
    """Return a column; texts that a spreadsheet would run get an apostrophe in front."""
    if column.dtype == object:
        texts = column.tolist()
        distinct = list(dict.fromkeys(texts))
        place = {text: index for index, text in enumerate(distinct)}
        shown = [_harmless(text) if harmless else text for text in distinct]
        codes = np.array([place[text] for text in texts], np.int64)
        return texts_to_arrow(shown).take(pa.Array.from_buffers(pa.int64(), len(codes), [None, pa.py_buffer(codes)]))
    if column.dtype == np.bool_:
        return mask_to_arrow(column)
    if isinstance(column, np.ma.MaskedArray):
        return integers_to_arrow(np.ascontiguousarray(column.filled(0), np.int64), ~np.ma.getmaskarray(column))
    if column.dtype.kind == "i":
        return pa.Array.from_buffers(
            pa.int64(), len(column), [None, pa.py_buffer(np.ascontiguousarray(column, np.int64))]
        )
    return floats_to_arrow(column)


def _harmless(text: str) -> str:
    return str(harmless(text))


def _is_own(_new: Path, place: PurePosixPath) -> bool:
    """Return whether a file is one that a run of tables writes."""
    return place.as_posix() in OWN_FILES
