"""One line in the terminal that says what a run is doing: there from the first moment, and gone in the end."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from types import TracebackType
from typing import TextIO

EVERY = 0.2
"""Seconds between two looks of the line."""


class Silent:
    """Where there is no terminal, nothing is shown; as `Status` otherwise."""

    def __enter__(self) -> Silent:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def stage(self, what: str) -> None:
        """Take note of what is being done now."""

    def rows(self, done: int, total: int) -> None:
        """Take note of how many rows are read, of about how many."""

    def clear(self) -> None:
        """Make room for a sentence."""


class Status(Silent):
    """The line; a context that takes it away in the end.

    It needs nothing of the terminal but that a carriage return begins the line anew.

    Parameters
    ----------
    stream
        The terminal.
    at_last
        What is done when all rows are read.

    Examples
    --------
    >>> import io
    >>> status = Status(io.StringIO())
    >>> status.stage("reading")
    >>> status.rows(30_000, 40_000)
    >>> status.line(status.began + 3)
    'reading: 30,000 of about 40,000 rows, 10,000 rows/s, 1 s left'
    """

    def __init__(self, stream: TextIO, at_last: str = "comparing ids and adding up") -> None:
        self._stream, self._at_last = stream, at_last
        self._what, self._done, self._total, self._shown = "opening the scores", 0, 0, 0
        self.began = time.monotonic()
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._show, daemon=True)
        self._warnings = _Above(self)

    def __enter__(self) -> Status:
        logging.getLogger("reportgen").addHandler(self._warnings)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        logging.getLogger("reportgen").removeHandler(self._warnings)
        self._ended.set()
        self._thread.join()
        self.clear()

    def stage(self, what: str) -> None:
        """Say what is being done now."""
        self._begin(what, 0, 0)

    def rows(self, done: int, total: int) -> None:
        """Say how many rows are read, of about how many."""
        if done < self._done or not self._total:
            self._begin("reading", done, total)
        self._done, self._total = done, total

    def clear(self) -> None:
        """Take the line away; it comes again."""
        with self._lock:
            self._write("")

    def say(self, sentence: str) -> None:
        """Write a sentence above the line."""
        with self._lock:
            self._write("")
            self._stream.write(f"{sentence}\n")

    def line(self, now: float) -> str:
        """Return what the line says at a time of the monotonic clock."""
        seconds = now - self.began
        if not self._total:
            return f"{self._what} ... {seconds:.0f} s"
        told = f"{self._what}: {self._done:,} of about {self._total:,} rows"
        if self._done >= self._total:
            return f"{told}, {self._at_last}"
        if not self._done or seconds <= 0:
            return told
        rate = self._done / seconds
        return f"{told}, {rate:,.0f} rows/s, {(self._total - self._done) / rate:.0f} s left"

    def _begin(self, what: str, done: int, total: int) -> None:
        """Begin with something else, and say so at once."""
        self._what, self._done, self._total, self.began = what, done, total, time.monotonic()
        self._look()

    def _look(self) -> None:
        """Write the line."""
        with self._lock:
            self._write(self.line(time.monotonic()))

    def _show(self) -> None:
        """Write the line again and again."""
        self._look()
        while not self._ended.wait(EVERY):
            self._look()

    def _write(self, text: str) -> None:
        """Put text in the place of what is shown."""
        text = text[: self._width() - 1]
        left = max(self._shown - len(text), 0)
        if text or left:
            self._stream.write("\r" + text + " " * left + ("\r" if not text else ""))
            self._stream.flush()
        self._shown = len(text)

    def _width(self) -> int:
        """Return how many letters a line of the terminal holds."""
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or 80
        except (OSError, ValueError):
            return 80


def shown(*, quiet: bool, at_last: str = "comparing ids and adding up") -> Silent:
    """Return what says what a run is doing; where there is no terminal, or silence is asked for, nothing."""
    return Silent() if quiet or not sys.stderr.isatty() else Status(sys.stderr, at_last)


class _Above(logging.Handler):
    """Says warnings above the line, not on it."""

    def __init__(self, status: Status) -> None:
        super().__init__(logging.WARNING)
        self._status = status

    def emit(self, record: logging.LogRecord) -> None:
        """Say a warning."""
        self._status.say(record.getMessage())
