"""The pages of a report, and how they are to look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen import sections
from reportgen.reports.citing import cite
from reportgen.results import Report
from reportgen.settings import Settings
from reportgen.storing.report_folder import REFERENCES

if TYPE_CHECKING:
    from reportgen.rendering import Look


def write_pages(
    report: Report,
    folder: Path,
    settings: Settings,
    kernel: str | None,
    prefix: str = "",
    *,
    chosen: Sequence[sections.Found] = (),
    attach: bool = False,
    above: bool = False,
) -> set[str]:
    """Write notebook, pages and references, named with `prefix` before; return the sections that failed in showing.

    `chosen` are the sections of this run: those that the user named by their file bring their templates.  `attach` puts
    results.json into the PDF, as an attached file.  `above` says that what reports share stands in the folder around.
    """
    from reportgen.rendering import render

    look = replace(
        look_of(settings), above=above, sections={each.section.name: each.file for each in chosen if each.file}
    )
    rendered = render(
        report, folder, formats=settings.report.formats, look=look, kernel=kernel, prefix=prefix, attach=attach
    )
    for name, text in zip(REFERENCES, (cite(report, "bibtex"), cite(report, "csl")), strict=True):
        (folder / f"{prefix}{name}").write_text(text, encoding="utf-8")
    return set(rendered.failed_sections)


def write_shared(folder: Path, settings: Settings) -> None:
    """Write into a folder what the pages of the reports in it share, where they share anything."""
    from reportgen.rendering.look import write_library

    look = look_of(settings)
    if look.library and "html" in settings.report.formats:
        write_library(look, folder)


def look_of(settings: Settings) -> Look:
    """Return how a report is to look."""
    from reportgen.charts.theme import Colours
    from reportgen.rendering.look import Look

    return Look(
        templates=settings.report.templates,
        logo=settings.report.logo,
        colours=Colours(**settings.report.colours.model_dump(exclude_none=True)),
        page=settings.report.page,
        docx_template=settings.report.docx_template,
        plotly=settings.report.plotly if settings.report.interactive else "none",
    )
