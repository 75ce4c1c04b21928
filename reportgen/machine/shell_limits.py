"""Limits on the memory of a process (`ulimit -v`, `ulimit -d`): what would hang without room is loaded while there is.

The linear algebra of numpy and of scipy (OpenBLAS) asks for its memory when it is loaded and first used, and asks for
ever, or ends the process, where there is none.
"""

from __future__ import annotations

import os

from reportgen.machine.memory import GIGABYTE, NeedsMemoryError

LEAST = {"RLIMIT_AS": (1.2, "v"), "RLIMIT_DATA": (0.5, "d")}
"""Limit -> gigabytes that a small report with its PDF needs, and the letter of `ulimit` that sets it."""

THREADS = ("OMP_NUM_THREADS", "ARROW_IO_THREADS")
"""Variables that say how many threads Arrow begins; each reserves 70 MB of addresses."""

SIDE = 64
"""Rows of matrices that are multiplied by OpenBLAS, and not by simpler code for small ones."""


def prepare_for_limits() -> None:
    """Where this process may not take memory as it likes, begin few threads, and get linear algebra its memory at once.

    Raises
    ------
    NeedsMemoryError
        It may take less than a small report needs.
    """
    limited = False
    for name, (least, letter) in LEAST.items():
        limit = _limit(name)
        if limit is None:
            continue
        limited = True
        if limit < least * GIGABYTE:
            raise NeedsMemoryError(
                f"this process may take {limit / GIGABYTE:.2g} GB of memory (ulimit -{letter}), and a report with its "
                f"pages needs {least:g} GB at least; type: ulimit -{letter} unlimited"
            )
    if limited:
        for variable in THREADS:
            os.environ.setdefault(variable, "1")
        _use_linear_algebra()


def _use_linear_algebra() -> None:
    """Load the linear algebra of numpy and of scipy, and multiply with both."""
    import numpy as np
    from scipy.linalg.blas import dgemm

    ones, twos = np.ones((SIDE, SIDE)), np.full((SIDE, SIDE), 2.0)
    np.dot(ones, twos)
    dgemm(1.0, ones, twos)


def _limit(name: str) -> int | None:
    """Return how many bytes a limit allows; None where there is none."""
    if os.name != "posix":
        return None
    import resource

    soft = resource.getrlimit(getattr(resource, name))[0]
    return None if soft == resource.RLIM_INFINITY else soft
