"""Define the commands `packet`, `attest`, and `verify`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from reportgen.cli.commands import Force, Kernel, Quiet, Story, argument, flag, option, with_settings
from reportgen.cli.printing import printable, say
from reportgen.errors import OutputError, SectionError, SettingsError, write_command
from reportgen.storing import report_folder, write_file


@with_settings("title", "sections", "templates", "formats")
def packet(
    given: dict[str, Any],
    report: Annotated[Path | None, argument("REPORT")] = None,
    out_dir: Annotated[Path | None, argument("OUT_DIR")] = None,
    card: Annotated[Path | None, option("FILE")] = None,
    previous: Annotated[Path | None, option("REPORT")] = None,
    starter: Annotated[Path | None, option("FILE")] = None,
    force: Force = False,
    kernel: Kernel = None,
    quiet: Quiet = False,
) -> None:
    """Assemble a deployment-review packet: engine card, requirements, changes, report, decision."""
    from reportgen.cli.found import say_written
    from reportgen.governance.card import read_card
    from reportgen.governance.review import packet as make
    from reportgen.settings import from_keywords

    if starter is not None:
        _write_starter(starter, force=force)
        return
    if report is None:
        raise SettingsError("a packet requires a report; name its folder, or create a card with --starter card.toml.")
    home = report if report.is_dir() else report.parent
    folder = out_dir or home.resolve().parent / f"{home.resolve().name}_packet"
    report_folder.check(folder, force)
    if card is not None:
        read_card(card)
    writing = report_folder.Writing(folder, force=force, kernel=kernel)
    failed = make(report, from_keywords(**given), writing, card=card, previous=previous).failed_sections
    if not quiet:
        say_written(folder)
    if failed:
        raise SectionError(f"the packet was written, but these sections failed: {', '.join(failed)}.")


def _write_starter(path: Path, *, force: bool) -> None:
    from reportgen.governance.card import starter

    if path.exists() and not force:
        raise OutputError(f"'{path}' already exists; choose another file, or use --force to overwrite it.")
    write_file(path, starter())
    typed = write_command("reportgen", "packet", "REPORT", "--card", str(path))
    typer.echo(f"{printable(path)}\nuse it with: {typed}")


Run = Annotated[Path, argument("RUN")]

DIFFERS = 1  # exit code if something does not match


@with_settings()
def attest(
    run: Run,
    out: Annotated[Path | None, option("FILE", "--out", "-o")] = None,
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Write an in-toto statement of the report's files and verdict, for you to sign."""
    from reportgen.governance.review import attest as state

    written = state(run, out, force=force)
    if not quiet:
        say([("attestation", str(written)), ("", "not signed; to sign it, see docs/deployment_review.md")])


@with_settings("labels_file", "templates", "logo", "docx_template")
def verify(
    run: Run,
    given: dict[str, Any],
    data: Annotated[list[Path] | None, option("FILE", "--data")] = None,
    training_file: Annotated[Path | None, option("FILE")] = None,
    strict: Annotated[bool, flag("--strict")] = False,
    quiet: Quiet = False,
) -> None:
    """Check that a report's files, numbers, and data match; exit with code 1 if not."""
    from reportgen.governance.verification import Data
    from reportgen.governance.verification import verify as look

    answers = look(run, Data(tuple(data or ()), given.pop("labels_file", None), training_file), given)
    if not quiet:
        say([(each.result, f"{each.about}: {each.why}") for each in answers])
    wrong = {"mismatch", "not checked"} if strict else {"mismatch"}
    if any(each.result in wrong for each in answers):
        raise typer.Exit(DIFFERS)


COMMANDS: dict[str, tuple[Story, ...]] = {"Review and publish": (packet, attest, verify)}
