"""Sources read batch by batch, file by file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

import pyarrow as pa

from reportgen.errors import InputError
from reportgen.results import Source
from reportgen.sources.tabular import Place, Reader

BATCH_ROWS = 1 << 16
"""Rows of a batch: enough that starting on one costs nothing beside counting it, few enough to hold."""


@dataclass(frozen=True)
class Wanted:
    """What of a source is to be read.

    Parameters
    ----------
    names
        Columns.
    labels
        Those of them whose values repeat.
    rows
        Rows of a batch, at most.
    """

    names: tuple[str, ...]
    labels: frozenset[str] = frozenset()
    rows: int = BATCH_ROWS


class Piece(Protocol):
    """The rows of one file, one after the other."""

    @property
    def rows(self) -> int:
        """How many rows there are, as far as that can be told before reading them."""

    @property
    def file(self) -> int:
        """The number of the file, among several."""

    def batches(self, wanted: Wanted) -> Iterator[Any]:
        """Yield the wanted columns as Arrow tables, in the order of the rows.

        Raises
        ------
        InputError
            The rows cannot be read; the sentence names the file where there are several.
        """


class Batched(Protocol):
    """A source that can be read in pieces, beside what every `Reader` can do."""

    head: Any

    def place(self, index: int) -> Place:
        """Return where row `index` of all rows (counted from 0) stands."""

    def source(self, rows: int) -> Source:
        """Return where the scores came from."""

    def pieces(self, names: Sequence[str]) -> Sequence[Piece]:
        """Return the rows of each file, in their order, for the named columns to be read of."""

    def counted(self, rows: Mapping[int, int]) -> None:
        """Take note of how many rows each file holds, by its number."""


def in_batches(reader: Reader) -> Batched | None:
    """Return a source that can be read in pieces; None for one that is read as a whole."""
    readers = getattr(reader, "readers", (reader,))
    return cast(Batched, reader) if all(hasattr(each, "pieces") for each in readers) else None


@dataclass(frozen=True)
class PieceOfFile:
    """The rows of one of several files.

    Parameters
    ----------
    piece
        The same, in a source that its file is by itself.
    name
        What the file is called.
    columns
        What names of folders say of all its rows.
    kinds
        Names of columns -> the type that all files share, where the file may have another.
    """

    piece: Piece
    name: str
    file: int
    columns: Mapping[str, str | None]
    kinds: Mapping[str, Any] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """How many rows there are, as far as that can be told before reading them."""
        return self.piece.rows

    def batches(self, wanted: Wanted) -> Iterator[Any]:
        """Yield the wanted columns as Arrow tables, of the types that all files share."""
        inside = tuple(name for name in wanted.names if name not in self.columns)
        try:
            own = Wanted(inside, wanted.labels.intersection(inside), wanted.rows)
            for table in self.piece.batches(own):
                for name in wanted.names:
                    if name in self.columns:
                        value = pa.scalar(self.columns[name], pa.string())
                        table = table.append_column(name, pa.repeat(value, table.num_rows))
                yield of_kinds(table.select(list(wanted.names)), self.kinds)
        except InputError as error:
            raise InputError(f"{self.name}: {error}") from None


def of_kinds(table: Any, kinds: Mapping[str, Any]) -> Any:
    """Return a table with columns of other types.

    Raises
    ------
    InputError
        A number does not fit.
    """
    for index, name in enumerate(table.schema.names):
        kind = kinds.get(name)
        own = table.schema.field(index).type
        if kind is None or own == kind or (pa.types.is_dictionary(own) and own.value_type == kind):
            continue
        try:
            table = table.set_column(index, pa.field(name, kind), table.column(index).cast(kind))
        except pa.ArrowInvalid:
            raise InputError(
                f"column '{name}' holds numbers that the type they have in other files cannot hold exactly; "
                "write it as text, or as one type, into every file."
            ) from None
    return table.replace_schema_metadata(None)
