"""Writes docs/command_line.md from the commands and their options: `make docs`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from reportgen.cli import app

PAGE = Path(__file__).parent / "command_line.md"
BEFORE = """# Command line

This page lists each command of reportgen with its arguments and options. Use it to look up an option. In the terminal,
`reportgen --help` lists the commands, and `reportgen NAME --help` shows the options of one. `make docs` generates this
page from the same text.

The options of settings have the same names as the keys in [Configuration](configuration.md), with hyphens. An option on
the command line replaces the value in a configuration file.

| Exit code | Meaning |
|---|---|
| 0 | success |
| 1 | a requirement is not met, or none could be tested (`--gate`, `check`); or a file does not match (`verify`) |
| 2 | invalid input, settings, or options |
| 3 | part of the output could not be made, such as a section or an item of a batch |
| 4 | a bug in reportgen |
| 128 + n | stopped by signal n |
"""


def page() -> str:
    """Return the page: one section for each command."""
    root: Any = typer.main.get_command(app.app)
    return BEFORE + "".join(f"\n{section(name, command)}" for name, command in commands(root))


def commands(group: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every command with its full name, those of groups included."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{before}{name} ")
        else:
            yield f"{before}{name}", command


def section(name: str, command: Any) -> str:
    """Return the heading, usage, description, and options of a command."""
    known = command.get_params(typer.Context(command, info_name=name))
    arguments = [each for each in known if each.param_type_name == "argument"]
    options = [each for each in known if each.param_type_name == "option" and "--help" not in each.opts]
    usage = " ".join(["reportgen", name, *(["[OPTIONS]"] if options else []), *map(argument, arguments)])
    about, _, examples = inspect.cleandoc(command.help or "").partition("\n\n\b\nExamples:\n")
    text = re.sub(r"\s*\n\s*", " ", about.replace("\n\n", "\0")).replace("\0", "\n\n")
    lines = [f"## {name}", "", text, "", "```text", usage, "```", ""]
    if examples:
        lines += ["Examples:", "", "```text", inspect.cleandoc(examples), "```", ""]
    if told := [each for each in arguments if each.help]:
        lines += [*(f"- `{argument(each)}`: {each.help}" for each in told), ""]
    panels: dict[str, list[Any]] = {}
    for each in options:
        panels.setdefault(getattr(each, "rich_help_panel", None) or "", []).append(each)
    for panel, members in panels.items():
        lines += [f"| {panel or 'Option'} | Description |", "|---|---|"]
        lines += [f"| {written(each)} | {cell(each.help or '')} |" for each in members] + [""]
    return "\n".join(lines)


def argument(each: Any) -> str:
    """Return an argument as the usage line shows it."""
    name = each.metavar or each.name.upper()
    return name if each.required else f"[{name}]"


def written(each: Any) -> str:
    """Return the names of an option with the placeholder of its value."""
    names = ", ".join(f"`{name}`" for name in [*each.opts, *each.secondary_opts])
    return names if each.is_flag else f"{names} {cell(each.metavar or 'VALUE')}"


def cell(text: str) -> str:
    """Return text that fits into one cell of a table."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
