"""Define the application: all commands, and the errors for a misspelled command line."""

import re
import sys
import warnings
from itertools import pairwise
from typing import Annotated

import typer

from reportgen.cli import evaluate, many, planning, saved
from reportgen.cli.commands import Commands, Story, add
from reportgen.cli.printing import say_error
from reportgen.errors import SettingsError, did_you_mean, nearest
from reportgen.machine.memory import prepare_for_reports
from reportgen.machine.signals import Stopped, stop_cleanly
from reportgen.plugins import distribution_of, entry_points, explain
from reportgen.settings.flags import places_of_options

STOPPED = 128  # a run stopped by a signal exits with this number plus the number of the signal

app = typer.Typer(
    cls=Commands,
    rich_markup_mode=None,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="For a command's options, run: reportgen COMMAND --help",
)
new_app = typer.Typer(cls=Commands, no_args_is_help=True)
policy_app = typer.Typer(cls=Commands, no_args_is_help=True)

COMMANDS: dict[str, tuple[Story, ...]] = {
    "Most used": (
        evaluate.look, evaluate.evaluate, many.compare, saved.check, planning.plan, many.batch, many.tables,
        many.summarize, saved.render, saved.init,
    ),
    "Review and publish": (saved.cite,),
    "Customize": (saved.eject, saved.sections, saved.readers, saved.schema),
}  # fmt: skip
"""The commands of the core by help panel; leaves add theirs through entry points."""

found = [COMMANDS]
for entry in sorted(entry_points("reportgen.commands"), key=lambda entry: entry.name):
    try:
        found.append(entry.load())
    except Exception as error:  # noqa: BLE001 - a broken package must not take the other commands with it
        typer.echo(f"warning: commands of {distribution_of(entry)} cannot be loaded ({explain(error)})", err=True)
for group, story in ((group, story) for commands in found for group, stories in commands.items() for story in stories):
    add(app, story, rich_help_panel=group)
app.add_typer(new_app, name="new", help="Create a section from a working example.", rich_help_panel="Customize")
app.add_typer(policy_app, name="policy", help="List or print the built-in policies.", rich_help_panel="Customize")
add(new_app, saved.new_section, "section")
add(policy_app, saved.list_policies, "list")
add(policy_app, saved.show_policy, "show")
add(policy_app, saved.policy_schema, "schema")


def main() -> None:
    """Run the command line."""
    prepare_for_reports()
    stop_cleanly()
    if not sys.warnoptions:  # warnings of libraries are for developers
        warnings.simplefilter("ignore")
    try:
        code = app(prog_name="reportgen", standalone_mode=False)
    except Exception as error:  # noqa: BLE001 - raised again unless it is a misspelled command line
        code = _misused(error)
    if isinstance(code, int) and code > STOPPED:  # outside of a command, typer prints nothing
        typer.echo("stopped" if code == Stopped().exit_code else f"stopped by signal {code - STOPPED}", err=True)
    sys.exit(code if isinstance(code, int) else 0)


def _misused(error: Exception) -> int:
    """Print one sentence about a misspelled command line; typer does not export its errors in every version."""
    explain = getattr(error, "format_message", None)
    if explain is None:
        if isinstance(error, typer.Abort):
            if isinstance(error.__cause__, KeyboardInterrupt):  # before the command itself began
                raise error.__cause__
            say_error("the input ended before the last answer; run it in a terminal, or without --interactive.")
            return SettingsError.exit_code
        raise error
    if type(error).__name__ == "NoArgsIsHelpError":  # its message is the help
        typer.echo(explain())
    elif explain():
        say_error(_sentence(error, " ".join(explain().split()).rstrip(".")))
    return int(getattr(error, "exit_code", SettingsError.exit_code))


def _sentence(error: Exception, message: str) -> str:
    """Return what is wrong, with the nearest name, an example, or where to find the options."""
    context = getattr(error, "ctx", None)
    command = getattr(context, "command_path", None) or "reportgen " + " ".join(sys.argv[1:2])
    name, near = getattr(error, "option_name", ""), getattr(error, "possibilities", None)
    help_ = f"; for help, run: {command} --help"
    if near is not None and name:
        if name in (places := places_of_options()):
            key = ".".join(places[name])
            return f"{command} has no option {name}; use reportgen evaluate, or set {key} in a configuration file"
        return f"{command} has no option {name}{did_you_mean(name, near) if nearest(name, near) else help_}"
    if name and message.endswith("requires an argument"):
        return f"{name} requires a value{help_}"
    if context is not None and (found := re.search(r"^No such command '(.+?)'", message)):
        near = nearest(found[1], context.command.commands)
        return f"{command} has no command '{found[1]}'" + (f"; did you mean '{near}'?" if near else help_)
    if found := re.search(r"^Missing argument '(.+)'", message):
        examples = re.findall(rf"^ *({command} .+)$", str(context and context.command.help), re.MULTILINE)
        example = max(examples, key=lambda each: len({*each.split()} & {*sys.argv}), default=help_.partition(": ")[2])
        wanted = re.sub(r"(\.\.\.)? \[.*|\.\.\.$", "", found[1].upper())
        return f"{command} requires {wanted}; for example, {example}"
    if found := re.search(r"^Got unexpected .+ \((.+)\)", message):
        return f"{command}: unexpected argument '{found[1]}'{help_}"
    wrong = re.sub("^Invalid value for '(.+?)'", r"\1", message).replace("Input should be", "expected")
    wrong = wrong.replace("expected greater than or equal to", "expected a number of at least")
    wrong = wrong.partition(", unable to")[0].replace("valid number", "number").replace("valid integer", "whole number")
    typed = next((value for option, value in pairwise(sys.argv) if wrong.startswith(f"{option}: expected a")), "")
    return f"{wrong}, found '{typed}'{help_}" if typed else wrong + help_


def _show_version(wanted: bool) -> None:
    if wanted:
        from reportgen.errors import DISTRIBUTION
        from reportgen.plugins import version

        typer.echo(f"reportgen {version(DISTRIBUTION)}")
        raise typer.Exit


@app.callback()
def reportgen(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the full traceback if an error occurs.")] = False,
) -> None:
    """Evaluate automated scoring engines and LLM judges against human raters."""
