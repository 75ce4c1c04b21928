"""Batches of responses from Arrow: the same tally from a file far larger than memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from reportgen.tally.cells import Tally
from reportgen.tally.kernel import Tallier

if TYPE_CHECKING:  # pragma: no cover - pyarrow is imported only when a batch is read
    import pyarrow as pa

BATCH_ROWS = 1 << 18


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
        Only these row groups: the parts of the file can be counted in any number of processes and added.
    """
    import pyarrow.parquet as pq

    file = pq.ParquetFile(path, read_dictionary=list(columns.groups))
    batches = file.iter_batches(BATCH_ROWS, columns=columns.names(), row_groups=row_groups)
    return tally_batches(batches, columns, bounds)


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
        system = _numbers(batch.column(columns.system))
        human = np.stack([_numbers(batch.column(name)) for name in columns.human])
        human[np.isinf(human)] = np.nan
        groups = {name: _codes(batch.column(name)) for name in columns.groups}
        keep = np.isfinite(system) & ~np.isnan(human[0])
        if not keep.all():
            rows = np.flatnonzero(keep)
            system, human = system[rows], human[:, rows]
            groups = {name: (codes[rows], labels) for name, (codes, labels) in groups.items()}
        tallier.add(human.T, system, groups)
    return tallier.tally()


def _numbers(column: Any) -> NDArray[np.float64]:
    """Return a numeric Arrow column as float64, nulls as NaN."""
    import pyarrow as pa

    from reportgen.scores.bridge import to_numpy

    return to_numpy(column.cast(pa.float64()), np.float64, np.nan)


def _codes(column: Any) -> tuple[NDArray[np.integer], list[str]]:
    """Return codes and labels of an Arrow column; missing values become "No info"."""
    import pyarrow as pa

    from reportgen.scores.bridge import to_numpy

    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    labels = [str(label) for label in column.dictionary.to_pylist()]
    codes = to_numpy(column.indices, np.int32, len(labels))
    return codes, [*labels, "No info"] if column.null_count else labels
