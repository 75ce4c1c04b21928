"""Delimited files read batch by batch: in ranges of bytes, each of whole rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from reportgen.sources.batches import Piece, Wanted
from reportgen.sources.byte_ranges import ByteRange, byte_ranges
from reportgen.sources.delimited import DelimitedReader


@dataclass(frozen=True)
class DelimitedPiece:
    """A range of bytes of a CSV or TSV file.

    Parameters
    ----------
    range
        The bytes.
    rows
        About how many rows they hold.
    """

    range: ByteRange
    rows: int
    file: int = 0

    def batches(self, wanted: Wanted) -> Iterator[Any]:
        """Yield the wanted columns as Arrow tables: texts, or numbers where only those matter and nothing else is."""
        texts = [name for name in wanted.names if name not in wanted.numbers]
        numbers = [name for name in wanted.names if name in wanted.numbers]
        for batch in self.range.batches(texts, numbers, words=True):
            table = pa.Table.from_batches([batch]).select(list(wanted.names))
            for start in range(0, table.num_rows, wanted.rows):
                yield table.slice(start, wanted.rows)


class DelimitedInBatches(DelimitedReader):
    """A delimited file that can be read in ranges of its bytes."""

    def pieces(self, names: Sequence[str]) -> Sequence[Piece]:  # noqa: ARG002 - the same for any columns
        """Return the rows in ranges of bytes."""
        ranges = byte_ranges(self.path, self.encoding)
        return [DelimitedPiece(each, (each.stop - each.start) // self.row_bytes) for each in ranges]

    def counted(self, rows: Mapping[int, int]) -> None:
        """Take note of how many rows there are, which nothing here goes by."""
