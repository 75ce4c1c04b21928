"""Command options, made from the fields of the settings."""

from collections.abc import Iterator, Mapping, Sequence
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any, get_origin

import typer
from pydantic.fields import FieldInfo

from reportgen.settings import Option
from reportgen.settings.flags import flags_of, typed
from reportgen.settings.kinds import members

PLAIN = (bool, int, float, Path)  # types that typer converts; settings convert the others from text


def parameters(taken: Sequence[str], without: Sequence[str], said: Mapping[str, str]) -> Iterator[Parameter]:
    """Yield the parameters of a command for its settings.

    taken, without: Tables of settings or single settings to take, and settings to leave out.
    said: Help texts by setting, instead of the field's description.
    """
    for keyword, (table, _, field, option) in typed().items():
        if keyword in without or not {table, keyword} & set(taken):
            continue
        flags, *none = flags_of(keyword, option)
        panel = "Human review" if table == "reading" else table.capitalize()
        text = said.get(keyword) or _help(field, option, _shown(field.default, flags))
        named = typer.Option(flags, metavar=option.metavar, help=text, show_default=False, rich_help_panel=panel)
        yield _parameter(keyword, _type(field, option), named)
        for flag in none:
            words = typer.Option(flag, help=option.none_help, show_default=False, rich_help_panel=panel)
            yield _parameter(_name(flag), bool, words)


def given(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that were given as options, by keyword.

    >>> given({"system": ["a", "b"], "scale": None, "groups": None, "no_groups": True})
    {'system': None, 'systems': ['a', 'b'], 'groups': []}
    """
    found: dict[str, Any] = {}
    for keyword, (*_, option) in typed().items():
        value = options.get(keyword)
        if option.none and options.get(_name(option.none)):
            found[keyword] = []
        elif value is None or value in ([], ()):
            continue
        elif option.several:
            alone = len(value) == 1
            found |= {keyword: value[0] if alone else None, option.several: None if alone else value}
        else:
            found[keyword] = value
    return found


def _name(flag: str) -> str:
    return flag.lstrip("-").replace("-", "_")


def _parameter(name: str, kind: Any, option: Any) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind | None, option])


def _type(field: FieldInfo, option: Option) -> Any:
    kinds = [get_origin(member) or member for member in members(field.annotation)]
    kind = next((kind for kind in kinds if kind in PLAIN), str)
    return list[kind] if option.several or (tuple in kinds and not option.listed) else kind  # type: ignore[valid-type]


def _help(field: FieldInfo, option: Option, default: str) -> str:
    repeated = "Repeatable." if get_origin(_type(field, option)) is list else ""
    parts = (option.help or field.description or "", repeated, default and f"Default: {default}.")
    return " ".join(filter(None, parts))


def _shown(default: Any, flags: str) -> str:
    """Return a default as a user would type it, or an empty text."""
    if isinstance(default, bool):
        return dict(zip((True, False), flags.split("/"), strict=False)).get(default, "")
    return ",".join(map(str, default)) if isinstance(default, tuple) else str(default or "")
