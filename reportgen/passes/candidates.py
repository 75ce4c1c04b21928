"""Collect a source's responses by candidate with DuckDB, and keep them as blocks in a file.

A block contains whole candidates, and refers to the counted cells and levels of their responses.
"""

import weakref
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.errors import InputError
from reportgen.evaluation.counting import ScoreCounts
from reportgen.evaluation.points import Grid, Preparation
from reportgen.evaluation.tallied_scores import AloneBlock, Candidates
from reportgen.machine.temporary import trouble
from reportgen.sources.columns import Coded, floats_to_arrow, integers_to_arrow, is_blank, mask_to_arrow, to_numpy
from reportgen.sources.databases import unnamed_file
from reportgen.sources.digests import Engine, comparable, fingerprints
from reportgen.tally import BLOCK_ROWS, OVERALL, Block, CellFinder, ClusteredRows, Integers, Tally, cuts, level_numbers
from reportgen.tally.sums import Floats


class NeedsRowsError(Exception):
    """A requested statistic cannot be counted batch by batch; the message names it and the reason."""


MOST_TOGETHER = 1 << 22  # most responses of one candidate, which are in memory together

CANNOT = "responses cannot be grouped by candidate"

Records = tuple[NDArray[Any], NDArray[np.bool_]]  # responses sorted by candidate, and which of them start a candidate


