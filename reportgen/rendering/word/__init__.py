"""From a filled page to a Word document: its headings, tables, pictures and links, in styles that a template changes.

The page is the one that is filled for paper, so the words are its words.  Nothing here writes a word of its own.
"""

from __future__ import annotations

import json
from pathlib import Path

from reportgen.rendering.look import Look
from reportgen.rendering.pdf import parsed
from reportgen.rendering.pictures import require
from reportgen.rendering.templates import Templates
from reportgen.results import Report

WORDS = "html/words.json.j2"
"""The template of the words that style sheets write on paper."""


def check(template: Path | None) -> None:
    """Refuse to make a document without the packages that it needs, or from a template that cannot be one.

    Raises
    ------
    SettingsError
        With the command that installs the package, or with what the template should be.
    """
    for package in ("docx", "pypdfium2"):
        require(package, "formats: docx")
    from reportgen.rendering.word.file import opened

    opened(template)


def write_word(source: str, report: Report, look: Look, templates: Templates, path: Path) -> Path:
    """Write a filled page as a Word document; the same page gives the same bytes.

    Parameters
    ----------
    source
        The page in HTML, filled for word processors.
    report, look
        What it is about, and the document of styles to begin with.
    templates
        What the pictures and the words of style sheets are made with.
    path
        The file to write.
    """
    from reportgen.rendering.word import blocks, file, styles
    from reportgen.rendering.word.sheet import Sheet, pictures_of, places_of

    body = parsed(source).find("body")
    document = file.opened(look.docx_template)
    styles.prepare(document, report.language, ours=look.docx_template is None)
    words = {name: str(word) for name, word in json.loads(templates.page(WORDS)).items()}
    sheet = Sheet(document, pictures_of(body, templates), places_of(body), words)
    if look.docx_template is None:
        file.set_page(document, look.page)
        file.write_margins(sheet, report.title, report.evaluation.source.sha256[:8])
    blocks.write(body, sheet)
    file.save(document, path, report)
    return path
