"""The commands `compare`, `summarize`, `batch`, and `tables`."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from reportgen.cli import commands
from reportgen.cli.commands import asked
from reportgen.cli.printing import first, printable, say
from reportgen.errors import SettingsError
from reportgen.machine.progress import shown
from reportgen.storing import report_folder
from reportgen.storing.report_folder import Writing
from reportgen.wording.names import folder_names

if TYPE_CHECKING:
    from reportgen.reports.batches import BatchOutcome

Names = Annotated[list[str] | None, commands.option("NAME", "--name")]

OF_SCORES = ("human", "groups", "id", "labels_file", "labels_id", "scale")
"""Settings that `compare` takes only with --system."""

NOT_OF_RUNS = ("engine", "engine_version")  # settings of a report on one engine


@commands.with_settings(*OF_SCORES, "primary", "smallest_difference", "report", without=NOT_OF_RUNS)
def compare(
    sources: Annotated[list[Path], commands.argument("RUN RUN... | FILE [OUT_DIR]")],
    given: dict[str, Any],
    out: commands.Out = None,
    name: Names = None,
    system: Annotated[list[str] | None, commands.option("NAME")] = None,
    tables_only: commands.TablesOnly = False,
    force: commands.Force = False,
    kernel: commands.Kernel = None,
    quiet: commands.Quiet = False,
) -> None:
    """Compare engines or versions: differences from the first run, with intervals."""
    from reportgen.reports.runs import paired_systems

    if not system and (key := next((key for key in OF_SCORES if key in given), None)):
        flag = "--group" if key == "groups" else f"--{key.replace('_', '-')}"
        raise SettingsError(f"{flag} requires a score file; name its engines with --system, at least twice.")
    places = _places(sources, out, "comparison_report", one=bool(system))
    asked = {"systems": system or (), "names": name or ()}
    options: dict[str, Any] = {"tables_only": tables_only, "force": force, "kernel": kernel, "quiet": quiet}
    paired, left_out = ({}, ()) if system else paired_systems(places[0])
    if not paired:
        _make("comparison", places, asked, given, **options)
        return
    called = folder_names(list(paired), "system", ())
    asked["names"] = name or folder_names([source.resolve().name for source in places[0]], "run", ())
    for folders, place in zip(paired.values(), called, strict=True):
        _make("comparison", (folders, places[1] / place), asked, given, **options)
    if left_out and not quiet:
        typer.echo(f"not compared  {', '.join(map(printable, left_out))} (not in every run)")


@commands.with_settings("primary", "smallest_difference", "report", without=NOT_OF_RUNS)
def summarize(
    sources: Annotated[list[Path], commands.argument("RUN... | FILE [OUT_DIR]")],
    given: dict[str, Any],
    out: commands.Out = None,
    name: Names = None,
    tables_only: commands.TablesOnly = False,
    force: commands.Force = False,
    kernel: commands.Kernel = None,
    quiet: commands.Quiet = False,
) -> None:
    """Summarize any number of runs: tables, ranks, groups, and history."""
    places, asked = _places(sources, out, "summary_report"), {"names": name or ()}
    _make("summary", places, asked, given, tables_only=tables_only, force=force, kernel=kernel, quiet=quiet)


def _places(sources: list[Path], out: Path | None, default: str, *, one: bool = False) -> tuple[list[Path], Path]:
    """Return the sources and the report folder, which can follow a configuration or a score file."""
    from reportgen.settings import CONFIG_SUFFIXES

    first = sources[0]
    if [each for each in sources if each.is_file() and each.suffix.lower() not in CONFIG_SUFFIXES][1:]:
        text = "only one score file is expected; to compare results from two files, evaluate each one, and compare the "
        raise SettingsError(f"{text}report folders.")
    alone = one or (first.suffix.lower() in CONFIG_SUFFIXES and first.name != "results.json")
    if alone and len(sources) == 2 and out is None:
        return sources[:1], sources[1]
    if alone and len(sources) > 1:
        raise SettingsError(f"'{sources[-1]}': expected only one argument after '{first}', the folder for the report.")
    return sources, out or Path(default)


def _make(
    kind: Literal["comparison", "summary"],
    places: tuple[list[Path], Path],
    asked: dict[str, Any],
    given: dict[str, Any],
    *,
    quiet: bool,
    **options: Any,
) -> None:
    """Make a comparison or summary, and print what it found and where the report is."""
    from reportgen.cli.found import say_headline, say_written
    from reportgen.reports.runs import report_on
    from reportgen.settings import from_keywords

    sources, folder = places
    report_folder.check(folder, options["force"])
    settings = from_keywords(**given)
    outcome = report_on(kind, sources, settings, Writing(folder, command=commands.command_line(), **options), **asked)
    if not quiet:
        say_headline(outcome.report)
        say_written(folder)
    outcome.raise_failures()


_FLAGS, _VALUED = ("-q", "--quiet", "--force", "--debug"), ("--workers", "--dask", "--memory")
"""Options, without and with a value, that do not change a report."""


@commands.with_settings(
    "data", "exclude_zero_scores", "statistics", "unprotected", "verdict", "report",
    without=(
        "baseline", "rater", "score", "time", "run", "intersections", "item", "item_scores", "length", "position",
        "format", "trait", "trait_column", "primary", "smallest_difference",
    ),
)  # fmt: skip
def batch(
    source: Annotated[Path, commands.argument("DATA")],
    given: dict[str, Any],
    out_dir: Annotated[Path | None, commands.argument()] = None,
    workers: Annotated[int | None, typer.Option(min=1)] = None,
    dask: Annotated[str | None, commands.option("ADDRESS")] = None,
    tables_only: commands.TablesOnly = False,
    force: commands.Force = False,
    kernel: commands.Kernel = None,
    quiet: commands.Quiet = False,
) -> None:
    """Write a report for each item and a summary; run it again to resume."""
    from reportgen.reports.batches import Workers, batches_of_systems, dask_executor
    from reportgen.reports.single import configured

    queried = asked(given, [source, *([out_dir] if out_dir else [])])
    named, folder = queried or (source, out_dir or Path(f"{source.stem}_reports"))
    data, settings = configured(named, given)
    writing = Writing(folder, tables_only, force, kernel, commands.command_line(_FLAGS, _VALUED))
    if dask is not None and workers is not None:
        raise SettingsError("--dask has its own workers; remove --workers.")
    with shown(quiet=quiet) as status, ExitStack() as stack:
        usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        hands = Workers(workers or usable)
        if dask is not None:
            hands = Workers(1, *stack.enter_context(dask_executor(dask)))
        stack.enter_context(commands.naming(named, data))
        outcomes = batches_of_systems(data, settings, writing, hands, status).values()
    for outcome in () if quiet else outcomes:
        _say(outcome)
    for outcome in outcomes:
        outcome.raise_failures()


def _say(outcome: BatchOutcome) -> None:
    """Print the number of reports, their decisions, and the folder of the summary."""
    from reportgen.cli.found import role_lines, say_decisions, say_written
    from reportgen.reports.batch_folder import SUMMARY

    whole = sum(entry.status == "finished" for entry in outcome.entries)
    withheld = sum(entry.status == "withheld" for entry in outcome.entries)
    kept = len(outcome.entries) - outcome.made - withheld
    before = f", {kept} of them finished before" if kept else ""
    say([*role_lines(outcome.roles), *first("note", outcome.warnings, "note")])
    typer.echo(f"reports       {whole} of {len(outcome.entries)}{before}")
    if withheld:
        typer.echo(f"withheld      {withheld} with few responses, or to hide such reports (see --unprotected)")
    if not outcome.protected:
        typer.echo("not protected reports of few responses are included")
    say_decisions([entry.decision for entry in outcome.entries])
    say_written(outcome.folder / SUMMARY)


@commands.with_settings(
    "by", "system", "human", "groups", "id", "scale", "scales", "encoding", "min_n_per_group", "confidence_level",
    "withhold_small_groups", "unprotected", "exclude_zero_scores",
)  # fmt: skip
def tables(
    source: Annotated[Path, commands.argument("DATA")],
    out_dir: Annotated[Path, commands.argument()],
    given: dict[str, Any],
    workers: Annotated[int, typer.Option(min=1)] = 1,
    formats: Annotated[list[str] | None, commands.option("csv|parquet", "--format")] = None,
    also: Annotated[list[str] | None, commands.option("panel|differences")] = None,
    force: commands.Force = False,
    quiet: commands.Quiet = False,
) -> None:
    """Write the tables for all items as a few long-format files, in one pass over the scores."""
    from reportgen.cli.found import lines_of_items
    from reportgen.reports.item_tables import tables_of_systems
    from reportgen.settings import from_keywords

    settings = from_keywords(**given)
    with shown(quiet=quiet, at_last="adding up") as status:
        every = tables_of_systems(
            source, settings, out_dir, formats=formats or ["csv"], also=also or (), workers=workers,
            force=force, command=commands.command_line(), status=status,
        )  # fmt: skip
    refused: dict[str, str] = {}
    for folder, found in every.items():
        refused |= found.account["items_refused"]
        if not quiet:
            say(lines_of_items(found.account))
            typer.echo(f"tables        {len(found.tables)} in {printable(folder)}")
            if not found.account["ids_compared_in"]:
                typer.echo("not checked   duplicate response IDs")
    for item, told in refused.items():
        typer.echo(f"item '{printable(item)}' is excluded: {printable(told)}.", err=True)
    if refused:
        raise typer.Exit(3)
