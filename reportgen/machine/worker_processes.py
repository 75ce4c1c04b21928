"""Jobs shared by processes: as many at a time as there are hands, and none lost when a process ends."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager, suppress
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import ForkingPickler
from types import TracebackType
from typing import Any, TypeVar

from reportgen.machine.process_tuning import prepare_for_reports
from reportgen.machine.row_progress import Shared, use
from reportgen.machine.shell_limits import prepare_for_limits

Item = TypeVar("Item")
Result = TypeVar("Result")

Lost = Callable[[int, BaseException], Result]
"""Takes the place of an item and what happened; returns its result."""

AHEAD = 2
"""Jobs that wait for each process: enough that none is idle, few enough that their data fit in memory."""


def each(
    function: Callable[[Item], Result],
    items: Sequence[Callable[[], Item]],
    lost: Lost[Result],
    workers: int = 1,
    executor: Executor | None = None,
    hands: int | None = None,
    meter: Shared | None = None,
) -> Generator[Result, None, None]:
    """Yield the function of every item, as they come.

    Close it (`contextlib.closing`) where what is done with a result may raise: processes that are under way end then.

    Parameters
    ----------
    function, items
        What is done with what; an item is made when a process is about to take it.
    lost
        The result for an item whose process ended, twice, without a result, or whose executor gave it up.
    workers
        Processes of one's own; 1 does everything in this one.
    executor
        Any executor, instead of processes of one's own; its own rules hold for processes that end.
    hands
        How many jobs an executor does at a time; the processors of this machine when left out.
    meter
        Where processes of one's own count the rows that they read.
    """
    if executor is not None:
        window = AHEAD * (hands or os.cpu_count() or 1)
        for place, future in _futures(executor, function, items, range(len(items)), window):
            error = future.exception()
            yield future.result() if error is None else lost(place, error)
    elif workers == 1:
        for item in items:
            yield function(item())
    else:
        yield from _own_processes(function, items, lost, workers, meter)


def _own_processes(
    function: Callable[[Item], Result],
    items: Sequence[Callable[[], Item]],
    lost: Lost[Result],
    workers: int,
    meter: Shared | None,
) -> Iterator[Result]:
    """Yield results from a pool; when a process ends, what was under way is done again, each in a pool of its own."""
    left = list(range(len(items)))
    window = AHEAD * workers
    while left:
        done: set[int] = set()
        with Processes(min(workers, len(left)), meter) as pool, suppress(BrokenExecutor):
            for place, future in _futures(pool, function, items, left, window):
                result = future.result()
                done.add(place)
                yield result
        not_done = [place for place in left if place not in done]
        suspects, left = not_done[:window], not_done[window:]  # those under way were the first of them
        for place in suspects:
            with Processes(1, meter) as alone:
                try:
                    result = alone.submit(function, items[place]()).result()
                except BrokenExecutor as error:
                    result = lost(place, error)
            yield result


def _futures(
    executor: Executor,
    function: Callable[[Item], Result],
    items: Sequence[Callable[[], Item]],
    places: Sequence[int],
    window: int,
) -> Iterator[tuple[int, Future[Result]]]:
    """Yield the place of each item and its future, which is done; items are made as they are submitted, in order."""
    waiting: dict[Future[Result], int] = {}
    queue = iter(places)
    try:
        while True:
            while len(waiting) < window and (place := next(queue, None)) is not None:
                waiting[executor.submit(function, items[place]())] = place
            if not waiting:
                return
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                yield waiting.pop(future), future
    finally:
        for future in waiting:
            future.cancel()


class _Results:
    """What processes send back, as `multiprocessing.SimpleQueue` does it; here the sending end can be closed by itself.

    A process that is killed while it sends leaves half a result, and who reads it waits for the other half as long as
    anybody could send it.
    """

    def __init__(self, context: SpawnContext) -> None:
        self._reader, self._writer = context.Pipe(duplex=False)  # the pool looks for this name
        self._sending = context.Lock()

    def put(self, result: Any) -> None:
        """Send a result; the pool reads it."""
        content = ForkingPickler.dumps(result)
        with self._sending:
            self._writer.send_bytes(content)

    def end(self) -> None:
        """Let who reads find the end, when no process is left that sends."""
        self._writer.close()

    def close(self) -> None:
        """Close both ends, when all results are read."""
        self._reader.close()
        self._writer.close()


class _Spawning(SpawnContext):
    """Begins processes, and remembers them, and what they send back through."""

    def __init__(self) -> None:
        super().__init__()
        self.begun: list[BaseProcess] = []
        self.results: _Results | None = None

    def SimpleQueue(self) -> _Results:  # type: ignore[override]  # noqa: N802 - so called there
        """Return what results are sent back through."""
        self.results = _Results(self)
        return self.results

    def Process(self, *arguments: Any, **keywords: Any) -> BaseProcess:  # type: ignore[override]  # noqa: N802 - a class there
        """Return a process that is yet to begin."""
        process = SpawnProcess(*arguments, **keywords)
        self.begun.append(process)
        return process


class Processes(ProcessPoolExecutor):
    """Processes that end with this one, and leave Ctrl-C to it.

    As a context it waits for what is under way when its block ends well; when the block is left by an error or by
    Ctrl-C nobody wants that any more, and the processes end at once.

    Parameters
    ----------
    workers
        How many.
    meter
        Where they count the rows that they read.
    """

    def __init__(self, workers: int, meter: Shared | None = None) -> None:
        self._spawning = _Spawning()
        super().__init__(workers, self._spawning, initializer=_begin, initargs=(meter,))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        """End the processes, those that are at work too when an error is raised."""
        if kind is None:
            return super().__exit__(kind, error, trace)
        self.shutdown(wait=False, cancel_futures=True)  # what waits is given up before anything of it is found broken
        begun = [process for process in self._spawning.begun if process.pid is not None]
        for process in begun:
            process.kill()
        for process in begun:
            process.join()
        if self._spawning.results is not None:
            self._spawning.results.end()
        return None

    def submit(self, function: Callable[..., Result], /, *arguments: Any, **keywords: Any) -> Future[Result]:
        """Submit a job; a process that begins for it never hears of Ctrl-C, not while it imports either."""
        with _interrupts_wait():
            return super().submit(function, *arguments, **keywords)


@contextmanager
def _interrupts_wait() -> Iterator[None]:
    """Keep Ctrl-C from this thread for a moment; what begins meanwhile inherits that, and never hears of it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(meter: Shared | None) -> None:
    """Prepare a process: Ctrl-C is this one's parent's to hear, and without its parent it ends."""
    prepare_for_reports()
    prepare_for_limits()
    if meter is not None:
        use(meter)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
