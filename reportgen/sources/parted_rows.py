"""Rows that belong to parts, held as a table, or laid down in a file from which any process reads one part."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.errors import InputError
from reportgen.sources.bridge import to_numpy, whole_to_arrow

RUN_ROWS = 1 << 20
"""Rows that are sorted at a time on their way into the file."""


CHANGED = "the file changes while it is read; try again when nothing writes to it."

Run = tuple[Any, NDArray[np.uint16]]
"""A record batch, and the number of the part of each of its rows."""

Rows = NDArray[np.int64]
"""Which rows of the source, counted from 0."""


@dataclass(frozen=True)
class InMemory:
    """The rows of one part, as a table that travels with this."""

    table: Any
    rows: Rows

    def __call__(self) -> tuple[Any, Rows]:
        """Return the table, and which rows of the source it holds."""
        return self.table, self.rows


@dataclass(frozen=True)
class InFile:
    """The rows of one part in a file of Arrow record batches, whose last column says which rows of the source they are.

    Parameters
    ----------
    path
        The file.
    slices
        First row and number of rows of the part in each batch, shape (batches, 2).
    """

    path: Path
    slices: NDArray[np.int64]

    def __call__(self) -> tuple[Any, Rows]:
        """Return the table, and which rows of the source it holds, read from the file."""
        with pa.memory_map(str(self.path)) as file, pa.ipc.open_file(file) as batches:
            found = [
                pa.Table.from_batches([batches.get_batch(number).slice(start, size)])
                for number, (start, size) in enumerate(self.slices.tolist())
                if size
            ]
            mapped = pa.concat_tables(found)
            table = mapped.take(whole_to_arrow(np.arange(mapped.num_rows)))  # a copy: no longer of the file
        last = table.num_columns - 1
        return table.remove_column(last), to_numpy(table.column(last).combine_chunks(), np.int64, 0)


class PartedRows:
    """The rows of a source, by the part that each belongs to.

    Parameters
    ----------
    table
        Arrow table of all rows.
    codes
        (n,): number of the part of each row.
    sizes
        Rows of each part.
    """

    def __init__(self, table: Any, codes: NDArray[np.uint16], sizes: Sequence[int]) -> None:
        self._table, self._codes, self._sizes = table, codes, sizes
        self._path: Path | None = None
        self._slices = np.empty((0, len(sizes), 2), np.int64)

    @property
    def nbytes(self) -> int:
        """Bytes of the table; 0 once it is laid down."""
        return 0 if self._table is None else int(self._table.nbytes)

    def part(self, number: int) -> InMemory | InFile:
        """Return what gives the table of a part, and which rows of the source it holds."""
        if self._path is not None:
            return InFile(self._path, self._slices[:, number])
        order, starts = self._order
        rows = order[starts[number] : starts[number + 1]]
        return InMemory(self._table.take(whole_to_arrow(rows)), rows)

    @cached_property
    def _order(self) -> tuple[Rows, Rows]:
        """The rows of the source, part after part, and where each part begins."""
        return np.argsort(self._codes, kind="stable"), np.concatenate([[0], np.cumsum(self._sizes)]).astype(np.int64)

    def lay_down(self, path: Path) -> None:
        """Write the rows into a file, and hold them no longer.

        Raises
        ------
        OSError
            The disk refuses.
        """
        table = self._table.unify_dictionaries()  # a file has one dictionary for each column
        runs = ((batch, self._codes[start : start + batch.num_rows]) for start, batch in _runs(table))
        self._slices = written_by_part(runs, table.schema, len(self._sizes), path)
        self._path, self._table, self._codes = path, None, self._codes[:0]
        pa.default_memory_pool().release_unused()


class RowsToRead:
    """The rows of a source that is never held: read batch by batch on their way into the file.

    Parameters
    ----------
    runs
        Returns the rows as record batches of the same columns, in order, each with the number of the part of every row.
    sizes
        Rows of each part.
    """

    def __init__(self, runs: Callable[[], Iterator[Run]], sizes: Sequence[int]) -> None:
        self._runs, self._sizes = runs, sizes
        self._path: Path | None = None
        self._slices = np.empty((0, len(sizes), 2), np.int64)

    @property
    def nbytes(self) -> int:
        """More bytes than can be held; 0 once they are laid down."""
        return 0 if self._path is not None else sys.maxsize

    def part(self, number: int) -> InFile:
        """Return what gives the table of a part, and which rows of the source it holds, when they are laid down."""
        if self._path is None:
            raise RuntimeError("the rows are not read yet")
        return InFile(self._path, self._slices[:, number])

    def lay_down(self, path: Path) -> None:
        """Read the rows, and write them into a file.

        Raises
        ------
        InputError
            They cannot be read, or are not those that were counted.
        OSError
            The disk refuses.
        """
        runs = self._runs()
        first = next(runs)
        schema = pa.schema([pa.field(each.name, _spelled_out(each.type)) for each in first[0].schema])
        self._slices = written_by_part(itertools.chain([first], runs), schema, len(self._sizes), path)
        if not np.array_equal(self._slices[:, :, 1].sum(axis=0), self._sizes):
            raise InputError(CHANGED)
        self._path = path
        pa.default_memory_pool().release_unused()


def written_by_part(runs: Iterable[Run], schema: Any, parts: int, path: Path) -> NDArray[np.int64]:
    """Write record batches into a file, each sorted by part; return the slices of the parts, shape (batches, parts, 2).

    Raises
    ------
    OSError
        The disk refuses.
    """
    slices, start = [], 0
    schema = schema.append(pa.field("", pa.int64()))
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, schema) as writer:
        for batch, codes in runs:
            order, sizes = np.argsort(codes, kind="stable"), np.bincount(codes, minlength=parts)
            slices.append(np.column_stack([np.cumsum(sizes) - sizes, sizes]))
            taken = zip(batch.take(whole_to_arrow(order)).columns, schema.types, strict=False)
            columns = [*(each if each.type == kind else each.cast(kind) for each, kind in taken)]
            columns.append(whole_to_arrow(order + start))
            writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=schema))
            start += batch.num_rows
    return np.array(slices, np.int64)


def _spelled_out(kind: Any) -> Any:
    """Return the type of a column whose values are not numbered: a file has one numbering for all its batches."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def slim(column: Any) -> Any:
    """Return a column that takes less: whole numbers in the narrowest type that holds them, one dictionary for all.

    Examples
    --------
    >>> slim(pa.chunked_array([[1, None, 6]])).type
    DataType(int8)
    """
    if column.type != pa.int64():
        return column.unify_dictionaries()
    low, high = pc.min_max(column).values()
    for kind in (pa.int8(), pa.int16(), pa.int32()):
        half = 1 << (kind.bit_width - 1)
        if low.is_valid and -half <= low.as_py() and high.as_py() < half:
            return column.cast(kind)
    return column


def _runs(table: Any) -> Iterator[tuple[int, Any]]:
    """Yield the rows as record batches, and where each begins."""
    for first in range(0, table.num_rows, RUN_ROWS):
        start = first
        for batch in table.slice(first, RUN_ROWS).combine_chunks().to_batches():
            yield start, batch
            start += batch.num_rows
