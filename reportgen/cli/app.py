"""The command line: options to settings, verbs called late, every error one sentence with its exit code."""

from __future__ import annotations

import functools
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

import typer

from reportgen.cli import batch as cli_batch
from reportgen.cli import check as cli_check
from reportgen.cli import init as cli_init
from reportgen.cli import packet as cli_packet
from reportgen.cli import plan as cli_plan
from reportgen.cli import recover as cli_recover
from reportgen.cli import runs as cli_runs
from reportgen.cli import studies as cli_studies
from reportgen.cli import tables as cli_tables
from reportgen.cli.failures import told
from reportgen.cli.options import (
    AllowSuperuser,
    Candidate,
    Confidence,
    Connection,
    Description,
    Encoding,
    Force,
    Formats,
    Groups,
    Humans,
    Id,
    JUnit,
    Kernel,
    Layout,
    LogTo,
    Markdown,
    Memory,
    MinN,
    NoGroups,
    PolicyOption,
    QueryText,
    Quiet,
    ScoreScale,
    Sections,
    Seed,
    StrictGate,
    TablesOnly,
    Templates,
    Title,
    allow_memory,
)
from reportgen.cli.options import given as options_given
from reportgen.cli.sources import asked, command_line, is_configuration
from reportgen.errors import SettingsError, did_you_mean
from reportgen.machine.process_tuning import prepare_for_reports
from reportgen.machine.signals import Stopped, stop_cleanly

if TYPE_CHECKING:
    from reportgen.gates import Gate
    from reportgen.reports import Outcome
    from reportgen.verbs.systems import Reading

UNTOLD = {"flags": ("--batches", "--no-batches"), "valued": ("--workers", "--memory")}
"""How rows are read, and how much memory that may take, changes nothing in a report."""

STOPPED = 128
"""Exit codes above this are of runs that a signal has stopped: this and the signal's number."""

PACKET = "packet"
"""Folder of the packet within that of its report."""


Command = TypeVar("Command", bound=Callable[..., None])


def spoken(command: Command) -> Command:
    """Return a command that says its errors in one sentence and leaves with their exit code."""

    @functools.wraps(command)
    def run(*arguments: Any, **options: Any) -> None:
        from reportgen.cli.messages import say_error

        try:
            command(*arguments, **options)
        except (typer.Exit, typer.Abort):
            raise
        except KeyboardInterrupt as stop:
            stopped = stop if isinstance(stop, Stopped) else Stopped()
            if stopped.done:
                typer.echo(stopped.done, err=True)
            raise typer.Exit(stopped.exit_code) from None
        except Exception as error:
            if "--debug" in sys.argv:
                raise
            sentence, code = told(error)
            say_error(sentence)
            raise typer.Exit(code) from None

    return cast(Command, run)


app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)
new_app = typer.Typer(no_args_is_help=True)
app.add_typer(new_app, name="new", help="Start something of your own.")
policy_app = typer.Typer(no_args_is_help=True)
app.add_typer(policy_app, name="policy", help="See the shipped policies.")

OutDir = Annotated[Path | None, typer.Argument(help="Folder of the report; <name of the input>_report when left out.")]


def main() -> None:
    """Run the command line."""
    prepare_for_reports()
    stop_cleanly()
    try:
        code = app(prog_name="reportgen", standalone_mode=False)
    except Exception as error:  # noqa: BLE001 - told apart there, and raised again when it is no misuse
        code = _misused(error)
    if isinstance(code, int) and code > STOPPED:  # said here, since typer takes what comes outside of a command
        typer.echo("stopped" if code == Stopped().exit_code else f"stopped by signal {code - STOPPED}", err=True)
    sys.exit(code if isinstance(code, int) else 0)


def _misused(error: Exception) -> int:
    """Say in one sentence what is wrong with the command line, and return the exit code.

    The classes of these errors are not typer's public names in every version; what they carry is.
    """
    explain = getattr(error, "format_message", None)
    if explain is None:
        if isinstance(error, typer.Abort):
            if isinstance(error.__cause__, KeyboardInterrupt):  # before the command itself began
                raise error.__cause__
            return 1
        raise error
    if explain():  # without words the help has been shown instead
        from reportgen.cli.messages import say_error

        say_error(_sentence(error, explain()))
    return int(getattr(error, "exit_code", SettingsError.exit_code))


def _sentence(error: Exception, message: str) -> str:
    """Return what was found, the nearest option, and where the others are."""
    command = getattr(getattr(error, "ctx", None), "command_path", "reportgen")
    name, near = getattr(error, "option_name", ""), getattr(error, "possibilities", None)
    if near is not None and name:
        return f"{command} has no option {name}" + (
            f"{did_you_mean(name, near)}" if near else f"; the options are listed by: {command} --help"
        )
    return f"{' '.join(message.split()).rstrip('.')}; see: {command} --help"


