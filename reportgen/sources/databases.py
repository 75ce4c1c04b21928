"""Read scores from DuckDB or PostgreSQL with one SELECT, in Arrow batches.

The database's parser checks that the query is one SELECT.  Credentials come from the URI or the environment.  Only
`Query` keeps them, which shows nothing but the location of the database; driver messages are cleaned of them.  DuckDB
can access one file only; PostgreSQL runs a read-only transaction, as a user who cannot access the server's files.
"""

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, cast
from urllib.parse import parse_qsl, unquote, urlsplit

import pyarrow as pa

from reportgen.errors import InputError, SettingsError, install_command
from reportgen.machine.memory import allowed, pass_on
from reportgen.machine.temporary import trouble
from reportgen.results import Source
from reportgen.settings import DataSettings
from reportgen.sources.digests import Digest
from reportgen.sources.files import MANY_ROWS
from reportgen.sources.tabular import Reader, TableReader, checked_names

ENVIRONMENT = "REPORTGEN_CONNECTION"  # the variable that contains the URI if none is given

SCHEMES = ("duckdb", "postgresql", "postgres")

OF_THE_PERSON = ("PGPASSWORD", "PGSERVICE", "PGGSSDELEGATION")
"""Variables that would give credentials to any PostgreSQL server."""

_HIDDEN = "***"


@dataclass(frozen=True)
class Query:
    """A database query as a source of scores.

    uri: ``duckdb:scores.duckdb`` or ``postgresql://user:password@host:5432/database``; never shown.

    >>> Query("postgresql://ann:secret@db.example.org/scores", "SELECT * FROM essays")
    Query(sql='SELECT * FROM essays', connection='postgresql://db.example.org/scores')
    """

    uri: str = field(repr=False)
    sql: str  # the query, one SELECT
    connection: str = field(default="", init=False)  # location of the database, without credentials

    def __post_init__(self) -> None:
        object.__setattr__(self, "connection", without_credentials(self.uri))


def query_of(data: DataSettings) -> Query | None:
    """Return the query in the settings, with the environment's URI if that is the same database; None without one."""
    if data.query is None:
        return None
    given = os.environ.get(ENVIRONMENT, "")
    uri = given if data.connection is None or (given and without_credentials(given) == data.connection) else ""
    if not uri and data.connection is None:
        raise SettingsError(f"--query: name the database with --connection URI, or in the variable {ENVIRONMENT}.")
    there = [name for name in OF_THE_PERSON if os.environ.get(name)]
    if not uri and there and not str(data.connection).startswith("duckdb:"):  # it may be the database of a stranger
        named = str(data.connection)[:80]
        text = f"{there[0]} is set, and only the configuration names the database {named}; to let it use your "
        raise SettingsError(f"{text}credentials, set {ENVIRONMENT}={named}")
    return Query(uri or str(data.connection), data.query)


def without_credentials(uri: str) -> str:
    """Return only the location of a database from its URI: scheme, host, port, and name.

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
        strange = any("@" in part for part in (parts.path, parts.hostname or "", parts.fragment))
    except ValueError:
        strange = True
    if strange:
        raise SettingsError("--connection: not a URI; letters such as @ / : in a password are written %40 %2F %3A.")
    return f"{scheme}://{parts.hostname or ''}{port}{parts.path}"


def record_batches(query: Query) -> Iterator[Any]:
    """Yield the schema of a query's result, then its record batches, as the database sends them."""
    with _cleared(query):
        if query.connection.startswith("duckdb:"):
            yield from _of_duckdb(_file_of(query.uri.partition(":")[2]), query.sql)
        else:
            yield from _of_postgresql(query.uri, query.sql)


def _file_of(rest: str) -> str:
    """Return the file of a DuckDB URI after the scheme: ``a.db``, or ``//a.db`` and ``///a.db`` as in SQLAlchemy."""
    return rest[3:] if rest.startswith("///") else rest.removeprefix("//")


