"""What a reader of a page sees or hears."""

from html.parser import HTMLParser
from pathlib import Path


class _Texts(HTMLParser):
    """Collects the visible and spoken text of a page, without scripts, styles, and code."""

    SILENT = ("script", "style", "code", "head")
    ALOUD = ("aria-label", "title", "alt", "placeholder", "data-alt")

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._silent += tag in self.SILENT
        if not self._silent:
            self.found += [value for name, value in attrs if name in self.ALOUD and value]

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in self.SILENT

    def handle_data(self, data: str) -> None:
        if not self._silent and data.strip():
            self.found.append(data)


def texts_of(page: str | Path) -> list[str]:
    """Return the texts of a page, or of its file."""
    reader = _Texts()
    reader.feed(page.read_text(encoding="utf-8") if isinstance(page, Path) else page)
    return reader.found
