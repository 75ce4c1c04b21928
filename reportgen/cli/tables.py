"""The command that makes all tables of many items."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from reportgen.cli.commands import with_settings
from reportgen.cli.options import Force, Memory, Quiet, allow_memory
from reportgen.cli.sources import command_line


@with_settings(
    "by", "system", "human", "groups", "id", "scale", "scales", "encoding", "min_n_per_group", "confidence_level",
    "withhold_small_groups", "unprotected", "exclude_zero_scores",
    system="Column of system scores, or a pattern of several; several have a folder each.",
    scale="The score scale of all items, as in 1:6 or 0:4:0.5.",
)  # fmt: skip
def tables(
    source: Annotated[
        Path, typer.Argument(metavar="DATA", help="CSV, TSV or Parquet file, a pattern, or a folder of them.")
    ],
    out_dir: Annotated[Path, typer.Argument(help="Folder of the tables.")],
    given: dict[str, Any],
    workers: Annotated[int, typer.Option(min=1, help="Threads that share the work; numbers do not depend on it.")] = 1,
    formats: Annotated[
        list[str] | None, typer.Option("--format", metavar="csv|parquet", help="File format of the tables. Repeatable.")
    ] = None,
    also: Annotated[
        list[str] | None,
        typer.Option(metavar="panel|differences", help="More tables, which take longer. Repeatable."),
    ] = None,
    force: Force = False,
    memory: Memory = None,
    quiet: Quiet = False,
) -> None:
    """Write the tables of all items as a few long files, in one pass over the scores."""
    allow_memory(memory)
    from reportgen.cli.accounts import say_items
    from reportgen.cli.printing import printable
    from reportgen.machine.progress import shown
    from reportgen.settings import from_keywords
    from reportgen.verbs.long_tables import tables_of_systems

    settings = from_keywords(**given)
    with shown(quiet=quiet, at_last="adding up") as status:
        every = tables_of_systems(
            source, settings, out_dir, formats=formats or ["csv"], also=also or (), workers=workers,
            force=force, command=command_line(), status=status,
        )  # fmt: skip
    refused: dict[str, str] = {}
    for folder, found in every.items():
        refused |= found.account["items_refused"]
        if not quiet:
            say_items(found.account)
            typer.echo(f"tables        {len(found.tables)} in {printable(folder)}")
            if not found.account["ids_compared_in"]:
                typer.echo("not checked   whether an id stands in two rows")
    for item, told in refused.items():
        typer.echo(f"item '{printable(item)}' is left out: {printable(told)}.", err=True)
    if refused:
        raise typer.Exit(3)
