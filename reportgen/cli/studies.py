"""The command that runs studies; a study's own options are made from its design."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click
import typer

from reportgen.cli.commands import with_settings
from reportgen.cli.options import Force, Kernel, Memory, Quiet, TablesOnly, allow_memory
from reportgen.cli.sources import command_line
from reportgen.errors import SectionError, SettingsError

if TYPE_CHECKING:
    from reportgen.studies.design import Study

PASS_ON = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
"""Options that this command does not know are the study's; so is --help."""


@with_settings("title", "created", "templates", "formats")
def study(
    context: typer.Context,
    given: dict[str, Any],
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="The study; none lists them.")] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes that share the work.")] = 1,
    tables_only: TablesOnly = False,
    force: Force = False,
    kernel: Kernel = None,
    memory: Memory = None,
    quiet: Quiet = False,
) -> None:
    """Reproduce a published simulation, or run it on your own design."""
    allow_memory(memory)
    if name is None or name in ("--help", "-h"):
        _list(context)
        return
    from reportgen.cli.messages import say_written
    from reportgen.cli.printing import printable
    from reportgen.machine.progress import shown
    from reportgen.rendering.plain_words import first_finding
    from reportgen.settings import from_keywords
    from reportgen.storing import report_folder
    from reportgen.storing.writing import Writing
    from reportgen.studies import Work
    from reportgen.verbs.studies import design_of
    from reportgen.verbs.studies import study as run

    folder, options = _parsed(name, context.args)
    design = design_of(name, options)
    settings = from_keywords(**given)
    report_folder.check(folder, force)
    writing = Writing(folder, tables_only=tables_only, force=force, kernel=kernel, command=command_line())
    with ExitStack() as stack:
        executor = stack.enter_context(_executor(workers))
        status = stack.enter_context(shown(quiet=quiet))
        status.stage("running the study")
        outcome = run(design, settings, writing, Work(executor, status.parts))
    for warning in outcome.report.evaluation.warnings:
        typer.echo(f"warning: {printable(warning)}", err=True)
    if not quiet:
        if found := first_finding(outcome.report):
            typer.echo(printable(found))
        say_written(folder)
    if outcome.failed_sections:
        failed = ", ".join(outcome.failed_sections)
        raise SectionError(f"the report was written, but not every section could be made: {failed}.")


@with_settings("scale", "seed", "formats", seed="The seed of anything drawn at random; the study's own when left out.")
def complete(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Ratings: a row per response, a column per rater.")],
    given: dict[str, Any],
    out_dir: Annotated[
        Path | None, typer.Argument(metavar="OUT_DIR", help="Folder; <name>_completed by default.")
    ] = None,
    rater: Annotated[list[str] | None, typer.Option(metavar="COLUMN", help="Column of ratings. Repeatable.")] = None,
    systems: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column that says whose response it is, to compare systems.")
    ] = None,
    draws: Annotated[int, typer.Option(help="Times that ratings are hidden to see how well they are recovered.")] = 10,
    force: Force = False,
    memory: Memory = None,
    quiet: Quiet = False,
) -> None:
    """Impute missing ratings, with their uncertainty."""
    allow_memory(memory)
    from reportgen.cli.messages import say_written
    from reportgen.cli.printing import printable
    from reportgen.machine.progress import shown
    from reportgen.settings import from_keywords
    from reportgen.storing import report_folder
    from reportgen.storing.writing import Writing
    from reportgen.studies import Work
    from reportgen.studies.rating_completion.own import own_ratings, refuse_complete
    from reportgen.verbs.studies import design_of
    from reportgen.verbs.studies import study as run

    folder = out_dir or Path(f"{file.stem}_completed")
    raters = tuple(rater or ())
    options = {"file": file, "raters": raters, "systems": systems, "draws": draws}
    options |= {"seed": given["seed"]} if "seed" in given else {}
    design = design_of("rating-completion", options | {"score_scale": given.get("scale")})
    report_folder.check(folder, force)
    refuse_complete(own_ratings(file, raters, systems, given.get("scale")), file)
    title = f"Ratings of {printable(file.name)}, completed"
    settings = from_keywords(title=title, **({"formats": given["formats"]} if "formats" in given else {}))
    with shown(quiet=quiet) as status:
        status.stage("reading the ratings")
        outcome = run(design, settings, Writing(folder, force=force, command=command_line()), Work(None, status.parts))
    for warning in outcome.report.evaluation.warnings:
        typer.echo(f"warning: {printable(warning)}", err=True)
    if not quiet:
        from reportgen.rendering.plain_words import first_finding

        typer.echo(f"raters    {printable(', '.join(outcome.report.evaluation.facts['columns']))}")
        typer.echo(printable(first_finding(outcome.report)))
        typer.echo(f"completed {printable(folder / 'completed.csv')}")
        say_written(folder)


def _list(context: typer.Context) -> None:
    """Say which studies there are."""
    from reportgen.studies import questions

    typer.echo(context.get_help())
    typer.echo("\nStudies:")
    for name, question in questions().items():
        typer.echo(f"  {name:<22} {question}")


def _parsed(name: str, arguments: list[str]) -> tuple[Path, dict[str, Any]]:
    """Return the folder and the options of a study from the rest of the command line."""
    from reportgen.studies import find

    command = _command(name, find(name))
    try:
        with command.make_context(f"reportgen study {name}", arguments) as context:
            given = {key: value for key, value in context.params.items() if value not in (None, ())}
    except click.exceptions.Exit:
        raise typer.Exit from None
    except click.UsageError as error:
        raise SettingsError(f"study {name}: {error.format_message()}") from None
    folder = given.pop("out_dir", None)
    return Path(folder or f"{name}_report"), given


def _command(name: str, cls: type[Study]) -> click.Command:
    """Return a command whose options are the fields of a design."""
    from reportgen.studies import questions

    options: list[click.Parameter] = [click.Argument(["out_dir"], required=False)]
    for key, field in cls.model_fields.items():
        flag = "--" + key.replace("_", "-")
        default = field.get_default(call_default_factory=True) if not field.is_required() else None
        text = f"{field.description or ''} [{_shown(default)}]" if default is not None else field.description or ""
        if field.annotation is bool:
            options.append(click.Option([f"{flag}/--no-{flag[2:]}"], default=None, help=text))
        else:
            options.append(click.Option([flag], metavar="VALUE", help=text, callback=_listed(field.annotation)))
    return click.Command(name, params=options, help=questions().get(name, cls.title))


def _shown(default: object) -> str:
    """Return a default as it would be typed."""
    return ",".join(map(str, default)) if isinstance(default, tuple | list) else str(default)


def _listed(annotation: object) -> Callable[[click.Context, click.Parameter, str | None], Any]:
    """Return what makes a value of the words of an option: several are separated by commas."""
    several = str(annotation).startswith(("tuple", "list"))

    def value(_context: click.Context, _parameter: click.Parameter, words: str | None) -> Any:
        return words if words is None or not several else [word.strip() for word in words.split(",") if word.strip()]

    return value


def _executor(workers: int) -> AbstractContextManager[Any]:
    """Return processes that share the work; none for one worker."""
    if workers == 1:
        return nullcontext()
    from reportgen.batches import Processes

    return Processes(workers)
