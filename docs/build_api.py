"""Builds the API reference, docs/api/*.md, from docstrings: `make docs`.

The docstrings are numpydoc and all of one form, so the standard library is enough; the pages are committed, to be
read without building anything.
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
    """Return the names a module promises: those it lists, else those it defines."""
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return sorted(listed, key=str.lower)
    own = (name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__)
    return sorted((name for name in own if not name.startswith("_")), key=str.lower)


def pages() -> dict[str, str]:
    """Return the name and the text of every page."""
    found = {f"{name}.md": page(importlib.import_module(name)) for name in MODULES}
    lines = ["# API reference", "", "Made from docstrings by `make docs`.", ""]
    for name in MODULES:
        summary = (inspect.getdoc(importlib.import_module(name)) or "").split("\n")[0]
        lines.append(f"- [`{name}`]({name}.md): {summary}")
    lines.append(
        "- [statistics](statistics.md): every statistic in a picture, with the key that settings and results.json have"
    )
    return {"README.md": "\n".join(lines) + "\n", **found, "statistics.md": statistics()}


def statistics() -> str:
    """Return the page of the statistics in the catalogue, those of installed packages included."""
    from reportgen.metrics import METRICS
    from reportgen.metrics.pair import FAMILIES
    from reportgen.policies import brought
    from reportgen.wording.names import capital
    from reportgen.wording.vocabulary import english

    lines = [
        "# Statistics",
        "",
        "What each statistic does, in a picture. The pictures show the same small sets of scores throughout: twelve",
        "responses, or a hundred. [Metrics](../metrics.md) has the conventions, and what no single number says.",
        "",
        "Made from the catalogue and the vocabulary by `make docs`.",
    ]
    lines += ["", "## What the first part of a key describes", "", "| key | describes | requires |", "|---|---|---|"]
    phases = {"first": "responses that people scored", "second": "responses that people scored twice"}
    lines += [
        f"| `{key}.` | {each['of']} | {phases[each['requires']]} like the others |" for key, each in FAMILIES.items()
    ]
    for metric in METRICS.values():
        low, high = ("no limit" if abs(end) == float("inf") else f"{end:g}" for end in metric.possible)
        scale = {"none": "itself", "fisher": "atanh", "log": "log", "log1m": "log(1 - x)", "logit": "logit",
                 "wilson": "Wilson"}  # fmt: skip
        words = brought(metric.key) or english().entry(metric.key)
        name = capital(words.name) + (f" ({words.short})" if words.short else "")
        best = {"high": "; high is good", "low": "; low is good", "zero": "; 0 is best"}.get(metric.better, "")
        tables = ", ".join(f"`{table}`" for table in metric.tables)
        lines += ["", f"## {name}", "", f"{words.question} {words.definition}", "", *picture(metric.key)]
        lines += [
            f"- key: `{metric.key}`" + f"; tables: {tables}" * bool(tables),
            f"- formula: `{metric.formula}`",
            f"- range: {low} to {high}{best}; interval on the scale of: {scale[metric.transform]}",
            f"- source: {metric.source}",
        ]
    return "\n".join(lines) + "\n"


def picture(key: str) -> list[str]:
    """Return the line that shows the picture of a statistic, where there is one."""
    drawn = API.parent / "pictures" / f"{key}.svg"
    if not drawn.exists():
        return []
    shows = re.search("<title>(.*)</title>", drawn.read_text(encoding="utf-8"))
    return [f"![{shows[1] if shows else key}](../pictures/{key}.svg)", ""]


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
    """Return a line of text; the name of a parameter becomes an item, its explanation stands below it."""
    if line.startswith("    "):
        return f"  {line.strip()}"
    named = re.fullmatch(r"\*{0,2}[\w.]+(, \*{0,2}[\w.]+)*( : .+)?", line)
    return f"- `{line}`" if named and following.startswith("    ") else line.replace("``", "`")


def main() -> None:
    """Write every page; say nothing."""
    API.mkdir(exist_ok=True)
    for name, text in pages().items():
        (API / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
