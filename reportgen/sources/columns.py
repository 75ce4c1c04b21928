"""Convert Arrow columns to text, numbers, times, or codes, and cross groups.

Types are never guessed from a value's format.

pyarrow's conversions to numpy import pandas if it is installed, which takes a quarter of a second; those here do not.
"""

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.errors import InputError, SettingsError
from reportgen.sources.column_names import refuse_unknown
from reportgen.wording.names import natural

NO_INFO = "No info"  # the level of a response with a blank subgroup cell

_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$|^[+-]?(?i:inf|infinity)$"

Column = Any
"""A pyarrow ChunkedArray; pyarrow ships no types."""

Value = TypeVar("Value", bound=np.generic)
Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
Mask = NDArray[np.bool_]


class Coded(NamedTuple):
    """A categorical column: the index of each response's label, and the labels."""

    codes: Codes
    labels: tuple[str, ...]

    def where(self, test: Callable[[str], object]) -> Mask:
        """Return a mask of the labels that pass a test, shape (n,)."""
        return np.asarray(np.array([bool(test(label)) for label in self.labels], np.bool_)[self.codes])


def as_text(column: Column, name: str = "") -> Column:
    """Return a column as strings; whole floats lose their ``.0`` (an ID or code column with missing values)."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return as_text(column.cast(kind.value_type), name)
    try:
        if pa.types.is_floating(kind):
            column = _without_point(column)
        return column if pa.types.is_string(kind) else pc.cast(column, pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise InputError(f"column '{name}' contains {kind} values; expected text or numbers.") from None


def as_numbers(column: Column, name: str = "") -> Floats:
    """Return a column as float64, shape (n,); NaN for other values, infinities stay."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return as_numbers(column.cast(kind.value_type), name)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return to_numpy(column, np.float64, np.nan)
    if pa.types.is_decimal(kind) or pa.types.is_boolean(kind):
        return to_numpy(pc.cast(column, pa.float64(), safe=False), np.float64, np.nan)
    return _parsed(pc.utf8_trim_whitespace(as_text(column, name)))


def is_blank(column: Column, name: str = "") -> Mask:
    """Return a mask of cells with only whitespace, or NaN in a float column, shape (n,)."""
    if pa.types.is_floating(column.type):
        return np.asarray(np.isnan(to_numpy(column, np.float64, np.nan)))
    return _is_empty(pc.utf8_trim_whitespace(as_text(column, name)))


def encode(column: Column, name: str = "") -> Coded:
    """Return a column as codes of its distinct texts, in order of appearance; null counts as empty text."""
    text = as_text(column, name)
    if not len(text):
        return Coded(np.empty(0, np.int32), ())
    encoded = text.combine_chunks().dictionary_encode()
    labels = encoded.dictionary.to_pylist()
    if encoded.null_count and "" not in labels:
        labels.append("")
    return Coded(to_numpy(encoded.indices, np.int32, labels.index("") if encoded.null_count else -1), tuple(labels))


def coded(column: Column, name: str = "") -> Coded:
    """Return a column as codes of texts, which may be unused or equal; null counts as empty text."""
    chunks = getattr(column, "chunks", [column])
    if len(chunks) != 1 or not pa.types.is_dictionary(column.type):
        return encode(column, name)
    labels = [label or "" for label in as_text(pa.chunked_array([chunks[0].dictionary]), name).to_pylist()]
    return Coded(to_numpy(chunks[0].indices, np.int32, len(labels)), (*labels, *[""] * bool(chunks[0].null_count)))


def numbered(codes: NDArray[np.integer]) -> NDArray[np.intp]:
    """Return for each value the number of earlier equal values.

    >>> numbered(np.array([4, 7, 4, 4])).tolist()
    [0, 0, 1, 2]
    """
    order = np.argsort(codes, kind="stable")
    found = np.empty(len(codes), np.intp)
    found[order] = np.arange(len(codes)) - np.searchsorted(codes[order], codes[order])
    return found


def ranked(coded: Coded) -> Coded:
    """Return a column with codes in natural order of its labels, independent of the order of rows."""
    order = sorted(range(len(coded.labels)), key=lambda code: natural(coded.labels[code]))
    return Coded(np.argsort(order).astype(np.int32)[coded.codes], tuple(coded.labels[code] for code in order))


def spread(responses: Codes, slots: NDArray[np.intp], rows: NDArray[np.int64], width: int = 1) -> NDArray[np.int64]:
    """Return (responses, slots): the row in each slot of each response, -1 if there is none.

    responses: Codes of all rows of the file.
    slots, rows: Rows and their slots; the last row wins.

    >>> spread(np.array([0, 0, 1]), np.array([1, 0, 1]), np.arange(3)).tolist()
    [[1, 0], [-1, 2]]
    """
    n = int(responses.max(initial=-1)) + 1
    table = np.full((n, max(int(slots.max(initial=0)) + 1, width)), -1, np.int64)
    table[responses[rows], slots] = rows
    return table


def at_rows(column: Column, rows: NDArray[np.int64]) -> Column:
    """Return a column's values in the given rows, null for row -1."""
    return column.take(integers_to_arrow(np.where(rows < 0, 0, rows), rows >= 0))


