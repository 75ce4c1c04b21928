"""Jobs shared by processes: a process that ends takes no job with it but its own, and what fails is told."""

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
    """Return what jobs return, in processes."""
    with closing(each(operator.call, [partial(partial, *job) for job in jobs], lost, workers)) as found:
        return list(found)


@pytest.mark.parametrize("workers", [2, 3])
def test_a_process_that_ends_takes_its_own_job_alone(workers: int) -> None:
    jobs: list[Any] = [(abs, -number) for number in range(12)]
    jobs[3] = jobs[8] = (os._exit, 7)
    told: list[tuple[int, bool]] = []

    def lost(place: int, error: BaseException) -> str:
        told.append((place, isinstance(error, BrokenExecutor)))
        return "lost"

    found = results(jobs, lost, workers)
    assert told == [(3, True), (8, True)]
    assert found[-2:] == ["lost", "lost"]
    assert sorted(found[:-2]) == [0, 1, 2, 4, 5, 6, 7, 9, 10, 11]


def test_what_a_job_raises_is_raised_and_says_where() -> None:
    with pytest.raises(ValueError, match="invalid literal") as caught:
        results([(abs, -1), (int, "x"), (abs, -2)])
    assert "worker_processes.py" in caught.value.__notes__[0]


def test_a_result_that_cannot_be_sent_is_told() -> None:
    with pytest.raises(TypeError, match="pickle"):
        results([(threading.Lock,), (threading.Lock,)])


def test_processes_are_an_executor_that_goes_on_with_others() -> None:
    with Processes(1) as pool:
        broken = pool.submit(os._exit, 7)
        assert isinstance(broken.exception(), BrokenExecutor)
        assert list(pool.map(abs, [-1, -2])) == [1, 2]
