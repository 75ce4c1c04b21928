"""The command that writes tables and figures for a paper."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from reportgen.cli.commands import with_settings
from reportgen.cli.options import Memory, Quiet, allow_memory


@with_settings(
    "language", "templates", "docx_template",
    language="Language of the words; that of the report when left out.",
    docx_template="Word document whose styles tables.docx has.",
)  # fmt: skip
def export(
    given: dict[str, Any],
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a report, or its results.json.")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Folder of the files.")],
    tables: Annotated[
        str | None, typer.Option(metavar="latex,docx,md", help="Kinds of tables; latex and md when left out.")
    ] = None,
    figures: Annotated[
        str | None, typer.Option(metavar="svg,png,pdf", help="Kinds of figures; svg and pdf when left out.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files of the same names.")] = False,
    memory: Memory = None,
    quiet: Quiet = False,
) -> None:
    """Write a report's tables and figures as files for a paper, in APA style."""
    allow_memory(memory)
    from reportgen.cli.printing import printable
    from reportgen.settings import from_keywords
    from reportgen.verbs.export import export as exported

    written = exported(
        run, out, from_keywords(**given), tables=_listed(tables), figures=_listed(figures), force=force
    )  # fmt: skip
    if not quiet:
        typer.echo(f"{printable(out)}: {len(written)} files")


def _listed(text: str | None) -> list[str] | None:
    return None if text is None else [each.strip() for each in text.split(",") if each.strip()]
