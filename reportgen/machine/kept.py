"""What takes long to make and is always the same, compiled templates and cut fonts: kept in the user's cache folder.

The folder is ``$REPORTGEN_CACHE``, else ``reportgen`` in ``$XDG_CACHE_HOME`` or ``~/.cache`` (``%LOCALAPPDATA%`` on
Windows).  It holds nothing of the data.  An empty ``REPORTGEN_CACHE`` keeps nothing; nor is anything kept in, or taken
from, a folder that others can write.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

MOST = 400
"""Files that are kept at most; templates of one version and the fonts of its pages are about 150."""

NOWHERE = Path(os.devnull)
"""In the place of a folder where nothing is kept."""


def kept(what: str, about: bytes, make: Callable[[], bytes]) -> bytes:
    """Return what `make` gives for `about`, from the file in which it is kept, if there is one.

    Parameters
    ----------
    what
        A plain word for the kind of thing, which begins the name of the file.
    about
        Everything that the result depends on; another text is another file.
    make
        Makes it.
    """
    path = _folder() / f"{what}-{hashlib.sha256(about).hexdigest()[:32]}"
    if (found := read(path)) is not None:
        return found
    made = make()
    keep(path, made)
    return made


def read(path: Path) -> bytes | None:
    """Return what is kept in a file; None where there is none, or others could have written it."""
    with suppress(OSError):
        return path.read_bytes() if _is_own(path.parent) else None
    return None


def keep(path: Path, content: bytes) -> None:
    """Write a file whole or not at all; nothing happens where that is not wanted or not possible."""
    if not _is_own(path.parent):
        return
    with suppress(OSError):
        if sum(1 for _ in path.parent.iterdir()) >= MOST:
            return
        handle, written = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(written).replace(path)


def place(what: str, key: str) -> Path:
    """Return where something is kept under a name of its own."""
    return _folder() / f"{what}-{hashlib.sha256(key.encode()).hexdigest()[:32]}"


@cache
def _folder() -> Path:
    named = os.environ.get("REPORTGEN_CACHE")
    if named is not None:
        return Path(named).absolute() if named else NOWHERE
    home = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or "~/.cache"
    with suppress(RuntimeError):  # nobody's home
        return Path(home).expanduser().absolute() / "reportgen"
    return NOWHERE


@cache
def _is_own(folder: Path) -> bool:
    """Return whether a folder is there, or can be made, and nobody else can write it."""
    if folder == NOWHERE:
        return False
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        about = folder.stat()
        return os.name == "nt" or (about.st_uid == os.getuid() and not about.st_mode & 0o022)
    return False
