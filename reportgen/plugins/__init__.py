"""Find the entry points of installed packages, and describe their failures."""

import importlib.metadata
import sys
from functools import cache
from importlib.metadata import Distribution, EntryPoint
from typing import Any


def entry_points(group: str) -> tuple[EntryPoint, ...]:
    """Return the entry points of a group, from all packages that are now on the import path."""
    return tuple(_all(tuple(sys.path)).select(group=group))


def distribution_of(entry: EntryPoint) -> str:
    """Return the distribution and version of an entry point, or an empty string."""
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


def explain(problem: BaseException) -> str:
    """Return an exception's type and its message, if it has one.

    >>> explain(ValueError("no scores")), explain(SystemExit())
    ('ValueError: no scores', 'SystemExit')
    """
    try:
        words = str(problem)
    except Exception:  # noqa: BLE001 - even the words of a stranger's exception may fail
        words = "its message cannot be read"
    words = words.encode("utf-8", "replace").decode()  # half a surrogate pair cannot be written to a file
    return f"{type(problem).__name__}: {words}" if words else type(problem).__name__
