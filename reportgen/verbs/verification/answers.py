"""An answer to the question whether something belongs to a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from reportgen.errors import shortened
from reportgen.storing.differences import Difference

Standing = Literal["belongs", "differs", "cannot be told"]


@dataclass(frozen=True)
class Answer:
    """Whether something belongs to a report.

    Parameters
    ----------
    about
        What: a file, or "numbers".
    standing
        The answer.
    why
        The reason for it, in a sentence without its stop.
    """

    about: str
    standing: Standing
    why: str


def compared(about: str, found: Sequence[Difference], same: str, other_versions: str) -> Answer:
    """Return whether something is as it was made again.

    Parameters
    ----------
    found
        Where the stored one and the one made now differ.
    same
        What is said where they do not.
    other_versions
        Which programs made the stored one in another version than they are here; differences may come from that.
    """
    if not found:
        return Answer(about, "belongs", same)
    first, places = found[0], f"{len(found):,} place{'s' if len(found) > 1 else ''}"
    said = f"{shortened(first.place.strip('.'), 90)} is {_said(first.old)} and should be {_said(first.new)}"
    if other_versions:
        return Answer(about, "cannot be told", f"{places} differ, but it was made by {other_versions}; first: {said}")
    return Answer(about, "differs", f"{said}" + (f"; first of {places}" if len(found) > 1 else ""))


def _said(value: object) -> str:
    """Return a value of a file, as a line can show it."""
    return "absent" if value is None else shortened(repr(value), 40)
