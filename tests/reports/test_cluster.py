"""Reports made by a real Dask cluster, one of whose workers is killed in the middle: complete, and the same bytes."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command import refused
from command import reportgen as run
from test_batch import tree, write_scores

pytest.importorskip("distributed")

ITEMS = tuple("ABCDEF")
COMMAND = ("batch", "s.csv", "out", "--by", "item", "--tables-only", "--scale", "1:6", "-q")


def started(module: str, *arguments: str | Path) -> subprocess.Popen[bytes]:
    """Start a program of Dask."""
    command = [sys.executable, "-m", f"distributed.cli.{module}", *map(str, arguments), "--no-dashboard"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.mark.slow
def test_a_worker_that_is_killed_loses_nothing(tmp_path: Path) -> None:
    for name in ("alone", "cluster"):
        (tmp_path / name).mkdir()
        write_scores(tmp_path / name / "s.csv", ITEMS)
    run(*COMMAND, "--workers", "1", cwd=tmp_path / "alone")
    file = tmp_path / "scheduler.json"
    programs = [started("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", file)]
    try:
        programs += [
            started("dask_worker", "--scheduler-file", file, "--nthreads", "1", "--no-nanny", "--host", "127.0.0.1")
            for _ in range(2)
        ]
        address = await_workers(file, 2)
        batch = subprocess.Popen(
            [sys.executable, "-m", "reportgen", *COMMAND, "--dask", address], cwd=tmp_path / "cluster"
        )
        out = tmp_path / "cluster" / "out"
        until(lambda: any((out / item).exists() for item in ITEMS))
        programs[1].kill()
        assert batch.poll() is None, "killed too late to tell"
        assert batch.wait(180) == 0
    finally:
        for program in programs:
            program.kill()
            program.wait()
    assert tree(out) == tree(tmp_path / "alone" / "out")


def test_no_scheduler_at_the_address(tmp_path: Path) -> None:
    write_scores(tmp_path / "s.csv", ("A",))
    said = refused(*COMMAND, "--dask", "nowhere", cwd=tmp_path)
    assert said.startswith("error: --dask nowhere: ")


def await_workers(file: Path, workers: int) -> str:
    """Return the address of a scheduler that has its workers."""
    from distributed import Client

    until(lambda: file.exists() and bool(file.read_text()))
    address = str(json.loads(file.read_text())["address"])
    with Client(address, set_as_default=False) as client:
        client.wait_for_workers(workers, timeout=60)
    return address


def until(happened: object, seconds: float = 120) -> None:
    """Wait until something has happened."""
    assert callable(happened)
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)
