"""The command that makes many reports at once."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli.options import (
    AllowSuperuser,
    Candidate,
    Confidence,
    Connection,
    Description,
    Encoding,
    Force,
    Formats,
    Groups,
    Humans,
    Id,
    Kernel,
    Layout,
    Memory,
    MinN,
    NoGroups,
    PolicyOption,
    QueryText,
    Quiet,
    ScaleOfItems,
    ScalesOfItems,
    Sections,
    Seed,
    SystemOfItems,
    TablesOnly,
    Templates,
    allow_memory,
    systems_given,
)
from reportgen.cli.options import given as options_given
from reportgen.cli.sources import asked, command_line, is_configuration
from reportgen.errors import SettingsError

if TYPE_CHECKING:
    from reportgen.verbs.batches import BatchOutcome

_FLAGS, _VALUED = ("-q", "--quiet", "--force", "--debug"), ("--workers", "--cluster", "--memory")
"""Options without and with a value that change nothing in a report."""


def batch(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            help="File of scores (CSV, TSV, XLSX, JSON lines, Parquet) or configuration (TOML, YAML, JSON); with "
            "--query the folder of all reports.",
        ),
    ],
    out_dir: Annotated[
        Path | None, typer.Argument(help="Folder of all reports; <name of the data>_reports when left out.")
    ] = None,
    by: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Column for each of whose values a report is made.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes that share the work; one for each processor when left out.")
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Scheduler of a Dask cluster that makes the reports.")
    ] = None,
    system: SystemOfItems = None,
    human: Humans = None,
    layout: Layout = None,
    group: Groups = None,
    no_groups: NoGroups = False,
    id: Id = None,
    candidate: Candidate = None,
    scale: ScaleOfItems = None,
    scales: ScalesOfItems = None,
    title: Annotated[str | None, typer.Option(help="Title of the reports; the item stands behind it.")] = None,
    description: Description = None,
    sections: Sections = None,
    templates: Templates = None,
    formats: Formats = None,
    tables_only: TablesOnly = False,
    min_n: MinN = None,
    confidence: Confidence = None,
    seed: Seed = None,
    encoding: Encoding = None,
    connection: Connection = None,
    query: QueryText = None,
    allow_superuser: AllowSuperuser = False,
    policy: PolicyOption = None,
    force: Force = False,
    kernel: Kernel = None,
    memory: Memory = None,
    quiet: Quiet = False,
) -> None:
    """Write a report for each item, and a summary of all; run again, it makes what is missing."""
    allow_memory(memory)
    from reportgen.machine.progress import shown
    from reportgen.reports import query_of
    from reportgen.settings import from_keywords, load, override
    from reportgen.storing.writing import Writing
    from reportgen.verbs.batches import ReportMakers
    from reportgen.verbs.batches import batch as run

    given = {
        "by": by or None, "human": human or None, "layout": layout,
        "groups": [] if no_groups else group or None, "id": id, "candidate": candidate, "scale": scale,
        "scales": scales, "title": title, "description": description, "sections": sections, "templates": templates,
        "formats": formats,
        "min_n_per_group": min_n, "confidence_level": confidence, "seed": seed, "encoding": encoding, "policy": policy,
    }  # fmt: skip
    paths = [source, *([out_dir] if out_dir else [])]
    queried = asked(connection, query, paths, given, allow_superuser=allow_superuser)
    data, folder = queried or (source, out_dir or Path(f"{source.stem}_reports"))
    options = options_given(given) | systems_given(system)
    configured = queried is None and is_configuration(source)
    settings = override(load(source), **options) if configured else from_keywords(**options)
    if configured:
        data = query_of(settings.data, allow_superuser=allow_superuser) or settings.data.file
    if data is None:
        raise SettingsError(f'{source}: names no file of scores; add file = "scores.csv" under [data].')
    writing = Writing(folder, tables_only, force, kernel, command_line(_FLAGS, _VALUED))
    if cluster is not None and workers is not None:
        raise SettingsError("--cluster has workers of its own; leave out --workers.")
    with shown(quiet=quiet) as status, ExitStack() as stack:
        hands = ReportMakers(workers or _processors())
        if cluster is not None:
            from reportgen.batches import dask_executor

            hands = ReportMakers(1, *stack.enter_context(dask_executor(cluster)))
        outcome = run(data, settings, writing, hands, status)
    if not quiet:
        _say(outcome)
    outcome.raise_failures()


def _say(outcome: BatchOutcome) -> None:
    """Say how many reports there are, what they decide, and where their summary is."""
    from reportgen.batches import SUMMARY
    from reportgen.cli.messages import say_decisions, say_parts, say_written

    whole = sum(entry.status == "finished" for entry in outcome.entries)
    kept = len(outcome.entries) - outcome.made
    before = f", {kept} of them finished before" if kept else ""
    say_parts(outcome.roles, outcome.warnings)
    typer.echo(f"reports       {whole} of {len(outcome.entries)}{before}")
    say_decisions([entry.decision for entry in outcome.entries])
    say_written(outcome.folder / SUMMARY)


def _processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
