"""Write the terms of reports to docs/glossary.md from the vocabulary of the templates: `make docs`."""

from __future__ import annotations

from pathlib import Path

from reportgen.metrics import METRICS
from reportgen.wording.names import capital
from reportgen.wording.vocabulary import english

PAGE = Path(__file__).parent / "glossary.md"
HEADING = "## Terms in reports"
BEFORE = f"""{HEADING}

Reports show these definitions next to the term. [Statistics](statistics/README.md) describes each statistic.

| Term | Key | Definition |
|---|---|---|
"""


def terms() -> str:
    """Return the table of the terms that the vocabulary defines, without statistics, whose keys have a family."""
    entries = sorted(english().entries.values(), key=lambda entry: entry.name.lower())
    lines = [
        f"| {capital(entry.name)}{f' ({entry.short})' if entry.short else ''} | `{entry.key}` | {entry.definition} |"
        for entry in entries
        if entry.key not in METRICS and "." not in entry.key
    ]
    return BEFORE + "\n".join(lines) + "\n"


def page() -> str:
    """Return the page with the current terms of reports."""
    return PAGE.read_text(encoding="utf-8").split(HEADING)[0] + terms()


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
