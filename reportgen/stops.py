"""Signals that ask a run to stop: it cleans up as after an error, and leaves with 128 + the signal's number."""

from __future__ import annotations

import signal
from types import FrameType

STOPS = ("SIGTERM", "SIGHUP")
"""Names of the signals, where the system has them; Ctrl-C is Python's own `KeyboardInterrupt`."""


class Stopped(KeyboardInterrupt):
    """A signal has asked the run to stop; like Ctrl-C it passes by what catches errors."""

    def __init__(self, number: int = signal.SIGINT) -> None:
        super().__init__(f"signal {number}")
        self.exit_code = 128 + number


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
