"""What reportgen does with finished runs, as functions: compare them, summarize them.

Each verb reads as its story, as in `reportgen.reports`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from reportgen import sections
from reportgen.errors import InputError, SettingsError
from reportgen.reports.batch_folder import reports_of
from reportgen.reports.single import Outcome, composed, look_of, provenance_of, write_files, written_report
from reportgen.results import Evaluation, ReportKind
from reportgen.rsmtool import tool_of_file
from reportgen.runs.configurations import (
    Asked,
    open_folder,
    open_folders,
    read_comparison,
    read_summary,
    refuse_same_names,
)
from reportgen.runs.model import Run
from reportgen.runs.ours import runs_of_columns
from reportgen.settings import (
    CONFIG_SUFFIXES,
    RunsSettings,
    Settings,
    load,
    override,
    stored,
)
from reportgen.storing import results_file
from reportgen.storing.report_folder import Writing, staged

PEER_TABLES = "output"
"""Folder of the tables in the layout of rsmsummarize."""


def compare(
    sources: Sequence[Any],
    settings: Settings,
    writing: Writing,
    *,
    systems: Sequence[str] = (),
    names: Sequence[str] = (),
) -> Outcome:
    """Compare runs with the first one, and write the report.

    Parameters
    ----------
    sources
        Folders of finished runs; or one configuration, ours or of rsmcompare; or, with `systems`, one data file
        or frame.
    settings
        Settings of the report; with `systems`, of the data too.
    systems
        Columns of system scores in the data.
    names
        What to call the runs, in order.
    """
    from reportgen.comparison.compare import compare_runs

    sources, settings = _opened(sources, settings, "comparison")
    systems, names = systems or settings.runs.systems, names or settings.runs.names
    look_of(settings).check()
    asked = _runs_to_compare(sources, settings, systems, names)
    settings = _spelled_out(settings, asked, RunsSettings(
        kind="comparison", sources=_paths(sources), systems=tuple(systems), names=tuple(names)
    ))  # fmt: skip
    chosen = sections.load(settings.report.sections, settings.sections, "comparison")
    evaluation = compare_runs(asked.runs, settings, _provenance(asked, settings, writing))
    evaluation = replace(evaluation, warnings=(*evaluation.warnings, *asked.notes))
    title = f"Comparison of {_listed([run.name for run in asked.runs])}"
    return _made(evaluation, chosen, settings, writing, asked, title)


def summarize(sources: Sequence[Path], settings: Settings, writing: Writing, *, names: Sequence[str] = ()) -> Outcome:
    """Summarize any number of runs, and write the report.

    Parameters
    ----------
    sources
        Folders of finished runs or of batches, or one configuration, ours or of rsmsummarize: with the latter the
        tables of rsmsummarize are written too, into the folder ``output``.
    settings
        Settings of the report.
    names
        What to call the runs, in order.
    """
    from reportgen.comparison.summarize import summarize_runs

    sources, settings = _opened(sources, settings, "summary")
    names = names or settings.runs.names
    look_of(settings).check()
    configured = _is_configuration(sources)
    asked = _of_configuration(read_summary(sources[0]), names) if configured else _with_batches(sources, names)
    asked_for = RunsSettings(kind="summary", sources=_paths(sources), names=tuple(names))
    settings = _spelled_out(settings, asked, asked_for)
    chosen = sections.load(settings.report.sections, settings.sections, "summary")
    evaluation = summarize_runs(asked.runs, settings, _provenance(asked, settings, writing))
    evaluation = replace(evaluation, warnings=(*evaluation.warnings, *asked.notes))
    if settings.report.sections is None and "summary.history" not in evaluation.tables:
        chosen = [each for each in chosen if each.section.name != "summarize_history"]
    title = f"Summary of {len(asked.runs)} runs"
    return _made(evaluation, chosen, settings, writing, asked, title, peer_tables=configured)


def _opened(sources: Sequence[Any], settings: Settings, kind: ReportKind) -> tuple[Sequence[Any], Settings]:
    """Return the sources that a configuration of ours names, and its settings with `settings` winning over it."""
    if len(sources) != 1 or not _is_own_configuration(sources[0]):
        return sources, settings
    source, kept = sources[0], load(sources[0])
    if kept.runs.kind != kind or not kept.runs.sources:
        commands = {"comparison": "compare", "summary": "summarize"}
        other = commands.get(kept.runs.kind or "", "evaluate")
        if other != commands[kind]:
            raise SettingsError(f"{source}: this configures another report; type: reportgen {other} {source} OUT_DIR")
        raise SettingsError(f'{source}: names no runs; add sources = ["run", "other_run"] under [runs].')
    given = settings.model_dump(exclude_unset=True)
    keywords = {key: value for table in ("data", "report") for key, value in given.get(table, {}).items()}
    return kept.runs.sources, override(kept, **keywords)


def _is_own_configuration(source: Any) -> bool:
    """Return whether a source is a configuration of ours, not of RSMTool, and no results.json."""
    if not isinstance(source, str | Path):
        return False
    path = Path(source)
    if path.suffix.lower() not in CONFIG_SUFFIXES or path.name.endswith("results.json"):
        return False
    return path.suffix.lower() != ".json" or tool_of_file(path) is None


def _runs_to_compare(sources: Sequence[Any], settings: Settings, systems: Sequence[str], names: Sequence[str]) -> Asked:
    """Return the runs that a comparison is about."""
    if systems:
        if len(sources) != 1:
            raise SettingsError(f"--system: expected one file of scores beside it, found {len(sources)} paths.")
        runs, notes = runs_of_columns(sources[0], systems, settings)
        return Asked("", "", tuple(_renamed(runs, names)), notes=notes)
    if _is_configuration(sources):
        return _of_configuration(read_comparison(sources[0]), names)
    return Asked("", "", tuple(open_folders([Path(source) for source in sources], names)))


def _of_configuration(asked: Asked, names: Sequence[str]) -> Asked:
    """Return what a configuration asks for, the runs under other names where these are given."""
    return replace(asked, runs=tuple(_renamed(list(asked.runs), names)), rows=tuple(names) or asked.rows)


def _with_batches(sources: Sequence[Path], names: Sequence[str]) -> Asked:
    """Return the runs in some folders, of that of a batch all that it made, called by what they are about."""
    runs: list[Run] = []
    notes = []
    batches = [(Path(source), reports_of(Path(source))) for source in sources]
    for source, batch in batches:
        if batch is None:
            runs += open_folder(source)
            continue
        before = f"{source.resolve().name}: " if len(batches) > 1 else ""
        for folder, name in zip(batch.folders, batch.names, strict=True):
            runs += [run.named(f"{before}{name}") for run in open_folder(folder)]
        if batch.missing:
            notes.append(f"Reports that the batch in '{source.name}' could not make: {batch.missing}.")
    runs = _renamed(runs, names)
    refuse_same_names(runs)
    return Asked("", "", tuple(runs), notes=tuple(notes))


def _renamed(runs: list[Any], names: Sequence[str]) -> list[Any]:
    if names and len(names) != len(runs):
        raise SettingsError(f"--name: expected a name for each of {len(runs)} runs, found {len(names)}.")
    return [run.named(name) for run, name in zip(runs, names, strict=True)] if names else runs


def _is_configuration(sources: Sequence[Any]) -> bool:
    """Return whether the one source is a configuration, not the folder or results.json of a run."""
    if len(sources) != 1 or not isinstance(sources[0], str | Path):
        return False
    path = Path(sources[0])
    return path.is_file() and path.suffix.lower() == ".json" and path.name != "results.json"


def _paths(sources: Sequence[Any]) -> tuple[Path, ...]:
    """Return the sources that are paths; a frame cannot be named in a configuration."""
    return tuple(Path(source) for source in sources if isinstance(source, str | Path))


def _spelled_out(settings: Settings, asked: Asked, runs: RunsSettings) -> Settings:
    """Return the settings with the runs, and with what a configuration of RSMTool says and they leave open."""
    wanted: dict[str, Any] = {}
    if asked.sections is not None and settings.report.sections is None:
        wanted["sections"] = asked.sections
    return override(settings, **wanted).model_copy(update={"runs": runs})


def _provenance(asked: Asked, settings: Settings, writing: Writing) -> dict[str, Any]:
    """Return versions and command, and the scores of every run by their hash."""
    scores = {run.name: run.source.sha256 for run in asked.runs}
    return {**provenance_of(settings, writing.command), "scores": scores}


def _made(
    evaluation: Evaluation,
    chosen: list[sections.Found],
    settings: Settings,
    writing: Writing,
    asked: Asked,
    title: str,
    *,
    peer_tables: bool = False,
) -> Outcome:
    """Return the report, written: results, tables, settings and pages, and the tables of rsmsummarize if wanted."""
    evaluation = replace(evaluation, settings=stored(settings))
    description = settings.report.description or asked.description
    if writing.folder is None:
        return written_report(composed(evaluation, chosen, settings, title, description=description), settings, writing)
    with staged(writing.folder, writing.force) as stage:
        if peer_tables:
            from reportgen.comparison.rsmsummarize import summary_tables
            from reportgen.rsmtool.write import write_tables

            rows = summary_tables(asked.rows, asked.runs, asked.experiments)
            write_tables(rows, stage / PEER_TABLES, asked.id, asked.kind)
        if not writing.tables_only:
            chosen = _with_notebooks(chosen, asked, stage, writing.kernel)
        report = composed(evaluation, chosen, settings, title, description=description)
        failed = write_files(report, stage, settings, writing, chosen=chosen, config=True)
    return Outcome(report, writing.folder, None, failed)


def _with_notebooks(
    chosen: list[sections.Found], asked: Asked, stage: Path, kernel: str | None
) -> list[sections.Found]:
    """Return the sections with the custom notebooks of a configuration, executed, in their places."""
    if not any(isinstance(entry, Path) for entry in asked.order):
        return chosen
    from reportgen.rsmtool import with_notebooks
    from reportgen.rsmtool.run import defining

    names = {**asked.names, "output_dir": str((stage / PEER_TABLES).resolve())} if asked.experiments else asked.names
    return with_notebooks(chosen, asked.order, defining(names), stage, kernel)


def _listed(names: Sequence[str], most: int = 3) -> str:
    """Return the names as a phrase; many are counted."""
    if len(names) > most:
        return f"{names[0]} with {len(names) - 1} other runs"
    return f"{', '.join(names[:-1])} and {names[-1]}"


class PairedSystems(NamedTuple):
    """The systems that all of some runs hold, and those that only some do.

    Parameters
    ----------
    folders
        System -> the folder of its report in each run.
    left_out
        Systems that another run lacks.
    """

    folders: dict[str, list[Path]]
    left_out: tuple[str, ...] = ()


def paired_systems(runs: Sequence[Path]) -> PairedSystems:
    """Return the reports of each system in runs that hold several; nothing where one of the runs does not."""
    if len(runs) < 2 or not all((run / "results.json").is_file() for run in runs):
        return PairedSystems({})
    found = []
    for run in runs:
        evaluation = results_file.read(run / "results.json").evaluation
        if not evaluation.facts.get("of_systems"):
            return PairedSystems({})
        *systems, _ = evaluation.facts["parts"]  # the last is their comparison
        found.append({str(name): run / str(folder) for name, folder in systems})
    shared = [name for name in found[0] if all(name in each for each in found)]
    if not shared:
        raise InputError(
            "the runs share no system by name; name the folders of the systems to compare, as in RUN/SYSTEM."
        )
    left_out = sorted({name for each in found for name in each} - set(shared))
    return PairedSystems({name: [each[name] for each in found] for name in shared}, tuple(left_out))
