"""The tally of delimited text, range by range of its bytes, in as many processes as are given."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, repeat
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from reportgen.errors import InputError
from reportgen.tally.cells import Tally
from reportgen.tally.kernel import Tallier
from reportgen.tally.sources import Columns, add_batch, merged, shares

if TYPE_CHECKING:  # pragma: no cover - readers are imported only when a file is read
    from concurrent.futures import Executor

    from reportgen.sources.byte_ranges import ByteRange


def tally_csv_files(
    paths: Sequence[str | PathLike[str]],
    columns: Columns,
    bounds: tuple[float, float] = (-np.inf, np.inf),
    executor: Executor | None = None,
    workers: int = 1,
    encoding: str | None = None,
) -> Tally:
    """Return the tally of all rows of CSV or TSV files, their bytes shared out among workers.

    Responses without a finite system score or a first human score are passed over; words among scores are no scores.
    Counts do not depend on the number of workers; sums of scores differ by the order of addition, in the last digit.

    Parameters
    ----------
    executor
        Any `concurrent.futures.Executor` whose workers can read the files; None counts in this process.
    workers
        Into how many shares of about as many bytes the files are divided.
    encoding
        How the files are written; None for UTF-8, or what a byte order mark says.

    Raises
    ------
    InputError
        A file is no table, is not in its encoding, or has no column of a name.
    ValueError
        When no response is left.
    """
    from reportgen.sources.byte_ranges import byte_ranges

    def ranges(path: Path) -> list[ByteRange]:
        """Return the ranges of a file that has the columns."""
        try:
            found = byte_ranges(path, encoding)
        except InputError as error:
            raise InputError(f"{path.name}: {error}") from None
        missing = [name for name in columns.names() if name not in found[0].names]
        if missing:
            names = ", ".join(found[0].names)
            raise InputError(f"{path.name}: there is no column '{missing[0]}'; columns are {names}.")
        return found

    every = list(chain.from_iterable(ranges(Path(path)) for path in paths))
    divided = shares(every, [part.stop - part.start for part in every], workers)
    return merged((executor.map if executor else map)(_tally_share, divided, repeat(columns), repeat(bounds)))


def _tally_share(share: Sequence[ByteRange], columns: Columns, bounds: tuple[float, float]) -> Tally | None:
    """Return the tally of ranges; None when no response in them is left."""
    tallier = Tallier(bounds)
    for part in share:
        try:
            for batch in part.batches(columns.groups, tuple(dict.fromkeys((columns.system, *columns.human)))):
                add_batch(tallier, batch, columns)
        except InputError as error:
            raise InputError(f"{part.path.name}: {error}") from None
    return tallier.tally() if tallier.n else None
