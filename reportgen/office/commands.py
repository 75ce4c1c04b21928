"""Define the command `export`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from reportgen.cli.commands import Quiet, Story, argument, flag, option, with_settings
from reportgen.cli.printing import printable


@with_settings("language", "templates", "docx_template")
def export(
    given: dict[str, Any],
    run: Annotated[Path, argument("RUN")],
    out: Annotated[Path, argument("OUT")],
    tables: Annotated[str | None, option("latex,docx,md")] = None,
    figures: Annotated[str | None, option("svg,png,pdf")] = None,
    force: Annotated[bool, flag("--force")] = False,
    quiet: Quiet = False,
) -> None:
    """Write a report's tables and figures as files for a paper, in APA style."""
    from reportgen.office.export import export as exported
    from reportgen.settings import from_keywords

    written = exported(run, out, from_keywords(**given), tables=_listed(tables), figures=_listed(figures), force=force)
    if not quiet:
        typer.echo(f"{printable(out)}: {len(written)} files")


def _listed(text: str | None) -> list[str] | None:
    return None if text is None else [each.strip() for each in text.split(",") if each.strip()]


COMMANDS: dict[str, tuple[Story, ...]] = {"Review and publish": (export,)}
