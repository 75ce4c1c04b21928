"""Hashes of tables in memory: of the values in them, however these lie there."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reportgen.sources.bridge import to_numpy


class Digest:
    """SHA-256 of the values of a table, which it is given in batches.

    What stands in memory where a value is missing, and what columns of texts share, has no part in it.

    Parameters
    ----------
    schema
        Names and types of the columns.

    Examples
    --------
    >>> table = pa.table({"human": [1, None, 2]})
    >>> digest = Digest(table.schema)
    >>> for batch in table.to_batches():
    ...     digest.add(batch)
    >>> digest.hexdigest()[:8], digest.bytes
    ('5ddd235f', 25)
    """

    def __init__(self, schema: Any) -> None:
        self._hash = hashlib.sha256(schema.serialize())
        self.bytes = 0
        """How many bytes the values take, and what says which are missing."""

    def add(self, batch: Any) -> None:
        """Take in a batch; batches of other sizes make another hash."""
        for column in batch.columns:
            for part in _bytes_of(column):
                self._hash.update(part)
                self.bytes += len(part)

    def hexdigest(self) -> str:
        """Return the hash."""
        return self._hash.hexdigest()


def _bytes_of(column: Any) -> list[bytes]:
    """Return which values of a column there are, and the values."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    there = to_numpy(column.is_valid(), np.bool_, False)
    mask = np.packbits(there).tobytes()
    kind = column.type
    if pa.types.is_boolean(kind):
        return [mask, np.packbits(to_numpy(column, np.bool_, False)).tobytes()]
    if _is_text(kind):
        text = column.cast(pa.large_binary())
        text = pc.fill_null(text, b"") if text.null_count else text
        if not len(text):
            return [mask]
        _, offsets, data = text.buffers()
        ends = np.frombuffer(offsets, np.int64, len(text) + 1, 8 * text.offset)
        return [mask, np.diff(ends).tobytes(), data.slice(ends[0], ends[-1] - ends[0]).to_pybytes() if data else b""]
    if pa.types.is_primitive(kind) or pa.types.is_decimal(kind) or pa.types.is_fixed_size_binary(kind):
        width = kind.bit_width // 8
        values = np.frombuffer(column.buffers()[1] or b"", np.uint8)[column.offset * width :][: len(column) * width]
        if column.null_count:
            values = values.reshape(len(column), width) * there[:, None]
        return [mask, values.tobytes()]
    return [mask, repr(column.to_pylist()).encode()]


def _is_text(kind: Any) -> bool:
    """Return whether a type is one of texts or bytes of any length."""
    types = pa.types
    return bool(
        types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)
        or types.is_binary(kind) or types.is_large_binary(kind) or types.is_binary_view(kind)
    )  # fmt: skip