def _show_version(wanted: bool) -> None:
    """Print the version and leave."""
    if wanted:
        from importlib.metadata import version

        typer.echo(f"reportgen {version('reportgen')}")
        raise typer.Exit


@app.callback()
def reportgen(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
) -> None:
    """Turn human and system scores into a report that says whether the scores may be used."""


@app.command()
@spoken
def evaluate(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="INPUT... [OUT_DIR]",
            help="File of scores (CSV, TSV, XLSX, JSON lines, Parquet), several, a pattern in quotes, a folder of "
            "Parquet files, or a configuration (TOML, YAML, JSON); then the folder of the report, "
            "<name of the input>_report when left out.",
        ),
    ],
    system: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Column of system scores, or rater that is a system; repeat it."),
    ] = None,
    baseline: Annotated[
        str | None, typer.Option(metavar="SYSTEM", help="With several systems, the one others are compared with.")
    ] = None,
    human: Humans = None,
    layout: Layout = None,
    rater: Annotated[str | None, typer.Option(metavar="COLUMN", help="Long layout: column of raters.")] = None,
    score: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Long layout: column of ratings; of judge outputs, which score."),
    ] = None,
    time: Annotated[str | None, typer.Option(metavar="COLUMN", help="Long layout: column of times.")] = None,
    run: Annotated[str | None, typer.Option(metavar="COLUMN", help="Long layout: column of a system's runs.")] = None,
    group: Groups = None,
    no_groups: NoGroups = False,
    intersect: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN,COLUMN", help="Subgroup columns to cross, or all for every two; repeat it."),
    ] = None,
    id: Id = None,
    item: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of items, prompts or questions; '' for none.")
    ] = None,
    candidate: Candidate = None,
    item_score: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Column of scores on another item of the test; repeat it."),
    ] = None,
    length: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of response lengths, or of texts to count.")
    ] = None,
    position: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of the positions in which a judge saw responses.")
    ] = None,
    scale: ScoreScale = None,
    trim_min: Annotated[float | None, typer.Option(help="Lowest trimmed score.")] = None,
    trim_max: Annotated[float | None, typer.Option(help="Highest trimmed score.")] = None,
    trim_tolerance: Annotated[float | None, typer.Option(help="How far trimmed scores may lie beyond those.")] = None,
    title: Title = None,
    description: Description = None,
    sections: Sections = None,
    templates: Templates = None,
    formats: Formats = None,
    tables_only: TablesOnly = False,
    force: Force = False,
    kernel: Kernel = None,
    min_n: MinN = None,
    withhold: Annotated[
        bool | None, typer.Option("--withhold/--no-withhold", help="Whether small groups are left out of all outputs.")
    ] = None,
    confidence: Confidence = None,
    log_to: LogTo = None,
    seed: Seed = None,
    encoding: Encoding = None,
    format: Annotated[
        str | None, typer.Option("--format", metavar="NAME", help="Reader of judge outputs (see: reportgen readers).")
    ] = None,
    connection: Connection = None,
    query: QueryText = None,
    allow_superuser: AllowSuperuser = False,
    policy: PolicyOption = None,
    gate: Annotated[bool, typer.Option("--gate", help="Leave with 1 when a criterion is not met.")] = False,
    strict: StrictGate = False,
    junit: JUnit = None,
    markdown: Markdown = None,
    packet: Annotated[
        Path | None, typer.Option(metavar="CARD", help="Make the review packet too, in OUT_DIR/packet, with this card.")
    ] = None,
    batches: Annotated[
        bool | None,
        typer.Option("--batches/--no-batches", help="Count rows in batches, or hold them; large files are counted."),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes that count rows in batches.")] = 1,
    memory: Memory = None,
    quiet: Quiet = False,
) -> None:
    """Evaluate scores, and write the report."""
    allow_memory(memory)
    given = {
        "system": system[0] if system and len(system) == 1 else None, "baseline": baseline, "layout": layout,

        "rater": rater, "score": score, "time": time, "run": run, "human": human or None,
        "groups": [] if no_groups else group or None, "intersections": intersect or None, "id": id,
        "item": item, "candidate": candidate, "item_scores": item_score or None, "length": length,
        "position": position, "scale": scale, "encoding": encoding, "format": format, "trim_min": trim_min,
        "trim_max": trim_max, "trim_tolerance": trim_tolerance, "min_n_per_group": min_n,
        "withhold_small_groups": withhold,
        "confidence_level": confidence, "seed": seed, "title": title, "description": description,
        "sections": sections, "templates": templates, "formats": formats, "log_to": log_to,
        "policy": policy,
    }  # fmt: skip
    from reportgen import reports
    from reportgen.gates import Gate

    source, folder = asked(connection, query, paths, given, allow_superuser=allow_superuser) or _input_and_folder(paths)
    several = {"systems": system, "system": None} if system and len(system) > 1 else {}
    door = Gate(gate, strict, junit, markdown)
    door.check()
    if isinstance(source, Path) and reports.is_rsmtool(source):
        if several:
            raise SettingsError("--system: an rsmeval configuration evaluates one system; name it once.")
        if packet is not None:
            raise SettingsError(
                f"--packet: make it afterwards: reportgen packet {shlex.quote(str(folder))} --card CARD"
            )
        _run_rsmeval(
            source, folder, options_given(given), door, quiet=quiet, tables_only=tables_only, force=force, kernel=kernel
        )
        return
    data, settings = _configured(source, options_given(given) | several, allow_superuser=allow_superuser)
    if packet is not None:
        cli_packet.check(packet, folder / PACKET, force=force)
    from reportgen.machine.progress import shown
    from reportgen.verbs.systems import Reading

    reading = Reading(batches, workers, status=shown(quiet=quiet))
    _run(
        data, folder, settings, door, packet, reading, quiet=quiet, tables_only=tables_only, force=force, kernel=kernel
    )


