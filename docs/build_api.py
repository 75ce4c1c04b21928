"""Builds the API reference, docs/api/*.md, from docstrings: `make docs`.

The docstrings are numpydoc in one style, so the standard library can parse them. The pages are committed, so you can
read them without a build.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MODULES = ("reportgen", "reportgen.metrics", "reportgen.sections", "reportgen.testing")
"""The modules that are promised to users."""

API = Path(__file__).parent / "api"

_UNDERLINE = re.compile(r"-{3,}")
_PROMPT = re.compile(r"(>>>|\.\.\.)( |$)")


def public(module: Any) -> list[str]:
    """Return the public names of a module: listed names, or defined names if none are listed."""
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return sorted(listed, key=str.lower)
    own = (name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__)
    return sorted((name for name in own if not name.startswith("_")), key=str.lower)


def pages() -> dict[str, str]:
    """Return the name and the text of every page."""
    found = {f"{name}.md": page(importlib.import_module(name)) for name in MODULES}
    lines = [
        "# API reference",
        "",
        "The public functions and classes of reportgen, by module. `make docs` generates these pages from docstrings.",
        "",
    ]
    for name in MODULES:
        summary = (inspect.getdoc(importlib.import_module(name)) or "").split("\n")[0]
        lines.append(f"- [`{name}`]({name}.md): {summary}")
    return {"README.md": "\n".join(lines) + "\n", **found}


def page(module: Any) -> str:
    """Return the page of a module: its docstring, then every public name."""
    parts = [f"# {module.__name__}", "", *markdown(inspect.getdoc(module) or "")]
    for name in public(module):
        parts += ["", f"## {name}", "", *entry(name, getattr(module, name))]
        users = [] if has_example(getattr(module, name)) else used_by(name, module)
        if users:
            links = ", ".join(f"[`{user}`](#{user.lower()})" for user in users[:3])
            parts += ["", f"Shown in the example of {links}."]
    return "\n".join(parts).rstrip() + "\n"


def has_example(value: Any) -> bool:
    """Return whether the docstring of something shows how it is used."""
    return ">>>" in (inspect.getdoc(value) or "")


def used_by(name: str, module: Any) -> list[str]:
    """Return the functions of a module with an example that take or return what is called `name`."""
    functions = {other: getattr(module, other) for other in public(module)}
    return [
        other
        for other, value in functions.items()
        if inspect.isfunction(value) and has_example(value) and re.search(rf"\b{name}\b", str(inspect.signature(value)))
    ]


def entry(name: str, value: Any) -> list[str]:
    """Return the lines about one name: its signature and its docstring, or for data what it holds."""
    if not (inspect.isclass(value) or inspect.isroutine(value)):
        held = value if isinstance(value, Mapping) else getattr(value, "__args__", ())
        return ["One of: " * (not isinstance(value, Mapping)) + ", ".join(f"`{key}`" for key in held)]
    lines = [f"```python\n{name}{signature(value)}\n```", "", *markdown(inspect.getdoc(value) or "")]
    if inspect.isclass(value):
        for attribute, member in sorted(vars(value).items()):
            called = inspect.isfunction(member) or isinstance(member, property)
            if called and not attribute.startswith("_") and inspect.getdoc(member):
                shown = "" if isinstance(member, property) else signature(member)
                lines += ["", f"### {name}.{attribute}{shown}", "", *markdown(inspect.getdoc(member) or "")]
    return lines


def signature(value: Any) -> str:
    """Return how something is called; defaults that are objects without a short form are left out."""
    try:
        written = str(inspect.signature(value))
    except (TypeError, ValueError):
        return ""
    written = re.sub(r" = <[^<>]*>", " = ...", written)
    return re.sub(r"(: |-> )'([^']*)'", r"\1\2", written)


def markdown(text: str) -> list[str]:
    """Return a numpydoc docstring as lines of Markdown."""
    lines, found, code = text.split("\n"), list[str](), False
    for at, line in enumerate(lines):
        following = lines[at + 1] if at + 1 < len(lines) else ""
        example = bool(_PROMPT.match(line)) or (code and line.strip() != "")
        if example != code:
            found.append("```pycon" if example else "```")
            code = example
        if code:
            found.append(line)
        elif _UNDERLINE.fullmatch(line):
            continue
        elif _UNDERLINE.fullmatch(following):
            found.append(f"**{line}**\n")
        else:
            found.append(_item(line, following))
    return [*found, "```"] if code else found


def _item(line: str, following: str) -> str:
    """Format a line of text; a parameter name becomes a list item with its description below it."""
    if line.startswith("    "):
        return f"  {line.strip()}"
    named = re.fullmatch(r"\*{0,2}[\w.]+(, \*{0,2}[\w.]+)*( : .+)?", line)
    return f"- `{line}`" if named and following.startswith("    ") else line.replace("``", "`")


def main() -> None:
    """Write every page without output."""
    API.mkdir(exist_ok=True)
    for name, text in pages().items():
        (API / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
