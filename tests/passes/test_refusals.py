"""Test that errors in a source are the same for rows in memory and for rows counted in batches."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from command import reportgen as run

import reportgen
from reportgen.errors import InputError, ReportgenError
from reportgen.passes import NeedsRowsError, count
from reportgen.scores import read
from reportgen.settings import from_keywords
from reportgen.sources.digests import fingerprints

GOOD = "id,human,system\na,1,1.5\nb,2,2.5\nc,3,3.5\nd,4,3.75\n"


@pytest.fixture(autouse=True)
def short_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reportgen.sources.parquet.FIRST_LOOK", 2)
    monkeypatch.setattr("reportgen.sources.readers.FIRST_LOOK", 2)
    monkeypatch.setattr("reportgen.sources.delimited._BLOCK", 40)


def sentence(function: Any, *arguments: Any) -> str:
    with pytest.raises(ReportgenError) as caught:
        function(*arguments)
    return str(caught.value)


@pytest.mark.parametrize(
    ("content", "keywords"),
    [
        (GOOD.replace("1,", "x,").replace("2,", "y,").replace("3,", "z,").replace("4,", ","), {"human": ["human"]}),
        (GOOD.replace(".", "_"), {}),
        (GOOD.replace("1,", "x,").replace("2,", "y,").replace("4,", "y,"), {}),
        (GOOD + "e,2,1e300\n", {}),
        (GOOD + "e,-2e7,2\n", {}),
        (GOOD + "e,9,2\nf,9,1\ng,0,3\n", {"scale": "1:4"}),
        (GOOD + "e,2,no score\n", {"unparseable": "refuse"}),
        (GOOD, {"trim_min": 5}),
        (GOOD, {"human": ["rater"]}),
        (GOOD, {"min_n_by_group": {"gender": 3}, "groups": []}),
        (GOOD.replace("human", "size").replace("system", "length"), {}),
        ("id,human,system\n", {}),
        (GOOD + "e,2\n", {}),
        (GOOD + 'e,"2,2\n', {}),
        ("a,b\n1,2\n3,4\n", {}),
        (GOOD, {"baseline": "other"}),
    ],
)
def test_messages_are_the_same_as_for_rows_in_memory(content: str, keywords: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(content, encoding="utf-8")
    settings = from_keywords(**keywords)

    def held() -> None:
        from reportgen.evaluation import tally_screened

        tally_screened(read(path, settings), settings)

    assert sentence(lambda: count(path, settings, rows=3)) == sentence(held)


def test_ids_that_repeat_across_files_are_found(tmp_path: Path) -> None:
    paths = []
    for part in range(3):
        ids = [f"r{part}-{row}" for row in range(400)]
        if part:
            ids[7], ids[399] = f"r{part - 1}-399", f"r{part - 1}-8"
        scores = np.arange(400) % 5 + 1
        table = pa.table({"id": ids, "human": scores, "system": scores + 0.25})
        pq.write_table(table, tmp_path / f"{part}.parquet", row_group_size=90)
        paths.append(tmp_path / f"{part}.parquet")
    with pytest.raises(NeedsRowsError, match="repeat an ID of column 'id'"):
        count(paths, from_keywords(), None, 31)
    said = sentence(read, paths, from_keywords(show_response_ids=True))
    assert "(for example, rows 9 of 0.parquet and 400 of 1.parquet have 'r0-8')" in said


def test_texts_of_any_length_have_distinct_fingerprints() -> None:
    repeated = [*("x" * n for n in range(5, 40)), *("x" * n + "y" for n in range(40))]
    texts = ["", "a", "aa", *repeated, "é", "e", "\0", "\0\0"]
    column = pa.chunked_array([texts[:9], texts[9:]])
    assert len(set(fingerprints(column).tolist())) == len(set(texts))
    assert fingerprints(column.slice(5, 20)).tolist() == fingerprints(column)[5:25].tolist()
    assert fingerprints(column.dictionary_encode()).tolist() == fingerprints(column).tolist()


@pytest.mark.parametrize(
    ("columns", "keywords", "words"),
    [
        ({"student": ["s", "t"] * 20}, {"min_items_per_candidate": 2}, "few responses"),
        ({"system_2": [1.5, 2.5] * 20}, {"runs": ["system_2"]}, "runs"),
        ({}, {"intervals": "bootstrap"}, "bootstrap"),
        ({"h3": [1, 2] * 20, "h4": [2, 1] * 20}, {"human": ["human", "h3", "h4"]}, "three or more raters"),
        ({}, {"only": {"id": "r1"}}, "selects from all rows"),
        ({"words": [10, 20] * 20}, {"length": "words"}, "lengths"),
    ],
)
def test_settings_that_need_rows_are_rejected_or_read_into_memory(
    columns: dict[str, Any], keywords: dict[str, Any], words: str, tmp_path: Path
) -> None:
    scores = np.arange(40) % 5 + 1
    made = {"id": [f"r{row}" for row in range(40)], "human": scores, "system": scores + 0.25, **columns}
    path = tmp_path / "scores.parquet"
    pq.write_table(pa.table(made), path)
    with pytest.raises(NeedsRowsError, match=words):
        count(path, from_keywords(**keywords))
    said = sentence(lambda: reportgen.evaluate(path, batches=True, **keywords))
    assert said.startswith("batches is not possible, because ")
    assert said.endswith("remove batches.")


def test_continuous_human_scores_need_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reportgen.evaluation.counting.MOST_REFERENCE", 50)
    monkeypatch.setattr("reportgen.passes.counter.MOST_HUMAN_SCORES", 50)
    path = tmp_path / "scores.parquet"
    human = np.round(np.random.default_rng(2).normal(50, 10, 400), 3)
    pq.write_table(pa.table({"human": human, "system": human + 0.125}), path)
    for scale in ({}, {"scale": "0:100:0"}):
        with pytest.raises(NeedsRowsError, match="continuous"):
            count(path, from_keywords(**scale), rows=90)


def test_a_truncated_file_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    for part in range(3):
        human = rng.integers(1, 6, 5000)
        pq.write_table(
            pa.table({"human": human, "system": human + rng.normal(0, 1, 5000)}), tmp_path / f"{part}.parquet",
            row_group_size=1000,
        )  # fmt: skip
    broken = tmp_path / "1.parquet"
    content = bytearray(broken.read_bytes())
    content[len(content) // 3 : len(content) // 3 + 6000] = os.urandom(6000)
    broken.write_bytes(content)
    with pytest.raises(InputError, match=r"1\.parquet: not a readable Parquet file"):
        reportgen.evaluate(tmp_path, tmp_path / "out", batches=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0.parquet", "1.parquet", "2.parquet"]


def test_a_column_that_changes_its_type_between_files_is_an_error(tmp_path: Path) -> None:
    human = np.arange(30) % 4 + 1
    pq.write_table(pa.table({"human": human, "system": human + 0.5}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"human": human, "system": [f"s{n}" for n in human]}), tmp_path / "b.parquet")
    said = sentence(count, tmp_path, from_keywords())
    assert said == sentence(read, tmp_path, from_keywords())
    assert "b.parquet: column 'system' contains string values" in said


def test_a_full_disk_is_an_error_and_leaves_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, spilled = tmp_path / "scores.csv", tmp_path / "spilled"
    path.write_text("student," + GOOD.replace("\n", "\ns,").removesuffix("s,"), encoding="utf-8")
    spilled.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(spilled))
    count(path, from_keywords())
    assert not list(spilled.iterdir())

    def full(*_: Any, **__: Any) -> None:
        raise duckdb.IOException("IO Error: No space left on device")

    monkeypatch.setattr("reportgen.sources.digests.Engine._connection", property(full))
    said = sentence(count, path, from_keywords())
    assert "temporary files cannot be written (IO Error: No space left on device)" in said
    assert not list(spilled.iterdir())


def test_a_stopped_run_leaves_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, spilled = tmp_path / "scores.csv", tmp_path / "spilled"
    path.write_text("student," + GOOD.replace("\n", "\ns,").removesuffix("s,"), encoding="utf-8")
    spilled.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(spilled))

    def stop(_: object, done: int, __: int) -> None:
        if done == 4:
            assert [folder.stat().st_mode & 0o077 for folder in spilled.iterdir()] == [0]
            raise KeyboardInterrupt

    monkeypatch.setattr("reportgen.machine.progress.Silent.rows", stop)
    with pytest.raises(KeyboardInterrupt):
        count(path, from_keywords(system="system", human="human", candidate="student", groups=[]))
    assert not list(spilled.iterdir())


def test_memory_too_small_for_sorting_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "scores.parquet"
    human = np.arange(60_000) % 4 + 1
    who = [f"student {row % 9_999} of a school with a long name" for row in range(60_000)]
    pq.write_table(pa.table({"student": who, "human": human, "system": human + 0.25}), path)
    monkeypatch.setattr("reportgen.sources.digests.SHARE", 2_000)
    said = sentence(count, path, from_keywords(system="system", human="human", candidate="student", groups=[]))
    assert "responses cannot be grouped by candidate: the run requires more memory than is available" in said
    assert "--memory 4" in said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "terminal"), [(("--batches",), "xterm"), (("--batches",), "dumb"), (("--no-batches",), "xterm")]
)
def test_a_terminal_shows_progress(words: tuple[str, ...], terminal: str, tmp_path: Path) -> None:
    pty = pytest.importorskip("pty")
    path = tmp_path / "scores.csv"
    lines = [f"r{row},{row % 5 + 1},{row % 7 * 0.75 + 0.5}" for row in range(60_000)]
    path.write_text("id,human,system\n" + "\n".join(lines), encoding="utf-8")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "reportgen", "evaluate", str(path), str(tmp_path / "out"), "--formats", "html", *words],
        stderr=theirs, stdout=subprocess.DEVNULL, env={**os.environ, "TERM": terminal},
    )  # fmt: skip
    os.close(theirs)
    shown = bytearray()
    while True:
        try:
            some = os.read(ours, 1 << 16)
        except OSError:  # Linux says so when the other end is closed
            break
        if not some:
            break
        shown += some
    os.close(ours)
    assert process.wait() == 0
    looks = [look.strip() for look in shown.decode().split("\r")]
    items = [look for look in looks if look]
    assert looks[-1] == ""  # gone in the end
    assert items[0].startswith("opening the scores")
    assert any(look.startswith("writing the report") for look in items)
    if "--no-batches" in words:
        assert any(look.startswith("reading all rows") for look in items)
    else:
        assert any(look.startswith("reading: ") and " of about " in look for look in items)


def test_without_a_terminal_nothing_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(GOOD, encoding="utf-8")
    done = run("evaluate", path, "out", "--tables-only", "--batches", cwd=tmp_path)
    assert "4 responses read, 4 used" in done.stdout
    assert done.stderr == ""
    assert "batches" not in (tmp_path / "out" / "results.json").read_text(encoding="utf-8")


def test_columns_of_every_type_have_fingerprints() -> None:
    for column in (
        pa.chunked_array([], pa.string()),
        pa.chunked_array([pa.array([], pa.string()), pa.array(["a", None])]),
        pa.chunked_array([pa.nulls(3)]),
        pa.chunked_array([pa.array(["a", "b"], pa.large_string())]),
        pa.chunked_array([pa.array([1, 2], pa.int8())]),
        pa.chunked_array([pa.array([True, None])]),
        pa.chunked_array([pa.array([1.5, 2.5])]),
        pa.chunked_array([pa.array([0, 86_400_000], pa.timestamp("ms"))]),
        pa.chunked_array([pa.array(["x", None, "y"]).dictionary_encode()]),
    ):
        found = fingerprints(column)
        assert len(found) == len(column)
        assert len(set(found.tolist())) == len(set(column.to_pylist()))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["no"] * 900 + ["yes"] * 1_200, "recode the words as numbers"),
        (["dull"] * 900 + ["so-so"] * 700 + ["apt"] * 500, "are words: apt, dull, and so-so. Do they have"),
        ([""] * 2_000 + ["x"] * 100, "2,000 because there is no engine score in 'system'; 100 because the engine"),
        (["", " "] * 1_050, "2,100 because there is no engine score in 'system');"),
        (["inf", "1e999", "refused"] * 700, "1,400 because the engine score in 'system' is infinite;"),
    ],
)
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_column_without_scores_gives_the_same_error(cells: list[str], said: str, suffix: str, tmp_path: Path) -> None:
    """In one file and in multiple files, the first of them short, also for late rows."""
    rows = [f"r{row}" for row in range(2_100)]
    table = pa.table({"id": rows, "human": [row % 5 + 1 for row in range(2_100)], "system": cells})
    settings = from_keywords(system="system", human="human", groups=[])
    write = pa_csv.write_csv if suffix == "csv" else pq.write_table
    write(table, tmp_path / f"one.{suffix}")
    for number, (start, stop) in enumerate(((0, 7), (7, 1_000), (1_000, 2_100))):
        write(table.slice(start, stop - start), tmp_path / f"part-{number}.{suffix}")
    for source in (tmp_path / f"one.{suffix}", sorted(tmp_path.glob("part-*"))):
        told = sentence(read, source, settings)
        assert said in told
        assert sentence(count, source, settings, None, 500) == told
