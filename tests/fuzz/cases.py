"""One case: a command line, and what it may do."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fuzz.pieces import Draw
from fuzz.sound import Sound

DONE_OR_REFUSED = frozenset({0, 2})
WITH_SECTIONS = frozenset({0, 2, 3})
"""Sections, or reports of a batch, may fail, and the report says so."""

HELD_AGAINST = frozenset({0, 1, 2})
"""A criterion may not be met."""


@dataclass(frozen=True)
class Case:
    """What is typed in a folder of hostile input."""

    arguments: list[str]
    codes: frozenset[int] = DONE_OR_REFUSED
    """Exit codes that README.md lists for such a command."""

    writes: tuple[str, ...] = ("out",)
    """Files and folders that it may write."""

    names_asked: bool = False
    """Whether names of responses may be shown: the user asked for them, or the input no longer says what they are."""


Kind = Callable[[Draw, Path, Sound], Case]
"""Writes hostile input into an empty folder, and returns the case."""
