"""Frozen dataclasses as JSON's own types; `reportgen.storing.decoding` has the way back.

A result among plain values carries its type's name.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from reportgen.results.defaults import UNLESS_DEFAULT
from reportgen.results.term import Term
from reportgen.storing.decoding import RESULTS, TYPE_KEY, stored_fields

_ALWAYS = object()
"""The value of no field: one that is stored whatever it holds."""


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
    kind: type = type(value)
    if kind is str or value is None or kind is bool or kind is int:
        return value
    if kind is float:
        return value if math.isfinite(value) else None
    if (names := _names(kind)) is not None:
        return {
            name: encode(held)
            for name, default in names
            if (held := getattr(value, name)) is not default and (default is _ALWAYS or held != default)
        }
    if kind is Term:
        return {TYPE_KEY: "Term", "key": value.key, "values": encode(value.values)}
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
    encoded = encode(value)
    return {TYPE_KEY: type(value).__name__, **encoded} if type(value) in RESULTS else encoded


@cache
def _names(cls: type) -> tuple[tuple[str, Any], ...] | None:
    """Return the names of the fields that are stored, and with which value they are not; None for no dataclass."""
    if not dataclasses.is_dataclass(cls):
        return None
    return tuple(
        (field.name, field.default if field.metadata.items() >= UNLESS_DEFAULT.items() else _ALWAYS)
        for field in stored_fields(cls)
    )
