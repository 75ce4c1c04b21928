"""The folder that a run keeps beside the files it replaces: what it makes, what it sets aside, and whose it is.

``.reportgen-XXXX`` stands in the folder whose files are replaced, and holds

``run``
    the binding: device and inode of both folders, and the user.  It is locked for as long as the run lives.
``new``, ``old``
    files that are made, and files that are set aside.
``moves``
    there only while files are moved: which come in and which are set aside.  Removing it is the one step that makes the
    new files count.

A copy of such a folder, as from an archive or a clone, has other inodes: it is bound to nothing, and nothing acts on
it.
"""

from __future__ import annotations

import json
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from reportgen.storing.handles import Handle, lock

PREFIX = ".reportgen-"
"""What the name of such a folder begins with."""

RUN, NEW, OLD, MOVES = "run", "new", "old", "moves"

SUFFIXES = frozenset((
    ".html", ".pdf", ".docx", ".tex", ".svg", ".png", ".ipynb", ".json", ".toml", ".csv", ".tsv", ".xlsx", ".md",
    ".bib", ".parquet", ".py", ".j2",
))  # fmt: skip
"""The endings of the files that a report or a section consists of; what is written down moves no other file."""

DEEPEST = 6
"""Folders above a file of a report: a batch of several systems has three."""

MOST_BYTES = 8_000_000
"""What is written down of a run takes less: a report has a few hundred files, a batch moves one report at a time."""


@dataclass(frozen=True)
class Moves:
    """Which files are moved: into the folder, out of it, and the folders that are made for them."""

    new: tuple[PurePosixPath, ...] = ()
    old: tuple[PurePosixPath, ...] = ()
    folders: tuple[PurePosixPath, ...] = ()

    def text(self) -> str:
        """Return it as it is written down."""
        return json.dumps({name: [str(place) for place in places] for name, places in vars(self).items()})

    @classmethod
    def read(cls, text: str) -> Moves:
        """Return what is written down.

        Raises
        ------
        ValueError
            It is not what a run writes: unknown keys, or a place that is no plain path of a file of a report.
        """
        found = json.loads(text)
        if not isinstance(found, dict) or set(found) != {"new", "old", "folders"}:
            raise ValueError("expected the keys new, old and folders")
        if not all(isinstance(places, list) for places in found.values()):
            raise ValueError("expected lists of places")
        places = {name: tuple(map(_place, listed)) for name, listed in found.items()}
        if not all(is_own(place) for name in ("new", "old") for place in places[name]):
            raise ValueError("a file that no report has")
        return cls(**places)


def is_own(place: PurePosixPath) -> bool:
    """Return whether a file of a report may stand at a place: a plain path, not hidden, with a known ending.

    Examples
    --------
    >>> [is_own(PurePosixPath(text)) for text in ("tables/a.csv", ".bashrc", "../a.csv", "/a.csv", "a.sh")]
    [True, False, False, False, False]
    """
    return _is_plain(place) and place.suffix.lower() in SUFFIXES


def _is_plain(place: PurePosixPath) -> bool:
    if any("\ud800" <= letter <= "\udfff" for letter in str(place)):  # half a letter is in no name
        return False
    return 0 < len(place.parts) <= DEEPEST + 1 and not any(
        part.startswith(".") or "/" in part or "\\" in part or "\0" in part for part in place.parts
    )


def _place(text: Any) -> PurePosixPath:
    """Return a plain path that is written down; ValueError when it is none."""
    if not isinstance(text, str) or str(PurePosixPath(text)) != text or not _is_plain(PurePosixPath(text)):
        raise ValueError("expected a plain path")
    return PurePosixPath(text)