@app.command()
@spoken
def render(
    results: Annotated[Path, typer.Argument(metavar="RESULTS_JSON", help="The results.json of an earlier run.")],
    out_dir: OutDir = None,
    formats: Formats = None,
    templates: Templates = None,
    sections: Annotated[
        str | None, typer.Option(metavar="FILE,...", help="Files of sections whose templates show what is stored.")
    ] = None,
    logo: Annotated[Path | None, typer.Option(metavar="FILE", help="Picture for the head of the report.")] = None,
    force: Force = False,
    kernel: Kernel = None,
    memory: Memory = None,
    quiet: Quiet = False,
) -> None:
    """Make the pages of a stored report again, without the scores; no file that the report names is followed."""
    allow_memory(memory)
    from reportgen import reports
    from reportgen.cli.messages import say_written
    from reportgen.settings import from_keywords
    from reportgen.storing import report_folder

    folder = out_dir or Path(f"{results.stem}_report")
    given = {"formats": formats, "templates": templates, "sections": sections, "logo": logo}
    settings = from_keywords(**options_given(given))
    report_folder.check(folder, force)
    outcome = reports.render_report(results, folder, settings, force=force, kernel=kernel)
    if not quiet:
        say_written(folder)
    outcome.raise_failures()


app.command()(spoken(cli_init.init))
app.command()(spoken(cli_plan.plan))
app.command()(spoken(cli_check.check))
policy_app.command("list")(spoken(cli_check.list_policies))
policy_app.command("show")(spoken(cli_check.show_policy))
policy_app.command("schema")(spoken(cli_check.policy_schema))
app.command()(spoken(cli_runs.compare))
app.command()(spoken(cli_runs.summarize))
app.command()(spoken(cli_batch.batch))
app.command()(spoken(cli_tables.tables))
app.command()(spoken(cli_packet.packet))
app.command()(spoken(cli_recover.recover))
app.command(context_settings=cli_studies.PASS_ON)(spoken(cli_studies.study))
app.command()(spoken(cli_studies.complete))


@app.command()
@spoken
def schema() -> None:
    """Print the JSON Schema of a configuration file."""
    import json

    from reportgen.settings import Settings

    typer.echo(json.dumps(Settings.json_schema(), indent=2))


@app.command("sections")
@spoken
def list_sections() -> None:
    """List the installed sections and who provides them."""
    from reportgen.cli.messages import printable
    from reportgen.sections import provider_of, providers

    found = providers()
    width = max((len(name) for name in found), default=0)
    for name, entry in sorted(found.items()):
        typer.echo(f"{printable(name):<{width}}  {printable(provider_of(entry))}")


@app.command("readers")
@spoken
def list_readers() -> None:
    """List the installed readers of judge outputs, what they read and who provides them."""
    from reportgen.cli.messages import printable
    from reportgen.sources.judge_outputs import installed, provider_of, reader_for

    found = installed()
    width = max((len(name) for name in found), default=0)
    for name, entry in sorted(found.items()):
        typer.echo(f"{printable(name):<{width}}  {printable(reader_for(name).title)}; {printable(provider_of(entry))}")


