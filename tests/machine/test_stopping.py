"""Ctrl-C in a terminal reaches every process of a run: it ends with one line, whenever it comes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reportgen.results import Report
from reportgen.storing import results_file

pytestmark = pytest.mark.skipif(
    not hasattr(os, "killpg") or signal.getsignal(signal.SIGINT) == signal.SIG_IGN, reason="no Ctrl-C here"
)


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scores") / "scores.parquet"
    rng = np.random.default_rng(1)
    human = rng.integers(1, 6, 3_000_000)
    table = {"human": human, "system": human + rng.normal(0, 0.5, len(human)), "item": rng.integers(0, 50, len(human))}
    pq.write_table(pa.table(table), path, row_group_size=100_000)
    return path


@pytest.mark.parametrize("seconds", [0.05, 1.0, 2.5])
@pytest.mark.parametrize(
    "words",
    [
        ("evaluate", "--batches", "--workers", "2"),
        ("tables", "--by", "item", "--workers", "2"),
        ("batch", "--by", "item", "--workers", "2", "--tables-only"),
    ],
)
def test_one_line_and_no_traceback(words: tuple[str, ...], seconds: float, scores: Path, tmp_path: Path) -> None:
    command, *options = words
    process = subprocess.Popen(
        [sys.executable, "-m", "reportgen", command, str(scores), "out", *options, "-q"], cwd=tmp_path,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    begun(process.pid)
    time.sleep(seconds)
    begun_by_it = descendants(process.pid)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    if process.returncode == 0:
        pytest.skip("the run was over")
    assert said.strip() == "stopped"
    assert process.returncode in (130, -signal.SIGINT)  # a shell says 130 of both
    until_gone(begun_by_it)
    assert not list((tmp_path / "out").glob(".*"))
    if command == "batch":  # what is there is whole
        for folder in (path for path in (tmp_path / "out").glob("*") if path.is_dir()):
            assert (folder / "config.toml").is_file()
            assert isinstance(results_file.read(folder / "results.json"), Report)
    else:
        assert not (tmp_path / "out").exists()


def test_work_that_nobody_wants_any_more_ends_at_once(tmp_path: Path) -> None:
    """Two processes at work for minutes, and more work that waits for them: the run is over in a moment."""
    program = tmp_path / "program.py"
    program.write_text(WORKING)
    process = subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    at_work = [int(process.stdout.readline()) for _ in range(2)]
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert time.monotonic() - began < 10  # it takes a third of a second where nothing else runs
    assert (said, process.returncode) == ("", 130)
    until_gone(at_work)


WORKING = """
import os, sys, time
from contextlib import closing
from functools import partial

from reportgen.batches import each

def work(number):
    if number > 1:
        print(os.getpid(), flush=True)
        time.sleep(600)
    return number

if __name__ == "__main__":
    try:
        with closing(each(work, [partial(int, number) for number in range(9)], None, 2)) as results:
            for result in results:
                pass
    except KeyboardInterrupt:
        sys.exit(130)
"""


def descendants(process: int) -> list[int]:
    """Return the processes that a process and those begun by it have begun."""
    children = Path(f"/proc/{process}/task/{process}/children")
    try:
        own = [int(word) for word in children.read_text().split()]
    except OSError:
        return []
    return [each for child in own for each in (child, *descendants(child))]


def until_gone(processes: list[int]) -> None:
    """Wait a moment until processes have ended; fail when they do not."""
    end = time.monotonic() + 10
    while any(Path(f"/proc/{process}").exists() for process in processes):
        assert time.monotonic() < end, "a process goes on"
        time.sleep(0.05)


def begun(process: int) -> None:
    """Wait until Python has begun to import the command: before, nothing of it can answer."""
    maps = Path(f"/proc/{process}/maps")
    for _ in range(400):
        if not maps.exists() or "libpython" in maps.read_text():
            break
        time.sleep(0.005)
    time.sleep(0.1)


LEFT = """
from contextlib import closing
from functools import partial
from reportgen.machine.worker_processes import each

def large(size):
    return bytes(size)

if __name__ == "__main__":
    with closing(each(large, [partial(int, 60_000_000)] * 8, None, workers=2)) as results:
        next(results)
        raise SystemExit(7)
"""


def test_a_run_that_is_left_while_results_are_sent_ends(tmp_path: Path) -> None:
    """Half a result lies in the pipe when its process is killed: who reads it must not wait for the other half."""
    script = tmp_path / "left.py"
    script.write_text(LEFT, encoding="utf-8")
    for _ in range(3):
        assert subprocess.run([sys.executable, script], timeout=60, check=False).returncode == 7
