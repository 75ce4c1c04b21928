"""Convert the executed notebook to report.html and report.pdf, with Jinja and WeasyPrint."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from markupsafe import Markup, escape

from reportgen.charts.theme import columns, dark_colours
from reportgen.rendering import foreign
from reportgen.rendering.filters import SHORT, anchor, pictures
from reportgen.rendering.look import Look, embedded, fonts, hashes_of, plotly, policy_source
from reportgen.rendering.notebook import Notebook, plain
from reportgen.rendering.page_filling import Line, paired
from reportgen.rendering.templates import Templates, explained
from reportgen.results import WORST_FIRST, Outcome, Part, Report, SectionResult
from reportgen.wording.filling import Compiled
from reportgen.wording.vocabulary import Entry, Vocabulary

PAGE = "html/index.html.j2"  # the template of the whole page, an empty child of ``html/base_page.html.j2``

COMPILED_PAGES = Compiled()  # compiled page templates, for all reports of this process

HEAD = 108  # columns of a running head: both titles and the gap between them

LINKED = 3  # headings from this level on have their own targets; links to those above go to their section

_TOLD_BY_STYLE = re.compile(
    r' (fill|stroke)="#[0-9a-fA-F]{6}"(?=[^<>]* class="[^"<>]*\b\1-(?:text|quiet|grid|paper|engine|human|flag|muted)\b)'
    r'| class=""'
)
"""A color of a mark that has the color's class, or a class without a name."""

Medium = Literal["screen", "paper", "word"]
"""The medium of a page; word processors get the paper version, with blocks stacked."""


class ReportPart(NamedTuple):
    """The cells of one section in one part of the report, and their lines: one cell, or two side by side.

    A section of the evidence can also have cells in the annex: two parts with different IDs. `outcome` is the joint
    outcome of its requirements; `terms` are those that no earlier part uses.
    """

    section: SectionResult
    id: str
    title: str
    place: Part
    lines: tuple[Line, ...]
    outcome: Outcome | Literal[""]
    terms: tuple[Entry, ...]


class Page:
    """What the page template knows in addition to the notebook, as ``resources.page``.

    `head_room` is how many columns of the title fit the running head next to the longest section title; `beside` the
    address of the plotting library for many pages, empty if the page embeds it; `places` are the parts of the report
    with sections; `script_hashes` the scripts that the page can run, for its content security policy.
    """

    def __init__(
        self, notebook: Notebook, templates: Templates, medium: Medium, report: Report | None = None, pdf: str = ""
    ) -> None:
        look, screen = templates.look, medium == "screen"
        self.medium, self.paper = medium, not screen
        self.report = report or templates.report
        self.look, self.pdf, self.logo = look, pdf, look.logo_address()
        with templates.vocabulary.styled():
            self.head, self.parts, self.glossary = _parts(notebook, self.report, look, medium, templates.vocabulary)
        outputs = (output for cell in notebook["cells"] for output in cell.get("outputs", ()))
        self.charts = any(foreign.PLOTLY in output.get("data", {}) for output in outputs)
        self.plotly = plotly() if screen and self.charts and look.plotly != "none" else None
        self.early_script = templates.page("html/colours.js").strip() if screen else ""
        self.script = _short(templates.page("html/page.js")) if screen else ""
        self.dark = dark_colours(look.colours)
        self.fonts = tuple(font for font in fonts() if font.screen or not screen)
        self.signs = pictures()
        self.head_room = max(SHORT, HEAD - min(max((columns(part.title) for part in self.parts), default=0), SHORT))
        self.beside = look.library if self.plotly else ""
        by_place = ((place, tuple(part for part in self.parts if part.place == place)) for place in get_args(Part))
        self.places = tuple((place, parts) for place, parts in by_place if parts)
        library = (policy_source(self.plotly.digest),) if self.plotly else ()
        self.script_hashes = (*hashes_of(self.early_script, self.script), *library)


def screen(notebook: Notebook, templates: Templates, pdf: str = "") -> tuple[bytes, bytes, bytes]:
    """Return the HTML page in three parts: before the plotting library, the library, and after it."""
    page = Page(notebook, templates, "screen", pdf=pdf)
    text = lean(_filled(notebook, templates, page))
    before, mark, after = text.partition(page.plotly.packed) if page.plotly else (text, "", "")
    return before.encode(), page.plotly.letters if page.plotly and mark else b"", after.encode()


