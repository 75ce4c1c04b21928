"""The folder of a report: written aside, moved into place only when everything succeeded.

A run that fails leaves the folder as it was.  Files that are not the report's own are never touched.
"""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from reportgen.errors import OutputError, ReportgenError

OWN_FILES = ("report.html", "report.pdf", "report.ipynb", "results.json", "config.toml")
"""What a report consists of, beside its folder of tables."""

TABLES = "tables"

_OF_THE_DISK = {
    errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.EISDIR, errno.EEXIST,
    errno.ENAMETOOLONG, errno.ELOOP,
}  # fmt: skip
"""Errors of the operating system that say that the place is wrong, not the program."""


def check(folder: Path, force: bool = False) -> None:
    """Refuse a folder that a report cannot be written to.

    Parameters
    ----------
    folder
        Where the report is to be; need not exist.
    force
        Whether a report that is there may be replaced.

    Raises
    ------
    OutputError
        It is a file, is not writable, or holds a report.
    """
    check_writable(folder)
    blocked = [name for name in OWN_FILES if (folder / name).is_dir()]
    if (folder / TABLES).exists() and not (folder / TABLES).is_dir():
        blocked.append(TABLES)
    if blocked:
        raise OutputError(f"'{folder / blocked[0]}' stands where the report writes; move it, or name another folder.")
    there = [name for name in (*OWN_FILES, TABLES) if (folder / name).exists()]
    if there and not force:
        raise OutputError(
            f"'{folder}' already holds a report ({there[0]}); name another folder, or replace the report with --force."
        )


def check_writable(folder: Path) -> None:
    """Refuse a folder that nothing can be written to; it need not exist.

    Raises
    ------
    OutputError
        It is a file, or is not writable.
    """
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"'{folder}' is a file; name a folder for the report.")
    home = _nearest_folder(folder)
    if not home.is_dir() or not os.access(home, os.W_OK | os.X_OK):
        raise OutputError(f"'{home}' is not a folder that can be written to; name another folder for the report.")


@contextmanager
def staged(folder: Path, force: bool = False) -> Iterator[Path]:
    """Yield an empty folder; move its files into `folder` when the block ends well, else drop them.

    With `force` the files of a report that is there are replaced, and those of them that belong to
    other results than the new ones are removed.

    Raises
    ------
    OutputError
        `folder` is refused (see `check`), or the disk refuses a file.
    """
    check(folder, force)
    with moved_into(folder, _outdated) as aside:
        yield aside


@contextmanager
def moved_into(folder: Path, outdated: Callable[[Path, Path], set[Path]]) -> Iterator[Path]:
    """Yield an empty folder; move its files into `folder` when the block ends well, else drop them.

    Parameters
    ----------
    folder
        Where the files are to be.
    outdated
        Takes the new folder and `folder`; returns the files of `folder` that the new ones outdate.

    Raises
    ------
    OutputError
        The disk refuses a file.
    """
    made: list[Path] = []
    try:
        made = _make_folders(folder.parent)
        home = folder if folder.is_dir() else folder.parent
        with tempfile.TemporaryDirectory(prefix=".reportgen-", dir=home, ignore_cleanup_errors=True) as aside:
            yield Path(aside)
            _move(Path(aside), folder, outdated(Path(aside), folder))
            made = []
    except OSError as error:
        if error.errno in _OF_THE_DISK:
            raise OutputError(f"'{folder}' cannot be written: {error.strerror}.") from error
        raise
    finally:
        for parent in reversed(made):
            parent.rmdir()


def _nearest_folder(folder: Path) -> Path:
    """Return the folder itself, or the nearest of its parents that exists."""
    return next((place for place in (folder, *folder.absolute().parents) if place.exists()), folder)


def _make_folders(folder: Path) -> list[Path]:
    """Make a folder and its parents; return those that were not there, outermost first."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return missing[::-1]


def _move(aside: Path, folder: Path, outdated: set[Path]) -> None:
    """Move every file into place, each in one step, and remove what the new ones outdate."""
    folder.mkdir(exist_ok=True)
    for source in sorted(path for path in aside.rglob("*") if path.is_file()):
        target = folder / source.relative_to(aside)
        target.parent.mkdir(parents=True, exist_ok=True)
        source.replace(target)
        outdated.discard(target)
    for path in outdated:
        path.unlink(missing_ok=True)


def _outdated(aside: Path, folder: Path) -> set[Path]:
    """Return the files of the report in `folder`, unless they say the same results as the new one."""
    old, new = folder / "results.json", aside / "results.json"
    if old.is_file() and new.is_file() and old.read_bytes() == new.read_bytes():
        return set()
    own = {folder / name for name in OWN_FILES if (folder / name).is_file()}
    return own | {path for path in _own_tables(folder) if path.is_file()}


def _own_tables(folder: Path) -> set[Path]:
    """Return the tables that the report in `folder` wrote, as far as its results still tell."""
    from reportgen import store

    try:
        evaluation = store.read(folder / "results.json").evaluation
    except ReportgenError:
        return set()
    return {folder / TABLES / table.file_name for table in evaluation.tables.values()}