class Aside:
    """The folder that one run keeps in another; open, and its own while it lives.

    Parameters
    ----------
    home
        The folder it stands in.
    name
        Its name there.
    handle
        It, opened.
    """

    def __init__(self, home: Handle, name: str, handle: Handle) -> None:
        self.home, self.name, self.handle = home, name, handle

    @property
    def new(self) -> Path:
        """Where files are made."""
        return self.handle.path / NEW

    def begin(self, moves: Moves) -> None:
        """Write down, in one step and before anything is moved, what is about to be."""
        unfinished = f"{MOVES}.unfinished"
        self._write(unfinished, moves.text())
        self.handle.rename(unfinished, self.handle, MOVES)

    def commit(self) -> None:
        """Let the new files count."""
        self.handle.unlink(MOVES)

    def moves(self) -> Moves | None:
        """Return what is written down of moves; None when nothing is being moved, or no run wrote it."""
        try:
            return Moves.read(self.read(MOVES))
        except (OSError, ValueError, RecursionError):
            return None

    def undo(self, moves: Moves) -> list[PurePosixPath]:
        """Take back files that have come in, put back those set aside; return the places where that failed.

        What has not been moved yet stays where it is, so it can be done again after a run that was stopped in it.
        """
        with self.handle.below(NEW, make=True) as new, self.handle.below(OLD, make=True) as old:
            come = [place for place in reversed(moves.new) if not stands(new, place) and stands(self.home, place)]
            stuck = [place for place in come if not _moved(self.home, new, place)]
            gone = [place for place in reversed(moves.old) if stands(old, place)]
            stuck += [place for place in gone if stands(self.home, place) or not _moved(old, self.home, place)]
        for folder in sorted(moves.folders, reverse=True):
            with suppress(OSError), self.home.holding(folder) as parent:
                parent.rmdir(folder.name)
        if not stuck:
            self.commit()
        return stuck

    def binding(self) -> str:
        """Return what makes this folder that of a run in its home, and of no other: what no copy of it has."""
        home, own = self.home.itself(), self.handle.itself()
        told = {"home": [home.st_dev, home.st_ino], "aside": [own.st_dev, own.st_ino], "user": own.st_uid}
        return json.dumps(told)

    def is_bound(self) -> bool:
        """Return whether it says of itself what it is."""
        try:
            return self.read(RUN) == self.binding()
        except (OSError, ValueError):
            return False

    def is_empty(self) -> bool:
        """Return whether there is nothing in it, as when a run was stopped in its first step or its last."""
        names, run = self.handle.names(), self.handle.look(RUN)
        return not set(names) - {RUN} and (run is None or (run.st_size == 0 and stat.S_ISREG(run.st_mode)))

    def is_mine(self) -> bool:
        """Return whether it and its notes belong to the user of this process, and nobody else may change them."""
        noted = [self.handle.look(name) for name in (RUN, MOVES)]
        found = [self.handle.itself(), *(each for each in noted if each is not None)]
        user = getattr(os, "geteuid", lambda: 0)()
        return all(each.st_uid == user and not stat.S_IMODE(each.st_mode) & 0o022 for each in found)

    def is_moving(self) -> bool:
        """Return whether moves have begun, and not ended."""
        return self.handle.look(MOVES) is not None

    def lives(self) -> bool | None:
        """Return whether the run that it belongs to lives; None where there are no locks that tell it."""
        run = self.handle.file(RUN, os.O_RDONLY)
        try:
            free = lock(run)
        finally:
            os.close(run)
        return None if free is None else not free

    def remove(self) -> None:
        """Remove it, what says whose it is at last, so that a run that is stopped in it leaves nothing unknown."""
        for part in (NEW, OLD, f"{MOVES}.unfinished"):
            self.handle.rmtree(part)
            with suppress(OSError):
                self.handle.unlink(part)
        with suppress(OSError):
            self.handle.unlink(RUN)
        with suppress(OSError):
            self.home.rmdir(self.name)

    def _write(self, name: str, text: str) -> None:
        with os.fdopen(self.handle.file(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name: str) -> str:
        """Return a small file of its own; OSError or ValueError when it is none."""
        with os.fdopen(self.handle.file(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
            text = file.read(MOST_BYTES + 1)
        if len(text) > MOST_BYTES:
            raise ValueError("more than a run writes down")
        return text.decode()


@contextmanager
def kept(home: Handle, purpose: str = "") -> Iterator[Aside]:
    """Keep a folder aside in `home` until the block ends; then it is removed with all that is still in it.

    Parameters
    ----------
    purpose
        Begins its name; while one of a purpose is there, there is no other of the same.

    Raises
    ------
    BlockingIOError
        Another run has one of this purpose.
    """
    name = f"{PREFIX}{purpose}{secrets.token_hex(6)}"
    with home.alone():  # or another run would take it for dead before it is locked
        if purpose and any(_lives(home, other) for other in names_aside(home, purpose)):
            raise BlockingIOError(11, "another run is writing there")
        aside, alive = _begun(home, name)
    try:
        aside.handle.below(NEW, make=True).close()
        yield aside
    finally:
        if aside.handle.look(MOVES) is None:  # else nothing of the earlier report is dropped
            aside.remove()
        os.close(alive)
        aside.handle.close()


def _begun(home: Handle, name: str) -> tuple[Aside, int]:
    """Make a folder aside, with what says whose it is; nothing is left of it when the system refuses."""
    aside = Aside(home, name, home.below(name, make=True, mode=0o700))
    try:
        alive = aside.handle.file(RUN, os.O_RDWR | os.O_CREAT | os.O_EXCL)
        try:
            lock(alive)
            os.write(alive, aside.binding().encode())
        except BaseException:
            os.close(alive)
            raise
    except BaseException:
        aside.remove()
        aside.handle.close()
        raise
    return aside, alive


def names_aside(home: Handle, purpose: str = "") -> list[str]:
    """Return the names of the folders that are kept aside in a folder, of all purposes or of one."""
    try:
        return [name for name in home.names() if name.startswith(f"{PREFIX}{purpose}")]
    except OSError:  # it cannot be listed
        return []


def _lives(home: Handle, name: str) -> bool:
    """Return whether the folder kept aside under a name is that of a living run."""
    with suppress(OSError), home.below(name) as handle:
        aside = Aside(home, name, handle)
        return aside.is_bound() and aside.lives() is True
    return False


def move(source: Handle, target: Handle, place: PurePosixPath) -> None:
    """Move a file to the same place below another folder, whose folders are made where they are missing."""
    with source.holding(place) as here, target.holding(place, make=True) as there:
        here.rename(place.name, there, place.name)


def stands(home: Handle, place: PurePosixPath) -> bool:
    """Return whether anything stands at a place below a folder, or on the way to it where a folder should."""
    try:
        with home.holding(place) as parent:
            return parent.look(place.name) is not None
    except FileNotFoundError:
        return False
    except OSError:
        return True


def _moved(source: Handle, target: Handle, place: PurePosixPath) -> bool:
    """Move a file to the same place below another folder; return whether that was done."""
    try:
        move(source, target, place)
    except OSError:
        return False
    return True
