"""Records in a temporary file, parted by a number of each, so that what belongs together can be read together.

The file has no name: it is gone when this process is, whatever ends it.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from tempfile import TemporaryFile
from typing import IO, Any, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import InputError
from reportgen.machine.temporary import trouble

PARTS = 1 << 8


class PartedFile:
    """Records in 256 parts; those of one part are read together, in the order in which they were written.

    Parameters
    ----------
    what
        What cannot be done when no temporary file can be written, for the sentence that says so.

    Raises
    ------
    InputError
        No temporary file can be written.

    Examples
    --------
    >>> file = PartedFile("numbers cannot be sorted")
    >>> file.append(np.array([5, 6, 7]), np.array([1, 0, 1], np.uint8))
    >>> file.append(np.array([8, 9]), np.array([0, 1], np.uint8))
    >>> [part.tolist() for part in file.parts()]
    [[6, 8], [5, 7, 9]]
    """

    def __init__(self, what: str) -> None:
        self._file = SpillFile(what)
        self._pieces: list[list[tuple[int, int]]] = [[] for _ in range(PARTS)]
        self._dtype: Any = None

    def append(self, records: NDArray[Any], part: NDArray[np.uint8]) -> None:
        """Write records, (n,) of one type, behind what there is; each belongs to a part."""
        self.append_in_order(records[np.argsort(part, kind="stable")], np.bincount(part, minlength=PARTS))

    def append_in_order(self, records: NDArray[Any], sizes: NDArray[np.intp]) -> None:
        """Write records that stand part after part, so many of each."""
        self._dtype = records.dtype
        start = self._file.append(records)
        for pieces, size in zip(self._pieces, sizes.tolist(), strict=True):
            if size:
                pieces.append((start, size))
                start += size * records.itemsize

    @property
    def largest(self) -> int:
        """Records of the largest part."""
        return max(sum(size for _, size in pieces) for pieces in self._pieces)

    @property
    def size(self) -> int:
        """Bytes of all records."""
        return self._file.size

    def parts(self) -> Iterator[NDArray[Any]]:
        """Yield the records of every part that has some; each array is the caller's own."""
        for pieces in self._pieces:
            if pieces:
                records, done = np.empty(sum(size for _, size in pieces), self._dtype), 0
                for start, size in pieces:
                    self._file.read(start, records[done : done + size])
                    done += size
                yield records

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


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
