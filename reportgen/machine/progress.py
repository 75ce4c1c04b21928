"""Show the progress of a run in one line: on a terminal from start to end, otherwise in a log.

Without a terminal (a nightly job, a build server), a line is written every half minute: a short run is silent, and a
long one does not look dead.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from contextlib import AbstractContextManager
from typing import TextIO

EVERY = 0.2  # seconds between updates of the line on a terminal

EVERY_IN_LOG = 30.0  # seconds between lines without a terminal

AT_LAST = "comparing ids and adding up"  # the usual last step, when all rows are read

MANY_SECONDS = 120  # above this, the remaining time is in minutes


class Silent(AbstractContextManager["Silent", None]):
    """Shows nothing, for quiet runs; otherwise the same as `Status`."""

    def __exit__(self, *_: object) -> None:
        return None

    def stage(self, what: str) -> None:
        """Set the current step."""

    def rows(self, done: int, total: int) -> None:
        """Set how many rows are read, of about how many."""

    def parts(self, what: str, done: int, total: int) -> None:
        """Set how many parts, such as reports, are finished, of how many."""

    def clear(self) -> None:
        """Make room for a message."""


class Status(Silent):
    """Shows progress on a terminal or in a log; a context manager that stops at its end.

    `at_last` is the step after all rows are read. A terminal only needs to support carriage returns.

    >>> import io
    >>> status = Status(io.StringIO())
    >>> status.stage("reading")
    >>> status.rows(30_000, 40_000)
    >>> status.line(status.began + 3)
    'reading: 30,000 of about 40,000 rows, 10,000 rows/s, 1 s left'
    >>> status.parts("reports", 100, 500)
    >>> status.parts("reports", 110, 500)
    >>> status.line(status.began + 5)
    'reports: 110 of 500, 3 min left'
    """

    def __init__(self, stream: TextIO, at_last: str = AT_LAST) -> None:
        self._stream, self._at_last, self.on_terminal = stream, at_last, stream.isatty()
        self._what, self._first, self._done, self._total, self._of_rows = "opening the scores", 0, 0, 0, False
        self.began = time.monotonic()
        self._ended, self._lock, self._shown = threading.Event(), threading.Lock(), 0
        self._thread = threading.Thread(target=self._show, daemon=True)
        self._warnings = _Above(self)

    def __enter__(self) -> Status:
        if self.on_terminal:
            logging.getLogger("reportgen").addHandler(self._warnings)
            self._look()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        logging.getLogger("reportgen").removeHandler(self._warnings)
        self._ended.set()
        self._thread.join()
        self.clear()

    def stage(self, what: str) -> None:
        """Set the current step."""
        self._begin(what, 0, 0)

    def rows(self, done: int, total: int) -> None:
        """Set how many rows are read, of about how many."""
        if done < self._done or not self._total:
            self._begin("reading", 0, total, of_rows=True)
        self._done, self._total = done, total

    def parts(self, what: str, done: int, total: int) -> None:
        """Set how many parts, such as reports, are finished, of how many; parts finished at the start took no time."""
        if what != self._what or not self._total:
            self._begin(what, done, total)
        self._done, self._total = done, total

    def line(self, now: float) -> str:
        """Return the line at a time of the monotonic clock."""
        seconds = now - self.began
        if not self._total:
            return f"{self._what} ... ({seconds:.0f} s elapsed)"
        text = f"{self._what}: {self._done:,} of {self._total:,}"
        if self._of_rows:
            text = f"{self._what}: {self._done:,} of about {self._total:,} rows"
        if self._done >= self._total:
            return f"{text}, {self._at_last}" if self._of_rows else text
        done = self._done - self._first
        if not done or seconds <= 0:
            return text
        rate = done / seconds
        speed = f", {rate:,.0f} rows/s" if self._of_rows else ""
        left = (self._total - self._done) / rate
        return f"{text}{speed}, {f'{left:.0f} s' if left < MANY_SECONDS else f'{left / 60:.0f} min'} left"

    def _begin(self, what: str, done: int, total: int, *, of_rows: bool = False) -> None:
        self._what, self._first, self._done, self._total, self._of_rows = what, done, done, total, of_rows
        self.began = time.monotonic()
        if self.on_terminal:
            self._look()

    def clear(self) -> None:
        """Remove the line from a terminal; it will reappear."""
        with self._lock:
            self._write("")

    def say(self, sentence: str) -> None:
        """Write a message above the line."""
        with self._lock:
            self._write("")
            self._stream.write(f"{sentence}\n")

    def _show(self) -> None:
        while not self._ended.wait(EVERY if self.on_terminal else EVERY_IN_LOG):
            self._look()

    def _look(self) -> None:
        with self._lock:
            line = self.line(time.monotonic())
            if self.on_terminal:
                self._write(line)
            else:
                self._stream.write(f"{line}\n")
                self._stream.flush()

    def _write(self, text: str) -> None:
        text = text[: self._width() - 1]
        left = max(self._shown - len(text), 0)
        if text or left:
            self._stream.write("\r" + text + " " * left + ("\r" if not text else ""))
            self._stream.flush()
        self._shown = len(text)

    def _width(self) -> int:
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or 80
        except (OSError, ValueError):
            return 80


def shown(*, quiet: bool, at_last: str = AT_LAST) -> Silent:
    """Return the progress display: on the terminal, or in the log."""
    if quiet or sys.stderr is None:  # a program without a console has no stderr
        return Silent()
    return Status(sys.stderr, at_last)


class _Above(logging.Handler):
    """Writes warnings above the line."""

    def __init__(self, status: Status) -> None:
        super().__init__(logging.WARNING)
        self._status = status

    def emit(self, record: logging.LogRecord) -> None:
        self._status.say(record.getMessage())
