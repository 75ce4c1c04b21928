"""The command that says how to cite reportgen and the works behind the numbers of a report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def cite(
    run: Annotated[
        Path | None,
        typer.Argument(metavar="[RUN]", help="A results.json, or the folder of a report; reportgen alone without it."),
    ] = None,
    form: Annotated[str, typer.Option("--format", help="text, bibtex or csl (CSL-JSON).")] = "text",
) -> None:
    """Print citations for reportgen and for the methods behind a report."""
    from reportgen import reports

    report = None if run is None else reports.load(run)
    typer.echo(reports.cite(report, form), nl=False)