def is_whole(column: Column) -> bool:
    """Return whether every number in a float column is whole, so that texts have no decimal point."""
    return bool(pa.types.is_integer(_without_point(column).type))


def labelled(column: Column, whole: bool) -> Column:
    """Return some rows of a column as `as_text` converts all rows, given whether these are `whole` numbers."""
    if not pa.types.is_floating(column.type):
        return column
    return _without_point(column) if whole else pc.cast(column, pa.string())


def _is_empty(text: Column) -> Mask:
    return np.asarray(to_numpy(pc.binary_length(text), np.int64, 0) == 0)


def _parsed(text: Column) -> Floats:
    """Return trimmed text as numbers, NaN for other texts."""
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
    """Return a float column as integers, null for NaN, if every number in it is whole."""
    values = to_numpy(pc.cast(column, pa.float64()), np.float64, np.nan)
    present = ~np.isnan(values)
    whole = np.where(present, values, 0.0)
    if not np.all((np.abs(whole) < 2**53) & (whole == np.rint(whole))):
        return column
    return pa.chunked_array([integers_to_arrow(whole.astype(np.int64), present)])


def among(values: NDArray[Value], kept: Mask) -> NDArray[Value]:
    """Return the kept rows of an array; the array itself if all are kept, as in most batches."""
    return values if kept.all() else values[kept]


def levels(coded: Coded, kept: Mask) -> Coded:
    """Return the stripped, sorted subgroup levels of the kept responses, blanks as `NO_INFO`, without unused ones."""
    labels = [label.strip() or NO_INFO for label in coded.labels]
    codes = among(coded.codes, kept)
    used = sorted({labels[code] for code in np.flatnonzero(np.bincount(codes, minlength=len(labels)))})
    place = {label: index for index, label in enumerate(used)}
    return Coded(np.array([place.get(label, -1) for label in labels], np.int32).take(codes), tuple(used))


def to_numpy(column: Any, dtype: Any, missing: float) -> NDArray[Any]:
    """Return a column of numbers or truth values as an array of `dtype`, with `missing` for null."""
    parts = []
    for chunk in getattr(column, "chunks", [column]):
        known = chunk.cast(pa.uint8()) if pa.types.is_boolean(chunk.type) else chunk
        bare = pa.Array.from_buffers(known.type, len(known), [None, known.buffers()[1]], offset=known.offset)
        values = np.from_dlpack(bare).astype(dtype)
        if chunk.null_count:
            values[~to_numpy(chunk.is_valid(), np.bool_, missing)] = missing
        parts.append(values)
    return np.concatenate(parts) if parts else np.empty(0, dtype)


def mask_to_arrow(mask: Mask) -> Any:
    """Return truth values as an Arrow array."""
    return pa.Array.from_buffers(pa.bool_(), len(mask), [None, _bits(mask)])


def integers_to_arrow(values: NDArray[np.integer], present: Mask | None = None) -> Any:
    """Return integers as an Arrow array, null if not `present`; by default all are."""
    values = np.ascontiguousarray(values, np.int64)
    mask = None if present is None else _bits(present)
    return pa.Array.from_buffers(pa.int64(), len(values), [mask, pa.py_buffer(values)])


def floats_to_arrow(values: NDArray[np.float64]) -> Any:
    """Return floats as an Arrow array, null for NaN."""
    buffers = [_bits(~np.isnan(values)), pa.py_buffer(np.ascontiguousarray(values))]
    return pa.Array.from_buffers(pa.float64(), len(values), buffers)


def texts_to_arrow(texts: Sequence[str | None]) -> Any:
    """Return texts as an Arrow array; None becomes empty text, and invalid characters a question mark."""
    encoded = [(text or "").encode("utf-8", "replace") for text in texts]
    offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(text) for text in encoded], out=offsets[1:])
    return pa.Array.from_buffers(
        pa.large_string(), len(encoded), [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))]
    )


def _bits(mask: Mask) -> Any:
    return pa.py_buffer(np.packbits(mask, bitorder="little"))


LARGEST_TIME = 1e20
"""The largest absolute time: nanoseconds since 1970 are about 1e18, and squares of times must be finite."""

_DAY = 86_400.0


def as_times(column: Any, name: str = "") -> Floats:
    """Return a column of times, shape (n,): numbers stay, dates become days since 1970; NaN for blanks.

    Dates are in ISO 8601 format (2026-03-31, 2026-03-31T14:05:00Z); without a time zone they count as UTC.

    >>> as_times(pa.chunked_array([["1970-01-02", "1970-01-03T12:00:00Z", ""]])).tolist()
    [1.0, 2.5, nan]
    """
    kind = column.type
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        moments = pc.cast(column, pa.timestamp("us", getattr(kind, "tz", None)), safe=False)
        return to_numpy(pc.cast(moments, pa.int64()), np.float64, np.nan) / (1e6 * _DAY)
    numbers = as_numbers(column, name)
    if np.array_equal(np.isnan(numbers), is_blank(column, name)):
        far = numbers[np.abs(numbers) > LARGEST_TIME]
        if len(far):
            raise InputError(f"time column '{name}' contains {far[0]:g}; expected up to {LARGEST_TIME:g}, or dates.")
        return numbers
    coded = encode(as_text(column, name), name)
    return np.asarray(np.array([_days(label.strip(), name) for label in coded.labels])[coded.codes])


