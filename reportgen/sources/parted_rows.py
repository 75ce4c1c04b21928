"""Rows that belong to parts, held as a table, or laid down in a file from which any process reads one part."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.errors import InputError
from reportgen.sources.columns import to_numpy, whole_to_arrow

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

    path: The file.
    slices: First row and number of rows of the part in each batch, shape (batches, 2).
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
    """The rows of a source, by the part that each belongs to: held, or read on their way into a file.

    sizes: Rows of each part.
    runs: Returns the rows as record batches of the same columns, in order, each with the number of the part of every
        row.
    held: Arrow table of all rows, and the number of the part of each (n,); None where they are not held.
    """

    def __init__(
        self, sizes: Sequence[int], runs: Callable[[], Iterator[Run]], held: tuple[Any, NDArray[np.uint16]] | None
    ) -> None:
        self._sizes, self._runs, self._held = sizes, runs, held
        self._path: Path | None = None
        self._slices = np.empty((0, len(sizes), 2), np.int64)

    @classmethod
    def of(cls, table: Any, codes: NDArray[np.uint16], sizes: Sequence[int]) -> PartedRows:
        """Return the rows of a table."""

        def runs() -> Iterator[Run]:
            start = 0
            for batch in table.to_batches(max_chunksize=RUN_ROWS):
                yield batch, codes[start : start + batch.num_rows]
                start += batch.num_rows

        return cls(sizes, runs, (table, codes))

    @property
    def held(self) -> bool:
        """Whether all rows are in memory."""
        return self._held is not None

    @property
    def nbytes(self) -> int:
        """Bytes that the rows take, more than can be held where they are not read yet; 0 once they are laid down."""
        if self._path is not None:
            return 0
        return sys.maxsize if self._held is None else int(self._held[0].nbytes)

    def part(self, number: int) -> InMemory | InFile:
        """Return what gives the table of a part, and which rows of the source it holds."""
        if self._held is None:
            if self._path is None:
                raise RuntimeError("the rows are not read yet")
            return InFile(self._path, self._slices[:, number])
        order, starts = self._order
        rows = order[starts[number] : starts[number + 1]]
        return InMemory(self._held[0].take(whole_to_arrow(rows)), rows)

    @cached_property
    def _order(self) -> tuple[Rows, Rows]:
        """The rows of the source, part after part, and where each part begins."""
        codes = np.empty(0) if self._held is None else self._held[1]
        return np.argsort(codes, kind="stable"), np.concatenate([[0], np.cumsum(self._sizes)]).astype(np.int64)

    def lay_down(self, path: Path) -> None:
        """Write the rows into a file, and hold them no longer."""
        self._slices = written_by_part(self._runs(), len(self._sizes), path)
        if not np.array_equal(self._slices[:, :, 1].sum(axis=0), self._sizes):
            raise InputError(CHANGED)
        self._path, self._held = path, None
        pa.default_memory_pool().release_unused()


def written_by_part(runs: Iterator[Run], parts: int, path: Path) -> NDArray[np.int64]:
    """Write record batches into a file, each sorted by part; return the slices of parts, shape (batches, parts, 2)."""
    slices, start = [], 0
    first = next(runs)
    schema = pa.schema([pa.field(each.name, _spelled_out(each.type)) for each in first[0].schema])
    schema = schema.append(pa.field("", pa.int64()))
    runs = itertools.chain([first], runs)
    del first
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, schema) as writer:
        for batch, codes in runs:
            order, sizes = np.argsort(codes, kind="stable"), np.bincount(codes, minlength=parts)
            slices.append(np.column_stack([np.cumsum(sizes) - sizes, sizes]))
            taken = zip(batch.take(whole_to_arrow(order)).columns, schema.types, strict=False)
            columns = [*(each if each.type == kind else each.cast(kind) for each, kind in taken)]
            columns.append(whole_to_arrow(order + start))
            writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=schema))
            start += batch.num_rows
            del batch, codes, taken, columns  # not held while the next ones are read
    return np.array(slices, np.int64)


def _spelled_out(kind: Any) -> Any:
    """Return the type of a column whose values are not numbered: a file has one numbering for all its batches."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def slim(column: Any) -> Any:
    """Return a column that takes less: whole numbers in the narrowest type that holds them, one dictionary for all.

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
