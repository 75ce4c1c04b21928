"""Jobs in worker processes: a process that ends loses only its job."""

import operator
import os
import threading
from concurrent.futures import BrokenExecutor
from contextlib import closing
from functools import partial
from typing import Any

import pytest

from reportgen.machine.worker_processes import Processes, each


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
