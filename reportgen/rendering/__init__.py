"""Render a stored report: sections, a notebook from templates, HTML, PDF, and Word.

This package computes nothing: it displays the finished numbers of a `Report`.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from reportgen.rendering.look import Look, look_of, write_library
from reportgen.results import Report

__all__ = ["Look", "check", "look_of", "page_of", "render"]

USUAL = ("html", "pdf")  # the default formats of `render`; it always writes the executed notebook


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
    """Write report.ipynb (executed), report.html, report.pdf, and report.docx into `folder`, as requested.

    Returns the names of the sections that could not be displayed.

    The same report and versions always produce the same bytes. A section that failed is replaced by a box with its
    error; the pages are still written.

    folder: An existing folder; results.json is written there if it is missing, because the notebook reads it.
    kernel: Name of a Jupyter kernel that runs the notebook; default: a kernel of this Python, if a template has a cell
        with custom code.
    formats: "html", "pdf", "docx", and "brief" (only the first pages of the PDF, as brief.pdf).
    prefix: Prefix of all file names, including results.json.
    attach: Attach results.json to the PDF, which makes it PDF/A-3 as well.
    Raises TemplateError: If a template cannot be found, read, or filled; the message names file and line. Raises
    SettingsError: If the kernel is unknown, the logo cannot be read, or a package is missing.
    """
    from reportgen.rendering import execution, notebook, page
    from reportgen.rendering.templates import Templates
    from reportgen.storing import results_file

    look, wanted = look or Look(), tuple(formats)
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
        source, attached = page.html(cells, templates, "paper"), (results,) if attach else ()
        page.write_pdf(source, templates, folder / f"{prefix}report.pdf", attached)
    if "docx" in wanted:
        from reportgen.rendering.word import write_word

        write_word(page.html(cells, templates, "word"), templates, folder / f"{prefix}report.docx")
    if "brief" in wanted and any(section.part == "decision" for section in report.sections):
        page.write_brief(cells, templates, folder / f"{prefix}brief.pdf")
    return failed


def page_of(notebook: Any, report: Report, look: Look, pdf: str = "") -> str:
    """Return report.html for an executed notebook, with a link to `pdf` unless it was edited."""
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
    """Reject a look whose files are missing (TemplateError), and formats whose packages are missing (SettingsError)."""
    look.check()
    if "docx" in formats:
        from reportgen.rendering.pdf import require

        for package in ("docx", "pypdfium2"):
            require(package, "formats: docx")
        from reportgen.rendering.word_document import opened

        opened(look.docx_template)
