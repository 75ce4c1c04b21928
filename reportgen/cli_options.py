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
