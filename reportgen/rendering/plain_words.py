"""What a report says, as plain text: for the terminal, for notebooks, for tests."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.rendering import notebook
from reportgen.rendering.look import Look
from reportgen.rendering.plain_text import finding, plain
from reportgen.rendering.templates import Templates
from reportgen.results import Report


def cells(report: Report, look: Look | None = None) -> Iterator[tuple[str, str, str]]:
    """Yield section, place ("annex" or nothing) and text of every cell; a cell that shows something as its code."""
    look = look or Look()
    for cell in notebook.build(report, look, Templates(report, look))["cells"][1:]:
        about = cell["metadata"]["reportgen"]
        text = plain(cell["source"]) if cell["cell_type"] == "markdown" else cell["source"]
        yield about.get("section", ""), about.get("place", ""), text


def first_finding(report: Report) -> str:
    """Return the first heading of a report that states a finding: below a section's name, or kept by the section."""
    kept = next((each.findings.headline for each in report.sections if each.findings.headline), "")
    return next((found for _, _, text in cells(report) if (found := finding(text))), kept)
