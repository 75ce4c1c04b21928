"""Frozen dataclasses as JSON's own types, and back; their type hints are the schema.

Reading is strict: an unknown or missing key, or a value of another type, is a `MisfitError` that names
the place.  Where a field holds anything, lists come back as tuples, and a result among plain values
carries its type's name.  How it is read stands in `reportgen.storing.decoding`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from typing import Any, TypeVar, cast

from reportgen.storing.decoding import RESULTS, TYPE_KEY, MisfitError, Unfit, decoder_of, stored_fields

__all__ = ["MisfitError", "decode", "encode"]

T = TypeVar("T")


def encode(value: Any) -> Any:
    """Return `value` (a dataclass, mapping, sequence or plain value) in JSON's own types.

    NaN and infinity become None, because JSON has neither.

    Raises
    ------
    TypeError
        If JSON cannot say it.

    Examples
    --------
    >>> encode({"bounds": (0.5, float("nan"))})
    {'bounds': [0.5, None]}
    """
    return _encode(value)


def decode(value: Any, cls: type[T], where: str) -> T:
    """Return `value`, as `encode` made it, as an object of the dataclass `cls`.

    Raises
    ------
    MisfitError
        If it does not fit; the message begins with the place below `where`.

    Examples
    --------
    >>> from reportgen.results import Highlight
    >>> decode({"text": "Mind the gap.", "target": ""}, Highlight, "report")
    Highlight(text='Mind the gap.', target='')
    """
    try:
        result: T = decoder_of(cast(Any, cls))(value)
    except Unfit as unfit:
        raise MisfitError(f"{where}{unfit}") from None
    return result


def _encode(value: Any) -> Any:
    """Return `value` in JSON's own types."""
    kind: type = type(value)
    if kind is str or value is None or kind is bool or kind is int:
        return value
    if kind is float:
        return value if math.isfinite(value) else None
    if (names := _names(kind)) is not None:
        return {name: _encode(getattr(value, name)) for name in names}
    if isinstance(value, str):
        return str.__str__(value)  # the text itself, whatever else a subclass makes of it
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        number = float(value)
        return number if math.isfinite(number) else None
    if isinstance(value, Mapping):
        return {str(key): _encode_anything(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_encode_anything(item) for item in value]
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"results.json cannot hold a {kind.__name__}: {value!r}")


def _encode_anything(value: Any) -> Any:
    """Return `value` with its type named when it is a result, so that it can be told from a mapping."""
    encoded = _encode(value)
    return {TYPE_KEY: type(value).__name__, **encoded} if type(value) in RESULTS else encoded


@cache
def _names(cls: type) -> tuple[str, ...] | None:
    """Return the names of the fields that are stored; None for a class that is no dataclass."""
    return tuple(field.name for field in stored_fields(cls)) if dataclasses.is_dataclass(cls) else None
