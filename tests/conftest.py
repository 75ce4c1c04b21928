"""How many examples property tests draw; small files of scores, and databases with a table of them."""

import gc
import os
import shutil
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

import item_rows
import postgresql_server
import pytest
from hypothesis import HealthCheck, settings
from score_files import Write

from reportgen.reports.item_tables import ItemTables

# No test depends on the speed of a machine. `make test` draws the same few examples; `make test-all` many new ones.
UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.register_profile("same draws", UNTIMED, derandomize=True, max_examples=25)
settings.register_profile("full", UNTIMED, max_examples=300)
settings.load_profile("same draws")

collect_ignore = ["warm.py"]
sys.dont_write_bytecode = False  # a module is compiled once, not again by each worker and each command
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_configure() -> None:
    """Stop if an entry point of `pyproject.toml` is not installed, because no test finds what it names."""
    project = tomllib.loads(Path(__file__).parents[1].joinpath("pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {(group, *entry) for group, entries in project["entry-points"].items() for entry in entries.items()}
    if new := named - {(each.group, each.name, each.value) for each in distribution("reportgen-scoring").entry_points}:
        pytest.exit(f"pyproject.toml has entry points that are not installed; type `make style`: {new}", 4)


def pytest_collection_finish() -> None:
    """Leave everything imported so far out of every later search for garbage, which takes a twelfth of the time."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes text or bytes to a file of a temporary folder."""

    def write_file(content: str | bytes, name: str = "scores.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_file


@pytest.fixture(scope="session")
def item_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with responses to many items: see `item_rows.score_rows`."""
    return item_rows.write(tmp_path_factory.mktemp("items") / "scores.csv", item_rows.score_rows())


@pytest.fixture(scope="session")
def of_items(item_file: Path) -> ItemTables:
    """The tables of that file."""
    return item_rows.made(item_file)


@pytest.fixture(scope="session")
def essays(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A DuckDB file with the table of essays."""
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path_factory.mktemp("essays") / "s.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"{postgresql_server.CREATE}; {postgresql_server.INSERT}")
    return path


@pytest.fixture
def duck(essays: Path, tmp_path: Path) -> Path:
    """A copy of that file."""
    return Path(shutil.copy(essays, tmp_path))


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The URI of a PostgreSQL server with the same table, for a user who may read it."""
    with postgresql_server.started() as uri:
        yield uri
