"""What other installed packages offer: looked up once a process, because looking costs milliseconds."""

from __future__ import annotations

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
