"""Whether all values of a column differ, in memory that does not grow with the rows.

Fingerprints wait in a temporary file, in parts by their leading bits, and each part is sorted by itself.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from types import TracebackType

import numpy as np

from reportgen.sources.fingerprints import Fingerprints
from reportgen.sources.spilling import PARTS, PartedFile

HELD = 1 << 20
"""Fingerprints that are held before they go to files (8 MB)."""

_BEGINS = np.arange(1, PARTS, dtype=np.uint64) << np.uint64(56)
"""The least fingerprint of every part but the first."""

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
        self._files: dict[str, PartedFile] = {}
        self._held: dict[str, list[Fingerprints]] = {}
        self._waiting = 0

    def __enter__(self) -> Seen:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for file in self._files.values():
            file.close()

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
        for column, held in self._held.items():
            if column not in self._files:
                self._files[column] = PartedFile("ids cannot be checked")
            found = np.concatenate(held)
            found.sort()  # quicker than parting them, and puts the parts one after the other
            ends = np.searchsorted(found, _BEGINS)
            self._files[column].append_in_order(found, np.diff(ends, prepend=0, append=len(found)))
        self._held, self._waiting = {}, 0
