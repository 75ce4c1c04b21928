"""From a page to a tagged PDF, by WeasyPrint; nothing is fetched but fonts on this machine."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reportgen.errors import OutputError
from reportgen.rendering.escaping import together

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

CONTENTS = "contents"
"""Id of the contents list, which begins the page after the summary."""

SVG = "{http://www.w3.org/2000/svg}"

_POINT = re.compile(r"(?<![\w.])\.(?=\d)")
"""A decimal point without a zero before it: Pango would let a line end behind it."""


def write(source: str, path: Path, identifier: bytes, tight: str) -> None:
    """Write the page `source` as PDF/UA-1 to `path`; `tight` is the style that saves room on the first page.

    Raises
    ------
    OutputError
        If the system libraries WeasyPrint draws text with are missing.
    """
    options = {"pdf_variant": "pdf/ua-1", "pdf_tags": True, "pdf_identifier": identifier}
    with _missing_characters() as missing:
        content = _pages(source, tight, options).write_pdf(**options)
    if missing:
        # A character no font on this machine has would leave an unreadable glyph, which PDF/UA forbids.
        source = source.translate(dict.fromkeys(map(ord, missing), REPLACEMENT))
        content = _pages(source, tight, options).write_pdf(**options)
    path.write_bytes(content)


def _pages(source: str, tight: str, options: dict[str, Any]) -> Any:
    """Return the laid-out pages; a summary that spills over its page is set once more, tighter."""
    weasyprint = _weasyprint()

    def laid_out(*styles: Any) -> Any:
        page = weasyprint.HTML(string=source, url_fetcher=_fetcher())
        _keep_numbers_whole(page.etree_element.find("body"))
        return page.render(stylesheets=list(styles), **options)

    pages = laid_out()
    if summary_pages(pages) < 2:
        return pages
    tighter = laid_out(weasyprint.CSS(string=tight))
    return tighter if summary_pages(tighter) < summary_pages(pages) else pages


def _weasyprint() -> Any:
    try:
        import weasyprint
    except OSError as error:  # Pango is not on this machine
        raise OutputError(
            "report.pdf: the Pango library is missing, which draws its text; install it (Debian: apt-get install "
            "libpangoft2-1.0-0 libharfbuzz-subset0) or leave out the PDF with --formats html."
        ) from error
    return weasyprint


def summary_pages(document: Any) -> int:
    """Return how many pages stand before the contents list, or in the whole file when it has none."""
    return next((number for number, page in enumerate(document.pages) if CONTENTS in page.anchors), len(document.pages))


def _keep_numbers_whole(body: Any) -> None:
    """Let no line end inside a number, in all text of a page; charts break no lines."""
    for node in body.iter():
        if str(node.tag).startswith(SVG):
            continue
        for place in ("text", "tail"):
            words = getattr(node, place)
            if words:
                setattr(node, place, _POINT.sub(".\N{WORD JOINER}", together(words)))


@contextmanager
def _missing_characters() -> Iterator[set[str]]:
    """Yield the set that WeasyPrint's warnings about characters without a glyph fill while it draws."""
    missing: set[str] = set()

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if "notdef" in record.msg and isinstance(record.args, tuple):
                missing.add(str(record.args[0]))

    logger, listener = logging.getLogger("weasyprint"), Listener()
    logger.addHandler(listener)
    try:
        yield missing
    finally:
        logger.removeHandler(listener)


def _fetcher() -> Any:
    """Return what WeasyPrint reads addresses with: files and embedded data, never the network."""
    from weasyprint.urls import URLFetcher

    return URLFetcher(allowed_protocols=("file", "data"))
