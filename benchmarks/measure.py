"""What one command costs: CPU seconds and peak memory of its whole process tree."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import psutil

SAMPLE_EVERY = 0.02


@dataclass(frozen=True)
class Usage:
    """Cost of one run: user + system CPU seconds, wall seconds, peak memory in megabytes (10^6 bytes).

    `cpu` counts every process the command started and waited for.  `memory` is the largest sum of
    resident memory over the tree, sampled fifty times a second; what processes share counts in each.
    (The kernel's own record of a child's peak starts at the size of the process that started it.)
    """

    cpu: float
    wall: float
    memory: float


class MemoryWatch(threading.Thread):
    """Keeps the largest resident memory of a process and its descendants until told to stop."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.process = psutil.Process(pid)
        self.peak = 0
        self.stopped = threading.Event()

    def run(self) -> None:
        while not self.stopped.wait(SAMPLE_EVERY):
            try:
                tree = [self.process, *self.process.children(recursive=True)]
                self.peak = max(self.peak, sum(process.memory_info().rss for process in tree))
            except psutil.NoSuchProcess:
                continue  # a child ended between the listing and the reading


def measure(command: list[str], cwd: Path | None = None, log: IO[bytes] | None = None) -> Usage:
    """Run `command` and return its cost; raise CalledProcessError when it fails."""
    output = log if log is not None else subprocess.DEVNULL
    begin = time.perf_counter()
    # an installation has its modules compiled; where none may be kept, every run would compile a checkout's again
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    child = subprocess.Popen(command, cwd=cwd, stdout=output, stderr=subprocess.STDOUT, env=environment)
    watch = MemoryWatch(child.pid)
    watch.start()
    _, status, spent = os.wait4(child.pid, 0)
    wall = time.perf_counter() - begin
    watch.stopped.set()
    watch.join()
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, command)
    return Usage(spent.ru_utime + spent.ru_stime, wall, watch.peak / 1e6)
