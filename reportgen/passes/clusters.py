"""Responses in a file as blocks of whole candidates, in terms of what was counted of them: cells and levels."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.counting import ScoreCounts
from reportgen.evaluation.points import Grid, Preparation
from reportgen.evaluation.tallied_scores import AloneBlock, Candidates
from reportgen.passes.candidates import CANNOT, ByCandidate
from reportgen.sources.databases import refuse_spilling, unnamed_file
from reportgen.tally import OVERALL, ClusteredRows, Tally
from reportgen.tally.cells import Integers
from reportgen.tally.cluster_blocks import Block, CellFinder, level_numbers

STEPS = "steps"
"""The name of the scores in steps of their scale, among those of families."""


class BlockFile:
    """Blocks of whole clusters in a temporary file without a name, column by column.

    n, clusters: Responses with human scores, and clusters of these.
    """

    def __init__(self) -> None:
        self._file = unnamed_file(CANNOT)
        self._closing = weakref.finalize(self, self._file.close)
        self._places: list[dict[str, tuple[int, np.dtype[Any], int]]] = []
        self.n = self.clusters = 0

    def append(self, block: Mapping[str, NDArray[Any]]) -> None:
        """Write a block: its columns by their names."""
        self.n += int(block["starts"][-1])
        self.clusters += len(block["starts"]) - 1
        places = {}
        try:
            for name, column in block.items():
                places[name] = self._file.tell(), column.dtype, column.nbytes
                self._file.write(np.ascontiguousarray(column).data)
            self._file.flush()
        except OSError as error:
            refuse_spilling(CANNOT, error)
        self._places.append(places)

    def blocks(self, *wanted: str) -> Iterator[list[NDArray[Any]]]:
        """Yield the wanted columns of all blocks."""
        for places in self._places:
            yield [self._read(*places[name]) for name in wanted]

    def _read(self, start: int, kind: np.dtype[Any], size: int) -> NDArray[Any]:
        self._file.seek(start)
        return np.frombuffer(self._file.read(size), kind)


@dataclass(frozen=True)
class StoredBlocks:
    """The blocks of a file, in terms of one of its tallies."""

    file: BlockFile
    name: str

    def of(self, grouping: str) -> Iterator[Block]:
        """Yield the blocks, with the levels of a grouping."""
        levels = () if grouping == OVERALL else (f"level {grouping}",)
        for starts, cell, u, *level in self.file.blocks("starts", f"cell {self.name}", f"u {self.name}", *levels):
            if len(u):
                yield Block(starts, cell, u, level[0] if level else np.zeros(len(u), np.int8))

    def with_alone(self) -> Iterator[AloneBlock]:
        """Yield the blocks with the responses that only the engine scored."""
        own, alone = (f"cell {self.name}", f"u {self.name}"), ("alone cluster", "alone cell", "alone u")
        for starts, cell, u, everyone, *others in self.file.blocks("starts", *own, "everyone", *alone):
            yield AloneBlock(Block(starts, cell, u, np.zeros(len(u), np.int8)), int(everyone[0]), *others)


def candidates_of(
    responses: ByCandidate,
    counts: ScoreCounts,
    tallies: Mapping[str, Tally],
    preparation: Preparation,
    grid: Grid,
) -> Candidates:
    """Return the responses of one system in a pass by candidate.

    responses: Every response that was counted, and every one that only systems scored.
    counts, tallies: What was counted of the responses that are meant; the tallies without what is withheld.
    preparation, grid: How system scores are prepared, and where the points of the scale lie.
    Raises NeedsRowsError: A few candidates gave most responses.
    """
    every = dict(tallies) | ({STEPS: counts.points} if counts.points is not None else {})
    finders = {name: CellFinder(tally) for name, tally in every.items()}
    alone = None if counts.unscored is None else CellFinder(counts.unscored)
    first = next(iter(tallies.values()))
    levels = {
        name: (place, level_numbers(first, name, labels))
        for place, (name, labels) in enumerate(responses.labels.items())
        if name in first.slices
    }

    def described(records: NDArray[Any], cluster: Integers) -> dict[str, NDArray[Any]]:
        scored, system = ~np.isnan(records["human"][:, 0]), records["system"][:, 0]
        found = _starts_of(cluster, scored)
        counted = records[scored]
        human, families = counted["human"], preparation.families(system[scored])
        of_tallies = {name: (own, human) for name, own in families.items()}
        if STEPS in every:
            of_tallies[STEPS] = grid.steps(families[counts.primary]), grid.ratings(human)
        for name, scores in of_tallies.items():
            found[f"cell {name}"], found[f"u {name}"] = finders[name].find(*scores)
        for name, (place, numbers) in levels.items():
            found[f"level {name}"] = numbers[counted["level"][:, place]]
        found["alone cell"], found["alone u"] = np.empty(0, np.int32), np.empty(0)
        if alone is not None and not scored.all():
            primary = preparation.families(system[~scored])[counts.primary]
            found["alone cell"], found["alone u"] = alone.find(primary, np.zeros((len(primary), 1)))
        return found

    file = BlockFile()
    for records, begins in responses.blocks():
        meant = np.isfinite(records["system"][:, 0])  # what the system scored
        if meant.any():
            cluster = np.unique((np.cumsum(begins) - 1)[meant], return_inverse=True)[1]
            file.append(described(records[meant], cluster))
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
