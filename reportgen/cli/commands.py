"""How commands are made, the options that several share, and what a command line names as the source of scores."""

from __future__ import annotations

import functools
import inspect
import os
import shlex
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

import typer
from typer.core import TyperCommand
from typer.main import get_command

from reportgen.errors import SettingsError
from reportgen.machine import memory as allowance
from reportgen.machine.memory import prepare_for_limits
from reportgen.machine.signals import Stopped

Story = Callable[..., None]

KEYWORD_ONLY = inspect.Parameter.KEYWORD_ONLY

GIVEN = "given"
"""The parameter of a command that takes the settings of the command line, by keyword."""


class Command:
    """A command: whatever happens, it says one sentence and an exit code.

    One that takes settings has an option for each, and one for the memory that it may take.

    story: What the command does; its own parameters are options, too, and ``given`` holds the settings.
    taken: Tables of settings, or keywords of single ones; None for a command that only lists or copies.
    without: Keywords that are not taken of these tables.
    said: What the help says of a setting here, by keyword, where it is not what the setting says of itself.
    """

    def __init__(
        self,
        story: Story,
        taken: Sequence[str] | None = None,
        without: Sequence[str] = (),
        said: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        functools.update_wrapper(self, story)
        self._story, self._taken, self._without, self._said = story, taken, without, said

    @property
    def context_settings(self) -> dict[str, Any]:
        """A command that takes the context reads the options that it does not know, and --help, by itself."""
        takes = "context" in inspect.signature(self._story).parameters
        return {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []} if takes else {}

    @property
    def __signature__(self) -> inspect.Signature:
        """The parameters of the story and of the options; asked for late, since settings take time to import."""
        own = inspect.signature(self._story, eval_str=True).parameters
        kept = [each.replace(kind=KEYWORD_ONLY) for each in own.values() if each.name != GIVEN]
        if self._taken is not None:
            place = next((place for place, each in enumerate(kept) if each.name == "quiet"), len(kept))
            kept.insert(place, inspect.Parameter("memory", KEYWORD_ONLY, default=None, annotation=Memory))
        if GIVEN in own:
            from reportgen.cli.settings_options import parameters

            kept += parameters(self._taken or (), self._without, self._said)
        return inspect.Signature(kept)

    def __call__(self, **options: Any) -> None:
        """Tell the story with the options of a command line."""
        try:
            if self._taken is not None:
                allow_memory(options.pop("memory", None))
            self._story(**self._arguments(options))
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
            from reportgen.cli.printing import say_failure

            raise typer.Exit(say_failure(error)) from None

    def _arguments(self, options: dict[str, Any]) -> dict[str, Any]:
        own = inspect.signature(self._story).parameters
        if GIVEN not in own:
            return options
        from reportgen.cli.settings_options import given

        settings = given({key: value for key, value in options.items() if key not in own})
        return {**{key: value for key, value in options.items() if key in own}, GIVEN: settings}


def with_settings(*taken: str, without: Sequence[str] = (), **said: str) -> Callable[[Story], Story]:
    """Return a decorator that gives a command the options of tables of settings, or of single ones."""
    return lambda story: Command(story, taken, without, said)


def add(app: typer.Typer, story: Story, name: str | None = None, **settings: Any) -> None:
    """Add a command to an application; its parameters are looked at when it is asked for."""

    def named() -> None:
        """Stand for the command until then."""

    functools.update_wrapper(named, story, assigned=("__name__", "__doc__"), updated=())
    del named.__wrapped__  # type: ignore[attr-defined]
    command = story if isinstance(story, Command) else Command(story)
    app.command(name, cls=_late(command), context_settings=command.context_settings, **settings)(named)


def _late(story: Story) -> type[TyperCommand]:
    """Return the class of a command that is made of its function when it is asked for."""

    class Late(TyperCommand):
        """A command whose parameters are not known yet."""

        _is_made = False

        def parse_args(self, ctx: Any, args: list[str]) -> Any:
            """Refuse an empty path, which would be the current folder: a variable of the shell that is not set."""
            paths = _path_options(story)
            for before, word in zip(["", *args], args, strict=False):
                if word in {f"{name}=" for name in paths} or (not word and (before in paths or before[:1] != "-")):
                    raise SettingsError("a path is empty; name a file or a folder.")
            return super().parse_args(ctx, args)

        def get_params(self, ctx: Any) -> Any:
            """Return the parameters."""
            if not self._is_made:
                alone = typer.Typer(add_completion=False)
                alone.command()(story)
                made = get_command(alone)
                self.params, self.callback, self._is_made = made.params, made.callback, True
            return super().get_params(ctx)

    return Late


def _path_options(story: Story) -> set[str]:
    """Return the options of a command that name files and folders."""
    found: set[str] = set()
    for name, parameter in inspect.signature(story, eval_str=True).parameters.items():
        if "Path" in str(parameter.annotation):
            said = [each for each in getattr(parameter.annotation, "__metadata__", ()) if hasattr(each, "param_decls")]
            found.update(said[0].param_decls if said and said[0].param_decls else (f"--{name.replace('_', '-')}",))
    return found


def option(metavar: str | None, words: str, *flags: str) -> Any:
    """Return an option with a value, which `metavar` stands for; its name is that of its parameter without `flags`."""
    return typer.Option(*flags, metavar=metavar, help=words)


def flag(words: str, *flags: str) -> Any:
    """Return an option without a value."""
    return typer.Option(*flags, help=words)


def argument(metavar: str | None, words: str) -> Any:
    """Return an argument, which `metavar` stands for, its parameter when left out."""
    return typer.Argument(metavar=metavar, help=words)


OutDir = Annotated[Path | None, argument(None, "Folder for the report. Default: <input>_report.")]
Out = Annotated[Path | None, option("OUT_DIR", "Folder for the report.", "--out", "-o")]
TablesOnly = Annotated[bool, flag("Write tables and results.json only.", "--tables-only")]
Force = Annotated[bool, flag("Overwrite an existing report. Other files stay.", "--force")]
Kernel = Annotated[str | None, option(None, "Jupyter kernel that runs the notebook.")]
Quiet = Annotated[bool, flag("Print only errors.", "--quiet", "-q")]
Memory = Annotated[float | None, option("GB", "Memory limit per process, in gigabytes.", "--memory")]
JUnit = Annotated[Path | None, option("FILE", "Write the verdict as JUnit XML.", "--junit")]
Markdown = Annotated[Path | None, option("FILE", "Write the verdict as Markdown.", "--markdown")]


def allow_memory(gigabytes: float | None) -> None:
    """Let this run, and the processes that it begins, take so much memory; refuse a machine that allows too little."""
    if gigabytes is not None:
        os.environ[allowance.VARIABLE] = str(gigabytes)
    allowance.allowed()
    prepare_for_limits()


URI = "--connection"
"""The option whose value may hold credentials."""

UNNAMED = {URI: "URI", "--without": "RATER"}
"""Options whose values may hold credentials, or names of persons -> what stands for them."""


def asked(given: dict[str, Any], paths: list[Path]) -> tuple[Any, Path] | None:
    """Return the query to a database and where the report goes; None when no query is given.

    given: The settings of the command line; the URI of a database loses its credentials there.
    """
    connection, query = given.get("connection"), given.get("query")
    if query is None:
        if connection is not None:
            raise SettingsError("--connection: ask something of the database with --query SQL.")
        return None
    from reportgen.settings import DataSettings
    from reportgen.sources.databases import Query, query_of

    if len(paths) != 1:
        raise SettingsError(f"--query: expected one folder for the report beside it, found {len(paths)} paths.")
    if connection is not None:
        found: Query | None = Query(connection, query)
    else:
        found = query_of(DataSettings(query=query))
    given |= {"connection": found.connection if found else None}
    return found, paths[0]


def is_configuration(path: Path) -> bool:
    """Return whether a path ends like a configuration's."""
    from reportgen.settings import CONFIG_SUFFIXES

    return path.suffix.lower() in CONFIG_SUFFIXES


def command_line(flags: Collection[str] = (), valued: Collection[str] = ()) -> str:
    """Return the command line as reports record it: neither URIs nor raters who are excluded."""
    return shlex.join(command_words(flags, valued))


def command_words(flags: Collection[str] = (), valued: Collection[str] = ()) -> list[str]:
    """Return the words of the command line as reports record it.

    flags, valued: Options without and with a value that change nothing in a report, and are left out.
    """
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
