"""The responses of a source with their candidates, which DuckDB brings together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.passes.studying import NeedsRowsError
from reportgen.sources.columns import Coded, Floats, floats_to_arrow, is_blank, mask_to_arrow, to_numpy, whole_to_arrow
from reportgen.sources.digests import Engine, comparable, fingerprints
from reportgen.tally.cluster_blocks import BLOCK_ROWS, cuts

MOST_TOGETHER = 1 << 22
"""Responses of one candidate, which are held together."""

CANNOT = "responses cannot be put together by candidate"

Records = tuple[NDArray[Any], NDArray[np.bool_]]
"""Responses, one candidate behind the other, and which of them begin one."""


class ByCandidate(Engine):
    """The responses that count for some system, or that only systems scored, by candidate; a context.

    Candidates are told apart by two hashes of 64 bits: ours and DuckDB's.  No name is stored.
    """

    def __init__(self) -> None:
        super().__init__(CANNOT)
        self._labels: dict[str, dict[str, int]] = {}
        self._kind: Any = None
        self._rows = 0

    @property
    def labels(self) -> dict[str, tuple[str, ...]]:
        """Grouping column -> labels of the codes in records."""
        return {name: tuple(codes) for name, codes in self._labels.items()}

    def add_responses(self, who: Any, system: Floats, human: Floats, groups: Mapping[str, Coded]) -> None:
        """Take some responses.

        who: Arrow column of candidates; a blank cell is a candidate of its own.
        system (n, systems): scores as given; NaN where the response does not count for a system.
        human (n, raters): NaN where missing; the first is missing where only systems scored.
        """
        n = len(system)
        self._kind = np.dtype([
            ("system", np.float64, (system.shape[1],)), ("human", np.float64, (human.shape[1],)),
            ("level", np.int32, (len(groups),)),
        ])  # fmt: skip
        scores = np.column_stack([system, human])
        columns = {f"score {place}": floats_to_arrow(each) for place, each in enumerate(scores.T)}
        for place, (name, (codes, labels)) in enumerate(groups.items()):
            known = self._labels.setdefault(name, {})
            number = np.array([known.setdefault(label, len(known)) for label in labels] or [0], np.int64)
            columns[f"level {place}"] = whole_to_arrow(number[codes])
        one = whole_to_arrow(fingerprints(who).view(np.int64))
        who = pc.if_else(mask_to_arrow(is_blank(who)), None, comparable(who, "candidate"))
        columns |= {"one": one, "who": who, "row": whole_to_arrow(np.arange(self._rows, self._rows + n))}
        self._rows += n
        self.add("responses", pa.table(columns), "* EXCLUDE (who), hash(who) AS two, who IS NULL AS nobody")

    def blocks(self) -> Iterator[Records]:
        """Yield the responses of whole candidates: few enough, and not very few, at a time."""
        waiting: list[Records] = []
        for records in self._sorted():
            waiting.append(records)
            n = sum(len(begins) for _, begins in waiting)
            if n >= 2 * BLOCK_ROWS:
                *whole, rest = _cut(waiting)
                yield from whole
                waiting = [rest]
                if len(rest[1]) > MOST_TOGETHER:
                    raise NeedsRowsError(f"a few candidates gave most responses, one of them {len(rest[1]):,} or more")
        if waiting:
            yield from _cut(waiting)

    def _sorted(self) -> Iterator[Records]:
        """Yield all responses by candidate, and which begin one; those of one stay in their order."""
        if not self._rows:
            return
        last = np.empty((0, 2), np.uint64)
        for batch in self.ask("SELECT * FROM responses ORDER BY one, two, row"):
            one, two = to_numpy(batch.column("one"), np.int64, 0), to_numpy(batch.column("two"), np.uint64, 0)
            who = np.stack([one.view(np.uint64), two], axis=1)
            begins = to_numpy(batch.column("nobody"), np.bool_, False)  # each is a person of their own
            begins[1:] |= (who[1:] != who[:-1]).any(axis=1)
            begins[0] |= not np.array_equal(last, who[:1])
            last = who[-1:]
            yield self._records(batch), begins

    def _records(self, batch: Any) -> NDArray[Any]:
        """Return the rows of a batch as records."""
        records = np.empty(batch.num_rows, self._kind)
        scores = np.column_stack([
            to_numpy(batch.column(name), np.float64, np.nan) for name in batch.schema.names if name.startswith("score ")
        ])  # fmt: skip
        systems = records["system"].shape[1]
        records["system"], records["human"] = scores[:, :systems], scores[:, systems:]
        for place in range(records["level"].shape[1]):
            records["level"][:, place] = to_numpy(batch.column(f"level {place}"), np.int64, 0)
        return records


def _cut(parts: Sequence[Records]) -> Iterator[Records]:
    """Yield the records of parts, cut between candidates."""
    records, begins = (np.concatenate(each) for each in zip(*parts, strict=True))
    starts = np.append(np.flatnonzero(begins), len(records))
    for first, last in cuts(starts):
        rows = slice(starts[first], starts[last])
        yield records[rows], begins[rows]
