"""Define commands and their shared options, and record the command line."""

import copy
import functools
import inspect
import os
import shlex
import sys
import traceback
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command
from typer.models import ParameterInfo

from reportgen.cli.printing import say_failure, words_of
from reportgen.errors import InputError, SettingsError, TemplateError
from reportgen.machine import memory as allowance
from reportgen.machine.memory import prepare_for_limits
from reportgen.machine.signals import Stopped

Story = Callable[..., None]

KEYWORD_ONLY = inspect.Parameter.KEYWORD_ONLY

GIVEN = "given"  # name of the parameter that receives the settings from the command line


class Command:
    """A command that reports every error in one sentence, with an exit code.

    story: Function that runs the command. Its parameters are options; ``given`` receives the settings.
    taken: Tables of settings or single settings that become options; None for a command without settings.
    without: Settings to omit.

    The file ``NAME.toml`` next to the function's module ``NAME.py`` contains examples of the command and the help texts
    of its parameters, and replaces settings descriptions that do not fit.
    """

    def __init__(self, story: Story, taken: Sequence[str] | None = None, without: Sequence[str] = ()) -> None:
        functools.update_wrapper(self, story)
        self._story, self._taken, self._without = story, taken, without

    @property
    def context_settings(self) -> dict[str, Any]:
        """A command that takes the context parses unknown options and --help itself."""
        takes = "context" in inspect.signature(self._story).parameters
        return {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []} if takes else {}

    @property
    def __signature__(self) -> inspect.Signature:
        """Parameters of the function and of the settings, computed late because settings are slow to import."""
        own = inspect.signature(self._story, eval_str=True).parameters
        kept = [each.replace(kind=KEYWORD_ONLY) for each in own.values() if each.name != GIVEN]
        if self._taken is not None:
            place = next((place for place, each in enumerate(kept) if each.name == "quiet"), len(kept))
            kept.insert(place, inspect.Parameter("memory", KEYWORD_ONLY, default=None, annotation=Memory))
        kept = [_with_help(each, words_of(__file__)["every"] | self.words) for each in kept]
        if GIVEN in own:
            from reportgen.cli.settings_options import parameters

            kept += parameters(self._taken or (), self._without, self.words)
        return inspect.Signature(kept)

    @property
    def words(self) -> dict[str, str]:
        """Examples of the command, and the help texts of its parameters."""
        return dict(words_of(inspect.getfile(self._story)).get(self._story.__name__, {}))

    def __call__(self, **options: Any) -> None:
        """Run the command."""
        try:
            if self._taken is not None:
                allow_memory(options.pop("memory", None))
            own = inspect.signature(self._story).parameters
            if GIVEN in own:
                from reportgen.cli.settings_options import given

                settings = given({key: value for key, value in options.items() if key not in own})
                options = {**{key: value for key, value in options.items() if key in own}, GIVEN: settings}
            self._story(**options)
        except (typer.Exit, typer.Abort):
            raise
        except KeyboardInterrupt as stop:
            stopped = stop if isinstance(stop, Stopped) else Stopped()
            if stopped.done:
                typer.echo(stopped.done, err=True)
            raise typer.Exit(stopped.exit_code) from None
        except Exception as error:  # noqa: BLE001 - every error becomes a message
            if "--debug" in sys.argv:
                traceback.print_exc()
            raise typer.Exit(say_failure(error)) from None


def _with_help(parameter: inspect.Parameter, words: Mapping[str, str]) -> inspect.Parameter:
    for about in getattr(parameter.annotation, "__metadata__", ()):
        if isinstance(about, ParameterInfo) and about.help is None:
            about = copy.copy(about)
            about.help = words.get(parameter.name)
            parameter = parameter.replace(annotation=Annotated[parameter.annotation.__origin__, about])
    return parameter


def with_settings(*taken: str, without: Sequence[str] = ()) -> Callable[[Story], Story]:
    """Return a decorator that adds options for tables of settings or for single settings."""
    return lambda story: Command(story, taken, without)


def add(app: typer.Typer, story: Story, name: str | None = None, **settings: Any) -> None:
    """Add a command to an application; its parameters are computed when it is called."""

    def named() -> None:
        """Stand in for the command until it is called."""

    functools.update_wrapper(named, story, assigned=("__name__", "__doc__"), updated=())
    del named.__wrapped__  # type: ignore[attr-defined]
    command = story if isinstance(story, Command) else Command(story)
    app.command(name, cls=_late(command), context_settings=command.context_settings, **settings)(named)


def _write_panels(formatter: Any, members: Iterable[tuple[Any, str, tuple[str, str]]]) -> None:
    """Write names with their help by panel; each member has a default panel, and its name with its help."""
    panels = defaultdict[str, list[tuple[str, str]]](list)
    for member, panel, words in members:
        panels[getattr(member, "rich_help_panel", None) or panel].append(words)
    for panel, lines in panels.items():
        with formatter.section(panel):
            formatter.write_dl(lines)


def _help_of(parameter: Any, ctx: Any) -> tuple[Any, str, tuple[str, str]]:
    """Return a parameter, its default panel, and its name with its help."""
    name, words = parameter.get_help_record(ctx)
    if parameter.param_type_name == "argument":
        return parameter, "Arguments", (_placeholder(parameter), words.removesuffix("[required]"))
    return parameter, "Options", (name, words)


