"""JSON's own types as frozen dataclasses, strictly: what does not fit a type hint is refused with its place.

For every type hint a function is made once, which knows what it may be given.  It says nothing of places: when it
refuses, those that called it say where they were, from the inside out, so that what fits costs no words.
"""

from __future__ import annotations

import dataclasses
import json
import math
import types
import typing
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Literal, cast

from reportgen.errors import did_you_mean
from reportgen.results import Check, Column, Estimate, Evaluation, Highlight, Row, Table, chart

TYPE_KEY = "$type"
"""Where a field holds anything, this key names the type of a result."""

RESULTS = frozenset((Estimate, Check, Highlight, Table, Column, Row))
"""Types that are named where a field holds anything."""

_NAMED = {cls.__name__: cls for cls in RESULTS}

MOST = 10**18
"""The largest whole number that is read."""

Decoder = Callable[[Any], Any]

_PLAIN = (str, float, int, bool, type(None))


class MisfitError(Exception):
    """Something the schema does not know: where, what was expected, what was found."""


class Unfit(Exception):  # noqa: N818 - it becomes a MisfitError, with its place, before anybody else hears of it
    """What a decoder refuses: the place below where it stood, and what is said of it."""

    def __init__(self, told: str, place: str = "") -> None:
        super().__init__(told, place)
        self.told, self.place = told, place

    def __str__(self) -> str:
        return f"{self.place}: {self.told}"

    def below(self, place: str) -> Unfit:
        """Return the same, as seen from one level further up."""
        return Unfit(self.told, place + self.place)


@cache
def stored_fields(cls: type) -> tuple[dataclasses.Field[Any], ...]:
    """Return the fields that are stored: all that count when two objects are compared."""
    return tuple(field for field in dataclasses.fields(cls) if field.compare)


@cache
def decoder_of(hint: Any) -> Decoder:
    """Return what makes a value of a type hint from what JSON has, or raises `Unfit`."""
    if hint is Any:
        return _anything
    if dataclasses.is_dataclass(hint):
        return _dataclass(cast(type, hint))
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        return _union(inner)
    if origin is Literal:
        return _literal(inner)
    if origin is tuple:
        return _list(inner[0]) if len(inner) == 2 and inner[1] is Ellipsis else _tuple(inner)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _mapping(inner[1])
    return _plain(hint)


# --- values --------------------------------------------------------------------------------------


def _plain(hint: type) -> Decoder:
    """Return the decoder of text, numbers, true and false, null."""
    fitting = frozenset(kind for kind in (*_PLAIN, list, dict) if _is_plain(kind, hint))

    def decode(value: Any) -> Any:
        if type(value) not in fitting:
            raise Unfit(f"expected {_words(hint)}, found {_found(value)}")
        return _sound(value)

    return decode


def _is_plain(kind: type, hint: Any) -> bool:
    """Return whether values of a kind are of a plain type; a whole number is written without its point."""
    if kind is bool or kind is int:
        return kind is hint or (kind is int and hint is float)
    return isinstance(hint, type) and issubclass(kind, hint)


def _sound(value: Any) -> Any:
    """Return a plain value; refuse a number that is not finite, and one that no computer counts to."""
    kind = type(value)
    if kind is float and not math.isfinite(value):
        raise Unfit(f"expected a finite number, found {value}")
    if kind is int and not -MOST <= value <= MOST:
        raise Unfit(f"expected a number of at most 18 digits, found one of {len(str(value))}")
    return value


def _literal(options: tuple[Any, ...]) -> Decoder:
    known = frozenset(options)

    def decode(value: Any) -> Any:
        if type(value) is not str or value not in known:
            raise Unfit(f"expected one of {', '.join(map(repr, options))}, found {_found(value)}")
        return value

    return decode


def _anything(value: Any) -> Any:
    """Return lists as tuples, objects that name their type as results, and other values as they are."""
    kind = type(value)
    if kind is list:
        return _each(_anything, value)
    if kind is dict:
        named = _NAMED.get(str(value.get(TYPE_KEY)))
        return decoder_of(named)(value) if named is not None else _entries(_anything, value)
    return _sound(value)


# --- lists and objects ---------------------------------------------------------------------------


def _each(decode: Decoder, values: list[Any]) -> tuple[Any, ...]:
    """Return every value of a list, decoded."""
    done: list[Any] = []
    try:
        for value in values:
            done.append(decode(value))  # noqa: PERF401 - how far it came says which value was refused
    except Unfit as unfit:
        raise unfit.below(f"[{len(done)}]") from None
    return tuple(done)


def _entries(decode: Decoder, value: dict[str, Any]) -> dict[str, Any]:
    """Return every entry of an object, decoded."""
    done, key = {}, ""
    try:
        for key, entry in value.items():
            done[key] = decode(entry)
    except Unfit as unfit:
        raise unfit.below(f".{key}") from None
    return done


