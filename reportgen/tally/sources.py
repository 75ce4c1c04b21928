"""Batches of responses from Arrow: the same tally from a file far larger than memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby, repeat
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from reportgen.tally.blocks import Groups
from reportgen.tally.cells import Tally, merge
from reportgen.tally.kernel import Tallier, all_finite, blocks

if TYPE_CHECKING:  # pragma: no cover - pyarrow is imported only when a batch is read
    from concurrent.futures import Executor

    import pyarrow as pa

Part = TypeVar("Part")

BATCH_ROWS = 1 << 18

NO_INFO = "No info"
"""The level of a response whose group is blank."""


class RowGroup(NamedTuple):
    """One row group of a Parquet file."""

    path: str
    number: int
    rows: int


@dataclass(frozen=True)
class Columns:
    """The columns of a file that a tally needs.

    Parameters
    ----------
    system
        The system score.
    human
        The raters' scores; the first is the score of record.
    groups
        Grouping columns.
    """

    system: str
    human: tuple[str, ...]
    groups: tuple[str, ...] = ()

    def names(self) -> list[str]:
        """Return every column once."""
        return list(dict.fromkeys([self.system, *self.human, *self.groups]))


def tally_parquet(
    path: str | PathLike[str],
    columns: Columns,
    bounds: tuple[float, float] = (-np.inf, np.inf),
    row_groups: Sequence[int] | None = None,
) -> Tally:
    """Return the tally of a Parquet file, read in batches.

    Responses without a finite system score or a first human score are passed over.

    Parameters
    ----------
    row_groups
        Only these row groups; a range of them, so that rows come in their order.

    Raises
    ------
    ValueError
        When no response is left.
    """
    import pyarrow.parquet as pq

    with pq.ParquetFile(path, read_dictionary=list(columns.groups)) as file:
        batches = file.iter_batches(BATCH_ROWS, columns=columns.names(), row_groups=row_groups)
        return tally_batches(ahead(batches), columns, bounds)


def tally_parquet_files(
    paths: Sequence[str | PathLike[str]],
    columns: Columns,
    bounds: tuple[float, float] = (-np.inf, np.inf),
    executor: Executor | None = None,
    workers: int = 1,
) -> Tally:
    """Return the tally of all rows of Parquet files, their row groups shared out among workers.

    Counts do not depend on the number of workers; sums of scores differ by the order of addition, in the last digit.

    Parameters
    ----------
    executor
        Any `concurrent.futures.Executor` whose workers can read the files; None counts in this process.
    workers
        Into how many shares of about as many rows the row groups are divided.

    Raises
    ------
    ValueError
        When no response is left.
    """
    groups = _row_groups(paths)
    divided = shares(groups, [group.rows for group in groups], workers)
    return merged((executor.map if executor else map)(_tally_share, divided, repeat(columns), repeat(bounds)))


def merged(counted: Iterable[Tally | None]) -> Tally:
    """Return the tally of all parts, None of which holds no response; ValueError when that leaves none."""
    found = [tally for tally in counted if tally is not None]
    if not found:
        raise ValueError("no response has a system score and a first human score")
    return merge(found)


def _row_groups(paths: Sequence[str | PathLike[str]]) -> list[RowGroup]:
    """Return every row group of the files that holds rows."""
    import pyarrow.parquet as pq

    found = []
    for path in paths:
        metadata = pq.read_metadata(path)
        sizes = [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)]
        found += [RowGroup(fspath(path), number, size) for number, size in enumerate(sizes) if size]
    return found


def shares(parts: Sequence[Part], sizes: Sequence[int], workers: int) -> list[list[Part]]:
    """Return parts in order, cut where shares of equal size would end; shares without a part are left out.

    Examples
    --------
    >>> shares(["a0", "a1", "a2", "b0"], [10, 10, 10, 30], 2)
    [['a0', 'a1', 'a2'], ['b0']]
    """
    divided: list[list[Part]] = [[] for _ in range(max(workers, 1))]
    total, done = sum(sizes), 0
    for part, size in zip(parts, sizes, strict=True):
        middle = done + size / 2
        divided[min(int(middle * len(divided) / total), len(divided) - 1)].append(part)
        done += size
    return [share for share in divided if share]


def _tally_share(share: Sequence[RowGroup], columns: Columns, bounds: tuple[float, float]) -> Tally | None:
    """Return the tally of row groups; None when no response in them is left."""
    import pyarrow.parquet as pq

    tallier = Tallier(bounds)
    for path, groups in groupby(share, key=lambda group: group.path):
        with pq.ParquetFile(path, read_dictionary=list(columns.groups)) as file:
            numbers = [group.number for group in groups]
            for batch in ahead(file.iter_batches(BATCH_ROWS, columns=columns.names(), row_groups=numbers)):
                add_batch(tallier, batch, columns)
    return tallier.tally() if tallier.n else None


def ahead(parts: Iterable[Part]) -> Iterator[Part]:
    """Yield parts as they come, while the next one is made by another thread: reading needs little of this one's.

    Examples
    --------
    >>> list(ahead(range(3)))
    [0, 1, 2]
    """
    end = object()
    source = iter(parts)
    with ThreadPoolExecutor(1) as reader:
        coming = reader.submit(next, source, end)
        while (part := coming.result()) is not end:
            coming = reader.submit(next, source, end)
            yield cast("Part", part)


def tally_batches(
    batches: Iterable[pa.RecordBatch], columns: Columns, bounds: tuple[float, float] = (-np.inf, np.inf)
) -> Tally:
    """Return the tally of Arrow record batches; column types are made here, never inferred.

    Raises
    ------
    ValueError
        When no response is left.
    """
    tallier = Tallier(bounds)
    for batch in batches:
        add_batch(tallier, batch, columns)
    return tallier.tally()


def add_batch(tallier: Tallier, batch: pa.RecordBatch, columns: Columns) -> None:
    """Count the responses of a batch that have a finite system score and a first human score."""
    groups = {name: _codes(batch.column(name)) for name in columns.groups}
    for block in blocks(batch.num_rows):
        levels = {name: (codes[block], labels) for name, (codes, labels) in groups.items()}
        _add_block(tallier, batch.slice(block.start, block.stop - block.start), columns, levels)


def _add_block(tallier: Tallier, block: pa.RecordBatch, columns: Columns, groups: Groups) -> None:
    """Count responses that are few enough to stay in the processor's cache on the way."""
    system = np.empty(block.num_rows)
    human = np.empty((len(columns.human), block.num_rows))
    for name, numbers in ((columns.system, system), *zip(columns.human, human, strict=True)):
        _read_numbers(block.column(name), numbers)
        if numbers is not system and not all_finite(numbers):
            np.copyto(numbers, np.nan, where=np.isinf(numbers))
    if not (all_finite(system) and all_finite(human[0])):
        rows = np.flatnonzero(np.isfinite(system) & ~np.isnan(human[0]))
        system, human = system.take(rows), human.take(rows, axis=1)  # half the time of indexing
        groups = {name: (codes.take(rows), labels) for name, (codes, labels) in groups.items()}
    tallier.add(human.T, system, groups)


def _read_numbers(column: Any, numbers: NDArray[np.float64]) -> None:
    """Write a numeric Arrow column into an array, nulls as NaN."""
    import pyarrow as pa

    from reportgen.sources.bridge import into_numpy

    kind = column.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        column = column.cast(pa.float64())
    into_numpy(column, numbers, np.nan)


def _codes(column: Any) -> tuple[NDArray[np.integer], list[str]]:
    """Return codes and labels of an Arrow column; white space around labels is taken away, blank ones are `NO_INFO`."""
    import pyarrow as pa

    from reportgen.sources.bridge import codes_of

    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    labels = [str(label).strip() or NO_INFO for label in column.dictionary.to_pylist()]
    codes = codes_of(column.indices, len(labels))
    return codes, [*labels, NO_INFO] if column.null_count else labels
