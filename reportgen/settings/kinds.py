"""Types of settings: paths, scales, labels, and the option of a setting."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Annotated, Any, get_args

from pydantic import AfterValidator, BeforeValidator, PlainSerializer, WithJsonSchema

from reportgen.errors import SettingsError, shortened
from reportgen.results import Scale
from reportgen.settings.wording import TOLD, members

CONFIG_SUFFIXES = (".toml", ".yaml", ".yml", ".json")

RESCALED = ("asis", "raw")
"""Values of scale_with that are words; any other value is the path of a training file."""

RSMEVAL_PATHS = ("predictions_file", "scale_with", "custom_sections")
"""Fields of ``[rsmeval]`` that are paths relative to the configuration file."""


@dataclass(frozen=True)
class PathWhen:
    """Marks a text setting that is a path if `holds` is true of its value."""

    holds: Callable[[str], bool]


def possible_path(given: str | PathLike[str]) -> Path:
    """Return a path from a user.

    Examples
    --------
    >>> possible_path("")
    Traceback (most recent call last):
    ...
    reportgen.errors.SettingsError: a path is empty; name a file or a folder.
    """
    path = fspath(given)
    if not isinstance(path, str):
        raise SettingsError(f"a path is of type {type(path).__name__}; give it as text.")
    if not path:
        raise SettingsError("a path is empty; name a file or a folder.")
    if "\0" in path:
        raise SettingsError(f"{shortened(path)!r} has a null character, so it cannot be a path; name another one.")
    return Path(path)


def is_text(value: str) -> bool:
    r"""Return whether a text can be written to a file.

    Examples
    --------
    >>> is_text("café"), is_text("\udcff")
    (True, False)
    """
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_path(section: object) -> bool:
    """Return whether an entry of ``sections`` is a path, not a name."""
    return isinstance(section, str) and (section.endswith(".py") or "/" in section or "\\" in section)


def is_policy_path(policy: object) -> bool:
    """Return whether a policy is given by its path, not by its name.

    Examples
    --------
    >>> is_policy_path("williamson-2012"), is_policy_path("ours.toml"), is_policy_path("./ours.yaml")
    (False, True, True)
    """
    if not isinstance(policy, str):
        return False
    return policy.lower().endswith(CONFIG_SUFFIXES) or "/" in policy or "\\" in policy


def is_training_file(scale_with: str) -> bool:
    """Return whether ``scale_with`` is the path of a training file, not a word."""
    return scale_with not in RESCALED


def split(value: object) -> object:
    """Return the parts of text between commas; anything else as it is."""
    return [part for part in re.split(r"\s*,\s*", value.strip()) if part] if isinstance(value, str) else value


def moved(
    content: Mapping[str, Any], model: Any, move: Callable[[str], str], *, recognised: bool = False
) -> dict[str, Any]:
    """Return tables of settings with every path moved.

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


MOST_POINTS = 1001
"""Most points of a scale (0 to 1000 is allowed)."""


def _continuous(value: object) -> object:
    """Return low:high as a continuous scale."""
    return f"{value}:0" if isinstance(value, str) and value.count(":") == 1 else value


def _parts(value: object) -> dict[str, Any]:
    """Return low, high, and step of a scale in any notation."""
    if isinstance(value, Scale):
        value = _table(value)
    if not isinstance(value, Mapping):
        parts = list(value) if isinstance(value, list | tuple) else str(value).split(":")
        if len(parts) not in (2, 3):
            raise ValueError(f"a scale is written low:high or low:high:step, such as 1:6, not '{shortened(value)}'")
        value = dict(zip(("low", "high", "step"), parts, strict=False))
    if "assumed" in value:
        raise ValueError("a scale that is declared is not assumed; take the key 'assumed' out")
    return {"step": 1.0, **value, "assumed": False}


def _checked(scale: Scale) -> Scale:
    """Refuse a scale that is empty, has too many points, or whose step does not divide it."""
    low, high, step = scale.low, scale.high, scale.step
    if low >= high:
        raise ValueError(f"the low end of a scale must be below the high end, found {low:g}:{high:g}")
    if step < 0:
        raise ValueError(f"the step of a scale must be at least 0, found {step:g}; 0 is for a continuous scale")
    steps = (high - low) / step if step else 0.0
    if abs(steps - round(steps)) > 1e-6:
        raise ValueError(f"steps of {step:g} do not lead from {low:g} to {high:g}")
    if steps >= MOST_POINTS:
        raise ValueError(f"a scale may have {MOST_POINTS} points at most, found {steps + 1:.15g}")
    return scale


def _table(scale: Scale) -> dict[str, float]:
    return {"low": scale.low, "high": scale.high, "step": scale.step}


DeclaredScale = Annotated[
    Scale, BeforeValidator(_parts), AfterValidator(_checked), PlainSerializer(_table), WithJsonSchema(TOLD["a_scale"])
]

DeclaredEnds = Annotated[DeclaredScale, BeforeValidator(_continuous)]
"""A scale whose step does not matter."""


MOST_LABELS = 100
"""Most labels; more are names of something else."""


def same_label(text: str) -> str:
    """Return a label in lower case with single spaces.

    Examples
    --------
    >>> same_label(" Partly  True "), same_label("PARTLY true")
    ('partly true', 'partly true')
    """
    return " ".join(text.split()).casefold()


def as_label(value: object) -> object:
    """Return a label as the text of a cell.

    Examples
    --------
    >>> as_label(2), as_label(0.5), as_label(True), as_label("Yes ")
    ('2', '0.5', 'true', 'Yes')
    """
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.15g}" if isinstance(value, int | float) else value.strip() if isinstance(value, str) else value


@dataclass(frozen=True)
class Option:
    """The option of a setting; type, default, and panel come from the field.

    flags: Such as ``--min-n`` or ``--withhold/--no-withhold``. Default: made from the name of the setting.
    metavar: Placeholder of the value in the help.
    help: Help text, if it differs from the description of the field.
    listed: Whether values are separated by commas instead of repeated options.
    none, none_help: Option for an empty list, and its help.
    several: Setting that receives the values if there are several.
    """

    flags: str = ""
    metavar: str | None = None
    help: str = ""
    listed: bool = False
    none: str = ""
    none_help: str = ""
    several: str = ""
