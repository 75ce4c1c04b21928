"""Arrow columns of any type as text, numbers or codes; nothing is guessed from a value's looks."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.errors import InputError
from reportgen.sources.bridge import integers_to_arrow, mask_to_arrow, to_numpy

NO_INFO = "No info"
"""The level of a response whose subgroup cell is blank."""

_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$|^[+-]?(?i:inf|infinity)$"

Column = Any
"""A pyarrow ChunkedArray; pyarrow ships no types."""

Value = TypeVar("Value", bound=np.generic)
Floats = NDArray[np.float64]
Codes = NDArray[np.int32]


class Coded(NamedTuple):
    """A categorical column: for each response the index of its label."""

    codes: Codes
    labels: tuple[str, ...]


def as_text(column: Column, name: str = "") -> Column:
    """Return a column as strings; whole floats lose their ``.0`` (an id or a code that met a gap)."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return as_text(column.cast(kind.value_type), name)
    try:
        if pa.types.is_floating(kind):
            column = _without_point(column)
        return column if pa.types.is_string(kind) else pc.cast(column, pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise InputError(f"column '{name}' holds {kind} values; expected text or numbers.") from None


def as_numbers(column: Column, name: str = "") -> Floats:
    """Return a column as float64, shape (n,); NaN where there is no number, infinities stay."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return as_numbers(column.cast(kind.value_type), name)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return to_numpy(column, np.float64, np.nan)
    if pa.types.is_decimal(kind) or pa.types.is_boolean(kind):
        return to_numpy(pc.cast(column, pa.float64(), safe=False), np.float64, np.nan)
    return _parsed(pc.utf8_trim_whitespace(as_text(column, name)))


def is_blank(column: Column, name: str = "") -> NDArray[np.bool_]:
    """Return where a column holds nothing but white space, or NaN among floats, shape (n,)."""
    if pa.types.is_floating(column.type):
        return np.asarray(np.isnan(to_numpy(column, np.float64, np.nan)))
    return _is_empty(pc.utf8_trim_whitespace(as_text(column, name)))


def encode(column: Column, name: str = "") -> Coded:
    """Return a column as codes into its distinct texts, in order of appearance; null counts as empty text."""
    text = as_text(column, name)
    if not len(text):
        return Coded(np.empty(0, np.int32), ())
    encoded = text.combine_chunks().dictionary_encode()
    labels = encoded.dictionary.to_pylist()
    if encoded.null_count and "" not in labels:
        labels.append("")
    blank = labels.index("") if encoded.null_count else -1
    return Coded(to_numpy(encoded.indices, np.int32, blank), tuple(labels))


def coded(column: Column, name: str = "") -> Coded:
    """Return a column as codes into texts of which some may be unused, or equal; null counts as empty text.

    Those of a dictionary are taken as they are, which costs nothing.
    """
    chunks = getattr(column, "chunks", [column])
    if len(chunks) != 1 or not pa.types.is_dictionary(column.type):
        return encode(column, name)
    labels = [label or "" for label in as_text(pa.chunked_array([chunks[0].dictionary]), name).to_pylist()]
    return Coded(to_numpy(chunks[0].indices, np.int32, len(labels)), (*labels, ""))


def is_whole(column: Column) -> bool:
    """Return whether every number of a column of floats is whole, so that its texts have no point."""
    return bool(pa.types.is_integer(_without_point(column).type))


def labelled(column: Column, whole: bool) -> Column:
    """Return some rows of a column as `as_text` takes them among all rows, which are `whole` numbers or not."""
    if not pa.types.is_floating(column.type):
        return column
    return _without_point(column) if whole else pc.cast(column, pa.string())


def _is_empty(text: Column) -> NDArray[np.bool_]:
    """Return where a column of strings is empty or null."""
    empty: NDArray[np.bool_] = to_numpy(pc.binary_length(text), np.int64, 0) == 0
    return empty


def _parsed(text: Column) -> Floats:
    """Return trimmed text as numbers, NaN where a value is none."""
    numeric = ~_is_empty(text)
    numbers = np.full(len(numeric), np.nan)
    try:
        parsed = pc.cast(text.filter(mask_to_arrow(numeric)), pa.float64())
    except pa.ArrowInvalid:
        numeric &= to_numpy(pc.match_substring_regex(text, _NUMBER), np.bool_, False)
        parsed = pc.cast(text.filter(mask_to_arrow(numeric)), pa.float64())
    numbers[numeric] = to_numpy(parsed, np.float64, np.nan)
    return numbers


def _without_point(column: Column) -> Column:
    """Return a float column as integers, null for NaN, when every number in it is whole."""
    values = to_numpy(pc.cast(column, pa.float64()), np.float64, np.nan)
    present = ~np.isnan(values)
    whole = np.where(present, values, 0.0)
    if not np.all((np.abs(whole) < 2**53) & (whole == np.rint(whole))):
        return column
    return pa.chunked_array([integers_to_arrow(whole.astype(np.int64), present)])


def among(values: NDArray[Value], kept: NDArray[np.bool_]) -> NDArray[Value]:
    """Return the kept rows of an array: itself where all are, as in most batches."""
    return values if kept.all() else values[kept]


def levels(coded: Coded, kept: NDArray[np.bool_]) -> Coded:
    """Return the levels of a subgroup among the kept responses: sorted, blank ones as `NO_INFO`, unused ones gone.

    White space around a label is taken away: "F" and "F " are one level.
    """
    labels = [label.strip() or NO_INFO for label in coded.labels]
    codes = among(coded.codes, kept)
    used = sorted({labels[code] for code in np.flatnonzero(np.bincount(codes, minlength=len(labels)))})
    place = {label: index for index, label in enumerate(used)}
    new = np.array([place.get(label, -1) for label in labels], dtype=np.int32)
    if np.array_equal(new, np.arange(len(labels))):
        return Coded(codes, tuple(used))
    return Coded(new.take(codes), tuple(used))


def padded(coded: Coded, kept: NDArray[np.bool_]) -> int:
    """Return how many kept responses have a label with white space around it."""
    marked = np.array([label.strip() not in ("", label) for label in coded.labels], dtype=np.bool_)
    return int(marked[coded.codes[kept]].sum()) if marked.any() else 0
