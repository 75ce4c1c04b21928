"""Scores that lie in a Spark data frame: counted where they are, merged here."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from reportgen.errors import InputError
from reportgen.tally.cells import merge
from reportgen.tally.sources import Columns, tally_batches

if TYPE_CHECKING:
    from reportgen.tally.cells import Tally


def tally_spark(frame: Any, columns: Columns, bounds: tuple[float, float] = (-np.inf, np.inf)) -> Tally:
    """Return the tally of a Spark data frame; its counts are those of the same rows anywhere else.

    Every partition is counted by the kernel that counts files, and only its cells travel, not its rows.

    Parameters
    ----------
    frame
        A ``pyspark.sql.DataFrame``, with `reportgen` and numpy where its executors run.
    columns
        What to count.
    bounds
        Lowest and highest score after trimming (tolerance included).

    Raises
    ------
    InputError
        No row has a finite system score and a first human score.

    Examples
    --------
    >>> tally_spark(frame, Columns("engine", ("h1", "h2"), ("gender",))).n  # doctest: +SKIP
    1000000
    """

    def counted(batches: Iterable[Any]) -> Iterator[Any]:
        """Yield one row for a partition that has scores: its tally."""
        import pyarrow as pa

        try:
            tally = tally_batches(batches, columns, bounds)
        except ValueError:  # no response in this partition
            return
        yield pa.record_batch({"tally": pa.array([pickle.dumps(tally)], pa.binary())})

    rows = frame.select(*columns.names()).mapInArrow(counted, "tally binary").collect()
    if not rows:
        raise InputError("the frame has no row with a system score and a first human score.")
    return merge([pickle.loads(bytes(row["tally"])) for row in rows])
