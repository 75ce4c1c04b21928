"""Responses in a file as blocks of whole candidates, in terms of what was counted of them: cells and levels."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reportgen.evaluation.counting import ScoreCounts
from reportgen.evaluation.points import Grid, Preparation
from reportgen.evaluation.tallied_scores import AloneBlock, Candidates
from reportgen.passes.candidates import CANNOT, ByCandidate
from reportgen.sources.bridge import to_numpy
from reportgen.sources.fetched import refuse_spilling, unnamed_file
from reportgen.tally import OVERALL, ClusteredRows, Tally
from reportgen.tally.cells import Integers
from reportgen.tally.cluster_blocks import Block, CellFinder, level_numbers
from reportgen.tally.sums import Floats

STEPS = "steps"
"""The name of the scores in steps of their scale, among those of families."""


class BlockFile:
    """Blocks of whole clusters in a temporary file without a name: each one row of lists, one list a column."""

    def __init__(self) -> None:
        self._file = unnamed_file(CANNOT)
        self._closing = weakref.finalize(self, self._file.close)
        self._writer: Any = None
        self._schema: Any = None
        self.n = self.clusters = 0
        """Responses with human scores, and clusters of these."""

    def append(self, block: Mapping[str, NDArray[Any]]) -> None:
        """Write a block: its columns by their names.

        Raises
        ------
        InputError
            No temporary file can be written.
        """
        self.n += int(block["starts"][-1])
        self.clusters += len(block["starts"]) - 1
        row = pa.RecordBatch.from_arrays([_as_list(column) for column in block.values()], list(block))
        try:
            self._schema = row.schema
            self._writer = self._writer or pa.ipc.new_file(self._file, row.schema)
            self._writer.write_batch(row)
        except OSError as error:
            refuse_spilling(CANNOT, error)

    def finish(self) -> None:
        """Write what a file ends with; only then can it be read."""
        try:
            if self._writer is not None:
                self._writer.close()
        except OSError as error:
            refuse_spilling(CANNOT, error)

    def blocks(self, wanted: Sequence[str]) -> Iterator[list[NDArray[Any]]]:
        """Yield the wanted columns of all blocks."""
        if self._writer is None:
            return
        places = [self._schema.get_field_index(name) for name in wanted]
        reader = pa.ipc.open_file(self._file, options=pa.ipc.IpcReadOptions(included_fields=places))
        for number in range(reader.num_record_batches):
            row = reader.get_batch(number)
            yield [_of_list(row.column(name)) for name in wanted]


def _as_list(values: NDArray[Any]) -> Any:
    """Return an array as an Arrow array of one list."""
    values = np.ascontiguousarray(values)
    inner = pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, pa.py_buffer(values)])
    ends = pa.py_buffer(np.array([0, len(values)], np.int32))
    return pa.Array.from_buffers(pa.list_(inner.type), 1, [None, ends], children=[inner])


def _of_list(column: Any) -> NDArray[Any]:
    """Return the one list of an Arrow array."""
    kind = np.float64 if pa.types.is_floating(column.type.value_type) else np.int32
    return to_numpy(column.values, kind, 0)


@dataclass(frozen=True)
class StoredBlocks:
    """The blocks of a file, in terms of one of its tallies."""

    file: BlockFile
    name: str

    def of(self, grouping: str) -> Iterator[Block]:
        """Yield the blocks, with the levels of a grouping."""
        levels = [] if grouping == OVERALL else [f"level {grouping}"]
        for starts, cell, u, *level in self.file.blocks(["starts", *self._own, *levels]):
            if len(u):
                yield Block(starts, cell, u, level[0] if level else np.zeros(len(u), np.int8))

    def with_alone(self) -> Iterator[AloneBlock]:
        """Yield the blocks with the responses that only the engine scored."""
        alone = ["alone cluster", "alone cell", "alone u"]
        for starts, cell, u, everyone, *others in self.file.blocks(["starts", *self._own, "everyone", *alone]):
            yield AloneBlock(Block(starts, cell, u, np.zeros(len(u), np.int8)), int(everyone[0]), *others)

    @property
    def _own(self) -> tuple[str, str]:
        return f"cell {self.name}", f"u {self.name}"


def _meant(records: NDArray[Any], begins: NDArray[np.bool_]) -> tuple[NDArray[Any], Integers]:
    """Return the records that the system scored, and the cluster of each, counted on from 0."""
    cluster = np.cumsum(begins) - 1
    meant = np.isfinite(records["system"][:, 0])
    if meant.all():
        return records, cluster
    return records[meant], np.unique(cluster[meant], return_inverse=True)[1]


def candidates_of(
    responses: ByCandidate,
    counts: ScoreCounts,
    tallies: Mapping[str, Tally],
    preparation: Preparation,
    grid: Grid,
) -> Candidates:
    """Return the responses of one system in a pass by candidate.

    Parameters
    ----------
    responses
        Every response that was counted, and every one that only systems scored.
    counts, tallies
        What was counted of the responses that are meant; the tallies without what is withheld.
    preparation, grid
        How system scores are prepared, and where the points of the scale lie.

    Raises
    ------
    InputError
        No temporary file can be written.
    NeedsRowsError
        A few candidates gave most responses.
    """
    every = dict(tallies) | ({STEPS: counts.points} if counts.points is not None else {})
    finders = {name: CellFinder(tally) for name, tally in every.items()}
    alone = None if counts.unscored is None else CellFinder(counts.unscored)
    first = next(iter(tallies.values()))
    labels = {name: level_numbers(first, name, each) for name, each in responses.labels.items() if name in first.slices}
    places = {name: place for place, name in enumerate(responses.labels)}

    def scores(system: Floats, human: Floats) -> Iterator[tuple[str, Floats, Floats]]:
        families = preparation.families(system)
        for name, scores in families.items():
            yield name, scores, human
        if STEPS in every:
            yield STEPS, grid.steps(families[counts.primary]), grid.ratings(human)

    def described(records: NDArray[Any], cluster: Integers) -> dict[str, NDArray[Any]]:
        scored, system = ~np.isnan(records["human"][:, 0]), records["system"][:, 0]
        found = _starts_of(cluster, scored)
        counted = records[scored]
        for name, own, human in scores(system[scored], counted["human"]):
            found[f"cell {name}"], found[f"u {name}"] = finders[name].find(own, human)
        for name, numbers in labels.items():
            found[f"level {name}"] = numbers[counted["level"][:, places[name]]]
        found["alone cell"], found["alone u"] = np.empty(0, np.int32), np.empty(0)
        if alone is not None and not scored.all():
            primary = preparation.families(system[~scored])[counts.primary]
            found["alone cell"], found["alone u"] = alone.find(primary, np.zeros((len(primary), 1)))
        return found

    file = BlockFile()
    for records, begins in responses.blocks():
        meant, cluster = _meant(records, begins)
        if len(meant):
            file.append(described(meant, cluster))
    file.finish()
    made = {name: ClusteredRows(tally, StoredBlocks(file, name)) for name, tally in every.items()}
    steps = made.pop(STEPS, None)
    return Candidates(made, steps, file.clusters, file.clusters < file.n, StoredBlocks(file, counts.primary).with_alone)


def _starts_of(cluster: NDArray[np.integer], scored: NDArray[np.bool_]) -> dict[str, NDArray[Any]]:
    """Return where the scored responses of each cluster begin, and the cluster of each other response.

    Clusters without scored responses come behind all others.
    """
    sizes = np.bincount(cluster[scored], minlength=int(cluster[-1]) + 1)
    has = sizes > 0
    number = np.where(has, np.cumsum(has) - 1, np.cumsum(~has) - 1 + has.sum())
    return {
        "starts": np.concatenate([[0], np.cumsum(sizes[has])]).astype(np.int32),
        "everyone": np.array([len(sizes)], np.int32),
        "alone cluster": number[cluster[~scored]].astype(np.int32),
    }
