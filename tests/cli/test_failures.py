"""Test messages for errors from outside: paths that are too long, input that is nested too deeply."""

import errno
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pytest
from command import forked
from command import reportgen as run

from reportgen.cli import printing
from reportgen.cli.found import lines_read, say_decisions
from reportgen.cli.printing import say
from reportgen.scores import read
from reportgen.settings import from_keywords

THREAD = "Unknown error: Failed to launch worker thread: Resource temporarily unavailable"
LONG = "x" * 3000
PATHS = [
    "evaluate LONG", "evaluate LONG.csv", "evaluate LONG/*.csv", "evaluate scores.csv LONG", "evaluate LONG.toml",
    "evaluate scores.csv out --templates LONG", "evaluate scores.csv out --policy LONG",
    "evaluate scores.csv out --sections ./LONG.py", "evaluate scores.csv out --gate --junit LONG --tables-only",
    "evaluate scores.csv out --gate --markdown LONG --tables-only",
    "evaluate LONG.csv --format mlflow",
    "evaluate LONG.json", "batch LONG.csv out --by item", "batch scores.csv LONG --by item",
    "batch scores.csv out --by item --scales LONG", "tables LONG.csv out --by item", "tables scores.csv LONG --by item",
    "tables scores.csv out --by item --scales LONG", "compare LONG LONG",
    "compare run run --name a --name b --out LONG",
    "compare LONG.toml out", "summarize LONG LONG", "summarize run run --name a --name b --out LONG", "check LONG",
    "check run --policy LONG", "check run --junit LONG", "render LONG", "render LONG.json",
    "render run/results.json LONG", "render run/results.json out --templates LONG",
    "render run/results.json out --sections ./LONG.py", "render run/results.json out --logo LONG", "packet LONG",
    "packet run LONG", "packet run out --card LONG", "packet run out --previous LONG", "packet --starter LONG",
    "plan --from LONG", "plan --from LONG.csv", "complete LONG.csv", "complete scores.csv LONG", "init LONG.csv",
    "init scores.csv --out LONG", "study prmse-stability LONG", "study rating-completion out --file LONG.csv",
    "eject data LONG", "new section mine LONG", "policy show LONG",
]  # fmt: skip
"""Command lines with a path that no system takes in every place of a path."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    rows = "".join(f"{i % 5 + 1},{i * 3 % 5 + 1},{i % 5 + 1.2},P{i % 2}\n" for i in range(40))
    (folder / "scores.csv").write_text("human,human2,system,item\n" + rows, encoding="utf-8")
    run("evaluate", "scores.csv", "run", "--tables-only", "-q", cwd=folder)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("line", PATHS)
def test_a_path_that_is_too_long_is_an_error_in_one_sentence(line: str, home: Path) -> None:
    code, said = forked(home, line.replace("LONG", LONG).split())
    assert code == 2
    assert said.startswith("error: ")
    assert said.count("\n") <= 2
    assert len(said) <= 307


@pytest.mark.parametrize("number", [errno.ENAMETOOLONG, errno.ELOOP, errno.ENOTDIR, errno.EACCES, errno.ENOSPC])
def test_a_path_error_is_not_a_reportgen_bug(number: int) -> None:
    sentence, code = printing.explain(OSError(number, os.strerror(number), LONG))
    assert code == printing.SURROUNDINGS
    assert os.strerror(number) in sentence
    assert len(sentence) <= 300


def test_deep_nesting_is_blamed_on_the_input() -> None:
    sentence, code = printing.explain(RecursionError("maximum recursion depth exceeded"))
    assert code == printing.SURROUNDINGS
    assert "nested too deeply" in sentence


@pytest.mark.parametrize("error", [pa.ArrowMemoryError("malloc of size 99 failed"), pa.ArrowException(THREAD)])
def test_memory_that_runs_out_while_a_file_is_read_is_not_blamed_on_the_file(
    error: Exception, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(pyarrow.csv, "read_csv", fail)
    monkeypatch.setattr(pyarrow.csv, "open_csv", fail)
    code, said = forked(home, ["evaluate", "scores.csv", "none"])
    assert code == 2
    assert said.startswith("error: the run requires more memory")


def test_decisions_are_counted_with_the_most_common_first(capsys: pytest.CaptureFixture[str]) -> None:
    say_decisions(["deploy", "do not deploy", "", "do not deploy"])
    assert capsys.readouterr().out == "results       2 No, 1 Yes\n"


def test_a_missing_decision_is_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    say_decisions(["", ""])
    assert capsys.readouterr().out == ""


def test_one_rater_is_not_multiple_raters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"r{i},{rater},{i % 5 + 1}" for i in range(20) for rater in ("ann", "engine")]
    (tmp_path / "long.csv").write_text("\n".join(["id,rater,score", *rows]))
    say(lines_read([read(tmp_path / "long.csv", from_keywords(layout="long", system="engine", scale="1:5"))]))
    assert "20 responses by 1 rater read" in " ".join(capsys.readouterr().out.split())
