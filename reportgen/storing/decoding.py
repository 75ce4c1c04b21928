"""JSON's own types as frozen dataclasses, strictly: what does not fit a type hint is refused with its place.

pydantic reads; its schema is made here from the type hints, because the file says more than they do: objects may name
their type, a whole number stands where a number may and stays one, and nothing else is converted.
"""

from __future__ import annotations

import dataclasses
import json
import math
import sys
import types
import typing
from collections.abc import Callable, Mapping
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from reportgen.errors import did_you_mean
from reportgen.results import Check, Column, Estimate, Highlight, Row, Table
from reportgen.results.term import UNLESS_DEFAULT, Term

if TYPE_CHECKING:
    from pydantic_core import CoreSchema, SchemaValidator
    from pydantic_core.core_schema import DataclassField

T = TypeVar("T")

TYPE_KEY = "$type"
"""Where a field holds anything, this key names the type of a result."""

RESULTS = frozenset((Estimate, Check, Highlight, Table, Column, Row))
"""Types that are named where a field holds anything."""

MOST = 10**18
"""The largest whole number that is read."""

_WORDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false", type(None): "null"}

_TERM = "Term"
"""What names the type of a term."""

_MEMBER = "\0"
"""Stands in the place of an error for the member of a union, which is no step in the file."""


class MisfitError(Exception):
    """Something the schema does not know: where, what was expected, what was found."""


def decode(value: Any, cls: type[T], where: str) -> T:
    """Return `value`, as `encode` made it, as an object of the dataclass `cls`.

    Examples
    --------
    >>> from reportgen.results import Highlight
    >>> decode({"text": "Mind the gap.", "target": ""}, Highlight, "report")
    Highlight(text='Mind the gap.', target='')
    """
    from pydantic_core import ValidationError

    try:
        return cast(T, _validator(cast(Any, cls)).validate_python(value, context=[]))
    except ValidationError as refused:
        told = max(refused.errors(include_url=False), key=_weight)
    if told["type"].startswith("recursion_"):
        raise RecursionError
    steps = [step for step in told["loc"] if step != _MEMBER and not (isinstance(step, int) and step < 0)]
    place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    raise MisfitError(f"{where}{place}{_told(told)}")


@cache
def stored_fields(cls: type) -> tuple[dataclasses.Field[Any], ...]:
    """Return the fields that are stored: all that count when two objects are compared."""
    return tuple(field for field in dataclasses.fields(cls) if field.compare)


# --- the schema ----------------------------------------------------------------------------------


@cache
def _validator(cls: type) -> SchemaValidator:
    """Return what reads a dataclass and every type that it leads to."""
    from pydantic_core import SchemaValidator, core_schema

    made: dict[str, CoreSchema] = {}
    schema = _schema(cls, made)
    return SchemaValidator(core_schema.definitions_schema(schema, list(made.values())))


def _schema(hint: Any, made: dict[str, CoreSchema]) -> CoreSchema:
    """Return the schema of a type hint; those of dataclasses and of anything are `made` once, and referred to."""
    from pydantic_core import core_schema

    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any or dataclasses.is_dataclass(hint):
        name = f"{hint.__module__}.{cast(type, hint).__qualname__}"
        if name not in made:
            made[name] = core_schema.any_schema()  # while it is being made, for what leads back to it
            made[name] = _anything(name, made) if hint is Any else _dataclass(cast(type, hint), name, made)
        return core_schema.definition_reference_schema(name)
    if origin is tuple and inner[-1] is Ellipsis:
        return core_schema.tuple_schema([_schema(inner[0], made)], variadic_item_index=0, fail_fast=True)
    if origin is tuple:
        return core_schema.tuple_schema([_schema(each, made) for each in inner])
    if isinstance(origin, type) and issubclass(origin, Mapping):
        entry = core_schema.with_info_wrap_validator_function(_until_refused, _schema(inner[1], made))
        return core_schema.dict_schema(core_schema.str_schema(), entry)
    return _union(inner if origin in (types.UnionType, typing.Union) else (hint,), made)


def _until_refused(value: Any, read: Callable[[Any], Any], info: Any) -> Any:
    """Return an entry of an object; after one that is refused no other is read, so that errors take no memory."""
    from pydantic_core import ValidationError

    if info.context:
        return None
    try:
        return read(value)
    except ValidationError:
        info.context.append(True)
        raise