def write_pdf(source: str, templates: Templates, path: Path, attachments: Sequence[Path] = ()) -> None:
    """Write a page as a tagged PDF (PDF/UA-1; PDF/A-3 with attachments), with the same bytes for the same report."""
    from reportgen.rendering import pdf

    report = templates.report
    identifier = hashlib.sha256(f"{report.title}{report.created}{report.evaluation.source.sha256}".encode())
    tight = templates.page("html/tight.css")
    pdf.write(source, path, identifier.digest()[:16], tight, attachments, report.created)


def write_brief(notebook: Notebook, templates: Templates, path: Path) -> None:
    """Write only the brief: the pages with the decision, without references to other pages."""
    report = templates.report
    kept = tuple(section for section in report.sections if section.part == "decision")
    names = {section.name for section in report.sections} - {section.name for section in kept}
    cells = [
        cell
        for cell in notebook["cells"]
        if (about := cell["metadata"].get("reportgen", {})).get("section", "") not in names and "place" not in about
    ]
    page = Page({**notebook, "cells": cells}, templates, "paper", replace(report, sections=kept))
    style = "<style>.page-of, nav.contents { display: none }</style></head>"
    source = _filled({**notebook, "cells": cells}, templates, page).replace("</head>", style, 1)
    write_pdf(source, templates, path)


def html(notebook: Notebook, templates: Templates, medium: Medium) -> str:
    """Return the whole page for one medium; the plotting library is inserted when the page is written."""
    return _filled(notebook, templates, Page(notebook, templates, medium))


def _filled(notebook: Notebook, templates: Templates, page: Page) -> str:
    environment = templates.environment(COMPILED_PAGES)
    environment.keep_trailing_newline = False
    environment.filters |= {
        "markdown": _markdown(),
        "island": island,
        "picture": lambda figure: Markup(foreign.picture(figure)),
    }
    with explained(PAGE), templates.vocabulary.styled():
        text = environment.get_template(PAGE).render(nb=notebook, resources={"page": page})
    return _APOSTROPHE.sub(lambda found: found[1] or "’", embedded(text.lstrip("\r\n")))


_VERBATIM, _MARK = r"<(?:script|style|code|pre)\b.*?</(?:script|style|code|pre)>|<[^>]*>", "(?:'|&#39;|&#x27;)"
_APOSTROPHE = re.compile(rf"({_VERBATIM})|(?:(?<=[a-z]){_MARK}(?=s\b)|(?<=[a-z]s){_MARK}(?=\s))", re.DOTALL)
"""Straight apostrophes of possessives in prose, not in markup or code, which become typographic; O'Brien stays."""


def _parts(
    notebook: Notebook, report: Report, look: Look, medium: Medium, words: Vocabulary
) -> tuple[tuple[Any, ...], tuple[ReportPart, ...], tuple[tuple[Entry, tuple[str, ...]], ...]]:
    """Return the cells before the first section, each section's cells in text and annex, and the terms they use."""
    known = {section.name: section for section in report.sections}
    held: dict[tuple[str, str], list[Any]] = {}  # in the order of the notebook, which its owner may have changed
    for cell in notebook["cells"]:
        about = cell["metadata"].get("reportgen", {})
        name = about.get("section", "")
        if "setup" not in cell["metadata"].get("tags", ()):
            held.setdefault((name if name in known else "", about.get("place", "")), []).append(cell)
    head = tuple(held.pop(("", ""), ()))
    drawn = tuple(words.said(chart) for section in report.sections for chart in section.findings.charts)
    found = [
        (known[name], place, cells)
        for (name, place), cells in held.items()
        if name and (place == "annex" or (not place and known[name].part != "annex"))
    ]
    found.sort(key=lambda each: each[1] == "annex")
    glossary, new_terms = terms_explained([cells for *_, cells in found], words)
    parts = []
    for (section, place, cells), terms in zip(found, new_terms, strict=True):
        part = section.part if not place else "annex"
        split, in_annex = part != section.part, part == "annex"
        title = words.section(section.name, section.title, section.findings.values.get("leading"))
        sources = (cell["source"] for cell in cells if split and cell["cell_type"] == "markdown")
        heads = (line for source in sources for line in source.splitlines() if line.startswith("## "))
        parts.append(
            ReportPart(
                section,
                anchor("annex" if split else "section", section.name),
                plain(next(heads, "").removeprefix("## ")) or title,
                part,
                paired(cells, drawn, look.colours) if medium == "paper" else tuple((cell,) for cell in cells),
                "" if in_annex else outcome_of(section, report),
                terms,
            )
        )
    return head, tuple(parts), glossary


