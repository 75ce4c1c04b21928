"""What the contents of a page say of its sections, and which terms each is the first to use."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from reportgen.results import Outcome, Report, SectionResult
from reportgen.wording.vocabulary import Entry, Vocabulary

WORST_FIRST: tuple[Outcome, ...] = ("not met", "out of reach", "not yet known", "insufficient", "met")

_TERM = re.compile(r'data-term="([^"]+)"')


def outcome_of(section: SectionResult, report: Report) -> Outcome | Literal[""]:
    """Return what the requirements of a section say together: as it says, else the worst one; nothing without any.

    They are those that it shows, and those of the policy that lead to a table or chart of it.
    """
    if section.findings.outcome or section.part != "evidence" or section.name.endswith("summary"):
        return section.findings.outcome
    keys = {table.key for table in section.findings.tables} | {chart.key for chart in section.findings.charts}
    theirs = [check for check in report.evaluation.checks if check.target in keys]
    found = {check.outcome for check in (*section.findings.checks, *theirs)}
    return next((outcome for outcome in WORST_FIRST if outcome in found), "")


@dataclass(frozen=True)
class Explained:
    """The terms of a page that are explained, with the keys that lead to each, and those that are new in each part.

    Parameters
    ----------
    glossary
        Every term by its name, with its keys (``"qwk"`` and ``"system.qwk"`` are one term).
    first
        For each part the terms that no part before it uses.
    """

    glossary: tuple[tuple[Entry, tuple[str, ...]], ...]
    first: tuple[tuple[Entry, ...], ...]


def explained(parts: Sequence[Sequence[Any]], words: Vocabulary) -> Explained:
    """Return what a page explains.

    Parameters
    ----------
    parts
        The cells of each part of the page, as they were run.
    words
        What is known of terms.

    Examples
    --------
    >>> cell = {"cell_type": "markdown", "source": '<span class="term" data-term="system.qwk">QWK</span>'}
    >>> found = explained([[cell], [cell]], Vocabulary())
    >>> [(entry.short, keys) for entry, keys in found.glossary], [len(new) for new in found.first]
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
    return Explained(tuple((entry, tuple(keys[entry.key])) for entry in by_name), tuple(first))


def _texts(cell: Any) -> Iterator[str]:
    """Yield what a cell puts on the page as HTML."""
    if cell["cell_type"] == "markdown":
        yield cell["source"]
    for output in cell.get("outputs", ()):
        yield from (text for form, text in output.get("data", {}).items() if form in ("text/html", "text/markdown"))
        yield str(output.get("metadata", {}).get("reportgen", {}).get("numbers", ""))
