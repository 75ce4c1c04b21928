"""From the executed notebook to report.html and report.pdf, through nbconvert and WeasyPrint."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from markupsafe import Markup

from reportgen.charts.text import columns
from reportgen.charts.theme import dark_colours
from reportgen.rendering import foreign, pairs, scripts
from reportgen.rendering.escaping import anchor
from reportgen.rendering.filters import SHORT
from reportgen.rendering.look import Look
from reportgen.rendering.notebook import Notebook
from reportgen.rendering.paths import TEMPLATES
from reportgen.rendering.templates import Compiled, Templates, explained, prepare
from reportgen.results import Report, SectionResult

PAGE = "html/index.html.j2"
"""The template of the whole page, an empty child of ``html/base_page.html.j2``."""

COMPILED_PAGES = Compiled()
"""Compiled templates of pages, for all reports of this process."""

HEAD = 108
"""Columns of a running head, both titles and the gap between them."""

Medium = Literal["screen", "paper"]


@dataclass(frozen=True)
class ReportPart:
    """The cells of one section, in order, and the lines they stand in: one or two beside each other."""

    section: SectionResult
    id: str
    cells: tuple[Any, ...]
    lines: tuple[pairs.PageLine, ...]


@dataclass(frozen=True)
class Page:
    """What the page template knows besides the notebook, as ``resources.page``."""

    medium: Medium
    report: Report
    look: Look
    logo: str
    head: tuple[Any, ...]
    parts: tuple[ReportPart, ...]
    charts: bool
    plotly: scripts.Library | None
    script: str
    dark: dict[str, str]
    fonts: tuple[scripts.Font, ...]

    @property
    def paper(self) -> bool:
        """Whether this is the page that becomes the PDF."""
        return self.medium == "paper"

    @property
    def head_room(self) -> int:
        """Columns of the report's title that fit the running head beside the longest title of a section."""
        beside = max((columns(part.section.title) for part in self.parts), default=0)
        return max(SHORT, HEAD - min(beside, SHORT))

    @property
    def script_hashes(self) -> tuple[str, ...]:
        """The scripts the page may run, as its content security policy names them."""
        digests = [hashlib.sha256(self.script.encode()).digest(), *([self.plotly.digest] if self.plotly else [])]
        return tuple(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)


def write_html(notebook: Notebook, report: Report, look: Look, templates: Templates, path: Path) -> Path:
    """Write the page for the screen: one file that asks for nothing from elsewhere."""
    page = _page(notebook, report, look, templates, "screen")
    text = _filled(notebook, templates, page)
    before, mark, after = text.partition(page.plotly.packed) if page.plotly else (text, "", "")
    with path.open("wb") as file:
        file.write(before.encode())
        if page.plotly and mark:
            file.write(page.plotly.letters)
        file.write(after.encode())
    return path


def write_pdf(
    notebook: Notebook,
    report: Report,
    look: Look,
    templates: Templates,
    path: Path,
    attachments: Sequence[Path] = (),
) -> Path:
    """Write the page for paper: a tagged PDF (PDF/UA-1) with an outline; with attachments also PDF/A-3.

    Dates and the file's id come from the report, so the same report gives the same bytes.
    """
    from reportgen.rendering import pdf

    source = html(notebook, report, look, templates, "paper")
    identifier = hashlib.sha256(f"{report.title}{report.created}{report.evaluation.source.sha256}".encode())
    attached = pdf.Attached(tuple(attachments), report.created)
    pdf.write(source, path, identifier.digest()[:16], templates.page("html/tight.css"), attached)
    return path


def html(notebook: Notebook, report: Report, look: Look, templates: Templates, medium: Medium) -> str:
    """Return the whole page for one medium; the plotting library is put in when the page is written."""
    return _filled(notebook, templates, _page(notebook, report, look, templates, medium))


def _filled(notebook: Notebook, templates: Templates, page: Page) -> str:
    """Return the page's template, filled."""
    with templates.allowance.of(PAGE), explained(PAGE):
        text: str = _exporter(templates).template.render(nb=notebook, resources={"page": page})
    return text.lstrip("\r\n")


def _page(notebook: Notebook, report: Report, look: Look, templates: Templates, medium: Medium) -> Page:
    head, parts = _parts(notebook, report, look, medium)
    charts = any(foreign.PLOTLY in output.get("data", {}) for output in _outputs(notebook))
    interactive = medium == "screen" and charts and look.interactive
    return Page(
        medium=medium,
        report=report,
        look=look,
        logo=look.logo_address(),
        head=head,
        parts=parts,
        charts=charts,
        plotly=scripts.plotly() if interactive else None,
        script=templates.page("html/page.js").strip() if medium == "screen" else "",
        dark=dark_colours(look.colours),
        fonts=scripts.fonts() if medium == "paper" else (),
    )


def _parts(
    notebook: Notebook, report: Report, look: Look, medium: Medium
) -> tuple[tuple[Any, ...], tuple[ReportPart, ...]]:
    """Return the cells before the first section, and those of each section."""
    cells = [cell for cell in notebook["cells"] if "setup" not in cell["metadata"].get("tags", ())]
    names = [cell["metadata"].get("reportgen", {}).get("section", "") for cell in cells]
    by_name = {
        section.name: tuple(cell for cell, name in zip(cells, names, strict=True) if name == section.name)
        for section in report.sections
    }

    def lines(section: SectionResult) -> tuple[pairs.PageLine, ...]:
        own = by_name[section.name]
        charts = section.findings.charts
        return pairs.paired(own, charts, look.colours) if medium == "paper" else pairs.single(own)

    parts = tuple(
        ReportPart(section, anchor("section", section.name), by_name[section.name], lines(section))
        for section in report.sections
    )
    return tuple(cell for cell, name in zip(cells, names, strict=True) if name not in by_name), parts


def _outputs(notebook: Notebook) -> Iterator[Any]:
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            yield from cell["outputs"]


def _exporter(templates: Templates) -> Any:
    """Return an nbconvert exporter that sees our template folders and no others.

    `TemplateExporter` is the base of nbconvert's HTML exporter, without its last pass over the whole
    page; our templates write alt texts themselves.  Its template is filled directly: a notebook of ours needs none
    of the preprocessors, and each would copy and validate it.
    """
    import jinja2
    from nbconvert.exporters.templateexporter import TemplateExporter

    exporter = TemplateExporter(
        extra_loaders=[templates.loader], template_paths=[str(TEMPLATES / "html")], template_file=PAGE
    )
    exporter.environment.autoescape = True
    exporter.environment.undefined = jinja2.StrictUndefined
    exporter.environment.bytecode_cache = COMPILED_PAGES
    prepare(exporter.environment)
    exporter.register_filter("markdown", _markdown())
    exporter.register_filter("island", island)
    exporter.register_filter("picture", lambda figure: Markup(foreign.picture(figure)))
    return exporter


def island(value: object) -> Markup:
    """Return a value as JSON that can stand inside a script element of type application/json."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def _markdown() -> Any:
    """Return the filter from Markdown to HTML; headings get no ids, which could meet on one page."""
    from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

    class Renderer(IPythonRenderer):
        def heading(self, text: str, level: int, **_: Any) -> str:
            return f"<h{level}>{text}</h{level}>\n"

    markdown = MarkdownWithMath(renderer=Renderer(escape=False))

    def convert(source: str) -> Markup:
        return Markup(markdown.render(source))

    return convert
