"""Jobs shared by processes and threads: as many at a time as there are hands, and none lost when a process ends."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any, TypeVar

from reportgen.machine.memory import prepare_for_limits, prepare_for_reports

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
) -> Generator[Result, None, None]:
    """Yield the function of every item, as they come.

    Close it (`contextlib.closing`) where what is done with a result may raise: processes that are under way end then.

    An item is made when a process is about to take it. `lost` makes the result of one whose process ended, twice, or
    whose executor gave it up. One of the `workers` alone is this process. `executor` is any other one, whose own rules
    hold for processes that end; it does `hands` jobs at a time, or as many as this machine has processors.
    """
    if executor is not None:
        window = AHEAD * (hands or os.cpu_count() or 1)
        for place, future in _futures(executor, function, items, window):
            error = future.exception()
            yield future.result() if error is None else lost(place, error)
    elif workers == 1:
        for item in items:
            yield function(item())
    else:
        yield from _own_processes(function, items, lost, workers)


def _own_processes(
    function: Callable[[Item], Result], items: Sequence[Callable[[], Item]], lost: Lost[Result], workers: int
) -> Iterator[Result]:
    """Yield results from processes; what was under way when one of them ended is done again in the end, alone."""
    taken: list[int] = []
    with Processes(min(workers, len(items)) or 1) as pool:
        for place, future in _futures(pool, function, items, AHEAD * workers):
            if isinstance(future.exception(), BrokenExecutor):
                taken.append(place)
            else:
                yield future.result()
    ended: dict[int, BaseException] = {}
    with Processes(1) as alone:
        for place in sorted(taken):
            try:
                yield alone.submit(function, items[place]()).result()
            except BrokenExecutor as error:
                ended[place] = error
    for place, reason in ended.items():
        yield lost(place, reason)


def _futures(
    executor: Executor, function: Callable[[Item], Result], items: Sequence[Callable[[], Item]], window: int
) -> Iterator[tuple[int, Future[Result]]]:
    """Yield the place of each item and its future, which is done; items are made as they are submitted, in order."""
    waiting: dict[Future[Result], int] = {}
    queue = iter(range(len(items)))
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


class Processes(Executor):
    """So many processes that end with this one, and leave Ctrl-C to it.

    When one of them ends, all that is under way fails with `BrokenProcessPool`, and others begin for what is submitted
    later.  As a context it waits for what is under way when its block ends well; when the block is left by an error or
    by Ctrl-C nobody wants that any more, and the processes end at once.
    """

    def __init__(self, workers: int) -> None:
        self._workers, self._context = workers, multiprocessing.get_context("spawn")
        self._line, self._held = self._context.Pipe(duplex=False)
        self._pool = self._begun()

    def _begun(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self._workers, self._context, _begin, (self._line,))

    def submit(self, function: Callable[..., Result], /, *arguments: Any, **keywords: Any) -> Future[Result]:
        """Return the future of a job."""
        with _without_interrupts():  # a process that begins never hears them while it imports
            try:
                return self._pool.submit(function, *arguments, **keywords)
            except BrokenExecutor:
                self._pool = self._begun()
                return self._pool.submit(function, *arguments, **keywords)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes when what is under way is done."""
        self._pool.shutdown(wait, cancel_futures=cancel_futures)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the processes, those that are at work too when an error is raised."""
        if kind is not None:
            self._held.close()
        self.shutdown(cancel_futures=kind is not None)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Put off Ctrl-C in this thread; threads and processes that begin meanwhile never hear it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(line: Connection) -> None:
    """Prepare a process: Ctrl-C is its parent's to hear, and it ends when nobody holds the other end of the line."""
    prepare_for_reports()
    prepare_for_limits()
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        with suppress(EOFError, OSError):
            line.recv()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


ITEMS_AHEAD = 4
"""Items that are taken before the first of them is asked for: enough that a few threads are never idle."""


def ahead(
    threads: ThreadPoolExecutor | None, function: Callable[[Item], Result], items: Iterable[Item]
) -> Iterator[Result]:
    """Yield the function of every item, in their order; a few are worked on at a time.

    `threads`: Who works; None for the thread that asks.

    Examples
    --------
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
