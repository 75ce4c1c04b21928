"""What reportgen does, as functions: evaluate scores, render a stored report, load one.

Each verb reads as its story; the command line and the Python API call the same ones.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from reportgen import sections, store
from reportgen.errors import ReportgenError, SettingsError
from reportgen.output import staged
from reportgen.results import Evaluation, Findings, Report, SectionResult
from reportgen.scores import ScoreTable, read, resolved
from reportgen.settings import Settings, as_seen_from, from_stored, override, write_config
from reportgen.tables import write_tables

VERSIONS = ("reportgen", "numpy", "scipy", "pyarrow", "jinja2", "nbconvert", "plotly", "matplotlib", "weasyprint")
"""Distributions whose versions can change a number or a page."""


@dataclass(frozen=True)
class Outcome:
    """What a run made.

    Parameters
    ----------
    report
        Everything the pages say.
    folder
        Where they are; None when nothing was written.
    scores
        The prepared scores, for what is said aloud in the terminal; None after `render`.
    failed_sections
        Sections that could not be made or shown; their place in the report says what went wrong.
    """

    report: Report
    folder: Path | None = None
    scores: ScoreTable | None = None
    failed_sections: tuple[str, ...] = ()


def evaluate(
    source: Any,
    folder: Path | None,
    settings: Settings,
    *,
    tables_only: bool = False,
    force: bool = False,
    kernel: str | None = None,
    command: str = "",
) -> Outcome:
    """Read scores, evaluate them, and write the report.

    Parameters
    ----------
    source
        Path of a data file, or a frame.
    folder
        Where to write; None computes and writes nothing.
    settings
        Resolved settings.
    tables_only
        Write results.json, tables and config.toml, and no pages.
    force
        Replace a report that is there.
    kernel
        Jupyter kernel that executes the notebook; None executes it in this process.
    command
        The command line, for the provenance section.

    Raises
    ------
    ReportgenError
        When the input, a setting or the output folder is not what it should be.
    """
    chosen = sections.load(settings.report.sections, settings.sections)
    scores = read(source, settings)
    spelled_out = resolved(settings, scores, source if isinstance(source, str | Path) else None)
    report = make_report(scores, spelled_out, chosen, command, folder or Path())
    failed = {section.name for section in report.sections if section.error}
    if folder is None:
        return Outcome(report, None, scores, tuple(sorted(failed)))
    with staged(folder, force) as stage:
        store.write(report, stage / "results.json")
        write_tables(report.evaluation.tables.values(), stage / "tables")
        write_config(spelled_out, stage / "config.toml", folder)
        if not tables_only:
            failed |= _pages(report, stage, settings, kernel)
    return Outcome(report, folder, scores, tuple(sorted(failed)))


def make_report(
    scores: ScoreTable, settings: Settings, chosen: list[sections.Found], command: str, folder: Path
) -> Report:
    """Return the report of prepared scores: evaluate once, then let every section say its findings.

    The settings it keeps have their paths relative to `folder`, where results.json will be.
    """
    from reportgen.evaluation import evaluate as evaluate_scores

    # the path of the data stays in config.toml: results travel, and name their source by its hash
    kept = as_seen_from(settings, folder).model_dump(mode="json", exclude_none=True, exclude={"data": {"file"}})
    evaluation = replace(evaluate_scores(scores, settings, _provenance(settings, command)), settings=kept)
    system = scores.columns("system")
    return Report(
        title=settings.report.title or f"Evaluation of {system[0]} scores in {scores.source.name}",
        description=settings.report.description,
        created=(settings.report.created or date.today()).isoformat(),
        evaluation=evaluation,
        sections=tuple(_section_results(chosen, evaluation)),
    )


def _section_results(chosen: list[sections.Found], evaluation: Evaluation) -> list[SectionResult]:
    """Return what every section found; one that fails says so in its place and stops no other."""
    results = []
    for found in chosen:
        section = found.section
        if sections.unmet_need(section, evaluation):
            continue
        findings, error = Findings(), ""
        try:
            findings = section.findings(evaluation)
        except Exception as problem:  # noqa: BLE001 - a section is anyone's code; its failure is reported on its page
            error = f"{type(problem).__name__}: {problem}"
        options = {name: getattr(section, name) for name in getattr(section, "__dataclass_fields__", {})}
        results.append(SectionResult(section.name, section.title, found.provider, options, findings, error))
    return results


def _pages(report: Report, folder: Path, settings: Settings, kernel: str | None) -> set[str]:
    """Write notebook, HTML and PDF; return the sections that failed while they were shown."""
    from reportgen.charts.theme import Colours
    from reportgen.rendering import Look, render

    look = Look(
        templates=settings.report.templates,
        logo=settings.report.logo,
        colours=Colours(**settings.report.colours.model_dump(exclude_none=True)),
        page=settings.report.page,
        interactive=settings.report.interactive,
    )
    return set(render(report, folder, formats=settings.report.formats, look=look, kernel=kernel).failed_sections)


def render_report(
    path: Path, folder: Path, settings: Settings, *, force: bool = False, kernel: str | None = None
) -> Outcome:
    """Make the pages of a stored report again, without its scores.

    Parameters
    ----------
    path
        A results.json.
    folder
        Where to write the pages.
    settings
        Those of ``report`` that are set (formats, templates, logo, colours, page, interactive) replace
        the ones of the first run.
    """
    report = store.read(path)
    look = {"report": report.evaluation.settings.get("report", {})}
    settings = override(from_stored(look, path.parent), **settings.report.model_dump(exclude_unset=True))
    with staged(folder, force) as stage:
        store.write(report, stage / "results.json")
        failed = _pages(report, stage, settings, kernel)
    return Outcome(report, folder, None, tuple(sorted(failed)))


def _provenance(settings: Settings, command: str) -> dict[str, Any]:
    """Return versions, seed and command."""
    versions = {"python": platform.python_version()} | {name: _version(name) for name in VERSIONS}
    return {"versions": versions, "seed": settings.statistics.seed, "command": command}


def _version(name: str) -> str:
    """Return the version of an installed distribution."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def load(path: str | Path) -> Report:
    """Return the report stored in a results.json or in the folder that holds one."""
    path = Path(path)
    return store.read(path / "results.json" if path.is_dir() else path)


def settings_of(keywords: Mapping[str, Any]) -> Settings:
    """Return settings from flat keywords; unknown ones are refused with the nearest right one."""
    from reportgen.settings import from_keywords

    try:
        return from_keywords(**keywords)
    except ReportgenError:
        raise
    except TypeError as error:
        raise SettingsError(str(error)) from error
