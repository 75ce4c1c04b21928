"""Progress of a run, in a log or on the terminal, and jobs in worker processes, one of which ends."""

import io
import operator
import os
import re
import threading
from concurrent.futures import BrokenExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import invoked

from reportgen.machine import progress
from reportgen.machine.progress import Silent, Status, shown
from reportgen.machine.worker_processes import Processes, each
from reportgen.passes import count
from reportgen.reports.item_tables import tables
from reportgen.settings import from_keywords


@pytest.mark.parametrize(
    ("at_first", "done", "seconds", "line"),
    [
        (0, 0, 9, "reports: 0 of 500"),
        (0, 500, 9, "reports: 500 of 500"),
        (0, 100, 20, "reports: 100 of 500, 80 s left"),
        (400, 410, 60, "reports: 410 of 500, 9 min left"),  # reports of an earlier run took no time
        (400, 400, 60, "reports: 400 of 500"),
    ],
)
def test_status_line_shows_remaining_time(at_first: int, done: int, seconds: float, line: str) -> None:
    status = Status(io.StringIO())
    status.parts("reports", at_first, 500)
    status.parts("reports", done, 500)
    assert status.line(status.began + seconds) == line


def test_status_has_clock_for_each_stage() -> None:
    status = Status(io.StringIO())
    status.rows(10, 100)
    status.parts("reports", 3, 12)
    assert status.line(status.began + 1) == "reports: 3 of 12"
    status.parts("reading reports", 1, 2)
    assert status.line(status.began + 1) == "reading reports: 1 of 2"
    status.stage("making the summary")
    assert status.line(status.began + 4) == "making the summary ... (4 s elapsed)"
    status.rows(0, 50)
    status.rows(25, 50)
    assert status.line(status.began + 5) == "reading: 25 of about 50 rows, 5 rows/s, 5 s left"


def test_shown_depends_on_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert type(shown(quiet=True)) is progress.Silent
    for terminal in (False, True):  # tests have no terminal
        monkeypatch.setattr("sys.stderr.isatty", lambda: terminal, raising=False)  # noqa: B023 - called at once
        assert vars(shown(quiet=False))["on_terminal"] is terminal


@pytest.mark.parametrize("words", [(), ("--quiet",)])
def test_long_batch_logs_progress(words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "EVERY_IN_LOG", 0.02)
    monkeypatch.chdir(tmp_path)
    rows = [f"r{i},{i % 5 + 1},{i % 5 + 0.8},P{i % 3}" for i in range(90)]
    Path("s.csv").write_text("\n".join(["id,h1,engine,item", *rows]) + "\n")
    command = ["batch", "s.csv", "out", "--by", "item", "--workers", "1", "--tables-only", "--no-groups", *words]
    done = invoked(*command)
    if words:
        assert done.stderr == ""
        return
    lines = done.stderr.splitlines()
    assert any(re.fullmatch(r"reports: [012] of 3(, \d+ s left)?", line) for line in lines), lines
    assert all(re.match(r"opening the scores \.\.\.|reports: |reading |making the summary", line) for line in lines)
    assert "\r" not in done.stderr
    assert "reports       3 of 3" in done.stdout


N = 40_000


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scores") / "scores.parquet"
    rng = np.random.default_rng(1)
    human = rng.integers(1, 6, N)
    table = {"human": human, "system": human + rng.normal(0, 0.5, N), "item": rng.integers(0, 5, N)}
    pq.write_table(pa.table(table), path, row_group_size=10_000)
    return path


class Recorder(Silent):
    """Record progress."""

    def __init__(self) -> None:
        self.of: list[tuple[int, int]] = []
        self.stages: list[str] = []

    def stage(self, what: str) -> None:
        self.stages.append(what)

    def rows(self, done: int, total: int) -> None:
        self.of.append((done, total))


def test_count_in_batches_reports_every_row(scores: Path) -> None:
    recorder, settings = Recorder(), from_keywords(system="system", human="human", scale="1:5", groups=[])
    count(scores, settings, recorder, rows=1_000)
    done = [rows for rows, _ in recorder.of]
    assert done[0] == 0
    assert done[-1] == N
    assert done == sorted(done)
    assert {total for _, total in recorder.of} == {N}
    assert set(done) >= set(range(0, N, 1_000))


@pytest.mark.parametrize(("scale", "groups", "passes"), [("1:5", [], 1), (None, [], 2), (None, None, 2)])
def test_item_tables_report_every_pass(scale: str | None, groups: list[str] | None, passes: int, scores: Path) -> None:
    alone, shared = Recorder(), Recorder()
    settings = from_keywords(by="item", system="system", human="human", groups=groups, scale=scale)
    made = tables(scores, settings, status=alone)
    for recorder, found in ((alone, made), (shared, tables(scores, settings, workers=2, status=shared))):
        assert [rows for rows, _ in recorder.of].count(0) == [rows for rows, _ in recorder.of].count(N) == passes
        assert max(rows for rows, _ in recorder.of) == N
        assert recorder.stages == ["making the tables"]
        assert found.table("items").frame().equals(made.table("items").frame())


def results(jobs: list[Any], lost: Any = None, workers: int = 2) -> list[Any]:
    """Return the results of jobs in processes."""
    with closing(each(operator.call, [partial(partial, *job) for job in jobs], lost, workers)) as found:
        return list(found)


@pytest.mark.parametrize("workers", [2, 3])
def test_ended_process_loses_only_its_job(workers: int) -> None:
    jobs: list[Any] = [(abs, -number) for number in range(12)]
    jobs[3] = jobs[8] = (os._exit, 7)
    losses: list[tuple[int, bool]] = []

    def lost(place: int, error: BaseException) -> str:
        losses.append((place, isinstance(error, BrokenExecutor)))
        return "lost"

    found = results(jobs, lost, workers)
    assert losses == [(3, True), (8, True)]
    assert found[-2:] == ["lost", "lost"]
    assert sorted(found[:-2]) == [0, 1, 2, 4, 5, 6, 7, 9, 10, 11]


def test_error_of_job_is_raised_with_location() -> None:
    with pytest.raises(ValueError, match="invalid literal") as caught:
        results([(abs, -1), (int, "x"), (abs, -2)])
    assert "worker_processes.py" in caught.value.__notes__[0]


def test_unpicklable_result_raises() -> None:
    with pytest.raises(TypeError, match="pickle"):
        results([(threading.Lock,), (threading.Lock,)])


def test_processes_continue_after_broken_job() -> None:
    with Processes(1) as pool:
        broken = pool.submit(os._exit, 7)
        assert isinstance(broken.exception(), BrokenExecutor)
        assert list(pool.map(abs, [-1, -2])) == [1, 2]
