"""Whether all values of a column differ, in memory that does not grow with the rows.

Fingerprints wait in a temporary file, in parts by their leading bits, and each part is sorted by itself.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from tempfile import TemporaryFile
from types import TracebackType
from typing import IO

import numpy as np

from reportgen.errors import InputError
from reportgen.scores.fingerprints import Fingerprints

HELD = 1 << 20
"""Fingerprints that are held before they go to files (8 MB)."""

_BITS = 8
_MOST_SUSPECTS = 1 << 20


class Seen:
    """The fingerprints of columns; a context that lets go of its files in the end.

    Raises
    ------
    InputError
        No temporary file can be written.

    Examples
    --------
    >>> with Seen() as seen:
    ...     seen.add("id", np.array([1, 2], np.uint64))
    ...     seen.add("id", np.array([3, 2], np.uint64))
    ...     seen.repeated("id")
    (1, array([2], dtype=uint64))
    """

    def __init__(self) -> None:
        self.key = secrets.randbits(64)
        """Makes fingerprints of this run no one else's, so that no one can make ids that have equal ones."""
        self._files: dict[str, _Spilled] = {}
        self._held: dict[str, list[Fingerprints]] = {}
        self._waiting = 0

    def __enter__(self) -> Seen:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for spilled in self._files.values():
            spilled.file.close()

    def add(self, column: str, found: Fingerprints) -> None:
        """Take note of some rows of a column."""
        self._held.setdefault(column, []).append(found)
        self._waiting += len(found)
        if self._waiting > HELD:
            self._write()

    def repeated(self, column: str) -> tuple[int, Fingerprints]:
        """Return how many rows repeat an earlier one, and the fingerprints that occur more than once, sorted.

        Of very many of those the first are returned.
        """
        surplus, suspects, kept = 0, [], 0
        for part in self._parts(column):
            part.sort()
            again = part[1:] == part[:-1]
            surplus += int(again.sum())
            if surplus and kept < _MOST_SUSPECTS:
                suspects.append(np.unique(part[1:][again]))
                kept += len(suspects[-1])
        return surplus, np.sort(np.concatenate(suspects)) if suspects else np.empty(0, np.uint64)

    def _parts(self, column: str) -> Iterator[Fingerprints]:
        """Yield all fingerprints of a column in parts, each value in one of them."""
        if not self._files:
            held = self._held.get(column, [])
            yield np.concatenate(held) if held else np.empty(0, np.uint64)
            return
        self._write()
        if column in self._files:
            yield from self._files[column].parts()

    def _write(self) -> None:
        """Bring what is held into files."""
        try:
            for column, found in self._held.items():
                if column not in self._files:
                    self._files[column] = _Spilled()
                self._files[column].append(np.concatenate(found))
        except OSError as error:
            raise InputError(
                f"ids cannot be checked: temporary files cannot be written ({error.strerror or error}); make room, or "
                "name another folder for them in the environment variable TMPDIR."
            ) from None
        self._held, self._waiting = {}, 0


class _Spilled:
    """A file without a name, which is gone when this process is: values by their leading bits, piece behind piece."""

    def __init__(self) -> None:
        self.file = TemporaryFile(buffering=0)  # noqa: SIM115 - closed by `Seen`
        self._pieces: list[list[tuple[int, int]]] = [[] for _ in range(1 << _BITS)]
        self._end = 0

    def append(self, found: Fingerprints) -> None:
        """Write values behind what there is."""
        leading = (found >> np.uint64(64 - _BITS)).astype(np.uint8)
        sizes = np.bincount(leading, minlength=1 << _BITS).tolist()
        self.file.seek(self._end)
        write(self.file, found[np.argsort(leading, kind="stable")])
        for pieces, size in zip(self._pieces, sizes, strict=True):
            if size:
                pieces.append((self._end, size))
                self._end += size * found.itemsize

    def parts(self) -> Iterator[Fingerprints]:
        """Yield all values that begin with the same bits, one after the other."""
        for pieces in self._pieces:
            if pieces:
                yield np.concatenate([self._piece(*piece) for piece in pieces])

    def _piece(self, start: int, size: int) -> Fingerprints:
        self.file.seek(start)
        return np.frombuffer(self.file.read(size * 8), np.uint64)


def write(file: IO[bytes], found: Fingerprints) -> None:
    """Write values into a file, all of them."""
    left = found.data.cast("B")
    while left:
        left = left[file.write(left) :]
