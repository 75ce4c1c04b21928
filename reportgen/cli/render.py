"""The command that makes the pages of a stored report again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from reportgen.cli.commands import with_settings
from reportgen.cli.options import Force, Kernel, Memory, OutDir, Quiet, allow_memory


@with_settings(
    "formats",
    "language",
    "templates",
    "sections",
    "logo",
    "docx_template",
    "plotly",
    formats="The pages to make; those of the report when left out.",
    language="Language of the pages; that of the report when left out.",
    sections="Files of sections whose templates show what is stored.",
)
def render(
    results: Annotated[Path, typer.Argument(metavar="RESULTS_JSON", help="The results.json of an earlier run.")],
    given: dict[str, Any],
    out_dir: OutDir = None,
    force: Force = False,
    kernel: Kernel = None,
    memory: Memory = None,
    quiet: Quiet = False,
) -> None:
    """Rebuild the HTML and PDF of a saved report, without the scores."""
    allow_memory(memory)
    from reportgen import reports
    from reportgen.cli.messages import say_written
    from reportgen.settings import from_keywords
    from reportgen.storing import report_folder

    folder = out_dir or Path(f"{results.stem}_report")
    settings = from_keywords(**given)
    report_folder.check(folder, force)
    outcome = reports.render_report(reports.load(results), folder, settings, force=force, kernel=kernel)
    if not quiet:
        say_written(folder)
    outcome.raise_failures()
