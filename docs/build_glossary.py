"""Writes the words of reports in docs/glossary.md from the vocabulary of the templates: `make docs`."""

from __future__ import annotations

from pathlib import Path

from reportgen.metrics import METRICS
from reportgen.wording.names import capital
from reportgen.wording.vocabulary import english

PAGE = Path(__file__).parent / "glossary.md"
HEADING = "## Words of reports"
BEFORE = f"""{HEADING}

Made from `templates/words` by `make docs`: what a page explains where a word is pointed at. The statistics of the
catalogue stand in [Statistics](statistics/README.md).

| word | key | what it is |
|---|---|---|
"""


def words() -> str:
    """Return the table of the words that the vocabulary explains, but for the statistics of the catalogue."""
    entries = sorted(english().entries.values(), key=lambda entry: entry.name.lower())
    lines = [
        f"| {capital(entry.name)}{f' ({entry.short})' if entry.short else ''} | `{entry.key}` | {entry.definition} |"
        for entry in entries
        if entry.key not in METRICS
    ]
    return BEFORE + "\n".join(lines) + "\n"


def page() -> str:
    """Return the page with the words of reports as the vocabulary has them."""
    return PAGE.read_text(encoding="utf-8").split(HEADING)[0] + words()


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
