"""How many rows are read so far, told while processes read them: a number in memory that they share.

A process that reads calls `advance`; whoever waits looks at the meter a few times a second.  Nobody waits for it, and
nothing that is counted depends on it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

EVERY = 0.2
"""Seconds between two looks."""


class Here:
    """Rows read in this process."""

    value = 0

    def add(self, rows: int) -> None:
        """Take note of rows that are read."""
        self.value += rows


class Shared:
    """Rows read in several processes, which get it when they begin."""

    def __init__(self) -> None:
        import multiprocessing

        self._rows: Any = multiprocessing.get_context("spawn").Value("q", 0)

    @property
    def value(self) -> int:
        """Rows that are read so far."""
        return int(self._rows.value)

    def add(self, rows: int) -> None:
        """Take note of rows that are read."""
        with self._rows.get_lock():
            self._rows.value += rows


Meter = Here | Shared

_meter: Meter = Here()


def use(meter: Meter) -> None:
    """Let the rows that this process reads be counted there from now on."""
    global _meter
    _meter = meter


def own_meter() -> Meter:
    """Return the meter of this process."""
    return _meter


def advance(rows: int) -> None:
    """Take note of rows that are read."""
    _meter.add(rows)


@contextmanager
def told(meter: Meter, tell: Callable[[int], None]) -> Iterator[None]:
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
