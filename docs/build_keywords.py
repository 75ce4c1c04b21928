"""Builds reportgen/settings/keywords.pyi, the types of settings as keywords of functions: `make docs`."""

from __future__ import annotations

import types
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from reportgen.results import Scale
from reportgen.settings import Option, Settings
from reportgen.settings.kinds import PathWhen

TARGET = Path(__file__).parent.parent / "reportgen/settings/keywords.pyi"

CLASSES = {
    "ReportKeywords": ("TypedDict", "render, export, and summarize", ("report",)),
    "ItemKeywords": ("TypedDict", "item_tables", ("data", "preparation", "statistics", "privacy")),
    "ScoreKeywords": ("ItemKeywords, ReportKeywords", "compare", ("impact", "reading", "verdict")),
    "EvaluateKeywords": ("ScoreKeywords", "evaluate, batch, and look", ()),
}
"""Name of a class -> what it extends, the functions that take it, and the tables of settings that it adds."""

ARGUMENTS = {"by": "", "runs": "EvaluateKeywords", "systems": "EvaluateKeywords", "traits": "EvaluateKeywords"}
"""Keywords that some functions take as arguments of their own -> the class that has them, if any has."""

HEAD = '''"""The settings as keywords of functions, for type checkers; docs/build_keywords.py makes this file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from os import PathLike
from typing import Any, Literal, TypedDict

from reportgen.results import Scale

StrPath = str | PathLike[str]
'''


def text() -> str:
    """Return the module."""
    parts = [HEAD.rstrip()]
    keywords = Settings.keywords()
    for name, (bases, functions, tables) in CLASSES.items():
        parts += ["", f"class {name}({bases}, total=False):", f'    """Settings of {functions}."""', ""]
        taken = {key: place for key, place in keywords.items() if place[0] in tables and key not in ARGUMENTS}
        taken |= {key: keywords.get(key, ("", "traits")) for key, home in ARGUMENTS.items() if home == name}
        parts += [f"    {keyword}: {_type_of(*place)}" for keyword, place in taken.items()]
    return "\n".join(parts) + "\n"


def _type_of(table: str, key: str) -> str:
    """Return the type of a setting, as wide as what is read of it."""
    if key in ("traits", "sections"):
        entries = "Sequence[Mapping[str, Any]]" if key == "traits" else "Sequence[StrPath] | Mapping[str, Any]"
        return f"{entries} | None"
    field = Settings.table(table).model_fields[key]
    found = list(dict.fromkeys(_names(field.annotation)))
    options = [each for each in field.metadata if isinstance(each, Option)]
    if any(each.listed for each in options) or key == "intersections":
        found.append("str")
    if any(isinstance(each, PathWhen) for each in field.metadata):
        found = ["StrPath" if each == "str" else each for each in found]
    return " | ".join(dict.fromkeys(sorted(found, key=lambda name: name == "None")))


def _names(annotation: Any) -> Iterator[str]:
    """Yield the types that an annotation accepts."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation is Scale:
        yield from ("str", "Scale", "Sequence[float]", "Mapping[str, float]")
    elif origin is Annotated:
        yield from _names(arguments[0])
    elif origin in (Union, types.UnionType):
        for each in arguments:
            yield from _names(each)
    elif origin is Literal:
        yield "str" if arguments == ("",) else f"Literal[{', '.join(map(_quoted, arguments))}]"
    elif origin is tuple:
        yield f"Sequence[{' | '.join(dict.fromkeys(_names(arguments[0])))}]"
    elif origin is dict:
        yield f"Mapping[{', '.join(' | '.join(dict.fromkeys(_names(each))) for each in arguments)}]"
    elif annotation is Path:
        yield "StrPath"
    elif annotation is date:
        yield from ("date", "str")
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield "Mapping[str, str | None]"
    else:
        yield {type(None): "None", Any: "Any"}.get(annotation) or annotation.__name__


def _quoted(value: object) -> str:
    return '"' + str(value) + '"'


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