def _union(hints: tuple[Any, ...], made: dict[str, CoreSchema]) -> CoreSchema:
    """Return the schema of plain values, of a dataclass, or of several that `kind` tells apart."""
    from pydantic_core import core_schema

    classes = [hint for hint in hints if dataclasses.is_dataclass(hint)]
    plain = tuple(hint for hint in hints if hint not in classes)
    if not classes:
        return _text_or_term(_plain(plain), made) if str in plain else _plain(plain)
    if plain:
        words = _plain(plain, " or an object")
        choices = [
            (_text_or_term(words, made) if str in plain else words, _MEMBER),
            (_schema(classes[0], made), _MEMBER),
        ]
        return core_schema.union_schema(cast(Any, choices), mode="left_to_right")
    tags = {cast(Any, cls).kind: -place for place, cls in enumerate(classes, 1)}

    def tag(value: Any) -> int | None:
        return tags.get(str(value.get("kind"))) if type(value) is dict else None

    return core_schema.tagged_union_schema(
        {-place: _schema(cls, made) for place, cls in enumerate(classes, 1)},
        tag,
        custom_error_type="kind",
        custom_error_message=f"expected one of {', '.join(map(repr, tags))}",
    )


def _text_or_term(plain: CoreSchema, made: dict[str, CoreSchema]) -> CoreSchema:
    """Return the schema of plain values among them text, for which a term may stand."""
    from pydantic_core import core_schema

    if _TERM not in made:
        made[_TERM] = core_schema.any_schema()
        fields = {
            TYPE_KEY: core_schema.typed_dict_field(core_schema.literal_schema([_TERM])),
            "key": core_schema.typed_dict_field(core_schema.str_schema(strict=True)),
            "values": core_schema.typed_dict_field(_schema(Mapping[str, Any], made)),
        }
        held = core_schema.typed_dict_schema(fields, extra_behavior="forbid")
        made[_TERM] = core_schema.no_info_after_validator_function(_term, held, ref=_TERM)
    return core_schema.tagged_union_schema(
        {-1: plain, -2: core_schema.definition_reference_schema(_TERM)}, lambda value: -2 if _is_term(value) else -1
    )


def _is_term(value: Any) -> bool:
    return type(value) is dict and value.get(TYPE_KEY) == _TERM


def _term(held: Mapping[str, Any]) -> Term:
    return Term(held["key"], **held["values"])


@cache
def _plain(hints: tuple[Any, ...], besides: str = "") -> CoreSchema:
    """Return the schema of text, numbers, true and false, null, certain words: one of them, nothing converted."""
    from pydantic_core import core_schema

    whole = core_schema.int_schema(strict=True, ge=-MOST, le=MOST)
    finite = core_schema.float_schema(allow_inf_nan=False)  # alone it would make a float of a whole number
    known: dict[Any, list[CoreSchema]] = {
        str: [core_schema.str_schema(strict=True)],
        float: [core_schema.chain_schema([core_schema.is_instance_schema(float), finite]), whole],
        int: [whole],
        bool: [core_schema.bool_schema(strict=True)],
        type(None): [core_schema.none_schema()],
    }
    schemas: list[Any] = []
    words = []
    for hint in hints:
        schemas += known[hint] if hint in known else [core_schema.literal_schema(list(typing.get_args(hint)))]
        words.append(_WORDS.get(hint) or f"one of {', '.join(map(repr, typing.get_args(hint)))}")
    schema = schemas[0] if len(schemas) == 1 else core_schema.union_schema(schemas)
    return core_schema.custom_error_schema(
        schema, "value", custom_error_message=f"expected {' or '.join(words)}{besides}"
    )


def _anything(name: str, made: dict[str, CoreSchema]) -> CoreSchema:
    """Return the schema of lists as tuples, objects that name their type as results, and other values as they are."""
    from pydantic_core import core_schema

    choices = {
        -1: _schema(tuple[Any, ...], made),
        -2: _schema(Mapping[str, Any], made),
        -3: _text_or_term(_plain(tuple(_WORDS)), made),
    }
    tags = {cls.__name__: -place for place, cls in enumerate(RESULTS, 4)}
    choices |= {tags[cls.__name__]: _schema(cls, made) for cls in RESULTS}

    def tag(value: Any) -> int:
        kind = type(value)
        if kind is dict and not _is_term(value):
            return tags.get(str(value.get(TYPE_KEY)), -2)
        return -1 if kind is list else -3

    return core_schema.tagged_union_schema(choices, tag, ref=name)


