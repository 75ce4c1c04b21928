"""Scores from a query to DuckDB or PostgreSQL: one SELECT, as the parser of the database decides, in Arrow batches.

Credentials come from the URI or the environment.  They are kept in `Query` alone, which shows no more than where the
database is; every sentence of a driver is cleared of them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from reportgen.errors import InputError, SettingsError, install_command
from reportgen.machine.memory import pass_on
from reportgen.settings import DataSettings
from reportgen.sources import duckdb_rows, postgresql_rows

ENVIRONMENT = "REPORTGEN_CONNECTION"
"""The variable that holds the URI when none is given."""

SCHEMES = ("duckdb", "postgresql", "postgres")

OF_THE_PERSON = ("PGPASSWORD", "PGSERVICE", "PGGSSDELEGATION")
"""Variables that would give credentials to any server of PostgreSQL."""

_HIDDEN = "***"


@dataclass(frozen=True)
class Query:
    """A query to a database, as a source of scores.

    uri: ``duckdb:scores.duckdb`` or ``postgresql://user:password@host:5432/database``; never shown.
    sql: What is asked, one SELECT.

    >>> Query("postgresql://ann:secret@db.example.org/scores", "SELECT * FROM essays")
    Query(sql='SELECT * FROM essays', connection='postgresql://db.example.org/scores')
    """

    uri: str = field(repr=False)
    sql: str
    connection: str = field(default="", init=False)
    """Where the database is, without credentials."""

    def __post_init__(self) -> None:
        """Work out what may be shown."""
        object.__setattr__(self, "connection", without_credentials(self.uri))


def query_of(data: DataSettings) -> Query | None:
    """Return the query that settings name; None when they name none.

    The URI is the one of the environment when it leads to the same database, so that credentials need stand in no
    file.
    """
    if data.query is None:
        return None
    given = os.environ.get(ENVIRONMENT, "")
    uri = given if data.connection is None or (given and without_credentials(given) == data.connection) else ""
    if not uri and data.connection is None:
        raise SettingsError(f"--query: name the database with --connection URI, or in the variable {ENVIRONMENT}.")
    if not uri:
        _refuse_to_pass_on(str(data.connection))
    return Query(uri or str(data.connection), data.query)


def _refuse_to_pass_on(connection: str) -> None:
    """Raise when credentials would go to a database that only a configuration named, which may be a stranger's."""
    there = [name for name in OF_THE_PERSON if os.environ.get(name)]
    if there and not connection.startswith("duckdb:"):
        raise SettingsError(
            f"{there[0]} is set, and only the configuration names the database {connection[:80]}; if it may have your "
            f"credentials, say so: {ENVIRONMENT}={connection[:80]}"
        )


def without_credentials(uri: str) -> str:
    """Return where a database is: scheme, host, port and name, and nothing else of its URI.

    >>> without_credentials("postgresql://ann:s%40crt@host:5433/db?sslpassword=x"), without_credentials("duckdb:a/b.db")
    ('postgresql://host:5433/db', 'duckdb:a/b.db')
    """
    scheme, colon, rest = uri.partition(":")
    if not colon or scheme not in SCHEMES:
        raise SettingsError("--connection: expected duckdb:FILE or postgresql://HOST/DATABASE.")
    if scheme == "duckdb":
        return f"duckdb:{_file_of(rest)}"
    try:
        parts = urlsplit(uri)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        raise SettingsError(
            "--connection: not a URI; letters such as @ / : in a password are written %40 %2F %3A."
        ) from None
    if "@" in parts.path or "@" in (parts.hostname or "") or "@" in parts.fragment:
        raise SettingsError("--connection: letters such as @ / : in a password are written %40 %2F %3A.")
    return f"{scheme}://{parts.hostname or ''}{port}{parts.path}"


def record_batches(query: Query) -> Iterator[Any]:
    """Yield the schema of a query's result, then its record batches, as the database sends them."""
    with _cleared(query):
        if query.connection.startswith("duckdb:"):
            yield from duckdb_rows.record_batches(_file_of(query.uri.partition(":")[2]), query.sql)
        else:
            yield from postgresql_rows.record_batches(query.uri, query.sql)


def _file_of(rest: str) -> str:
    """Return the file of a DuckDB URI, behind its scheme: ``a.db``, ``//a.db`` and ``///a.db`` as of SQLAlchemy."""
    return rest[3:] if rest.startswith("///") else rest.removeprefix("//")


@contextmanager
def _cleared(query: Query) -> Iterator[None]:
    """Turn what a driver raises into a sentence without the URI and the credentials in it."""
    try:
        yield
    except InputError:
        raise
    except ImportError:
        raise InputError(f"reading from a database needs more packages; type: {install_command(extra='sql')}") from None
    except Exception as error:  # noqa: BLE001 - drivers raise what they like, and may say the URI
        pass_on(error)
        text = " ".join(postgresql_rows.told(error).split())
        for secret in _secrets(query.uri):
            text = text.replace(secret, _HIDDEN)
        text = re.sub(r"://[^\s/@]*:[^\s@]*@", f"://{_HIDDEN}@", text)
        raise InputError(f"the database refuses: {text[:200]}") from None


def _secrets(uri: str) -> list[str]:
    """Return every text of a URI, and of the environment, that may not be shown, the longest first."""
    if uri.startswith("duckdb:"):
        return []
    parts = urlsplit(uri)
    userinfo = parts.netloc.rpartition("@")[0]
    found = {uri, userinfo, userinfo.partition(":")[2], parts.password or "", parts.query}
    found |= {text for key, text in parse_qsl(parts.query) if "pass" in key.lower()}
    found.add(os.environ.get("PGPASSWORD", ""))
    found |= {unquote(text) for text in found}
    return sorted((text for text in found if len(text) > 2), key=len, reverse=True)
