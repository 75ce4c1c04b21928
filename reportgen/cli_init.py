"""The command that writes a configuration to start from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reportgen.errors import OutputError, ReportgenError

if TYPE_CHECKING:
    from reportgen.starter import Question


def init(
    data: Annotated[Path | None, typer.Argument(metavar="DATA", help="File of scores that fills the roles.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Where to write; the terminal when left out.")
    ] = None,
    interactive: Annotated[
        bool, typer.Option("--interactive", "-i", help="Ask, with Tab to complete names of columns.")
    ] = False,
    system: Annotated[str | None, typer.Option(metavar="COLUMN", help="Column of system scores.")] = None,
    human: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Column of human scores; repeat it, first human first.")
    ] = None,
    group: Annotated[list[str] | None, typer.Option(metavar="COLUMN", help="Subgroup column; repeat it.")] = None,
    id: Annotated[str | None, typer.Option(metavar="COLUMN", help="Column of response ids.")] = None,
    candidate: Annotated[str | None, typer.Option(metavar="COLUMN", help="Column of candidates.")] = None,
    scale: Annotated[str | None, typer.Option(metavar="LOW:HIGH", help="The score scale, as in 1:6.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE when it is there.")] = False,
) -> None:
    """Write a commented configuration to start from."""
    from reportgen.starter import interview, starter

    if out is not None and out.exists() and not force:
        raise OutputError(f"'{out}' is there already; name another file, or replace it with --force.")
    options = {"system": system, "human": human or None, "groups": group or None, "id": id}
    options |= {"candidate": candidate, "scale": scale}
    given: dict[str, Any] = {key: value for key, value in options.items() if value is not None}
    if interactive:
        given |= interview(data, _ask, typer.echo)
        data = given.pop("file")
    text = starter(data, given, out.parent if out else Path())
    if out is None:
        typer.echo(text, nl=False)
        return
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise OutputError(f"'{out}' can not be written: {error.strerror}.") from None
    typer.echo(f"{out}\nuse it with: reportgen evaluate {out} OUT_DIR")


def _ask(question: Question) -> Any:
    """Put a question until its answer is right."""
    from reportgen.starter import completing

    with completing(question.choices):
        while True:
            answer = typer.prompt(question.words, default=question.default, show_default=bool(question.default))
            try:
                return question.check(answer.strip())
            except (ValueError, ReportgenError) as error:
                typer.echo(f"  {error}")
