"""Arrow columns of any type as text, numbers or codes; nothing is guessed from a value's looks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.errors import InputError
from reportgen.scores.table import Coded, Floats

NO_INFO = "No info"
"""The level of a response whose subgroup cell is blank."""

_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$|^[+-]?(?i:inf|infinity)$"

Column = Any
"""A pyarrow ChunkedArray; pyarrow ships no types."""


def as_text(column: Column, name: str = "") -> Column:
    """Return a column as strings; whole floats lose their ``.0`` (an id or a code that met a gap)."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return as_text(column.cast(kind.value_type), name)
    try:
        if pa.types.is_floating(kind) and _whole(column):
            column = pc.cast(_without_nan(column), pa.int64())
        return column if pa.types.is_string(kind) else pc.cast(column, pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise InputError(f"column '{name}' holds {kind} values; expected text or numbers.") from None


def as_numbers(column: Column, name: str = "") -> Floats:
    """Return a column as float64, shape (n,); NaN where there is no number, infinities stay."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return as_numbers(column.cast(kind.value_type), name)
    if (
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_boolean(kind)
    ):
        numbers = pc.cast(column, pa.float64(), safe=False)
    else:
        numbers = _parsed(pc.utf8_trim_whitespace(as_text(column, name)))
    return np.array(pc.fill_null(numbers, np.nan).to_numpy(), dtype=np.float64)


def _parsed(text: Column) -> Column:
    """Return trimmed text as numbers, null where a value is none."""
    text = pc.if_else(pc.equal(text, ""), pa.scalar(None, pa.string()), text)
    try:
        return pc.cast(text, pa.float64())
    except pa.ArrowInvalid:
        numeric = pc.match_substring_regex(text, _NUMBER)
        return pc.cast(pc.if_else(numeric, text, pa.scalar(None, pa.string())), pa.float64())


def is_blank(column: Column, name: str = "") -> NDArray[np.bool_]:
    """Return where a column holds nothing but white space, shape (n,)."""
    text = pc.fill_null(as_text(column, name), "")
    return np.array(pc.equal(pc.utf8_trim_whitespace(text), "").to_numpy(), dtype=np.bool_)


def encode(column: Column, name: str = "") -> Coded:
    """Return a column as codes into its distinct texts, in order of appearance; null counts as empty text."""
    text = pc.fill_null(as_text(column, name), "")
    encoded = pa.chunked_array([text.combine_chunks()] if text.num_chunks else [], pa.string()).dictionary_encode()
    if not encoded.num_chunks:
        return Coded(np.empty(0, np.int32), ())
    chunk = encoded.combine_chunks() if encoded.num_chunks > 1 else encoded.chunk(0)
    return Coded(np.array(chunk.indices, dtype=np.int32), tuple(chunk.dictionary.to_pylist()))


def levels(coded: Coded, kept: NDArray[np.bool_]) -> Coded:
    """Return the levels of a subgroup among the kept responses: sorted, blank ones as `NO_INFO`, unused ones gone."""
    labels = [label if label.strip() else NO_INFO for label in coded.labels]
    codes = coded.codes[kept]
    used = sorted({labels[code] for code in np.flatnonzero(np.bincount(codes, minlength=len(labels)))})
    place = {label: index for index, label in enumerate(used)}
    new = np.array([place.get(label, -1) for label in labels], dtype=np.int32)
    return Coded(new[codes], tuple(used))


def _whole(column: Column) -> bool:
    """Return whether every finite value of a float column is a whole number that int64 holds."""
    values = np.asarray(pc.fill_null(column, np.nan).to_numpy())
    values = values[~np.isnan(values)]
    return bool(np.all(np.abs(values) < 2**53) and np.all(values == np.rint(values)))


def _without_nan(column: Column) -> Column:
    """Return a float column with null for NaN."""
    return pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
