"""From a page to a tagged PDF, by WeasyPrint; nothing is fetched but fonts on this machine."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from reportgen.errors import OutputError


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
    logging.getLogger("weasyprint").setLevel(logging.CRITICAL)
    page = weasyprint.HTML(string=source, url_fetcher=_fetcher())
    page.write_pdf(path, pdf_variant="pdf/ua-1", pdf_tags=True, pdf_identifier=identifier)


def _fetcher() -> Any:
    """Return what WeasyPrint reads addresses with: files and embedded data, never the network."""
    from weasyprint.urls import URLFetcher

    return URLFetcher(allowed_protocols=("file", "data"))
