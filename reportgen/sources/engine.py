"""Rows of any number, compared and sorted by DuckDB: what does not fit into its memory waits in a private folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa

from reportgen.errors import InputError
from reportgen.machine.memory import NeedsMemoryError, allowed, pass_on, sentence
from reportgen.machine.temporary import trouble

SHARE = 16
"""DuckDB holds this share of the memory that a run may take (128 MB of 2 GB) before rows wait on disk."""

THREADS = 2
"""Each takes memory of its own."""

BATCH_ROWS = 1 << 16
"""Rows of an answer that are held at a time."""


class Engine:
    """Tables in DuckDB, which are gone when this is closed.

    what: What cannot be done when the temporary folder takes nothing more, for the sentence that says so.
    """

    def __init__(self, what: str) -> None:
        self._what, self._held = what, ExitStack()
        self._tables: set[str] = set()
        self._connection: Any = None

    def add(self, table: str, rows: Any, columns: str = "*") -> None:
        """Append columns of an Arrow table, as SQL names them; the first one says which there are, of which types."""
        with self._told():
            begin = f"INSERT INTO {table}" if table in self._tables else f"CREATE TABLE {table} AS"
            connection = self._connected()
            connection.register("rows_to_add", rows)
            connection.execute(f"{begin} SELECT {columns} FROM rows_to_add")
            connection.unregister("rows_to_add")
        self._tables.add(table)

    def ask(self, sql: str) -> Iterator[Any]:
        """Yield the answer as Arrow record batches, in its order."""
        with self._told():
            for batch in pa.RecordBatchReader.from_stream(self._connected().sql(sql)):
                for start in range(0, batch.num_rows, BATCH_ROWS):
                    yield batch.slice(start, BATCH_ROWS)

    def close(self) -> None:
        """Let go of the rows."""
        self._held.close()
        self._connection = None

    def _connected(self) -> Any:
        """Return the connection; DuckDB is imported when there are rows for it."""
        if self._connection is None:
            import duckdb

            try:
                folder = TemporaryDirectory(prefix="reportgen-", ignore_cleanup_errors=True)
            except OSError as error:
                raise InputError(trouble(self._what, error)) from None
            config = _settings(self._held.enter_context(folder))
            self._connection = self._held.enter_context(duckdb.connect(config=config))
            self._connection.execute("SET enable_external_access = false")
        return self._connection

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn what DuckDB raises into the sentence for a disk that is full."""
        import duckdb

        try:
            yield
        except duckdb.OutOfMemoryException:
            raise NeedsMemoryError(f"{self._what}: {sentence()}") from None
        except duckdb.Error as error:
            pass_on(error)
            raise InputError(trouble(self._what, OSError(0, " ".join(str(error).split())[:200]))) from None


def _settings(folder: str) -> dict[str, Any]:
    """Return settings of DuckDB: nothing but its own memory and folder."""
    return {
        "memory_limit": f"{allowed() / SHARE:.0f}B",
        "threads": THREADS,
        "temp_directory": folder,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "python_enable_replacements": False,
    }
