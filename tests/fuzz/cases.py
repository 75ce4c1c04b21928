"""Define a case: a command line and its allowed effects."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fuzz.pieces import Draw
from fuzz.sound import Sound

DONE_OR_REFUSED = frozenset({0, 2})
WITH_SECTIONS = frozenset({0, 2, 3})
"""Sections or batch reports may fail, and the report shows it."""

HELD_AGAINST = frozenset({0, 1, 2})
"""A requirement may fail."""


@dataclass(frozen=True)
class Case:
    """Arguments of the command."""

    arguments: list[str]
    codes: frozenset[int] = DONE_OR_REFUSED
    """Exit codes that README.md lists for the command."""

    writes: tuple[str, ...] = ("out",)
    """Files and folders that the command may write."""

    names_asked: bool = False
    """Whether response names may appear: requested, or not recognizable as names."""


Kind = Callable[[Draw, Path, Sound], Case]
"""Function that writes hostile input to an empty folder and returns the case."""
