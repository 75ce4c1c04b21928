"""How much memory a run may take: 2 GB, or what is asked for; what needs more is refused before it is taken.

Whoever is about to take much says how much in `refuse_above`.
"""

from __future__ import annotations

import math
import os

from reportgen.errors import InputError, SettingsError

GIGABYTE = 1e9

FEW = 2.0
"""Gigabytes that nobody has to ask for."""

VARIABLE = "REPORTGEN_MEMORY"
"""What ``--memory`` sets: an environment variable, which processes that begin inherit."""


_OTHER_WORDS = (
    "failed to map segment",
    "annot allocate memory",
    "can't start new thread",
    "Failed to launch worker thread",
)
"""Words of other errors that a process gets when it may take no more memory."""


class NeedsMemoryError(InputError):
    """Something needs more memory than it may take."""


def allowed() -> float:
    """Return how many bytes a process of a run may take.

    Raises
    ------
    SettingsError
        The environment variable holds no number above 0.
    """
    said = os.environ.get(VARIABLE, "")
    try:
        gigabytes = float(said or FEW)
    except ValueError:
        gigabytes = math.nan
    if not 0 < gigabytes < math.inf:
        raise SettingsError(f"--memory, or {VARIABLE}: expected gigabytes above 0, as in 8, found {said[:40]!r}.")
    return gigabytes * GIGABYTE


def refuse_above(needed: float, what: str, instead: str = "") -> None:
    """Raise when something needs more memory than a process may take.

    Parameters
    ----------
    needed
        About how many bytes.
    what
        What needs them, with its verb.
    instead
        What else can be done, as a clause.

    Raises
    ------
    NeedsMemoryError
        As said.

    Examples
    --------
    >>> refuse_above(5e9, "scores.xlsx needs", "save it as .csv")
    Traceback (most recent call last):
    ...
    reportgen.machine.memory.NeedsMemoryError: scores.xlsx needs about 5 GB of memory, above the 2 GB that ...
    """
    if needed > allowed():
        raise NeedsMemoryError(f"{what} about {_said(needed)} of memory, {_above()}; {_asking(needed, instead)}.")


def ran_out(error: BaseException) -> bool:
    """Return whether an error says that a process may take no more memory; Arrow's own are memory errors, too."""
    return isinstance(error, MemoryError) or any(words in str(error) for words in _OTHER_WORDS)


def pass_on(error: BaseException) -> None:
    """Raise an error again that says that memory ran out, before a file is blamed for it."""
    if ran_out(error):
        raise error


def sentence() -> str:
    """Return the sentence for memory that ran out although nobody foresaw it."""
    return f"more memory is needed than there is, or than the {_said(allowed())} that a run may take; {_asking()}."


def _said(size: float) -> str:
    """Return bytes in words."""
    gigabytes = size / GIGABYTE
    return f"{gigabytes:,.0f} GB" if gigabytes >= 10 else f"{gigabytes:.2g} GB"


def _above() -> str:
    return f"above the {_said(allowed())} that a run may take"


def _asking(needed: float = 0.0, instead: str = "") -> str:
    """Return what to type for more."""
    gigabytes = math.ceil(max(1.2 * needed, 2 * allowed()) / GIGABYTE)
    more = f"allow more with --memory {gigabytes} (from Python {VARIABLE}={gigabytes})"
    return f"{instead}, or {more}" if instead else more
