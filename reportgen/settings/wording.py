"""One sentence for each validation error: the place, what is expected, and what was found."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ValidationError

from reportgen.errors import did_you_mean, shortened

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Location = tuple[int | str, ...]

TOLD: Mapping[str, Any] = tomllib.loads(Path(__file__).with_name("settings.toml").read_text(encoding="utf-8"))
"""Content of ``settings.toml``: descriptions, options, and words of errors."""

EXPECTED: Mapping[str, str] = TOLD["expected"]

BEYOND: Mapping[str, str] = TOLD["beyond"]

COLOUR, LANGUAGE = r"^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$", "^[a-z]{2,8}$"
PATTERNS: Mapping[str, str] = MappingProxyType({COLOUR: "a color such as #1f4e79", LANGUAGE: "a language such as 'en'"})
"""Description of each pattern."""

UNKNOWN = ("extra_forbidden", "unexpected_keyword_argument")
"""pydantic's error types for unknown keys."""

ENTRIES: Mapping[str, str] = MappingProxyType({"criteria": "criterion", "bands": "band"})
"""Name of an entry of some lists; others are entries."""


def problem(model: Any, error: ValidationError) -> str:
    """Return the first validation error as a sentence without a period.

    model: What it was held against; None where that is no model, and places are said as they are.

    Examples
    --------
    >>> from pydantic import Field
    >>> class Test(BaseModel, extra="forbid"):
    ...     share: float = Field(0.5, ge=0.1, le=0.9)
    ...     sizes: tuple[int, ...] = ()
    >>> def said(**given):
    ...     try:
    ...         Test(**given)
    ...     except ValidationError as error:
    ...         print(problem(Test, error))
    >>> said(share=50)
    share: expected a number of at most 0.9, found 50; did you mean 0.5?
    >>> said(sizes=[1, "many"])
    sizes, entry 2: expected a whole number, found 'many'
    >>> said(size=[1])
    'size' is not a setting; did you mean 'sizes'?
    """
    details = error.errors(include_url=False)
    # a key that is missing may be there, misspelt
    first = next((detail for detail in details if detail["type"] in UNKNOWN), details[0])
    place = _Place(model, first["loc"])
    start = f"{place.words}: " if place.words else ""
    if first["type"] in UNKNOWN:
        return _unknown(model, first["loc"])
    if first["type"] == "missing":
        return f"{place.words} is missing; add it"
    if first["type"] == "value_error":
        return start + first["msg"].removeprefix("Value error, ").rstrip(".")
    alike = [each for each in details if _Place(model, each["loc"]).words == place.words]
    expected = " or ".join(dict.fromkeys(_expected(each, place) for each in alike))
    return f"{start}expected {expected}, found {quoted(first['input'])}{_meant(first, place)}"


def quoted(value: object) -> str:
    """Return a value as it was written, shortened when it is long.

    Examples
    --------
    >>> quoted("engine"), quoted(95.0), quoted([1, 2])
    ("'engine'", '95', '[1, 2]')
    """
    return shortened(repr(value).removesuffix(".0") if isinstance(value, float) else repr(value))


def _unknown(model: Any, location: Location) -> str:
    """Return the error for an unknown key, with the nearest key of its table."""
    *table, key = location
    within = _Place(model, tuple(table))
    hint = did_you_mean(str(key), _fields(within.annotation)).rstrip(".")
    if any(isinstance(part, int) for part in table):
        return f"{within.words}: '{key}' is not a setting{hint}"
    return f"'{'.'.join(map(str, location))}' is not a setting{hint}"


def _expected(detail: ErrorDetails, place: _Place) -> str:
    if detail["type"] in BEYOND:
        whole = int in members(place.annotation) and float not in members(place.annotation)
        (bound,) = detail["ctx"].values()
        return f"{'a whole number' if whole else 'a number'} {BEYOND[detail['type']]} {quoted(bound)}"
    if detail["type"] == "string_pattern_mismatch":
        pattern = detail["ctx"]["pattern"]
        return PATTERNS.get(pattern, f"text that matches {pattern}")
    words = EXPECTED.get(detail["type"])
    return words.format(**detail.get("ctx", {})) if words else detail["msg"][:1].lower() + detail["msg"][1:]


def _meant(detail: ErrorDetails, place: _Place) -> str:
    """Return the nearest word, or the share that a percentage could mean."""
    value = detail["input"]
    if detail["type"] == "literal_error" and isinstance(value, str):
        known = [each for member in members(place.annotation) for each in get_args(member)]
        near = did_you_mean(value, [each for each in known if isinstance(each, str)])
        return near if near.startswith("; did") else ""
    limit = detail.get("ctx", {}).get("le", detail.get("ctx", {}).get("lt", math.inf))
    is_percent = isinstance(value, int | float) and limit <= 1 and 2 <= value <= 100
    return f"; did you mean {value / 100:g}?" if is_percent else ""


class _Place:
    """A place in a model: its words, and the type expected there."""

    def __init__(self, model: Any, location: Location) -> None:
        self.annotation: Any = model
        said: list[str] = []
        keys: list[str] = [] if model is not None else [str(part) for part in location]
        for part in location if model is not None else ():
            inner = self._inside(part)
            if inner is None:
                continue  # the name that pydantic gives to a choice among several types
            self.annotation = inner
            if isinstance(part, int):
                name = keys.pop() if keys and keys[-1] in ENTRIES else ""
                said += [".".join(keys)] if keys else []
                said, keys = [*said, f"{ENTRIES.get(name, 'entry')} {part + 1}"], []
            else:
                keys.append(str(part))
        self.words = ", ".join([*said, ".".join(keys)] if keys else said)

    def _inside(self, part: int | str) -> Any:
        for member in members(self.annotation):
            origin, arguments = get_origin(member), get_args(member)
            if isinstance(part, int) and origin in (tuple, list) and arguments:
                return arguments[0]
            if isinstance(part, str) and origin is dict:
                return arguments[1]
            if isinstance(part, str) and part in _fields(member):
                return _fields(member)[part]
        return None


def members(annotation: Any) -> Iterator[Any]:
    """Yield the types of an annotation, each member of a union by itself."""
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from members(get_args(annotation)[0])
    elif origin in (None, tuple, list, dict) or not any(
        isinstance(each, type) or get_origin(each) is not None for each in get_args(annotation)
    ):
        yield annotation
    else:
        for member in get_args(annotation):
            yield from members(member)


def _fields(model: Any) -> dict[str, Any]:
    """Return the type of each key of a model."""
    for member in members(model):
        if isinstance(member, type) and issubclass(member, BaseModel):
            return {key: field.annotation for key, field in member.model_fields.items()}
        if isinstance(member, type) and is_dataclass(member):
            return get_type_hints(member)
    return {}
