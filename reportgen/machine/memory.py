"""Limit the memory of a run to 2 GB or the requested amount, and refuse larger steps before they start.

Before a step takes much memory, it calls `refuse_above` with the estimate.
"""

import math
import os

from reportgen.errors import InputError, SettingsError

GIGABYTE = 1e9

FEW = 2.0  # gigabytes allowed by default

VARIABLE = "REPORTGEN_MEMORY"  # environment variable set by ``--memory``, which new processes inherit


_OTHER_WORDS = (
    "failed to map segment",
    "annot allocate memory",
    "can't start new thread",
    "Failed to launch worker thread",
)
"""Words in other errors of a process that runs out of memory."""


class NeedsMemoryError(InputError):
    """A step needs more memory than allowed."""


def allowed() -> float:
    """Return how many bytes a process of a run can use.

    Raises SettingsError: If the environment variable is not a number above 0.
    """
    said = os.environ.get(VARIABLE, "")
    try:
        gigabytes = float(said or FEW)
    except ValueError:
        gigabytes = math.nan
    if not 0 < gigabytes < math.inf:
        raise SettingsError(f"--memory or {VARIABLE}: expected gigabytes above 0, found {said[:40]!r}; try --memory 8.")
    return gigabytes * GIGABYTE


def refuse_above(needed: float, what: str, instead: str = "") -> None:
    """Raise if a step needs more memory than a process can use.

    `needed`: Estimated bytes. `what`: The subject and verb of the message. `instead`: An alternative, as a clause.
    Raises NeedsMemoryError.

    >>> refuse_above(5e9, "scores.xlsx requires", "save it as .csv")
    Traceback (most recent call last):
    ...
    reportgen.machine.memory.NeedsMemoryError: scores.xlsx requires about 5 GB of memory, above the limit of 2 GB; ...
    """
    if needed > allowed():
        above = f"above the limit of {_size(allowed())}"
        raise NeedsMemoryError(f"{what} about {_size(needed)} of memory, {above}; {_asking(needed, instead)}.")


def ran_out(error: BaseException) -> bool:
    """Return whether an error means that memory ran out, including Arrow's own memory errors."""
    return isinstance(error, MemoryError) or any(words in str(error) for words in _OTHER_WORDS)


def pass_on(error: BaseException) -> None:
    """Raise an out-of-memory error again before a file is blamed for it."""
    if ran_out(error):
        raise error


def sentence() -> str:
    """Return the message for memory that ran out unexpectedly."""
    return f"the run requires more memory than is available or than its limit of {_size(allowed())}; {_asking()}."


def _size(size: float) -> str:
    gigabytes = size / GIGABYTE
    return f"{gigabytes:,.0f} GB" if gigabytes >= 10 else f"{gigabytes:.2g} GB"


def _asking(needed: float = 0.0, instead: str = "") -> str:
    gigabytes = math.ceil(max(1.2 * needed, 2 * allowed()) / GIGABYTE)
    more = f"use --memory {gigabytes} (in Python, set {VARIABLE}={gigabytes})"
    return f"{instead}, or {more}" if instead else more


LEAST = {"RLIMIT_AS": (1.2, "v"), "RLIMIT_DATA": (0.5, "d")}
"""Gigabytes that a small report with its PDF needs, and the option of `ulimit`, by limit."""

THREADS = ("OMP_NUM_THREADS", "ARROW_IO_THREADS")
"""Variables that set how many threads Arrow starts; each reserves 70 MB of addresses."""

SIDE = 64  # rows of matrices that OpenBLAS multiplies with its full code, which smaller ones do not use


def prepare_for_limits() -> None:
    """If this process has a memory limit, start few threads, and reserve memory for linear algebra at once.

    OpenBLAS allocates memory when it is loaded and first used. If there is none, it retries forever or ends the
    process.

    Raises NeedsMemoryError: If the limit is below what a small report needs.
    """
    limited = False
    for name, (least, letter) in LEAST.items():
        limit = _limit(name)
        if limit is None:
            continue
        limited = True
        if limit < least * GIGABYTE:
            text = f"this process is limited to {limit / GIGABYTE:.2g} GB of memory (ulimit -{letter}), but a report "
            raise NeedsMemoryError(f"{text}requires at least {least:g} GB; run: ulimit -{letter} unlimited")
    if limited:
        for variable in THREADS:
            os.environ.setdefault(variable, "1")
        import numpy as np
        from scipy.linalg.blas import dgemm

        ones, twos = np.ones((SIDE, SIDE)), np.full((SIDE, SIDE), 2.0)
        np.dot(ones, twos)
        dgemm(1.0, ones, twos)


def _limit(name: str) -> int | None:
    """Return how many bytes a limit allows, or None without a limit."""
    if os.name != "posix":
        return None
    import resource

    soft = resource.getrlimit(getattr(resource, name))[0]
    return None if soft == resource.RLIM_INFINITY else soft


def prepare_for_reports() -> None:
    """Set what numpy and Arrow read from the environment when they are imported, unless it is set already.

    Threads of linear algebra would wait busily, since the matrices of a report are small, and Arrow's own allocator
    keeps memory that nothing uses.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
