"""What other installed packages offer, and how a failure of theirs is written."""

import importlib.metadata
import sys
from functools import cache
from importlib.metadata import Distribution, EntryPoint
from typing import Any


def entry_points(group: str) -> tuple[EntryPoint, ...]:
    """Return the entry points of a group, of all packages on the import path as it is now."""
    return tuple(_all(tuple(sys.path)).select(group=group))


def distribution_of(entry: EntryPoint) -> str:
    """Return the distribution and version that an entry point comes from; nothing when that is not known."""
    return _named(entry.dist) if entry.dist is not None else ""


@cache
def version(name: str) -> str:
    """Return the version of a distribution, or "not installed"."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


@cache
def _all(_path: tuple[str, ...]) -> Any:
    return importlib.metadata.entry_points()


@cache
def _named(distribution: Distribution) -> str:
    return f"{distribution.name} {distribution.version}"


def told(problem: BaseException) -> str:
    """Return an exception's type and its own words, if it has any.

    Examples
    --------
    >>> told(ValueError("no scores")), told(SystemExit())
    ('ValueError: no scores', 'SystemExit')
    """
    try:
        words = str(problem)
    except Exception:  # noqa: BLE001 - even the words of a stranger's exception may fail
        words = "its message cannot be read"
    words = words.encode("utf-8", "replace").decode()  # half of a surrogate pair is in no file
    return f"{type(problem).__name__}: {words}" if words else type(problem).__name__
