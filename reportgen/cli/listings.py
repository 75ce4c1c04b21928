"""The commands that show or copy what is shipped or installed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reportgen.errors import write_command


def schema() -> None:
    """Print the JSON Schema of configuration files."""
    import json

    from reportgen.settings import Settings

    typer.echo(json.dumps(Settings.json_schema(), indent=2))


def sections() -> None:
    """List the installed report sections and their packages."""
    from reportgen.cli.printing import printable
    from reportgen.sections import provider_of, providers

    found = providers()
    width = max((len(name) for name in found), default=0)
    for name, entry in sorted(found.items()):
        typer.echo(f"{printable(name):<{width}}  {printable(provider_of(entry))}")


def readers() -> None:
    """List the supported formats of LLM judge outputs."""
    from reportgen.cli.printing import printable
    from reportgen.sources.judge_outputs import installed, provider_of, reader_for

    found = installed()
    width = max((len(name) for name in found), default=0)
    for name, entry in sorted(found.items()):
        typer.echo(f"{printable(name):<{width}}  {printable(reader_for(name).title)}; {printable(provider_of(entry))}")


def eject(
    name: Annotated[str, typer.Argument(help="A section or a template, as in summary or print.css.")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Your folder of templates.")] = Path("templates"),
) -> None:
    """Copy a built-in template to your folder, to edit it."""
    from reportgen.cli.printing import printable
    from reportgen.errors import OutputError
    from reportgen.rendering.paths import shipped
    from reportgen.storing import write_file

    file, place = shipped(name)
    target = folder / place
    if target.exists():
        raise OutputError(f"'{target}' is there already; remove it first, or name another folder.")
    write_file(target, file.read_bytes())
    typed = write_command("reportgen", "evaluate", "INPUT", "--templates", str(folder))
    typer.echo(f"{printable(target)}\nuse it with: {typed}")


def new_section(
    name: Annotated[str, typer.Argument(help="Its name, a Python name in lower case.")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to make its folder.")] = Path(),
) -> None:
    """Create a section with its template and its test."""
    from reportgen.cli.printing import printable
    from reportgen.cli.scaffold import new_section as write

    for file in write(name, folder):
        typer.echo(printable(file))
    path = (folder / name / "__init__.py").as_posix()
    place = path if folder.is_absolute() else f"./{path}"
    typed = write_command("reportgen", "evaluate", "INPUT", "--sections", f"summary,data,{place}")
    typer.echo(f"use it with: {typed}")
