"""Parquet files: the schema is known, so only the columns that matter are ever read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, NoReturn

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from reportgen.errors import InputError
from reportgen.machine.memory import pass_on
from reportgen.results import Source
from reportgen.sources.batches import Piece, Wanted
from reportgen.sources.tabular import FIRST_LOOK, Place, checked_names, file_source, place_in_file, without_views

MOST_BYTES = 10_000_000
"""Bytes that the longest texts of the first rows may take."""

MANY_ROWS = 1_000_000
"""From so many rows on columns are read one after the other: together they take half as much memory again meanwhile."""


@dataclass(frozen=True)
class ParquetPiece:
    """The rows of a Parquet file.

    Parameters
    ----------
    path, rows
        The file, and how many rows it holds.
    given
        Names of columns -> as the file has them.
    """

    path: Path | IO[bytes]
    rows: int
    given: Mapping[str, str]
    file: int = 0

    def batches(self, wanted: Wanted) -> Iterator[Any]:
        """Yield the wanted columns as Arrow tables."""
        columns = [self.given[name] for name in wanted.names]
        repeated = [self.given[name] for name in wanted.labels]
        try:
            with pq.ParquetFile(self.path, read_dictionary=flat(self.path, repeated)) as file:
                for batch in file.iter_batches(wanted.rows, columns=columns):
                    table = pa.Table.from_batches([batch])
                    yield table.select(columns).rename_columns(list(wanted.names))
        except (pa.ArrowException, OSError) as error:
            refuse_parquet(error)


def _plain(batch: Any, schema: Any) -> Any:
    """Return the first rows with their texts one by one: fewer of them where a text that repeats is long."""
    repeated = [column.dictionary for column in batch.columns if pa.types.is_dictionary(column.type)]
    longest = sum(pc.max(pc.binary_length(each.cast(pa.large_string()))).as_py() or 0 for each in repeated if len(each))
    return pa.Table.from_batches([batch.slice(0, MOST_BYTES // max(longest, 1) + 1)]).cast(schema)


def flat(path: Path | IO[bytes], names: Sequence[str]) -> list[str]:
    """Return those of the columns of a Parquet file that hold single values, not lists of them."""
    schema = pq.read_metadata(path).schema
    single = {schema.column(place).path for place in range(len(schema))}
    return [name for name in names if name in single]


def refuse_parquet(error: Exception) -> NoReturn:
    """Raise the sentence for a Parquet file that pyarrow cannot read."""
    pass_on(error)
    raise InputError(f"not a readable Parquet file: {' '.join(str(error).split())[:200].rstrip('.')}.") from None


class ParquetReader:
    """A Parquet file, or one that is open and of a given source; the first row of data counts as row 1."""

    def __init__(self, path: Path | IO[bytes], source: Source | None = None) -> None:
        self._path = path
        self._source = source
        try:
            with pq.ParquetFile(path) as file:
                schema = file.schema_arrow
                self._rows = file.metadata.num_rows
            given = schema.names
            self._given = dict(zip(checked_names(given), given, strict=True))
            texts = [
                each.name for each in schema if pa.types.is_string(each.type) or pa.types.is_large_string(each.type)
            ]
            with pq.ParquetFile(path, read_dictionary=flat(path, texts)) as file:
                batch = next(file.iter_batches(FIRST_LOOK), None)
            head = _plain(batch, schema) if batch is not None else schema.empty_table()
        except (pa.ArrowException, OSError) as error:
            refuse_parquet(error)
        self.head = head.rename_columns(list(self._given))

    def load(self, names: Sequence[str]) -> Any:
        """Return the named columns, all rows."""
        try:
            with pq.ParquetFile(self._path) as file:
                given = [self._given[name] for name in names]
                if file.metadata.num_rows < MANY_ROWS:
                    return without_views(file.read(given).rename_columns(list(names)))
                columns = {}
                for name, column in zip(names, given, strict=True):
                    columns[name] = file.read([column])[column]
                    pa.default_memory_pool().release_unused()
                return without_views(pa.table(columns))
        except (pa.ArrowException, OSError) as error:
            refuse_parquet(error)

    def place(self, index: int) -> Place:
        """Return the row of data; the first is row 1."""
        return place_in_file(index, 1)

    def pieces(self, names: Sequence[str]) -> Sequence[Piece]:
        """Return the rows."""
        return [ParquetPiece(self._path, self._rows, {name: self._given[name] for name in names})]

    def counted(self, rows: Mapping[int, int]) -> None:
        """Take note of how many rows there are, which the file says itself."""

    def source(self, rows: int) -> Source:
        """Return where the rows came from."""
        if self._source is not None:
            return replace(self._source, rows=rows)
        return file_source(Path(str(self._path)), rows, "parquet")
