"""Write a `Report` to results.json, and read it.

The file contains every number unrounded, so the pages can be rebuilt without the scores. JSON has no NaN: an undefined
number is null, with its reason next to it. Reading is strict: the type hints of `reportgen.results` are the schema,
nothing is converted, and errors name the place in the file. (A pydantic validator would convert a `Term` to plain text,
and a whole number to a float.)
"""

import dataclasses
import json
import math
import sys
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from typing import Any, NamedTuple

from reportgen.errors import InputError, did_you_mean
from reportgen.machine.memory import refuse_above
from reportgen.results import UNLESS_DEFAULT, Check, Column, Estimate, Highlight, Report, Row, Table, Term
from reportgen.storing import RESULTS_FILE, refuse_set_aside

SCHEMA = 3  # layout version of results.json, the only one that is read

MEMORY_OF_BYTE = 10  # bytes of memory for a byte of results.json, once it is read


def write(report: Report, path: Path) -> None:
    """Write `report` to `path` as UTF-8 JSON, every number unrounded, without `Evaluation.measure`."""
    path.write_text(dumps(report), encoding="utf-8")


def dumps(report: Report) -> str:
    """Write `report` as the text of results.json; NaN and infinity become null."""
    content = {"schema": SCHEMA, "report": encode(report)}
    return json.dumps(content, ensure_ascii=True, allow_nan=False, separators=(",", ":")) + "\n"


def read(path: Path) -> Report:
    """Read the report stored in `path`."""
    refuse_set_aside(path)
    if path.is_symlink() and path.name == RESULTS_FILE:  # in a folder that another user may have made
        raise InputError(f"{path} is a symbolic link; give the path to its target.")
    if not path.is_file():  # reading a pipe would block
        what = "is not a file" if path.exists() else "was not found"
        raise InputError(f"'{path}' {what}; give the path to a report folder.")
    try:
        refuse_above(path.stat().st_size * MEMORY_OF_BYTE, f"{path}: reading it requires")
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InputError(f"'{path}' cannot be read ({reason}); give the path to a report folder.") from error
    return loads(text, str(path))


def loads(text: str, name: str = "results.json") -> Report:
    """Parse the report in `text`; errors contain `name`."""
    try:
        content = json.loads(text)
        if not isinstance(content, dict) or not {"schema", "report"} <= content.keys():
            raise MisfitError("expected an object with the keys 'schema' and 'report'")
        if content["schema"] != SCHEMA or isinstance(content["schema"], bool):
            raise MisfitError(f"schema: expected {SCHEMA}, found {content['schema']!r} of another version")
        report: Report = decode(content["report"], Report, "report")
    except (MisfitError, ValueError, RecursionError) as error:
        if isinstance(error, MisfitError):
            raise InputError(f"{name}: {error}; to make a new report, run `reportgen evaluate`.") from error
        text = "nested too deeply" if isinstance(error, RecursionError) else "not the results.json of a report"
        raise InputError(f"{name}: {text}; give the path to a report folder.") from error
    return report


CLOSE = 1e-9  # numbers that differ by at most this share of their size, or this much, are equal


class Difference(NamedTuple):
    """A place where two values differ, with both values."""

    place: str
    old: Any
    new: Any

    def __str__(self) -> str:
        """Return it as one line."""
        return f"{self.place}: {self.old!r} became {self.new!r}"


def differences(
    old: Any, new: Any, place: str = "", ignored: Callable[[Any, str], bool] = lambda _value, _place: False
) -> Iterator[Difference]:
    """Yield the places where two JSON values differ, except those `ignored` by their old value and place.

    >>> [str(each) for each in differences({"a": [1.0, 2]}, {"a": [1.0 + 1e-12, 3]})]
    ['.a[1]: 2 became 3']
    """
    if ignored(old, place):
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}):
            yield from differences(old.get(key), new.get(key), f"{place}.{key}", ignored)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from differences(before, after, f"{place}[{index}]", ignored)
    elif not _same(old, new):
        yield Difference(place, old, new)


