"""Write docs/requirements.md from the requirements that packets answer: `make docs`."""

from __future__ import annotations

from pathlib import Path

from reportgen.governance.card import FIELDS
from reportgen.governance.packet import SEEN_NOTES, Item, items
from reportgen.wording.vocabulary import english

PAGE = Path(__file__).parent / "requirements.md"
NOTHING = "nothing"
BEFORE = """# Review frameworks

This page lists the requirements of review frameworks and the parts of a report that answer them. Use it to find
evidence for a review. A [deployment review](deployment_review.md) contains the same tables, filled in for your report.

We paraphrase the requirements. They are neither a statement of conformity nor legal advice. If a row contains
“{nothing}”, neither a report nor a packet answers the requirement.

{seen}
"""
HEADER = "| Number | Requirement | Report sections | Card fields | A person must |\n|---|---|---|---|---|\n"


def page() -> str:
    """Return the page: one table for each framework."""
    seen = {item.seen for item in items()}
    notes = "\n".join(f"* {_plain(note)}" for kind, note in SEEN_NOTES.items() if kind in seen)
    text = BEFORE.format(nothing=NOTHING, seen=notes)
    for framework in dict.fromkeys(item.framework for item in items()):
        lines = [_line(item) for item in items() if item.framework == framework]
        text += f"\n## {framework}\n\n{HEADER}" + "".join(lines)
    return text


def _line(item: Item) -> str:
    """Return the row of an item."""
    labels = {field.key: field.label for field in FIELDS}
    parts = "; ".join(english().section(part) for part in item.parts) or _tables(item)
    fields = "; ".join(labels[key] for key in item.fields)
    cells = (item.starred, item.asks, NOTHING if item.unanswered else parts, fields, item.person)
    return f"| {' | '.join(map(_plain, cells))} |\n"


def _tables(item: Item) -> str:
    """Return the tables that answer an item without a section."""
    return "; ".join(f"table `{key}`" for key in item.tables)


def _plain(text: str) -> str:
    """Escape stars."""
    return text.replace("*", "\\*")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
