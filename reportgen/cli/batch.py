"""The command that makes many reports at once."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reportgen.cli.commands import with_settings
from reportgen.cli.options import Force, Kernel, Memory, Quiet, TablesOnly, allow_memory
from reportgen.cli.sources import asked, command_line
from reportgen.errors import SettingsError

if TYPE_CHECKING:
    from reportgen.verbs.batches import BatchOutcome

_FLAGS, _VALUED = ("-q", "--quiet", "--force", "--debug"), ("--workers", "--cluster", "--memory")
"""Options without and with a value that change nothing in a report."""


@with_settings(
    "data", "exclude_zero_scores", "statistics", "unprotected", "verdict", "report",
    without=(
        "baseline", "rater", "score", "time", "run", "intersections", "item", "item_scores", "length", "position",
        "format", "trait", "trait_column",
    ),
    system="Column of system scores, or a pattern of several; several have a batch each, in folders of their own.",
    scale="The score scale of all items, as in 1:6 or 0:4:0.5.",
    title="Title of the reports; the item stands behind it.",
)  # fmt: skip
def batch(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            help="File of scores (CSV, TSV, XLSX, JSON lines, Parquet) or configuration (TOML, YAML, JSON); with "
            "--query the folder of all reports.",
        ),
    ],
    given: dict[str, Any],
    out_dir: Annotated[
        Path | None, typer.Argument(help="Folder of all reports; <name of the data>_reports when left out.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes that share the work; one for each processor when left out.")
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Scheduler of a Dask cluster that makes the reports.")
    ] = None,
    tables_only: TablesOnly = False,
    force: Force = False,
    kernel: Kernel = None,
    memory: Memory = None,
    quiet: Quiet = False,
) -> None:
    """Write a report for each item and a summary; run it again to resume."""
    allow_memory(memory)
    from reportgen.machine.progress import shown
    from reportgen.storing.writing import Writing
    from reportgen.verbs.batches import ReportMakers, batches_of_systems
    from reportgen.verbs.configured import configured

    paths = [source, *([out_dir] if out_dir else [])]
    queried = asked(given, paths)
    named, folder = queried or (source, out_dir or Path(f"{source.stem}_reports"))
    data, settings = configured(named, given)
    writing = Writing(folder, tables_only, force, kernel, command_line(_FLAGS, _VALUED))
    if cluster is not None and workers is not None:
        raise SettingsError("--cluster has workers of its own; leave out --workers.")
    with shown(quiet=quiet) as status, ExitStack() as stack:
        hands = ReportMakers(workers or _processors())
        if cluster is not None:
            from reportgen.batches import dask_executor

            hands = ReportMakers(1, *stack.enter_context(dask_executor(cluster)))
        outcomes = batches_of_systems(data, settings, writing, hands, status).values()
    for outcome in outcomes:
        if not quiet:
            _say(outcome)
    for outcome in outcomes:
        outcome.raise_failures()


def _say(outcome: BatchOutcome) -> None:
    """Say how many reports there are, what they decide, and where their summary is."""
    from reportgen.batches import SUMMARY
    from reportgen.cli.accounts import say_parts
    from reportgen.cli.messages import say_decisions, say_written

    whole = sum(entry.status == "finished" for entry in outcome.entries)
    withheld = sum(entry.status == "withheld" for entry in outcome.entries)
    kept = len(outcome.entries) - outcome.made - withheld
    before = f", {kept} of them finished before" if kept else ""
    say_parts(outcome.roles, outcome.warnings)
    typer.echo(f"reports       {whole} of {len(outcome.entries)}{before}")
    if withheld:
        typer.echo(f"withheld      {withheld}: too few responses, or they would tell of too few; see --unprotected")
    if not outcome.protected:
        typer.echo("not protected reports of few responses are made")
    say_decisions([entry.decision for entry in outcome.entries])
    say_written(outcome.folder / SUMMARY)


def _processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
