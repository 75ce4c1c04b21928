"""What reportgen does with finished runs, as functions: compare them, summarize them.

Each verb reads as its story, as in `reportgen.verbs`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from reportgen import sections, store
from reportgen.errors import SettingsError
from reportgen.output import staged
from reportgen.results import Evaluation, Report
from reportgen.runs import Asked, open_folders, read_comparison, read_summary, runs_of_columns
from reportgen.settings import Settings, as_seen_from
from reportgen.tables import write_tables
from reportgen.verbs import Outcome, provenance_of, section_results, write_pages

PEER_TABLES = "output"
"""Folder of the tables in the layout of rsmsummarize."""


@dataclass(frozen=True)
class Writing:
    """Where and how a report is written.

    Parameters
    ----------
    folder
        None computes and writes nothing.
    tables_only
        Write results.json and tables, and no pages.
    force
        Replace a report that is there.
    kernel
        Jupyter kernel that executes the notebook; None executes it in this process.
    command
        The command line, for the provenance section.
    """

    folder: Path | None = None
    tables_only: bool = False
    force: bool = False
    kernel: str | None = None
    command: str = ""


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
        Folders of finished runs; or one rsmcompare configuration; or, with `systems`, one data file or frame.
    settings
        Settings of the report; with `systems`, of the data too.
    systems
        Columns of system scores in the data.
    names
        What to call the runs, in order.

    Raises
    ------
    ReportgenError
        When a run, a setting or the output folder is not what it should be.
    """
    from reportgen.comparison.compare import compare_runs

    chosen = sections.load(settings.report.sections, settings.sections, "comparison")
    asked = _runs_to_compare(sources, settings, systems, names)
    evaluation = compare_runs(asked.runs, settings, _provenance(asked, settings, writing))
    evaluation = replace(evaluation, warnings=(*evaluation.warnings, *asked.notes))
    title = f"Comparison of {_listed([run.name for run in asked.runs])}"
    report = _report(evaluation, chosen, settings, writing, title, asked.description)
    return _write(report, settings, writing)


def summarize(sources: Sequence[Path], settings: Settings, writing: Writing, *, names: Sequence[str] = ()) -> Outcome:
    """Summarize any number of runs, and write the report.

    Parameters
    ----------
    sources
        Folders of finished runs, or one rsmsummarize configuration: then the tables of rsmsummarize
        are written too, into the folder ``output``.
    settings
        Settings of the report.
    names
        What to call the runs, in order.

    Raises
    ------
    ReportgenError
        When a run, a setting or the output folder is not what it should be.
    """
    from reportgen.comparison.summarize import summarize_runs

    chosen = sections.load(settings.report.sections, settings.sections, "summary")
    configured = _is_configuration(sources)
    asked = read_summary(sources[0]) if configured else _named_runs(sources, names)
    evaluation = summarize_runs(asked.runs, settings, _provenance(asked, settings, writing))
    evaluation = replace(evaluation, warnings=(*evaluation.warnings, *asked.notes))
    title = f"Summary of {len(asked.runs)} runs"
    report = _report(evaluation, chosen, settings, writing, title, asked.description)
    return _write(report, settings, writing, asked if configured else None)


def _runs_to_compare(sources: Sequence[Any], settings: Settings, systems: Sequence[str], names: Sequence[str]) -> Asked:
    """Return the runs that a comparison is about."""
    if systems:
        if len(sources) != 1:
            raise SettingsError(f"--system: expected one file of scores beside it, found {len(sources)} paths.")
        runs, notes = runs_of_columns(sources[0], systems, settings)
        return Asked("", "", tuple(_renamed(runs, names)), notes=notes)
    return read_comparison(sources[0]) if _is_configuration(sources) else _named_runs(sources, names)


def _named_runs(sources: Sequence[Path], names: Sequence[str]) -> Asked:
    return Asked("", "", tuple(open_folders([Path(source) for source in sources], names)))


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


def _provenance(asked: Asked, settings: Settings, writing: Writing) -> dict[str, Any]:
    """Return versions and command, and the scores of every run by their hash."""
    scores = {run.name: run.source.sha256 for run in asked.runs}
    return {**provenance_of(settings, writing.command), "scores": scores}


def _report(
    evaluation: Evaluation,
    chosen: list[sections.Found],
    settings: Settings,
    writing: Writing,
    title: str,
    description: str,
) -> Report:
    """Return the report: every section says its findings."""
    kept = as_seen_from(settings, writing.folder or Path()).model_dump(mode="json", exclude_none=True)
    evaluation = replace(evaluation, settings=kept)
    return Report(
        title=settings.report.title or title,
        description=settings.report.description or description,
        created=(settings.report.created or date.today()).isoformat(),
        evaluation=evaluation,
        sections=tuple(section_results(chosen, evaluation)),
    )


def _write(report: Report, settings: Settings, writing: Writing, peer: Asked | None = None) -> Outcome:
    """Write results, tables and pages, and the tables of rsmsummarize when it was its configuration."""
    failed = {section.name for section in report.sections if section.error}
    if writing.folder is None:
        return Outcome(report, None, None, tuple(sorted(failed)))
    with staged(writing.folder, writing.force) as stage:
        store.write(report, stage / "results.json")
        write_tables(report.evaluation.tables.values(), stage / "tables")
        if peer is not None:
            from reportgen.comparison.rsmsummarize import summary_tables
            from reportgen.rsmtool.write import write_tables as write_peer_tables

            write_peer_tables(summary_tables(peer.runs, peer.experiments), stage / PEER_TABLES, peer.id, peer.kind)
        if not writing.tables_only:
            failed |= write_pages(report, stage, settings, writing.kernel)
    return Outcome(report, writing.folder, None, tuple(sorted(failed)))


def _listed(names: Sequence[str], most: int = 3) -> str:
    """Return the names as a phrase; many are counted."""
    if len(names) > most:
        return f"{names[0]} with {len(names) - 1} other runs"
    return f"{', '.join(names[:-1])} and {names[-1]}"
