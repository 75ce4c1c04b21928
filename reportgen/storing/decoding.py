"""JSON's own types as frozen dataclasses, and back: the type hints are the schema, and nothing is converted.

A validator of pydantic would make plain text of a `Term` and a float of a whole number.
"""

from __future__ import annotations

import dataclasses
import json
import math
import sys
import types
import typing
from collections.abc import Mapping
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from reportgen.errors import did_you_mean
from reportgen.results import Check, Column, Estimate, Highlight, Row, Table
from reportgen.results.term import UNLESS_DEFAULT, Term

TYPE_KEY = "$type"
"""Where a field holds anything, this key names the type of a result."""

RESULTS = {cls.__name__: cls for cls in (Estimate, Check, Highlight, Table, Column, Row)}
"""Types that are named where a field holds anything."""

LARGEST = 1e300
"""The largest number that is read."""

_WORDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false", type(None): "null"}


class MisfitError(Exception):
    """Something the schema does not know: where, what was expected, what was found."""


def decode(value: Any, hint: Any, where: str) -> Any:
    """Return `value`, as `encode` made it, as an object of the type `hint`.

    Examples
    --------
    >>> from reportgen.results import Highlight
    >>> decode({"text": "Mind the gap.", "target": ""}, Highlight, "report")
    Highlight(text='Mind the gap.', target='')
    """
    if hint is Any:
        return _anything(value, where)
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is tuple:
        hints = inner[:1] * len(value) if type(value) is list and inner[-1] is Ellipsis else inner
        if type(value) is not list or len(value) != len(hints):
            raise _misfit("a list" if inner[-1] is Ellipsis else f"a list of {len(inner)}", value, where)
        return tuple(decode(each, hints[place], f"{where}[{place}]") for place, each in enumerate(value))
    if origin is Mapping:
        if type(value) is not dict:
            raise _misfit("an object", value, where)
        return {key: decode(each, inner[1], f"{where}.{key}") for key, each in value.items()}
    choices = inner if origin in (types.UnionType, typing.Union) else (hint,)
    if type(value) is not dict:
        if any(_fits(value, choice) for choice in choices):
            return value
    elif value.get(TYPE_KEY) == "Term" and str in choices:
        return _anything(value, where)
    else:
        classes = [choice for choice in choices if dataclasses.is_dataclass(choice)]
        kinds = [cls for cls in classes if len(classes) == 1 or getattr(cls, "kind", None) == value.get("kind")]
        if kinds:
            return _object(value, kinds[0], where)
    raise _misfit(" or ".join(map(_said, choices)), value, where)


def _fits(value: Any, hint: Any) -> bool:
    """Return whether a plain value has a type; a whole number stands where a number may, and stays one."""
    if typing.get_origin(hint) is typing.Literal:
        return type(value) is str and value in typing.get_args(hint)
    if type(value) in (int, float):
        return (hint is float or hint is type(value)) and abs(value) <= LARGEST
    return type(value) is hint


def _anything(value: Any, where: str) -> Any:
    """Return lists as tuples, objects that name their type as results, and other values as they are."""
    if type(value) is list:
        return tuple(_anything(each, f"{where}[{place}]") for place, each in enumerate(value))
    if type(value) is not dict:
        if not any(_fits(value, hint) for hint in _WORDS):
            raise _misfit("a number", value, where)
        return value
    name = value.get(TYPE_KEY)
    if name == "Term":
        key, values = value.get("key"), value.get("values")
        if type(key) is not str or type(values) is not dict:
            raise _misfit("a term with 'key' and 'values'", value, where)
        return Term(key, **{part: _anything(each, f"{where}.values.{part}") for part, each in values.items()})
    if type(name) is str and name in RESULTS:
        return _object(value, RESULTS[name], where)
    return {key: _anything(each, f"{where}.{key}") for key, each in value.items()}


def _object(value: dict[str, Any], cls: Any, where: str) -> Any:
    """Return an object as a dataclass, which must be given all that it has no default for, and nothing unknown."""
    hints = _hints(cls)
    for key in value:
        if key not in hints and key != TYPE_KEY:
            raise MisfitError(f"{where}: unknown key {key!r}{did_you_mean(key, hints).rstrip('.')}")
    try:
        return cls(**{key: decode(value[key], hint, f"{where}.{key}") for key, hint in hints.items() if key in value})
    except (TypeError, ValueError) as error:  # a key is missing; or a type's own check: a row that does not fit
        required = (each for each in stored_fields(cls) if each.default is each.default_factory is dataclasses.MISSING)
        missing = [each.name for each in required if each.name not in value]
        told = f"expected the key {missing[0]!r}, found none" if missing else str(error)
        raise MisfitError(f"{where}: {told}") from None


@cache
def stored_fields(cls: type) -> tuple[dataclasses.Field[Any], ...]:
    """Return the fields that are stored: all that count when two objects are compared."""
    return tuple(field for field in dataclasses.fields(cls) if field.compare)


@cache
def _hints(cls: type) -> dict[str, Any]:
    """Return the types of the fields that are stored; those of the others need not be importable."""
    return {field.name: eval(str(field.type), vars(sys.modules[cls.__module__])) for field in stored_fields(cls)}


def _said(hint: Any) -> str:
    if dataclasses.is_dataclass(hint):
        return f"an object of kind {hint.kind!r}" if hasattr(hint, "kind") else "an object"
    return _WORDS.get(hint) or f"one of {', '.join(map(repr, typing.get_args(hint)))}"


def _misfit(expected: str, value: Any, where: str) -> MisfitError:
    found = json.dumps(value)
    return MisfitError(f"{where}: expected {expected}, found {found if len(found) <= 40 else found[:37] + '...'}")


_ALWAYS = object()
"""The value of no field: one that is stored whatever it holds."""


def encode(value: Any) -> Any:
    """Return `value` (a dataclass, mapping, sequence or plain value) in JSON's own types.

    NaN and infinity become None, because JSON has neither.

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
    return {TYPE_KEY: type(value).__name__, **encoded} if type(value) in RESULTS.values() else encoded


@cache
def _names(cls: type) -> tuple[tuple[str, Any], ...] | None:
    """Return the names of the fields that are stored, and with which value they are not; None for no dataclass."""
    if not dataclasses.is_dataclass(cls):
        return None
    return tuple(
        (field.name, field.default if field.metadata.items() >= UNLESS_DEFAULT.items() else _ALWAYS)
        for field in stored_fields(cls)
    )
