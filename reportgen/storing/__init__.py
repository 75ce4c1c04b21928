"""Replace folders as a whole: write the new one next to the old one, then rename both.

``NAME`` becomes ``NAME.previous``, the fresh folder becomes ``NAME``, and ``NAME.previous`` is deleted. An interrupted
run leaves either the old folder or the new one. Between the two renames, the old one is at ``NAME.previous``, and the
next command reports it. If a folder cannot be renamed, its files are moved one by one.
"""

import errno
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from reportgen.errors import InputError, OutputError
from reportgen.machine.signals import late_stops

RESULTS_FILE = "results.json"  # name of the results file in a report folder

PREFIX = ".reportgen-"  # prefix of the staging folder's name

OF_THE_DISK = {
    errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.EISDIR, errno.EEXIST,
    errno.ENAMETOOLONG, errno.ELOOP, errno.EFBIG,
}  # fmt: skip
"""Operating system errors that mean that the location is wrong, not the program."""

Replaces = Callable[[Path, PurePosixPath], bool]
"""Whether the new folder replaces the file at a path of the old one; all other files stay."""


def _nothing(_new: Path, _place: PurePosixPath) -> bool:
    return False


@contextmanager
def replaced(folder: Path, replaces: Replaces = _nothing, check: Callable[[], None] = lambda: None) -> Iterator[Path]:
    """Yield an empty folder that replaces `folder` if the block succeeds, and is deleted otherwise.

    The folder need not exist; a link to one stays a link. `replaces` determines which of its files are deleted without
    a successor. `check` is called just before the replacement, and raises to prevent it.
    """
    folder = _named(folder)
    check_replaceable(folder)
    was_there = folder.exists()
    fixed = folder.is_dir() and (
        os.path.ismount(folder) or Path.cwd().is_relative_to(folder) or not os.access(folder.parent, os.W_OK | os.X_OK)
    )
    with fresh_folder(folder if fixed else folder.parent, folder) as fresh:
        yield fresh
        with _of_the_disk(folder, always=True), late_stops(f"'{folder}' was written"):
            if was_there and not folder.exists():
                raise _removed(folder)
            if fixed:
                check()
                _put(fresh, folder, replaces)
            elif os.path.lexists(folder):
                check()
                shutil.copymode(folder, fresh)
                _carry(folder, fresh, PurePosixPath(), replaces)
                _swap(folder, fresh)
            else:
                fresh.rename(folder)


@contextmanager
def added(folder: Path, check: Callable[[], None] = lambda: None) -> Iterator[Path]:
    """Yield an empty folder whose files are moved into `folder`, one by one, if the block succeeds.

    Files are never partial, and replace links. All other files stay.
    """
    folder = _named(folder)
    with fresh_folder(folder, folder) as fresh:
        yield fresh
        with _of_the_disk(folder, always=True), late_stops(f"'{folder}' was written"):
            check()
            _put(fresh, folder, _nothing)


def write_file(path: Path, text: str | bytes) -> None:
    """Write a file atomically, or leave the old one; devices and pipes are written directly."""
    content = text.encode("utf-8", "backslashreplace") if isinstance(text, str) else text
    try:
        path = path.resolve() if path.is_symlink() else path
        if path.exists() and not path.is_file():
            path.write_bytes(content)
            return
    except (OSError, ValueError, RuntimeError) as error:
        raise OutputError(f"'{path}' cannot be written: {getattr(error, 'strerror', None) or error}.") from None
    with added(path.parent) as new:
        (new / path.name).write_bytes(content)


def check_replaceable(folder: Path) -> None:
    """Reject a folder if an interrupted run left the earlier version next to it."""
    folder = _named(folder)
    previous = _previous(folder)
    if os.path.lexists(previous):
        raise OutputError(
            f"'{previous}' exists, which an interrupted run may have left ('{folder.name}' is then complete); "
            f"delete '{previous.name}', or choose another folder."
            if folder.exists()
            else _set_aside(folder)
        )


def refuse_set_aside(path: Path) -> None:
    """Raise if an interrupted run has renamed the report's folder without replacing it."""
    for folder in (path, *path.parents[:3]):
        if not os.path.lexists(folder) and folder.name and _previous(folder).is_dir():
            raise InputError(_set_aside(folder))


def _previous(folder: Path) -> Path:
    return folder.parent / f"{folder.name}.previous"


