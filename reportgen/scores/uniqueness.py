"""Whether all values of a column differ, in memory that does not grow with the rows.

Fingerprints wait in temporary files by their leading bits, and each file is sorted by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType

import numpy as np

from reportgen.errors import InputError
from reportgen.scores.fingerprints import Fingerprints

HELD = 1 << 20
"""Fingerprints that are held before they go to files (8 MB)."""

_BITS = 8
_MOST_SUSPECTS = 1 << 20


class Seen:
    """The fingerprints of columns; a context that removes its files in the end.

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
        self._folder: TemporaryDirectory[str] | None = None
        self._held: dict[str, list[Fingerprints]] = {}
        self._names: dict[str, int] = {}
        self._waiting = 0

    def __enter__(self) -> Seen:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._folder is not None:
            self._folder.cleanup()

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
        if self._folder is None:
            held = self._held.get(column, [])
            yield np.concatenate(held) if held else np.empty(0, np.uint64)
            return
        self._write()
        for leading in range(1 << _BITS):
            path = self._path(column, leading)
            if path.exists():
                yield np.fromfile(path, np.uint64)

    def _path(self, column: str, leading: int) -> Path:
        """Return the file of the fingerprints of a column that begin with some bits."""
        number = self._names.setdefault(column, len(self._names))
        return Path(self._folder.name if self._folder else "") / f"{number}-{leading}"

    def _write(self) -> None:
        """Bring what is held into files."""
        try:
            if self._folder is None:
                self._folder = TemporaryDirectory(prefix="reportgen-", ignore_cleanup_errors=True)
            for column, parts in self._held.items():
                found = np.concatenate(parts)
                leading = (found >> np.uint64(64 - _BITS)).astype(np.uint8)
                order = np.argsort(leading, kind="stable")
                ends = np.cumsum(np.bincount(leading, minlength=1 << _BITS))
                for bits, part in enumerate(np.split(found[order], ends[:-1])):
                    if part.size:
                        append(self._path(column, bits), part.tobytes())
        except OSError as error:
            raise InputError(
                f"ids cannot be checked: temporary files cannot be written ({error.strerror or error}); make room, or "
                "name another folder for them in the environment variable TMPDIR."
            ) from None
        self._held, self._waiting = {}, 0


def append(path: Path, content: bytes) -> None:
    """Write behind what a file holds."""
    with path.open("ab") as file:
        file.write(content)
