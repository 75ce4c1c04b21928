"""Hashes of tables in memory: of the values in them, however these lie there."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.sources.columns import as_text, to_numpy

TEXTS = ("string", "large_string", "string_view", "binary", "large_binary", "binary_view")
"""Types of texts and bytes of any length."""


class Digest:
    """SHA-256 of the values of a table, which it is given in batches.

    What stands in memory where a value is missing, and what columns of texts share, has no part in it.

    schema: Names and types of the columns.

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
    if str(kind) in TEXTS:
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


Fingerprints = NDArray[np.uint64]

BLOCK_ROWS = 1 << 14
"""Texts whose fingerprints are made at a time: what they need stays in the processor's own memory."""

_MISSING = np.uint64(0x9E3779B97F4A7C15)
_FACTORS = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def fingerprints(column: Any, name: str = "") -> Fingerprints:
    """Return the fingerprints of a column of text or numbers, shape (n,); of integers they never collide.

    >>> found = fingerprints(pa.chunked_array([["a", "b", "a", "a longer one"]]))
    >>> bool(found[0] == found[2]), len(set(found.tolist()))
    (True, 3)
    """
    chunks = getattr(column, "chunks", [column])
    if not chunks:
        return np.empty(0, np.uint64)
    return np.concatenate([_of_chunk(chunk, name) for chunk in chunks])


def _of_chunk(chunk: Any, name: str) -> Fingerprints:
    """Return the fingerprints of one Arrow array."""
    kind = chunk.type
    if not len(chunk):
        return np.empty(0, np.uint64)
    if pa.types.is_dictionary(kind):
        own = np.append(_of_chunk(chunk.dictionary, name), _MISSING)
        return np.asarray(own[to_numpy(chunk.indices, np.int64, len(own) - 1)])
    if pa.types.is_integer(kind):
        found = _mix(to_numpy(chunk, np.int64, 0).view(np.uint64))
    else:
        chunk = as_text(pa.chunked_array([chunk]), name).chunk(0)
        found = _of_text(chunk)
    if chunk.null_count:
        found[~to_numpy(chunk.is_valid(), np.bool_, False)] = _MISSING
    return found


def _of_text(text: Any) -> Fingerprints:
    """Return the fingerprints of an Arrow array of strings: eight bytes after eight bytes are mixed in."""
    _, offsets_of, data_of = text.buffers()
    wide = np.int64 if pa.types.is_large_string(text.type) else np.int32
    offsets = np.frombuffer(offsets_of, wide)[text.offset : text.offset + len(text) + 1]
    begin, end = int(offsets[0]), int(offsets[-1])
    data = b"" if data_of is None else memoryview(data_of)[begin:end]
    padded = np.frombuffer(b"".join((data, bytes(8))), np.uint8)
    words = np.ndarray((len(padded) - 7,), "<u8", padded, strides=(1,))
    found = np.empty(len(text), np.uint64)
    for first in range(0, len(text), BLOCK_ROWS):
        own = offsets[first : first + BLOCK_ROWS + 1].astype(np.int64) - begin
        found[first : first + BLOCK_ROWS] = _of_words(words, own[:-1], np.diff(own))
    return found


def _of_words(words: Fingerprints, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> Fingerprints:
    """Return the fingerprints of texts: where each starts among the eight bytes that begin at every byte."""
    found = _mix(lengths.astype(np.uint64))
    rows = np.arange(len(lengths))
    for done in range(0, int(lengths.max()), 8):
        rows = rows[lengths[rows] > done]
        missing = np.maximum(8 - (lengths[rows] - done), 0).astype(np.uint64) * np.uint64(8)
        found[rows] = _mix(found[rows] ^ (words[starts[rows] + done] << missing))
    return found


def _mix(values: Fingerprints) -> Fingerprints:
    """Mix 64 bits in place so that each depends on all others, and return them; different ones stay different."""
    shifted = values >> np.uint64(30)
    values ^= shifted
    values *= _FACTORS[0]
    np.right_shift(values, np.uint64(27), out=shifted)
    values ^= shifted
    values *= _FACTORS[1]
    np.right_shift(values, np.uint64(31), out=shifted)
    values ^= shifted
    return values