def _list(hint: Any) -> Decoder:
    inner = decoder_of(hint)

    def decode(value: Any) -> Any:
        if type(value) is not list:
            raise Unfit(f"expected a list, found {_found(value)}")
        return _each(inner, value)

    return decode


def _tuple(hints: tuple[Any, ...]) -> Decoder:
    inner = [decoder_of(hint) for hint in hints]

    def decode(value: Any) -> Any:
        if type(value) is not list:
            raise Unfit(f"expected a list, found {_found(value)}")
        if len(value) != len(inner):
            raise Unfit(f"expected {len(inner)} entries, found {len(value)}")
        done: list[Any] = []
        try:
            for each, item in zip(inner, value, strict=True):
                done.append(each(item))
        except Unfit as unfit:
            raise unfit.below(f"[{len(done)}]") from None
        return tuple(done)

    return decode


def _mapping(hint: Any) -> Decoder:
    inner = decoder_of(hint)

    def decode(value: Any) -> Any:
        if type(value) is not dict:
            raise Unfit(f"expected an object, found {_found(value)}")
        return _entries(inner, value)

    return decode


def _union(hints: tuple[Any, ...]) -> Decoder:
    """Return the decoder of the one member of a union that a value fits; objects are results, told by their kind."""
    classes = tuple(hint for hint in hints if dataclasses.is_dataclass(hint))
    others = tuple(hint for hint in hints if hint not in classes)
    fitting: dict[type, list[Decoder]] = {
        kind: [decoder_of(hint) for hint in others if _may_be(kind, hint)] for kind in (*_PLAIN, list)
    }

    def decode(value: Any) -> Any:
        kind = type(value)
        if kind is dict:
            return decoder_of(_choose(value, classes))(value)
        for inner in fitting[kind]:
            try:
                return inner(value)
            except Unfit:
                continue
        raise Unfit(f"expected {' or '.join(_words(hint) for hint in hints)}, found {_found(value)}")

    return decode


def _may_be(kind: type, hint: Any) -> bool:
    """Return whether values of a kind that JSON has can fit a type hint that is no dataclass."""
    return hint is Any or typing.get_origin(hint) is not None or _is_plain(kind, hint)


def _choose(value: dict[str, Any], classes: tuple[Any, ...]) -> Any:
    """Return the class an object belongs to: the only one, or the layer that `kind` names."""
    if len(classes) == 1:
        return classes[0]
    for cls in classes:
        if value.get("kind") == getattr(cls, "kind", None):
            return cls
    kinds = ", ".join(repr(getattr(cls, "kind", "")) for cls in classes)
    raise Unfit(f"expected one of {kinds or 'no object'}, found {_found(value.get('kind'))}", ".kind")


def _dataclass(cls: type) -> Decoder:
    """Return the decoder of a dataclass, whose hints are looked at when the first of them is read."""
    fields = stored_fields(cls)
    names = frozenset((*(field.name for field in fields), TYPE_KEY))
    required = frozenset(field.name for field in fields if _required(field))
    inner: dict[str, Decoder] = {}

    def decode(value: Any) -> Any:
        if type(value) is not dict:
            raise Unfit(f"expected an object, found {_found(value)}")
        if not inner:
            inner.update({name: decoder_of(hint) for name, hint in _hints(cls).items()})
        if not (required <= value.keys() <= names):
            _refuse_keys(value, cls)
        content, key = {}, ""
        try:
            for key, item in value.items():
                if key != TYPE_KEY:
                    content[key] = inner[key](item)
        except Unfit as unfit:
            raise unfit.below(f".{key}") from None
        try:
            return cls(**content)
        except ValueError as error:  # a type's own check: a row that does not fit, a chart without words
            raise Unfit(str(error)) from error

    return decode


def _refuse_keys(value: dict[str, Any], cls: type) -> None:
    """Raise for a key that is unknown, or missing."""
    known = _hints(cls)
    for key in value:
        if key not in known and key != TYPE_KEY:
            raise Unfit(f"unknown key {key!r}{did_you_mean(key, known).rstrip('.')}")
    missing = [field.name for field in stored_fields(cls) if field.name not in value and _required(field)]
    raise Unfit(f"expected the key {missing[0]!r}, found none")


@cache
def _hints(cls: type) -> dict[str, Any]:
    names = {**vars(chart), "Callable": Callable, "Any": Any, "Evaluation": Evaluation}
    hints = typing.get_type_hints(cls, localns=names)
    return {field.name: hints[field.name] for field in stored_fields(cls)}


def _required(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


# --- words ---------------------------------------------------------------------------------------


def _words(hint: Any) -> str:
    names = {str: "text", int: "a whole number", float: "a number", bool: "true or false", type(None): "null"}
    return names.get(hint, getattr(hint, "__name__", "a list or object"))


def _found(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else text[:37] + "..."
