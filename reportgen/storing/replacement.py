"""Files made aside, then put into a folder as a whole: all of them, or none.

Everything that is replaced is set aside first, then the new files come in, so at no moment do old and new ones stand
side by side; when a step fails, what was set aside goes back, and when the run is killed, the next one that writes
there puts it back (`reportgen.storing.recovery`).  Every file that is written for a user comes into its place here.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath

from reportgen.errors import OutputError
from reportgen.machine.signals import late_stops
from reportgen.storing.asides import NEW, OLD, Aside, Moves, is_own, kept, move, stands
from reportgen.storing.handles import Handle
from reportgen.storing.recovery import give_up, recover

OF_THE_DISK = {
    errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.EISDIR, errno.EEXIST,
    errno.ENAMETOOLONG, errno.ELOOP, errno.EFBIG,
}  # fmt: skip
"""Errors of the operating system that say that the place is wrong, not the program."""

Outdated = Callable[[Path, Path], set[Path]]
"""Takes the new folder and the one that is there; returns the files of that one that the new ones outdate."""


def _nothing(_new: Path, _there: Path) -> set[Path]:
    return set()


@contextmanager
def replaced(folder: Path, outdated: Outdated = _nothing, check: Callable[[], None] = lambda: None) -> Iterator[Path]:
    """Yield an empty folder; move its files into `folder` when the block ends well, else drop them.

    Parameters
    ----------
    folder
        Where the files are to be; when it is not there, it comes with them.
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
    with ExitStack() as opened, _of_the_disk(folder):
        recover(folder)
        with _of_the_disk(folder, always=True):
            there = next(place for place in (folder, *folder.parents) if place.exists())
            home = opened.enter_context(Handle.open(there))
            aside = opened.enter_context(kept(home))
            made = aside.new / folder.relative_to(there)
            made.mkdir(parents=True, exist_ok=True)
        with opened:
            try:
                yield made
            except FileNotFoundError:
                if made.exists():
                    raise
                raise OutputError(f"'{there}' was removed or renamed during the run; run again.") from None
            with _of_the_disk(folder, always=True), late_stops(f"'{folder}' was written"):
                if there == folder:
                    with home.alone():
                        check()
                        _put(aside, home, outdated(made, folder))
                elif not _put_whole(aside, home, made, check):
                    with replaced(folder, outdated, check) as again:
                        shutil.copytree(made, again, dirs_exist_ok=True)
                aside.remove()


def write_file(path: Path, text: str | bytes) -> None:
    """Write a file as a whole, or leave what was there; a device or a pipe is written to as it is.

    Raises
    ------
    OutputError
        The disk refuses.
    """
    content = text.encode("utf-8", "backslashreplace") if isinstance(text, str) else text
    try:
        path = path.resolve() if path.is_symlink() else path
        if path.exists() and not path.is_file():
            path.write_bytes(content)
            return
    except (OSError, ValueError, RuntimeError) as error:
        raise OutputError(f"'{path}' cannot be written: {getattr(error, 'strerror', None) or error}.") from None
    with replaced(path.parent) as new:
        (new / path.name).write_bytes(content)


@contextmanager
def _of_the_disk(folder: Path, *, always: bool = False) -> Iterator[None]:
    """Turn an error of the operating system that says that the place is wrong, or any, into a sentence."""
    try:
        yield
    except OSError as error:
        if always or error.errno in OF_THE_DISK:
            raise OutputError(f"'{folder}' cannot be written: {error.strerror or error}.") from error
        raise


def _put_whole(aside: Aside, home: Handle, made: Path, check: Callable[[], None]) -> bool:
    """Let a new folder in, in one step, with those above it that are missing; return whether it was still missing.

    No run that is stopped leaves a folder in sight that holds nothing.
    """
    top = made.relative_to(aside.new).parts[0]
    _refuse([PurePosixPath(path.relative_to(made).as_posix()) for path in _files(made)], set(), made)
    with home.alone(), aside.handle.below(NEW) as new:
        if home.look(top) is not None:
            return False
        check()
        new.rename(top, home, top)
    return True


def _put(aside: Aside, home: Handle, outdated: set[Path]) -> None:
    """Set aside what is replaced or outdated, then let the new files in; undo everything when a step fails."""
    coming = [PurePosixPath(path.relative_to(aside.new).as_posix()) for path in _files(aside.new)]
    leaving = {PurePosixPath(path.relative_to(home.path).as_posix()) for path in outdated}
    leaving |= {place for place in coming if stands(home, place)}
    _refuse(coming, leaving, home.path)
    with aside.handle.below(NEW) as new, aside.handle.below(OLD, make=True) as old:
        if len(coming) == 1 and len(coming[0].parts) == 1 and leaving <= set(coming):
            move(new, home, coming[0])  # one step needs no note
            return
        moves = Moves(tuple(coming), tuple(sorted(leaving)), tuple(_missing(home, coming)))
        aside.begin(moves)
        try:
            for place in moves.old:
                move(home, old, place)
            for place in moves.new:
                move(new, home, place)
            aside.commit()
        except BaseException as error:
            stuck = aside.undo(moves)
            if stuck:
                raise give_up(aside, stuck) from error
            raise


def _files(folder: Path) -> list[Path]:
    """Return every file below a folder, sorted."""
    return sorted(path for path in folder.rglob("*") if stat.S_ISREG(path.lstat().st_mode))


def _missing(home: Handle, places: list[PurePosixPath]) -> list[PurePosixPath]:
    """Return the folders that are made for places, outermost first."""
    folders = {parent for place in places for parent in place.parents if parent.parts}
    return sorted(folder for folder in folders if not stands(home, folder))


def _refuse(coming: list[PurePosixPath], leaving: set[PurePosixPath], folder: Path) -> None:
    """Refuse a name that no file of a report has, and a folder or a link where the other is needed.

    A single file has the name that the user gave it.
    """
    for place in leaving | set(coming):
        if not is_own(place) and [place] != coming:
            raise OutputError(f"'{folder / place}': a report has no file of such a name; give its parts plain names.")
    for place in leaving:
        if (folder / place).is_dir() and not (folder / place).is_symlink():
            raise OutputError(f"'{folder / place}' is a folder where the report has a file; move it.")
    for parent in sorted({folder / parent for place in coming for parent in place.parents if parent.parts}):
        if parent.is_symlink():
            raise OutputError(f"'{parent}' is a link where the report has a folder; remove it, or name another folder.")