def _same(old: Any, new: Any) -> bool:
    numbers = [each for each in (old, new) if isinstance(each, int | float) and not isinstance(each, bool)]
    if len(numbers) == 2 and any(isinstance(each, float) for each in numbers):
        return math.isclose(*numbers, rel_tol=CLOSE, abs_tol=CLOSE)
    return bool(old == new)


TYPE_KEY = "$type"  # if a field accepts any value, this key contains the type of a result

RESULTS = {cls.__name__: cls for cls in (Estimate, Check, Highlight, Table, Column, Row)}
"""Types that are named if a field accepts any value."""

LARGEST = 1e300  # the largest number that is accepted

_WORDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false", type(None): "null"}


class MisfitError(Exception):
    """A value that does not fit the schema: its place, the expected type, and the value."""


def decode(value: Any, hint: Any, where: str) -> Any:
    """Convert `value`, which `encode` made, to an object of the type `hint`.

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
    raise _misfit(" or ".join(map(_type_name, choices)), value, where)


def _fits(value: Any, hint: Any) -> bool:
    if typing.get_origin(hint) is typing.Literal:
        return type(value) is str and value in typing.get_args(hint)
    if type(value) in (int, float):
        return (hint is float or hint is type(value)) and abs(value) <= LARGEST
    return type(value) is hint


def _anything(value: Any, where: str) -> Any:
    """Convert lists to tuples, and objects with a type name to results; other values are unchanged."""
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
    """Convert an object to a dataclass; it must contain all fields without a default, and no unknown ones."""
    hints = _hints(cls)
    for key in value:
        if key not in hints and key != TYPE_KEY:
            raise MisfitError(f"{where}: unknown key {key!r}{did_you_mean(key, hints).rstrip('.')}")
    try:
        return cls(**{key: decode(value[key], hint, f"{where}.{key}") for key, hint in hints.items() if key in value})
    except (TypeError, ValueError) as error:  # a missing key, or a type's own check, such as a row that does not fit
        required = (each for each in stored_fields(cls) if each.default is each.default_factory is dataclasses.MISSING)
        missing = [each.name for each in required if each.name not in value]
        text = f"expected the key {missing[0]!r}, found none" if missing else str(error)
        raise MisfitError(f"{where}: {text}") from None


@cache
def stored_fields(cls: type) -> tuple[dataclasses.Field[Any], ...]:
    """Return the stored fields: all that count when two objects are compared."""
    return tuple(field for field in dataclasses.fields(cls) if field.compare)


@cache
def _hints(cls: type) -> dict[str, Any]:
    return {field.name: eval(str(field.type), vars(sys.modules[cls.__module__])) for field in stored_fields(cls)}


def _type_name(hint: Any) -> str:
    if dataclasses.is_dataclass(hint):
        return f"an object of kind {hint.kind!r}" if hasattr(hint, "kind") else "an object"
    return _WORDS.get(hint) or f"one of {', '.join(map(repr, typing.get_args(hint)))}"


def _misfit(expected: str, value: Any, where: str) -> MisfitError:
    found = json.dumps(value)
    return MisfitError(f"{where}: expected {expected}, found {found if len(found) <= 40 else found[:37] + '...'}")


_ALWAYS = object()  # a default that no value equals, for fields that are always stored


def encode(value: Any) -> Any:
    """Convert `value` (a dataclass, mapping, sequence, or plain value) to JSON types.

    NaN and infinity become None, because JSON has neither.

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
        return str.__str__(value)  # only the text, whatever a subclass adds
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
    raise TypeError(f"results.json cannot contain a {kind.__name__}: {value!r}")


def _encode_anything(value: Any) -> Any:
    encoded = encode(value)
    return {TYPE_KEY: type(value).__name__, **encoded} if type(value) in RESULTS.values() else encoded


@cache
def _names(cls: type) -> tuple[tuple[str, Any], ...] | None:
    """Return the stored field names, each with the value that is not stored; None if it is not a dataclass."""
    if not dataclasses.is_dataclass(cls):
        return None
    return tuple(
        (field.name, field.default if field.metadata.items() >= UNLESS_DEFAULT.items() else _ALWAYS)
        for field in stored_fields(cls)
    )
