"""The pages of a stored report again, without its scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from reportgen import sections
from reportgen.errors import SectionError, SettingsError
from reportgen.reports.outcome import Outcome
from reportgen.reports.pages import write_pages
from reportgen.results import Report
from reportgen.settings import Settings, from_stored, is_path, override
from reportgen.storing import results_file
from reportgen.storing.report_folder import staged

LOOKS = ("formats", "colours", "page", "interactive", "plotly")
"""What is followed of how a stored report looks."""


def render_report(
    report: Report, folder: Path, settings: Settings, *, force: bool = False, kernel: str | None = None
) -> Outcome:
    """Make the pages of a report again, without its scores.

    Parameters
    ----------
    report
        What is stored.
    folder
        Where to write the pages.
    settings
        Those of ``report`` that are set (language, formats, colours, page, interactive, plotly) replace the ones of the
        first run; templates, logo and sections are followed where they are named here, and nowhere else.  A section is
        the file of one whose template shows what is stored of it.
    """
    if "language" in settings.report.model_fields_set:
        report = replace(report, language=settings.report.language)
    chosen = _named_by_file(settings)
    wanted = settings.report.model_dump(exclude_unset=True, exclude={"sections"})
    settings = override(stored_look(report), **wanted)
    with staged(folder, force) as stage:
        results_file.write(report, stage / "results.json")
        packet = any(section.name.startswith("packet_") for section in report.sections)
        failed = write_pages(report, stage, settings, kernel, chosen=chosen, attach=packet)
    return Outcome(report, folder, None, tuple(sorted(failed)))


def stored_look(report: Report) -> Settings:
    """Return how a stored report looks: values, and nothing that leads to a file."""
    stored = report.evaluation.settings.get("report")
    kept = {key: stored[key] for key in LOOKS if key in stored} if isinstance(stored, Mapping) else {}
    return from_stored({"report": kept})


def _named_by_file(settings: Settings) -> list[sections.Found]:
    """Return the sections whose files are named by the one who renders."""
    named = settings.report.sections or ()
    for name in named:
        if not is_path(name):
            raise SettingsError(
                f"--sections: '{name}' is no file; a stored report has its sections, name the file of one to show it "
                "with its template."
            )
    chosen = sections.load(named, {})
    for each in chosen:
        if each.error:
            raise SectionError(each.error)
    return chosen
