"""Files of a report's folder that somebody else may have made: ordinary files alone, never behind a link."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path, PurePosixPath

from reportgen.errors import InputError


def place_of(name: str) -> PurePosixPath:
    """Return the place of a file in the folder of a report, from its name.

    Raises
    ------
    ValueError
        It is no plain relative path, or it is hidden.

    Examples
    --------
    >>> str(place_of("tables/by_group.csv"))
    'tables/by_group.csv'
    """
    place = PurePosixPath(name)
    if str(place) != name or not name.isprintable() or any(part[0] in "./" or "\\" in part for part in place.parts):
        raise ValueError(name)
    return place


def sha256_at(folder: Path, place: PurePosixPath) -> str | None:
    """Return the SHA-256 of a file of a folder; None where nothing stands. Errors are those of `content_at`."""
    content = content_at(folder, place)
    return None if content is None else hashlib.sha256(content).hexdigest()


def content_at(folder: Path, place: PurePosixPath, most: int | None = None) -> bytes | None:
    """Return what a file of a folder holds; None where nothing stands.

    Raises
    ------
    InputError
        It is a link, or lies behind one, or is no ordinary file, or cannot be read, or holds more than `most` bytes.
    """
    path = folder / place
    steps = [folder.joinpath(*place.parts[:number]) for number in range(1, len(place.parts) + 1)]
    try:
        if not os.path.lexists(path):
            return None
        if any(step.is_symlink() for step in steps) or not path.is_file():
            raise InputError(f"'{path}' is no ordinary file; put the file itself there.")
        with path.open("rb") as file:
            content = file.read() if most is None else file.read(most + 1)
    except OSError as error:
        raise InputError(f"'{path}' cannot be read: {error.strerror or error}.") from None
    if most is not None and len(content) > most:
        raise InputError(f"'{path}' is larger than {most:,} bytes; is it another file?")
    return content
