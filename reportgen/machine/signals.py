"""Handle signals that stop a run: it cleans up as after an error, and exits with 128 + the signal number."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

STOPS = ("SIGTERM", "SIGHUP")
"""Names of the signals, if the system has them; Ctrl-C is Python's own `KeyboardInterrupt`."""


class Stopped(KeyboardInterrupt):
    """A signal stopped the run; like Ctrl-C, it bypasses handlers of ordinary errors."""

    def __init__(self, number: int = signal.SIGINT, done: str = "") -> None:
        super().__init__(f"signal {number}")
        self.exit_code = 128 + number
        self.done = done  # work that was finished anyway, because the signal came too late to undo it


def stop_cleanly() -> None:
    """Make stop signals raise in the main thread, except ignored ones (nohup); only for a process of reportgen."""
    for name in ("SIGINT", *STOPS):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop)


_late: list[list[int]] = []  # the signals that arrived during each block that defers them


def _stop(number: int, frame: FrameType | None) -> None:
    """Raise `Stopped`, unless signals are deferred; a second signal of the same kind ends the process at once."""
    if _late:
        _late[-1].append(number)
        return
    if number == signal.SIGINT:
        signal.default_int_handler(number, frame)
    signal.signal(number, signal.SIG_DFL)
    raise Stopped(number)


@contextmanager
def late_stops(done: str) -> Iterator[None]:
    """Defer signals until a short block ends that has `done` something; raises Stopped if one arrived."""
    if threading.current_thread() is not threading.main_thread():  # only the main thread receives signals
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
