"""The command that writes a configuration to start from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reportgen.cli.commands import with_settings
from reportgen.cli.options import Memory, allow_memory
from reportgen.errors import OutputError, ReportgenError, write_command

if TYPE_CHECKING:
    from reportgen.cli.starter import Question


@with_settings("system", "human", "groups", "id", "candidate", "scale")
def init(
    given: dict[str, Any],
    data: Annotated[Path | None, typer.Argument(metavar="DATA", help="File of scores that fills the roles.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Where to write; the terminal when left out.")
    ] = None,
    interactive: Annotated[
        bool, typer.Option("--interactive", "-i", help="Ask, with Tab to complete names of columns.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE when it is there.")] = False,
    memory: Memory = None,
) -> None:
    """Create a commented configuration file."""
    allow_memory(memory)
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
    """Put a question until its answer is right."""
    from reportgen.cli.starter import completing

    with completing(question.choices):
        while True:
            answer = typer.prompt(question.words, default=question.default, show_default=bool(question.default))
            try:
                return question.check(answer.strip())
            except (ValueError, ReportgenError) as error:
                typer.echo(f"  {error}")