def _days(text: str, name: str) -> float:
    if not text:
        return float("nan")
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InputError(f"time column '{name}' contains {text[:40]!r}; expected dates such as 2026-03-31.") from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() / _DAY


CROSS = " × "  # separates the names of crossed columns and levels

MOST_INTERSECTIONS = 100  # the most intersections in a run; nobody could read more


def with_intersections(
    groups: Mapping[str, Coded], wanted: Sequence[Sequence[str]] | Literal["all pairs"]
) -> dict[str, Coded]:
    """Return the groups, followed by their intersections.

    groups: Group column -> code of each response and labels.
    wanted: Lists of group columns to cross, or "all pairs".

    >>> sex, place = Coded(np.array([0, 1, 1]), ("f", "m")), Coded(np.array([0, 0, 1]), ("farm", "town"))
    >>> found = with_intersections({"sex": sex, "place": place}, [["sex", "place"]])
    >>> list(found), found["sex × place"].labels, found["sex × place"].codes.tolist()
    (['sex', 'place', 'sex × place'], ('f × farm', 'm × farm', 'm × town'), [0, 1, 2])
    """
    chosen = list(itertools.combinations(groups, 2)) if wanted == "all pairs" else [tuple(each) for each in wanted]
    if len(chosen) > MOST_INTERSECTIONS:
        text = f"--intersect: found {len(chosen):,} intersections, but the limit is {MOST_INTERSECTIONS}; choose those "
        raise SettingsError(f"{text}that matter; for example, --intersect gender,language.")
    found = dict(groups)
    for columns in dict.fromkeys(chosen):
        refuse_unknown(columns, groups, "--intersect: group column")
        if len(set(columns)) < max(len(columns), 2):
            raise SettingsError("--intersect: expected two or more group columns; for example, gender,language.")
        codes, combinations = crossed([groups[column] for column in columns])
        labels: dict[str, None] = {}
        for names in combinations:
            labels[_unlike(CROSS.join(map(_part, names)), labels)] = None
        found[_unlike(CROSS.join(map(_part, columns)), found)] = Coded(codes.astype(np.int32), tuple(labels))
    return found


def crossed(
    parts: Sequence[tuple[NDArray[np.integer], Sequence[str]]],
) -> tuple[NDArray[np.intp], list[tuple[str, ...]]]:
    """Return the code of each row's combination of labels, and the combinations that occur."""
    sizes = [len(labels) for _, labels in parts]
    occupied, codes = np.unique(np.ravel_multi_index([each for each, _ in parts], sizes), return_inverse=True)
    places = zip(*np.unravel_index(occupied, sizes), strict=True)
    return codes, [tuple(labels[at] for at, (_, labels) in zip(each, parts, strict=True)) for each in places]


def parts_of(name: str) -> tuple[str, ...]:
    """Return the names in the name of an intersection, or the name itself.

    >>> parts_of("f × town"), parts_of("“a × b” × town"), parts_of("town")
    (('f', 'town'), ('a × b', 'town'), ('town',))
    """
    outside_quotes = r"(?=(?:[^“”]*“[^“”]*”)*[^“”]*$)"
    return tuple(part.removeprefix("“").removesuffix("”") for part in re.split(CROSS + outside_quotes, name))


def _part(name: str) -> str:
    """Return a name inside an intersection, in quotes if it contains the separator."""
    return f"“{name}”" if CROSS.strip() in name else name


def _unlike(name: str, taken: Mapping[str, object]) -> str:
    names = itertools.chain([name], (f"{name} ({number})" for number in itertools.count(2)))
    return next(each for each in names if each not in taken)


def refuse_many_levels(levels: Mapping[str, int], most: int) -> None:
    """Raise if a group column has too many levels.

    levels: Group column -> number of levels so far.
    most: The setting ``max_levels``.

    >>> refuse_many_levels({"school": 40, "student": 7000}, 5000)
    Traceback (most recent call last):
    ...
    reportgen.errors.InputError: group column 'student' has more than 5,000 values, like an ID column; ...
    """
    for name, n in levels.items():
        if n > most:
            text = f"group column '{name}' has more than {most:,} values, like an ID column; name only others "
            raise InputError(f"{text}with --group, or raise max_levels under [statistics] in a configuration.")


def slim(column: Any) -> Any:
    """Return a column that needs less memory: the narrowest integer type, one dictionary for all texts.

    >>> slim(pa.chunked_array([[1, None, 6]])).type
    DataType(int8)
    """
    if column.type != pa.int64():
        return column.unify_dictionaries()
    for kind in (pa.int8(), pa.int16(), pa.int32()):
        with suppress(pa.ArrowInvalid):
            return column.cast(kind)
    return column
