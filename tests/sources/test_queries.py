"""A query is one SELECT of what is in the database: nothing is written, and nothing else is read, by any trick."""

import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import postgresql_server
import pytest
from command import refused

from reportgen.errors import InputError
from reportgen.scores import Query
from reportgen.sources import databases

duckdb = pytest.importorskip("duckdb")

LEGITIMATE = (
    "SELECT * FROM essays ORDER BY id",
    "-- all of them\nSELECT * FROM essays; -- that is all\n",
    "WITH few AS (SELECT * FROM essays WHERE human > 2) SELECT * FROM few ORDER BY id /* by name */ ; \n",
    "SELECT id, human, engine, rank() OVER (PARTITION BY gender ORDER BY engine) AS \"a; 'b' -- c\" FROM essays",
    "SELECT 'a;b' AS id, 1 AS human, 2.5 AS engine UNION ALL SELECT id, human, engine FROM essays",
    "VALUES (1, 2), (3, 4);",
    "(SELECT id, human FROM essays LIMIT 3)",
    "SELECT 'a; -- b' AS id",
)


def rows(query: Query) -> list[dict[str, Any]]:
    """Return the rows of a query, as dictionaries."""
    _, *batches = databases.record_batches(query)
    return [row for batch in batches for row in batch.to_pylist()]


