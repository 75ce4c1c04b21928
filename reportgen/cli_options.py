"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Force = Annotated[bool, typer.Option("--force", help="Replace the report that is there, and nothing else.")]
Formats = Annotated[str | None, typer.Option(metavar="html,pdf", help="The pages to make.")]
Templates = Annotated[Path | None, typer.Option(help="Folder of templates that replace the shipped ones.")]
Kernel = Annotated[str | None, typer.Option(help="Jupyter kernel to run the notebook in; this process when left out.")]
LogTo = Annotated[
    str | None, typer.Option("--log-to", metavar="wandb,mlflow", help="Trackers to tell when the report is written.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")]
PolicyOption = Annotated[
    str | None, typer.Option("--policy", metavar="NAME|FILE", help="The policy that judges: a shipped name, or a file.")
]
JUnit = Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Write the verdict as JUnit XML.")]
Markdown = Annotated[Path | None, typer.Option("--markdown", metavar="FILE", help="Write the verdict as Markdown.")]
StrictGate = Annotated[bool, typer.Option("--strict", help="Let only a verdict pass in which every criterion is met.")]