def _set_aside(folder: Path) -> str:
    previous = _previous(folder)
    return (
        f"'{folder}' does not exist, but '{previous.name}' does, which an interrupted run may have left; "
        f"rename '{previous.name}' to '{folder.name}', or choose another folder."
    )


def _named(folder: Path) -> Path:
    folder = Path(os.path.abspath(folder))  # noqa: PTH100 - resolve() would follow every link
    return folder.resolve() if folder.is_symlink() else folder


@contextmanager
def fresh_folder(home: Path, folder: Path) -> Iterator[Path]:
    """Yield an empty staging folder in `home` (created if missing) for `folder`; a failure leaves nothing of it."""
    fresh = home / f"{PREFIX}{secrets.token_hex(6)}"
    with made_folder(home, folder):
        try:
            with _of_the_disk(folder, always=True):
                fresh.mkdir()
            with _of_the_disk(folder):
                try:
                    yield fresh
                except FileNotFoundError:
                    if fresh.exists():
                        raise
                    raise _removed(folder) from None
        finally:
            shutil.rmtree(fresh, ignore_errors=True)


@contextmanager
def made_folder(home: Path, folder: Path) -> Iterator[None]:
    """Create the parent folder of a report if missing, and remove it again if nothing was written."""
    missing = [place for place in (home, *home.parents) if not place.exists()]
    try:
        with _of_the_disk(folder, always=True):
            home.mkdir(parents=True, exist_ok=True)
        yield
    finally:
        for place in missing:
            with suppress(OSError):  # it is not empty if something was written
                place.rmdir()


@contextmanager
def _of_the_disk(folder: Path, *, always: bool = False) -> Iterator[None]:
    """Convert an operating system error about the location, or any error, to a message."""
    try:
        yield
    except OSError as error:
        if always or error.errno in OF_THE_DISK:
            raise OutputError(
                f"'{folder}' cannot be written ({error.strerror or error}); choose another folder."
            ) from error
        raise


def _carry(old: Path, new: Path, place: PurePosixPath, replaces: Replaces) -> None:
    """Copy every file that the new folder does not replace from the old one."""
    for entry in sorted((old / place).iterdir()):
        here = place / entry.name
        target, is_folder = new / here, entry.is_dir() and not entry.is_symlink()
        if os.path.lexists(target) and target.is_dir() != is_folder:
            raise in_the_way(entry)
        if is_folder:
            is_new = not target.exists()
            target.mkdir(exist_ok=True)
            shutil.copymode(entry, target)
            _carry(old, new, here, replaces)
            if is_new and any(entry.iterdir()):
                with suppress(OSError):  # unless all of its content is replaced
                    target.rmdir()
        elif not os.path.lexists(target) and not replaces(new, here):
            try:
                os.link(entry, target, follow_symlinks=False)
            except (OSError, NotImplementedError):  # the disk does not support links
                shutil.copy2(entry, target, follow_symlinks=False)


def _swap(folder: Path, fresh: Path) -> None:
    previous = _previous(folder)
    folder.rename(previous)
    try:
        fresh.rename(folder)
    except OSError:
        if folder.exists():
            raise OutputError(
                f"another run wrote to '{folder}' at the same time; the previous report is in '{previous}'."
            ) from None
        previous.rename(folder)
        raise
    shutil.rmtree(previous, ignore_errors=True)


def _put(fresh: Path, folder: Path, replaces: Replaces) -> None:
    """Move files into a folder one by one, results last, after deleting the files they replace."""
    places = [PurePosixPath(path.relative_to(fresh).as_posix()) for path in fresh.rglob("*")]
    for place in places:
        target, is_folder = folder / place, (fresh / place).is_dir()
        if os.path.lexists(target) and (target.is_dir() and not target.is_symlink()) != is_folder:
            raise in_the_way(target)
    for home in (PurePosixPath(), *(place for place in places if (fresh / place).is_dir())):
        for entry in (folder / home).iterdir() if (folder / home).is_dir() else ():
            if replaces(fresh, home / entry.name) and not entry.is_dir():
                entry.unlink()
    for place in sorted(places, key=lambda place: (place.name.endswith("results.json"), place)):
        if (fresh / place).is_file():
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            (fresh / place).replace(folder / place)


def in_the_way(path: Path) -> OutputError:
    """Return the error for a path that blocks a file or folder of a report."""
    return OutputError(f"'{path}' is in the way of the report; move it, or choose another folder.")


def _removed(folder: Path) -> OutputError:
    return OutputError(f"'{folder}' was removed or renamed during the run; run again.")
