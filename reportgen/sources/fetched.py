"""The rows of a query, asked once: few are held, many lie in a file without a name, of which nothing can be left."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from tempfile import TemporaryFile
from typing import IO, Any, NoReturn, cast

import pyarrow as pa

from reportgen.errors import InputError
from reportgen.machine.temporary import trouble
from reportgen.results import Source
from reportgen.sources.databases import Query, record_batches
from reportgen.sources.digests import Digest
from reportgen.sources.files import MANY_ROWS
from reportgen.sources.tabular import Reader, TableReader, checked_names

BLOCK_ROWS = 1 << 16
"""Rows that are hashed together, and written together: a hash must not rest on how a driver cuts its batches."""


_KEPT = "the rows of the query cannot be kept"


class Fetched:
    """The rows that a query returned; a source of scores as often as it is opened, until it is closed.

    query: What is asked.
    held: Rows that are held in memory; with more, all are in a temporary file.
    """

    def __init__(self, query: Query, held: int = MANY_ROWS) -> None:
        self.connection, self.sql = query.connection, query.sql
        self.rows = 0
        self._file: IO[bytes] | None = None
        self._blocks: list[Any] = []
        batches = record_batches(query)
        schema = next(batches)
        if not len(schema):
            raise InputError("the query returns no columns; expected a SELECT.")
        stored = [getattr(kind, "storage_type", kind) for kind in schema.types]
        self._schema = pa.schema([*zip(checked_names(schema.names), stored, strict=True)])
        try:
            self._keep(batches, held)
        except BaseException:
            self.close()
            raise

    def _keep(self, batches: Iterator[Any], held: int) -> None:
        """Take all rows in."""
        digest, writer = Digest(self._schema), None
        try:
            for block in _blocks(batches, self._schema):
                digest.add(block)
                self.rows += block.num_rows
                self._blocks.append(block)
                if self.rows > held:
                    writer = writer or self._writer()
                    for each in self._blocks:
                        writer.write_batch(each)
                    self._blocks = []
            if writer is not None:
                writer.close()
        except OSError as error:
            refuse_spilling(_KEPT, error)
        finally:
            with suppress(OSError):
                if writer is not None:
                    writer.close()  # said already, or stopped
        kind = "duckdb" if self.connection.startswith("duckdb:") else "postgresql"
        self._source = Source(f"{kind} query", digest.hexdigest(), digest.bytes, self.rows, kind)

    def _writer(self) -> Any:
        """Return a writer of Parquet, into a file without a name."""
        import pyarrow.parquet as pq

        self._file = unnamed_file(_KEPT)
        for field in self._schema:
            try:
                pq.write_table(pa.schema([field]).empty_table(), pa.BufferOutputStream())
            except pa.ArrowException:
                raise InputError(
                    f"column '{field.name}' is of the type {field.type}; leave it out of the SELECT, "
                    "or cast it to a number or text there."
                ) from None
        return pq.ParquetWriter(self._file, self._schema, compression="lz4")

    def reader(self) -> Reader:
        """Return a reader of the rows; the first is row 1."""
        if self._file is not None:
            from reportgen.sources.parquet import ParquetReader

            return ParquetReader(self._file, self._source)
        return TableReader(pa.Table.from_batches(self._blocks, self._schema), self._source, first_row=1)

    def close(self) -> None:
        """Let go of the rows."""
        self._blocks = []
        if self._file is not None:
            with suppress(OSError):  # of what a full disk did not take
                self._file.close()


def _blocks(batches: Iterator[Any], schema: Any) -> Iterator[Any]:
    """Yield all rows as batches of one size, the last one smaller; types of the database's own as they are stored."""
    waiting = pa.Table.from_batches([], schema)
    for batch in batches:
        columns = [getattr(column, "storage", column) for column in batch.columns]
        waiting = pa.concat_tables([waiting, pa.Table.from_arrays(columns, schema=schema)])
        while waiting.num_rows >= BLOCK_ROWS:
            yield waiting.slice(0, BLOCK_ROWS).combine_chunks().to_batches()[0]
            waiting = waiting.slice(BLOCK_ROWS)
    if waiting.num_rows:
        yield waiting.combine_chunks().to_batches()[0]


def unnamed_file(what: str) -> IO[bytes]:
    """Return a temporary file that no folder names, open for reading and writing: it is gone when this process is.

    what: What cannot be done without it.
    """
    try:
        return cast("IO[bytes]", TemporaryFile())
    except OSError as error:
        refuse_spilling(what, error)


def refuse_spilling(what: str, error: OSError) -> NoReturn:
    """Raise the sentence for a temporary file that takes nothing more."""
    raise InputError(trouble(what, error)) from None
