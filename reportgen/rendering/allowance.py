"""How long the templates of one report may take together: a loop of a user's template must not hang a run."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from reportgen.errors import TemplateError

MOST_SECONDS = 60.0
"""Seconds of a processor that the templates of a report may take; those of a long report take two."""

LEAST = 1e-6
"""A timer of 0 seconds would never end."""


class Allowance:
    """Seconds of a processor that are left to the templates of one report.

    They are counted in the main thread of systems that count them (not on Windows); elsewhere nothing is bounded.

    Examples
    --------
    >>> allowance = Allowance(0.01)
    >>> with allowance.of("html/table.html.j2"):
    ...     while True:
    ...         pass
    Traceback (most recent call last):
    ...
    reportgen.errors.TemplateError: template html/table.html.j2: templates have taken 0.01 seconds, the most ...
    """

    def __init__(self, seconds: float = MOST_SECONDS) -> None:
        self._most, self._left = seconds, seconds

    @contextmanager
    def of(self, name: str) -> Iterator[None]:
        """Run the block in what is left; `name` is the template that it fills.

        Raises
        ------
        TemplateError
            Nothing is left.
        """
        if not _can_count() or signal.getitimer(signal.ITIMER_VIRTUAL)[0]:
            yield
            return

        def end(_: int, __: FrameType | None) -> None:
            raise TemplateError(
                f"template {name}: templates have taken {self._most:g} seconds, the most that they may in one report; "
                "look for a loop in them that goes on."
            )

        before = signal.signal(signal.SIGVTALRM, end)
        begin = time.process_time()
        signal.setitimer(signal.ITIMER_VIRTUAL, max(self._left, LEAST))
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
            signal.signal(signal.SIGVTALRM, before)
            self._left -= time.process_time() - begin  # what the timer has left is counted too coarsely


def _can_count() -> bool:
    """Return whether signals can end a block of this thread."""
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
