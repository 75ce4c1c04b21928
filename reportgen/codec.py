"""Frozen dataclasses as JSON's own types, and back; their type hints are the schema.

Reading is strict: an unknown or missing key, or a value of another type, is a `MisfitError` that names
the place.  Where a field holds anything, lists come back as tuples, and a result among plain values
carries its type's name.
"""

from __future__ import annotations

import dataclasses
import json
import math
import types
import typing
from collections.abc import Callable, Mapping
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal, TypeVar

from reportgen.charts import spec
from reportgen.errors import did_you_mean
from reportgen.results import Check, Column, Estimate, Evaluation, Highlight, Row, Table

TYPE_KEY = "$type"
"""Where a field holds anything, this key names the type of a result."""

_RESULTS = frozenset((Estimate, Check, Highlight, Table, Column, Row))

_NAMED = {cls.__name__: cls for cls in _RESULTS}

MOST = 10**18
"""The largest whole number that is read."""

T = TypeVar("T")


class MisfitError(Exception):
    """Something the schema does not know: where, what was expected, what was found."""


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
    >>> decode({"text": "Mind the gap.", "target": ""}, Highlight, "report")
    Highlight(text='Mind the gap.', target='')
    """
    result: T = _dataclass(value, cls, where)
    return result


# --- writing -------------------------------------------------------------------------------------


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
        return value
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
    return {TYPE_KEY: type(value).__name__, **encoded} if type(value) in _RESULTS else encoded


@cache
def _names(cls: type) -> tuple[str, ...] | None:
    """Return the names of the fields that are stored; None for a class that is no dataclass."""
    return tuple(field.name for field in _fields(cls)) if dataclasses.is_dataclass(cls) else None


@cache
def _fields(cls: type) -> tuple[dataclasses.Field[Any], ...]:
    """Return the fields that are stored: all that count when two objects are compared."""
    return tuple(field for field in dataclasses.fields(cls) if field.compare)


# --- reading -------------------------------------------------------------------------------------


def _decode(value: Any, hint: Any, where: str) -> Any:
    """Return `value` as the type `hint`, or raise `MisfitError` naming the place."""
    if hint is Any:
        return _anything(value, where)
    if dataclasses.is_dataclass(hint):
        return _dataclass(value, typing.cast(type, hint), where)
    origin = typing.get_origin(hint)
    if origin in (types.UnionType, typing.Union):
        return _union(value, typing.get_args(hint), where)
    if origin is Literal:
        return _literal(value, typing.get_args(hint), where)
    if origin is tuple:
        return _tuple(value, typing.get_args(hint), where)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        item = typing.get_args(hint)[1]
        return {key: _decode(entry, item, f"{where}.{key}") for key, entry in _mapping(value, where).items()}
    return _plain(value, hint, where)


def _plain(value: Any, hint: type, where: str) -> Any:
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return _sound(value, where)  # a whole number is written without its point
    if hint is type(None) and value is None:
        return None
    if not isinstance(value, hint) or (isinstance(value, bool) and hint is not bool):
        raise MisfitError(f"{where}: expected {_words(hint)}, found {_found(value)}")
    return _sound(value, where)


def _sound(value: Any, where: str) -> Any:
    """Return a plain value; refuse a number that is not finite, and one that no computer counts to."""
    if isinstance(value, float) and not math.isfinite(value):
        raise MisfitError(f"{where}: expected a finite number, found {value}")
    if isinstance(value, int) and abs(value) > MOST:
        raise MisfitError(f"{where}: expected a number of at most 18 digits, found one of {len(str(value))}")
    return value


def _literal(value: Any, options: tuple[Any, ...], where: str) -> Any:
    if not isinstance(value, str) or value not in options:
        raise MisfitError(f"{where}: expected one of {', '.join(map(repr, options))}, found {_found(value)}")
    return value


def _tuple(value: Any, hints: tuple[Any, ...], where: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise MisfitError(f"{where}: expected a list, found {_found(value)}")
    if len(hints) == 2 and hints[1] is Ellipsis:
        return tuple(_decode(item, hints[0], f"{where}[{index}]") for index, item in enumerate(value))
    if len(value) != len(hints):
        raise MisfitError(f"{where}: expected {len(hints)} entries, found {len(value)}")
    return tuple(_decode(item, hint, where) for item, hint in zip(value, hints, strict=True))


def _union(value: Any, hints: tuple[Any, ...], where: str) -> Any:
    """Return `value` as the one member of the union that it fits."""
    if isinstance(value, dict):
        return _dataclass(
            value, _choose(value, [hint for hint in hints if dataclasses.is_dataclass(hint)], where), where
        )
    for hint in hints:
        if not dataclasses.is_dataclass(hint):
            try:
                return _decode(value, hint, where)
            except MisfitError:
                continue
    raise MisfitError(f"{where}: expected {' or '.join(_words(hint) for hint in hints)}, found {_found(value)}")


def _choose(value: dict[str, Any], classes: list[Any], where: str) -> type:
    """Return the class an object belongs to: the only one, or the layer that `kind` names."""
    if len(classes) == 1:
        return typing.cast(type, classes[0])
    for cls in classes:
        if value.get("kind") == getattr(cls, "kind", None):
            return typing.cast(type, cls)
    kinds = ", ".join(repr(getattr(cls, "kind", "")) for cls in classes)
    raise MisfitError(f"{where}.kind: expected one of {kinds or 'no object'}, found {_found(value.get('kind'))}")


def _dataclass(value: Any, cls: type, where: str) -> Any:
    known = _hints(cls)
    content = {key: item for key, item in _mapping(value, where).items() if key != TYPE_KEY}
    for key in content:
        if key not in known:
            raise MisfitError(f"{where}: unknown key {key!r}{did_you_mean(key, known).rstrip('.')}")
    missing = [field.name for field in _fields(cls) if field.name not in content and _required(field)]
    if missing:
        raise MisfitError(f"{where}: expected the key {missing[0]!r}, found none")
    fields = {key: _decode(item, known[key], f"{where}.{key}") for key, item in content.items()}
    try:
        return cls(**fields)
    except ValueError as error:  # a type's own check: a row that does not fit, a chart without words
        raise MisfitError(f"{where}: {error}") from error


def _anything(value: Any, where: str) -> Any:
    if isinstance(value, list):
        return tuple(_anything(item, f"{where}[{index}]") for index, item in enumerate(value))
    if isinstance(value, dict):
        named = _NAMED.get(str(value.get(TYPE_KEY)))
        if named is not None:
            return _dataclass(value, named, where)
        return {key: _anything(item, f"{where}.{key}") for key, item in value.items()}
    return _sound(value, where)


def _mapping(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise MisfitError(f"{where}: expected an object, found {_found(value)}")
    return value


@cache
def _hints(cls: type) -> dict[str, Any]:
    names = {**vars(spec), "Callable": Callable, "Any": Any, "Evaluation": Evaluation}
    hints = typing.get_type_hints(cls, localns=names)
    return {field.name: hints[field.name] for field in _fields(cls)}


def _required(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _words(hint: Any) -> str:
    names = {str: "text", int: "a whole number", float: "a number", bool: "true or false", type(None): "null"}
    return names.get(hint, getattr(hint, "__name__", "a list or object"))


def _found(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else text[:37] + "..."
