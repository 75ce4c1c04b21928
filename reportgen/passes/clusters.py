"""Responses in a file as blocks of whole candidates, in terms of what was counted of them: cells and levels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.counting import ScoreCounts
from reportgen.evaluation.points import Grid, Preparation
from reportgen.evaluation.tallied_scores import AloneBlock, Candidates
from reportgen.passes.candidates import CANNOT, ByCandidate
from reportgen.sources.spilling import SpillFile
from reportgen.tally import OVERALL, ClusteredRows, Tally
from reportgen.tally.cells import Integers, rounding_of
from reportgen.tally.cluster_blocks import BLOCK_ROWS, Block, CellFinder, RowFinder, cuts, level_numbers
from reportgen.tally.kernel import state_of
from reportgen.tally.paired import PairedBlock, PairedTally
from reportgen.tally.sums import Floats

STEPS = "steps"
"""The name of the scores in steps of their scale, among those of families."""


class _Stored(NamedTuple):
    """Where a block begins in the file, its clusters with human scores, and responses with and without."""

    start: int
    clusters: int
    n: int
    alone: int
    everyone: int


class BlockFile:
    """Blocks of whole clusters in a temporary file.

    Parameters
    ----------
    names
        Of the tallies whose cells are stored.
    groupings
        Of which levels are stored.
    values
        What is stored beside each cell.
    """

    def __init__(self, names: Sequence[str], groupings: Sequence[str], values: Sequence[str] = ("u",)) -> None:
        self._file, self._blocks = SpillFile(CANNOT), list[_Stored]()
        self._names, self._groupings, self._values = tuple(names), tuple(groupings), tuple(values)

    def append(self, block: Mapping[str, NDArray[Any]], everyone: int) -> None:
        """Write a block: its columns by their names, and how many clusters it has, also without human scores."""
        clusters, n, alone = len(block["starts"]) - 1, len(block[f"u {self._names[0]}"]), len(block["alone u"])
        self._blocks.append(_Stored(self._file.size, clusters, n, alone, everyone))
        for name, kind, _ in self._columns(self._blocks[-1]):
            self._file.append(block[name].astype(kind, copy=False))

    def blocks(self, wanted: Sequence[str]) -> Iterator[tuple[_Stored, list[NDArray[Any]]]]:
        """Yield the wanted columns of all blocks."""
        for stored in self._blocks:
            found, start = {}, stored.start
            for name, kind, size in self._columns(stored):
                if name in wanted:
                    found[name] = np.empty(size, kind)
                    self._file.read(start, found[name])
                start += size * np.dtype(kind).itemsize
            yield stored, [found[name] for name in wanted]

    @property
    def n(self) -> int:
        """Responses with human scores."""
        return sum(stored.n for stored in self._blocks)

    @property
    def clusters(self) -> int:
        """Clusters with human scores."""
        return sum(stored.clusters for stored in self._blocks)

    def _columns(self, stored: _Stored) -> Iterator[tuple[str, Any, int]]:
        """Yield name, type and size of every column of a block."""
        yield "starts", np.int32, stored.clusters + 1
        for name in self._names:
            yield f"cell {name}", np.int32, stored.n
            for value in self._values:
                yield f"{value} {name}", np.float64, stored.n
        for grouping in self._groupings:
            yield f"level {grouping}", np.int32, stored.n
        yield "alone cluster", np.int32, stored.alone
        yield "alone cell", np.int32, stored.alone
        yield "alone u", np.float64, stored.alone


@dataclass(frozen=True)
class StoredBlocks:
    """The blocks of a file, in terms of one of its tallies."""

    file: BlockFile
    name: str

    def of(self, grouping: str) -> Iterator[Block]:
        """Yield the blocks, with the levels of a grouping."""
        levels = [] if grouping == OVERALL else [f"level {grouping}"]
        for stored, (starts, cell, u, *level) in self.file.blocks(["starts", *self._own, *levels]):
            if stored.n:
                yield Block(starts, cell, u, level[0] if level else np.zeros(stored.n, np.int8))

    def with_alone(self) -> Iterator[AloneBlock]:
        """Yield the blocks with the responses that only the engine scored."""
        alone = ["alone cluster", "alone cell", "alone u"]
        for stored, (starts, cell, u, *others) in self.file.blocks(["starts", *self._own, *alone]):
            level = np.zeros(stored.n, np.int8)
            yield AloneBlock(Block(starts, cell, u, level), stored.everyone, *others)

    @property
    def _own(self) -> tuple[str, str]:
        return f"cell {self.name}", f"u {self.name}"


@dataclass(frozen=True)
class StoredPairs:
    """The blocks of a file, in terms of one of its paired tallies."""

    file: BlockFile
    name: str

    def of(self, grouping: str) -> Iterator[PairedBlock]:
        """Yield the blocks, with the levels of a grouping."""
        levels = [] if grouping == OVERALL else [f"level {grouping}"]
        wanted = ["starts", *(f"{each} {self.name}" for each in ("cell", "u", "w")), *levels]
        for stored, (starts, cell, u, w, *level) in self.file.blocks(wanted):
            yield PairedBlock(starts, cell, u, w, level[0] if level else np.zeros(stored.n, np.int8))


@dataclass(frozen=True)
class Selection:
    """Which responses of a file are meant.

    Parameters
    ----------
    system
        Those that count for this system, or that only systems scored, this one among them.
    by_all
        Of these only those that count for every system.
    """

    system: int = 0
    by_all: bool = False

    def of(self, records: NDArray[Any], begins: NDArray[np.bool_]) -> tuple[NDArray[Any], Integers]:
        """Return the records that are meant, and the cluster of each, counted on from 0."""
        cluster = np.cumsum(begins) - 1
        if self.by_all:
            meant = np.isfinite(records["system"]).all(axis=1) & ~np.isnan(records["human"][:, 0])
        else:
            meant = np.isfinite(records["system"][:, self.system])
        if meant.all():
            return records, cluster
        return records[meant], np.unique(cluster[meant], return_inverse=True)[1]


def candidates_of(
    spilled: ByCandidate,
    counts: ScoreCounts,
    tallies: Mapping[str, Tally],
    preparation: Preparation,
    grid: Grid,
    selection: Selection,
) -> Candidates:
    """Return the responses of one system in a pass by candidate.

    Parameters
    ----------
    spilled
        Every response that was counted, and every one that only systems scored.
    counts, tallies
        What was counted of the responses that are meant; the tallies without what is withheld.
    preparation, grid
        How system scores are prepared, and where the points of the scale lie.
    selection
        Which responses are meant.

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
    labels = {name: level_numbers(first, name, each) for name, each in spilled.labels.items() if name in first.slices}
    places = {name: place for place, name in enumerate(spilled.labels)}

    def scores(system: Floats, human: Floats) -> Iterator[tuple[str, Floats, Floats]]:
        families = preparation.families(system)
        for name, scores in families.items():
            yield name, scores, human
        if STEPS in every:
            yield STEPS, grid.steps(families[counts.primary]), grid.ratings(human)

    def described(records: NDArray[Any], cluster: Integers) -> tuple[dict[str, NDArray[Any]], int]:
        scored, system = ~np.isnan(records["human"][:, 0]), records["system"][:, selection.system]
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
        return found, int(cluster[-1]) + 1

    file = BlockFile(list(every), list(labels))
    for records, begins in _blocks(spilled):
        meant, cluster = selection.of(records, begins)
        if len(meant):
            file.append(*described(meant, cluster))
    made = {name: ClusteredRows(tally, StoredBlocks(file, name)) for name, tally in every.items()}
    steps = made.pop(STEPS, None)
    return Candidates(made, steps, file.clusters, file.clusters < file.n, StoredBlocks(file, counts.primary).with_alone)


