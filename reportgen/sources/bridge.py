"""Between Arrow and numpy, buffer by buffer.

pyarrow's own conversions import pandas when it is installed, a quarter of a second that a run which
never makes a frame should not pay; these few functions do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


def to_numpy(column: Any, dtype: Any, missing: float) -> NDArray[Any]:
    """Return a column of numbers or truth values as an array of `dtype`, `missing` where it is null."""
    parts = []
    for chunk in getattr(column, "chunks", [column]):
        known = chunk.cast(pa.uint8()) if pa.types.is_boolean(chunk.type) else chunk
        bare = pa.Array.from_buffers(known.type, len(known), [None, known.buffers()[1]], offset=known.offset)
        values = np.from_dlpack(bare).astype(dtype)
        if chunk.null_count:
            values[~to_numpy(chunk.is_valid(), np.bool_, missing)] = missing
        parts.append(values)
    return np.concatenate(parts) if parts else np.empty(0, dtype)


def mask_to_arrow(mask: NDArray[np.bool_]) -> Any:
    """Return truth values as an Arrow array."""
    return pa.Array.from_buffers(pa.bool_(), len(mask), [None, _bits(mask)])


def integers_to_arrow(values: NDArray[np.int64], present: NDArray[np.bool_]) -> Any:
    """Return integers as an Arrow array, null where not `present`."""
    return pa.Array.from_buffers(pa.int64(), len(values), [_bits(present), pa.py_buffer(values)])


def whole_to_arrow(values: NDArray[np.integer]) -> Any:
    """Return whole numbers as an Arrow array, all of them there."""
    values = np.ascontiguousarray(values, np.int64)
    return pa.Array.from_buffers(pa.int64(), len(values), [None, pa.py_buffer(values)])


def floats_to_arrow(values: NDArray[np.float64]) -> Any:
    """Return floats as an Arrow array, null where NaN."""
    buffers = [_bits(~np.isnan(values)), pa.py_buffer(np.ascontiguousarray(values))]
    return pa.Array.from_buffers(pa.float64(), len(values), buffers)


def texts_to_arrow(texts: Sequence[str | None]) -> Any:
    """Return texts as an Arrow array of strings; None becomes empty text, broken characters a question mark."""
    encoded = [(text or "").encode("utf-8", "replace") for text in texts]
    offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(text) for text in encoded], out=offsets[1:])
    return pa.Array.from_buffers(
        pa.large_string(), len(encoded), [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))]
    )


def _bits(mask: NDArray[np.bool_]) -> Any:
    """Return truth values as an Arrow bitmap."""
    return pa.py_buffer(np.packbits(mask, bitorder="little"))
