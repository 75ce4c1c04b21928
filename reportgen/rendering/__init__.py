"""From a stored report to its pages: sections, a templated notebook, HTML and PDF.

Nothing here computes: numbers arrive finished in a `Report`, and are only said.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from reportgen.errors import SettingsError, did_you_mean
from reportgen.rendering.look import Look, look_of
from reportgen.results import Report

__all__ = ["FORMATS", "Look", "check", "look_of", "page_of", "render"]

FORMATS = ("html", "pdf", "docx", "brief")
"""Pages that can be made; the brief is the first pages of the PDF alone, as brief.pdf."""

USUAL = ("html", "pdf")  # the pages `render` can make; the executed notebook is always written


def render(
    report: Report,
    folder: Path,
    *,
    formats: Iterable[str] = USUAL,
    look: Look | None = None,
    kernel: str | None = None,
    prefix: str = "",
    attach: bool = False,
) -> tuple[str, ...]:
    """Write report.ipynb (executed), report.html, report.pdf and report.docx into `folder`, as asked.

    Return the names of the sections that could not be shown as they should.

    The same report gives the same bytes, whenever and wherever it is rendered with the same versions.  A section that
    failed is shown as a box that says so; the pages are written all the same.

    folder: An existing folder; results.json is written there unless it is there, because the notebook reads it.
    kernel: Name of a Jupyter kernel that runs the notebook; left out, one of this Python runs it if a template has a
        cell with code of its own.
    prefix: What the name of every file begins with, results.json included.
    attach: Put results.json into the PDF as an attached file, which makes it PDF/A-3 as well.
    Raises TemplateError: A template cannot be found, read or filled; the message names file and line.
    Raises SettingsError: A format or the kernel is unknown, the logo cannot be read, or a package is missing.
    """
    from reportgen.rendering import execution, notebook, page
    from reportgen.rendering.look import write_library
    from reportgen.rendering.templates import Templates
    from reportgen.storing import results_file

    look, wanted = look or Look(), tuple(formats)
    for name in wanted:
        if name not in FORMATS:
            raise SettingsError(f"formats: unknown format {name!r}{did_you_mean(name, FORMATS)}")
    check(look, wanted)
    templates = Templates(report, look)
    results = folder / f"{prefix}results.json"
    cells = notebook.build(templates, results.name)
    if not results.exists():
        results_file.write(report, results)
    setup = notebook.setup(look, results.name, Path.cwd())
    execution.run(cells, templates, folder, kernel, setup)
    failed = execution.failed_sections(cells, report)
    notebook.write(cells, folder / f"{prefix}report.ipynb")
    if "html" in wanted:
        pdf = f"{prefix}report.pdf" if "pdf" in wanted else ""
        with (folder / f"{prefix}report.html").open("wb") as file:
            file.writelines(page.screen(cells, templates, pdf))
        if look.library and not look.above:
            write_library(look, folder)
    if "pdf" in wanted:
        page.write_pdf(cells, templates, folder / f"{prefix}report.pdf", (results,) if attach else ())
    if "docx" in wanted:
        from reportgen.rendering.word import write_word

        write_word(page.html(cells, templates, "word"), templates, folder / f"{prefix}report.docx")
    if "brief" in wanted and any(section.part == "decision" for section in report.sections):
        page.write_brief(cells, templates, folder / f"{prefix}brief.pdf")
    return failed


def page_of(notebook: Any, report: Report, look: Look, pdf: str = "") -> str:
    """Return report.html of an executed notebook, which somebody may have changed since it was written.

    `pdf` is the name of the PDF beside the page, which it leads to unless the notebook was changed.
    """
    from reportgen.rendering import execution, page
    from reportgen.rendering.notebook import build
    from reportgen.rendering.show import ShownReport
    from reportgen.rendering.templates import Templates

    templates = Templates(report, look)
    built = build(templates, execution.results_of(notebook))
    beside = "" if execution.is_edited(notebook, built) else pdf
    placed = execution.placed(notebook, built, ShownReport(templates))
    return b"".join(page.screen(placed, templates, beside)).decode()


def check(look: Look, formats: Iterable[str]) -> None:
    """Refuse a look whose files are not there (TemplateError), and formats without their packages (SettingsError)."""
    look.check()
    if "docx" in formats:
        from reportgen.rendering.pdf import require

        for package in ("docx", "pypdfium2"):
            require(package, "formats: docx")
        from reportgen.rendering.word_document import opened

        opened(look.docx_template)
