"""The commands that write a configuration, and list or copy what reportgen ships."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reportgen.cli.commands import argument, flag, option, with_settings
from reportgen.errors import OutputError, ReportgenError, write_command

if TYPE_CHECKING:
    from reportgen.cli.starter import Question


@with_settings("system", "human", "groups", "id", "candidate", "scale")
def init(
    given: dict[str, Any],
    data: Annotated[Path | None, argument("DATA", "File of scores that fills the roles.")] = None,
    out: Annotated[Path | None, option("FILE", "Where to write; the terminal when left out.", "--out", "-o")] = None,
    interactive: Annotated[bool, flag("Ask, with Tab to complete names of columns.", "--interactive", "-i")] = False,
    force: Annotated[bool, flag("Replace FILE when it is there.", "--force")] = False,
) -> None:
    """Create a commented configuration file."""
    from reportgen.cli.printing import printable
    from reportgen.cli.starter import interview, starter
    from reportgen.storing import write_file

    if out is not None and out.exists() and not force:
        raise OutputError(f"'{out}' is there already; name another file, or replace it with --force.")
    if interactive:
        given |= interview(data, _ask, typer.echo)
        data = given.pop("file")
    text = starter(data, given, out.parent if out else Path())
    if out is None:
        typer.echo(text, nl=False)
        return
    write_file(out, text)
    typed = write_command("reportgen", "evaluate", str(out), "OUT_DIR")
    typer.echo(f"{printable(out)}\nuse it with: {typed}")


def _ask(question: Question) -> Any:
    """Ask until the answer is valid."""
    from reportgen.cli.starter import completing

    with completing(question.choices):
        while True:
            answer = typer.prompt(question.words, default=question.default, show_default=bool(question.default))
            try:
                return question.check(answer.strip())
            except (ValueError, ReportgenError) as error:
                typer.echo(f"  {error}")


def schema() -> None:
    """Print the JSON Schema of configuration files."""
    import json

    from reportgen.settings import Settings

    typer.echo(json.dumps(Settings.json_schema(), indent=2))


def sections() -> None:
    """List the installed report sections and their packages."""
    from reportgen.cli.printing import say_list
    from reportgen.sections import provider_of, providers

    say_list({name: provider_of(entry) for name, entry in sorted(providers().items())})


def readers() -> None:
    """List the supported formats of LLM judge outputs."""
    from reportgen.cli.printing import say_list
    from reportgen.sources.judge_readers import installed, provider_of, reader_for

    found = sorted(installed().items())
    say_list({name: f"{reader_for(name).title}; {provider_of(entry)}" for name, entry in found})


def eject(
    name: Annotated[str, argument(None, "A section or a template, as in summary or print.css.")],
    folder: Annotated[Path, argument("DIR", "Your folder of templates.")] = Path("templates"),
) -> None:
    """Copy a built-in template to your folder, to edit it."""
    from reportgen.cli.printing import printable
    from reportgen.errors import OutputError
    from reportgen.rendering.templates import shipped
    from reportgen.storing import write_file

    file, place = shipped(name)
    target = folder / place
    if target.exists():
        raise OutputError(f"'{target}' is there already; remove it first, or name another folder.")
    write_file(target, file.read_bytes())
    command = "export RUN OUT" if place.parts[0] == "papers" else "evaluate INPUT"
    typed = write_command("reportgen", *command.split(), "--templates", str(folder))
    typer.echo(f"{printable(target)}\nuse it with: {typed}")


def new_section(
    name: Annotated[str, argument(None, "Its name, a Python name in lower case.")],
    folder: Annotated[Path, argument("DIR", "Where to make its folder.")] = Path(),
) -> None:
    """Create a section with its template and its test."""
    from reportgen.cli.printing import printable
    from reportgen.cli.starter import new_section as write

    for file in write(name, folder):
        typer.echo(printable(file))
    path = (folder / name / "__init__.py").as_posix()
    place = path if folder.is_absolute() else f"./{path}"
    typed = write_command("reportgen", "evaluate", "INPUT", "--sections", f"summary,data,{place}")
    typer.echo(f"use it with: {typed}")
