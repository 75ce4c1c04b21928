"""Share jobs among processes and threads; a worker crash loses no job."""

import multiprocessing
import os
import signal
import threading
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Any, TypeVar

from reportgen.machine.memory import prepare_for_limits, prepare_for_reports

Item = TypeVar("Item")
Result = TypeVar("Result")

Lost = Callable[[int, BaseException], Result]  # receives the index of an item and the error; returns its result

AHEAD = 2  # waiting jobs per process: enough to keep all busy, few enough for their data to fit in memory


def each(
    function: Callable[[Item], Result],
    items: Sequence[Callable[[], Item]],
    lost: Lost[Result],
    workers: int = 1,
    executor: Executor | None = None,
    hands: int | None = None,
) -> Generator[Result, None, None]:
    """Yield the result of the function for every item, as results arrive.

    Close it (`contextlib.closing`) if processing a result can raise, so that running processes end.

    function, items: The function and its items; an item is created when a process is about to take it.
    lost: The result for an item whose process ended, twice, without a result, or whose executor gave it up.
    workers: Number of new processes; 1 does everything in this one.
    executor: Any executor instead of new processes; its own rules apply to crashed processes.
    hands: Number of jobs that an executor runs at a time. Default: the processors of this machine.
    """
    if executor is None and workers == 1:
        yield from (function(item()) for item in items)
        return
    taken: list[int] = []
    if executor is None:
        with Processes(min(workers, len(items)) or 1) as pool:
            for place, future in _futures(pool, function, items, AHEAD * workers):
                if isinstance(future.exception(), BrokenExecutor):
                    taken.append(place)
                else:
                    yield future.result()
    else:
        for place, future in _futures(executor, function, items, AHEAD * (hands or os.cpu_count() or 1)):
            error = future.exception()
            yield future.result() if error is None else lost(place, error)
    for place in sorted(taken):  # jobs of a crashed process are repeated at the end, one at a time
        with Processes(1) as alone:
            try:
                result = alone.submit(function, items[place]()).result()
            except BrokenExecutor as broken:
                result = lost(place, broken)
        yield result


def _futures(
    executor: Executor, function: Callable[[Item], Result], items: Iterable[Callable[[], Item]], window: int
) -> Iterator[tuple[int, Future[Result]]]:
    waiting: dict[Future[Result], int] = {}
    try:
        for place, item in enumerate(items):
            waiting[executor.submit(function, item())] = place
            while len(waiting) >= window:
                yield from _done(waiting)
        while waiting:
            yield from _done(waiting)
    finally:
        for future in waiting:
            future.cancel()


def _done(waiting: dict[Future[Result], int]) -> Iterator[tuple[int, Future[Result]]]:
    for future in wait(waiting, return_when=FIRST_COMPLETED).done:
        yield waiting.pop(future), future


class Processes(Executor):
    """So many processes that end with this one, and leave Ctrl-C to it.

    Each process has a thread that sends it a job, waits for what comes back, and begins another process when it ended:
    its job alone fails then, with `BrokenProcessPool`.

    As a context it waits for what is under way when its block ends well; when the block is left by an error or by
    Ctrl-C nobody wants that any more, and the processes end at once.
    """

    def __init__(self, workers: int) -> None:
        self._threads = ThreadPoolExecutor(workers, initializer=_leave_interrupts)
        self._own = threading.local()
        self._beginning = threading.Lock()
        self._begun: list[tuple[BaseProcess, Connection]] = []
        self._given_up = False

    def submit(self, function: Callable[..., Result], /, *arguments: Any, **keywords: Any) -> Future[Result]:
        """Return the future of a job."""
        return self._threads.submit(self._done, partial(function, *arguments, **keywords))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002 - it always waits
        """End the processes after their running jobs."""
        self._threads.shutdown(cancel_futures=cancel_futures)
        for _, line in self._begun:
            line.close()
        for process, _ in self._begun:
            process.join()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the processes, including busy ones if an error was raised."""
        if kind is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)
            with self._beginning:
                self._given_up = True
                for process, _ in self._begun:
                    process.kill()
        self.shutdown()

    def _done(self, job: Callable[[], Result]) -> Result:
        line = self._line()
        try:
            line.send(job)
            returned, found = line.recv()
        except (EOFError, OSError) as error:
            self._own.line = None
            raise BrokenProcessPool("the process of a job ended") from error
        if not returned:
            raise found
        result: Result = found
        return result

    def _line(self) -> Connection:
        """Return the connection to this thread's process, starting it if necessary."""
        line: Connection | None = getattr(self._own, "line", None)
        if line is None:
            context = multiprocessing.get_context("spawn")
            with self._beginning:
                if self._given_up:
                    raise BrokenProcessPool("nobody wants the result")
                line, theirs = context.Pipe()
                process = context.Process(target=_work, args=(theirs,))
                process.start()
                self._begun.append((process, line))
            theirs.close()  # only the process keeps it open, so that its end is noticed
            self._own.line = line
        return line


def _leave_interrupts() -> None:
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def _work(line: Connection) -> None:
    _begin()
    while True:
        try:
            job = line.recv()
        except EOFError:
            return
        answer: tuple[bool, Any]
        try:
            answer = True, job()
        except BaseException as error:  # noqa: BLE001 - sent to the caller
            error.add_note(traceback.format_exc())
            answer = False, error
        del job
        try:
            line.send(answer)
        except OSError:  # the parent is gone
            return
        except Exception as error:  # noqa: BLE001 - the answer cannot be sent
            line.send((False, error))
        del answer


def _begin() -> None:
    """Prepare a process: it ignores Ctrl-C, which the parent handles, and ends with its parent."""
    prepare_for_reports()
    prepare_for_limits()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


ITEMS_AHEAD = 4  # items taken in advance: enough to keep a few threads busy


def ahead(threads: Executor | None, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """Yield the function of every item, in their order; a few are worked on at a time.

    `threads`: Who works; None for the thread that asks.

    >>> with ThreadPoolExecutor(2) as threads:
    ...     list(ahead(threads, str.upper, "abc"))
    ['A', 'B', 'C']
    """
    if threads is None:
        yield from map(function, items)
        return
    waiting: deque[Future[Result]] = deque()
    try:
        for item in items:
            waiting.append(threads.submit(function, item))
            if len(waiting) > ITEMS_AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()
