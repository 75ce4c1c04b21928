"""Standard output and error that are closed, full or a pipe that nobody reads: a run goes on, and its code tells."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command import forked
from command import reportgen as run

from reportgen import errors
from reportgen.cli import app, printing, streams

pytestmark = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is full here")

SCORES = "id,human,human2,system,item\n" + "".join(
    f"r{i},{i % 5 + 1},{i * 3 % 5 + 1},{i % 5 + 1.2},P{i % 2}\n" for i in range(40)
)
COMMANDS = {
    "evaluate scores.csv out --tables-only": 0, "render none.json": 2, "init scores.csv": 0,
    "plan --prmse 0.8 --human-r 0.65 --half-width 0.05": 0, "check run": 0, "policy list": 0, "policy show prmse": 0,
    "policy schema": 0, "compare run run --name a --name b --out out --tables-only": 0,
    "summarize run run --name a --name b --out out --tables-only": 0, "tables scores.csv out --by item": 0,
    "batch scores.csv out --by item --tables-only --workers 1": 0, "packet run out --tables-only": 2,
    "study nothing": 2, "complete none.csv": 2, "schema": 0, "sections": 0, "readers": 0, "eject data": 0,
    "new section mine": 0, "--help": 0, "--version": 0, "evaluate none.csv": 2,
}  # fmt: skip
"""Command lines of every command -> the exit code where everything is heard."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    (folder / "scores.csv").write_text(SCORES, encoding="utf-8")
    run("evaluate", "scores.csv", "run", "--tables-only", "-q", cwd=folder)
    return folder


def close(*numbers: int) -> None:
    for number in numbers:
        os.close(number)
        setattr(sys, ("stdout", "stderr")[number - 1], None)


def fill(number: int) -> None:
    os.dup2(os.open("/dev/full", os.O_WRONLY), number)


def nobody_reads() -> None:
    reading, writing = os.pipe()
    os.dup2(writing, 1)
    os.close(reading)


FATES: dict[str, Callable[[], None]] = {
    "output closed": lambda: close(1),
    "errors closed": lambda: close(2),
    "both closed": lambda: close(1, 2),
    "output full": lambda: fill(1),
    "errors full": lambda: fill(2),
    "nobody reads": nobody_reads,
}


SLOW = ("batch", "compare", "summarize")
CASES = [
    (command, fate)
    for command in COMMANDS for fate in FATES
    if not command.startswith(SLOW) or fate in ("both closed", "nobody reads")
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("command", "fate"), CASES)
def test_every_command_exits_with_its_code(command: str, fate: str, home: Path) -> None:
    words = command.split()
    if {"out", "eject", "new"} & set(words):
        fresh = f"made{len(list(home.iterdir()))}"
        words = [fresh if word == "out" else word for word in words] + ([] if "out" in words else [fresh])
    heard = COMMANDS[command]
    code, said = forked(home, words, FATES[fate])
    lost = {"output full": streams.UNWRITTEN, "nobody reads": streams.GONE}.get(fate, heard)
    assert code in (heard, lost), said
    assert code != printing.DEFECT
    assert "Traceback" not in said
    assert said.count("\n") <= 1 or heard
    if code == streams.GONE:
        assert not said


def test_a_report_is_complete_if_no_output_is_read(home: Path) -> None:
    for name, fate in (("one", FATES["both closed"]), ("two", nobody_reads)):
        forked(home, ["evaluate", "scores.csv", name, "--tables-only"], fate)
        assert (home / name / "results.json").is_file()


def raising(error: BaseException) -> Callable[[], None]:
    def ready() -> None:
        def main() -> None:
            raise error

        app.main = main

    return ready


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (MemoryError(), 2, "the run requires more memory"),
        (OSError(27, "File too large"), 2, "File too large"),
        (OSError(12, "Cannot allocate memory"), 2, "the run requires more memory"),
        (ImportError("cannot import name 'x'", name="weasyprint.urls"), 2, "--force-reinstall 'weasyprint>="),
        (ImportError("no such library"), 2, "reportgen --debug"),
        (ImportError("cannot import name 'x'", name="reportgen.cli"), 4, "a bug in reportgen"),
        (KeyboardInterrupt(), 130, "stopped"),
    ],
)  # fmt: skip
def test_every_error_is_one_sentence_with_its_code(error: BaseException, code: int, words: str, home: Path) -> None:
    left, said = forked(home, [], raising(error))
    assert left == code
    assert words in said
    assert said.count("\n") <= 2
    assert len(said) <= 301


def test_an_outdated_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errors, "requirements", lambda: ["numpy>=999", "weasyprint>=1"])
    sentence, code = printing.explain(TypeError("render() got an unexpected keyword"))
    assert code == printing.SURROUNDINGS
    assert sentence.endswith("-m pip install 'numpy>=999'")
