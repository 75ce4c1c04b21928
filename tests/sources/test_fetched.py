"""Queries of many rows: fetched once into a file without a name, counted in batches, with the numbers of held rows."""

import tempfile
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from command import reportgen as run

from reportgen.errors import InputError
from reportgen.scores import Query
from reportgen.sources import databases
from reportgen.sources.databases import Fetched
from reportgen.sources.digests import Digest
from reportgen.sources.readers import is_large
from reportgen.storing import results_file

duckdb = pytest.importorskip("duckdb")

ROWS = 4_000
CREATE = f"""
CREATE TABLE essays AS
SELECT 'r' || i AS id, 1 + i % 6 AS human, CASE WHEN i % 3 = 0 THEN 1 + (i // 2) % 6 END AS human2,
       (1 + i % 6 + ((i * 7919) % 1000) / 700.0 - 0.7)::DECIMAL(9, 4) AS engine,
       ('[m, f, x]'::VARCHAR[])[1 + i % 3]::ENUM ('m', 'f', 'x') AS gender
FROM range({ROWS}) AS t(i)
"""
SELECT = "SELECT * FROM essays ORDER BY id"


@pytest.fixture(scope="module")
def duck(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("duck") / "s.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(CREATE)
    return path


@pytest.mark.slow
def test_batches_and_rows_give_the_same_result(duck: Path, tmp_path: Path) -> None:
    options = ["--tables-only", "--scale", "1:6", "--group", "gender"]
    asked = ("--connection", f"duckdb:{duck}", "--query", SELECT, *options)
    run("evaluate", "rows", *asked, "--no-batches", cwd=tmp_path)
    run("evaluate", "batches", *asked, "--batches", cwd=tmp_path)
    held, counted = (results_file.read(tmp_path / name / "results.json").evaluation for name in ("rows", "batches"))
    assert counted.source == held.source
    assert counted.source.rows == ROWS
    assert list(counted.estimates) == list(held.estimates)
    for key, theirs in held.estimates.items():
        ours = counted.estimates[key]
        assert ours.n == theirs.n, key
        assert ours.value == (None if theirs.value is None else pytest.approx(theirs.value, rel=1e-12)), key


def test_a_query_with_many_rows_is_counted_in_batches(duck: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = Fetched(Query(f"duckdb:{duck}", SELECT), held=100)
    assert is_large(rows) is False  # so few are held, had they been
    monkeypatch.setattr("reportgen.sources.readers.MANY_ROWS", 100)
    assert is_large(rows) is True
    rows.close()


def test_no_rows_remain_after_closing(duck: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    opened = len(list(Path("/proc/self/fd").iterdir())) if Path("/proc/self/fd").exists() else None
    rows = Fetched(Query(f"duckdb:{duck}", SELECT), held=0)
    reader = rows.reader()
    assert reader.load(["human"]).num_rows == ROWS
    assert reader.load(["engine"]).column("engine").to_pylist()[0] == Decimal("0.3000")
    assert list(tmp_path.iterdir()) == []
    rows.close()
    if opened is not None:
        assert len(list(Path("/proc/self/fd").iterdir())) == opened


def test_the_hash_does_not_depend_on_the_batches_of_a_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"human": [1, 2, None, 4, 5, 1, 2], "engine": [1.5, None, 2.5, 3.5, 1.0, 2.0, 3.0]})
    monkeypatch.setattr(databases, "BLOCK_ROWS", 3)
    hashes = []
    for size in (1, 2, 3, 5, 7):

        def batches(_: Query, size: int = size) -> Any:
            yield table.schema
            yield from table.to_batches(size)

        monkeypatch.setattr(databases, "record_batches", batches)
        for held in (0, 4, 100):
            rows = Fetched(Query("duckdb:x", "SELECT 1"), held)
            assert rows.reader().load(["human", "engine"]).to_pydict() == table.to_pydict()
            hashes.append(rows.reader().source(7).sha256)
            rows.close()
    assert len(set(hashes)) == 1
    other = Digest(table.schema)
    for start in (0, 3, 6):
        other.add(table.slice(start, 3).combine_chunks().to_batches()[0])
    assert set(hashes) == {other.hexdigest()}


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ([1, None, 3], [1, 2, 3]),
        (["a", None, "c"], ["a", "", "c"]),
        (["ab", "c"], ["a", "bc"]),
        ([True, None], [True, False]),
        ([Decimal("1.5"), None], [Decimal("1.5"), Decimal("2.5")]),
        ([[1], None], [[1], [2]]),
    ],
)
def test_memory_behind_missing_values_does_not_affect_a_hash(ours: list[Any], theirs: list[Any]) -> None:
    """The same values over other memory have one hash, other values another."""
    whole = pa.array(theirs)
    masked = plain = pa.array(ours, whole.type)
    if None in ours and not pa.types.is_list(whole.type):
        masked = pa.Array.from_buffers(whole.type, len(ours), [plain.buffers()[0], *whole.buffers()[1:]])
        assert masked.to_pylist() == ours

    def hashed(column: Any) -> str:
        digest = Digest(pa.schema([("x", column.type)]))
        digest.add(pa.record_batch([column], ["x"]))
        return digest.hexdigest()

    assert hashed(masked) == hashed(plain)
    assert hashed(plain) == hashed(pa.concat_arrays([whole, plain]).slice(len(theirs)))
    assert hashed(plain) != hashed(whole)
    if pa.types.is_string(whole.type):
        assert hashed(plain.dictionary_encode()) == hashed(plain.dictionary_encode().take(pa.array(range(len(ours)))))


def test_no_rows_and_no_columns(monkeypatch: pytest.MonkeyPatch, duck: Path) -> None:
    none = Fetched(Query(f"duckdb:{duck}", f"SELECT * FROM ({SELECT}) WHERE human > 9"), held=0)
    assert none.rows == 0
    assert none.reader().load(["human"]).num_rows == 0
    none.close()
    monkeypatch.setattr(databases, "record_batches", lambda _: iter([pa.schema([])]))
    with pytest.raises(InputError, match="no columns"):
        Fetched(Query("duckdb:x", "SELECT 1"))


def test_a_type_that_cannot_be_stored_is_an_error(duck: Path) -> None:
    with pytest.raises(InputError, match=r"column 'waited' .* cast it"):
        Fetched(Query(f"duckdb:{duck}", "SELECT *, INTERVAL 3 MONTH AS waited FROM essays"), held=0)


def test_a_full_disk_is_an_error(duck: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("no /dev/full")
    monkeypatch.setattr(databases, "TemporaryFile", lambda **_: full.open("wb"))
    with pytest.raises(InputError, match=r"^the rows of the query cannot be kept: .* TMPDIR\.$"):
        Fetched(Query(f"duckdb:{duck}", SELECT), held=0)
