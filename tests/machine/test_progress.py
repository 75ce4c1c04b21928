"""Progress of a run, in a log or on the terminal."""

import io
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import invoked

from reportgen.machine import progress
from reportgen.machine.progress import Silent, Status, shown
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
