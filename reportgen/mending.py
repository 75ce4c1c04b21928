"""What a killed run left in the middle of replacing a report: undone, so that the earlier report stands again.

A run holds a lock on a file beside the files it makes, for as long as it lives.  Before it moves anything it writes
there what it is about to put where.  A later run that finds such a file unlocked knows that its run is gone, takes
back what had come in, puts back what had been set aside, and removes the rest.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from shutil import rmtree

PREFIX = ".reportgen-"
"""What the name of a folder begins with in which files are made and set aside."""

NEW, OLD, RUN = "new", "old", "run"
"""What is in it: files that are made, files that are set aside, and the file that tells of the run."""


@contextmanager
def marked(aside: Path) -> Iterator[None]:
    """Mark the folder of a run as one that is alive, until the block ends."""
    unmarked = aside / f"{RUN}.unlocked"  # it gets its name when it is locked, or another run would take it for dead
    handle = os.open(unmarked, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _locked(handle)
        unmarked.rename(aside / RUN)
        yield
    finally:
        os.close(handle)


def note(aside: Path, folder: Path) -> None:
    """Write down, before anything is moved, which files are to come into `folder`."""
    new = aside / NEW
    names = [path.relative_to(new).as_posix() for path in sorted(new.rglob("*")) if path.is_file()]
    (aside / RUN).write_text(json.dumps({"folder": folder.name, "new": names}), encoding="utf-8")


def forget(aside: Path) -> None:
    """Take the note back: from here on the new files stand, whatever happens."""
    (aside / RUN).write_text("", encoding="utf-8")


def mend(folder: Path) -> None:
    """Put back the report that a killed run had set aside in `folder`, and remove what such runs left.

    Only folders of this user are looked at, and of those that a living run holds nothing is touched.
    """
    folder = Path(os.path.abspath(folder))  # noqa: PTH100 - resolve() would follow links, which runs do not
    for home in (folder, folder.parent):
        for aside in _asides(home):
            with suppress(OSError):
                _settled(aside, folder)


def _asides(home: Path) -> list[Path]:
    """Return the folders that runs of this user made in `home` for their files."""
    try:
        with os.scandir(home) as entries:
            found = [Path(entry.path) for entry in entries if entry.name.startswith(PREFIX)]
        user = getattr(os, "geteuid", lambda: None)()
        return [path for path in found if (path / RUN).is_file() and path.lstat().st_uid == user]
    except OSError:
        return []


def _settled(aside: Path, folder: Path) -> None:
    """Undo what a run did that is gone; leave one that lives, or whose files belong into another folder."""
    handle = os.open(aside / RUN, os.O_RDWR)
    try:
        if not _locked(handle):
            return
        names = _noted(aside, folder)
        if names is None:
            return
        if _undone(aside, folder, names):
            rmtree(aside, ignore_errors=True)
    finally:
        os.close(handle)


def _noted(aside: Path, folder: Path) -> list[str] | None:
    """Return the files that were coming into `folder`, none when nothing was moved; None when it is another's."""
    text = (aside / RUN).read_text(encoding="utf-8")
    try:
        found = json.loads(text)
        home, names = str(found["folder"]), [str(name) for name in found["new"]]
    except (ValueError, KeyError, TypeError):  # not written, or not to its end: nothing has been moved
        return []
    inside = all(not PurePosixPath(name).is_absolute() and ".." not in PurePosixPath(name).parts for name in names)
    return names if inside and home == folder.name else None


def _undone(aside: Path, folder: Path, names: list[str]) -> bool:
    """Take back files that had come in and put back those set aside; return whether nothing is left over."""
    for name in names:
        made, place = aside / NEW / name, folder / name
        if place.is_file() and not made.exists():
            made.parent.mkdir(parents=True, exist_ok=True)
            place.replace(made)
    for place in sorted({parent for name in names for parent in (folder / name).parents}, reverse=True):
        if place.is_relative_to(folder) and (place != folder or aside.parent != folder):
            with suppress(OSError):  # what was there before, or holds more, stays
                place.rmdir()
    left = False
    for path in sorted((aside / OLD).rglob("*")):
        place = folder / path.relative_to(aside / OLD)
        if path.is_file() and place.exists():
            left = True
        elif path.is_file():
            place.parent.mkdir(parents=True, exist_ok=True)
            path.replace(place)
    return not left


def _locked(handle: int) -> bool:
    """Take the lock of a run; return whether no living run had it, False where there are no locks."""
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True