def lean(text: str) -> str:
    """Remove what the style sheet of an HTML page already defines: colors of drawings, and empty classes.

    >>> lean('<circle fill="#143d66" r="4" class="fill-engine"/><td class="">0.71</td>')
    '<circle r="4" class="fill-engine"/><td>0.71</td>'
    """
    return _TOLD_BY_STYLE.sub("", text)


def _short(script: str) -> str:
    lines = (line.strip() for line in script.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def island(value: object) -> Markup:
    """Write a value as JSON for a script element of type application/json; keys are sorted, as in the notebook."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False, sort_keys=True)
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def _markdown() -> Any:
    """Return the filter from Markdown to HTML; headings below section level get unique IDs."""
    from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

    taken: Counter[str] = Counter()

    class Renderer(IPythonRenderer):
        def heading(self, text: str, level: int, **_: Any) -> str:
            if level < LINKED:
                return f"<h{level}>{text}</h{level}>\n"
            name = anchor("heading", Markup(text).striptags())
            taken[name] += 1
            place = name if taken[name] == 1 else f"{name}-{taken[name]}"
            return f'<h{level} id="{escape(place)}">{text}</h{level}>\n'

    markdown = MarkdownWithMath(renderer=Renderer(escape=False))

    return lambda source: Markup(markdown.render(source))


_TERM = re.compile(r'data-term="([^"]+)"')


def outcome_of(section: SectionResult, report: Report) -> Outcome | Literal[""]:
    """Return the joint outcome of a section's requirements: the stated one, otherwise the worst; empty without any."""
    if section.findings.outcome or section.part != "evidence" or section.name.endswith("summary"):
        return section.findings.outcome
    keys = {table.key for table in section.findings.tables} | {chart.key for chart in section.findings.charts}
    theirs = [check for check in report.evaluation.checks if check.target in keys]
    found = {check.outcome for check in (*section.findings.checks, *theirs)}
    return next((outcome for outcome in WORST_FIRST if outcome in found), "")


def terms_explained(
    parts: Sequence[Sequence[Any]], words: Vocabulary
) -> tuple[tuple[tuple[Entry, tuple[str, ...]], ...], tuple[tuple[Entry, ...], ...]]:
    """Return the terms that a page explains with the keys that lead to each, and the new terms in each part.

    `parts` are the executed cells of each part of the page; ``"qwk"`` and ``"system.qwk"`` are one term.

    >>> cell = {"cell_type": "markdown", "source": '<span class="term" data-term="system.qwk">QWK</span>'}
    >>> glossary, new = terms_explained([[cell], [cell]], Vocabulary())
    >>> [(entry.short, keys) for entry, keys in glossary], [len(terms) for terms in new]
    ([('QWK', ('system.qwk',))], [1, 0])
    """
    keys: dict[str, dict[str, None]] = {}
    entries: dict[str, Entry] = {}
    first = []
    for cells in parts:
        new: dict[str, Entry] = {}
        for key in (key for cell in cells for text in _texts(cell) for key in _TERM.findall(text)):
            entry = words.entry(key)
            if entry.definition:
                if entry.key not in entries:
                    new[entry.key] = entries[entry.key] = entry
                keys.setdefault(entry.key, {})[key] = None
        first.append(tuple(new.values()))
    by_name = sorted(entries.values(), key=lambda entry: entry.name.lower())
    return tuple((entry, tuple(keys[entry.key])) for entry in by_name), tuple(first)


def _texts(cell: Any) -> Iterator[str]:
    if cell["cell_type"] == "markdown":
        yield cell["source"]
    for output in cell.get("outputs", ()):
        yield from (text for form, text in output.get("data", {}).items() if form in ("text/html", "text/markdown"))
        yield str(output.get("metadata", {}).get("reportgen", {}).get("numbers", ""))
