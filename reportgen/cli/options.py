"""Options that several commands have and that are no settings, each written once."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from reportgen.machine import memory as allowance
from reportgen.machine.shell_limits import prepare_for_limits

OutDir = Annotated[Path | None, typer.Argument(help="Folder of the report; <name of the input>_report when left out.")]
Out = Annotated[Path | None, typer.Option("--out", "-o", metavar="OUT_DIR", help="Folder of the report.")]
TablesOnly = Annotated[bool, typer.Option("--tables-only", help="Make no pages.")]
Force = Annotated[bool, typer.Option("--force", help="Replace the report that is there, and nothing else.")]
Kernel = Annotated[str | None, typer.Option(help="Jupyter kernel to run the notebook in; this process when left out.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")]
Memory = Annotated[
    float | None, typer.Option("--memory", metavar="GB", help="Gigabytes of memory that a process of the run may take.")
]
AllowSuperuser = Annotated[
    bool, typer.Option("--allow-superuser", help="Ask PostgreSQL even as a user who may reach files of its server.")
]
StrictGate = Annotated[bool, typer.Option("--strict", help="Let only a verdict pass in which every criterion is met.")]
JUnit = Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Write the verdict as JUnit XML.")]
Markdown = Annotated[Path | None, typer.Option("--markdown", metavar="FILE", help="Write the verdict as Markdown.")]


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
