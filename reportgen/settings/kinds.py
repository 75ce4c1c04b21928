"""Define types of settings (paths, scales, labels, options), and word validation errors."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from os import PathLike, fspath
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin, get_type_hints

from pydantic import AfterValidator, BaseModel, BeforeValidator, PlainSerializer, ValidationError, WithJsonSchema

from reportgen.errors import SettingsError, did_you_mean, shortened
from reportgen.results import Scale

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

CONFIG_SUFFIXES = (".toml", ".yaml", ".yml", ".json")

Location = tuple[int | str, ...]

TOLD: Mapping[str, Any] = tomllib.loads(Path(__file__).with_name("settings.toml").read_text(encoding="utf-8"))
"""Content of ``settings.toml``: descriptions, options, and words of errors."""

EXPECTED: Mapping[str, str] = TOLD["expected"]

BEYOND: Mapping[str, str] = TOLD["beyond"]

COLOUR, LANGUAGE = r"^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$", "^[a-z]{2,8}$"
PATTERNS: Mapping[str, str] = MappingProxyType({COLOUR: "a color such as #1f4e79", LANGUAGE: "a language such as 'en'"})
"""Description of each pattern."""

UNKNOWN = ("extra_forbidden", "unexpected_keyword_argument")  # pydantic's error types for unknown keys

ENTRIES: Mapping[str, str] = MappingProxyType({"criteria": "criterion", "bands": "band"})
"""Name of an entry in some lists; other lists have "entries"."""

RESCALED = ("asis", "raw")  # values of scale_with that are keywords; any other value is the path of a training file

RSMEVAL_PATHS = ("predictions_file", "scale_with", "custom_sections")
"""Fields of ``[rsmeval]`` that are paths relative to the configuration file."""


@dataclass(frozen=True)
class PathWhen:
    """Marks a text setting that is a path if `holds` is true for its value."""

    holds: Callable[[str], bool]


def possible_path(given: str | PathLike[str]) -> Path:
    """Return a path from a user.

    >>> possible_path("")
    Traceback (most recent call last):
    ...
    reportgen.errors.SettingsError: a path is empty; give a file or a folder.
    """
    path = fspath(given)
    if not isinstance(path, str):
        raise SettingsError(f"a path is of type {type(path).__name__}; give it as text.")
    if not path:
        raise SettingsError("a path is empty; give a file or a folder.")
    if "\0" in path:
        raise SettingsError(f"{shortened(path)!r} has a null character, so it cannot be a path; give another path.")
    return Path(path)


def is_text(value: str) -> bool:
    r"""Return whether a text can be written to a file.

    >>> is_text("café"), is_text("\udcff")
    (True, False)
    """
    return not re.search("[\ud800-\udfff]", value)


def is_path(section: object) -> bool:
    """Return whether an entry of ``sections`` is a path, not a name."""
    return isinstance(section, str) and (section.endswith(".py") or "/" in section or "\\" in section)


def is_policy_path(policy: object) -> bool:
    """Return whether a policy is given by its path, not by its name.

    >>> is_policy_path("williamson-2012"), is_policy_path("ours.toml"), is_policy_path("./ours.yaml")
    (False, True, True)
    """
    if not isinstance(policy, str):
        return False
    return policy.lower().endswith(CONFIG_SUFFIXES) or "/" in policy or "\\" in policy


def is_training_file(scale_with: str) -> bool:
    """Return whether ``scale_with`` is the path of a training file, not a word."""
    return scale_with not in RESCALED


def lists_by_key(value: object) -> object:
    """Return a mapping with a list for each key, also for single values; other objects stay."""
    if not isinstance(value, dict):
        return value
    return {key: each if isinstance(each, list | tuple) else [each] for key, each in value.items()}


def split(value: object) -> object:
    """Split text at commas; return any other value unchanged."""
    return [part for part in re.split(r"\s*,\s*", value.strip()) if part] if isinstance(value, str) else value


def moved(
    content: Mapping[str, Any], model: Any, move: Callable[[str], str], *, recognised: bool = False
) -> dict[str, Any]:
    """Move every path in tables of settings.

    content: Tables of settings, checked or not.
    model: The model of all settings.
    move: Function from the old path to the new one.
    recognised: Whether the new path must still look like a path.
    """

    def located(value: Any, when: Callable[[str], bool]) -> Any:
        if isinstance(value, list | tuple):
            return type(value)(located(each, when) for each in value)
        if not isinstance(value, str | Path) or not when(str(value)):
            return value
        found = move(str(value))
        return found if when(found) or not recognised else f"./{found}"

    found = {name: dict(table) if isinstance(table, Mapping) else table for name, table in content.items()}
    for table, key, when in _places(model):
        values = found.get(table)
        if isinstance(values, dict) and key in values:
            values[key] = located(split(values[key]) if when is is_path else values[key], when)
    rsmeval = found.get("rsmeval")
    if isinstance(rsmeval, dict):
        rsmeval |= {key: located(rsmeval[key], is_training_file) for key in RSMEVAL_PATHS if key in rsmeval}
    return found


def files(model: Any) -> dict[str, set[str]]:
    """Return the settings that are always paths, by table."""
    found: dict[str, set[str]] = {}
    for table, key, when in _places(model):
        if when is _always:
            found.setdefault(table, set()).add(key)
    return found


def _places(model: Any) -> Iterator[tuple[str, str, Callable[[str], bool]]]:
    """Yield (table, key, test) of every setting that can be a path; `test` decides for a value."""
    for table, key in model.keywords().values():
        field = model.table(table).model_fields[key]
        said = next((each.holds for each in field.metadata if isinstance(each, PathWhen)), None)
        kinds = {kind for member in members(field.annotation) for kind in (member, *get_args(member))}
        if said is not None or Path in kinds:
            yield table, key, said or _always


def _always(path: str) -> bool:
    return isinstance(path, str)


MOST_POINTS = 1001  # most points of a scale (0 to 1000 is allowed)


def _parts(value: object) -> dict[str, Any]:
    """Return low, high, and step of a scale in any notation."""
    if isinstance(value, Scale):
        value = _table(value)
    if not isinstance(value, Mapping):
        try:
            parts = [float(part) for part in (value if isinstance(value, list | tuple) else str(value).split(":"))]
        except (TypeError, ValueError):
            parts = []
        if len(parts) not in (2, 3):
            raise ValueError(f"expected LOW:HIGH or LOW:HIGH:STEP, found '{shortened(value)}'; for example, 1:6")
        value = dict(zip(("low", "high", "step"), parts, strict=False))
    if "assumed" in value:
        raise ValueError("a declared scale cannot have the key 'assumed'; remove it")
    return {"step": 1.0, **value, "assumed": False}


def _checked(scale: Scale) -> Scale:
    """Reject a scale that is empty, has too many points, or has a step that does not divide it."""
    low, high, step = scale.low, scale.high, scale.step
    if low >= high:
        swapped = f"; did you mean {high:g}:{low:g}?" if low > high else ""
        raise ValueError(f"the low end of a scale must be below the high end, found {low:g}:{high:g}{swapped}")
    if step < 0:
        raise ValueError(f"the step of a scale must be at least 0, found {step:g}; 0 is for a continuous scale")
    steps = (high - low) / step if step else 0.0
    if abs(steps - round(steps)) > 1e-6:
        raise ValueError(f"steps of {step:g} do not reach {high:g} from {low:g}")
    if steps >= MOST_POINTS:
        raise ValueError(f"a scale can have at most {MOST_POINTS} points, found {steps + 1:.15g}")
    return scale


def _table(scale: Scale) -> dict[str, float]:
    return {"low": scale.low, "high": scale.high, "step": scale.step}


DeclaredEnds = Annotated[Scale, BeforeValidator(_parts), PlainSerializer(_table), WithJsonSchema(TOLD["a_scale"])]
"""The ends of an engine's scale, worst first; its step does not matter."""