def pairs_of(
    spilled: ByCandidate,
    tallies: Mapping[str, PairedTally],
    preparations: tuple[Preparation, Preparation],
    system: int,
) -> dict[str, StoredPairs]:
    """Return the responses that count for every system by candidate: the first system's scores and another's.

    Parameters
    ----------
    spilled
        Every response that was counted.
    tallies
        Family of scores -> both systems' scores, counted together.
    preparations
        How either system's scores are prepared.
    system
        Which is the other.

    Raises
    ------
    InputError, NeedsRowsError
        As for `candidates_of`.
    """
    finders = {name: RowFinder(tally.keys()) for name, tally in tallies.items()}
    slices = next(iter(tallies.values())).slices
    places = {name: {label: place for place, label in enumerate(each.labels)} for name, each in slices.items()}
    numbers = {
        name: np.array([places[name].get(label, -1) for label in labels], np.int32)
        for name, labels in spilled.labels.items()
    }
    file = BlockFile(list(tallies), list(numbers), ("u", "w"))
    for records, begins in _blocks(spilled):
        meant, cluster = Selection(system, by_all=True).of(records, begins)
        if not len(meant):
            continue
        found = _starts_of(cluster, np.ones(len(cluster), np.bool_))
        found |= {"alone cell": np.empty(0), "alone u": np.empty(0)}
        for place, (name, number) in enumerate(numbers.items()):
            found[f"level {name}"] = number[meant["level"][:, place]]
        families = [
            preparation.families(meant["system"][:, column])
            for preparation, column in zip(preparations, (0, system), strict=True)
        ]
        rounding = rounding_of(preparations[0].bounds)
        ratings = rounding.ratings(meant["human"])
        ratings = np.where(np.isnan(ratings), -np.inf, ratings)
        for name, tally in tallies.items():
            columns, taken = [*ratings.T], []
            for own, bounds in zip((each[name] for each in families), tally.bounds, strict=True):
                rounded = rounding.nearest(own)
                columns += [rounded, state_of(own, ratings[:, 0], bounds).astype(np.float64)]
                taken.append(own - rounded)
            found[f"cell {name}"] = finders[name].find(columns)
            found[f"u {name}"], found[f"w {name}"] = taken[0], taken[1] - taken[0]
        file.append(found, int(cluster[-1]) + 1)
    return {name: StoredPairs(file, name) for name in tallies}


