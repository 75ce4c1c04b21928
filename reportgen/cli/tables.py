"""The command that makes all tables of many items."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reportgen.cli.options import (
    Confidence,
    Encoding,
    Force,
    Groups,
    Humans,
    Id,
    Memory,
    MinN,
    NoGroups,
    Quiet,
    ScaleOfItems,
    ScalesOfItems,
    SystemOfItems,
    allow_memory,
    systems_given,
)
from reportgen.cli.options import given as options_given
from reportgen.cli.sources import command_line


def tables(
    source: Annotated[
        Path, typer.Argument(metavar="DATA", help="CSV, TSV or Parquet file, a pattern, or a folder of them.")
    ],
    out_dir: Annotated[Path, typer.Argument(help="Folder of the tables.")],
    by: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Column whose values are the items; repeat it.")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Threads that share the work; numbers do not depend on it.")] = 1,
    system: SystemOfItems = None,
    human: Humans = None,
    group: Groups = None,
    no_groups: NoGroups = False,
    id: Id = None,
    scale: ScaleOfItems = None,
    scales: ScalesOfItems = None,
    formats: Annotated[
        list[str] | None, typer.Option("--format", metavar="csv|parquet", help="How tables are written; repeat it.")
    ] = None,
    also: Annotated[
        list[str] | None,
        typer.Option(metavar="panel|differences", help="Further tables, which take longer; repeat it."),
    ] = None,
    min_n: MinN = None,
    no_withhold: Annotated[bool, typer.Option("--no-withhold", help="Show small groups, too.")] = False,
    confidence: Confidence = None,
    encoding: Encoding = None,
    force: Force = False,
    memory: Memory = None,
    quiet: Quiet = False,
) -> None:
    """Write all tables of all items, a few long files, from one pass over the scores."""
    allow_memory(memory)
    from reportgen.cli.messages import printable, say_items
    from reportgen.machine.progress import shown
    from reportgen.settings import from_keywords
    from reportgen.verbs.long_tables import tables as run

    given = {
        "by": by or None, "human": human or None, "groups": [] if no_groups else group or None,
        "id": id, "scale": scale, "scales": scales, "min_n_per_group": min_n, "confidence_level": confidence,
        "encoding": encoding, "withhold_small_groups": False if no_withhold else None,
    }  # fmt: skip
    settings = from_keywords(**options_given(given), **systems_given(system))
    with shown(quiet=quiet, at_last="adding up") as status:
        found = run(
            source, settings, out_dir, formats=formats or ["csv"], also=also or (), workers=workers,
            force=force, command=command_line(), status=status,
        )  # fmt: skip
    if not quiet:
        say_items(found.account)
        typer.echo(f"tables        {len(found.tables)} in {printable(out_dir)}")
        if not found.account["ids_compared_in"]:
            typer.echo("not checked   whether an id stands in two rows")
    refused = found.account["items_refused"]
    for item, told in refused.items():
        typer.echo(f"item '{printable(item)}' is left out: {printable(told)}.", err=True)
    if refused:
        raise typer.Exit(3)
