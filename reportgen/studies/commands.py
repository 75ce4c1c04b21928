"""Commands that run a study, and complete ratings."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click
import typer

from reportgen.cli import commands
from reportgen.cli.commands import Force, Kernel, Quiet, Story, TablesOnly, argument, option, with_settings
from reportgen.cli.printing import printable
from reportgen.errors import SettingsError
from reportgen.machine.progress import shown
from reportgen.storing.report_folder import Writing, check

if TYPE_CHECKING:
    from reportgen.reports.single import Outcome
    from reportgen.settings import Settings
    from reportgen.studies.study import Study


@with_settings("title", "created", "templates", "formats")
def study(
    context: typer.Context,
    given: dict[str, Any],
    name: Annotated[str | None, argument("NAME")] = None,
    workers: Annotated[int, typer.Option(min=1)] = 1,
    tables_only: TablesOnly = False,
    force: Force = False,
    kernel: Kernel = None,
    quiet: Quiet = False,
) -> None:
    """Reproduce a published simulation, or run it with your own design."""
    if name is None or name in ("--help", "-h"):
        from reportgen.studies import questions

        typer.echo(context.get_help())
        typer.echo("\nStudies:")
        for known, question in questions().items():
            typer.echo(f"  {known:<22} {question}")
        return
    from reportgen.settings import from_keywords
    from reportgen.studies.study import design_of

    folder, options = _parsed(name, context.args)
    design, settings = design_of(name, options), from_keywords(**given)
    check(folder, force)
    writing = Writing(folder, tables_only=tables_only, force=force, kernel=kernel, command=commands.command_line())
    _run(design, settings, writing, quiet=quiet, workers=workers).raise_failures()


@with_settings("scale", "seed", "formats")
def complete(
    file: Annotated[Path, argument("FILE")],
    given: dict[str, Any],
    out_dir: Annotated[Path | None, argument("OUT_DIR")] = None,
    rater: Annotated[list[str] | None, option("COLUMN")] = None,
    systems: Annotated[str | None, option("COLUMN")] = None,
    draws: Annotated[int, option()] = 10,
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Impute missing ratings and report their uncertainty."""
    from reportgen.settings import from_keywords
    from reportgen.studies.rating_completion.own import own_ratings, refuse_complete
    from reportgen.studies.study import design_of

    folder, raters, scale = out_dir or Path(f"{file.stem}_completed"), tuple(rater or ()), given.pop("scale", None)
    options = {"file": file, "raters": raters, "systems": systems, "draws": draws, "score_scale": scale}
    if "seed" in given:
        options["seed"] = given.pop("seed")
    design = design_of("rating-completion", options)
    check(folder, force)
    refuse_complete(own_ratings(file, raters, systems, scale), file)
    settings = from_keywords(title=f"Ratings of {printable(file.name)}, completed", **given)
    writing = Writing(folder, force=force, command=commands.command_line())
    _run(design, settings, writing, quiet=quiet, completed=folder / "completed.csv")


def _run(
    design: Study, settings: Settings, writing: Writing, *, quiet: bool, workers: int = 1, completed: Path | None = None
) -> Outcome:
    """Run a study, and say what it warns of, found and made."""
    from reportgen.cli.found import say_written
    from reportgen.machine.worker_processes import Processes
    from reportgen.rendering.notebook import first_finding
    from reportgen.studies.study import Work, run

    with Processes(workers) if workers > 1 else nullcontext() as executor, shown(quiet=quiet) as status:
        status.stage("reading the ratings" if completed else "running the study")
        outcome = run(design, settings, writing, Work(executor, status.parts))
    for warning in outcome.report.evaluation.warnings:
        typer.echo(f"warning: {printable(warning)}", err=True)
    if quiet:
        return outcome
    lines = [first_finding(outcome.report)]
    if completed:
        raters = f"raters    {', '.join(outcome.report.evaluation.facts['columns'])}"
        lines = [raters, *lines, f"completed {completed}"]
    for line in filter(None, lines):
        typer.echo(printable(line))
    say_written(writing.folder or Path())
    return outcome


def _parsed(name: str, arguments: list[str]) -> tuple[Path, dict[str, Any]]:
    """Return the folder and the options of a study from the rest of the command line."""
    from reportgen.settings.kinds import split
    from reportgen.studies.study import STUDIES, find

    fields, told = find(name).model_fields, STUDIES[name]
    options: list[click.Parameter] = [click.Argument(["out_dir"], required=False)]
    for key, field in fields.items():
        flag, default = "--" + key.replace("_", "-"), field.default
        shown = ",".join(map(str, default)) if isinstance(default, tuple) else default
        words = told.get("options", {}).get(key) or field.description or ""
        text = f"{words} [{shown}]" if default is not None else words
        if field.annotation is bool:
            options.append(click.Option([f"{flag}/--no-{flag[2:]}"], default=None, help=text))
        else:
            options.append(click.Option([flag], metavar="VALUE", help=text))
    command = click.Command(name, params=options, help=told["question"])
    try:
        with command.make_context(f"reportgen study {name}", arguments) as context:
            given = {key: value for key, value in context.params.items() if value not in (None, ())}
    except click.exceptions.Exit:
        raise typer.Exit from None
    except click.UsageError as error:
        help_ = f"for help, run: reportgen study {name} --help"
        raise SettingsError(f"study {name}: {error.message.rstrip('.')}; {help_}") from None
    for key in given.keys() & fields.keys():
        if str(fields[key].annotation).startswith("tuple"):
            given[key] = split(given[key])
    return Path(given.pop("out_dir", None) or f"{name}_report"), given


COMMANDS: dict[str, tuple[Story, ...]] = {"Research": (study, complete)}
