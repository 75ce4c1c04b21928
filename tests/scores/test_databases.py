"""Scores from real databases: the same numbers as from a file, nothing written, no credentials anywhere."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import reportgen as run

import reportgen
from reportgen import store
from reportgen.errors import InputError, SettingsError
from reportgen.scores import Query, read
from reportgen.scores.databases import without_credentials
from reportgen.settings import from_keywords

adbc = pytest.importorskip("adbc_driver_manager")
SECRET = "p@ss/w:rd-7391"
QUOTED = "p%40ss%2Fw%3Ard-7391"
SELECT = "SELECT * FROM essays ORDER BY id"
ROWS = [(f"r{i:02d}", i % 5 + 1, i % 5 + 1.25 if i % 7 else i % 5 + 2.5, "fm"[i % 2]) for i in range(60)]
CREATE = "CREATE TABLE essays (id TEXT, human INTEGER, engine NUMERIC(6, 2), gender TEXT)"
INSERT = "INSERT INTO essays VALUES " + ", ".join(map(repr, ROWS))


@pytest.fixture
def expected(tmp_path: Path) -> object:
    path = tmp_path / "s.csv"
    path.write_text("id,human,engine,gender\n" + "".join(",".join(map(str, row)) + "\n" for row in ROWS))
    return reportgen.evaluate(path, scale="1:5").evaluation.estimates


@pytest.fixture
def duck(tmp_path: Path) -> Path:
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "s.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(CREATE)
        connection.execute(INSERT)
    return path


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Start PostgreSQL with a password; yield the URI with it."""
    pytest.importorskip("adbc_driver_postgresql")
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    programs = shutil.which("initdb", path=os.pathsep.join([*map(str, places), os.environ["PATH"]]))
    if programs is None:
        pytest.skip("no PostgreSQL")
    user = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}
    home = Path(tempfile.mkdtemp(prefix="pg-"))
    try:
        (home / "password").write_text(SECRET)
        if user:
            for path in (home, home / "password"):
                shutil.chown(path, "postgres", "postgres")
        bin_ = Path(programs).resolve().parent
        quiet = subprocess.DEVNULL
        start: dict[str, Any] = {"cwd": home, "check": True, "stdout": quiet, "stderr": quiet, **user}
        password = f"--pwfile={home / 'password'}"
        subprocess.run([bin_ / "initdb", "-D", home / "data", "-U", "ann", "--auth=scram-sha-256", password], **start)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        options = f"-p {port} -k {home} -c listen_addresses=127.0.0.1 -c fsync=off"
        subprocess.run(
            [bin_ / "pg_ctl", "-D", home / "data", "-o", options, "-l", home / "log", "-w", "start"], **start
        )
        try:
            import adbc_driver_postgresql.dbapi as postgresql

            uri = f"postgresql://ann:{QUOTED}@127.0.0.1:{port}/postgres"
            with postgresql.connect(uri, autocommit=True) as connection, connection.cursor() as cursor:
                cursor.execute(CREATE)
                cursor.execute(INSERT)
            yield uri
        finally:
            subprocess.run([bin_ / "pg_ctl", "-D", home / "data", "-m", "immediate", "stop"], **start)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def test_duckdb_gives_the_numbers_of_a_file(duck: Path, expected: object, tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = ("--connection", f"duckdb:{duck}", "--query", SELECT, "--tables-only", "--scale", "1:5")
    run("evaluate", out, *arguments, cwd=tmp_path)
    assert store.read(out / "results.json").evaluation.estimates == expected
    again = reportgen.evaluate(out / "config.toml").evaluation
    assert again.estimates == expected
    assert again.source == store.read(out / "results.json").evaluation.source


def test_a_batch_asks_a_database_once_and_gives_the_numbers_of_a_file(duck: Path, tmp_path: Path) -> None:
    import duckdb

    by = "SELECT *, 'P' || (CAST(substr(id, 2) AS INTEGER) % 2) AS prompt FROM essays ORDER BY id"
    with duckdb.connect(str(duck), read_only=True) as connection:
        connection.execute(f"COPY ({by}) TO '{tmp_path / 's.parquet'}' (FORMAT parquet)")
    same = ("--by", "prompt", "--tables-only", "--scale", "1:5", "--workers", "1")
    asked = ("--connection", f"duckdb:{duck}", "--query", by)
    run("batch", tmp_path / "s.parquet", "of_file", *same, cwd=tmp_path)
    run("batch", "of_query", *asked, *same, cwd=tmp_path)
    for item in ("P0", "P1"):
        one, other = (store.read(tmp_path / f / item / "results.json").evaluation for f in ("of_file", "of_query"))
        assert one.estimates == other.estimates
        assert reportgen.evaluate(tmp_path / "of_query" / item / "config.toml").evaluation.estimates == one.estimates
    assert "2 of them finished before" in run("batch", "of_query", *asked, *same, cwd=tmp_path).stdout
    with duckdb.connect(str(duck)) as connection:
        connection.execute("UPDATE essays SET human = 5 WHERE id = 'r00'")
    assert "finished before" not in run("batch", "of_query", *asked, *same, cwd=tmp_path).stdout
    found = reportgen.batch(Query(f"duckdb:{duck}", by), tmp_path / "api", by="prompt", tables_only=True, scale="1:5")
    assert len(found.evaluation.tables["summary.items"].rows) == 2
    refused = run("batch", "a", "b", *asked, *same, cwd=tmp_path, code=2)
    assert "expected one folder for the report beside it, found 2 paths" in refused.stderr


def test_duckdb_is_only_read(duck: Path) -> None:
    before = duck.read_bytes()
    for sql in ("DELETE FROM essays RETURNING *", "CREATE TABLE t AS SELECT 1", "DROP TABLE essays"):
        with pytest.raises(InputError, match="the database refuses"):
            read(Query(f"duckdb:{duck}", sql))
    assert duck.read_bytes() == before


def test_postgresql_gives_the_numbers_of_a_file_and_no_credentials(
    server: str, expected: object, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    arguments = ("--connection", server, "--query", SELECT, "--scale", "1:5", "--formats", "html")
    done = run("evaluate", out, *arguments, cwd=tmp_path)
    report = store.read(out / "results.json")
    assert report.evaluation.estimates == expected
    assert report.evaluation.settings["data"]["connection"] == without_credentials(server)
    for path in [path for path in out.rglob("*") if path.is_file()]:
        content = path.read_bytes()
        assert not [text for text in (SECRET, QUOTED, "ann:") if text.encode() in content], path
    assert not [text for text in (SECRET, QUOTED) if text in done.stdout + done.stderr]
    # the configuration of the run makes it again, with the credentials in the environment
    environment = {"PGUSER": "ann", "PGPASSWORD": SECRET}
    run("evaluate", out / "config.toml", tmp_path / "again", "--tables-only", cwd=tmp_path, environment=environment)
    assert store.read(tmp_path / "again" / "results.json").evaluation.estimates == expected
    whole = {"REPORTGEN_CONNECTION": server}
    run("evaluate", out / "config.toml", tmp_path / "third", "--tables-only", cwd=tmp_path, environment=whole)
    assert store.read(tmp_path / "third" / "results.json").evaluation.estimates == expected


def test_postgresql_is_only_read(server: str) -> None:
    for sql in ("DELETE FROM essays RETURNING *", "UPDATE essays SET human = 1 RETURNING *", "DROP TABLE essays"):
        with pytest.raises(InputError, match="read-only transaction"):
            read(Query(server, sql))
    assert read(Query(server, SELECT), from_keywords(scale="1:5")).kept == len(ROWS)


@pytest.mark.parametrize("wrong", ["password", "database", "port", "query"])
def test_what_a_database_refuses_is_said_without_credentials(server: str, wrong: str, tmp_path: Path) -> None:
    uri, sql = server, SELECT
    if wrong == "password":
        uri = server.replace(QUOTED, "wr0ng-secret")
    elif wrong == "database":
        uri = server.removesuffix("postgres") + "nowhere"
    elif wrong == "port":
        uri = server.rsplit(":", 1)[0] + ":1/postgres?sslpassword=also-hidden"
    else:
        sql = "SELECT * FROM nothing"
    said = run("evaluate", "out", "--connection", uri, "--query", sql, cwd=tmp_path, code=2).stderr
    assert said.startswith("error: postgresql://127.0.0.1:")
    assert "the database refuses" in said
    for text in (SECRET, QUOTED, "wr0ng-secret", "also-hidden"):
        assert text not in said
    assert not (tmp_path / "out").exists()


def test_credentials_do_not_show() -> None:
    query = Query("postgresql://ann:hush-hush@h/db?password=hush-hush", "SELECT 1")
    assert "hush-hush" not in repr(query) + str(query)
    for uri in ("mysql://ann:hush-hush@h/db", "postgresql://ann:hush-hush/x@y@h:p/db", "hush-hush"):
        with pytest.raises(SettingsError) as told:
            Query(uri, "SELECT 1")
        assert "hush-hush" not in str(told.value)
    with pytest.raises(SettingsError) as told:
        from_keywords(connection="postgresql://ann:hush-hush@h/db", query="SELECT 1")
    assert "hush-hush" not in str(told.value)
