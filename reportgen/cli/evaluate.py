"""The commands `look` and `evaluate`."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import dropwhile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reportgen.cli import commands
from reportgen.cli.printing import say, say_progress, with_answer
from reportgen.errors import SettingsError
from reportgen.machine.progress import shown
from reportgen.storing.report_folder import Writing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.reports.single import Outcome
    from reportgen.scores import Account
    from reportgen.scores.traits import Traits
    from reportgen.verdicts.gate import Gate


@commands.with_settings("data", "min_n_per_group", without=("by", "scales", "connection", "query"))
def look(
    paths: Annotated[list[Path], commands.argument("INPUT...")],
    given: dict[str, Any],
    json: Annotated[bool, commands.flag("--json")] = False,
) -> None:
    """Preview a score file: detected columns, possible analyses, and the next command."""
    from reportgen.cli.found import lines_of_look
    from reportgen.reports.single import configured
    from reportgen.reports.systems import read_as_evaluated
    from reportgen.scores.looking import look as looked

    given_source = paths[0] if len(paths) == 1 else tuple(paths)
    source, settings = configured(given_source, given)
    with commands.naming(given_source, source):
        words = commands.command_words(flags=("--json",), valued=("--memory",))
        found = looked(source, settings, read_as_evaluated)
        command = with_answer(["reportgen", "evaluate", *[*dropwhile("look".__ne__, words)][1:]], found.answer)
    if not json:
        say(lines_of_look(found, command))
        return
    from json import dumps

    typer.echo(dumps({**found.as_json(), "command": command}, indent=2, ensure_ascii=False))


UNTOLD = {"flags": ("--batches", "--no-batches"), "valued": ("--memory",)}  # options that do not change a report


@commands.with_settings(
    "data", "preparation", "statistics", "privacy", "reading", "verdict", "report", without=("by", "scales"),
)  # fmt: skip
def evaluate(
    paths: Annotated[list[Path], commands.argument("INPUT... [OUT_DIR]")],
    given: dict[str, Any],
    tables_only: commands.TablesOnly = False,
    force: commands.Force = False,
    kernel: commands.Kernel = None,
    gate: Annotated[bool, commands.flag("--gate")] = False,
    strict: Annotated[bool, commands.flag("--strict")] = False,
    junit: commands.JUnit = None,
    markdown: commands.Markdown = None,
    batches: Annotated[bool | None, commands.flag("--batches/--no-batches")] = None,
    quiet: commands.Quiet = False,
) -> None:
    """Evaluate a file of human and engine scores and write the report."""
    from reportgen.cli.found import lines_of_traits, lines_read
    from reportgen.reports import single, systems
    from reportgen.reports.single import configured
    from reportgen.verdicts.gate import Gate

    source, folder = commands.asked(given, paths) or _input_and_folder(paths)
    door = Gate(gate, strict, junit, markdown)
    door.check()
    writing = Writing(folder, tables_only, force, kernel, commands.command_line(**UNTOLD))
    if isinstance(source, Path) and single.is_rsmtool(source):
        if given.get("systems"):
            raise SettingsError("--system: an rsmeval configuration evaluates one system; use the option once.")
        outcome = single.evaluate_rsmeval(source, given, writing)
        if not quiet:
            say(lines_read(outcome.tables))
        _conclude(outcome, outcome.folder or folder, door, quiet=quiet)
        return
    data, settings = configured(source, given)
    reading = systems.Reading(batches, status=shown(quiet=quiet))
    if not quiet:

        def tell(tables: Sequence[Account], traits: Traits | None) -> None:
            names = [part.name for part in traits.parts] if traits else []
            say(lines_of_traits(traits.source, names, tables, traits.notes) if traits else lines_read(tables, settings))

        reading = replace(reading, told=tell, say=say_progress)
    with commands.naming(source, data):
        outcome = systems.evaluate_source(data, settings, writing, reading)
    _conclude(outcome, folder, door, quiet=quiet)


def _input_and_folder(paths: list[Path]) -> tuple[Path | tuple[Path, ...], Path]:
    """Return the input and the report folder: the last path, unless it is a score file."""
    from reportgen.scores import SUFFIXES

    inputs, folder = paths, None
    if len(paths) > 1 and paths[-1].suffix.lower() not in SUFFIXES:
        *inputs, folder = paths
    extra = [path for path in inputs[1:] if path.suffix.lower() not in SUFFIXES]
    if extra:
        raise SettingsError(f"'{extra[0]}' is not a score file; expected score files, then one folder for the report.")
    name = re.sub(r"[*?\[\]]+", "", inputs[0].stem).strip(" -_.") or inputs[0].resolve().parent.name
    return inputs[0] if len(inputs) == 1 else tuple(inputs), folder or Path(f"{name}_report")


def _conclude(outcome: Outcome, folder: Path, gate: Gate, *, quiet: bool) -> None:
    """Print what a run found and wrote, then exit as its sections and its verdict require."""
    from reportgen.cli import found

    verdicts = outcome.verdicts
    if not quiet:
        doubts = found.lines_of_systems_in_doubt if outcome.parts else found.lines_of_doubts
        say(doubts(outcome.tables, outcome.report.evaluation))
        for system, verdict in verdicts.items():
            found.say_verdict(verdict, system, briefly=not gate.closed)
        found.say_remark("gate", gate.remark(verdicts))
        found.say_written(folder, outcome.prefix)
        found.say_to_read(outcome.to_read)
    code = gate.report(verdicts)
    outcome.raise_failures()
    raise typer.Exit(code)
