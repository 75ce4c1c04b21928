"""From a page to a tagged PDF, by WeasyPrint; nothing is fetched but fonts on this machine."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reportgen.errors import OutputError

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def write(source: str, path: Path, identifier: bytes) -> None:
    """Write the page `source` as PDF/UA-1 to `path`.

    Raises
    ------
    OutputError
        If the system libraries WeasyPrint draws text with are missing.
    """
    try:
        import weasyprint
    except OSError as error:  # Pango is not on this machine
        raise OutputError(
            "report.pdf: the Pango library is missing, which draws its text; install it (Debian: apt-get install "
            "libpangoft2-1.0-0 libharfbuzz-subset0) or leave out the PDF with --formats html."
        ) from error
    options = {"pdf_variant": "pdf/ua-1", "pdf_tags": True, "pdf_identifier": identifier}
    with _missing_characters() as missing:
        content = weasyprint.HTML(string=source, url_fetcher=_fetcher()).write_pdf(**options)
    if missing:
        # A character no font on this machine has would leave an unreadable glyph, which PDF/UA forbids.
        source = source.translate(dict.fromkeys(map(ord, missing), REPLACEMENT))
        content = weasyprint.HTML(string=source, url_fetcher=_fetcher()).write_pdf(**options)
    path.write_bytes(content)


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
