"""The commands on a saved report, on policies, and on what reportgen ships: configurations, sections, templates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reportgen.cli import commands
from reportgen.cli.printing import printable, say_list
from reportgen.errors import InputError, OutputError, ReportgenError, write_command
from reportgen.storing import report_folder, write_file

if TYPE_CHECKING:
    from reportgen.cli.starter import Question
    from reportgen.results import Verdict


@commands.with_settings("policy")
def check(
    results: Annotated[list[Path], commands.argument("RESULTS...")],
    given: dict[str, Any],
    strict: Annotated[bool, commands.flag("--strict")] = False,
    junit: commands.JUnit = None,
    markdown: commands.Markdown = None,
    quiet: commands.Quiet = False,
) -> None:
    """Check saved reports against a policy; exit with code 1 if a requirement is not met or none could be tested."""
    from reportgen.cli.found import say_remark, say_verdict
    from reportgen.verdicts.gate import Gate

    gate = Gate(closed=True, strict=strict, junit=junit, markdown=markdown)
    gate.check()
    judged = {path: _judged(path, given.get("policy")) for path in results}
    verdicts = {str(path) if len(judged) > 1 else "": verdict for path, (verdict, _) in judged.items()}
    if not quiet:
        for name, (verdict, stored) in zip(verdicts, judged.values(), strict=True):
            say_verdict(verdict, name)
            say_remark("stored", stored)
        say_remark("gate", gate.remark(verdicts))
    raise typer.Exit(gate.report(verdicts))


def _judged(path: Path, policy: str | Path | None) -> tuple[Verdict, str]:
    """Return the verdict on a stored report, with a note if the report contains another one."""
    from reportgen.reports import single
    from reportgen.verdicts import stored_otherwise

    report = single.load(path)
    try:
        verdict = single.check(report, policy)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return verdict, stored_otherwise(report.evaluation, verdict) if policy is None else ""


def list_policies() -> None:
    """List the built-in policies."""
    from reportgen.policies import load_policy, shipped_policies

    say_list({name: load_policy(name).description for name in shipped_policies()})


def show_policy(name: Annotated[str, commands.argument()]) -> None:
    """Print a built-in policy file, to copy and edit."""
    from reportgen.policies import shipped_text

    typer.echo(shipped_text(name), nl=False)


def policy_schema() -> None:
    """Print the JSON Schema of policy files."""
    import json

    from reportgen.policies import Policy

    typer.echo(json.dumps(Policy.model_json_schema(), indent=2))


def cite(
    run: Annotated[Path | None, commands.argument("RUN")] = None,
    form: Annotated[str, commands.flag("--format")] = "text",
) -> None:
    """Print citations for reportgen and for the methods behind a report."""
    from reportgen.reports import single

    typer.echo(single.cite(None if run is None else single.load(run), form), nl=False)


@commands.with_settings(*("formats", "language", "templates", "sections", "logo", "docx_template", "plotly"))
def render(
    results: Annotated[Path, commands.argument("RESULTS_JSON")],
    given: dict[str, Any],
    out_dir: commands.OutDir = None,
    force: commands.Force = False,
    kernel: commands.Kernel = None,
    quiet: commands.Quiet = False,
) -> None:
    """Rebuild the HTML and PDF of a saved report, without the scores."""
    from reportgen.cli.found import say_written
    from reportgen.reports import single
    from reportgen.settings import from_keywords

    folder = out_dir or Path(f"{results.stem}_report")
    settings = from_keywords(**given)
    report_folder.check(folder, force)
    outcome = single.render_report(single.load(results), folder, settings, force=force, kernel=kernel)
    if not quiet:
        say_written(folder)
    outcome.raise_failures()


@commands.with_settings("system", "human", "groups", "id", "candidate", "scale")
def init(
    given: dict[str, Any],
    data: Annotated[Path | None, commands.argument("DATA")] = None,
    out: Annotated[Path | None, commands.option("FILE", "--out", "-o")] = None,
    interactive: Annotated[bool, commands.flag("--interactive", "-i")] = False,
    force: Annotated[bool, commands.flag("--force")] = False,
) -> None:
    """Print a commented configuration file, or save it with --out."""
    from reportgen.cli.starter import interview, starter

    if out is not None and out.exists() and not force:
        raise OutputError(f"'{out}' already exists; choose another file, or use --force to overwrite it.")
    if interactive:
        given |= interview(data, _ask, typer.echo)
        data = given.pop("file")
    text = starter(data, given, out.parent if out else Path())
    if out is None:
        typer.echo(text, nl=False)
        return
    write_file(out, text)
    typer.echo(f"{printable(out)}\nuse it with: {write_command('reportgen', 'evaluate', str(out), 'OUT_DIR')}")


def _ask(question: Question, check: Callable[[str], Any], choices: Sequence[str]) -> Any:
    from reportgen.cli.starter import completing

    with completing(choices):
        while True:
            answer = typer.prompt(question.words, default=question.default, show_default=bool(question.default))
            try:
                return check(answer.strip())
            except (ValueError, ReportgenError) as error:
                typer.echo(f"  {error}")


def schema() -> None:
    """Print the JSON Schema of configuration files."""
    import json

    from reportgen.settings import Settings

    typer.echo(json.dumps(Settings.model_json_schema(), indent=2))


def sections() -> None:
    """List the installed report sections and their packages."""
    from reportgen.sections import provider_of, providers

    say_list({name: provider_of(entry) for name, entry in sorted(providers().items())})


def readers() -> None:
    """List the supported formats of LLM judge outputs."""
    from reportgen.sources.judge_readers import installed, provider_of, reader_for

    say_list({name: f"{reader_for(name).title}; {provider_of(each)}" for name, each in sorted(installed().items())})


def eject(
    name: Annotated[str, commands.argument()], folder: Annotated[Path, commands.argument("DIR")] = Path("templates")
) -> None:
    """Copy a built-in template to a folder so that you can edit it."""
    from reportgen.rendering.templates import shipped

    file, place = shipped(name)
    target = folder / place
    if target.exists():
        raise OutputError(f"'{target}' already exists; remove it, or choose another folder.")
    write_file(target, file.read_bytes())
    command = ("export", "RUN", "OUT") if place.parts[0] == "papers" else ("evaluate", "INPUT")
    typer.echo(f"{printable(target)}\nuse it with: {write_command('reportgen', *command, '--templates', str(folder))}")


def new_section(
    name: Annotated[str, commands.argument()], folder: Annotated[Path, commands.argument("DIR")] = Path()
) -> None:
    """Create a section with its template and its test."""
    from reportgen.cli.starter import new_section as write

    for file in write(name, folder):
        typer.echo(printable(file))
    path = (folder / name / "__init__.py").as_posix()
    place = path if folder.is_absolute() else f"./{path}"
    typer.echo("use it with: " + write_command("reportgen", "evaluate", "INPUT", "--sections", f"summary,data,{place}"))
