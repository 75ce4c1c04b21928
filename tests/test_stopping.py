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
    "words", [("evaluate", "--batches", "--workers", "2"), ("tables", "--by", "item", "--workers", "2")]
)
def test_one_line_and_no_traceback(words: tuple[str, ...], seconds: float, scores: Path, tmp_path: Path) -> None:
    command, *options = words
    process = subprocess.Popen(
        [sys.executable, "-m", "reportgen", command, str(scores), "out", *options, "-q"], cwd=tmp_path,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    begun(process.pid)
    time.sleep(seconds)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    if process.returncode == 0:
        pytest.skip("the run was over")
    assert said.strip() == "stopped"
    assert process.returncode in (130, -signal.SIGINT)  # a shell says 130 of both
    assert not (tmp_path / "out").exists()


def begun(process: int) -> None:
    """Wait until Python has begun to import the command: before, nothing of it can answer."""
    maps = Path(f"/proc/{process}/maps")
    for _ in range(400):
        if not maps.exists() or "libpython" in maps.read_text():
            break
        time.sleep(0.005)
    time.sleep(0.1)
