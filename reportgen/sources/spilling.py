"""Records in a temporary file, parted by a number of each, so that what belongs together can be read together.

The file has no name: it is gone when this process is, whatever ends it.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from tempfile import TemporaryFile
from typing import IO, Any, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import InputError
from reportgen.machine.temporary import trouble

PARTS = 1 << 8


class PartedRecords:
    """Records in 256 parts; those of one part are read together, in the order in which they came.

    They are held until who adds them has them `spilled` into a temporary file.

    Parameters
    ----------
    what
        What cannot be done when no temporary file can be written, for the sentence that says so.
    part_of
        Returns the part of each of some records, from 0 to 255.

    Examples
    --------
    >>> records = PartedRecords("numbers cannot be sorted", lambda numbers: (numbers % 2).astype(np.uint8))
    >>> records.add(np.array([5, 6, 7]))
    >>> records.spill()
    >>> records.add(np.array([8, 9]))
    >>> [part.tolist() for part in records.parts()]
    [[6, 8], [5, 7, 9]]
    """

    def __init__(self, what: str, part_of: Callable[[NDArray[Any]], NDArray[np.uint8]]) -> None:
        self._what, self._part_of = what, part_of
        self._held: list[NDArray[Any]] = []
        self.held = 0
        """Records that are held."""
        self._file: SpillFile | None = None
        self._pieces: list[list[tuple[int, int]]] = [[] for _ in range(PARTS)]
        self._dtype: Any = None

    @property
    def largest(self) -> int:
        """Records of the largest part."""
        sizes = np.array([sum(size for _, size in pieces) for pieces in self._pieces])
        return int((sizes + self._sorted()[1]).max() if self._held else sizes.max())

    def add(self, records: NDArray[Any]) -> None:
        """Take records, (n,) of one type."""
        self._held.append(records)
        self.held += len(records)
        self._dtype = records.dtype

    def spill(self) -> None:
        """Write what is held into the file.

        Raises
        ------
        InputError
            No temporary file can be written.
        """
        if not self._held:
            return
        self._file = self._file or SpillFile(self._what)
        records, sizes = self._sorted()
        self._held, self.held = [], 0
        start = self._file.append(records)
        for pieces, size in zip(self._pieces, sizes.tolist(), strict=True):
            if size:
                pieces.append((start, size))
                start += size * records.itemsize

    def parts(self) -> Iterator[NDArray[Any]]:
        """Yield the records of every part that has some; each array is the caller's own."""
        if self._file is None:
            if self._held:
                records, sizes = self._sorted()
                yield from (part for part in np.split(records, np.cumsum(sizes)[:-1]) if len(part))
            return
        self.spill()
        for pieces in self._pieces:
            if pieces:
                records, done = np.empty(sum(size for _, size in pieces), self._dtype), 0
                for start, size in pieces:
                    self._file.read(start, records[done : done + size])
                    done += size
                yield records

    def close(self) -> None:
        """Let go of the records, and of the file."""
        self._held = []
        if self._file is not None:
            self._file.close()

    def _sorted(self) -> tuple[NDArray[Any], NDArray[np.intp]]:
        """Return what is held part after part, and how many of each there are."""
        records = np.concatenate(self._held)
        order, sizes = by_part(self._part_of(records), PARTS)
        return records[order], sizes


def by_part(part: NDArray[np.unsignedinteger], parts: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the places of records part after part, those of one in their order, and how many each part has."""
    return np.argsort(part, kind="stable"), np.bincount(part, minlength=parts)


class SpillFile:
    """Arrays in a temporary file, one behind the other.

    Parameters
    ----------
    what
        What cannot be done when no temporary file can be written, for the sentence that says so.

    Raises
    ------
    InputError
        No temporary file can be written.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self.size = 0
        """Bytes that are written."""
        self._file = unnamed_file(what, buffering=0)
        self._closing = weakref.finalize(self, self._file.close)

    def append(self, values: NDArray[Any]) -> int:
        """Write an array behind what there is; return where it begins."""
        start = self.size
        try:
            self._file.seek(start)
            write(self._file, values)
        except OSError as error:
            refuse_spilling(self._what, error)
        self.size += values.nbytes
        return start

    def read(self, start: int, values: NDArray[Any]) -> None:
        """Fill a contiguous array from where one begins."""
        left = values.view(np.uint8).data
        self._file.seek(start)
        while left:
            left = left[self._file.readinto(left) :]  # type: ignore[attr-defined]

    def close(self) -> None:
        """Let go of the file."""
        self._closing()


def unnamed_file(what: str, buffering: int = -1) -> IO[bytes]:
    """Return a temporary file that no folder names, open for reading and writing.

    Parameters
    ----------
    what
        What cannot be done without it.
    buffering
        As for `open`.

    Raises
    ------
    InputError
        No temporary file can be written.
    """
    try:
        return cast("IO[bytes]", TemporaryFile(buffering=buffering))
    except OSError as error:
        refuse_spilling(what, error)


def refuse_spilling(what: str, error: OSError) -> NoReturn:
    """Raise the sentence for a temporary file that takes nothing more."""
    raise InputError(trouble(what, error)) from None


def write(file: IO[bytes], values: NDArray[Any]) -> None:
    """Write an array into a file, all of it."""
    left = np.ascontiguousarray(values).view(np.uint8).data
    while left:
        left = left[file.write(left) :]
