"""Names of responses, candidates, and raters in any layout appear in no output."""

import csv
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import judge_files
import pytest
from command import reportgen
from test_private_outputs import artefacts, pdf_words

PLANTED = ("ZQID", "ZQCAND", "ZQRATER")
Rows = list[list[Any]]
N = 60


def written(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Path:
    """Write a CSV file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def score(number: int, shift: int = 0) -> int:
    """Return a score from 1 to 4."""
    return (number * 7 + shift * (number % 3)) % 4 + 1


def wide() -> tuple[list[str], Rows]:
    """Return one row per response, with two raters, two systems, a run, an item, and item scores."""
    header = ["id", "candidate", "human1", "human2", "rater1_id", "rater2_id", "engine", "engine run 2", "other_engine",
              "item", "gender", "q1", "q2", "other_name"]  # fmt: skip
    rows = [
        [f"ZQID{i:03d}", f"ZQCAND{i // 2:03d}", score(i), score(i, 1), f"ZQRATER{i % 3}", f"ZQRATER{3 + i % 2}",
         score(i, 1) + 0.25, score(i) + 0.5, score(i, 2) + 0.75, f"p{i % 2}", "fm"[i // 2 % 2], i % 3, i % 2,
         f"ZQID-{i}"]
        for i in range(N)
    ]  # fmt: skip
    return header, rows


def long() -> tuple[list[str], Rows]:
    """Return one row per rating, with a system among the raters and a column that differs within responses."""
    rows = [
        [f"ZQID{i:03d}", f"ZQCAND{i // 2:03d}", rater, score(i, shift), "fm"[i // 2 % 2], f"ZQID-note-{i}-{shift}"]
        for i in range(N)
        for shift, rater in enumerate((f"ZQRATER{i % 3}", f"ZQRATER{3 + i % 2}", "gpt-4"))
    ]
    return ["response_id", "candidate", "rater", "score", "gender", "remark"], rows


def assert_no_names(folder: Path) -> None:
    """Assert that no file of a folder contains a planted name."""
    for name, data in (*artefacts(folder), ("pages", pdf_words(folder).encode())):
        assert not [planted for planted in PLANTED if planted.encode() in data], name


def run(folder: Path, *arguments: str, code: int = 0) -> str:
    """Run a command in a folder and return its output, which contains no planted name."""
    done = reportgen(*arguments, cwd=folder, code=code)
    for planted in PLANTED:
        assert planted not in done.stdout + done.stderr
    return done.stdout + done.stderr


WIDE = ("--system", "engine", "--human", "human1", "--human", "human2", "--scale", "1:4")


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        WIDE, ("--scale", "1:4", "--system", "engine"), ("--system", "engine", "--system", "other_engine", *WIDE[2:]),
        (*WIDE, "--item-score", "q1", "--item-score", "q2", "--candidate", "candidate"), (*WIDE, "--candidate", ""),
    ],
    ids=["named", "found", "systems", "items", "no candidates"],
)  # fmt: skip
def test_wide_file_reveals_no_names(tmp_path: Path, options: tuple[str, ...]) -> None:
    written(tmp_path / "in.csv", *wide())
    run(tmp_path, "evaluate", "in.csv", "out", *options, "--formats", "html")
    assert_no_names(tmp_path / "out")


def test_batches_reveal_no_names(tmp_path: Path) -> None:
    header, rows = wide()
    written(tmp_path / "in.csv", [*header[:4], header[6], *header[8:]], [[*row[:4], row[6], *row[8:]] for row in rows])
    run(tmp_path, "evaluate", "in.csv", "out", *WIDE, "--batches", "--tables-only")
    assert_no_names(tmp_path / "out")


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        (), ("--candidate", "candidate", "--id", "response_id", "--formats", "html"),
        ("--layout", "long", "--formats", "html"),
    ],
)  # fmt: skip
def test_long_file_reveals_no_names(tmp_path: Path, options: tuple[str, ...]) -> None:
    written(tmp_path / "in.csv", *long())
    run(tmp_path, "evaluate", "in.csv", "out", "--scale", "1:4", *options)
    assert_no_names(tmp_path / "out")


def of_mlflow(path: Path) -> Path:
    text = json.dumps(judge_files.mlflow_traces())
    path.write_text(text.replace("ann@", "ZQRATER1@").replace("bob@", "ZQRATER2@"), encoding="utf-8")
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("x.json", judge_files.promptfoo_judges), ("x.json", judge_files.promptfoo_rubric), ("x.json", of_mlflow),
        ("x.json", lambda path: path.write_text(json.dumps(judge_files.inspect_log()), encoding="utf-8")),
        ("x.eval", lambda path: judge_files.as_eval(judge_files.inspect_log(epochs=2), path)),
        ("x.csv", lambda path: judge_files.as_csv(json.loads(of_mlflow(path).read_text()), path, python=True)),
    ],
    ids=["promptfoo", "rubric", "mlflow", "inspect", "archive", "mlflow csv"],
)  # fmt: skip
def test_judge_outputs_reveal_no_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, write: Callable[[Path], Any]
) -> None:
    monkeypatch.setattr(judge_files, "IDS", [f"ZQID{i:02d}" for i in range(12)])
    write(tmp_path / name)
    run(tmp_path, "evaluate", name, "out", "--formats", "html")
    assert_no_names(tmp_path / "out")


@pytest.mark.slow
def test_query_reveals_no_names(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    written(tmp_path / "in.csv", *wide())
    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        connection.execute(f"CREATE TABLE s AS SELECT * FROM read_csv('{tmp_path / 'in.csv'}')")
    asked = ("--connection", "duckdb:s.duckdb", "--query", "SELECT * FROM s")
    run(tmp_path, "evaluate", "out", *asked, *WIDE, "--formats", "html")
    assert_no_names(tmp_path / "out")
    run(tmp_path, "evaluate", "no", *asked[:3], "SELECT CAST(id AS INTEGER) AS engine, human1 FROM s", code=2)


@pytest.mark.slow
def test_other_reports_reveal_no_names(tmp_path: Path) -> None:
    header, rows = wide()
    written(tmp_path / "in.csv", header, rows)
    written(tmp_path / "other.csv", header, [[*row[:6], row[8], *row[7:]] for row in rows])
    (tmp_path / "out").mkdir()
    run(tmp_path, "batch", "in.csv", "out/batch", "--by", "item", *WIDE, "--formats", "html", "--workers", "1")
    run(tmp_path, "tables", "in.csv", "out/tables", "--by", "item", *WIDE)
    for name in ("in", "other"):
        run(tmp_path, "evaluate", f"{name}.csv", f"out/{name}", *WIDE, "--tables-only")
    for verb in ("compare", "summarize"):
        run(tmp_path, verb, "out/in", "out/other", "--out", f"out/{verb}", "--formats", "html")
    run(tmp_path, "packet", "out/in", "out/packet", "--formats", "html")
    assert_no_names(tmp_path / "out")


@pytest.mark.slow
def test_completion_reveals_no_names(tmp_path: Path) -> None:
    header, rows = wide()
    given = [[*row[:3], "" if place % 5 == 0 else row[3]] for place, row in enumerate(rows)]
    written(tmp_path / "in.csv", header[:4], given)
    run(tmp_path, "complete", "in.csv", "out", "--scale", "1:4", "--rater", "human1", "--rater", "human2")
    (tmp_path / "out" / "completed.csv").unlink()  # the requested file, with its ids
    assert_no_names(tmp_path / "out")


WRONG: dict[str, Callable[[list[str], Rows], Any]] = {
    "id twice": lambda header, rows: rows.append(list(rows[0])),
    "no number": lambda header, rows: rows[3].__setitem__(2, "nonsense"),
    "too large": lambda header, rows: rows[3].__setitem__(6, 9e9),
    "infinite": lambda header, rows: rows[3].__setitem__(6, "inf"),
    "outside the scale": lambda header, rows: rows[3].__setitem__(2, 77),
    "short row": lambda header, rows: rows.__setitem__(4, rows[4][:5]),
    "long row": lambda header, rows: rows[4].append("x"),
    "open quote": lambda header, rows: rows[4].__setitem__(1, '"ZQID open\n'),
    "no id": lambda header, rows: rows[4].__setitem__(0, ""),
    "two columns of one name": lambda header, rows: header.__setitem__(4, "human1"),
    "all the same": lambda header, rows: [row.__setitem__(0, "ZQID") for row in rows],
    "letters that are none": lambda header, rows: rows[5].__setitem__(0, "ZQID\udcff"),
}
ASKED = (
    (), ("--group", "candidate"), ("--group", "other_name"), ("--system", "id"), ("--human", "candidate"),
    ("--item", "id"), ("--layout", "long", "--id", "candidate", "--rater", "rater1_id", "--score", "engine"),
    ("--item-score", "candidate"), ("--system", "engine", "--system", "id"), ("--scale", "1:2"), ("--batches",),
    ("--length", "id"), ("--id", "candidate"), ("--intersect", "id,candidate"),
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("layout", [wide, long])
def test_errors_reveal_no_names(tmp_path: Path, layout: Callable[[], tuple[list[str], Rows]]) -> None:
    for number, spoil in enumerate([None, *WRONG.values()]):
        header, rows = layout()
        if spoil is not None and layout is wide:
            spoil(header, rows)
        elif spoil is not None and not _can_spoil(spoil, header, rows):
            continue
        path = tmp_path / f"{number}.csv"
        text = "\n".join(",".join(map(str, row)) for row in [header, *rows]) + "\n"
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
        _assert_messages(path, tmp_path / str(number), ASKED if spoil is None else ((),))


def _can_spoil(spoil: Callable[[list[str], Rows], Any], header: list[str], rows: Rows) -> bool:
    """Return whether rows of a narrower table could be spoiled."""
    try:
        spoil(header, rows)
    except IndexError:
        return False
    return True


def _assert_messages(path: Path, out: Path, options: Iterable[tuple[str, ...]]) -> None:
    """Evaluate a file in several ways, and assert that no message contains a planted name."""
    from typer.testing import CliRunner

    from reportgen.cli.app import app

    for number, each in enumerate(options):
        for verb in (["evaluate", "--tables-only"], ["batch", "--by", "gender", "--workers", "1", "--tables-only"]):
            if verb[0] == "batch" and {"--item", "--rater", "--item-score", "--batches", "--length"} & set(each):
                continue
            arguments = [verb[0], str(path), str(out / f"{verb[0]}{number}"), *verb[1:], *each]
            done = CliRunner().invoke(app, arguments)
            text = f"{done.output}{done.exception or ''}"
            asked = ("ZQRATER",) if "a person or an engine" in text and done.exit_code == 2 else ()  # names are listed
            assert not [planted for planted in PLANTED if planted in text and planted not in asked], (arguments, text)