@contextmanager
def _cleared(query: Query) -> Iterator[None]:
    """Turn driver exceptions into errors without the URI and the credentials."""
    try:
        yield
    except InputError:
        raise
    except ImportError:
        raise InputError(f"reading a database requires more packages; run: {install_command(extra='sql')}") from None
    except Exception as error:  # noqa: BLE001 - drivers raise what they like, and may say the URI
        pass_on(error)
        text = " ".join(_message(error).split())
        for secret in _secrets(query.uri):
            text = text.replace(secret, _HIDDEN)
        text = re.sub(r"://[^\s/@]*:[^\s@]*@", f"://{_HIDDEN}@", text)
        raise InputError(f"database error: {text[:200]}") from None


def _secrets(uri: str) -> list[str]:
    """Return every secret text of a URI and of the environment, the longest first."""
    if uri.startswith("duckdb:"):
        return []
    parts = urlsplit(uri)
    userinfo = parts.netloc.rpartition("@")[0]
    found = {uri, userinfo, userinfo.partition(":")[2], parts.password or "", parts.query}
    found |= {text for key, text in parse_qsl(parts.query) if "pass" in key.lower()}
    found.add(os.environ.get("PGPASSWORD", ""))
    found |= {unquote(text) for text in found}
    return sorted((text for text in found if len(text) > 2), key=len, reverse=True)


_OFF = (
    "enable_external_access", "autoinstall_known_extensions", "autoload_known_extensions",
    "allow_community_extensions", "allow_unsigned_extensions", "python_enable_replacements",
)  # fmt: skip
LOCKED: dict[str, Any] = {**dict.fromkeys(_OFF, "false"), "temp_directory": "", "lock_configuration": "true"}
"""Settings of every connection: no other files, no network, no extensions, no variables of this program."""


def _of_duckdb(file: str, sql: str) -> Iterator[Any]:
    import duckdb

    path = _checked(file)
    try:
        most = {"memory_limit": f"{allowed():.0f}B"}
        with duckdb.connect(path, read_only=True, config=LOCKED | most) as connection:
            reader = pa.RecordBatchReader.from_stream(connection.sql(_one_select(connection, sql)))
            yield reader.schema
            yield from reader
    except duckdb.PermissionException:
        text = "the query, or a view in it, reads a file, a URL, or an extension, but only database tables can be read"
        raise InputError(f"{text}; load the data into a table first.") from None


def _checked(file: str) -> str:
    """Return the path of a database in a form that cannot be anything but a file."""
    path = Path(file).absolute()
    for each in (path, path.with_name(f"{path.name}.wal")):
        if each.exists() and not each.is_file():
            raise InputError(f"'{each.name[:60]}' is not an ordinary file; expected a DuckDB database.")
    if not path.exists():
        raise InputError("there is no such file; expected duckdb:FILE, a database of DuckDB.")
    return str(path)


def _one_select(connection: Any, sql: str) -> Any:
    """Return the one statement of a query as the database parses it; raise for anything but a SELECT."""
    import duckdb

    statements = connection.extract_statements(sql)
    if len(statements) != 1:
        raise InputError(f"--query: expected one SELECT, found {len(statements):,} statements.")
    if statements[0].type != duckdb.StatementType.SELECT:
        kind = str(statements[0].type).rpartition(".")[2]
        hint = " (name the columns of a PIVOT with IN)" if kind == "MULTI" else ""
        raise InputError(f"--query: expected one SELECT, found a statement of the kind {kind}{hint}.")
    return statements[0]


_ENDS = re.compile(r";(?=(?:\s|--[^\n'\"$]*(?:\n|\Z)|/\*(?:(?!\*/)[^'\"$])*\*/)*\Z)")
"""A final semicolon, followed only by comments without quotes; it cannot be inside a text."""

_POWER = """
SELECT EXISTS (
  SELECT 1 FROM pg_catalog.pg_roles AS role
  WHERE (role.rolsuper OR role.rolname IN
         ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program'))
    AND (pg_catalog.pg_has_role(session_user, role.oid, 'MEMBER')
      OR pg_catalog.pg_has_role(current_user, role.oid, 'MEMBER')))
"""

_OPEN_MESSAGES = ("08", "25", "28", "3D", "42", "53", "57")
"""Classes of SQLSTATE whose messages quote names and settings, but no data."""

_UNKNOWN = "?"  # for an error while rows are sent, which has no SQLSTATE; for a failed connection it is None


