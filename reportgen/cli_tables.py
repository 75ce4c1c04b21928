"""The command that makes all tables of many items."""

from __future__ import annotations

import shlex
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from reportgen.cli_options import Force, Quiet


def tables(
    source: Annotated[
        Path, typer.Argument(metavar="DATA", help="File of scores: CSV, TSV or Parquet, or a pattern of them.")
    ],
    out_dir: Annotated[Path, typer.Argument(help="Folder of the tables.")],
    by: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Column whose values are the items; repeat it.")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes that share the counting.")] = 1,
    system: Annotated[str | None, typer.Option(metavar="COLUMN", help="Column of system scores.")] = None,
    human: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Column of human scores; repeat it, first human first.")
    ] = None,
    group: Annotated[list[str] | None, typer.Option(metavar="COLUMN", help="Subgroup column; repeat it.")] = None,
    no_groups: Annotated[bool, typer.Option("--no-groups", help="Look for no subgroups.")] = False,
    scale: Annotated[
        str | None, typer.Option(metavar="LOW:HIGH", help="The score scale of all items, as in 1:6 or 0:4:0.5.")
    ] = None,
    formats: Annotated[
        list[str] | None, typer.Option("--format", metavar="csv|parquet", help="How tables are written; repeat it.")
    ] = None,
    min_n: Annotated[int | None, typer.Option(help="Groups with fewer responses are not judged or shown.")] = None,
    no_withhold: Annotated[bool, typer.Option("--no-withhold", help="Show small groups, too.")] = False,
    confidence: Annotated[float | None, typer.Option(help="Coverage of the intervals, as in 0.95.")] = None,
    encoding: Annotated[str | None, typer.Option(help="Text encoding of the file, as in latin-1.")] = None,
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Write all tables of all items, a few long files, from one pass over the scores."""
    from concurrent.futures import ProcessPoolExecutor

    from reportgen.settings import from_keywords
    from reportgen.verbs_of_items import tables as run

    given = {
        "by": by or None, "system": system, "human": human or None, "groups": [] if no_groups else group or None,
        "scale": scale, "min_n_per_group": min_n, "confidence_level": confidence, "encoding": encoding,
        "withhold_small_groups": False if no_withhold else None,
    }  # fmt: skip
    settings = from_keywords(**{key: value for key, value in given.items() if value is not None})
    command = shlex.join(["reportgen", *sys.argv[1:]])
    with ProcessPoolExecutor(workers) if workers > 1 else nullcontext() as pool:
        found = run(
            source, settings, out_dir, formats=formats or ["csv"], workers=workers, executor=pool, force=force,
            command=command,
        )  # fmt: skip
    if not quiet:
        account = found.account
        typer.echo(f"items         {account['items']:,} of {account['items'] + len(account['items_not_evaluated']):,}")
        typer.echo(f"responses     {account['responses_evaluated']:,} of {account['source']['rows']:,}")
        typer.echo(f"tables        {len(found.tables)} in {out_dir}")
