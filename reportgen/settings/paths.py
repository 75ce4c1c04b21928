"""Which settings are paths, and all of them moved: to the folder of a file, as seen from it, or to names alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any, get_args

from reportgen.errors import SettingsError, shortened
from reportgen.settings.wording import members

CONFIG_SUFFIXES = (".toml", ".yaml", ".yml", ".json")

RESCALED = ("asis", "raw")
"""The values of scale_with that are words; every other one is the path of a training file."""

RSMEVAL_PATHS = ("predictions_file", "scale_with", "custom_sections")
"""Fields of ``[rsmeval]`` that are paths, or lists of them, relative to the configuration file."""


@dataclass(frozen=True)
class PathWhen:
    """Says beside the type of a setting which of its texts are paths; the type Path says it by itself."""

    holds: Callable[[str], bool]


def possible_path(given: str | PathLike[str]) -> Path:
    """Return a path that somebody names, if it can be one.

    Raises
    ------
    SettingsError
        It is empty, or has a null character.

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
    """Return tables of settings with every path in them moved; what is no path stays.

    Parameters
    ----------
    content
        Tables of settings, checked or not.
    model
        The model of all settings.
    move
        Returns where a path leads now.
    recognised
        Whether a path must be recognised as one also where it was moved to.
    """

    def located(value: Any, when: Callable[[str], bool]) -> Any:
        """Return one path, or each of a list of them, moved."""
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
    """Return the settings that are paths and nothing else, by table."""
    found: dict[str, set[str]] = {}
    for table, key, when in _places(model):
        if when is _always:
            found.setdefault(table, set()).add(key)
    return found


def _places(model: Any) -> Iterator[tuple[str, str, Callable[[str], bool]]]:
    """Yield table and key of every setting that may be a path, and when its text is one."""
    for table, key in model.keywords().values():
        field = model.table(table).model_fields[key]
        said = next((each.holds for each in field.metadata if isinstance(each, PathWhen)), None)
        kinds = {kind for member in members(field.annotation) for kind in (member, *get_args(member))}
        if said is not None or Path in kinds:
            yield table, key, said or _always


def _always(path: str) -> bool:
    """Return that a path is one."""
    return isinstance(path, str)
