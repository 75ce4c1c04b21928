"""The commands on finished runs: compare and summarize."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from reportgen.cli.commands import with_settings
from reportgen.cli.options import Force, Kernel, Memory, Out, Quiet, TablesOnly, allow_memory
from reportgen.cli.sources import command_line, is_configuration
from reportgen.errors import SettingsError

Names = Annotated[
    list[str] | None, typer.Option("--name", metavar="NAME", help="Name to show for a run. Repeat in order.")
]

OF_SCORES = {
    "human": "--human",
    "groups": "--group",
    "id": "--id",
    "labels_file": "--labels-file",
    "labels_id": "--labels-id",
    "scale": "--scale",
}
"""Settings of a file of scores, and their options."""


@with_settings(
    *OF_SCORES, "report",
    human="With --system: human score column. Repeatable.",
    groups="With --system: group column. Repeatable.",
    id="With --system: response ID column.",
    labels_file="With --system: file of human scores, joined by ID.",
    labels_id="With --system: ID column in that file.",
    scale="With --system: score scale, such as 1:6.",
)  # fmt: skip
def compare(
    sources: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN RUN...",
            help="Folders of finished runs; or a configuration (ours or of rsmcompare) and OUT_DIR; or, with --system, "
            "a file of scores.",
        ),
    ],
    given: dict[str, Any],
    out: Out = None,
    name: Names = None,
    system: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Engine in one file, or a pattern. Repeatable; the first is the baseline."),
    ] = None,
    tables_only: TablesOnly = False,
    force: Force = False,
    kernel: Kernel = None,
    memory: Memory = None,
    quiet: Quiet = False,
) -> None:
    """Compare engines or versions: changes from the first run, with intervals."""
    allow_memory(memory)
    from reportgen.cli.printing import printable
    from reportgen.verbs import runs
    from reportgen.verbs.paired_systems import PairedSystems, paired_systems
    from reportgen.wording.folder_names import folder_names

    if not system:
        _refuse_without_system(given)
    places = _places(sources, out, "comparison_report", one=bool(system))
    asked = {"systems": system or (), "names": name or ()}
    options: dict[str, Any] = {"tables_only": tables_only, "force": force, "kernel": kernel, "quiet": quiet}
    paired = PairedSystems({}) if system else paired_systems(places[0])
    if not paired.folders:
        _make(runs.compare, places, asked, given, **options)
        return
    called = folder_names(list(paired.folders), "system", ())
    asked["names"] = name or folder_names([source.resolve().name for source in places[0]], "run", ())
    for folders, place in zip(paired.folders.values(), called, strict=True):
        _make(runs.compare, (folders, places[1] / place), asked, given, **options)
    if paired.left_out and not quiet:
        typer.echo(f"not compared  {', '.join(map(printable, paired.left_out))} (not in every run)")


@with_settings("report")
def summarize(
    sources: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN...",
            help="Folders of finished runs or batches; or a configuration (ours or of rsmsummarize) and OUT_DIR.",
        ),
    ],
    given: dict[str, Any],
    out: Out = None,
    name: Names = None,
    tables_only: TablesOnly = False,
    force: Force = False,
    kernel: Kernel = None,
    memory: Memory = None,
    quiet: Quiet = False,
) -> None:
    """Summarize any number of runs: tables, ranks, groups, and history."""
    allow_memory(memory)
    from reportgen.verbs import runs

    places, asked = _places(sources, out, "summary_report"), {"names": name or ()}
    _make(runs.summarize, places, asked, given, tables_only=tables_only, force=force, kernel=kernel, quiet=quiet)


def _places(sources: list[Path], out: Path | None, default: str, *, one: bool = False) -> tuple[list[Path], Path]:
    """Return the sources and the folder of the report, which may follow a configuration or a file of scores."""
    first = sources[0]
    alone = one or (is_configuration(first) and first.name != "results.json")
    if alone and len(sources) == 2 and out is None:
        return sources[:1], sources[1]
    if alone and len(sources) > 1:
        raise SettingsError(f"'{sources[-1]}': beside '{first}' expected one folder for the report.")
    return sources, out or Path(default)


def _refuse_without_system(given: dict[str, Any]) -> None:
    """Raise when an option about a file of scores is given without its columns."""
    option = next((option for key, option in OF_SCORES.items() if key in given), None)
    if option is not None:
        raise SettingsError(f"{option} is about a file of scores; name its columns with --system, twice or more.")


def _make(
    verb: Any,
    places: tuple[list[Path], Path],
    asked: dict[str, Any],
    given: dict[str, Any],
    *,
    quiet: bool,
    **options: Any,
) -> None:
    """Run a verb, say what was found and where its report is, and leave with an error when a section failed."""
    from reportgen.cli.messages import say_headline, say_written
    from reportgen.settings import from_keywords
    from reportgen.storing import report_folder
    from reportgen.storing.writing import Writing

    sources, folder = places
    report_folder.check(folder, options["force"])
    settings = from_keywords(**given)
    outcome = verb(sources, settings, Writing(folder, command=command_line(), **options), **asked)
    if not quiet:
        say_headline(outcome.report)
        say_written(folder)
    outcome.raise_failures()
