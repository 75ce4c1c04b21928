"""The rows of a SELECT from PostgreSQL, asked in a transaction that only reads, as a user without power over files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from reportgen.errors import InputError

_ENDS = re.compile(r";(?=(?:\s|--[^\n'\"$]*(?:\n|\Z)|/\*(?:(?!\*/)[^'\"$])*\*/)*\Z)")
"""A semicolon behind which nothing but comments stand; without quotes in these it is in no text."""

_POWER = """
SELECT EXISTS (
  SELECT 1 FROM pg_catalog.pg_roles AS role
  WHERE (role.rolsuper OR role.rolname IN
         ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program'))
    AND (pg_catalog.pg_has_role(session_user, role.oid, 'MEMBER')
      OR pg_catalog.pg_has_role(current_user, role.oid, 'MEMBER')))
"""

_TELLING = ("08", "25", "28", "3D", "42", "53", "57")
"""Classes of SQLSTATE whose sentences quote names and settings, and no data."""

_UNKNOWN = "?"
"""Of an error while rows are sent, which has no SQLSTATE; that a connection fails has None."""


def record_batches(uri: str, sql: str) -> Iterator[Any]:
    """Yield the schema of the result of a SELECT, then its record batches, as the server sends them."""
    import adbc_driver_postgresql.dbapi as postgresql

    with postgresql.connect(uri, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY")
        _refuse_power(cursor)
        connection.adbc_connection.set_autocommit(False)
        cursor.execute("SET TRANSACTION READ ONLY")
        cursor.execute(as_one_select(sql))
        with cursor.fetch_record_batch() as reader:
            yield reader.schema
            yield from reader
        connection.rollback()


def as_one_select(sql: str) -> str:
    r"""Return a query inside a SELECT, where the server's parser takes nothing but one SELECT.

    >>> as_one_select("SELECT 1; -- all")
    'SELECT * FROM (\nSELECT 1 -- all\n) AS query'
    """
    return f"SELECT * FROM (\n{_ENDS.sub('', sql, count=1)}\n) AS query"


def told(error: Exception) -> str:
    """Return what the driver says; what it quotes only where that is no data."""
    text, state = str(error), getattr(error, "sqlstate", _UNKNOWN)
    if state == "42601":
        return f"expected one SELECT, comments before its semicolon: {text}"
    if state is None or state[:2] in _TELLING:
        return text
    return re.sub(r"(['\"]).*\1", "'...'", text, flags=re.DOTALL)


def _refuse_power(cursor: Any) -> None:
    """Raise when the user could reach files and programs of the server with a SELECT."""
    cursor.execute(_POWER)
    if cursor.fetchone()[0]:
        raise InputError(
            "this user is a superuser of the database, or may use files or programs of its server, and so may a query; "
            "ask as a user who may only read the tables."
        )