def _placeholder(argument: Any) -> str:
    name = argument.metavar or argument.name.upper()
    return name if argument.required else f"[{name}]"


class Commands(TyperGroup):
    """A group whose help lists each command with its whole description."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Write the commands by panel."""
        _write_panels(formatter, [(each, "Commands", (name, str(each.help))) for name, each in self.commands.items()])


def _late(story: Command) -> type[TyperCommand]:
    """Return a command class that computes its parameters on demand."""

    class Late(TyperCommand):
        _is_made = False

        def parse_args(self, ctx: Any, args: list[str]) -> Any:
            """Refuse an empty path, such as an unset shell variable: it would mean the current folder."""
            paths = _path_options(story)
            for before, word in zip(["", *args], args, strict=False):
                if word in {f"{name}=" for name in paths} or (not word and (before in paths or before[:1] != "-")):
                    raise SettingsError("a path is empty; give a file or a folder.")
            return super().parse_args(ctx, args)

        def get_params(self, ctx: Any) -> Any:
            if not self._is_made:
                alone = typer.Typer(add_completion=False)
                alone.command()(story)
                made = get_command(alone)
                self.params, self.callback, self._is_made = made.params, made.callback, True
                self.help = "\n\n\b\nExamples:\n".join(filter(None, (self.help, story.words.get("examples"))))
            return super().get_params(ctx)

        def format_options(self, ctx: Any, formatter: Any) -> None:
            _write_panels(formatter, [_help_of(each, ctx) for each in self.get_params(ctx)])

        def collect_usage_pieces(self, ctx: Any) -> list[str]:
            known = self.get_params(ctx)
            return ["[OPTIONS]", *(_placeholder(each) for each in known if each.param_type_name == "argument")]

    return Late


def _path_options(story: Story) -> set[str]:
    found: set[str] = set()
    for name, parameter in inspect.signature(story, eval_str=True).parameters.items():
        if "Path" in str(parameter.annotation):
            items = [each for each in getattr(parameter.annotation, "__metadata__", ()) if hasattr(each, "param_decls")]
            found.update(items[0].param_decls if items and items[0].param_decls else (f"--{name.replace('_', '-')}",))
    return found


def option(metavar: str | None = None, *flags: str) -> Any:
    """Return an option with a value; without `flags`, it is named after its parameter."""
    return typer.Option(*flags, metavar=metavar)


flag = typer.Option  # return an option without a value


def argument(metavar: str | None = None) -> Any:
    """Return an argument."""
    return typer.Argument(metavar=metavar)


OutDir = Annotated[Path | None, argument()]
Out = Annotated[Path | None, option("OUT_DIR", "--out", "-o")]
TablesOnly = Annotated[bool, flag("--tables-only")]
Force = Annotated[bool, flag("--force")]
Kernel = Annotated[str | None, option()]
Quiet = Annotated[bool, flag("--quiet", "-q")]
Memory = Annotated[float | None, option("GB", "--memory")]
JUnit = Annotated[Path | None, option("FILE", "--junit")]
Markdown = Annotated[Path | None, option("FILE", "--markdown")]


def allow_memory(gigabytes: float | None) -> None:
    """Set the memory limit for this process and its workers; refuse a machine with less."""
    if gigabytes is not None:
        os.environ[allowance.VARIABLE] = str(gigabytes)
    allowance.allowed()
    prepare_for_limits()


URI = "--connection"

UNNAMED = {URI: "URI", "--without": "RATER"}
"""Options whose values can contain credentials or names, and what reports record instead."""


def asked(given: dict[str, Any], paths: list[Path]) -> tuple[Any, Path] | None:
    """Return the database query and the report folder, None without a query; remove credentials from `given`."""
    connection, query = given.get("connection"), given.get("query")
    if query is None:
        if connection is not None:
            raise SettingsError("--connection requires --query SQL.")
        return None
    from reportgen.settings import DataSettings
    from reportgen.sources.databases import Query, query_of

    if len(paths) != 1:
        raise SettingsError(f"--query: expected only the report folder, found {len(paths)} arguments.")
    if connection is not None:
        found: Query | None = Query(connection, query)
    else:
        found = query_of(DataSettings(query=query))
    given |= {"connection": found.connection if found else None}
    return found, paths[0]


@contextmanager
def naming(source: object, data: object) -> Iterator[None]:
    """Put a configuration's name and keys in errors about the data that it names."""
    try:
        yield
    except (InputError, SettingsError, TemplateError) as error:
        if data is source:
            raise
        from reportgen.settings.flags import as_keys

        error = error.about(str(source))
        error.args = (as_keys(str(error), sys.argv),)
        raise error from None


def command_line(flags: Collection[str] = (), valued: Collection[str] = ()) -> str:
    """Return the command line without connection URIs and names of excluded raters."""
    return shlex.join(command_words(flags, valued))


def command_words(flags: Collection[str] = (), valued: Collection[str] = ()) -> list[str]:
    """Return the words of the command line that reports record, without `flags` and `valued` options."""
    words, before = ["reportgen"], ""
    for word in sys.argv[1:]:
        name, equals, _ = word.partition("=")
        if before in UNNAMED:
            words.append(UNNAMED[before])
        elif name in UNNAMED and equals:
            words.append(f"{name}={UNNAMED[name]}")
        elif before not in valued and name not in (*flags, *valued):
            words.append(word)
        before = "" if before in UNNAMED or before in valued else word
    return words
