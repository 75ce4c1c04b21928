"""Writes docs/requirements.md from the requirements that packets answer: `make docs`."""

from __future__ import annotations

from pathlib import Path

from reportgen.governance.card import FIELDS
from reportgen.governance.requirements import SEEN_NOTES, Item, items
from reportgen.wording.vocabulary import english

PAGE = Path(__file__).parent / "requirements.md"
NOTHING = "nothing"
BEFORE = """# What answers which requirement

Made from `reportgen/governance/requirements.toml` by `make docs`. [The packet](deployment_review.md) has the same
lines, with the parts that its report has, their numbers and the fields of its card.

Requirements are told in our own words, in short. They help to find things; they are no statement of conformity, and no
legal advice.
Where a line says “{nothing}”, no report or packet answers it.

{seen}
"""
HEADER = "| number | asks for | parts of the report | fields of the card | a person has to |\n|---|---|---|---|---|\n"


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
    """Return the tables that answer an item in no part of their own."""
    return "; ".join(f"table `{key}`" for key in item.tables)


def _plain(text: str) -> str:
    """Return text in which stars are stars."""
    return text.replace("*", "\\*")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
