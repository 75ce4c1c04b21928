"""When a rating was given, and how long responses are."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.design.readings import ColumnRoles
from reportgen.errors import InputError
from reportgen.sources.bridge import to_numpy
from reportgen.sources.columns import Floats, as_numbers, as_text, encode, is_blank

LARGEST = 1e20
"""No time is farther from 0: nanoseconds since 1970 are some 1e18, and squares of times must stay numbers."""

_DAY = 86_400.0
_PER_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


def as_times(column: Any, name: str = "") -> Floats:
    """Return a column of times, shape (n,): numbers stay, dates become days since 1970; NaN where blank.

    Dates are written as ISO 8601 has them (2026-03-31, 2026-03-31T14:05:00Z); without a zone they count as UTC.

    Raises InputError: A value is neither a number nor a date, or a number that no clock shows.

    Examples
    --------
    >>> as_times(pa.chunked_array([["1970-01-02", "1970-01-03T12:00:00Z", ""]])).tolist()
    [1.0, 2.5, nan]
    """
    kind = column.type
    if pa.types.is_timestamp(kind):
        return to_numpy(pc.cast(column, pa.int64()), np.float64, np.nan) / _PER_DAY[kind.unit]
    if pa.types.is_date32(kind):
        return to_numpy(pc.cast(column, pa.int32()), np.float64, np.nan)
    numbers = as_numbers(column, name)
    if np.array_equal(np.isnan(numbers), is_blank(column, name)):
        far = numbers[np.abs(numbers) > LARGEST]
        if len(far):
            raise InputError(
                f"time column '{name}' holds {far[0]:g}; expected numbers within {LARGEST:g} of 0, or dates."
            )
        return numbers
    coded = encode(as_text(column, name), name)
    days = np.array([_days(label.strip(), name) for label in coded.labels])
    times: Floats = days[coded.codes]
    return times


def _days(text: str, name: str) -> float:
    """Return a date as days since 1970, NaN for empty text."""
    if not text:
        return float("nan")
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InputError(
            f"time column '{name}' holds {text[:40]!r}; expected numbers, or dates such as 2026-03-31."
        ) from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() / _DAY


def lengths(table: Any, cast: ColumnRoles, kept: NDArray[np.bool_]) -> Floats | None:
    """Return (n,) lengths of the responses that count, NaN where unknown; None when no column was named.

    A column with a number is one of lengths; any other holds the responses, whose characters are counted.

    Raises InputError: The column is blank.
    """
    for name in cast.columns("length"):
        numbers = as_numbers(table[name], name)[kept]
        numbers[~np.isfinite(numbers)] = np.nan
        if np.isfinite(numbers).any():
            return numbers
        counted = to_numpy(pc.utf8_length(pc.utf8_trim_whitespace(as_text(table[name], name))), np.float64, np.nan)[
            kept
        ]
        if not counted.any():
            raise InputError(f"length column '{name}' is blank; expected lengths, or the texts of the responses.")
        counted[counted == 0] = np.nan
        return counted
    return None
