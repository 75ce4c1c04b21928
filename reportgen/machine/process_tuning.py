"""A process that makes reports and ends: what Python and its libraries prepare for longer lives is put off."""

from __future__ import annotations

import atexit
import gc
import os
import sys

OBJECTS = 500_000
"""New objects between two searches for circular garbage; a report of ten thousand responses makes half as many."""


def prepare_for_reports() -> None:
    """Spare this process work that costs more than it gains in the seconds a report takes.

    Threads of linear algebra wait busily, and matrices of a report are small; to search all objects for circles, which
    hold next to nothing here, takes a fifteenth of a report's time, and as much again when the process ends.  Arrow's
    own allocator holds memory ready that nobody asks for.  What the environment says already stays.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    gc.set_threshold(OBJECTS, 10, 10)
    atexit.register(_leave)


def _leave() -> None:
    """Let the process end without a last search for circles, but for a package that lists what it finds left."""
    if "duckdb" not in sys.modules:
        gc.freeze()
