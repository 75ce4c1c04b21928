"""Signals that ask a run to stop: it cleans up as after an error, and leaves with 128 + the signal's number."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

STOPS = ("SIGTERM", "SIGHUP")
"""Names of the signals, where the system has them; Ctrl-C is Python's own `KeyboardInterrupt`."""


class Stopped(KeyboardInterrupt):
    """A signal has asked the run to stop; like Ctrl-C it passes by what catches errors."""

    def __init__(self, number: int = signal.SIGINT, done: str = "") -> None:
        super().__init__(f"signal {number}")
        self.exit_code = 128 + number
        self.done = done
        """What was done all the same, because the signal came when it could not be undone any more."""


def stop_cleanly() -> None:
    """Let the signals of `STOPS` raise `Stopped` in the main thread; those that are ignored stay so (nohup)."""
    for name in STOPS:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop)


def _stop(number: int, _: FrameType | None) -> None:
    """Raise `Stopped`; the same signal again ends the process at once."""
    signal.signal(number, signal.SIG_DFL)
    raise Stopped(number)


@contextmanager
def late_stops(done: str) -> Iterator[None]:
    """Put signals off until the block ends, which takes milliseconds; `done` says what it has done by then.

    Raises
    ------
    Stopped
        A signal came meanwhile.
    """
    if threading.current_thread() is not threading.main_thread():  # signals come to the main thread alone
        yield
        return
    came: list[int] = []
    before = {}
    for name in ("SIGINT", *STOPS):
        number = getattr(signal, name, None)
        if number is not None and callable(signal.getsignal(number)):
            before[number] = signal.signal(number, lambda number, _: came.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            with suppress(TypeError):  # it was not set from Python
                signal.signal(number, handler)
    if came:
        raise Stopped(came[0], done)
