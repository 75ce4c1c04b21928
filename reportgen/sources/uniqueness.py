"""Whether all values of a column differ, in memory that does not grow with the rows.

Fingerprints wait in a temporary file, in parts by their leading bits, and each part is sorted by itself.
"""

from __future__ import annotations

import secrets
from types import TracebackType

import numpy as np

from reportgen.sources.fingerprints import Fingerprints, leading
from reportgen.sources.spilling import PartedRecords

HELD = 1 << 20
"""Fingerprints that are held before they go to files (8 MB)."""

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
        self._columns: dict[str, PartedRecords] = {}

    def __enter__(self) -> Seen:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for records in self._columns.values():
            records.close()

    def add(self, column: str, found: Fingerprints) -> None:
        """Take note of some rows of a column."""
        if column not in self._columns:
            self._columns[column] = PartedRecords("ids cannot be checked", leading)
        self._columns[column].add(found)
        if sum(records.held for records in self._columns.values()) > HELD:
            for records in self._columns.values():
                records.spill()

    def repeated(self, column: str) -> tuple[int, Fingerprints]:
        """Return how many rows repeat an earlier one, and the fingerprints that occur more than once, sorted.

        Of very many of those the first are returned.
        """
        surplus, suspects, kept = 0, [], 0
        for part in self._columns[column].parts() if column in self._columns else ():
            part.sort()
            again = part[1:] == part[:-1]
            surplus += int(again.sum())
            if surplus and kept < _MOST_SUSPECTS:
                suspects.append(np.unique(part[1:][again]))
                kept += len(suspects[-1])
        return surplus, np.sort(np.concatenate(suspects)) if suspects else np.empty(0, np.uint64)