class ByCandidate(Engine):
    """The responses that count for any system, or that only systems scored, by candidate; a context manager.

    Candidates are identified by two 64-bit hashes, ours and DuckDB's. No name is stored.
    """

    def __init__(self) -> None:
        super().__init__(CANNOT)
        self._labels: dict[str, dict[str, int]] = {}
        self._kind: Any = None
        self._rows = 0

    @property
    def labels(self) -> dict[str, tuple[str, ...]]:
        """Labels of the codes in records, by grouping column."""
        return {name: tuple(codes) for name, codes in self._labels.items()}

    def add_responses(self, who: Any, system: Floats, human: Floats, groups: Mapping[str, Coded]) -> None:
        """Add responses.

        who: Arrow column of candidates; each blank cell is a separate candidate.
        system (n, systems): scores as in the data; NaN if the response does not count for a system.
        human (n, raters): NaN if missing; the first is missing if only systems scored.
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
            columns[f"level {place}"] = integers_to_arrow(number[codes])
        one = integers_to_arrow(fingerprints(who).view(np.int64))
        who = pc.if_else(mask_to_arrow(is_blank(who)), None, comparable(who, "candidate"))
        columns |= {"one": one, "who": who, "row": integers_to_arrow(np.arange(self._rows, self._rows + n))}
        self._rows += n
        self.add("responses", pa.table(columns), "* EXCLUDE (who), hash(who) AS two, who IS NULL AS nobody")

    def blocks(self) -> Iterator[Records]:
        """Yield the responses of whole candidates in blocks of moderate size."""
        waiting: list[Records] = []
        for records in self._sorted():
            waiting.append(records)
            n = sum(len(begins) for _, begins in waiting)
            if n >= 2 * BLOCK_ROWS:
                *whole, rest = _cut(waiting)
                yield from whole
                waiting = [rest]
                if len(rest[1]) > MOST_TOGETHER:
                    raise NeedsRowsError(f"a few candidates wrote most responses, one of them {len(rest[1]):,} or more")
        if waiting:
            yield from _cut(waiting)

    def _sorted(self) -> Iterator[Records]:
        """Yield all responses by candidate, in their original order, and which of them start a candidate."""
        if not self._rows:
            return
        last = np.empty((0, 2), np.uint64)
        for batch in self.ask("SELECT * FROM responses ORDER BY one, two, row"):
            one, two = to_numpy(batch.column("one"), np.int64, 0), to_numpy(batch.column("two"), np.uint64, 0)
            who = np.stack([one.view(np.uint64), two], axis=1)
            begins = to_numpy(batch.column("nobody"), np.bool_, False)  # each is a separate person
            begins[1:] |= (who[1:] != who[:-1]).any(axis=1)
            begins[0] |= not np.array_equal(last, who[:1])
            last = who[-1:]
            yield self._records(batch), begins

    def _records(self, batch: Any) -> NDArray[Any]:
        """Convert the rows of a batch to records."""
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
    records, begins = (np.concatenate(each) for each in zip(*parts, strict=True))
    starts = np.append(np.flatnonzero(begins), len(records))
    for first, last in cuts(starts):
        rows = slice(starts[first], starts[last])
        yield records[rows], begins[rows]


STEPS = "steps"  # the name of the scores in scale steps, among the score families


class BlockFile:
    """Blocks of whole clusters in an unnamed temporary file, column by column.

    n, clusters: Responses with human scores, and their clusters.
    """

    def __init__(self) -> None:
        self._file = unnamed_file(CANNOT)
        self._closing = weakref.finalize(self, self._file.close)
        self._places: list[dict[str, tuple[int, np.dtype[Any], int]]] = []
        self.n = self.clusters = 0

    def append(self, block: Mapping[str, NDArray[Any]]) -> None:
        """Write a block, as columns by name."""
        self.n += int(block["starts"][-1])
        self.clusters += len(block["starts"]) - 1
        places = {}
        try:
            for name, column in block.items():
                places[name] = self._file.tell(), column.dtype, column.nbytes
                self._file.write(np.ascontiguousarray(column).data)
            self._file.flush()
        except OSError as error:
            raise InputError(trouble(CANNOT, error)) from None
        self._places.append(places)

    def blocks(self, *wanted: str) -> Iterator[list[NDArray[Any]]]:
        """Yield the requested columns of all blocks."""
        for places in self._places:
            yield [self._read(*places[name]) for name in wanted]

    def _read(self, start: int, kind: np.dtype[Any], size: int) -> NDArray[Any]:
        self._file.seek(start)
        return np.frombuffer(self._file.read(size), kind)


class StoredBlocks(NamedTuple):
    """The blocks of a file, in terms of one of its tallies."""

    file: BlockFile
    name: str

    def of(self, grouping: str) -> Iterator[Block]:
        """Yield the blocks with the levels of a grouping."""
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
    responses: ByCandidate, counts: ScoreCounts, tallies: Mapping[str, Tally], preparation: Preparation, grid: Grid
) -> Candidates:
    """Return the responses of one system in a pass by candidate.

    responses: Every counted response, and every response that only systems scored.
    counts, tallies: Counts of the system's responses; the tallies without hidden levels.
    preparation, grid: How system scores are prepared, and the scale points.
    Raises NeedsRowsError: If a few candidates wrote most responses.
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
        meant = np.isfinite(records["system"][:, 0])  # the responses that the system scored
        if meant.any():
            cluster = np.unique((np.cumsum(begins) - 1)[meant], return_inverse=True)[1]
            file.append(described(records[meant], cluster))
    made = {name: ClusteredRows(tally, StoredBlocks(file, name)) for name, tally in every.items()}
    steps = made.pop(STEPS, None)
    return Candidates(made, steps, file.clusters, file.clusters < file.n, StoredBlocks(file, counts.primary).with_alone)


def _starts_of(cluster: NDArray[np.integer], scored: NDArray[np.bool_]) -> dict[str, NDArray[Any]]:
    """Return where each cluster's scored responses start, and the cluster of each other response, unscored last."""
    sizes = np.bincount(cluster[scored], minlength=int(cluster[-1]) + 1)
    has = sizes > 0
    number = np.where(has, np.cumsum(has) - 1, np.cumsum(~has) - 1 + has.sum())
    return {
        "starts": np.concatenate([[0], np.cumsum(sizes[has])]).astype(np.int32),
        "everyone": np.array([len(sizes)], np.int32),
        "alone cluster": number[cluster[~scored]].astype(np.int32),
    }
