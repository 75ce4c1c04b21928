"""What a notebook shows of a report: what it is called, what it found, what the policy says, where its page is."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from reportgen.results import Report

MOST_LETTERS = 600


def html_of(report: Report) -> str:
    """Return a few lines of HTML, whatever the texts of a report hold, without scripts and styles."""
    kept = next((each.findings.headline for each in report.sections if each.findings.headline), "")
    verdict = report.verdict
    said = [kept, "" if verdict is None else verdict.sentence or verdict.decision]
    lines = [f"<strong>{_text(report.title)}</strong> ({_text(report.created)})", *map(_text, said)]
    if report.page is not None:
        lines.append(f'<a href="{_address(report.page)}" target="_blank" rel="noopener">{_text(report.page.name)}</a>')
    return f"<div>{''.join(f'<p>{line}</p>' for line in lines if line)}</div>"


def _text(words: str) -> str:
    """Return words as they may stand in HTML: shortened, without letters that are not seen."""
    seen = "".join(letter if letter.isprintable() else " " for letter in words)
    return escape(seen if len(seen) <= MOST_LETTERS else f"{seen[:MOST_LETTERS]}...")


def _address(page: Path) -> str:
    """Return where a page is: seen from the folder of the notebook, where it was named so."""
    return escape(page.as_uri() if page.is_absolute() else quote(f"./{page.as_posix()}"))
