"""Scores from real databases: the same numbers as from a file, nothing written, no credentials anywhere."""

import socket
from pathlib import Path

import pytest
from command import refused
from command import reportgen as run
from postgresql_server import QUOTED, ROWS, SECRET
from simulated import evaluation_of

import reportgen
from reportgen.errors import SettingsError
from reportgen.scores import Query
from reportgen.settings import from_keywords
from reportgen.sources.databases import without_credentials
from reportgen.storing import results_file

pytest.importorskip("adbc_driver_manager")
SELECT = "SELECT * FROM essays ORDER BY id"


@pytest.fixture
def expected(tmp_path: Path) -> object:
    path = tmp_path / "s.csv"
    path.write_text("id,human,engine,gender\n" + "".join(",".join(map(str, row)) + "\n" for row in ROWS))
    return evaluation_of(path, scale="1:5").estimates


def test_duckdb_gives_the_same_numbers_as_a_file(duck: Path, expected: object, tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = ("--connection", f"duckdb:{duck}", "--query", SELECT, "--tables-only", "--scale", "1:5")
    run("evaluate", out, *arguments, cwd=tmp_path)
    assert results_file.read(out / "results.json").evaluation.estimates == expected
    again = evaluation_of(out / "config.toml")
    assert again.estimates == expected
    assert again.source == results_file.read(out / "results.json").evaluation.source


@pytest.mark.slow
def test_a_batch_queries_a_database_once(duck: Path, tmp_path: Path) -> None:
    import duckdb

    by = "SELECT *, 'P' || (CAST(substr(id, 2) AS INTEGER) % 2) AS prompt FROM essays ORDER BY id"
    with duckdb.connect(str(duck), read_only=True) as connection:
        connection.execute(f"COPY ({by}) TO '{tmp_path / 's.parquet'}' (FORMAT parquet)")
    same = ("--by", "prompt", "--tables-only", "--scale", "1:5", "--workers", "1")
    asked = ("--connection", f"duckdb:{duck}", "--query", by)
    run("batch", tmp_path / "s.parquet", "of_file", *same, cwd=tmp_path)
    run("batch", "of_query", *asked, *same, cwd=tmp_path)
    for item in ("P0", "P1"):
        one, other = (
            results_file.read(tmp_path / f / item / "results.json").evaluation for f in ("of_file", "of_query")
        )
        assert one.estimates == other.estimates
        assert evaluation_of(tmp_path / "of_query" / item / "config.toml").estimates == one.estimates
    assert "2 of them finished before" in run("batch", "of_query", *asked, *same, cwd=tmp_path).stdout
    with duckdb.connect(str(duck)) as connection:
        connection.execute("UPDATE essays SET human = 5 WHERE id = 'r00'")
    assert "finished before" not in run("batch", "of_query", *asked, *same, cwd=tmp_path).stdout
    found = reportgen.batch(Query(f"duckdb:{duck}", by), tmp_path / "api", by="prompt", tables_only=True, scale="1:5")
    assert len(found.evaluation.tables["summary.items"].rows) == 2
    assert "expected only the report folder, found 2 arguments" in refused(
        "batch", "a", "b", *asked, *same, cwd=tmp_path
    )


@pytest.mark.slow
def test_postgresql_gives_the_same_numbers_as_a_file_and_no_credentials(
    server: str, expected: object, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    arguments = ("--connection", server, "--query", SELECT, "--scale", "1:5", "--formats", "html")
    done = run("evaluate", out, *arguments, cwd=tmp_path)
    report = results_file.read(out / "results.json")
    assert report.evaluation.estimates == expected
    assert report.evaluation.settings["data"]["connection"] == without_credentials(server)
    for path in [path for path in out.rglob("*") if path.is_file()]:
        content = path.read_bytes()
        assert not [text for text in (SECRET, QUOTED, "ann:") if text.encode() in content], path
    assert not [text for text in (SECRET, QUOTED) if text in done.stdout + done.stderr]
    # the configuration of the run makes it again, with the credentials in the environment
    again = ("evaluate", out / "config.toml", tmp_path / "again", "--tables-only", "--force")
    place = without_credentials(server)
    for named in (
        {"PGUSER": "ann", "PGPASSWORD": SECRET, "REPORTGEN_CONNECTION": place},
        {"REPORTGEN_CONNECTION": server},
    ):
        run(*again, cwd=tmp_path, environment=named)
        assert results_file.read(tmp_path / "again" / "results.json").evaluation.estimates == expected


@pytest.mark.parametrize("wrong", ["password", "database", "port", "query"])
def test_database_errors_do_not_show_credentials(server: str, wrong: str, tmp_path: Path) -> None:
    uri, sql = server, SELECT
    if wrong == "password":
        uri = server.replace(QUOTED, "wr0ng-secret")
    elif wrong == "database":
        uri = server.removesuffix("postgres") + "nowhere"
    elif wrong == "port":
        uri = server.rsplit(":", 1)[0] + ":1/postgres?sslpassword=also-hidden"
    else:
        sql = "SELECT * FROM nothing"
    said = refused("evaluate", "out", "--connection", uri, "--query", sql, cwd=tmp_path)
    assert said.startswith("error: postgresql://127.0.0.1:")
    assert "database error" in said
    for text in (SECRET, QUOTED, "wr0ng-secret", "also-hidden"):
        assert text not in said


def test_a_password_from_the_environment_is_not_sent_to_a_server_from_a_configuration(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        place = f"postgresql://127.0.0.1:{listening.getsockname()[1]}/scores"
        (tmp_path / "theirs.toml").write_text(f'[data]\nconnection = "{place}"\nquery = "SELECT 1"\n')
        for name in ("PGPASSWORD", "PGSERVICE"):
            said = run("evaluate", "theirs.toml", cwd=tmp_path, code=2, environment={name: SECRET}).stderr
            assert f"{name} is set" in said
            assert f"REPORTGEN_CONNECTION={place}" in said
            assert SECRET not in said
        listening.settimeout(0)
        with pytest.raises(BlockingIOError):
            listening.accept()


def test_credentials_are_not_shown() -> None:
    query = Query("postgresql://ann:hush-hush@h/db?password=hush-hush", "SELECT 1")
    assert "hush-hush" not in repr(query) + str(query)
    for uri in ("mysql://ann:hush-hush@h/db", "postgresql://ann:hush-hush/x@y@h:p/db", "hush-hush"):
        with pytest.raises(SettingsError) as told:
            Query(uri, "SELECT 1")
        assert "hush-hush" not in str(told.value)
    with pytest.raises(SettingsError) as told:
        from_keywords(connection="postgresql://ann:hush-hush@h/db", query="SELECT 1")
    assert "hush-hush" not in str(told.value)
