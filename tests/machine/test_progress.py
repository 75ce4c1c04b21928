"""What a run says while it lasts: a line of the log now and then, or one on the terminal that is gone in the end."""

import io
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from reportgen.cli.app import app
from reportgen.machine import progress
from reportgen.machine.progress import Status, shown


@pytest.mark.parametrize(
    ("at_first", "done", "seconds", "line"),
    [
        (0, 0, 9, "reports: 0 of 500"),
        (0, 500, 9, "reports: 500 of 500"),
        (0, 100, 20, "reports: 100 of 500, 80 s left"),
        (400, 410, 60, "reports: 410 of 500, 9 min left"),  # those of an earlier run took no time of this one
        (400, 400, 60, "reports: 400 of 500"),
    ],
)
def test_how_long_the_rest_takes(at_first: int, done: int, seconds: float, line: str) -> None:
    told = Status(io.StringIO())
    told.parts("reports", at_first, 500)
    told.parts("reports", done, 500)
    assert told.line(told.began + seconds) == line


def test_every_kind_of_work_has_a_clock_of_its_own() -> None:
    told = Status(io.StringIO())
    told.rows(10, 100)
    told.parts("reports", 3, 12)
    assert told.line(told.began + 1) == "reports: 3 of 12"
    told.parts("reading reports", 1, 2)
    assert told.line(told.began + 1) == "reading reports: 1 of 2"
    told.stage("making the summary")
    assert told.line(told.began + 4) == "making the summary ... 4 s"
    told.rows(0, 50)
    told.rows(25, 50)
    assert told.line(told.began + 5) == "reading: 25 of about 50 rows, 5 rows/s, 5 s left"


def test_what_stands_in_for_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert type(shown(quiet=True)) is progress.Silent
    for terminal in (False, True):  # the tests have none
        monkeypatch.setattr("sys.stderr.isatty", lambda: terminal, raising=False)  # noqa: B023 - called at once
        assert vars(shown(quiet=False))["on_terminal"] is terminal


@pytest.mark.parametrize("words", [(), ("--quiet",)])
def test_a_long_batch_says_a_line_now_and_then(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "EVERY_IN_LOG", 0.02)
    monkeypatch.chdir(tmp_path)
    rows = [f"r{i},{i % 5 + 1},{i % 5 + 0.8},P{i % 3}" for i in range(90)]
    Path("s.csv").write_text("\n".join(["id,h1,engine,item", *rows]) + "\n")
    command = ["batch", "s.csv", "out", "--by", "item", "--workers", "1", "--tables-only", "--no-groups", *words]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0
    if words:
        assert done.stderr == ""
        return
    lines = done.stderr.splitlines()
    assert any(re.fullmatch(r"reports: [012] of 3(, \d+ s left)?", line) for line in lines), lines
    assert all(re.match(r"opening the scores \.\.\.|reports: |reading |making the summary", line) for line in lines)
    assert "\r" not in done.stderr
    assert "reports       3 of 3" in done.stdout
