"""Work done ahead by threads, its results in order: what numpy and Arrow do without Python's lock goes on at once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

AHEAD = 4
"""Items that are taken before the first of them is asked for: enough that a few threads are never idle."""


def ahead(
    threads: ThreadPoolExecutor | None, function: Callable[[Item], Result], items: Iterable[Item]
) -> Iterator[Result]:
    """Yield the function of every item, in their order; a few are worked on at a time.

    Parameters
    ----------
    threads
        Who works; None for the thread that asks.

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
            if len(waiting) > AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()
