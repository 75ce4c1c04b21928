"""Signals that ask a run to stop: it cleans up as after an error, and leaves with 128 + the signal's number."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
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
    """Let signals that ask this process to stop raise in its main thread; those that are ignored stay so (nohup).

    Only a process whose signals are reportgen's own calls it.
    """
    for name in ("SIGINT", *STOPS):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop)


_late: list[list[int]] = []  # the signals that came during each block that puts them off


def _stop(number: int, frame: FrameType | None) -> None:
    """Raise `Stopped`, unless signals are put off; the same signal again ends the process at once."""
    if _late:
        _late[-1].append(number)
        return
    if number == signal.SIGINT:
        signal.default_int_handler(number, frame)
    signal.signal(number, signal.SIG_DFL)
    raise Stopped(number)


@contextmanager
def late_stops(done: str) -> Iterator[None]:
    """Put signals off that `stop_cleanly` handles until the block ends, which takes milliseconds.

    `done` is what the block has done by then. Raises Stopped: A signal came meanwhile.
    """
    if threading.current_thread() is not threading.main_thread():  # signals come to the main thread alone
        yield
        return
    came: list[int] = []
    _late.append(came)
    try:
        yield
    finally:
        _late.remove(came)
    if came:
        raise Stopped(came[0], done)
