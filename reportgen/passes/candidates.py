"""The responses of a pass with their candidates, put by candidate into a file that is gone with this process.

Which responses are one candidate's is known when all rows are read.  Until then each response waits in a temporary
file, in a part that its candidate's fingerprint names, so that all responses of one candidate stand in one part.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.passes.plan import NeedsRowsError
from reportgen.sources.columns import Coded, Floats
from reportgen.sources.fingerprints import Fingerprints, leading
from reportgen.sources.spilling import PartedRecords

HELD = 1 << 18
"""Responses that are held before they go to the file."""

MOST_TOGETHER = 1 << 22
"""Responses of one part, which are sorted in memory."""

CANNOT = "responses cannot be put together by candidate"


@dataclass(frozen=True)
class Responses:
    """Some responses with their candidates.

    Parameters
    ----------
    candidate
        (n, 2): fingerprints as `persons` gives them.
    system
        (n, systems): scores as given; NaN where the response does not count for a system.
    human
        (n, raters): NaN where missing; the first is missing where only systems scored.
    groups
        Grouping column -> code of each response and labels; of those that only systems scored they mean nothing.
    """

    candidate: Fingerprints
    system: Floats
    human: Floats
    groups: Mapping[str, Coded]

    @classmethod
    def of_unscored(
        cls, candidate: Fingerprints, system: Floats, raters: int, groups: Mapping[str, Coded]
    ) -> Responses:
        """Return responses that only systems scored; `groups` are those of others."""
        codes = np.zeros(len(system), np.int32)
        human = np.full((len(system), raters), np.nan)
        return cls(candidate, system, human, {name: Coded(codes, each.labels) for name, each in groups.items()})


class ByCandidate:
    """Responses in a file, by candidate; a context that lets go of the file when an error ends it.

    Raises
    ------
    InputError
        No temporary file can be written.
    """

    def __init__(self) -> None:
        self._records = PartedRecords(CANNOT, lambda records: leading(records["candidate"][:, 0]))
        self._labels: dict[str, dict[str, int]] = {}

    def __enter__(self) -> ByCandidate:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self.close()

    @property
    def labels(self) -> dict[str, tuple[str, ...]]:
        """Grouping column -> labels of the codes in records."""
        return {name: tuple(codes) for name, codes in self._labels.items()}

    def add(self, found: Responses) -> None:
        """Take some responses."""
        kind = _kind(found.system.shape[1], found.human.shape[1], len(found.groups))
        records = np.empty(len(found.system), kind)
        records["candidate"], records["system"], records["human"] = found.candidate, found.system, found.human
        for place, (name, (codes, labels)) in enumerate(found.groups.items()):
            known = self._labels.setdefault(name, {})
            number = np.array([known.setdefault(label, len(known)) for label in labels], np.int32)
            records["level"][:, place] = number[codes] if len(labels) else 0
        self._records.add(records)
        if self._records.held >= HELD:
            self._records.spill()

    def parts(self) -> Iterator[tuple[NDArray[Any], NDArray[np.bool_]]]:
        """Yield the records of whole candidates, one candidate behind the other, and which records begin one.

        Raises
        ------
        NeedsRowsError
            A part is too large to be sorted.
        """
        if (largest := self._records.largest) > MOST_TOGETHER:
            raise NeedsRowsError(f"a few candidates gave most responses, one part of them {largest:,}")
        for records in self._records.parts():
            yield _sorted(records)

    def close(self) -> None:
        """Let go of the responses."""
        self._records.close()


def _kind(systems: int, raters: int, groups: int) -> Any:
    """Return the type of the records."""
    return np.dtype([
        ("candidate", np.uint64, (2,)), ("system", np.float64, (systems,)), ("human", np.float64, (raters,)),
        ("level", np.int32, (groups,)),
    ])  # fmt: skip


def _sorted(records: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return records by candidate, and which begin one; the responses of one stay in their order."""
    order = np.argsort(records["candidate"][:, 0], kind="stable")
    one, two = (records["candidate"][order, place] for place in (0, 1))
    if ((one[1:] == one[:-1]) & (two[1:] != two[:-1])).any():
        order = np.lexsort((records["candidate"][:, 1], records["candidate"][:, 0]))
        one, two = (records["candidate"][order, place] for place in (0, 1))
    begins = np.ones(len(records), np.bool_)
    begins[1:] = (one[1:] != one[:-1]) | (two[1:] != two[:-1]) | (two[1:] == 0)  # nobody named is a person of their own
    return records[order], begins
