"""What lies in the folder of a report that somebody else may have made: ordinary files alone, never behind a link."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path, PurePosixPath

from reportgen.errors import InputError
from reportgen.storing.asides import is_own
from reportgen.storing.handles import Handle

_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
"""A pipe that is put there meanwhile is not waited for."""


def place_of(name: str) -> PurePosixPath:
    """Return the place of a file in the folder of a report, from its name.

    Raises
    ------
    ValueError
        No file of a report can have it: it is no plain path, is hidden, or has another ending.

    Examples
    --------
    >>> str(place_of("tables/by_group.csv"))
    'tables/by_group.csv'
    """
    place = PurePosixPath(name)
    if str(place) != name or not is_own(place):
        raise ValueError(name)
    return place


@contextmanager
def opened(folder: Path, place: PurePosixPath) -> Iterator[BufferedReader | None]:
    """Yield a file of a folder, open to read; None where nothing stands.

    Raises
    ------
    InputError
        It is a link, or lies behind one, or is no ordinary file, or cannot be read.
    """
    try:
        with Handle.open(folder) as home, home.holding(place) as parent:
            found = parent.look(place.name)
            if found is not None and not stat.S_ISREG(found.st_mode):
                raise InputError(f"'{folder / place}' is no ordinary file; put the file itself there.")
            descriptor = None if found is None else parent.file(place.name, _FLAGS)
    except FileNotFoundError:
        descriptor = None
    except OSError as error:
        raise InputError(f"'{folder / place}' cannot be read: {error.strerror or error}.") from None
    if descriptor is None:
        yield None
        return
    with os.fdopen(descriptor, "rb") as file:
        yield file


def sha256_at(folder: Path, place: PurePosixPath) -> str | None:
    """Return the SHA-256 of a file of a folder; None where nothing stands. Errors are those of `opened`."""
    with opened(folder, place) as file:
        return None if file is None else hashlib.file_digest(file, "sha256").hexdigest()


def content_at(folder: Path, place: PurePosixPath, most: int | None = None) -> bytes | None:
    """Return what a file of a folder holds; None where nothing stands.

    Raises
    ------
    InputError
        As for `opened`; or it holds more than `most` bytes.
    """
    with opened(folder, place) as file:
        if file is None:
            return None
        found = file.read() if most is None else file.read(most + 1)
    if most is not None and len(found) > most:
        raise InputError(f"'{folder / place}' is larger than {most:,} bytes; is it another file?")
    return found
