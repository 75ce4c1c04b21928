"""The command that looks at a file of scores before anything is computed."""

from __future__ import annotations

from itertools import dropwhile
from pathlib import Path
from typing import Annotated, Any

import typer

from reportgen.cli.commands import with_settings
from reportgen.cli.options import Memory, allow_memory
from reportgen.errors import write_command


@with_settings("data", "min_n_per_group", without=("by", "scales", "connection", "query"))
def look(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="INPUT...", help="Score file, several files, a quoted pattern, or a configuration file."
        ),
    ],
    given: dict[str, Any],
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    memory: Memory = None,
) -> None:
    """Preview a score file: detected columns, possible analyses, and the next command."""
    allow_memory(memory)
    from reportgen.cli.accounts import say_look
    from reportgen.scores.looking import look as looked
    from reportgen.verbs.configured import configured

    source, settings = configured(paths[0] if len(paths) == 1 else tuple(paths), given)
    found, command = looked(source, settings), _command()
    if not json:
        say_look(found, command)
        return
    from json import dumps

    typer.echo(dumps({**found.as_json(), "command": command}, indent=2, ensure_ascii=False))


def _command() -> str:
    """Return the command line that evaluates what this one looks at."""
    from reportgen.cli.sources import command_words

    words = command_words(flags=("--json",), valued=("--memory",))
    after = [*dropwhile(lambda word: word != "look", words)][1:]
    return write_command("reportgen", "evaluate", *after)