def _dataclass(cls: type, name: str, made: dict[str, CoreSchema]) -> CoreSchema:
    """Return the schema of a dataclass, which must be given all that it has no default for, and nothing unknown."""
    from pydantic_core import PydanticCustomError, core_schema

    hints = {field.name: _hint(str(field.type), cls.__module__) for field in stored_fields(cls)}
    required = frozenset(field.name for field in stored_fields(cls) if _default(field) is None)
    names = frozenset((*hints, TYPE_KEY))

    def checked(value: Any) -> Any:
        if type(value) is not dict:
            raise PydanticCustomError("object", "expected an object")
        if not (required <= value.keys() <= names):
            raise PydanticCustomError("keys", "{told}", {"told": _told_of_keys(value, hints, required)})
        return value

    members: list[DataclassField] = []
    for field in dataclasses.fields(cls):
        schema = _schema(hints[field.name], made) if field.name in hints else core_schema.any_schema()
        default = _default(field)
        members.append(core_schema.dataclass_field(field.name, default(schema) if default else schema))
    arguments = core_schema.dataclass_args_schema(name, members)
    made_of = core_schema.dataclass_schema(
        cls, arguments, [member["name"] for member in members], post_init=hasattr(cls, "__post_init__")
    )
    return core_schema.no_info_before_validator_function(checked, made_of, ref=name)


def _default(field: dataclasses.Field[Any]) -> Callable[[CoreSchema], CoreSchema] | None:
    """Return what gives a schema the default of a field; None when it has none."""
    from pydantic_core.core_schema import with_default_schema

    if field.default_factory is not dataclasses.MISSING:
        factory = field.default_factory
        return lambda schema: with_default_schema(schema, default_factory=factory)
    if field.default is not dataclasses.MISSING:
        return lambda schema: with_default_schema(schema, default=field.default)
    return None


@cache
def _hint(text: str, module: str) -> Any:
    """Return what the text of an annotation means in its module; many fields share one, which is compiled once."""
    return eval(text, vars(sys.modules[module]))


# --- words ---------------------------------------------------------------------------------------


def _weight(error: Mapping[str, Any]) -> tuple[int, int]:
    """Return how much an error says: of the members of a union the one that the value was meant to be says most."""
    return len(error["loc"]), {"object": 0, "value": 1}.get(error["type"], 2)


def _told(error: Mapping[str, Any]) -> str:
    """Return an error in words, behind its place."""
    kind, found, context = error["type"], error["input"], error.get("ctx", {})
    if kind == "keys":
        return f": {error['msg']}"
    if kind == "value_error":  # a type's own check: a row that does not fit, a chart without words
        return f": {context['error']}"
    if kind == "kind" and type(found) is not dict:
        return f": expected an object, found {_found(found)}"
    if kind == "kind":
        return f".kind: {error['msg']}, found {_found(found.get('kind'))}"
    if type(found) is float and not math.isfinite(found):
        return f": expected a finite number, found {found}"
    if type(found) is int and not -MOST <= found <= MOST:
        return f": expected a number of at most 18 digits, found one of {len(str(found))}"
    expected = {
        "tuple_type": "expected a list",
        "dict_type": "expected an object",
        "missing": "expected one more entry",
        "too_long": f"expected at most {context.get('max_length')} entries",
    }
    return f": {expected.get(kind, error['msg'])}, found {_found(found)}"


def _told_of_keys(value: dict[str, Any], known: Mapping[str, Any], required: frozenset[str]) -> str:
    """Return which key is unknown, or missing."""
    for key in value:
        if key not in known and key != TYPE_KEY:
            return f"unknown key {key!r}{did_you_mean(key, known).rstrip('.')}"
    return f"expected the key {next(key for key in known if key in required and key not in value)!r}, found none"


def _found(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else text[:37] + "..."


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