def _starts_of(cluster: NDArray[np.integer], scored: NDArray[np.bool_]) -> dict[str, NDArray[Any]]:
    """Return where the scored responses of each cluster begin, and the cluster of each other response.

    Clusters without scored responses come behind all others.
    """
    sizes = np.bincount(cluster[scored], minlength=int(cluster[-1]) + 1)
    has = sizes > 0
    number = np.where(has, np.cumsum(has) - 1, np.cumsum(~has) - 1 + has.sum())
    return {
        "starts": np.concatenate([[0], np.cumsum(sizes[has])]).astype(np.int32),
        "alone cluster": number[cluster[~scored]].astype(np.int32),
    }


def _blocks(spilled: ByCandidate) -> Iterator[tuple[NDArray[Any], NDArray[np.bool_]]]:
    """Yield records of whole candidates, and which begin one; few enough, and not very few, at a time."""
    waiting: list[tuple[NDArray[Any], NDArray[np.bool_]]] = []
    for part in spilled.parts():
        waiting.append(part)
        if sum(len(begins) for _, begins in waiting) >= 2 * BLOCK_ROWS:
            *whole, rest = _cut(waiting)
            yield from whole
            waiting = [rest]
    if waiting:
        yield from _cut(waiting)


def _cut(parts: Sequence[tuple[NDArray[Any], NDArray[np.bool_]]]) -> Iterator[tuple[NDArray[Any], NDArray[np.bool_]]]:
    """Yield the records of parts, cut between candidates."""
    records, begins = (np.concatenate(each) for each in zip(*parts, strict=True))
    starts = np.append(np.flatnonzero(begins), len(records))
    for first, last in cuts(starts):
        rows = slice(starts[first], starts[last])
        yield records[rows], begins[rows]
