"""Starts PostgreSQL for tests, with a user who may read one table and a superuser."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

SECRET = "p@ss/w:rd-7391"
QUOTED = "p%40ss%2Fw%3Ard-7391"
ROWS = [(f"r{i:02d}", i % 5 + 1, i % 5 + 1.25 if i % 7 else i % 5 + 2.5, "fm"[i % 2]) for i in range(60)]
CREATE = "CREATE TABLE essays (id TEXT, human INTEGER, engine NUMERIC(6, 2), gender TEXT)"
INSERT = "INSERT INTO essays VALUES " + ", ".join(map(repr, ROWS))


@contextmanager
def started() -> Iterator[str]:
    """Start a server with a table; yield the URI of the user `ann`, who may read the table."""
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
        subprocess.run([bin_ / "initdb", "-D", home / "data", "-U", "root", "--auth=scram-sha-256", password], **start)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        options = f"-p {port} -k {home} -c listen_addresses=127.0.0.1 -c fsync=off"
        subprocess.run(
            [bin_ / "pg_ctl", "-D", home / "data", "-o", options, "-l", home / "log", "-w", "start"], **start
        )
        try:
            uri = f"postgresql://ann:{QUOTED}@127.0.0.1:{port}/postgres"
            execute(uri, CREATE, INSERT, f"CREATE ROLE ann LOGIN PASSWORD '{SECRET}'", "GRANT SELECT ON essays TO ann")
            yield uri
        finally:
            subprocess.run([bin_ / "pg_ctl", "-D", home / "data", "-m", "immediate", "stop"], **start)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def of_superuser(uri: str) -> str:
    """Return the URI of the superuser of a server."""
    return uri.replace("//ann:", "//root:")


def execute(uri: str, *statements: str) -> Sequence[Any]:
    """Execute statements as the superuser; return the rows of the last one."""
    import adbc_driver_postgresql.dbapi as postgresql

    with postgresql.connect(of_superuser(uri), autocommit=True) as connection, connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
        rows: Sequence[Any] = cursor.fetchall() if cursor.description else []
    return rows
