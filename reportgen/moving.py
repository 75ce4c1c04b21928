"""Files made aside, then put into a folder as a whole: all of them, or none.

Everything that is replaced is set aside first, then the new files come in, so at no moment do old and new
ones stand side by side; when a step fails, what was set aside goes back.  When the run is killed there, the next one
into the folder puts it back (see `reportgen.mending`).
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from reportgen.errors import OutputError
from reportgen.mending import NEW, OLD, PREFIX, forget, marked, note

OF_THE_DISK = {
    errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.EISDIR, errno.EEXIST,
    errno.ENAMETOOLONG, errno.ELOOP,
}  # fmt: skip
"""Errors of the operating system that say that the place is wrong, not the program."""

Outdated = Callable[[Path, Path], set[Path]]
"""Takes the new folder and the one that is there; returns the files of that one that the new ones outdate."""


@contextmanager
def moved_into(folder: Path, outdated: Outdated, check: Callable[[], None]) -> Iterator[Path]:
    """Yield an empty folder; move its files into `folder` when the block ends well, else drop them.

    Parameters
    ----------
    folder
        Where the files are to be.
    outdated
        Which files of `folder` are removed.
    check
        Raises when `folder` may not be written to; asked again just before the files are moved, while no
        other run moves files there.

    Raises
    ------
    OutputError
        The disk refuses a file, or the folder has changed meanwhile.
    """
    folder = Path(os.path.abspath(folder))  # noqa: PTH100 - resolve() would follow links; code of others may change folders
    made: list[Path] = []
    aside, living = None, ExitStack()
    try:
        with _of_the_disk(folder, always=True):
            _make_folders(folder.parent, made)
            aside = Path(tempfile.mkdtemp(prefix=PREFIX, dir=folder if folder.is_dir() else folder.parent))
            living.enter_context(marked(aside))
            new, old = aside / NEW, aside / OLD
            new.mkdir()
            old.mkdir()
        with _of_the_disk(folder):
            yield new
        with _of_the_disk(folder, always=True):
            _make_folders(folder, made)
            with _alone(folder):
                check()
                note(aside, folder)
                _replace(new, folder, old, outdated(new, folder))
                forget(aside)
        made = []
    finally:
        living.close()
        if aside is not None:
            shutil.rmtree(aside, ignore_errors=True)
        for parent in reversed(made):
            with suppress(OSError):  # another run has begun to use it
                parent.rmdir()


@contextmanager
def _of_the_disk(folder: Path, *, always: bool = False) -> Iterator[None]:
    """Turn an error of the operating system that says that the place is wrong, or any, into a sentence."""
    try:
        yield
    except OSError as error:
        if always or error.errno in OF_THE_DISK:
            raise OutputError(f"'{folder}' cannot be written: {error.strerror or error}.") from error
        raise


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Wait until no other run moves files into `folder`, and let none begin."""
    try:
        import fcntl

        handle = os.open(folder, os.O_RDONLY)
    except (ImportError, PermissionError):  # not a POSIX system, or the folder cannot be read: nothing to lock
        yield
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _make_folders(folder: Path, made: list[Path]) -> None:
    """Make a folder and its parents; add those that were not there to `made`, outermost first."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    made += missing[::-1]  # noted first: the run may be interrupted while they are made
    folder.mkdir(parents=True, exist_ok=True)


def _replace(new: Path, folder: Path, old: Path, outdated: set[Path]) -> None:
    """Set aside what is replaced or outdated, then move the new files in; undo everything when a step fails."""
    sources = {path: folder / path.relative_to(new) for path in sorted(new.rglob("*")) if path.is_file()}
    leaving = sorted({*(target for target in sources.values() if target.exists()), *outdated})
    moves = [*((path, old / path.relative_to(folder)) for path in leaving), *sources.items()]
    made: list[Path] = []
    done: list[tuple[Path, Path]] = []
    try:
        for source, target in moves:
            _make_folders(target.parent, made)
            done.append((source, target))  # noted first: the move itself may be what is interrupted
            source.replace(target)
    except BaseException:
        _undo(done, made, old)
        raise


def _undo(moves: list[tuple[Path, Path]], made: list[Path], old: Path) -> None:
    """Take moves back, the last one first, and remove the folders that were made for them."""
    stuck = []
    for source, target in reversed(moves):
        try:
            if target.exists() and not source.exists():
                target.replace(source)
        except OSError:
            stuck.append(source)
    for folder in reversed(made):
        with suppress(OSError):
            folder.rmdir()
    if stuck:
        kept = old.parent.with_name(old.parent.name.replace(PREFIX, "reportgen-kept-"))
        old.parent.rename(kept)  # nothing of the earlier report is dropped
        raise OutputError(f"'{stuck[0]}' could not be put back; the files of the earlier report are in '{kept}'.")