def _of_postgresql(uri: str, sql: str) -> Iterator[Any]:
    import adbc_driver_postgresql.dbapi as postgresql

    with postgresql.connect(uri, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY")
        cursor.execute(_POWER)
        if cursor.fetchone()[0]:
            text = "this user is a database superuser, or can use files or programs on the server, so a query could too"
            raise InputError(f"{text}; connect as a user who can only read tables.")
        connection.adbc_connection.set_autocommit(False)
        cursor.execute("SET TRANSACTION READ ONLY")
        cursor.execute(as_one_select(sql))
        with cursor.fetch_record_batch() as reader:
            yield reader.schema
            yield from reader
        connection.rollback()


def as_one_select(sql: str) -> str:
    r"""Return a query inside a SELECT; the server's parser rejects anything but one SELECT there.

    >>> as_one_select("SELECT 1; -- all")
    'SELECT * FROM (\nSELECT 1 -- all\n) AS query'
    """
    return f"SELECT * FROM (\n{_ENDS.sub('', sql, count=1)}\n) AS query"


def _message(error: Exception) -> str:
    """Return the driver's message, with quoted text only if it is not data."""
    import duckdb

    text, state = str(error), getattr(error, "sqlstate", _UNKNOWN)
    if state == "42601":
        return f"expected one SELECT, comments before its semicolon: {text}"
    of_query = isinstance(error, (duckdb.ProgrammingError, duckdb.OperationalError))
    if of_query or state is None or state[:2] in _OPEN_MESSAGES:
        return text
    return re.sub(r"(['\"]).*\1", "'...'", text, flags=re.DOTALL)


BLOCK_ROWS = 1 << 16
"""Rows that are hashed and written together, so that the hash does not depend on the driver's batches."""


_KEPT = "the rows of the query cannot be kept"


class Fetched:
    """The rows of a query, readable until closed; if there are more than `held`, they are in a temporary file."""

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
        with ExitStack() as stack:
            stack.callback(self.close)
            self._keep(batches, held)
            stack.pop_all()

    def _keep(self, batches: Iterator[Any], held: int) -> None:
        digest, writer = Digest(self._schema), None
        try:
            with ExitStack() as stack:
                for block in _blocks(batches, self._schema):
                    digest.add(block)
                    self.rows += block.num_rows
                    self._blocks.append(block)
                    if self.rows > held:
                        writer = writer or stack.enter_context(self._writer())
                        for each in self._blocks:
                            writer.write_batch(each)
                        self._blocks = []
        except OSError as error:
            raise InputError(trouble(_KEPT, error)) from None
        kind = "duckdb" if self.connection.startswith("duckdb:") else "postgresql"
        self._source = Source(f"{kind} query", digest.hexdigest(), digest.bytes, self.rows, kind)

    def _writer(self) -> Any:
        import pyarrow.parquet as pq

        self._file = unnamed_file(_KEPT)
        for each in self._schema:
            try:
                pq.write_table(pa.schema([each]).empty_table(), pa.BufferOutputStream())
            except pa.ArrowException:
                text = f"column '{each.name}' has the type {each.type}; remove it from the SELECT, "
                raise InputError(f"{text}or cast it to a number or text there.") from None
        return pq.ParquetWriter(self._file, self._schema, compression="lz4")

    def reader(self) -> Reader:
        """Return a reader of the rows; the first is row 1."""
        if self._file is not None:
            from reportgen.sources.parquet import ParquetReader

            return ParquetReader(self._file, self._source)
        return TableReader(pa.Table.from_batches(self._blocks, self._schema), self._source, first_row=1)

    def close(self) -> None:
        """Release the rows."""
        self._blocks = []
        if self._file is not None:
            with suppress(OSError):  # data that did not fit on the disk
                self._file.close()


def _blocks(batches: Iterator[Any], schema: Any) -> Iterator[Any]:
    """Yield all rows as batches of one size, except the last; the database's own types become their storage types."""
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
    """Open an unnamed temporary file that disappears when this process ends; `what` needs it, for the error."""
    try:
        return cast("IO[bytes]", TemporaryFile())
    except OSError as error:
        raise InputError(trouble(what, error)) from None