@app.command()
@spoken
def eject(
    name: Annotated[str, typer.Argument(help="A section or a template, as in summary or print.css.")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Your folder of templates.")] = Path("templates"),
) -> None:
    """Copy a shipped template to your own folder, to change it there."""
    from reportgen.cli.messages import printable
    from reportgen.errors import OutputError
    from reportgen.rendering.paths import shipped
    from reportgen.storing import write_file

    file, place = shipped(name)
    target = folder / place
    if target.exists():
        raise OutputError(f"'{target}' is there already; remove it first, or name another folder.")
    write_file(target, file.read_bytes())
    named = printable(shlex.quote(str(folder)))
    typer.echo(f"{printable(target)}\nuse it with: reportgen evaluate INPUT --templates {named}")


@new_app.command("section")
@spoken
def new_section(
    name: Annotated[str, typer.Argument(help="Its name, a Python name in lower case.")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to make its folder.")] = Path(),
) -> None:
    """Write a working section of your own, with its template and its test."""
    from reportgen.cli.messages import printable
    from reportgen.cli.scaffold import new_section as write

    for file in write(name, folder):
        typer.echo(printable(file))
    path = (folder / name / "__init__.py").as_posix()
    place = shlex.quote(path if folder.is_absolute() else f"./{path}")
    typer.echo(f"use it with: reportgen evaluate INPUT --sections summary,data,{printable(place)}")


def _input_and_folder(paths: list[Path]) -> tuple[Path | tuple[Path, ...], Path]:
    """Return what is evaluated, and where the report goes: into the last path, unless that is a file of scores."""
    from reportgen.scores import SUFFIXES

    inputs, folder = paths, None
    if len(paths) > 1 and paths[-1].suffix.lower() not in SUFFIXES:
        *inputs, folder = paths
    extra = [path for path in inputs[1:] if path.suffix.lower() not in SUFFIXES]
    if extra:
        raise SettingsError(
            f"reportgen evaluate: extra argument '{extra[0]}'; expected files of scores, then one folder; "
            "see: reportgen evaluate --help"
        )
    name = re.sub(r"[*?\[\]]+", "", inputs[0].stem).strip(" -_.") or inputs[0].resolve().parent.name
    return inputs[0] if len(inputs) == 1 else tuple(inputs), folder or Path(f"{name}_report")


def _configured(source: Any, options: dict[str, Any], *, allow_superuser: bool) -> tuple[Any, Any]:
    """Return the file or files of scores and the settings; options on the command line win over the configuration."""
    from reportgen.reports import is_judge_outputs
    from reportgen.settings import from_keywords, load, override

    if not isinstance(source, Path) or not is_configuration(source):
        return source, from_keywords(**options)
    if is_judge_outputs(source, options.get("format")):
        return source, from_keywords(**options)
    settings = override(load(source), **options)
    if settings.data.query is not None:
        from reportgen.sources.databases import query_of

        return query_of(settings.data, allow_superuser=allow_superuser), settings
    if settings.data.file is None and settings.runs.kind is None:
        raise SettingsError(f'{source}: names no file of scores; add file = "scores.csv" under [data].')
    return settings.data.file or source, settings


def _run(
    data: Any,
    folder: Path,
    settings: Any,
    gate: Gate,
    card: Path | None = None,
    reading: Reading | None = None,
    *,
    quiet: bool,
    force: bool,
    **options: Any,
) -> None:
    """Evaluate, and say what was found, what the policy says, and where the report is."""
    from reportgen.cli.messages import say_progress
    from reportgen.storing import report_folder
    from reportgen.storing.writing import Writing
    from reportgen.verbs.systems import evaluate as evaluate_all

    report_folder.check(folder, force)
    writing = Writing(folder, force=force, command=command_line(**UNTOLD), **options)
    outcome = evaluate_all(data, settings, writing, None if quiet else say_progress, reading)
    if card is not None:
        cli_packet.make(folder, folder / PACKET, card=card, force=force, quiet=quiet)
    _conclude(outcome, folder, gate, quiet=quiet)


def _run_rsmeval(source: Path, folder: Path, given: dict[str, Any], gate: Gate, *, quiet: bool, **options: Any) -> None:
    """Evaluate what an rsmeval configuration names, and say the same."""
    from reportgen import reports

    outcome = reports.evaluate_rsmeval(source, folder, given, command=command_line(**UNTOLD), **options)
    _conclude(outcome, outcome.folder or folder, gate, quiet=quiet)


def _conclude(outcome: Outcome, folder: Path, gate: Gate, *, quiet: bool) -> None:
    """Say what a run found and made, then leave as its sections and its verdict demand."""
    from reportgen.cli.messages import (
        say_doubts,
        say_doubts_of_systems,
        say_found,
        say_gate,
        say_systems,
        say_verdict,
        say_written,
    )

    verdicts = outcome.verdicts
    if not quiet:
        if outcome.scores is not None:
            say_found(outcome.scores)
            say_doubts(outcome.scores, outcome.report.evaluation)
        if outcome.tables:
            say_systems(outcome.tables)
            say_doubts_of_systems(outcome.tables, outcome.report.evaluation)
        for system, verdict in verdicts.items():
            say_verdict(verdict, system, briefly=not gate.closed)
        say_gate(gate.remark(verdicts))
        say_written(folder, outcome.prefix)
    code = gate.report(verdicts)
    outcome.raise_failures()
    cli_check.leave(code)
