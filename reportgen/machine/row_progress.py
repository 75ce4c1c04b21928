"""How many rows are read so far, told while threads read them.

Who reads calls `advance`; whoever waits looks at the meter a few times a second.  Nobody waits for it, and nothing that
is counted depends on it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

EVERY = 0.2
"""Seconds between two looks."""


class Here:
    """Rows read in this process."""

    value = 0

    def add(self, rows: int) -> None:
        """Take note of rows that are read."""
        self.value += rows


_meter = Here()


def own_meter() -> Here:
    """Return the meter of this process."""
    return _meter


def advance(rows: int) -> None:
    """Take note of rows that are read."""
    _meter.add(rows)


@contextmanager
def told(meter: Here, tell: Callable[[int], None]) -> Iterator[None]:
    """Tell how many rows have been read since the block began, again and again while it lasts."""
    begin, ended = meter.value, threading.Event()

    def watch() -> None:
        while not ended.wait(EVERY):
            tell(meter.value - begin)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
