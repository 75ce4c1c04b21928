"""The rows of a SELECT from a DuckDB file, asked on a connection that reaches nothing but that file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reportgen.errors import InputError
from reportgen.machine.memory import allowed

LOCKED: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_unsigned_extensions": "false",
    "python_enable_replacements": "false",
    "temp_directory": "",
    "lock_configuration": "true",
}
"""Settings that hold from the start: no other files, no network, no extensions, no variables of this program."""


def record_batches(file: str, sql: str) -> Iterator[Any]:
    """Yield the schema of the result of a SELECT, then its record batches."""
    import duckdb
    import pyarrow as pa

    path = _checked(file)
    try:
        most = {"memory_limit": f"{allowed():.0f}B"}
        with duckdb.connect(path, read_only=True, config=LOCKED | most) as connection:
            reader = pa.RecordBatchReader.from_stream(connection.sql(_one_select(connection, sql)))
            yield reader.schema
            yield from reader
    except duckdb.PermissionException:
        raise InputError(
            "the query, or a view that it names, reads a file, a URL or an extension, and only tables of the database "
            "are read; load what it needs into a table first."
        ) from None
    except duckdb.Error as error:
        names = (duckdb.ProgrammingError, duckdb.OperationalError)
        raise InputError(f"the database refuses: {_said(error, whole=isinstance(error, names))}") from None


def _checked(file: str) -> str:
    """Return the path of a database, which no prefix can turn into anything else than a file."""
    path = Path(file).absolute()
    for each in (path, path.with_name(f"{path.name}.wal")):
        if each.exists() and not each.is_file():
            raise InputError(f"'{each.name[:60]}' is no ordinary file; expected a database of DuckDB.")
    if not path.exists():
        raise InputError("there is no such file; expected duckdb:FILE, a database of DuckDB.")
    return str(path)


def _one_select(connection: Any, sql: str) -> Any:
    """Return the one statement of a query as the database parses it; refuse any other kind."""
    import duckdb

    statements = connection.extract_statements(sql)
    if len(statements) != 1:
        raise InputError(f"--query: expected one SELECT, found {len(statements):,} statements.")
    if statements[0].type != duckdb.StatementType.SELECT:
        kind = str(statements[0].type).rpartition(".")[2]
        hint = " (name the columns of a PIVOT with IN)" if kind == "MULTI" else ""
        raise InputError(f"--query: expected one SELECT, found a statement of the kind {kind}{hint}.")
    return statements[0]


def _said(error: Exception, *, whole: bool) -> str:
    """Return what the database says, in one line; unless `whole`, without what it quotes, which may be data."""
    text = str(error) if whole else re.sub(r"(['\"]).*\1", "'...'", str(error).partition("\n")[0])
    return " ".join(text.split())[:200]
