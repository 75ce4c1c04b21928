"""Options that several commands have, each written once."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from reportgen.machine import memory as allowance
from reportgen.machine.shell_limits import prepare_for_limits

System = Annotated[str | None, typer.Option(metavar="COLUMN", help="Column of system scores.")]
SystemOfItems = Annotated[
    list[str] | None, typer.Option("--system", metavar="COLUMN", help="Column of system scores, one a run.")
]
Humans = Annotated[
    list[str] | None, typer.Option(metavar="COLUMN", help="Column of human scores; repeat it, first human first.")
]
Layout = Annotated[
    str | None, typer.Option(metavar="wide|long", help="One row per response (wide) or per rating (long).")
]
Groups = Annotated[list[str] | None, typer.Option(metavar="COLUMN", help="Subgroup column; repeat it.")]
NoGroups = Annotated[bool, typer.Option("--no-groups", help="Look for no subgroups.")]
Id = Annotated[str | None, typer.Option(metavar="COLUMN", help="Column of response ids.")]
Candidate = Annotated[str | None, typer.Option(metavar="COLUMN", help="Column of candidates; '' for none.")]
ScoreScale = Annotated[str | None, typer.Option(metavar="LOW:HIGH", help="The score scale, as in 1:6 or 0:4:0.5.")]
ScaleOfItems = Annotated[
    str | None, typer.Option(metavar="LOW:HIGH", help="The score scale of all items, as in 1:6 or 0:4:0.5.")
]
ScalesOfItems = Annotated[
    Path | None,
    typer.Option("--scales", metavar="FILE", help="CSV file with a scale for each item: columns of --by, and 'scale'."),
]
Encoding = Annotated[str | None, typer.Option(help="Text encoding of the file, as in latin-1.")]
Connection = Annotated[
    str | None,
    typer.Option(metavar="URI", help="A database: duckdb:FILE or postgresql://HOST/DATABASE; then OUT_DIR alone."),
]
QueryText = Annotated[str | None, typer.Option("--query", metavar="SQL", help="The SELECT whose rows are the scores.")]
AllowSuperuser = Annotated[
    bool, typer.Option("--allow-superuser", help="Ask PostgreSQL even as a user who may reach files of its server.")
]
MinN = Annotated[int | None, typer.Option(help="Groups with fewer responses are not judged or shown.")]
Confidence = Annotated[float | None, typer.Option(help="Coverage of the intervals, as in 0.95.")]
Seed = Annotated[int | None, typer.Option(help="Seed of anything drawn at random.")]
Title = Annotated[str | None, typer.Option(help="Title of the report.")]
Description = Annotated[str | None, typer.Option(help="One paragraph below the title.")]
Sections = Annotated[
    str | None, typer.Option(metavar="NAME,...", help="Sections in order: names, or paths of one-file sections.")
]
TablesOnly = Annotated[bool, typer.Option("--tables-only", help="Make no pages.")]
Force = Annotated[bool, typer.Option("--force", help="Replace the report that is there, and nothing else.")]
Formats = Annotated[str | None, typer.Option(metavar="html,pdf", help="The pages to make.")]
Templates = Annotated[Path | None, typer.Option(help="Folder of templates that replace the shipped ones.")]
Kernel = Annotated[str | None, typer.Option(help="Jupyter kernel to run the notebook in; this process when left out.")]
LogTo = Annotated[
    str | None, typer.Option("--log-to", metavar="wandb,mlflow", help="Trackers to tell when the report is written.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")]
Memory = Annotated[
    float | None, typer.Option("--memory", metavar="GB", help="Gigabytes of memory that a process of the run may take.")
]
PolicyOption = Annotated[
    str | None, typer.Option("--policy", metavar="NAME|FILE", help="The policy that judges: a shipped name, or a file.")
]
JUnit = Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Write the verdict as JUnit XML.")]
Markdown = Annotated[Path | None, typer.Option("--markdown", metavar="FILE", help="Write the verdict as Markdown.")]
StrictGate = Annotated[bool, typer.Option("--strict", help="Let only a verdict pass in which every criterion is met.")]


def systems_given(named: list[str] | None) -> dict[str, Any]:
    """Return the settings for the systems that were named: `system` for one, `systems` for several."""
    if not named:
        return {}
    return {"system": named[0], "systems": None} if len(named) == 1 else {"system": None, "systems": named}


def given(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that were given."""
    return {key: value for key, value in options.items() if value is not None}


def allow_memory(gigabytes: float | None) -> None:
    """Let this run, and the processes that it begins, take so much memory; refuse a machine that allows too little.

    Raises
    ------
    SettingsError
        It is no number above 0.
    NeedsMemoryError
        The process may take too little memory for any report.
    """
    if gigabytes is not None:
        os.environ[allowance.VARIABLE] = str(gigabytes)
    allowance.allowed()
    prepare_for_limits()