DeclaredScale = Annotated[DeclaredEnds, AfterValidator(_checked)]


MOST_LABELS = 100  # most labels; a longer list is something else


def same_label(text: str) -> str:
    """Return a label in lower case with single spaces.

    >>> same_label(" Partly  True "), same_label("PARTLY true")
    ('partly true', 'partly true')
    """
    return " ".join(text.split()).casefold()


def as_label(value: object) -> object:
    """Convert a label to the text of a cell.

    >>> as_label(2), as_label(0.5), as_label(True), as_label("Yes ")
    ('2', '0.5', 'true', 'Yes')
    """
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.15g}" if isinstance(value, int | float) else value.strip() if isinstance(value, str) else value


@dataclass(frozen=True)
class Option:
    """The option of a setting; type, default, and panel come from the field.

    none, none_help: Option for an empty list, and its help.
    """

    flags: str = ""  # Such as ``--min-n`` or ``--withhold/--no-withhold``. Default: made from the name of the setting.
    metavar: str | None = None  # placeholder of the value in the help
    help: str = ""  # help text, if it differs from the description of the field
    listed: bool = False  # whether values are separated by commas instead of repeated options
    none: str = ""
    none_help: str = ""
    several: str = ""  # setting that receives the values if there are several


def problem(model: Any, error: ValidationError) -> str:
    """Return the first validation error as a sentence without a period.

    model: The model it was checked against; None if there is none, so that places are named literally.

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
    share: expected a number up to 0.9, found 50; did you mean 0.5?
    >>> said(sizes=[1, "many"])
    sizes, entry 2: expected a whole number, found 'many'
    >>> said(size=[1])
    'size' is not a setting; did you mean 'sizes'?
    """
    details = error.errors(include_url=False)
    # a missing key may be misspelled
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
    """Return a value as written, shortened if it is long.

    >>> quoted("engine"), quoted(95.0), quoted([1, 2])
    ("'engine'", '95', '[1, 2]')
    """
    return shortened(repr(value).removesuffix(".0") if isinstance(value, float) else repr(value))


def _unknown(model: Any, location: Location) -> str:
    *table, key = location
    within = _Place(model, tuple(table))
    home = "".join(f"{part}." for part in table) * (int not in map(type, table))
    hint = did_you_mean(f"{home}{key}", [home + name for name in _fields(within.annotation)]).rstrip(".")
    if hint.endswith(" more") and hasattr(model, "LISTED"):
        hint = f"; to list all settings, run: {model.LISTED}"
    if int in map(type, table):
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
    text = words.format(**detail.get("ctx", {})) if words else detail["msg"][:1].lower() + detail["msg"][1:]
    return re.sub("(, [^,]+) or ", r"\1, or ", text)


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
    """A place in a model: its description, and the type expected there."""

    def __init__(self, model: Any, location: Location) -> None:
        self.annotation: Any = model
        said: list[str] = []
        keys: list[str] = [] if model is not None else [str(part) for part in location]
        for part in location if model is not None else ():
            inner = self._inside(part)
            if inner is None:
                continue  # pydantic's name for a choice among several types
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
    """Yield the types in an annotation; a union is split into its members."""
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
    for member in members(model):
        if isinstance(member, type) and issubclass(member, BaseModel):
            return {key: field.annotation for key, field in member.model_fields.items()}
        if isinstance(member, type) and is_dataclass(member):
            return get_type_hints(member)
    return {}
