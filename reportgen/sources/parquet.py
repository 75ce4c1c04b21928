"""Read Parquet files; the schema is known, so only the columns that matter are read."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from reportgen.errors import InputError
from reportgen.machine.memory import pass_on
from reportgen.results import Source
from reportgen.sources.tabular import BATCH_ROWS, FIRST_LOOK, Batches, Reader, checked_names, with_plain_texts

MOST_BYTES = 10_000_000  # the most bytes of the longest texts in the first rows


class ParquetReader(Reader):
    """A Parquet file, or an open file of a given source; the first row of data counts as row 1."""

    in_batches = True

    def __init__(self, path: Path | IO[bytes], source: Source | None = None) -> None:
        self._file, self._source = path, source
        if isinstance(path, Path):
            self._path = path
        with self._opened() as file:
            schema, parquet, self.rows = file.schema_arrow, file.schema, file.metadata.num_rows
        self._single = {parquet.column(place).path for place in range(len(parquet))}  # plain values, not lists
        self._given = dict(zip(checked_names(schema.names), schema.names, strict=True))
        texts = [each.name for each in schema if pa.types.is_string(each.type) or pa.types.is_large_string(each.type)]
        with self._opened(texts) as file:
            batch = next(file.iter_batches(FIRST_LOOK), None)
            head = _spelled_out(batch, schema) if batch is not None else schema.empty_table()
        self.head = with_plain_texts(head.rename_columns(list(self._given)))

    @contextmanager
    def _opened(self, repeated: Collection[str] = ()) -> Iterator[Any]:
        """Open the file with some text columns dictionary-encoded; turn pyarrow's exceptions into errors."""
        try:
            numbered = [name for name in repeated if name in self._single]
            with pq.ParquetFile(self._file, read_dictionary=numbered) as file:
                yield file
        except (pa.ArrowException, OSError) as error:
            pass_on(error)
            raise InputError("not a readable Parquet file; write it again, or save it as CSV.") from None

    def load(self, names: Sequence[str]) -> Any:
        """Return all rows of the named columns."""
        columns = {}
        with self._opened() as file:
            for name in names:  # reading columns together temporarily needs 50% more memory
                columns[name] = file.read([self._given[name]])[self._given[name]]
                pa.default_memory_pool().release_unused()
        return with_plain_texts(pa.table(columns))

    def batches(self, names: Sequence[str], labels: Collection[str] = (), rows: int = BATCH_ROWS) -> Batches:
        """Yield the named columns; the texts of `labels` are dictionary-encoded."""
        given = [self._given[name] for name in names]
        with self._opened([self._given[name] for name in labels]) as file:
            for batch in file.iter_batches(rows, columns=given):
                yield 0, with_plain_texts(pa.Table.from_batches([batch]).select(given).rename_columns(list(names)))


def _spelled_out(batch: Any, schema: Any) -> Any:
    """Return the first rows with plain texts; fewer rows if a repeated text is long."""
    repeated = [column.dictionary for column in batch.columns if pa.types.is_dictionary(column.type)]
    longest = sum(pc.max(pc.binary_length(each.cast(pa.large_string()))).as_py() or 0 for each in repeated if len(each))
    few = batch.slice(0, MOST_BYTES // max(longest, 1) + 1)
    columns = zip(few.columns, schema.types, strict=True)
    return pa.table([each if each.type == kind else each.cast(kind) for each, kind in columns], few.schema.names)