@pytest.fixture
def listening() -> Iterator[int]:
    """A port that must see no connection."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]
        server.settimeout(0)
        with pytest.raises(BlockingIOError):
            server.accept()


@pytest.mark.parametrize("sql", LEGITIMATE)
def test_duckdb_answers_one_select(duck: Path, sql: str) -> None:
    assert rows(Query(f"duckdb:{duck}", sql))


@pytest.mark.parametrize("sql", LEGITIMATE)
def test_postgresql_answers_one_select(server: str, sql: str) -> None:
    assert rows(Query(server, sql))


def test_rows_come_in_the_order_of_the_query(server: str, duck: Path) -> None:
    names = sorted((row[0] for row in postgresql_server.ROWS), reverse=True)
    for uri in (server, f"duckdb:{duck}"):
        assert [row["id"] for row in rows(Query(uri, "SELECT id FROM essays ORDER BY id DESC; -- last"))] == names


@pytest.mark.parametrize(
    "sql",
    [
        "COPY (SELECT 'x') TO '{out}'; SELECT * FROM essays", "COPY essays TO '{out}'", "EXPORT DATABASE '{out}'",
        "ATTACH '{out}' AS other", "INSTALL httpfs FROM 'http://127.0.0.1:{port}'", "LOAD '{file}'", "SET threads = 1",
        "INSTALL httpfs FROM 'http://127.0.0.1:{port}'; SELECT * FROM essays", "PRAGMA threads = 1", "CHECKPOINT",
        "CALL pragma_version()", "CREATE TABLE t AS SELECT 1", "CREATE TEMP TABLE t AS SELECT 1", "PIVOT essays ON id",
        "EXPLAIN ANALYZE SELECT 1", "SELECT 1; SELECT 2", "IMPORT DATABASE '{folder}'", "BEGIN", "", "-- nothing",
        "PRAGMA import_database('{folder}')", "DELETE FROM essays RETURNING *", "DROP TABLE essays",
        "WITH x AS (SELECT 'y') INSERT INTO essays(id) SELECT * FROM x", "PREPARE p AS SELECT 1", "SELECT 1) TO 'x",
        "/* SELECT 1; */ COPY essays TO '{out}'", "SELECT 1 AS \";\"; COPY essays TO '{out}'; -- SELECT",
    ],
)  # fmt: skip
def test_duckdb_accepts_only_one_select(duck: Path, tmp_path: Path, listening: int, sql: str) -> None:
    before = duck.read_bytes()
    places = {"out": tmp_path / "out", "file": duck, "folder": tmp_path, "port": listening}
    with pytest.raises(InputError, match=r"expected one SELECT|database error|only database tables"):
        rows(Query(f"duckdb:{duck}", sql.format(**places)))
    assert duck.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["s.duckdb"]


@pytest.mark.parametrize(
    "function",
    [
        "read_csv('{file}')", "read_text('{file}')", "read_blob('{file}')", "glob('{folder}/*')", "'{file}'",
        "read_parquet('{file}')", "read_json('{file}')", "parquet_metadata('{file}')", "duckdb_secrets()",
        "read_csv('http://127.0.0.1:{port}/x.csv')", "read_parquet('http://127.0.0.1:{port}/x')",
        "'http://127.0.0.1:{port}/x.csv'", "query('SELECT * FROM read_text(''{file}'')')", "sniff_csv('{file}')",
    ],
)  # fmt: skip
def test_duckdb_reads_no_file_and_no_url(duck: Path, tmp_path: Path, listening: int, function: str) -> None:
    private = tmp_path / "private.csv"
    private.write_text("human,engine\n1,2\n")
    named = function.format(file=private, folder=tmp_path, port=listening)
    with pytest.raises(InputError, match=r"only database tables|database error"):
        rows(Query(f"duckdb:{duck}", f"SELECT * FROM {named}"))


def test_a_view_that_reads_a_file_is_an_error_in_one_sentence(duck: Path, tmp_path: Path) -> None:
    (tmp_path / "private.csv").write_text("human,engine\n1,2\n")
    with duckdb.connect(str(duck)) as connection:
        connection.execute(f"CREATE VIEW seen AS SELECT * FROM read_csv('{tmp_path / 'private.csv'}')")
    with pytest.raises(InputError, match="a view in it, reads a file") as told:
        rows(Query(f"duckdb:{duck}", "SELECT * FROM seen"))
    assert len(str(told.value)) <= 300


def test_duckdb_reads_no_variable_of_the_program(duck: Path) -> None:
    connection = [1]
    with pytest.raises(InputError, match="connection does not exist"):
        rows(Query(f"duckdb:{duck}", "SELECT * FROM connection"))
    assert connection == [1]


@pytest.mark.parametrize("name", ["pipe", "folder", "missing", "sqlite:x", "http://127.0.0.1:9/x", "md:", ":memory:"])
def test_a_duckdb_uri_must_name_an_ordinary_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    Path("folder").mkdir()
    with pytest.raises(InputError, match=r"not an ordinary file|no such file"):
        rows(Query(f"duckdb:{name}", "SELECT 1"))


def test_every_restriction_of_duckdb_works(duck: Path) -> None:
    with duckdb.connect(str(duck), read_only=True, config=databases.LOCKED) as connection:
        for name in databases.LOCKED:
            with pytest.raises(duckdb.Error, match=r"locked|Cannot"):
                connection.execute(f"SET {name} = true")


@pytest.mark.slow
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1; SELECT 2", "DELETE FROM essays RETURNING *", "DROP TABLE essays", "COPY essays TO '/tmp/out'",
        "WITH x AS (DELETE FROM essays RETURNING *) SELECT * FROM x", "SELECT * INTO other FROM essays",
        "SELECT * FROM essays FOR UPDATE", "SELECT nextval('numbers')", "SELECT add_one()", "CALL refresh()",
        "SELECT set_config('transaction_read_only', 'off', false)", "SET ROLE root", "SHOW ALL", "EXPLAIN SELECT 1",
        "SELECT set_config('transaction_read_only', 'off', true), add_one()", "SELECT 1 -- x\n; DROP TABLE essays",
        "SELECT 1) AS a; DROP TABLE essays; SELECT * FROM (SELECT 2", "DO $$ BEGIN DELETE FROM essays; END $$",
        "SELECT 1) AS a; COMMIT; BEGIN; DELETE FROM essays; SELECT * FROM (SELECT 1", "TRUNCATE essays",
        "SELECT $a$;$a$; DELETE FROM essays; -- $a$", r"SELECT E'\'; '; DELETE FROM essays; --'", "SELECT 1 /*",
        "/* ; /* */ SELECT 1 */ DELETE FROM essays", "SELECT 1) AS query --", "COMMIT", "ROLLBACK; SELECT 1", "",
        "SELECT lo_export(1, '/tmp/out')", "SELECT pg_read_file('/etc/hostname')", "SELECT pg_ls_dir('.')",
        "SELECT * FROM dblink('dbname=postgres', 'SELECT 1') AS t(a int)",
        "SELECT set_config('role', 'root', false)", "SELECT query_to_xml('DELETE FROM essays', true, true, '')",
    ],
)  # fmt: skip
def test_postgresql_accepts_only_one_select(server: str, writing: None, sql: str) -> None:
    before = postgresql_server.execute(server, "SELECT count(*), sum(human) FROM essays")
    with pytest.raises(InputError):
        rows(Query(server, sql))
    assert postgresql_server.execute(server, "SELECT count(*), sum(human) FROM essays") == before
    assert postgresql_server.execute(server, "SELECT last_value, is_called FROM numbers") == [(1, False)]


@pytest.fixture(scope="session")
def writing(server: str) -> None:
    """A function that writes with the rights of its owner, and a sequence."""
    body = "INSERT INTO essays(id) VALUES ('new'); SELECT 1"
    postgresql_server.execute(
        server,
        "CREATE SEQUENCE numbers",
        "GRANT ALL ON SEQUENCE numbers TO ann",
        f"CREATE FUNCTION add_one() RETURNS integer LANGUAGE sql SECURITY DEFINER AS $$ {body} $$",
    )


def test_objects_that_a_query_creates_are_rolled_back(server: str) -> None:
    with suppress(InputError):  # refused from version 16 on
        rows(Query(server, "SELECT lo_from_bytea(0, 'x')"))
    assert postgresql_server.execute(server, "SELECT count(*) FROM pg_largeobject_metadata") == [(0,)]


def test_later_statements_in_a_session_are_read_only(server: str) -> None:
    assert rows(Query(server, "SELECT current_setting('default_transaction_read_only') AS it")) == [{"it": "on"}]


@pytest.mark.parametrize(
    "role", ["pg_read_server_files", "pg_write_server_files", "pg_execute_server_program", "root", "nested"]
)
def test_a_user_with_file_access_is_rejected(server: str, role: str) -> None:
    postgresql_server.execute(
        server, "CREATE ROLE eve LOGIN NOINHERIT PASSWORD 'eve-eve'", "GRANT SELECT ON essays TO eve",
        "CREATE ROLE nested IN ROLE pg_read_server_files", f"GRANT {role} TO eve",
    )  # fmt: skip
    try:
        uri = server.replace(f"ann:{postgresql_server.QUOTED}", "eve:eve-eve")
        with pytest.raises(InputError, match="can only read tables") as told:
            rows(Query(uri, "SELECT * FROM no_such_table"))
        assert len(str(told.value)) <= 300
    finally:
        postgresql_server.execute(server, "DROP OWNED BY eve", "DROP ROLE eve", "DROP ROLE nested")


def test_a_superuser_is_rejected_under_any_configuration(server: str, tmp_path: Path) -> None:
    uri = postgresql_server.of_superuser(server)
    asked = ("--connection", uri, "--query", "SELECT * FROM essays", "--tables-only", "--scale", "1:5")
    assert "can only read tables" in refused("evaluate", "out", *asked, cwd=tmp_path)
    (tmp_path / "theirs.toml").write_text('[data]\nquery = "SELECT 1"\nallow_superuser = true\n')
    environment = {"REPORTGEN_CONNECTION": uri}
    assert "allow_superuser" in refused("evaluate", "theirs.toml", cwd=tmp_path, environment=environment)


def test_an_id_that_cannot_be_converted_is_not_shown(server: str, duck: Path) -> None:
    for uri in (server, f"duckdb:{duck}"):
        with pytest.raises(InputError, match="database error") as told:
            rows(Query(uri, "SELECT CAST(id AS INTEGER) AS id FROM essays"))
        assert "r00" not in str(told.value)


@pytest.mark.parametrize("sql", ["SELECT 'a; -- b'", "SELECT $$; --$$", 'SELECT 1 AS "; --"', "SELECT 1 -- it's; x"])
def test_a_semicolon_inside_text_or_comments_is_kept(sql: str) -> None:
    assert sql in databases.as_one_select(sql)


def test_a_long_query_of_semicolons_is_checked_quickly() -> None:
    assert "AS query" in databases.as_one_select(";" * 1000 + " " * 100_000 + "x")


def test_a_rejected_query_is_an_error_in_one_line(duck: Path, tmp_path: Path) -> None:
    """The package of DuckDB lists what an error still holds of it when the process ends."""
    arguments = ["evaluate", "out", "--connection", f"duckdb:{duck}", "--query", "SELECT nothing FROM essays"]
    assert len(refused(*arguments, cwd=tmp_path).splitlines()) == 1
