"""The commands about what belongs together: state it of a report, and look whether it does."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reportgen.cli.options import Memory, Quiet, allow_memory

Run = Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a report, or its results.json.")]

DIFFERS = 1
"""Exit code when something does not belong to the rest."""


def attest(
    run: Run,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="The file; attestation.json in the folder when left out."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a statement that is there.")] = False,
    memory: Memory = None,
    quiet: Quiet = False,
) -> None:
    """Write an in-toto statement of the report's files and verdict, for you to sign."""
    allow_memory(memory)
    from reportgen.cli.printing import say
    from reportgen.verbs.attesting import attest as state

    written = state(run, out, force=force)
    if not quiet:
        say([("attestation", str(written)), ("", "nothing is signed; docs/attestation.md says how you sign it")])


def verify(
    run: Run,
    data: Annotated[
        list[Path] | None,
        typer.Option("--data", metavar="FILE", help="The scores; once for each file where there were several."),
    ] = None,
    labels_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The human labels, where they were joined to the scores.")
    ] = None,
    training_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="What scores were rescaled with, where they were.")
    ] = None,
    templates: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The templates of the pages, where they had some of their own.")
    ] = None,
    logo: Annotated[Path | None, typer.Option(metavar="FILE", help="The logo of the pages, if they had one.")] = None,
    docx_template: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The document whose styles report.docx has, if there was one.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Leave with 1 also when something cannot be told.")] = False,
    memory: Memory = None,
    quiet: Quiet = False,
) -> None:
    """Check that a report's files, numbers, and data match; exit with code 1 if not."""
    allow_memory(memory)
    from reportgen.cli.printing import say
    from reportgen.verbs.verification import verify as look

    answers = look(
        run,
        data or (),
        labels_file=labels_file,
        training_file=training_file,
        templates=templates,
        logo=logo,
        docx_template=docx_template,
    )
    if not quiet:
        say([(f"{each.standing:<14}", f"{each.about}: {each.why}") for each in answers])
    wrong = {"differs", "cannot be told"} if strict else {"differs"}
    if any(each.standing in wrong for each in answers):
        raise typer.Exit(DIFFERS)
