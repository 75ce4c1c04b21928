"""Ctrl-C stops every process of a run and prints one line."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reportgen.results import Report
from reportgen.storing import results_file

pytestmark = pytest.mark.skipif(
    not hasattr(os, "pidfd_open") or signal.getsignal(signal.SIGINT) == signal.SIG_IGN, reason="no Ctrl-C here"
)


IMPORTED = ("import", "reportgen.cli.app")
"""The audit event at the start of a run."""

READING = ("import", "reportgen.sources.parquet")
"""The audit event before rows are read."""

RESULT = ("pickle.find_class", "Listed")
"""The audit event after the first result of a process."""

COUNTED = ("evaluate", "--batches")
IN_TABLES = ("tables", "--by", "item", "--workers", "2")
IN_REPORTS = ("batch", "--by", "item", "--workers", "2", "--tables-only")

STOPPED = """
import os, signal, sys
event, name = sys.argv[1:3]
del sys.argv[1:3]

def stop(happened, details):
    if happened == event and name in details and not stopped:
        stopped.append(True)
        os.killpg(0, signal.SIGINT)

stopped = []
sys.addaudithook(stop)
from reportgen.__main__ import main
main()
"""


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scores") / "scores.parquet"
    rng = np.random.default_rng(1)
    human = rng.integers(1, 6, 20_000)
    table = {"human": human, "system": human + rng.normal(0, 0.5, len(human)), "item": rng.integers(0, 20, len(human))}
    pq.write_table(pa.table(table), path, row_group_size=1000)
    return path


@pytest.mark.parametrize(
    ("words", "moment"),
    [(IN_TABLES, IMPORTED), (IN_REPORTS, IMPORTED), (COUNTED, READING), (IN_TABLES, READING), (IN_REPORTS, RESULT)],
)
def test_interrupt_prints_one_line(
    words: tuple[str, ...], moment: tuple[str, str], scores: Path, tmp_path: Path
) -> None:
    command, *options = words
    process = subprocess.Popen(
        [sys.executable, "-c", STOPPED, *moment, command, str(scores), "out", *options, "-q"], cwd=tmp_path,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    _, said = process.communicate(timeout=60)
    assert said.strip() == "stopped"
    assert process.returncode == 130
    until_gone(process.pid)
    assert not list((tmp_path / "out").glob(".*"))
    if command == "batch":  # existing reports are complete
        for folder in (path for path in (tmp_path / "out").glob("*") if list(path.glob("[!.]*"))):
            assert (folder / "config.toml").is_file()
            assert isinstance(results_file.read(folder / "results.json"), Report)
    else:
        assert not (tmp_path / "out").exists()


def test_interrupt_ends_waiting_jobs(tmp_path: Path) -> None:
    """Two processes never finish and more jobs wait, but the run ends."""
    program = tmp_path / "program.py"
    program.write_text(WORKING)
    process = subprocess.Popen(
        [sys.executable, program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout is not None
    assert [process.stdout.readline() for _ in range(2)] == ["at work\n"] * 2
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert (said, process.returncode) == ("", 130)
    until_gone(process.pid)


WORKING = """
import signal, sys
from contextlib import closing
from functools import partial

from reportgen.machine.worker_processes import each

def work(number):
    if number > 1:
        print("at work", flush=True)
        signal.pause()
    return number

if __name__ == "__main__":
    try:
        with closing(each(work, [partial(int, number) for number in range(9)], None, 2)) as results:
            for result in results:
                pass
    except KeyboardInterrupt:
        sys.exit(130)
"""


def until_gone(session: int) -> None:
    """Wait until all processes of a session have ended, or fail."""
    for path in Path("/proc").glob("[0-9]*"):
        try:
            member = os.getsid(int(path.name)) == session
            process = os.pidfd_open(int(path.name)) if member else None
        except OSError:  # it has ended
            continue
        if process is not None:
            assert select.select([process], [], [], 60)[0], "a process is still running"
            os.close(process)


LEFT = """
from contextlib import closing
from functools import partial
from reportgen.machine.worker_processes import each

def large(size):
    return bytes(size)

if __name__ == "__main__":
    with closing(each(large, [partial(int, 6_000_000)] * 8, None, workers=2)) as results:
        next(results)
        raise SystemExit(7)
"""


def test_closing_while_results_are_sent_ends(tmp_path: Path) -> None:
    """The pipe contains half a result when its process is killed, and the reader must not wait."""
    script = tmp_path / "left.py"
    script.write_text(LEFT, encoding="utf-8")
    for _ in range(3):
        assert subprocess.run([sys.executable, script], timeout=60, check=False).returncode == 7
